// Package autosave decides when open worlds are saved, for games that keep many
// of them and have a clock of their own: some seconds after the last player left,
// then to be closed; every few minutes otherwise; sooner the more was changed.
//
// A Policy is told what happens to worlds and says at each Step which are to be
// saved and which to be closed. A world has one save at a time, so that its saves
// keep their order; a bound of saves at once holds for all of them, and worlds
// that wait for room wait in the order in which they were due. A save that failed
// is tried again after delays that grow. Drain saves what is left before a game
// ends.
//
// Leases renews the leases that a game holds of its worlds, where others could
// take them, and says which were lost.
//
// The package has no clock, and between calls no goroutine: saves and renewals run
// where the caller runs them. It opens and closes no world, and catches no signal.
package autosave

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// World is what a Policy needs of a world; *world.World is one. Dirty is called
// often and under the Policy's lock: it may neither do I/O nor call the Policy.
type World interface {
	Name() string
	Dirty() bool
	Commit(ctx context.Context, message string) (history.Commit, error)
}

// ErrOpen says that the Policy has a world of that name already.
var ErrOpen = errors.New("a world of that name is open")

// Policy says when worlds are saved. All of its methods and those of Kept and
// Save may be called from any goroutine; none but Drain and Save.Run waits for
// anything. An event costs O(log n) of n worlds. What happens between two
// Steps counts as of the first of them.
type Policy struct {
	o Options // resolved

	mu       sync.Mutex // guards what follows, and the Kepts
	now      time.Time  // of the last Step
	worlds   map[string]*Kept
	queue    queue // those without a save under way
	opened   int   // ever, to order worlds that are due at one time
	running  int   // saves
	draining int   // calls of Drain
}

// New returns a Policy without worlds. now is the time on the clock that steps it.
func New(now time.Time, o Options) *Policy {
	return &Policy{o: o.resolved(), now: now, worlds: make(map[string]*Kept)}
}

// Open gives a world to the Policy, to be saved from now on. It fails with
// ErrOpen while the Policy has another of that name.
func (p *Policy) Open(w World) (*Kept, error) {
	name := w.Name()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.worlds[name] != nil {
		return nil, fmt.Errorf("autosave: %s: %w", name, ErrOpen)
	}
	k := &Kept{p: p, w: w, name: name, order: p.opened, last: p.now}
	p.opened++
	p.worlds[name] = k
	p.schedule(k)
	return k, nil
}

// Step sets the time, which never goes back, and returns the saves that are to be
// begun, most overdue first, and the worlds that are to be closed. The caller runs
// the saves, each by Run or as it likes followed by Done. A world to be closed has
// nothing that is not saved, and is not the Policy's any more: a caller that
// closes it before it changes it again loses nothing.
func (p *Policy) Step(now time.Time) (saves []*Save, closed []World) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.After(p.now) {
		p.now = now
	}
	for p.draining == 0 && len(p.queue) > 0 && !p.queue[0].due.After(p.now) {
		k := p.queue[0]
		switch {
		case !k.w.Dirty():
			if k.clean() {
				closed = append(closed, k.w)
			}
		case k.restless():
			k.again = true
			p.reschedule(k)
		case p.running >= p.o.AtOnce:
			return saves, closed
		default:
			saves = append(saves, p.begin(k))
		}
	}
	return saves, closed
}

// Backlog says how saves keep up. A game slows down when Late grows: it opens no
// more worlds, say, or slows its editors.
type Backlog struct {
	Worlds  int           // open
	Running int           // saves under way
	Waiting int           // worlds that are due and wait for room
	Failing int           // worlds whose last save failed
	Late    time.Duration // how long the first of the waiting has waited
}

// Backlog returns how saves keep up as of the last Step. It looks at every world.
func (p *Policy) Backlog() Backlog {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := Backlog{Worlds: len(p.worlds), Running: p.running, Waiting: p.queue.due(0, p.now)}
	if b.Waiting > 0 {
		b.Late = p.now.Sub(p.queue[0].due)
	}
	for _, k := range p.worlds {
		if k.fails > 0 {
			b.Failing++
		}
	}
	return b
}
