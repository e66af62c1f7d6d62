// Command model does random operations on the public API of packages world and cairn, and on
// a twin of maps, and compares: dimensions, volumes of every kind, objects, dense chunks,
// commits, forks, restores, undo of several authors, packs, collections, captures, reopening,
// export and import. Each run follows from its seed. Of a run that differs it looks for the
// fewest operations that still do, and prints them.
//
// With -minutes it does not end before, and other goroutines read what a writer changes, so
// that the race detector has something to find.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	var seeds, steps, parallel, readers int
	var first uint64
	var minutes float64
	var plant bool
	flag.IntVar(&seeds, "seeds", 100, "how many runs, with seeds from -seed")
	flag.Uint64Var(&first, "seed", 1, "the first seed")
	flag.IntVar(&steps, "steps", 100, "how many operations a run has")
	flag.IntVar(&parallel, "parallel", runtime.GOMAXPROCS(0), "how many runs at the same time")
	flag.IntVar(&readers, "readers", 0, "how many goroutines read beside each writer; default 7 with -minutes, else none")
	flag.Float64Var(&minutes, "minutes", 0, "go on with more seeds for as long, one run at a time")
	flag.BoolVar(&plant, "plant", false, "let the twin be wrong, which is to be found")
	flag.Parse()
	if flag.NArg() > 0 || seeds < 1 || steps < 1 || parallel < 1 {
		fmt.Fprintln(os.Stderr, "model: want flags only, and numbers above 0")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := work{seeds: uint64(seeds), first: first, steps: steps, parallel: parallel, readers: readers, plant: plant}
	if minutes > 0 {
		w.parallel, w.until = 1, time.Now().Add(time.Duration(minutes*float64(time.Minute)))
		if readers == 0 {
			w.readers = 7
		}
	}
	if !w.run(ctx) {
		os.Exit(1)
	}
}

// work is many runs.
type work struct {
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
				fmt.Printf("seed %d: after %d operations: %s\n", k.seed, len(said), found)
				said, found = k.shrink(ctx, said, found)
				fmt.Printf("the fewest operations that differ:\n  %s\n%s\nagain with: -seed %d -seeds 1 -steps %d\n", strings.Join(said, "\n  "), found, k.seed, w.steps)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Printf("%d seeds of %d operations in %.0f s: %d differ\n", done.Load(), w.steps, time.Since(began).Seconds(), differ.Load())
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
