package model_test

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	seeds    = flag.Uint64("seeds", 5, "how many runs, with seeds from -seed")
	first    = flag.Uint64("seed", 1, "the first seed")
	steps    = flag.Int("steps", 100, "how many operations a run has")
	atOnce   = flag.Int("parallel", runtime.GOMAXPROCS(0), "how many runs at the same time")
	watchers = flag.Int("readers", 0, "how many goroutines read beside each writer; default 7 with -minutes, else none")
	minutes  = flag.Float64("minutes", 0, "go on with more seeds for as long, one run at a time")
	plant    = flag.Bool("plant", false, "let the twin be wrong, which is to be found")
)

// TestModel: some runs, or those that the flags ask for, differ in nothing.
func TestModel(t *testing.T) {
	if flag.NArg() > 0 || *seeds < 1 || *steps < 1 || *atOnce < 1 {
		t.Fatal("want flags only, and numbers above 0")
	}
	w := work{out: os.Stdout, seeds: *seeds, first: *first, steps: *steps, parallel: *atOnce, readers: *watchers, plant: *plant}
	if *minutes > 0 {
		w.parallel, w.until = 1, time.Now().Add(time.Duration(*minutes*float64(time.Minute)))
		if w.readers == 0 {
			w.readers = 7
		}
	}
	if !w.run(t.Context()) {
		t.Fail()
	}
}

// Readers beside the writer see nothing that differs.
func TestReaders(t *testing.T) {
	if w := (work{out: t.Output(), seeds: 2, first: 1, steps: 30, parallel: 2, readers: 2}); !w.run(t.Context()) {
		t.Fail()
	}
}

// A twin that is wrong is found, with the operations that show it.
func TestPlanted(t *testing.T) {
	var out strings.Builder
	w := work{out: &out, seeds: 20, first: 1, steps: 100, parallel: 2, plant: true}
	if w.run(t.Context()) || !strings.Contains(out.String(), "the fewest operations that differ") {
		t.Errorf("not found:\n%s", out.String())
	}
}
