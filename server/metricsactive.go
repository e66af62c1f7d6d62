package server

import (
	"hash/maphash"
	"sync"
	"time"
)

// active counts the worlds that were loaded or saved lately. Of those that were
// not it forgets one half at a time.
type active struct {
	mu    sync.Mutex // guards what follows
	seed  maphash.Seed
	since time.Time           // when young began
	young map[uint64]struct{} // hashes of names
	old   map[uint64]struct{}
	both  int // how many of young are in old
}

const (
	activeFor = 5 * time.Minute
	maxActive = 1 << 20 // in each half
)

// saw notes that a world was loaded or saved.
func (a *active) saw(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.young == nil {
		a.seed, a.young = maphash.MakeSeed(), make(map[uint64]struct{})
	}
	h := maphash.String(a.seed, name)
	if _, ok := a.young[h]; ok || len(a.young) >= maxActive {
		return
	}
	a.young[h] = struct{}{}
	if _, ok := a.old[h]; ok {
		a.both++
	}
}

// step sets the time.
func (a *active) step(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.young != nil && now.Sub(a.since) >= activeFor {
		a.old, a.young, a.both = a.young, make(map[uint64]struct{}), 0
		a.since = now
	}
}

func (a *active) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.young) + len(a.old) - a.both
}
