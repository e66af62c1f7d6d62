package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/arena"
	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/edit"
	"github.com/cairnvoxel/cairn/history"
)

// endedOperations is how many operations that have ended are remembered.
const endedOperations = 64

// operations are those that run and the last that ended.
type operations struct {
	most int
	born string

	mu      sync.Mutex // guards what is below
	numbers uint64
	all     []*operation // by time
}

// States of operations.
const (
	running  = "running"
	paused   = "paused"
	done     = "done"
	failed   = "failed" // also if some chunks failed and the others were restored
	canceled = "canceled"
)

// operation is work on a world that a caller asked for.
type operation struct {
	id, world, snapshot, author, message string

	mu    sync.Mutex // guards what is below
	state string
	begun bool
	work  *arena.Restore // nil before it has begun and after it has ended: it holds what it replaced
	// What is said of it when it has ended.
	last     edit.Progress
	failures []failureAnswer
	commit   *client.Commit
	fault    string
}

// operationAnswer is an operation in JSON.
type operationAnswer struct {
	ID       string          `json:"id"`
	World    string          `json:"world"`
	Restore  string          `json:"restore"` // the snapshot
	Author   string          `json:"author"`
	Message  string          `json:"message"`
	State    string          `json:"state"` // running, paused, done, failed or canceled
	Total    int             `json:"total"` // chunks, 0 until it is known
	Done     int             `json:"done"`
	Failed   int             `json:"failed"`
	Cells    int             `json:"cells"` // that were changed
	Failures []failureAnswer `json:"failures"`
	Commit   *client.Commit  `json:"commit"` // the version that it made, or the newest if nothing changed; null if it made none
	Error    string          `json:"error"`
}

type failureAnswer struct {
	Where string `json:"where"`
	Error string `json:"error"`
}

type operationsAnswer struct {
	Operations []operationAnswer `json:"operations"`
}

// add adds an operation that is about to begin.
func (o *operations) add(world string, to operationCall) (*operation, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	live := 0
	for _, op := range o.all {
		if !op.ended() {
			live++
		}
	}
	if live >= o.most {
		return nil, fault(client.Busy, "%d operations run at this moment", live)
	}
	for i := 0; len(o.all)-live > endedOperations && i < len(o.all); {
		if o.all[i].ended() {
			o.all = slices.Delete(o.all, i, i+1)
			continue
		}
		i++
	}
	o.numbers++
	op := &operation{id: fmt.Sprintf("%s-%d", o.born, o.numbers), world: world, snapshot: to.Restore, author: to.Author, message: to.Message, state: running}
	o.all = append(o.all, op)
	return op, nil
}

// drop removes an operation that did not begin.
func (o *operations) drop(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(o.all, func(other *operation) bool { return other == op })
}

// of returns the operations on a world that have begun.
func (o *operations) of(world string) (out []*operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, op := range o.all {
		if op.world == world && op.hasBegun() {
			out = append(out, op)
		}
	}
	return out
}

// find returns an operation on a world, nil if there is none.
func (o *operations) find(world, id string) *operation {
	for _, op := range o.of(world) {
		if op.id == id {
			return op
		}
	}
	return nil
}

func (op *operation) hasBegun() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.begun
}

func (op *operation) ended() bool {
	op.mu.Lock()
	defer op.mu.Unlock()
	return op.state != running && op.state != paused
}

func (op *operation) began(work *arena.Restore) {
	op.mu.Lock()
	defer op.mu.Unlock()
	op.work, op.begun = work, true
}

// pause pauses an operation that has not ended, or lets it go on.
func (op *operation) pause(on bool) {
	op.mu.Lock()
	defer op.mu.Unlock()
	switch {
	case on && op.state == running:
		op.state = paused
		op.work.Pause()
	case !on && op.state == paused:
		op.state = running
		op.work.Resume()
	}
}

func (op *operation) cancel() {
	op.mu.Lock()
	defer op.mu.Unlock()
	if op.work != nil {
		op.work.Cancel()
	}
}

// finish waits for the end of an operation and saves what it did. It reports whether it made a
// commit.
func (s *Server) finish(op *operation, work *arena.Restore, open *OpenArena) (saved bool) {
	ctx := context.Background() // the caller may have gone
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
	var made history.Commit
	state, save := done, true
	switch {
	case errors.Is(err, edit.ErrCanceled) || errors.Is(err, context.Canceled):
		state, save, err = canceled, false, nil
	case err != nil:
		state, save = failed, p.Failed > 0
	}
	if open.Close != nil {
		var end error
		if made, end = open.Close(ctx, save, op.message); end != nil {
			state, err = failed, errors.Join(err, end)
		}
	}
	fault := ""
	if err != nil {
		s.logger.Log(ctx, slog.LevelWarn, "operation failed", "operation", op.id, "world", op.world, "err", err)
		fault = answered(err).Message
	}
	op.mu.Lock()
	defer op.mu.Unlock()
	op.state, op.last, op.failures, op.fault, op.work = state, p, failuresOf(work), fault, nil
	if made.Number != 0 {
		c := client.CommitOf(made)
		op.commit = &c
	}
	return op.commit != nil
}

// closeArena closes an arena on which nothing was done.
func closeArena(ctx context.Context, open *OpenArena) error {
	if open.Close == nil {
		return nil
	}
	_, err := open.Close(ctx, false, "")
	return err
}

// answer describes the operation as it is now.
func (op *operation) answer() operationAnswer {
	op.mu.Lock()
	defer op.mu.Unlock()
	p, failures := op.last, op.failures
	if op.work != nil {
		p, failures = op.work.Progress(), failuresOf(op.work)
	}
	return operationAnswer{ID: op.id, World: op.world, Restore: op.snapshot, Author: op.author, Message: op.message, State: op.state,
		Total: p.Chunks, Done: p.Done, Failed: p.Failed, Cells: p.Cells, Failures: failures, Commit: op.commit, Error: op.fault}
}

func failuresOf(r *arena.Restore) []failureAnswer {
	out := []failureAnswer{}
	for _, f := range r.Failures() {
		out = append(out, failureAnswer{f.Where(), answered(f.Err).Message})
	}
	return out
}
