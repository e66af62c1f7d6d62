package port

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// regions returns the region files of the source if it is a folder without a level.dat. Such a
// folder is a part of a world, and overlayOf puts it into the whole world.
func (s *Opened) regions() []anvil.Region {
	if w, ok := s.leaf.(*anvil.Folder); ok && w.Partial() {
		return w.Regions()
	}
	return nil
}

// overlayOf returns the whole world base with a part put over it. The result is the same as that
// of copying the part's files into the world's folder. A region file replaces all of its 32 by 32
// columns, and removes those that it does not have. Region files of entities and of points of
// interest do not change blocks, and region files of blocks do not change entities and points of
// interest. Other files replace files of the same path. All other columns, files and properties
// stay. It fails if the two cannot be one world. Both are read when the result is.
func overlayOf(base, part stone.Content, regions []anvil.Region) (stone.Content, error) {
	o := &overlay{base: base, part: part, about: base.About(), dims: map[string]*overlaid{}}
	over := part.About()
	if old, now := convert.HeadOf(o.about.Properties).Format == "mcregion", convert.HeadOf(over.Properties).Format == "mcregion"; old != now {
		return nil, fmt.Errorf("port: Anvil and McRegion in one world: %w", ErrHolds)
	}
	o.about.Dimensions = slices.Clone(o.about.Dimensions)
	for i, d := range o.about.Dimensions {
		o.about.Dimensions[i] = near(d)
		o.dims[d.Name] = &overlaid{base: true}
	}
	for _, d := range over.Dimensions {
		d = near(d)
		at := slices.IndexFunc(o.about.Dimensions, func(have stone.DimensionInfo) bool { return have.Name == d.Name })
		if at < 0 {
			o.about.Dimensions = append(o.about.Dimensions, d)
			o.dims[d.Name] = &overlaid{part: true}
			continue
		}
		both := &overlaid{base: true, part: true, regions: map[regionPos][]string{}, volumes: map[string]*overlaidVolume{}}
		for _, r := range regions {
			if r.Dimension == d.Name {
				at := regionPos{r.X, r.Z}
				both.regions[at] = append(both.regions[at], r.Part)
			}
		}
		if err := both.add(&o.about.Dimensions[at], d); err != nil {
			return nil, err
		}
		o.dims[d.Name] = both
	}
	o.about.Files = slices.DeleteFunc(slices.Clone(o.about.Files), func(f stone.File) bool {
		return hasFile(over.Files, f.Path) || slices.ContainsFunc(regions, func(r anvil.Region) bool { return r.Path == f.Path })
	})
	o.files = over.Files
	o.about.Files = append(o.about.Files, over.Files...)
	slices.SortFunc(o.about.Files, func(a, b stone.File) int { return strings.Compare(a.Path, b.Path) })
	return o, nil
}

// near returns a dimension without far levels.
func near(d stone.DimensionInfo) stone.DimensionInfo {
	d.Volumes = slices.Clone(d.Volumes)
	for i := range d.Volumes {
		d.Volumes[i].Levels = []int{0}
	}
	return d
}

func hasFile(files []stone.File, path string) bool {
	return slices.ContainsFunc(files, func(f stone.File) bool { return f.Path == path })
}

// overlay is a world with a part of another put over it.
type overlay struct {
	base, part stone.Content
	about      stone.About
	files      []stone.File         // of the part
	dims       map[string]*overlaid // by name
}

// regionEdge is the edge of a region in columns.
const regionEdge = 32

// regionPos is a position in regions.
type regionPos struct{ x, z int32 }

// overlaid is a dimension of an overlay.
type overlaid struct {
	base, part bool                   // who has the dimension
	regions    map[regionPos][]string // the parts of columns that region files have; if both have it
	volumes    map[string]*overlaidVolume
}

// overlaidVolume is a volume of a dimension that both have.
type overlaidVolume struct {
	base, part bool
	perRegion  int          // chunks along the edge of a region
	table      []voxel.Cell // cells of the overlay by cells of the part; nil for a volume without a palette
}

// add adds the volumes of the part to those of the base.
func (d *overlaid) add(to *stone.DimensionInfo, from stone.DimensionInfo) error {
	for _, v := range to.Volumes {
		d.volumes[v.Volume.Name] = &overlaidVolume{base: true}
	}
	for _, v := range from.Volumes {
		have := d.volumes[v.Volume.Name]
		if have == nil {
			to.Volumes = append(to.Volumes, v)
			d.volumes[v.Volume.Name] = &overlaidVolume{part: true}
			continue
		}
		i := slices.IndexFunc(to.Volumes, func(t stone.VolumeInfo) bool { return t.Volume.Name == v.Volume.Name })
		have.part, have.perRegion = true, regionEdge*geom.ColumnEdge/(geom.ChunkEdge*max(1, v.Scale))
		if to.Volumes[i].Volume != v.Volume || have.perRegion == 0 {
			return fmt.Errorf("port: volume %q of %s is of another kind: %w", v.Volume.Name, to.Name, ErrHolds)
		}
		if v.Schema != voxel.Palette {
			continue
		}
		names, _, table, err := diff.Names(to.Volumes[i].Names, v.Names)
		if err != nil {
			return fmt.Errorf("port: volume %q of %s: %w: %w", v.Volume.Name, to.Name, err, ErrHolds)
		}
		to.Volumes[i].Names, have.table = names, table
	}
	return nil
}

// ofPart reports whether a chunk comes from the part.
func (o *overlay) ofPart(dim, vol string, pos geom.ChunkPos) bool {
	d := o.dims[dim]
	if !d.base || !d.part {
		return d.part
	}
	v := d.volumes[vol]
	if v == nil || !v.base || !v.part {
		return v != nil && v.part
	}
	at := regionPos{int32(geom.FloorDiv(int(pos.X), v.perRegion)), int32(geom.FloorDiv(int(pos.Z), v.perRegion))}
	return slices.Contains(d.regions[at], voxel.PartChunk)
}

func (o *overlay) About() stone.About { return o.about }

func (o *overlay) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	type entry struct {
		pos   geom.ChunkPos
		holds bool
	}
	return func(yield func(geom.ChunkPos, bool) bool) {
		if o.dims[dim] == nil || level != 0 {
			return
		}
		var all []entry
		for i, c := range []stone.Content{o.base, o.part} {
			for pos, holds := range c.Entries(dim, vol, 0) {
				if o.ofPart(dim, vol, pos) == (i == 1) {
					all = append(all, entry{pos, holds})
				}
			}
		}
		slices.SortFunc(all, func(a, b entry) int { return geom.CodeOf(a.pos, 0).Compare(geom.CodeOf(b.pos, 0)) })
		for _, e := range all {
			if !yield(e.pos, e.holds) {
				return
			}
		}
	}
}

func (o *overlay) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if o.dims[dim] == nil || level != 0 {
		return nil
	}
	for len(want) > 0 {
		ofPart, n := o.ofPart(dim, vol, want[0]), 1
		for n < len(want) && o.ofPart(dim, vol, want[n]) == ofPart {
			n++
		}
		from, read := o.base, f
		if ofPart {
			from = o.part
			if v := o.dims[dim].volumes[vol]; v != nil && v.table != nil {
				read = func(pos geom.ChunkPos, c *voxel.Chunk) error {
					if c != nil {
						c = c.Translate(v.table)
					}
					return f(pos, c)
				}
			}
		}
		if err := from.ReadChunks(ctx, dim, vol, 0, want[:n], read); err != nil {
			return err
		}
		want = want[n:]
	}
	return nil
}

func (o *overlay) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	d := o.dims[dim]
	switch {
	case d == nil || !d.part:
		return o.base.ReadColumns(ctx, dim)
	case !d.base:
		return o.part.ReadColumns(ctx, dim)
	}
	return func(yield func(*voxel.Column, error) bool) {
		next, stop := iter.Pull2(o.part.ReadColumns(ctx, dim))
		defer stop()
		over, failed, more := next()
		// patched yields two columns as one; one of them may be nil.
		patched := func(base, part *voxel.Column, pos geom.ColumnPos) bool {
			c, err := anvil.Patch(base, part, d.regions[regionPos{pos.X >> 5, pos.Z >> 5}])
			return err == nil && c == nil || yield(c, err) && err == nil
		}
		for base, err := range o.base.ReadColumns(ctx, dim) {
			for err == nil && failed == nil && more && over.Pos.Compare(base.Pos) < 0 {
				if !patched(nil, over, over.Pos) {
					return
				}
				over, failed, more = next()
			}
			if err = cmp.Or(err, failed); err != nil {
				yield(nil, err)
				return
			}
			var part *voxel.Column
			if more && over.Pos == base.Pos {
				part = over
			}
			if !patched(base, part, base.Pos) {
				return
			}
			if part != nil {
				over, failed, more = next()
			}
		}
		for ; more; over, failed, more = next() {
			if failed != nil {
				yield(nil, failed)
				return
			}
			if !patched(nil, over, over.Pos) {
				return
			}
		}
	}
}

func (o *overlay) OpenFile(path string) (io.ReadCloser, error) {
	if hasFile(o.files, path) {
		return o.part.OpenFile(path)
	}
	return o.base.OpenFile(path)
}
