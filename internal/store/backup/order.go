package backup

import (
	"context"
	"sync"
	"sync/atomic"
)

// dropper is a result that must be dropped if no sink gets it.
type dropper interface{ drop() }

// inOrder calls do for each of in, in several goroutines, and then sink with the
// results in the order of in, in the caller's goroutine. It stops at the first error
// of sink, and returns when all calls of do have ended. Up to two results for each
// goroutine wait for sink.
func inOrder[T, R any](ctx context.Context, workers int, in []T, do func(T) (R, error), sink func(int, R, error) error) error {
	type result struct {
		r   R
		err error
	}
	workers = max(1, workers)
	todo, done := make(chan int, 2*workers), make([]chan result, 2*workers)
	for i := range done {
		done[i] = make(chan result, 1)
	}
	var all sync.WaitGroup
	var stopped atomic.Bool
	for range min(workers, len(in)) {
		all.Go(func() {
			for i := range todo {
				var out result
				if out.err = ctx.Err(); out.err == nil && !stopped.Load() {
					out.r, out.err = do(in[i])
				}
				done[i%len(done)] <- out
			}
		})
	}
	begun := 0
	end := func() { close(todo); all.Wait() }
	for i := range in {
		for ; begun < min(len(in), i+len(done)); begun++ {
			todo <- begun
		}
		out := <-done[i%len(done)]
		if err := sink(i, out.r, out.err); err != nil {
			stopped.Store(true)
			end()
			for i++; i < begun; i++ {
				if d, ok := any((<-done[i%len(done)]).r).(dropper); ok {
					d.drop()
				}
			}
			return err
		}
	}
	end()
	return ctx.Err()
}
