package world

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Restore makes a new commit with what the commit id left, and makes the world that. It
// writes no stone. What was not committed is lost. It reads chunks and columns again that
// are in memory and differ; Views taken before stay as they are. The zero ID is the world before its first
// commit, without anything, as for OpenAt: what the log has stays there, and can be gone back to.
func (w *World) Restore(ctx context.Context, id history.ID, message string) (history.Commit, error) {
	if w.readOnly {
		return history.Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrReadOnly)
	}
	if err := w.enter(&w.saving, &w.writer); err != nil {
		return history.Commit{}, err
	}
	defer w.leave(&w.saving, &w.writer)
	back := false
	defer func() {
		if back {
			w.tell(nil) // who watches may Load
		}
	}()
	w.moving.Lock()
	defer w.moving.Unlock()
	next, err := w.openStack(ctx, id)
	if err != nil {
		return history.Commit{}, err
	}
	w.mu.Lock()
	held := slices.Collect(maps.Keys(w.held))
	w.mu.Unlock()
	s, err := w.restored(ctx, next)
	if err != nil {
		next.release()
		return history.Commit{}, err
	}
	c, err := w.put(ctx, history.Commit{Base: id, Message: message})
	if err != nil {
		next.release()
		return history.Commit{}, err
	}
	back = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stack.release()
	w.stack, w.dirty = next, new(dirty)
	w.forgetPending()
	w.lightModel = relight.Model{} // a name may be another cell's after this
	w.head.Commit, w.last, w.base = c.ID(), c, c.ID()
	w.era++
	for _, h := range held {
		if !w.held[h] { // released since
			w.dropHeld(s, h)
		}
	}
	w.now.Store(s)
	return c, nil
}

// restored returns the state that next says, with what somebody holds: from
// memory where it is the same there.
func (w *World) restored(ctx context.Context, next openStack) (*state, error) {
	old := w.now.Load()
	s, err := next.index(w.o.Empty, old)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	changed := w.stack.differing(next)
	changed.add(w.dirty)
	w.mu.Unlock()
	for _, d := range s.dimensions {
		was := &dimension{columns: &columns{}}
		if i := old.dimension(d.name); i >= 0 {
			was = old.dimensions[i]
		}
		for j, v := range d.volumes {
			if i := was.volume(v.Name); i >= 0 {
				d.setCells(j, v.cells.With(v.carry(was.volumes[i], changed.chunks[volumeName{d.name, v.Name}])))
			}
			read, err := w.heldChunks(ctx, next, d, d.volumes[j])
			if err != nil {
				return nil, err
			}
			d.setCells(j, d.volumes[j].cells.With(read))
		}
		d.columns = d.columns.with(maps.All(d.carry(was, changed.columns[d.name])))
		columns, err := w.heldColumns(ctx, next, d)
		if err != nil {
			return nil, err
		}
		d.columns = d.columns.with(maps.All(columns))
	}
	return s, nil
}

// carry returns the chunks in memory of old, which is v's volume before, that are
// the same in v.
func (v *volume) carry(old *volume, changed map[geom.ChunkPos]bool) (out []grid.Placed) {
	for pos, c := range old.cells.Chunks() {
		if _, loaded := v.cells.Chunk(pos); c != nil && !loaded && !changed[pos] {
			out = append(out, grid.Placed{Pos: pos, Chunk: c})
		}
	}
	return out
}

// carry returns the columns in memory of old, which is d before, that are the
// same in d.
func (d *dimension) carry(old *dimension, changed map[geom.ColumnPos]parts) map[geom.ColumnPos]*voxel.Column {
	out := make(map[geom.ColumnPos]*voxel.Column)
	for pos, c := range old.columns.all() {
		if _, differs := changed[pos]; !differs && c != unloaded && d.columns.at(pos) == unloaded {
			out[pos] = c
		}
	}
	return out
}

// loaded reports whether what is held came into memory. The caller holds w.mu.
func (h *Held) loaded() bool { return !h.loading }

// heldChunks reads the chunks of v that somebody holds and that are not in memory.
func (w *World) heldChunks(ctx context.Context, p openStack, d *dimension, v *volume) ([]grid.Placed, error) {
	w.mu.Lock()
	k := w.keeperOf(d.name, v.Name, (*Held).loaded)
	w.mu.Unlock()
	var want []geom.ChunkPos
	for pos, c := range v.cells.Chunks() {
		if c == nil && k.keeps(overChunk(pos, v.Scale)) {
			want = append(want, pos)
		}
	}
	if len(want) == 0 {
		return nil, nil
	}
	return w.readChunks(ctx, p, volumeName{d.name, v.Name}, want)
}

// heldColumns reads the columns that somebody holds and that are not in memory.
func (w *World) heldColumns(ctx context.Context, p openStack, d *dimension) (map[geom.ColumnPos]*voxel.Column, error) {
	w.mu.Lock()
	k := w.keeperOf(d.name, Columns, (*Held).loaded)
	w.mu.Unlock()
	return p.unloaded(ctx, d, func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		for pos, c := range d.columns.all() {
			if k.keeps(columnBox(pos)) && !yield(pos, c) {
				return
			}
		}
	})
}
