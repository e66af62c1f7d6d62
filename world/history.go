package world

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// Log returns up to n commits, newest first.
func (w *World) Log(ctx context.Context, n int) ([]history.Commit, error) {
	if err := w.live(); err != nil {
		return nil, err
	}
	return w.store.Log(ctx, w.name, w.Head(), n)
}

// Commits yields the log of a world, newest first. An error ends it.
func Commits(ctx context.Context, st history.Store, name string) iter.Seq2[history.Commit, error] {
	const page = 256
	return func(yield func(history.Commit, error) bool) {
		var from history.ID
		for {
			log, err := st.Log(ctx, name, from, page)
			if err != nil {
				yield(history.Commit{}, err)
				return
			}
			full := len(log) == page
			if from != (history.ID{}) && len(log) > 0 {
				log = log[1:] // it begins with from
			}
			for _, c := range log {
				if !yield(c, nil) {
					return
				}
				from = c.ID()
			}
			if !full {
				return
			}
		}
	}
}

// CommitAt returns the newest commit of a world that was made at t or before. OpenSnapshot opens it.
func CommitAt(ctx context.Context, st history.Store, name string, t time.Time) (history.Commit, error) {
	for c, err := range Commits(ctx, st, name) {
		if err != nil || !c.Time.After(t) {
			return c, err
		}
	}
	return history.Commit{}, fmt.Errorf("world: %s: at %v: %w", name, t.Format(time.RFC3339), history.ErrNoCommit)
}

// CommitNumber returns the commit of a world with a number, if the log still has it. OpenSnapshot opens it.
func CommitNumber(ctx context.Context, st history.Store, name string, n uint64) (history.Commit, error) {
	for c, err := range Commits(ctx, st, name) {
		if err != nil || c.Number == n {
			return c, err
		}
		if c.Number < n {
			break
		}
	}
	return history.Commit{}, fmt.Errorf("world: %s: number %d: %w", name, n, history.ErrNoCommit)
}

// At opens the world as a commit left it, for reading. The caller closes it.
func (w *World) At(ctx context.Context, id history.ID) (*World, error) {
	if err := w.live(); err != nil {
		return nil, err
	}
	return OpenAt(ctx, w.store, w.name, id, w.o)
}

// Fork makes a new world that begins with the last commit of this one. What was not
// committed is not in it. It copies no stone.
func (w *World) Fork(ctx context.Context, name string) error {
	if err := w.live(); err != nil {
		return err
	}
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
		return nil, fmt.Errorf("world: %s: file %q: %w", w.name, path, fs.ErrNotExist)
	}
	p := w.stack.hold()
	w.mu.Unlock()
	defer p.release()
	if s.files[i].data != nil {
		return dataFile(s.files[i].data), nil
	}
	return p.openFile(path)
}
