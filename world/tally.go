package world

import (
	"context"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Tally counts what a dimension holds. Where the lowest stone says what it holds, as
// imports and full packs do, Tally reads what the stones above replaced; else it reads
// everything.
func (s *Snapshot) Tally(ctx context.Context, dim string) (*stone.Tally, error) {
	i := s.about.dimension(dim)
	if i < 0 || len(s.stack) == 0 {
		return stone.NewTally(), nil
	}
	d := s.about.dimensions[i]
	base := s.stack[0].Tally(dim)
	if base == nil {
		return whole.Tally(ctx, s, s.dimension(d))
	}
	if err := s.recount(ctx, d, base); err != nil {
		return nil, err
	}
	return base, nil
}

// recount makes t, which is of the lowest stone, one of the whole stack.
func (s *Snapshot) recount(ctx context.Context, d *dimension, t *stone.Tally) error {
	changed := new(dirty)
	for _, l := range s.stack[1:] {
		l.addEntries(changed)
	}
	for _, v := range d.volumes {
		name := volumeName{d.name, v.Name}
		at := slices.SortedFunc(maps.Keys(changed.chunks[name]), byCode)
		for n, stack := range map[int]openStack{-1: s.stack[:1], 1: s.stack} {
			err := stack.chunks(ctx, name, at, func(_ geom.ChunkPos, c *voxel.Chunk) error {
				t.Chunk(v.Name, c, n)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	columns := slices.SortedFunc(maps.Keys(changed.columns[d.name]), byTower)
	for n, stack := range map[int]openStack{-1: s.stack[:1], 1: s.stack} {
		r := stack.columnReader(ctx, d.name, d.lists)
		for _, pos := range columns {
			c, err := r.Column(pos)
			if err != nil {
				return err
			}
			if c != nil {
				t.Column(c, n)
			}
		}
	}
	return ctx.Err()
}
