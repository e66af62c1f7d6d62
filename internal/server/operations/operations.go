// Package operations has the restores that callers of a server begin and watch, and the last that ended.
package operations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/history"
)

// endedOperations is how many operations that have ended are remembered.
const endedOperations = 64

// ErrBusy says that as many operations run as may.
var ErrBusy = errors.New("operations: too many operations run")

// List is the operations of a server. All of its methods are safe for any number of goroutines.
type List struct {
	st   history.Store
	from arena.Opener
	most int
	born string

	mu      sync.Mutex // guards what is below
	numbers uint64
	all     []*Operation // by time
}

// New returns an empty List. At most so many of its operations run at a time. born begins the ids
// of operations, so that none has the id of one of an earlier process.
func New(st history.Store, from arena.Opener, born string, most int) *List {
	return &List{st: st, from: from, most: most, born: born}
}

// Operation is a restore that a caller began.
type Operation struct {
	ID, World, Snapshot string
	Author, Message     string
	*edit.Operation     // nil before it has begun
}

// Begin begins to restore a snapshot. It returns when the work is in the Queue, and calls ended,
// on a goroutine of the operation, when it is done and saved; ctx counts until it returns. The
// error is ErrBusy if too many operations run.
func (o *List) Begin(ctx context.Context, s *arena.Snapshot, what arena.RestoreOptions, author, message string, ended func(*Operation)) (*Operation, error) {
	op, err := o.add(s)
	if err != nil {
		return nil, err
	}
	op.Author, op.Message = author, message
	open, err := o.from.Open(ctx, s.World, author)
	if err != nil {
		o.drop(op)
		return nil, err
	}
	work, err := s.Start(ctx, o.st, o.from.Queue(), open.Arena, what, func(p edit.Progress, err error) (history.Commit, error) {
		canceled := errors.Is(err, edit.ErrCanceled) || errors.Is(err, context.Canceled)
		return end(context.Background(), open, err == nil || p.Failed > 0 && !canceled, message) // the caller may have gone
	})
	if err != nil {
		o.drop(op)
		_, failed := end(ctx, open, false, "")
		return nil, errors.Join(err, failed)
	}
	o.mu.Lock()
	op.Operation = work
	o.mu.Unlock()
	go func() {
		select {
		case <-open.Lost:
			work.Cancel()
		case <-work.Done():
		}
		<-work.Done()
		ended(op)
	}()
	return op, nil
}

// end ends what an arena was opened for.
func end(ctx context.Context, open *arena.OpenArena, save bool, message string) (history.Commit, error) {
	if open.Close == nil {
		return history.Commit{}, nil
	}
	return open.Close(ctx, save, message)
}

// add adds an operation that is to begin.
func (o *List) add(s *arena.Snapshot) (*Operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	over := func(op *Operation) bool { return op.Operation != nil && op.Ended() }
	live := 0
	for _, op := range o.all {
		if !over(op) {
			live++
		}
	}
	if live >= o.most {
		return nil, ErrBusy
	}
	if len(o.all)-live > endedOperations { // one was added since the last time
		i := slices.IndexFunc(o.all, over)
		o.all = slices.Delete(o.all, i, i+1)
	}
	o.numbers++
	op := &Operation{ID: fmt.Sprintf("%s-%d", o.born, o.numbers), World: s.World, Snapshot: s.Name}
	o.all = append(o.all, op)
	return op, nil
}

// drop removes an operation that did not begin.
func (o *List) drop(op *Operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(o.all, func(other *Operation) bool { return other == op })
}

// Of returns the operations on a world that have begun, by time.
func (o *List) Of(world string) (out []*Operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, op := range o.all {
		if op.World == world && op.Operation != nil {
			out = append(out, op)
		}
	}
	return out
}

// Find returns an operation on a world, nil if there is none.
func (o *List) Find(world, id string) *Operation {
	for _, op := range o.Of(world) {
		if op.ID == id {
			return op
		}
	}
	return nil
}
