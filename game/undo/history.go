// Package undo takes back changes to an open world: the last steps of each author, or an old
// commit.
//
// A History records steps. Change the world by History.Update instead of World.Update. Undo
// takes back the last step of an author, and Redo repeats it. Begin and End make one step of
// many updates, for example for the stroke of a brush. The memory of all steps of all authors
// is bounded; the oldest steps are dropped first. Revert needs no History: it takes back what a
// commit changed, however old it is.
//
// A step is the chunks, columns and lists of objects that updates replaced, before and after: the
// chunks themselves, which the views of the world shared, or their cells where few changed.
// Taking back a step is an update like any other. It restores the old content only where the
// world still holds what the step wrote. It leaves the rest alone and says so in a Undone. So
// authors who work in one place do not destroy each other's later work.
//
// A History is in memory and ends with its World. Files and properties of a world are not taken
// back. Derived light is restored only by Revert of the newest commit. Otherwise it is marked
// stale, and a World with Options.Relight computes it.
package undo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Errors that callers branch on.
var (
	// ErrNothing says that the author has no step to undo, or to redo.
	ErrNothing = errors.New("nothing to take back")
	// ErrTooLarge says that one step takes more memory than all steps may take.
	ErrTooLarge = errors.New("larger than the history allows")
)

// Options of a History. The zero value is the default.
type Options struct {
	// Bytes bounds the memory of the steps of all authors together. Default 64 MiB.
	Bytes int
}

// History holds the steps of the authors of one open World. Any number of goroutines may use
// it, but not from within an update of the World: there Update, Undo and Redo return world.ErrNested,
// where World.Update does.
type History struct {
	w   *world.World
	max int

	mu      sync.Mutex // held while the World changes, so that steps are in order
	authors map[string]*past
	bytes   int
	seq     uint64 // of the last recorded step
}

// New returns an empty History of w.
func New(w *world.World, o Options) *History {
	if o.Bytes == 0 {
		o.Bytes = 64 << 20
	}
	return &History{w: w, max: o.Bytes, authors: make(map[string]*past)}
}

// Update changes the World as World.Update does and records the change as a step of the author.
// If f fails, or ctx has ended when f returns, nothing changes. With ErrTooLarge Update returns the
// change together with the error: the World has changed, and Undo does not know of it.
func (h *History) Update(ctx context.Context, author, name string, f func(*world.Tx) error) (*world.Change, error) {
	if err := h.w.Nested(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	change, err := h.w.Update(func(tx *world.Tx) error {
		tx.EndWith(ctx)
		if err := f(tx); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return change, h.record(author, name, change)
}

// Record adds a change that World.Update returned as a step of the author. If nothing of the
// change can be taken back, it adds no step. After Record the author's earlier undone steps can
// no longer be redone. Changes must be recorded in the order in which they happened; if several
// goroutines change the World, use Update. With ErrTooLarge the step is lost, and so is everything
// recorded since Begin.
func (h *History) Record(author, name string, change *world.Change) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.record(author, name, change)
}

func (h *History) record(author, name string, change *world.Change) error {
	s := newStep(h.w.View(), name, change)
	if s.empty() {
		return nil
	}
	p := h.past(author)
	defer h.forget(author)
	for len(p.redo) > 0 {
		h.dropFirst(&p.redo)
	}
	if err := h.add(p, s); err != nil {
		return fmt.Errorf("undo: step %q of %q: %w", name, author, err)
	}
	return nil
}

// Begin makes one step, of that name, of everything that the author does until End. It ends an
// earlier Begin.
func (h *History) Begin(author, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).begin(name)
}

// End ends the step of Begin, if there is one.
func (h *History) End(author string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).end()
	h.forget(author)
}

// Undo takes back the author's last step in one update. It reports what it restored and what it
// left alone. The error is ErrNothing if there is no step. Undo loads what it needs, which may
// be I/O. It ends a step of Begin. After an error nothing has changed.
func (h *History) Undo(ctx context.Context, author string) (Undone, error) {
	return h.move(ctx, author, "undo", func(p *past) (from, to *[]*step) { return &p.undo, &p.redo })
}

// Redo repeats the step that the author undid last. As Undo, it changes only what the World
// still holds as Undo left it. The error is ErrNothing if the author has changed something
// since.
func (h *History) Redo(ctx context.Context, author string) (Undone, error) {
	return h.move(ctx, author, "redo", func(p *past) (from, to *[]*step) { return &p.redo, &p.undo })
}

// move takes back the last step of one of the author's stacks, and pushes the replaced content
// on the other.
func (h *History) move(ctx context.Context, author, verb string, stacks func(*past) (from, to *[]*step)) (Undone, error) {
	if err := h.w.Nested(); err != nil {
		return Undone{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.past(author)
	defer h.forget(author)
	p.end()
	from, to := stacks(p)
	if len(*from) == 0 {
		return Undone{}, fmt.Errorf("undo: %s of %q: %w", verb, author, ErrNothing)
	}
	s := (*from)[len(*from)-1]
	r, err := s.takeBack(ctx, h.w, history.ID{})
	if err != nil {
		return Undone{}, fmt.Errorf("undo: %s of step %q of %q: %w", verb, s.name, author, err)
	}
	*from = (*from)[:len(*from)-1]
	h.bytes -= s.bytes
	r.Forgotten = h.push(to, newStep(h.w.View(), s.name, r.Change)) != nil
	return r, nil
}

// Names returns the names of the steps that the author can undo and redo, the next one last.
func (h *History) Names(author string) (undo, redo []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.authors[author]; p != nil {
		undo, redo = names(p.undo), names(p.redo)
	}
	return undo, redo
}

// Bytes returns the memory of the steps of all authors.
func (h *History) Bytes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}
