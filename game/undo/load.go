package undo

import (
	"context"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// tickets hold in memory what was loaded for a step.
type tickets []*world.Held

func (t tickets) release() {
	for _, h := range t {
		h.Release()
	}
}

// load loads what the step needs and the world has.
func (s *step) load(ctx context.Context, w *world.World) (t tickets, err error) {
	type in struct{ dimension, volume string }
	need := make(map[in]map[geom.Code]bool)
	add := func(dimension, volume string, pos geom.ChunkPos) {
		if need[in{dimension, volume}] == nil {
			need[in{dimension, volume}] = make(map[geom.Code]bool)
		}
		need[in{dimension, volume}][geom.CodeOf(pos, 0)] = true
	}
	for _, u := range s.updates {
		for _, v := range u.volumes {
			for i := range v.chunks {
				add(v.dimension, v.volume, v.chunks[i].pos)
			}
		}
		for _, c := range u.columns {
			add(c.dimension, world.Columns, c.pos.Chunk(0))
		}
	}
	for in, codes := range need {
		scale := 1
		if in.volume != world.Columns {
			v := viewOf(w.View(), in.dimension, in.volume)
			if v == nil {
				continue
			}
			scale = v.Scale
		} else if w.View().Dimension(in.dimension) == nil {
			continue
		}
		var all boxes
		for _, code := range slices.Sorted(maps.Keys(codes)) {
			all.add(code.Box())
		}
		for _, b := range all {
			h, err := w.Load(ctx, in.dimension, b.Scale(scale), with(in.volume)...)
			if err != nil {
				return t, err
			}
			t = append(t, h)
		}
	}
	return t, nil
}

// with returns what to load for a change of a volume. Columns are derived from blocks.
func with(volume string) []string {
	if volume == voxel.Block {
		return []string{volume, world.Columns}
	}
	return []string{volume}
}

// boxes is a list in which no two neighbours form one box. Chunks in the order of codes join to
// cubes.
type boxes []geom.Box

func (b *boxes) add(c geom.Box) {
	for list := *b; len(list) > 0; list = list[:len(list)-1] {
		last := list[len(list)-1]
		both := last.Union(c)
		if both.Cells() != last.Cells()+c.Cells() {
			break
		}
		c, *b = both, list[:len(list)-1]
	}
	*b = append(*b, c)
}
