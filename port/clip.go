package port

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/clip"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// Clip copies a region of a dimension, or all of it if the region is nil. An empty name is the
// dimension that has columns. Blocks of the region's bounds outside of the region are clip.Void.
// What a clip does not hold is in its Lost.
func Clip(ctx context.Context, w stone.Content, dimension string, r region.Region) (*clip.Clip, error) {
	lost := map[string]int{}
	w, err := Pick(ctx, w, dimension, Sponge, lost)
	if err != nil {
		return nil, err
	}
	if r != nil {
		w = within{w, r.Bounds()}
	}
	to := clip.NewCollector(r)
	if err := convert.Source(w).Read(ctx, to); err != nil {
		return nil, err
	}
	c, err := to.Clip()
	if err != nil {
		return nil, err
	}
	for name, n := range lost {
		c.Lost[name] += n
	}
	return c, nil
}

// ReadClip reads the schematic at path. Its format is found as Open does.
func ReadClip(ctx context.Context, path string, o Options) (*clip.Clip, error) {
	s, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if leaf, ok := s.leaf.(interface{ Clip() *clip.Clip }); ok {
		return leaf.Clip(), nil
	}
	w, err := s.Load(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Clip(ctx, w.Content(), "", nil)
}

// within is a world reduced to the chunks and columns that a box of blocks touches.
type within struct {
	stone.Content
	box geom.Box
}

// scaled returns the box in cells of a volume.
func (w within) scaled(dim, vol string) geom.Box {
	b, about := w.box, w.About()
	for _, d := range about.Dimensions {
		for _, v := range d.Volumes {
			if d.Name == dim && v.Volume.Name == vol && v.Scale > 1 {
				for _, p := range []*int{&b.Min.X, &b.Min.Y, &b.Min.Z} {
					*p = geom.FloorDiv(*p, v.Scale)
				}
				for _, p := range []*int{&b.Max.X, &b.Max.Y, &b.Max.Z} {
					*p = geom.FloorDiv(*p+v.Scale-1, v.Scale)
				}
			}
		}
	}
	return b
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

func (w within) Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range w.Content.Columns(ctx, dim) {
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
