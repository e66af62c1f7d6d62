package port

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Touching returns a world reduced to one dimension, the first if the name is empty, and to the columns that a region
// touches, at all heights. through leaves out the columns beside them whose chunks had to be read too. It fails
// with a *inspect.DimensionError.
func Touching(w stone.Content, dimension string, r region.Region) (_ stone.Content, through Through, err error) {
	e := &inspect.DimensionError{Want: dimension}
	var chosen []stone.DimensionInfo
	for _, d := range w.About().Dimensions {
		e.Have = append(e.Have, d.Name)
		if len(chosen) == 0 && (dimension == "" || d.Name == dimension) {
			chosen = append(chosen, d)
		}
	}
	if len(chosen) == 0 {
		return nil, nil, e
	}
	single, _ := w.(columnReader)
	box, all := r.Bounds(), geom.Root.Box()
	box.Min.Y, box.Max.Y = all.Min.Y, all.Max.Y
	touched := func(*format.Dimension) func(*format.Column) bool {
		return func(c *format.Column) bool { return region.CoverOf(r, format.ColumnBox(c.Pos)) != 0 }
	}
	through = func(to format.Sink) format.Sink { return &convert.Filter{Sink: to, Hold: touched} }
	return within{picked{w, chosen}, box, single}, through, nil
}

// Columns is Touching without the world's files.
func Columns(w stone.Content, dimension string, r region.Region) (stone.Content, Through, error) {
	w, touched, err := Touching(w, dimension, r)
	return w, func(to format.Sink) format.Sink {
		return touched(&convert.Filter{Sink: to, Keep: func(string) bool { return false }})
	}, err
}

// within is a world reduced to the chunks and columns that a box of blocks touches.
type within struct {
	stone.Content
	box    geom.Box
	single columnReader // nil if the world cannot read single columns
}

// scaled returns the box in cells of a volume.
func (w within) scaled(dim, vol string) geom.Box {
	for _, d := range w.About().Dimensions {
		for _, v := range d.Volumes {
			if d.Name == dim && v.Volume.Name == vol {
				return w.box.Over(max(1, v.Scale))
			}
		}
	}
	return w.box
}

func (w within) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	box := w.scaled(dim, vol)
	return func(yield func(geom.ChunkPos, bool) bool) {
		for pos, holds := range w.Content.Entries(dim, vol, level) {
			if level == 0 && pos.Box().Intersect(box).Empty() {
				continue
			}
			if !yield(pos, holds) {
				return
			}
		}
	}
}

func (w within) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	box := w.scaled(dim, vol)
	want = slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return level == 0 && pos.Box().Intersect(box).Empty() })
	return w.Content.ReadChunks(ctx, dim, vol, level, want, f)
}

// columnReader is a Snapshot: it reads single columns.
type columnReader interface {
	ReadColumn(ctx context.Context, dim string, pos geom.ColumnPos) (*voxel.Column, error)
	ColumnCount(dim string) int
}

// maxColumns bounds the columns of a box that are looked up one by one.
const maxColumns = 1 << 14

// columns returns the columns of the box in ascending order, or nil if there are too many.
func (w within) columns() (at []geom.ColumnPos) {
	for z := w.box.Min.Z >> 4; z <= (w.box.Max.Z-1)>>4; z++ {
		for x := w.box.Min.X >> 4; x <= (w.box.Max.X-1)>>4; x++ {
			if at = append(at, geom.ColumnPos{X: int32(x), Z: int32(z)}); len(at) > maxColumns {
				return nil
			}
		}
	}
	slices.SortFunc(at, geom.ColumnPos.Compare)
	return at
}

func (w within) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		if s := w.single; s != nil {
			if at := w.columns(); at != nil && len(at) < s.ColumnCount(dim) {
				for _, pos := range at {
					c, err := s.ReadColumn(ctx, dim, pos)
					if errors.Is(err, fs.ErrNotExist) {
						continue // a stone's word for nil
					}
					if (c != nil || err != nil) && !yield(c, err) || err != nil {
						return
					}
				}
				return
			}
		}
		for c, err := range w.Content.ReadColumns(ctx, dim) {
			if err == nil {
				corner := c.Pos.Min(w.box.Min.Y)
				if (geom.Box{Min: corner, Max: corner.Add(geom.Point{X: geom.ColumnEdge, Y: 1, Z: geom.ColumnEdge})}).Intersect(w.box).Empty() {
					continue
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
