// Package undo takes back what was done to an open world: the last steps of each
// author, out of a History that is bounded in bytes, or a commit of long ago.
//
// A step is the cells, columns and lists of objects that updates replaced, as
// they were and as they became. To take it back is an update like any other: it
// writes what was there, but only where the world still holds what the step
// wrote, and reports the rest. So authors who work in one place do not destroy
// what the others did since.
//
// The package keeps nothing on disk: a History ends with its World. It takes
// back no files and no properties of a world, and no light of blocks but that of the newest
// commit: it does not light what it changes, a World of Options.Relight does.
package undo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/world"
)

// What callers branch on.
var (
	// ErrNothing says that the author has no step to take back.
	ErrNothing = errors.New("nothing to take back")
	// ErrTooLarge says that a step alone takes more than the History may.
	ErrTooLarge = errors.New("more than the history may hold")
)

// Options of a History. The zero value is the default.
type Options struct {
	// Bytes bounds the steps of all authors together, by their size in memory.
	// Default 64 MiB.
	Bytes int
}

// History is the steps of the authors of one open World: when they are more than
// the bound, the oldest go first. Any number of goroutines may use it, but none
// from within an update of the World.
type History struct {
	w   *world.World
	max int

	mu      sync.Mutex // held while the World is changed, so that steps are in order
	authors map[string]*past
	bytes   int
	seq     uint64 // of the step recorded last
}

// New returns an empty History of w.
func New(w *world.World, o Options) *History {
	if o.Bytes == 0 {
		o.Bytes = 64 << 20
	}
	return &History{w: w, max: o.Bytes, authors: make(map[string]*past)}
}

// Update changes the World as World.Update does and records the change as a step of
// the author. If f fails, or ctx has ended when f returns, nothing changes. To record
// takes time for each chunk: where ctx ends in the course of that, and with
// ErrTooLarge, Update returns the change together with the error. The World was
// changed then, and Undo does not know of it.
func (h *History) Update(ctx context.Context, author, name string, f func(*world.Tx) error) (*world.Change, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change, err := h.w.Update(func(tx *world.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return change, h.record(ctx, author, name, change)
}

// Record adds a step of the author, unless the change is of nothing that can be
// taken back. What the author took back before can then no longer be done
// again. Changes must come in the order in which they happened: where an author
// works on several goroutines, use Update. With ErrTooLarge, and when ctx ends,
// nothing of the step is kept, also not what was recorded since Begin.
func (h *History) Record(ctx context.Context, author, name string, change *world.Change) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.record(ctx, author, name, change)
}

func (h *History) record(ctx context.Context, author, name string, change *world.Change) error {
	s, err := newStep(ctx, h.w.View(), name, change)
	if err == nil && s.empty() {
		return nil
	}
	p := h.past(author)
	defer h.forget(author)
	for len(p.redo) > 0 {
		h.dropFirst(&p.redo)
	}
	if err == nil {
		err = h.add(p, s)
	} else {
		h.lose(p)
	}
	if err != nil {
		return fmt.Errorf("undo: step %q of %q: %w", name, author, err)
	}
	return nil
}

// Begin makes one step, with that name, of all that the author does up to End.
// A step begun before ends.
func (h *History) Begin(author, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).begin(name)
}

// End ends what Begin began, if anything.
func (h *History) End(author string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).end()
	h.forget(author)
}

// Undo takes back the author's last step in one update and returns what came of
// it: ErrNothing if there is none. It loads what it needs, which may be I/O. A
// step that was begun ends. After an error nothing changed.
func (h *History) Undo(ctx context.Context, author string) (Report, error) {
	return h.move(ctx, author, "undo", func(p *past) (from, to *[]*step) { return &p.undo, &p.redo })
}

// Redo does again, under the terms of Undo, what the author took back last,
// having done nothing since: what Undo put back, where the World still holds what
// Undo put there.
func (h *History) Redo(ctx context.Context, author string) (Report, error) {
	return h.move(ctx, author, "redo", func(p *past) (from, to *[]*step) { return &p.redo, &p.undo })
}

// move takes back the last of one stack of the author and puts on the other
// what that replaced.
func (h *History) move(ctx context.Context, author, verb string, stacks func(*past) (from, to *[]*step)) (Report, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.past(author)
	defer h.forget(author)
	p.end()
	from, to := stacks(p)
	if len(*from) == 0 {
		return Report{}, fmt.Errorf("undo: %s of %q: %w", verb, author, ErrNothing)
	}
	s := (*from)[len(*from)-1]
	r, err := s.takeBack(ctx, h.w, history.ID{})
	if err != nil {
		return Report{}, fmt.Errorf("undo: %s of step %q of %q: %w", verb, s.name, author, err)
	}
	*from = (*from)[:len(*from)-1]
	h.bytes -= s.bytes
	// What was taken back must be known whatever becomes of ctx. A step too large to be
	// kept was taken back all the same.
	if back, err := newStep(context.WithoutCancel(ctx), h.w.View(), s.name, r.Change); err == nil {
		_ = h.push(to, back)
	}
	return r, nil
}

// Names returns the names of the steps that the author can take back and do
// again, the next one last.
func (h *History) Names(author string) (undo, redo []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.authors[author]; p != nil {
		undo, redo = names(p.undo), names(p.redo)
	}
	return undo, redo
}

// Bytes returns what the steps of all authors take.
func (h *History) Bytes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}
