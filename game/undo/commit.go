package undo

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
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
func Revert(ctx context.Context, w *world.World, id history.ID) (Undone, error) {
	r, err := revert(ctx, w, id)
	if err != nil {
		return Undone{}, fmt.Errorf("undo: revert of commit %v: %w", id, err)
	}
	return r, nil
}

func revert(ctx context.Context, w *world.World, id history.ID) (Undone, error) {
	c, err := find(ctx, w, id)
	if err != nil {
		return Undone{}, err
	}
	s, err := stepOf(ctx, w, c)
	if err != nil {
		return Undone{}, err
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

// stepOf returns what the commit replaced.
func stepOf(ctx context.Context, w *world.World, c history.Commit) (*step, error) {
	old, err := w.SnapshotBefore(ctx, c)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	new, err := w.SnapshotAt(ctx, c.ID())
	if err != nil {
		return nil, err
	}
	defer new.Close()
	s, pair := &step{name: c.Message}, diff.Of(old, new)
	var u update
	for _, d := range pair.Dimensions() {
		if err := s.addDimension(ctx, &u, pair, d); err != nil {
			return nil, err
		}
	}
	s.add(u)
	return s, nil
}

// addDimension adds what differs in a dimension.
func (s *step) addDimension(ctx context.Context, u *update, pair diff.Pair, d stone.DimensionInfo) error {
	blocks := make(map[footprint]bool)
	for _, v := range d.Volumes {
		out := volume{volumeName: volumeName{d.Name, v.Volume.Name}, schema: v.Schema, scale: v.Scale, names: v.Names}
		err := pair.Chunks(ctx, d.Name, v.Volume.Name, func(c diff.Chunk) error {
			if c.Names != nil {
				out.names = c.Names
			}
			if one, ok := newChunk(c.Pos, c.A, c.B); ok {
				out.chunks = append(out.chunks, one)
			}
			if v.Volume.Name == voxel.Block {
				blocks[footprint{d.Name, c.Pos.X, c.Pos.Z}] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(out.chunks) > 0 {
			u.addVolume(out)
		}
	}
	return pair.Columns(ctx, d.Name, func(old, new *voxel.Column) error {
		change := world.ColumnChange{Dimension: d.Name, Pos: cmp.Or(old, new).Pos, Old: old, New: new}
		s.addColumn(u, change, blocks[footprintOf(d.Name, change.Pos)])
		return nil
	})
}
