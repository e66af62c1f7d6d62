package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/store/history"
)

// endedOperations is how many operations that have ended are remembered.
const endedOperations = 64

// ErrBusy says that as many operations run as may.
var ErrBusy = errors.New("arena: too many operations run")

// Operations are restores that callers begin and watch, and the last that ended. All of its methods are safe
// for any number of goroutines. Each operation has a goroutine that saves what it did.
type Operations struct {
	st   history.Store
	from Opener
	most int
	born string

	mu      sync.Mutex // guards what is below
	numbers uint64
	all     []*Operation // by time
}

// NewOperations returns Operations of which at most so many run at a time. born begins the ids
// of operations, so that none has the id of one of an earlier process.
func NewOperations(st history.Store, from Opener, born string, most int) *Operations {
	return &Operations{st: st, from: from, most: most, born: born}
}

// State says how an operation is.
type State string

// The states of an operation.
const (
	Running  State = "running"
	Paused   State = "paused"
	Done     State = "done"
	Failed   State = "failed" // also if some chunks failed and the others were restored
	Canceled State = "canceled"
)

// Ended reports whether the operation has ended.
func (s State) Ended() bool { return s != Running && s != Paused }

// Operation is a restore that a caller began. All of its methods are safe for any number of
// goroutines.
type Operation struct {
	ID, World, Snapshot string
	port.Note

	mu   sync.Mutex // guards what is below
	work *Restore   // nil before it has begun and after it has ended: it holds what it replaced
	last Status     // without what work says
}

// Status is how an operation is at a moment.
type Status struct {
	State State
	edit.Progress
	Failures []Failure      // at most the first 64 of each dimension
	Commit   history.Commit // the version that it made, or the newest if nothing changed; zero if it made none
	Err      error          // why it failed
}

// Failure is a chunk that could not be restored.
type Failure struct {
	Where string
	Err   error
}

// Begin begins to restore a snapshot. It returns when the work is in the Queue, and calls ended,
// on a goroutine of the operation, when it is done and saved; ctx counts until it returns. The
// error is ErrBusy if too many operations run.
func (o *Operations) Begin(ctx context.Context, s *Snapshot, what RestoreOptions, note port.Note, ended func(*Operation)) (*Operation, error) {
	op, err := o.add(s, note)
	if err != nil {
		return nil, err
	}
	open, err := o.from.Open(ctx, s.World, note.Author)
	if err != nil {
		o.drop(op)
		return nil, err
	}
	work, err := s.Start(ctx, o.st, o.from.Queue(), open.Arena, what)
	if err != nil {
		o.drop(op)
		_, end := open.end(ctx, false, "")
		return nil, errors.Join(err, end)
	}
	op.mu.Lock()
	op.work = work
	op.mu.Unlock()
	go func() {
		op.finish(work, open)
		ended(op)
	}()
	return op, nil
}

func (o *Operations) add(s *Snapshot, note port.Note) (*Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	live := 0
	for _, op := range o.all {
		if !op.state().Ended() {
			live++
		}
	}
	if live >= o.most {
		return nil, ErrBusy
	}
	for i := 0; len(o.all)-live > endedOperations; i++ {
		if o.all[i].state().Ended() {
			o.all = slices.Delete(o.all, i, i+1)
			break // one was added since the last time
		}
	}
	o.numbers++
	op := &Operation{ID: fmt.Sprintf("%s-%d", o.born, o.numbers), World: s.World, Snapshot: s.Name, Note: note, last: Status{State: Running}}
	o.all = append(o.all, op)
	return op, nil
}

// drop removes an operation that did not begin.
func (o *Operations) drop(op *Operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(o.all, func(other *Operation) bool { return other == op })
}

// Of returns the operations on a world that have begun, by time.
func (o *Operations) Of(world string) (out []*Operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, op := range o.all {
		if op.World == world && op.begun() {
			out = append(out, op)
		}
	}
	return out
}

// Find returns an operation on a world, nil if there is none.
func (o *Operations) Find(world, id string) *Operation {
	for _, op := range o.Of(world) {
		if op.ID == id {
			return op
		}
	}
	return nil
}

func (op *Operation) begun() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.work != nil || op.last.State.Ended()
}

func (op *Operation) state() State {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.last.State
}

// Pause pauses an operation that has not ended, or lets it go on.
func (op *Operation) Pause(on bool) {
	op.mu.Lock()
	defer op.mu.Unlock()
	switch {
	case on && op.last.State == Running:
		op.last.State = Paused
		op.work.Pause()
	case !on && op.last.State == Paused:
		op.last.State = Running
		op.work.Resume()
	}
}

// Cancel ends the operation soon. Status says when.
func (op *Operation) Cancel() {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.work != nil {
		op.work.Cancel()
	}
}

// Status returns how the operation is now.
func (op *Operation) Status() Status {
	op.mu.Lock()
	defer op.mu.Unlock()
	s := op.last
	if op.work != nil {
		s.Progress, s.Failures = op.work.Progress(), failuresOf(op.work)
	}
	return s
}

func failuresOf(r *Restore) (out []Failure) {
	for _, f := range r.Failures() {
		out = append(out, Failure{f.Where(), f.Err})
	}
	return out
}

// finish waits for the end of an operation and saves what it did.
func (op *Operation) finish(work *Restore, open *Opened) {
	ended := make(chan struct{})
	defer close(ended)
	if open.Lost != nil {
		go func() {
			select {
			case <-open.Lost:
				work.Cancel()
			case <-ended:
			}
		}()
	}
	p, err := work.Wait()
	state, save := Done, true
	switch {
	case errors.Is(err, edit.ErrCanceled) || errors.Is(err, context.Canceled):
		state, save, err = Canceled, false, nil
	case err != nil:
		state, save = Failed, p.Failed > 0
	}
	made, end := open.end(context.Background(), save, op.Message) // the caller may have gone
	if end != nil {
		state, err = Failed, errors.Join(err, end)
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	op.last, op.work = Status{state, p, failuresOf(work), made, err}, nil
}
