package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// Log returns up to n commits, newest first.
func (w *World) Log(ctx context.Context, n int) ([]Commit, error) {
	return w.store.Log(ctx, w.name, w.Head(), n)
}

// CommitAt returns the newest commit of a world that is not younger than t.
func CommitAt(ctx context.Context, st Store, name string, t time.Time) (Commit, error) {
	const page = 64
	from := ID{}
	for {
		log, err := st.Log(ctx, name, from, page)
		if err != nil {
			return Commit{}, err
		}
		if from != (ID{}) && len(log) > 0 {
			log = log[1:]
		}
		for _, c := range log {
			if !c.Time.After(t) {
				return c, nil
			}
		}
		if len(log) == 0 {
			return Commit{}, fmt.Errorf("world: %s: at %v: %w", name, t.Format(time.RFC3339), ErrNoCommit)
		}
		from = log[len(log)-1].ID()
	}
}

// At opens the world as a commit left it, to be read only.
func (w *World) At(ctx context.Context, id ID) (*World, error) {
	return OpenAt(ctx, w.store, w.name, id, w.o)
}

// Fork makes a new world that begins as the last commit left this one. What was
// not committed is not in it. It copies no stone.
func (w *World) Fork(ctx context.Context, name string) error {
	return w.store.Fork(ctx, w.name, w.Head(), name)
}

// OpenFile reads a file of the world as it is now.
func (w *World) OpenFile(path string) (io.ReadCloser, error) {
	w.mu.Lock()
	s := w.now.Load()
	i, ok := slices.BinarySearchFunc(s.files, path, comparePaths)
	if !ok || w.closed {
		defer w.mu.Unlock()
		if w.closed {
			return nil, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
		}
		return nil, fmt.Errorf("world: %s: file %q: %w", w.name, path, errNoFile)
	}
	p := w.pile.hold()
	w.mu.Unlock()
	if s.files[i].data != nil {
		defer p.release()
		return dataFile(s.files[i].data), nil
	}
	for j := len(p) - 1; j >= 0; j-- {
		r, err := p[j].OpenFile(path)
		if err == nil {
			return &pileFile{r, p}, nil
		}
		if !errors.Is(err, errNoFile) {
			p.release()
			return nil, err
		}
	}
	panic("world: file " + path + " is in no stone")
}

// Restore makes a commit that goes back to what the commit id left: it writes
// no stone. What was not committed is lost. Chunks and columns that somebody
// holds are read again where they differ.
func (w *World) Restore(ctx context.Context, id ID, message string) (Commit, error) {
	if w.readOnly {
		return Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrReadOnly)
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	w.writer.Lock()
	defer w.writer.Unlock()
	w.mu.Lock()
	head, closed := w.head, w.closed
	w.mu.Unlock()
	if closed {
		return Commit{}, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
	}
	next, err := w.openStack(ctx, id)
	if err != nil {
		return Commit{}, err
	}
	s, err := w.restored(ctx, next)
	if err != nil {
		next.release()
		return Commit{}, err
	}
	c, err := w.store.Commit(ctx, w.name, head, Commit{Parent: head.Commit, Base: id, Author: w.o.Author, Message: message})
	if err != nil {
		next.release()
		return Commit{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pile.release()
	w.pile, w.dirty = next, new(dirty)
	w.head.Commit, w.last = c.ID(), c
	w.age++
	w.now.Store(s)
	return c, nil
}

// restored returns the state that next says, with what is in memory of the
// world and the same there, and what somebody holds.
func (w *World) restored(ctx context.Context, next pile) (*state, error) {
	old := w.now.Load()
	s, err := next.index(old, w.o.Empty)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	changed := w.pile.differing(next)
	changed.add(w.dirty)
	w.mu.Unlock()
	for i, d := range s.dimensions {
		have := old.dimension(d.name)
		for j, v := range d.volumes {
			name := volumeName{d.name, v.Name}
			var carried []grid.Placed
			if have >= 0 && old.dimensions[have].volume(v.Name) >= 0 {
				carried = v.carry(old.dimensions[have].volumes[old.dimensions[have].volume(v.Name)], changed.chunks[name])
			}
			read, err := w.heldChunks(ctx, next, d, v, carried)
			if err != nil {
				return nil, err
			}
			s.dimensions[i].setCells(j, v.cells.With(append(carried, read...)))
		}
		columns, err := w.heldColumns(next, d)
		if err != nil {
			return nil, err
		}
		s.dimensions[i].columns = d.columns.with(columns)
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

// heldChunks reads the chunks of v that somebody holds and that are not carried.
func (w *World) heldChunks(ctx context.Context, p pile, d *dimension, v *volume, carried []grid.Placed) ([]grid.Placed, error) {
	have := make(map[geom.ChunkPos]bool, len(carried))
	for _, c := range carried {
		have[c.Pos] = true
	}
	var want []geom.ChunkPos
	w.mu.Lock()
	for pos, c := range v.cells.Chunks() {
		if c == nil && !have[pos] && w.keeps(d.name, v.Name, scaled(pos.Box(), v.Scale)) {
			want = append(want, pos)
		}
	}
	w.mu.Unlock()
	if len(want) == 0 {
		return nil, nil
	}
	return w.readChunks(ctx, p, volumeName{d.name, v.Name}, want)
}

// heldColumns reads the columns that somebody holds.
func (w *World) heldColumns(p pile, d *dimension) (map[geom.ColumnPos]*voxel.Column, error) {
	w.mu.Lock()
	var want []geom.ColumnPos
	for pos := range d.columns.all() {
		if w.keeps(d.name, Columns, columnBox(pos)) {
			want = append(want, pos)
		}
	}
	w.mu.Unlock()
	out := make(map[geom.ColumnPos]*voxel.Column)
	columns := p.columnReader(d.name, d.lists)
	for _, pos := range want {
		c, err := columns.column(pos)
		if err != nil {
			return nil, err
		}
		out[pos] = c
	}
	return out, nil
}
