package edit

import (
	"context"
	"time"
)

// Run steps a Queue of its own as fast as it goes, until the operations that start adds to it have
// ended. If ctx ends they are canceled. show, unless it is nil, is called between steps. It is for
// worlds that nobody else changes; a game steps a Queue in its ticks.
func Run(ctx context.Context, start func(q *Queue) ([]*Future, error), show func()) error {
	wake := make(chan struct{}, 1)
	poke := func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	q := New(Options{Go: func(beside func()) {
		go func() {
			beside()
			poke()
		}()
	}})
	defer q.Close()
	all, err := start(q)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		for _, f := range all {
			f.Cancel()
		}
		poke()
	})()
	for _, f := range all {
		f.until(q, wake, show)
	}
	return nil
}

// until steps q until the operation has ended.
func (f *Future) until(q *Queue, wake chan struct{}, show func()) {
	for !f.Ended() {
		did := q.Step(time.Now(), Tick)
		if show != nil {
			show()
		}
		if did == (Report{}) && !f.Ended() {
			<-wake // what the next step needs is on its way
		}
	}
}

// Do runs one operation as Run does, and returns what it did.
func Do(ctx context.Context, a *Arena, op Operation) (Result, error) {
	var f *Future
	err := Run(ctx, func(q *Queue) ([]*Future, error) {
		f = q.Add(a, op, 0)
		return []*Future{f}, nil
	}, nil)
	if err != nil {
		return Result{}, err
	}
	return f.Wait(context.WithoutCancel(ctx))
}
