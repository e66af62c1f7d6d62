package port

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Regions returns the region files of the source if it is a folder without a level.dat. Such a
// folder is a part of a world, and Overlay puts it into the whole world.
func (s *Opened) Regions() []anvil.Region {
	if w, ok := s.leaf.(*anvil.Folder); ok && w.Partial() {
		return w.Regions()
	}
	return nil
}

// Overlay puts a part of a world into w. The result is the same as that of copying the part's
// files into the world's folder. A region file replaces all of its 32 by 32 columns, and
// removes those that it does not have. Region files of entities and of points of interest do
// not change blocks, and region files of blocks do not change entities and points of interest.
// Other files replace files of the same path. All other columns, files and properties stay.
// Overlay fails if the two cannot be one world; w must not be used then.
func Overlay(w, part *convert.Loaded, regions []anvil.Region) error {
	if old, now := w.Head.Format == "mcregion", part.Head.Format == "mcregion"; old != now {
		return fmt.Errorf("port: Anvil and McRegion in one world: %w", ErrHolds)
	}
	for _, d := range part.Dimensions {
		at := slices.IndexFunc(w.Dimensions, func(o *convert.LoadedDimension) bool { return o.Name == d.Name })
		if at < 0 {
			w.Dimensions = append(w.Dimensions, d)
			continue
		}
		o := &overlay{to: w.Dimensions[at], from: d, parts: map[regionPos][]string{}}
		for _, r := range regions {
			if r.Dimension == d.Name {
				o.parts[regionPos{r.X, r.Z}] = append(o.parts[regionPos{r.X, r.Z}], r.Part)
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

// overlay does the work of Overlay for one dimension.
type overlay struct {
	to, from *convert.LoadedDimension
	parts    map[regionPos][]string // of the region files
}

func (o *overlay) do() error {
	for _, v := range o.from.Volumes {
		if err := o.volume(v); err != nil {
			return err
		}
	}
	return o.columns()
}

// volume replaces the chunks of those regions that have a region file of blocks.
func (o *overlay) volume(from *convert.LoadedVolume) error {
	to := o.to.Volume(from.Volume.Name)
	if to == nil {
		o.to.Volumes = append(o.to.Volumes, from)
		return nil
	}
	perRegion := int32(regionEdge * geom.ColumnEdge / (geom.ChunkEdge * max(1, to.Scale)))
	if to.Volume != from.Volume || perRegion == 0 {
		return fmt.Errorf("port: volume %q of %s is of another kind: %w", to.Volume.Name, o.to.Name, ErrHolds)
	}
	var table []voxel.Cell
	if to.Schema == voxel.Palette {
		names, _, t, err := diff.Names(to.Names, from.Names)
		if err != nil {
			return fmt.Errorf("port: volume %q of %s: %w: %w", to.Volume.Name, o.to.Name, err, ErrHolds)
		}
		to.Names, table = names, t
	}
	replaced := func(pos geom.ChunkPos) bool {
		at := regionPos{int32(geom.FloorDiv(int(pos.X), int(perRegion))), int32(geom.FloorDiv(int(pos.Z), int(perRegion)))}
		return slices.Contains(o.parts[at], voxel.PartChunk)
	}
	for pos := range to.Chunks {
		if replaced(pos) {
			delete(to.Chunks, pos)
		}
	}
	for pos, c := range from.Chunks {
		if replaced(pos) && table != nil {
			c = c.Translate(table)
		}
		if replaced(pos) {
			to.Chunks[pos] = c
		}
	}
	return nil
}

// columns replaces the parts of columns that have region files.
func (o *overlay) columns() error {
	there := make(map[geom.ColumnPos][2]*voxel.Column)
	for i, d := range []*convert.LoadedDimension{o.to, o.from} {
		for n := range d.Columns {
			c := &d.Columns[n]
			both := there[c.Pos]
			both[i] = c
			there[c.Pos] = both
		}
	}
	all := make([]voxel.Column, 0, len(there))
	for pos, both := range there {
		parts := o.parts[regionPos{pos.X >> 5, pos.Z >> 5}]
		c, err := anvil.Patch(both[0], both[1], parts)
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
