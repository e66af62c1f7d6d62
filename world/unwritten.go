package world

import (
	"context"
	"fmt"
	"slices"
)

// Unwritten is what changes too often for updates, such as where entities are. The program keeps it
// and writes it into the world before each commit. The methods may be called by several goroutines at once.
type Unwritten interface {
	// Dirty reports whether there is something to write. It must not call the world.
	Dirty() bool
	// Write writes it by an Update or UpdateContext, the only methods of the world that it may
	// call besides View and Load. Commit and Capture call it if Dirty reports true.
	Write(context.Context) error
}

// AddUnwritten has Commit and Capture call u.Write, and Dirty and CloseSaved ask u. u is a pointer, or
// something else that can be compared.
func (w *World) AddUnwritten(u Unwritten) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unwritten = append(slices.Clip(w.unwritten), u)
}

// RemoveUnwritten undoes AddUnwritten. What u has not written is the caller's. A Commit or Capture under way
// may still call u.
func (w *World) RemoveUnwritten(u Unwritten) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unwritten = slices.DeleteFunc(slices.Clone(w.unwritten), func(m Unwritten) bool { return m == u })
}

// unwrittenDirty asks all Unwritten. The caller holds w.mu.
func (w *World) unwrittenDirty() bool { return slices.ContainsFunc(w.unwritten, Unwritten.Dirty) }

// Moment calls f and returns its error. What f changes, by several updates and in what is Unwritten, is
// one moment: a Commit or a Capture has all of it or nothing. They wait for f, so f must call neither, nor
// Moment again; f waits while an Unwritten writes.
func (w *World) Moment(f func() error) error {
	if err := w.enter(); err != nil {
		return err
	}
	w.moments.RLock()
	defer w.moments.RUnlock()
	return f()
}

// still has what is unwritten written, and calls take with mu, while no Moment is under way.
func (w *World) still(ctx context.Context, take func() error) error {
	if err := w.enter(); err != nil {
		return err
	}
	w.moments.Lock()
	defer w.moments.Unlock()
	if err := w.writeUnwritten(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return take()
}

func (w *World) writeUnwritten(ctx context.Context) error {
	w.mu.Lock()
	all := w.unwritten
	w.mu.Unlock()
	for _, u := range all {
		if !u.Dirty() {
			continue
		}
		if err := u.Write(ctx); err != nil {
			return fmt.Errorf("world: %s: write what is unwritten: %w", w.name, err)
		}
	}
	return nil
}
