package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// pair is a chunk before and after an update of an operation.
type pair struct{ before, after *voxel.Chunk }

// replaced is what an operation replaced, update by update.
type replaced struct {
	chunks  map[string]map[geom.ChunkPos][]pair // by volume
	columns map[geom.ColumnPos][]world.ColumnChange
}

// add adds what an update of the operation replaced. Of columns that it did not make, an update of blocks
// replaced nothing but what blocks own.
func (r *replaced) add(a *Arena, c *world.Change, ofColumn bool) {
	if r.chunks == nil {
		r.chunks, r.columns = make(map[string]map[geom.ChunkPos][]pair), make(map[geom.ColumnPos][]world.ColumnChange)
	}
	for _, v := range c.Volumes {
		for _, p := range v.Chunks {
			r.addChunk(v.Volume, p.Pos, pair{p.Old.Or(v.Default), p.New.Or(v.Default)})
		}
	}
	for _, c := range c.Columns {
		owned := false
		for _, list := range takeback.Lists(c.Old, c.New) {
			was, is := c.Old.Objects(list), c.New.Objects(list)
			if voxel.Owner(list) == voxel.Block && !takeback.Same(was, is) {
				owned = true
				r.addOwners(a, append(takeback.Without(was, is), takeback.Without(is, was)...))
			}
		}
		if owned || ofColumn || c.Old == nil && !c.Unknown {
			r.columns[c.Pos] = append(r.columns[c.Pos], c)
		}
	}
}

func (r *replaced) addChunk(volume string, pos geom.ChunkPos, p pair) {
	if r.chunks[volume] == nil {
		r.chunks[volume] = make(map[geom.ChunkPos][]pair)
	}
	all := r.chunks[volume][pos]
	if n := len(all) - 1; n >= 0 && all[n].after == p.before { // nobody wrote between
		all[n].after = p.after
	} else {
		r.chunks[volume][pos] = append(all, p)
	}
}

// addOwners adds the blocks of objects, as far as they are in memory and the operation did not change them:
// what they own goes back only where they are still there.
func (r *replaced) addOwners(a *Arena, owned []voxel.Object) {
	v, err := a.volume(voxel.Block)
	if err != nil {
		return // it is gone, and there is nothing to give back
	}
	for _, o := range owned {
		at := o.At.Chunk()
		if c, ok := v.Chunk(at); ok && len(r.chunks[voxel.Block][at]) == 0 {
			c = c.Or(v.Default())
			r.addChunk(voxel.Block, at, pair{c, c})
		}
	}
}

// undo is the Task that takes back what an operation did, where it still is as that left it: its updates from
// the last one to the first.
type undo struct{ op *Operation }

func (u undo) prepare(_ context.Context, a *Arena) (*plan, error) {
	if !u.op.Ended() {
		return nil, errors.New("edit: undo: the operation has not ended")
	}
	i := slices.IndexFunc(u.op.runs, func(r *run) bool { return r.in != nil && r.in.World == a.World && r.in.Dimension == a.Dimension })
	if i < 0 {
		return nil, fmt.Errorf("edit: undo: the operation was not in %q of %s", a.Dimension, a.World.Name())
	}
	of := u.op.runs[i]
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	// Columns come first: their height maps then follow the blocks, and the light of these has not
	// added sections yet.
	r := &of.replaced
	var columns []columnPart
	for pos, all := range r.columns {
		columns = append(columns, columnPart{pos, func(now *voxel.Column) *voxel.Column {
			for _, c := range slices.Backward(all) {
				now = r.undoColumn(c, now)
			}
			return now
		}})
	}
	p := &plan{towers: columnTowers(columns), back: true}
	var lit []*tower
	for _, v := range d.Volumes() {
		if !of.knows(v.Volume.Name, v.Names()) {
			return nil, fmt.Errorf("edit: undo: the world went back, and volume %q has other names", v.Volume.Name)
		}
		var parts []part
		for pos, all := range r.chunks[v.Name] {
			p := part{pos: pos, change: func(now *voxel.Chunk) *voxel.Chunk {
				for _, c := range slices.Backward(all) {
					now = takeback.Cells(c.before, c.after, now, nil)
				}
				return now
			}}
			if v.Name == voxel.Block {
				p.objects = func(_ *part, in *objectsTx, _, is *voxel.Chunk, _ []bool) { r.giveBack(in, pos, all[0].before, is) }
			}
			parts = append(parts, p)
		}
		slices.SortFunc(parts, func(a, b part) int { return int(a.pos.Y) - int(b.pos.Y) })
		if towers := towersOf(v.Volume, parts); voxel.IsLight(v.Name) {
			lit = append(lit, towers...)
		} else {
			p.towers = append(p.towers, towers...)
		}
	}
	p.last = func() ([]*tower, error) { return lit, nil }
	return p, nil
}

// undoColumn returns a column as it is now without a change: each list, and the rest of the column, where
// it still is as the operation left it. It leaves what goes back with its blocks.
func (r *replaced) undoColumn(c world.ColumnChange, now *voxel.Column) *voxel.Column {
	switch {
	case now == nil && c.New == nil:
		return c.Old
	case now == nil || c.New == nil:
		return now
	}
	out := *now
	same := sameBeside(now, c.New)
	if same && c.Old != nil {
		out = *c.Old
		out.Stale, out.Maps, out.Lists = now.Stale, now.Maps, now.Lists
	}
	for _, name := range takeback.Lists(c.Old, c.New) {
		back, some, _ := takeback.Objects(name, c.Old.Objects(name), c.New.Objects(name), now.Objects(name), func(p geom.Point) bool {
			return voxel.Owner(name) == voxel.Block && len(r.chunks[voxel.Block][p.Chunk()]) > 0
		})
		if some {
			out.Lists = withList(out.Lists, name, back)
		}
	}
	if same && c.Old == nil && len(out.Lists) == 0 {
		return nil
	}
	return &out
}

// giveBack gives back the objects that the operation swapped in a chunk where the blocks are what
// they were before it.
func (r *replaced) giveBack(in *objectsTx, pos geom.ChunkPos, before, is *voxel.Chunk) {
	other := func(o voxel.Object) bool { return o.At.Chunk() != pos || cellAt(before, o.At) != cellAt(is, o.At) }
	for _, at := range pos.Columns() {
		for _, c := range slices.Backward(r.columns[at]) {
			for _, list := range takeback.Lists(c.Old, c.New) {
				if voxel.Owner(list) != voxel.Block {
					continue
				}
				was, left := c.Old.Objects(list), c.New.Objects(list)
				gone, came := slices.DeleteFunc(takeback.Without(was, left), other), slices.DeleteFunc(takeback.Without(left, was), other)
				in.change(list, at, 0, func(now []voxel.Object) []voxel.Object {
					now = takeback.Without(now, came)
					taken := make(map[geom.Point]bool)
					for _, o := range now {
						taken[o.At] = o.Place != voxel.Nowhere
					}
					for _, o := range gone {
						if !taken[o.At] {
							now = append(now, o)
						}
					}
					return now
				})
			}
		}
	}
}
