package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// stats is what clients saw.
type stats struct {
	loads, saves times
	mu           sync.Mutex
	errors       map[string]int // that were followed by another try, by what and code
}

func (s *stats) fault(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.errors == nil {
		s.errors = make(map[string]int)
	}
	s.errors[what]++
}

// times is how long calls took.
type times struct {
	mu      sync.Mutex
	all     []time.Duration
	longest time.Duration
	at      time.Duration // when the longest ended
}

// add reports whether no call took longer.
func (t *times) add(took, at time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, took)
	if took <= t.longest {
		return false
	}
	t.longest, t.at = took, at
	return true
}

func (t *times) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return "none"
	}
	slices.Sort(t.all)
	part := func(q float64) float64 { return t.all[int(q*float64(len(t.all)-1))].Seconds() }
	return fmt.Sprintf("%d, p50 %.3f s, p99 %.3f s, p99.9 %.3f s, longest %.1f s (ended at %.1f s)",
		len(t.all), part(0.5), part(0.99), part(0.999), t.longest.Seconds(), t.at.Seconds())
}

// print prints what happened.
func (f *fleet) print() {
	f.say("loads: %v", &f.stats.loads)
	f.say("saves: %v", &f.stats.saves)
	for _, what := range slices.Sorted(maps.Keys(f.stats.errors)) {
		f.say("tried again after %s: %d", what, f.stats.errors[what])
	}
	for _, what := range slices.Sorted(maps.Keys(f.faults)) {
		f.say("%4d  %s", f.faults[what], what)
	}
}
