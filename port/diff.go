package port

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Diff says how two versions differ. Of two of one world it reads only what
// differs. Neither may take more than maxBytes of memory (convert.ErrTooLarge); 0 is
// no bound.
func Diff(ctx context.Context, a, b Version, maxBytes int64) (*convert.Difference, error) {
	for _, v := range []Version{a, b} {
		if err := v.weigh(ctx, maxBytes); err != nil {
			return nil, err
		}
	}
	if a.Store == b.Store && a.Name == b.Name {
		if d, err := diffKept(ctx, a, b); d != nil || err != nil {
			return d, err
		}
	}
	first, err := a.Load(ctx, maxBytes)
	if err != nil {
		return nil, err
	}
	second, err := b.Load(ctx, maxBytes)
	if err != nil {
		return nil, err
	}
	return convert.Diff(first, second, EqualTags)
}

// EqualTags is how convert.Diff compares what NBT means: the order of a compound's
// tags does not count.
func EqualTags(kind string, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	if kind == "tags" {
		a, b = document(a), document(b)
	}
	_, same := nbt.Equal(a, b)
	return same
}

// document makes a document of the payload of a compound.
func document(payload []byte) []byte {
	return append(nbt.AppendCompound(make([]byte, 0, len(payload)+3), ""), payload...)
}

// diffKept compares two versions of one world. It returns nil if they are not
// alike enough.
func diffKept(ctx context.Context, a, b Version) (_ *convert.Difference, err error) {
	var versions [2]*world.World
	for i, v := range []Version{a, b} {
		if versions[i], err = v.open(ctx); err != nil {
			return nil, err
		}
		defer versions[i].Close()
	}
	if !alike(versions[0].View(), versions[1].View()) {
		return nil, nil
	}
	where, err := versions[1].Diff(ctx, versions[0].Head(), versions[1].Head())
	if err != nil {
		return nil, err
	}
	var parts [2]*convert.World
	for i, w := range versions {
		if parts[i], err = partOf(ctx, w, where); err != nil {
			return nil, err
		}
	}
	return convert.Diff(parts[0], parts[1], EqualTags)
}

// alike reports whether cells that neither view has in a chunk are the same in both,
// and whether materials have the same numbers.
func alike(a, b *world.View) bool {
	for _, d := range a.Dimensions() {
		e := b.Dimension(d.Name())
		if e == nil {
			continue
		}
		for _, v := range d.Volumes() {
			u := e.Volume(v.Name)
			if u == nil {
				continue
			}
			n := min(len(v.Names()), len(u.Names()))
			switch {
			case v.Volume != u.Volume, v.CellName(v.Volume.Default) != u.CellName(u.Volume.Default):
				return false
			case v.Volume.Schema != voxel.Palette && !slices.Equal(v.Names()[:n], u.Names()[:n]):
				return false
			}
		}
	}
	return true
}

// partOf reads what of w is where.
func partOf(ctx context.Context, w *world.World, where *world.Difference) (*convert.World, error) {
	p := &convert.World{Head: convert.HeadOf(w.View().Properties())}
	for _, d := range w.View().Dimensions() {
		part := &convert.Dimension{Name: d.Name(), Folder: d.Folder()}
		p.Dimensions = append(p.Dimensions, part)
		for _, v := range d.Volumes() {
			part.Volumes = append(part.Volumes, &convert.Volume{Volume: v.Volume, Names: v.Names(), Chunks: map[geom.ChunkPos]*voxel.Chunk{}})
		}
		for _, at := range where.Volumes {
			if v := part.Volume(at.Volume); v != nil && at.Dimension == d.Name() {
				if err := loadChunks(ctx, w, at, v); err != nil {
					return nil, err
				}
			}
		}
		if err := loadColumns(ctx, w, where.Columns, part); err != nil {
			return nil, err
		}
	}
	for _, f := range w.View().Files() {
		if _, differs := slices.BinarySearch(where.Files, f.Path); differs {
			p.Files = append(p.Files, format.File{Path: f.Path, Size: f.Size, Open: func() (io.ReadCloser, error) { return w.OpenFile(f.Path) }})
		}
	}
	return p, nil
}

// loadChunks reads chunks of a volume.
func loadChunks(ctx context.Context, w *world.World, at world.VolumeDifference, to *convert.Volume) error {
	page := func(c world.ChunkDifference) geom.ChunkPos {
		return geom.ChunkPos{X: c.Pos.X >> 2, Y: c.Pos.Y >> 2, Z: c.Pos.Z >> 2}
	}
	for chunks := range runs(at.Chunks, page) { // in ascending order of code, so those of a page are together
		var box geom.Box
		for _, c := range chunks {
			box = box.Union(scaled(c.Pos.Box(), to.Scale))
		}
		held, err := w.Load(ctx, at.Dimension, box, at.Volume)
		if err != nil {
			return err
		}
		v := w.View().Dimension(at.Dimension).Volume(at.Volume)
		for _, c := range chunks {
			if chunk, _ := v.Chunk(c.Pos); chunk != nil {
				to.Chunks[c.Pos] = chunk
			}
		}
		held.Release()
	}
	return nil
}

func scaled(b geom.Box, scale int) geom.Box {
	mul := func(p geom.Point) geom.Point { return geom.Point{X: p.X * scale, Y: p.Y * scale, Z: p.Z * scale} }
	return geom.Box{Min: mul(b.Min), Max: mul(b.Max)}
}

// loadColumns reads those columns that are of a dimension.
func loadColumns(ctx context.Context, w *world.World, at []world.ColumnDifference, to *convert.Dimension) error {
	at = slices.DeleteFunc(slices.Clone(at), func(c world.ColumnDifference) bool { return c.Dimension != to.Name })
	page := func(c world.ColumnDifference) geom.ColumnPos { return geom.ColumnPos{X: c.Pos.X >> 3, Z: c.Pos.Z >> 3} }
	slices.SortFunc(at, func(a, b world.ColumnDifference) int { return page(a).Compare(page(b)) })
	for columns := range runs(at, page) {
		var box geom.Box
		for _, c := range columns {
			low := c.Pos.Min(0)
			box = box.Union(geom.Box{Min: low, Max: low.Add(geom.Point{X: geom.ColumnEdge, Y: 1, Z: geom.ColumnEdge})})
		}
		held, err := w.Load(ctx, to.Name, box, world.Columns)
		if err != nil {
			return err
		}
		d := w.View().Dimension(to.Name)
		for _, c := range columns {
			if column, _ := d.Column(c.Pos); column != nil {
				to.Columns = append(to.Columns, *column)
			}
		}
		held.Release()
	}
	slices.SortFunc(to.Columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	return nil
}

// runs yields what stands together in a list and has one key.
func runs[T any, K comparable](list []T, key func(T) K) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && key(list[n]) == key(list[0]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}
