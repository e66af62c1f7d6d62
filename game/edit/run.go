package edit

import (
	"context"
	"time"
)

// Run steps a Queue of its own as fast as it goes, until the operation that start adds to it has
// ended, and returns what it did. If ctx ends it is canceled. show, unless it is nil, is called between steps. It is for
// worlds that nobody else changes; a game steps a Queue in its ticks.
func Run(ctx context.Context, start func(q *Queue) (*Operation, error), show func(Progress)) (Status, error) {
	woken := make(chan struct{}, 1)
	wake := func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	q := New(Options{Go: func(beside func()) {
		go func() {
			beside()
			wake()
		}()
	}})
	defer q.Close()
	o, err := start(q)
	if err != nil {
		return Status{}, err
	}
	defer context.AfterFunc(ctx, func() {
		o.Cancel()
		wake()
	})()
	for !o.Ended() {
		did := q.Step(time.Now(), Tick)
		if show != nil {
			show(o.Status().Progress)
		}
		if did == (Work{}) && !o.Ended() {
			<-woken // what the next step needs is on its way
		}
	}
	return o.Wait(context.WithoutCancel(ctx))
}

// Do runs one Task as Run does.
func Do(ctx context.Context, a *Arena, t Task) (Status, error) {
	return Run(ctx, func(q *Queue) (*Operation, error) { return q.Add(a, t, 0), nil }, nil)
}
