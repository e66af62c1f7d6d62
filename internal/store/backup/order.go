package backup

import (
	"context"
	"sync"
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
	var all sync.WaitGroup
	defer all.Wait()
	ahead := make([]chan result, 0, len(in))
	slots := make(chan struct{}, max(1, workers))
	start := func(t T) chan result {
		c := make(chan result, 1)
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			var out result
			if out.err = ctx.Err(); out.err == nil {
				out.r, out.err = do(t)
			}
			c <- out
		})
		return c
	}
	for i := range in {
		for len(ahead) < len(in) && len(ahead) < i+2*max(1, workers) {
			ahead = append(ahead, start(in[len(ahead)]))
		}
		out := <-ahead[i]
		ahead[i] = nil
		if err := sink(i, out.r, out.err); err != nil {
			all.Wait()
			for _, c := range ahead[i+1:] {
				if d, ok := any((<-c).r).(dropper); ok {
					d.drop()
				}
			}
			return err
		}
	}
	return ctx.Err()
}
