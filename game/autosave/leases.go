package autosave

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// leased is a world that was opened under a lease, such as *world.World.
type leased interface {
	Name() string
	// Fence is the number of the lease. It grows when the world goes back.
	Fence() uint64
}

// leases renews the leases of a game's worlds, each after a third of its time. Any goroutine
// may call its methods and those of renewal. Only Release and renewal.Run wait.
//
// A lease is lost only when the Store says so: a lease that is over can be renewed until
// someone else takes the world. The Store refuses saves under a lost lease, whatever leases
// believes.
type leases struct {
	st   history.Leases
	last time.Duration // of each

	mu      sync.Mutex // guards the fields below
	now     time.Time  // of the last Step
	next    time.Time  // before which nothing is due
	held    map[string]*lease
	holds   int // ever, to order those that are due at one time
	running int // renewals
	lost    []leased
}

type lease struct {
	w       leased
	order   int
	since   time.Time // when it was known to be held
	due     time.Time // for renewal
	running bool
	refused uint64 // the fence that the Store refused last
}

const (
	standardLease = time.Minute
	renewAtOnce   = 16
)

// newLeases returns leases without any lease. now is the time on the clock that steps it. each
// is how long a lease is taken and renewed for; the default is a minute.
func newLeases(st history.Leases, now time.Time, each time.Duration) *leases {
	return &leases{st: st, now: now, last: positive(each, standardLease), held: make(map[string]*lease)}
}

// Take takes a lease for a holder. The caller opens the world with its fence and then calls
// Hold.
func (l *leases) Take(ctx context.Context, name, holder string) (history.Lease, error) {
	return l.st.Lease(ctx, name, holder, l.last)
}

// Hold renews the lease of a world from now on. It replaces a lease of the same name.
func (l *leases) Hold(w leased) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[w.Name()] = &lease{w: w, order: l.holds, since: l.now, due: l.now.Add(l.last / 3)}
	l.holds++
	l.next = time.Time{}
}

// Drop stops renewing the lease of a world. The lease ends when its time is over.
func (l *leases) Drop(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, name)
}

// Release is Drop and ends the lease at once, so that others can take the world. It does
// nothing if the lease is not held.
func (l *leases) Release(ctx context.Context, name string) error {
	l.mu.Lock()
	h := l.held[name]
	delete(l.held, name)
	l.mu.Unlock()
	if h == nil {
		return nil
	}
	return l.st.Release(ctx, name, h.w.Fence())
}

// sure reports whether nobody else can have a held lease, as of the last Step: the Store gave or
// renewed it less than its time ago.
func (l *leases) sure(h *lease) bool { return l.now.Sub(h.since) < l.last }

// unsure returns the number of held leases that somebody else may have.
func (l *leases) unsure() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.held {
		if !l.sure(h) {
			n++
		}
	}
	return n
}

// Step sets the time, which must not go back. It returns the renewals to begin, most overdue
// first, and the worlds whose leases were lost since the last Step. Those worlds cannot be
// saved, so a game drops and closes them.
func (l *leases) Step(now time.Time) (due []*renewal, lost []leased) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.After(l.now) {
		l.now = now
	}
	lost, l.lost = l.lost, nil
	if l.now.Before(l.next) {
		return nil, lost
	}
	for _, h := range l.waiting() {
		if h.due.After(l.now) || l.running == renewAtOnce {
			l.next = h.due
			break
		}
		h.running = true
		l.running++
		due = append(due, &renewal{World: h.w, l: l, h: h, begun: l.now})
	}
	return due, lost
}

// waiting returns the leases that are not being renewed, in the order in which they are due.
func (l *leases) waiting() []*lease {
	l.next = l.now.Add(l.last) // if there is none; what is held or done sets it back
	var all []*lease
	for _, h := range l.held {
		if !h.running {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b *lease) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.order, b.order)) })
	return all
}

// renewal is one renewal of a lease. It is running until Run returns.
type renewal struct {
	World leased

	l     *leases
	h     *lease
	begun time.Time
}

// Run renews the lease. It may be called once. After an error the renewal is retried after a
// twelfth of the lease's time. A lease that is refused twice is lost.
func (r *renewal) Run(ctx context.Context) error {
	fence := r.World.Fence()
	_, err := r.l.st.Renew(ctx, r.World.Name(), fence, r.l.last)
	l, h := r.l, r.h
	l.mu.Lock()
	defer l.mu.Unlock()
	h.running = false
	l.running--
	l.next = time.Time{}
	h.due = l.now.Add(l.last / 12)
	switch {
	case err == nil:
		h.since, h.due = r.begun, r.begun.Add(l.last/3)
	case !errors.Is(err, history.ErrFenced) && !errors.Is(err, history.ErrNoWorld):
	case h.refused != fence: // the first refusal may be because the world is going back just now
		h.since, h.refused = time.Time{}, fence
	case l.held[r.World.Name()] == h:
		delete(l.held, r.World.Name())
		l.lost = append(l.lost, r.World)
	}
	return err
}
