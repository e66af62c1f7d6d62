// Package undo takes back what was done to an open world: the last steps of each author,
// or a commit of long ago.
//
// A History records steps: change the world by History.Update instead of World.Update.
// Undo takes back the last step of an author, and Redo does it again. Begin and End make
// one step of many updates, as for the stroke of a brush. The steps of all authors together
// are bounded in bytes; the oldest are dropped first. Revert needs no History: it takes back
// what a commit changed, whenever that was.
//
// A step is the cells, columns and lists of objects that updates replaced, before and after.
// To take a step back is an update like any other. It writes what was there, but only where
// the world still holds what the step wrote; it leaves the rest alone and says so in a Report.
// So authors who work in one place do not destroy what others did since.
//
// A History is in memory and ends with its World. Files and properties of a world are not
// taken back. Light that follows from blocks is taken back only by Revert of the newest
// commit; otherwise it is marked stale, and a World with Options.Relight computes it.
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
	// ErrNothing says that the author has no step to take back, or to do again.
	ErrNothing = errors.New("nothing to take back")
	// ErrTooLarge says that one step takes more memory than all steps may.
	ErrTooLarge = errors.New("more than the history may hold")
)

// Options of a History. The zero value is the default.
type Options struct {
	// Bytes bounds the memory of the steps of all authors together. Default 64 MiB.
	Bytes int
}

// History is the steps of the authors of one open World. Any number of goroutines may use
// it, but none from within an update of the World.
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

// Record adds a change that World.Update returned as a step of the author. It adds no step
// if nothing of the change can be taken back. After it, Redo of what the author took back
// before is no longer possible. Changes must be recorded in the order in which they
// happened: where several goroutines change the World, use Update. With ErrTooLarge, and
// when ctx ends, nothing of the step is kept, nor what was recorded since Begin.
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

// Begin makes one step of all that the author does until End, with that name. It ends a
// step that was begun before.
func (h *History) Begin(author, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).begin(name)
}

// End ends the step that Begin began, if there is one.
func (h *History) End(author string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past(author).end()
	h.forget(author)
}

// Undo takes back the author's last step, in one update, and reports what it put back and
// what it left alone. The error is ErrNothing if there is no step. Undo loads what it needs,
// which may be I/O, and ends a step that was begun. After an error nothing has changed.
func (h *History) Undo(ctx context.Context, author string) (Report, error) {
	return h.move(ctx, author, "undo", func(p *past) (from, to *[]*step) { return &p.undo, &p.redo })
}

// Redo does again what the author took back last, as Undo takes back a step: only where the
// World still holds what Undo put there. The error is ErrNothing if the author has changed
// something since.
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

// Names returns the names of the steps that the author can take back, and of those that
// can be done again, the next one last.
func (h *History) Names(author string) (undo, redo []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.authors[author]; p != nil {
		undo, redo = names(p.undo), names(p.redo)
	}
	return undo, redo
}

// Bytes returns how much memory the steps of all authors take.
func (h *History) Bytes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bytes
}
