package model_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// work is many runs.
type work struct {
	out                      io.Writer
	seeds, first             uint64
	steps, parallel, readers int
	until                    time.Time // zero: when all seeds are done
	plant                    bool
}

// run reports whether nothing differed.
func (w work) run(ctx context.Context) bool {
	began := time.Now()
	var next, done, differ atomic.Uint64
	var mu sync.Mutex // of the output
	var all sync.WaitGroup
	for range w.parallel {
		all.Go(func() {
			for ctx.Err() == nil && differ.Load() == 0 {
				n := next.Add(1) - 1
				if w.until.IsZero() && n >= w.seeds || !w.until.IsZero() && time.Now().After(w.until) {
					return
				}
				k := task{seed: w.first + n, plant: w.plant}
				for i := range w.steps {
					k.operations = append(k.operations, i)
				}
				said, found := w.one(ctx, k)
				done.Add(1)
				if found == "" {
					continue
				}
				differ.Add(1)
				mu.Lock()
				fmt.Fprintf(w.out, "seed %d: after %d operations: %s\n", k.seed, len(said), found)
				said, found = k.shrink(ctx, said, found)
				fmt.Fprintf(w.out, "the fewest operations that differ:\n  %s\n%s\nagain with: -seed %d -seeds 1 -steps %d\n", strings.Join(said, "\n  "), found, k.seed, w.steps)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Fprintf(w.out, "%d seeds of %d operations in %.0f s: %d differ\n", done.Load(), w.steps, time.Since(began).Seconds(), differ.Load())
	return differ.Load() == 0 && ctx.Err() == nil
}

// one does a task, with readers beside it.
func (w work) one(ctx context.Context, k task) (said []string, found string) {
	if w.readers == 0 {
		return k.run(ctx)
	}
	r := newReaders(ctx, w.readers, k.seed)
	k.publish = r.publish
	said, found = k.run(ctx)
	if wrong := r.end(); found == "" {
		found = wrong
	}
	return said, found
}

// shrink leaves operations out as long as something still differs, for a minute.
func (k task) shrink(ctx context.Context, said []string, found string) ([]string, string) {
	k.publish = nil
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for size := len(k.operations) / 2; size > 0; size /= 2 {
		for i := 0; i < len(k.operations); {
			less := k
			less.operations = append(append([]int{}, k.operations[:i]...), k.operations[min(len(k.operations), i+size):]...)
			if s, f := less.run(ctx); f != "" && ctx.Err() == nil {
				k, said, found = less, s, f
			} else {
				i += size
			}
		}
	}
	return said, found
}
