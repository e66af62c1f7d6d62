package port

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Regions returns the region files that the source consists of, if it is a folder
// without a level.dat: a part of a world, which Overlay puts into the whole.
func (s *Source) Regions() []anvil.Region {
	if w, ok := s.leaf.(*anvil.World); ok && w.Partial() {
		return w.Regions()
	}
	return nil
}

// Overlay puts a part of a world into w, as copying its files into the world's
// folder would. A region file says all of the 32 by 32 columns that it is of:
// those that it lacks are taken away. Region files of entities and of points of
// interest say nothing of blocks, and the other way round. Other files replace
// those of their path. Everything else stays: other columns, files, properties.
// It fails where the two cannot be one world, and w is then of no use.
func Overlay(w, part *convert.World, regions []anvil.Region) error {
	if old, now := w.Head.Format == "mcregion", part.Head.Format == "mcregion"; old != now {
		return fmt.Errorf("port: Anvil and McRegion in one world: %w", ErrHolds)
	}
	for _, d := range part.Dimensions {
		at := slices.IndexFunc(w.Dimensions, func(o *convert.Dimension) bool { return o.Name == d.Name })
		if at < 0 {
			w.Dimensions = append(w.Dimensions, d)
			continue
		}
		o := &overlay{to: w.Dimensions[at], from: d, said: map[regionPos][]string{}}
		for _, r := range regions {
			if r.Dimension == d.Name {
				o.said[regionPos{r.X, r.Z}] = append(o.said[regionPos{r.X, r.Z}], r.Part)
			}
		}
		if err := o.do(); err != nil {
			return err
		}
	}
	w.Files = slices.DeleteFunc(slices.Clone(w.Files), func(f format.File) bool {
		return hasFile(part.Files, f.Path) || slices.ContainsFunc(regions, func(r anvil.Region) bool { return r.Path == f.Path })
	})
	w.Files = append(w.Files, part.Files...)
	slices.SortFunc(w.Files, func(a, b format.File) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func hasFile(files []format.File, path string) bool {
	return slices.ContainsFunc(files, func(f format.File) bool { return f.Path == path })
}

// regionEdge is the edge of a region in columns.
const regionEdge = 32

// regionPos is a position in regions.
type regionPos struct{ x, z int32 }

// overlay is Overlay of a dimension.
type overlay struct {
	to, from *convert.Dimension
	said     map[regionPos][]string // parts
}

func (o *overlay) do() error {
	for _, v := range o.from.Volumes {
		if err := o.volume(v); err != nil {
			return err
		}
	}
	return o.columns()
}

// volume replaces the chunks of regions of which chunks are said.
func (o *overlay) volume(from *convert.Volume) error {
	to := o.to.Volume(from.Volume.Name)
	if to == nil {
		o.to.Volumes = append(o.to.Volumes, from)
		return nil
	}
	perRegion := int32(regionEdge * geom.ColumnEdge / (geom.ChunkEdge * max(1, to.Scale)))
	if to.Volume != from.Volume || perRegion == 0 {
		return fmt.Errorf("port: volume %q of %s is another: %w", to.Volume.Name, o.to.Name, ErrHolds)
	}
	table, err := o.table(to, from)
	if err != nil {
		return err
	}
	said := func(pos geom.ChunkPos) bool {
		at := regionPos{int32(geom.FloorDiv(int(pos.X), int(perRegion))), int32(geom.FloorDiv(int(pos.Z), int(perRegion)))}
		return slices.Contains(o.said[at], voxel.PartChunk)
	}
	for pos := range to.Chunks {
		if said(pos) {
			delete(to.Chunks, pos)
		}
	}
	for pos, c := range from.Chunks {
		if said(pos) && table != nil {
			c = c.Translate(table)
		}
		if said(pos) {
			to.Chunks[pos] = c
		}
	}
	return nil
}

// table adds the names of from to those of to and returns what its cells are
// there, nil for cells that are no names.
func (o *overlay) table(to, from *convert.Volume) ([]voxel.Cell, error) {
	if to.Schema != voxel.Palette {
		return nil, nil
	}
	to.Names = slices.Clone(to.Names)
	cells := make(map[string]voxel.Cell, len(to.Names))
	for i, name := range to.Names {
		cells[name] = voxel.Cell(i)
	}
	table := make([]voxel.Cell, len(from.Names))
	for i, name := range from.Names {
		c, ok := cells[name]
		if !ok {
			if len(to.Names) > int(voxel.MaxCell) {
				return nil, fmt.Errorf("port: volume %q of %s: more names than cells: %w", to.Volume.Name, o.to.Name, ErrHolds)
			}
			c = voxel.Cell(len(to.Names))
			to.Names = append(to.Names, name)
		}
		table[i] = c
	}
	return table, nil
}

// columns replaces the parts of columns that are said.
func (o *overlay) columns() error {
	there := make(map[geom.ColumnPos][2]*voxel.Column)
	for i, d := range []*convert.Dimension{o.to, o.from} {
		for n := range d.Columns {
			c := &d.Columns[n]
			both := there[c.Pos]
			both[i] = c
			there[c.Pos] = both
		}
	}
	all := make([]voxel.Column, 0, len(there))
	for pos, both := range there {
		said := o.said[regionPos{pos.X >> 5, pos.Z >> 5}]
		c, err := anvil.Patch(both[0], both[1], said)
		if err != nil {
			return err
		}
		if c != nil {
			all = append(all, *c)
		}
	}
	slices.SortFunc(all, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	o.to.Columns = all
	return nil
}
