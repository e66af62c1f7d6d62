package undo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// step is what one or more updates replaced. It is immutable.
type step struct {
	name    string
	seq     uint64
	volumes []volume // sorted
	columns []column // sorted
	unknown int      // replaced chunks and columns that were not loaded
	relit   bool     // stale light was computed
	bytes   int
}

type volume struct {
	dimension, volume string
	schema            voxel.Schema
	scale             int
	names             []string // what the cells index; nil: as in the World
	chunks            []cells  // in ascending order of code
}

// alike reports whether a cell that two lists of names have is the same in both.
func alike(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// join returns v and a later replacement in the same volume as one. If the World has gone back
// in between and made the volume in another way, nobody can take v back.
func (v volume) join(w volume) volume {
	switch {
	case v.schema != w.schema || v.scale != w.scale:
		return w
	case alike(v.names, w.names):
		if len(v.names) < len(w.names) {
			v.names = w.names
		}
	default:
		names, table, err := union(v.names, w.names)
		if v.schema != voxel.Palette || err != nil {
			return w
		}
		v.names, w.chunks = names, slices.Clone(w.chunks)
		for i := range w.chunks {
			c := &w.chunks[i]
			p := c.decode(v.schema)
			translate(p.old, table)
			translate(p.new, table)
			*c, _ = p.encode(c.pos, c.corner, c.edge, v.schema)
		}
	}
	v.chunks = merge(v.chunks, w.chunks, compareCells, func(c, d cells) (cells, bool) { return c.join(&d, v.schema) })
	return v
}

// newStep returns what can be taken back of a change. v is a view of the changed world. newStep
// fails when ctx ends.
func newStep(ctx context.Context, v *world.View, name string, change *world.Change) (*step, error) {
	s := &step{name: name}
	blocks := make(map[footprint]bool)
	for _, c := range change.Volumes {
		in := viewOf(v, c.Dimension, c.Volume)
		if in == nil {
			s.unknown += len(c.Chunks)
			continue
		}
		filler := voxel.Uniform(in.Default())
		out := volume{dimension: c.Dimension, volume: c.Volume, schema: in.Schema, scale: in.Scale, names: c.Names}
		filled := make(map[[2]voxel.Cell]cells) // changes from one uniform chunk to another
		for _, r := range c.Chunks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if c.Volume == voxel.Block {
				blocks[footprint{c.Dimension, r.Pos.X, r.Pos.Z}] = true
			}
			if r.Unknown {
				s.unknown++
				continue
			}
			old, new := cmp.Or(r.Old, filler), cmp.Or(r.New, filler)
			was, one := old.Uniform()
			is, also := new.Uniform()
			both := [2]voxel.Cell{was, is}
			if c, ok := filled[both]; ok && one && also {
				c.pos = r.Pos
				out.chunks = append(out.chunks, c)
				continue
			}
			if c, ok := replaced(r.Pos, old, new, in.Schema); ok {
				out.chunks = append(out.chunks, c)
				if one && also {
					filled[both] = c
				}
			}
		}
		s.addVolume(out)
	}
	for _, c := range change.Columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.addColumn(c, blocks[footprintOf(c.Dimension, c.Pos)])
	}
	return s.finish(), nil
}

// viewOf returns a volume, or nil: the world may have gone back to a time before the volume
// existed.
func viewOf(v *world.View, dimension, volume string) *world.Volume {
	if d := v.Dimension(dimension); d != nil {
		return d.Volume(volume)
	}
	return nil
}

// footprint is the x and z of a chunk. If blocks of a footprint changed, the maps of its
// columns are derived from them.
type footprint struct {
	dimension string
	x, z      int32
}

func footprintOf(dimension string, pos geom.ColumnPos) footprint {
	c := pos.Chunk(0)
	return footprint{dimension, c.X, c.Z}
}

func (s *step) addVolume(v volume) {
	if len(v.chunks) > 0 {
		s.volumes = append(s.volumes, v)
	}
}

func (s *step) addColumn(c world.ColumnChange, derived bool) {
	if c.Unknown {
		s.unknown++
		return
	}
	if c.Old != nil && c.New != nil && c.Old.Stale&^c.New.Stale != 0 {
		s.relit = true
	}
	if one, ok := replacedColumn(c, derived); ok {
		s.columns = append(s.columns, one)
	}
}

// finish sorts the step and counts its bytes.
func (s *step) finish() *step {
	slices.SortStableFunc(s.volumes, compareVolumes)
	slices.SortStableFunc(s.columns, compareColumns)
	s.bytes = 128
	for _, v := range s.volumes {
		s.bytes += 96
		for i := range v.chunks {
			s.bytes += v.chunks[i].bytes()
		}
	}
	for i := range s.columns {
		s.bytes += s.columns[i].bytes()
	}
	return s
}

func (s *step) empty() bool { return len(s.volumes)+len(s.columns)+s.unknown == 0 }

// join returns s and the next step as one.
func (s *step) join(t *step) *step {
	out := &step{unknown: s.unknown + t.unknown}
	out.volumes = merge(s.volumes, t.volumes, compareVolumes, func(v, w volume) (volume, bool) {
		v = v.join(w)
		return v, len(v.chunks) > 0
	})
	out.columns = merge(s.columns, t.columns, compareColumns, func(c, d column) (column, bool) {
		c = c.join(d)
		return c, c.own || len(c.lists) > 0
	})
	return out.finish()
}

// merge merges two sorted lists. It joins equal elements, and leaves them out if join returns
// false.
func merge[T any](a, b []T, compare func(T, T) int, join func(T, T) (T, bool)) []T {
	out := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			if one, ok := join(a[0], b[0]); ok {
				out = append(out, one)
			}
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func compareVolumes(v, w volume) int {
	return cmp.Or(strings.Compare(v.dimension, w.dimension), strings.Compare(v.volume, w.volume))
}

func compareCells(c, d cells) int {
	return geom.CodeOf(c.pos, 0).Compare(geom.CodeOf(d.pos, 0))
}

func compareColumns(c, d column) int {
	return cmp.Or(strings.Compare(c.dimension, d.dimension), c.pos.Compare(d.pos))
}
