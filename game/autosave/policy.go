package autosave

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// target is a world, as a policy sees it. Dirty is called often and under the policy's lock, so it
// must not do I/O or call the policy.
type target interface {
	Name() string
	Dirty() bool
	Commit(ctx context.Context, message string) (history.Commit, error)
}

// ErrOpen says that the policy has a world of that name already.
var ErrOpen = errors.New("a world of that name is open")

// policy decides when worlds are saved. It is told what happens to worlds, and returns at each
// Step which to save and which to close. A world has one save at a time, so that its saves keep
// their order. Any goroutine may call its methods and those of Kept and save. Only Drain and
// save.Run wait. An event costs O(log n) for n worlds. An event between two Steps counts as if
// it happened at the first.
type policy struct {
	o Options // resolved, which is done once

	mu       sync.Mutex // guards the fields below, and the Kepts
	now      time.Time  // of the last Step
	worlds   map[string]*Kept
	queue    queue // those without a save under way
	opened   int   // ever, to order worlds that are due at one time
	running  int   // saves
	draining int   // calls of Drain
}

// newPolicy returns a policy without worlds. now is the time on the clock that steps it.
func newPolicy(now time.Time, o Options) *policy {
	return &policy{o: o.resolved(), now: now, worlds: make(map[string]*Kept)}
}

// Open gives a world to the policy, which saves it from now on. It fails with ErrOpen if the
// policy has another world of that name.
func (p *policy) Open(w target) (*Kept, error) {
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

// Step sets the time, which must not go back. It returns the saves to begin, most overdue
// first, and the worlds to close. The caller runs each save with Run, or in another way
// followed by Done. A world to close has nothing to save, and the policy no longer has it. The
// caller loses nothing if it closes the world before the next change.
func (p *policy) Step(now time.Time) (saves []*save, closed []target) {
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

// Backlog says how saves keep up. When Late grows, a game should slow down: for example, open
// no more worlds or slow its editors.
type Backlog struct {
	Worlds  int           // open
	Running int           // running saves
	Waiting int           // due worlds that wait because of Options.AtOnce
	Failing int           // worlds whose last save failed
	Late    time.Duration // how long the first waiting world has waited
	Unsure  int           // worlds whose leases were not renewed in time: others may take them
}

// Backlog returns how saves keep up as of the last Step. It looks at every world.
func (p *policy) Backlog() Backlog {
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
