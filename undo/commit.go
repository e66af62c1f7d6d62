package undo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Revert takes back, in one update, what a commit in the log of w changed. As History.Undo, it
// restores only what w still holds as the commit wrote it. It does I/O to read the commit and
// its parent. The caller commits the result. Files and properties stay as they are.
//
// Derived light is restored too if the commit is the head and nothing was changed since.
// Otherwise it is marked stale. If the commit changed light and no blocks, Revert leaves the
// light alone and reports it.
func Revert(ctx context.Context, w *world.World, id history.ID) (Report, error) {
	r, err := revert(ctx, w, id)
	if err != nil {
		return Report{}, fmt.Errorf("undo: revert of commit %v: %w", id, err)
	}
	return r, nil
}

func revert(ctx context.Context, w *world.World, id history.ID) (Report, error) {
	c, err := find(ctx, w, id)
	if err != nil {
		return Report{}, err
	}
	s, err := stepOf(ctx, w, c)
	if err != nil {
		return Report{}, err
	}
	return s.takeBack(ctx, w, id)
}

// find returns a commit of the log.
func find(ctx context.Context, w *world.World, id history.ID) (history.Commit, error) {
	for n := 64; ; n *= 4 {
		log, err := w.Log(ctx, n)
		if err != nil {
			return history.Commit{}, err
		}
		for _, c := range log {
			if c.ID() == id {
				return c, nil
			}
		}
		if len(log) < n {
			return history.Commit{}, history.ErrNoCommit
		}
	}
}

// reading is a commit and its parent, opened for comparison.
type reading struct {
	ctx      context.Context
	old, new *world.World
}

// stepOf returns what the commit replaced.
func stepOf(ctx context.Context, w *world.World, c history.Commit) (*step, error) {
	diff, err := w.Diff(ctx, c.Parent, c.ID())
	if err != nil {
		return nil, err
	}
	old, err := w.At(ctx, c.Parent)
	if err != nil {
		return nil, fmt.Errorf("its parent: %w", err)
	}
	defer old.Close()
	new, err := w.At(ctx, c.ID())
	if err != nil {
		return nil, err
	}
	defer new.Close()
	r := reading{ctx, old, new}
	s := &step{name: c.Message}
	for _, v := range diff.Volumes {
		out, err := r.volume(v)
		if err != nil {
			return nil, err
		}
		s.addVolume(out)
	}
	blocks := footprintsOf(diff)
	for _, d := range diff.Columns {
		change, err := r.column(d)
		if err != nil {
			return nil, err
		}
		s.addColumn(change, blocks[footprintOf(d.Dimension, d.Pos)])
	}
	return s.finish(), nil
}

// footprintsOf returns the footprints in which blocks differ.
func footprintsOf(diff *world.Difference) map[footprint]bool {
	out := make(map[footprint]bool)
	for _, v := range diff.Volumes {
		if v.Volume == voxel.Block {
			for _, c := range v.Chunks {
				out[footprint{v.Dimension, c.Pos.X, c.Pos.Z}] = true
			}
		}
	}
	return out
}

// batch is the number of chunks in memory at a time.
const batch = 64

// volume returns the difference of a volume. Its cells index the names of both commits.
func (r *reading) volume(d world.VolumeDifference) (volume, error) {
	old, new := viewOf(r.old.View(), d.Dimension, d.Volume), viewOf(r.new.View(), d.Dimension, d.Volume)
	is := cmp.Or(new, old).Volume
	out := volume{dimension: d.Dimension, volume: d.Volume, schema: is.Schema}
	var table []voxel.Cell // translates cells of new
	if is.Schema == voxel.Palette {
		var err error
		if out.names, table, err = union(old, new); err != nil {
			return volume{}, err
		}
	}
	for some := range slices.Chunk(d.Chunks, batch) {
		before, err := r.chunks(r.old, d, is, some)
		if err != nil {
			return volume{}, err
		}
		after, err := r.chunks(r.new, d, is, some)
		if err != nil {
			return volume{}, err
		}
		for i, c := range some {
			if table != nil {
				after[i] = after[i].Translate(table)
			}
			if one, ok := replaced(c.Pos, before[i], after[i], is.Schema); ok {
				out.chunks = append(out.chunks, one)
			}
		}
	}
	return out, nil
}

// union returns the names of two volumes in one list, and a table that translates the cells of
// the second. One volume may be nil.
func union(old, new *world.Volume) (names []string, table []voxel.Cell, err error) {
	index := make(map[string]voxel.Cell)
	add := func(name string) voxel.Cell {
		c, ok := index[name]
		if !ok {
			c = voxel.Cell(len(names))
			index[name] = c
			names = append(names, name)
		}
		return c
	}
	if old != nil {
		for _, name := range old.Names() {
			add(name)
		}
	}
	if new != nil {
		for _, name := range new.Names() {
			table = append(table, add(name))
		}
	}
	if len(names) > int(voxel.MaxCell)+1 {
		return nil, nil, fmt.Errorf("%d names: a volume has at most %d", len(names), int(voxel.MaxCell)+1)
	}
	return names, table, nil
}

// chunks reads some chunks of one side. A missing chunk is the default.
func (r *reading) chunks(w *world.World, d world.VolumeDifference, is voxel.Volume, at []world.ChunkDifference) ([]*voxel.Chunk, error) {
	var in boxes
	for _, c := range at {
		in.add(c.Pos.Box())
	}
	var t tickets
	defer func() { t.release() }()
	if err := t.load(r.ctx, w, d.Dimension, d.Volume, in); err != nil {
		return nil, err
	}
	filler := voxel.Uniform(is.Default)
	v := viewOf(w.View(), d.Dimension, d.Volume)
	out := make([]*voxel.Chunk, len(at))
	for i, c := range at {
		out[i] = filler
		if v == nil {
			continue
		}
		chunk, ok := v.Chunk(c.Pos)
		if !ok {
			return nil, fmt.Errorf("chunk %v of %q of %q: %w", c.Pos, d.Volume, d.Dimension, world.ErrNotLoaded)
		}
		out[i] = cmp.Or(chunk, filler)
	}
	return out, nil
}

// column reads a column of both sides.
func (r *reading) column(d world.ColumnDifference) (world.ColumnChange, error) {
	out := world.ColumnChange{Dimension: d.Dimension, Pos: d.Pos}
	var err error
	if out.Old, err = r.columnOf(r.old, d); err != nil {
		return out, err
	}
	out.New, err = r.columnOf(r.new, d)
	return out, err
}

func (r *reading) columnOf(w *world.World, d world.ColumnDifference) (*voxel.Column, error) {
	var t tickets
	defer func() { t.release() }()
	if err := t.load(r.ctx, w, d.Dimension, world.Columns, boxes{columnBox(d.Pos)}); err != nil {
		return nil, err
	}
	in := w.View().Dimension(d.Dimension)
	if in == nil {
		return nil, nil
	}
	c, ok := in.Column(d.Pos)
	if !ok {
		return nil, fmt.Errorf("column %v of %q: %w", d.Pos, d.Dimension, world.ErrNotLoaded)
	}
	return c, nil
}
