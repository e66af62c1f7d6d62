package arena

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// DiffOptions limit a comparison. The zero value compares the whole Area of the snapshot.
type DiffOptions struct {
	Area     // compare only cells within it
	Cache    stone.PageCache
	MaxBytes int64 // as diff.Worlds takes it
}

// Difference is how two worlds differ. Same reports whether they do not.
type Difference = diff.Difference

// Diff returns how the newest version of the snapshot's world differs from the snapshot. With a
// region or a mask, light, height maps, files and properties do not count, nor does anything outside.
// Of a column that a region cuts, only objects count. With a mask of names, biomes do not count, and of
// columns only the objects in cells that the mask admits.
func (s *Snapshot) Diff(ctx context.Context, st history.Store, o DiffOptions) (*Difference, error) {
	what, err := o.Area.Within(s.Area)
	if err != nil {
		return nil, err
	}
	w, err := world.Open(ctx, st, s.World, world.Options{Cache: o.Cache})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	now, err := w.Snapshot()
	if err != nil {
		return nil, err
	}
	defer now.Close()
	was, err := world.OpenSnapshot(ctx, st, s.Stored(), s.Commit.ID(), world.Options{Cache: o.Cache})
	if err != nil {
		return nil, err
	}
	defer was.Close()
	if what == (Area{}) {
		return diff.Worlds(ctx, now, was, diff.Options{MaxBytes: o.MaxBytes})
	}
	in, err := what.find(ctx, st, w, volumesOf(was)...)
	if err != nil {
		return nil, err
	}
	if in.in == nil {
		in.in = world.Everywhere
	}
	return diff.Worlds(ctx, now, was, diff.Options{MaxBytes: o.MaxBytes, Limit: func(a, b stone.Content) (stone.Content, stone.Content) {
		return &limited{a, a, in}, &limited{b, a, in}
	}})
}

// limited is the part of a world in an area. All else is the default.
type limited struct {
	stone.Content
	now stone.Content // the cells that masks test
	*area
}

// About describes the part of the world.
func (l *limited) About() stone.About {
	about := stone.About{}
	for _, d := range l.Content.About().Dimensions {
		if !slices.Contains(l.dimensions, d.Name) {
			continue
		}
		d.Volumes = slices.Clone(d.Volumes)
		d.Volumes = slices.DeleteFunc(d.Volumes, func(v stone.VolumeInfo) bool {
			return v.Volume.Name == voxel.Sky || v.Volume.Name == voxel.Light || v.Volume.Name == voxel.Biome && l.masked()
		})
		about.Dimensions = append(about.Dimensions, d)
	}
	return about
}

func (l *limited) volume(dim, vol string) stone.VolumeInfo {
	for _, d := range l.Content.About().Dimensions {
		for _, v := range d.Volumes {
			if d.Name == dim && v.Volume.Name == vol {
				return v
			}
		}
	}
	return stone.VolumeInfo{Volume: voxel.Volume{Name: vol, Scale: 1}}
}

// Entries yields the chunks that the region touches.
func (l *limited) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	in := masks.Scaled(l.in, l.volume(dim, vol).Scale)
	return func(yield func(geom.ChunkPos, bool) bool) {
		for pos, holds := range l.Content.Entries(dim, vol, level) {
			if region.CoverOf(in, pos.Box()) != 0 && !yield(pos, holds) {
				return
			}
		}
	}
}

// ReadChunks reads the cells that lie in the region and that the mask admits.
func (l *limited) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	v := l.volume(dim, vol)
	in := masks.Scaled(l.in, v.Scale)
	admits, now, err := l.admitted(ctx, dim, vol, want)
	if err != nil {
		return err
	}
	return l.Content.ReadChunks(ctx, dim, vol, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		cover := region.CoverOf(in, pos.Box())
		if c == nil || cover == region.Whole && admits == nil {
			return f(pos, c)
		}
		return f(pos, masks.Within(pos, in, admits, now[pos].Or(v.Default), c, voxel.Uniform(v.Default)))
	})
}

// admitted returns which cells the mask admits, nil for all, and the chunks to test; nil is the default.
func (l *limited) admitted(ctx context.Context, dim, vol string, want []geom.ChunkPos) ([]bool, map[geom.ChunkPos]*voxel.Chunk, error) {
	v := (&limited{l.now, l.now, l.area}).volume(dim, vol)
	admits := masks.Admitted(l.names, v.Schema, v.Names)
	if admits == nil || v.Schema != voxel.Palette || v.Scale != 1 {
		return nil, nil, nil
	}
	now := make(map[geom.ChunkPos]*voxel.Chunk, len(want))
	err := l.now.ReadChunks(ctx, dim, vol, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		now[pos] = c
		return nil
	})
	return admits, now, err
}

// ReadColumns yields the columns that the region touches, with the objects that lie in it.
func (l *limited) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	bounds := l.in.Bounds()
	return func(yield func(*voxel.Column, error) bool) {
		for c, err := range l.Content.ReadColumns(ctx, dim) {
			if err != nil {
				yield(nil, err)
				return
			}
			foot := geom.Box{Min: c.Pos.Min(bounds.Min.Y)}
			foot.Max = foot.Min.Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})
			foot.Max.Y = bounds.Max.Y
			cover := region.CoverOf(l.in, foot)
			if cover == 0 {
				continue
			}
			admits, err := l.objects(ctx, dim, c)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(l.column(c, cover == region.Whole && admits == nil, admits), nil) {
				return
			}
		}
	}
}

// objects returns the mask's test of the cells of objects, nil without a mask.
func (l *limited) objects(ctx context.Context, dim string, c *voxel.Column) (func(geom.Point) bool, error) {
	if !l.masked() {
		return nil, nil
	}
	at := make(map[geom.ChunkPos]bool)
	for _, list := range c.Lists {
		for _, o := range list.Objects {
			at[o.At.Chunk()] = true
		}
	}
	want := slices.SortedFunc(maps.Keys(at), func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	admits, now, err := l.admitted(ctx, dim, voxel.Block, want)
	return func(p geom.Point) bool { return admits != nil && admits[cellOf(now[p.Chunk()], 0, p)] }, err
}

func (l *limited) column(c *voxel.Column, whole bool, admits func(geom.Point) bool) *voxel.Column {
	out := *c
	out.Maps = nil
	if !whole {
		out = voxel.Column{Pos: c.Pos}
	}
	out.Lists = nil
	for _, list := range c.Lists {
		list.Objects = slices.Clone(list.Objects)
		list.Objects = slices.DeleteFunc(list.Objects, func(o voxel.Object) bool {
			return !(o.Place == voxel.Nowhere && whole || o.Place != voxel.Nowhere && l.in.Contains(o.At) && (admits == nil || admits(o.At)))
		})
		if len(list.Objects) > 0 {
			out.Lists = append(out.Lists, list)
		}
	}
	return &out
}
