package world

import (
	"context"
	"fmt"
	"slices"
)

// Late is what changes too often for updates, such as where entities are. The program keeps it
// and writes it into the world before each commit. The methods may be called by several goroutines at once.
type Late interface {
	// Dirty reports whether there is something to write. It must not call the world.
	Dirty() bool
	// Write writes it by an Update or UpdateContext, the only methods of the world that it may
	// call besides View and Load. Commit and Capture call it if Dirty reports true.
	Write(context.Context) error
}

// AddLate has Commit and Capture call l.Write, and Dirty and CloseSaved ask l. l is a pointer, or
// something else that can be compared.
func (w *World) AddLate(l Late) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = append(slices.Clip(w.late), l)
}

// RemoveLate undoes AddLate. What l has not written is the caller's. A Commit or Capture under way
// may still call l.
func (w *World) RemoveLate(l Late) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = slices.DeleteFunc(slices.Clone(w.late), func(m Late) bool { return m == l })
}

// lateDirty needs mu.
func (w *World) lateDirty() bool { return slices.ContainsFunc(w.late, Late.Dirty) }

func (w *World) writeLate(ctx context.Context) error {
	w.mu.Lock()
	late := w.late
	w.mu.Unlock()
	for _, l := range late {
		if !l.Dirty() {
			continue
		}
		if err := l.Write(ctx); err != nil {
			return fmt.Errorf("world: %s: write what is late: %w", w.name, err)
		}
	}
	return nil
}
