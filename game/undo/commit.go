package undo

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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
	old, new *world.Snapshot
	where    *world.Apart
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
	r := reading{ctx, old, new, old.Apart(new)}
	s := &step{name: c.Message}
	var u update
	for _, d := range both(old.About().Dimensions, new.About().Dimensions, func(d stone.DimensionInfo) string { return d.Name }) {
		if err := r.dimension(s, &u, cmp.Or(d[0].Name, d[1].Name), d[0], d[1]); err != nil {
			return nil, err
		}
	}
	s.add(u)
	return s, nil
}

// both joins two lists by name; a value of neither stands for what one side lacks.
func both[T any](old, new []T, name func(T) string) (pairs [][2]T) {
	at := make(map[string]int)
	for side, list := range [][]T{old, new} {
		for _, v := range list {
			i, ok := at[name(v)]
			if !ok {
				i = len(pairs)
				at[name(v)] = i
				pairs = append(pairs, [2]T{})
			}
			pairs[i][side] = v
		}
	}
	return pairs
}

// dimension adds what differs in a dimension.
func (r *reading) dimension(s *step, u *update, name string, old, new stone.DimensionInfo) error {
	blocks := make(map[footprint]bool)
	for _, v := range both(old.Volumes, new.Volumes, func(v stone.VolumeInfo) string { return v.Volume.Name }) {
		out, err := r.volume(name, v[0], v[1])
		if err != nil {
			return err
		}
		if len(out.chunks) == 0 {
			continue
		}
		u.addVolume(out)
		for _, c := range out.chunks {
			if out.volume == voxel.Block {
				blocks[footprint{name, c.pos.X, c.pos.Z}] = true
			}
		}
	}
	for _, pos := range r.where.Columns(name) {
		change := world.ColumnChange{Dimension: name, Pos: pos}
		var err error
		if change.Old, err = r.old.Column(r.ctx, name, pos); err != nil {
			return err
		}
		if change.New, err = r.new.Column(r.ctx, name, pos); err != nil {
			return err
		}
		s.addColumn(u, change, blocks[footprintOf(name, pos)])
	}
	return nil
}

// batch is how many chunks are in memory at once.
const batch = 64

// volume returns what differs in a volume. Its cells index the names of both
// commits.
func (r *reading) volume(dim string, old, new stone.VolumeInfo) (volume, error) {
	is := cmp.Or(new.Volume, old.Volume)
	out := volume{volumeName: volumeName{dim, is.Name}, schema: is.Schema, scale: is.Scale, names: new.Names}
	var table []voxel.Cell // of cells of new
	if is.Schema == voxel.Palette {
		var err error
		if out.names, table, err = union(old.Names, new.Names); err != nil {
			return volume{}, err
		}
	}
	for some := range slices.Chunk(r.where.Chunks(dim, is.Name), batch) {
		before, err := r.chunks(r.old, dim, is, some)
		if err != nil {
			return volume{}, err
		}
		after, err := r.chunks(r.new, dim, is, some)
		if err != nil {
			return volume{}, err
		}
		for i, pos := range some {
			if table != nil {
				after[i] = after[i].Translate(table)
			}
			if one, ok := newChunk(pos, before[i], after[i]); ok {
				out.chunks = append(out.chunks, one)
			}
		}
	}
	return out, nil
}

// union returns the names of two volumes, and what the cells of the second are in it.
func union(old, new []string) (names []string, table []voxel.Cell, err error) {
	names = slices.Clone(old)
	index := make(map[string]voxel.Cell, len(names))
	for c, name := range names {
		index[name] = voxel.Cell(c)
	}
	for _, name := range new {
		c, ok := index[name]
		if !ok {
			c = voxel.Cell(len(names))
			index[name] = c
			names = append(names, name)
		}
		table = append(table, c)
	}
	if len(names) > int(voxel.MaxCell)+1 {
		return nil, nil, fmt.Errorf("%d names: a volume has at most %d", len(names), int(voxel.MaxCell)+1)
	}
	return names, table, nil
}

// chunks reads some chunks of one side; where it has none they are of the default.
func (r *reading) chunks(s *world.Snapshot, dim string, is voxel.Volume, at []geom.ChunkPos) ([]*voxel.Chunk, error) {
	found := make(map[geom.ChunkPos]*voxel.Chunk, len(at))
	err := s.ReadChunks(r.ctx, dim, is.Name, 0, at, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		found[pos] = c
		return r.ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	filler := voxel.Uniform(is.Default)
	out := make([]*voxel.Chunk, len(at))
	for i, pos := range at {
		out[i] = cmp.Or(found[pos], filler)
	}
	return out, nil
}
