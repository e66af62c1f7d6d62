// Package autosave keeps many open worlds for a game or a server. A Fleet takes the leases of
// worlds, opens them, saves them, renews the leases, and closes worlds that their players left.
//
// The game calls Step at each tick with the time of its own clock. Step decides and returns at
// once; saves, renewals and closings run beside the game. The Fleet saves a world every few
// minutes, and sooner the more it changed. Some seconds after the last player left, the Fleet
// saves and closes the world. A world has one save at a time, so that its saves keep their
// order. Options.AtOnce bounds the saves of all worlds; waiting worlds are saved in the order
// in which they were due. A failed save is retried after growing delays. Step returns as Events
// what the game must know: failed saves, closed worlds, and worlds whose lease was lost.
//
// Close ends a Fleet: it saves the remaining changes, and returns the worlds that it could not
// save.
//
// The example Game is one game: a Fleet keeps its worlds, object.Movers move what lives in them, a
// stream.Server shows them. Options.Closing says when the last two are to end.
package autosave

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// ErrClosed says that the Fleet was closed.
var ErrClosed = errors.New("the fleet is closed")

// Fleet holds the open worlds of a game, each under a lease. Any number of goroutines may use
// it. Open and Close do I/O; Step and Backlog do not wait for I/O.
type Fleet struct {
	st     history.Store
	holder string
	o      Options // resolved
	policy *policy
	leases *leases
	ctx    context.Context // of saves, renewals and closings
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	stepping  sync.Mutex // held while a Step begins tasks, and when Close ends that
	now, last time.Time  // of the Fleet, and of the caller at the last Step; guarded by stepping

	mu      sync.Mutex // guards the fields below; taken after stepping
	members map[string]*member
	events  []WorldEvent
	adopted bool // a world that was to be closed stayed open
	ended   bool
}

// member is a world that is being opened, is open, or is being closed.
type member struct {
	kept *Kept         // nil while it is being opened
	busy bool          // it is being opened or closed
	done chan struct{} // closed when it no longer is
}

// WorldEvent is something that happened to a world since the last Step.
type WorldEvent struct {
	Name string
	Kind EventKind
	// Err is why a save failed or a world was lost. For a closed world it is why its lease
	// could not be ended; that lease ends when its time is over.
	Err error
	// Cells is how many of the changed cells that the Fleet knows of are lost or not yet
	// saved.
	Cells int
}

// EventKind is the kind of a WorldEvent.
type EventKind uint8

const (
	// Failed says that a save failed. It is tried again.
	Failed EventKind = iota
	// Lost says that the world belongs to someone else: its lease was lost, or it
	// was changed or deleted without one. What no commit holds cannot be saved. The
	// Fleet has closed it.
	Lost
	// Closed says that the world was saved and closed, and its lease ended.
	Closed
)

// String returns the kind as a word.
func (k EventKind) String() string {
	return [...]string{Failed: "failed", Lost: "lost", Closed: "closed"}[k]
}

// NewFleet returns a Fleet without worlds. holder names the game to other programs that want
// its worlds. A game that restarts under the same name gets worlds back at once, even if it did
// not end their leases. now is the time on the clock that steps the Fleet.
func NewFleet(st history.Store, holder string, now time.Time, o Options) *Fleet {
	if o.World.Cache == nil {
		o.World.Cache = stone.NewCache(cmp.Or(o.World.Memory, stone.CacheBytes))
	}
	p := newPolicy(now, o)
	f := &Fleet{st: st, holder: holder, o: p.o, policy: p, leases: newLeases(st, now, o.Lease), members: make(map[string]*member), now: now, last: now}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// Open takes the lease of a world, opens the world and saves it from now on. It returns a world
// that is already open. Open does I/O, and waits while the world is being closed. The error
// wraps history.ErrLeased if another program holds the world, and history.ErrNoWorld if the
// world does not exist and Options.Create is not set.
func (f *Fleet) Open(ctx context.Context, name string) (*Kept, error) {
	for {
		f.mu.Lock()
		m := f.members[name]
		switch {
		case f.ended:
			f.mu.Unlock()
			return nil, fmt.Errorf("autosave: %s: %w", name, ErrClosed)
		case m == nil:
			m = &member{busy: true, done: make(chan struct{})}
			f.members[name] = m
			f.tasks.Add(1)
			f.mu.Unlock()
			defer f.tasks.Done()
			return f.open(ctx, name, m)
		case !m.busy:
			f.mu.Unlock()
			return m.kept, nil
		}
		done := m.done
		f.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return nil, fmt.Errorf("autosave: %s: %w", name, ctx.Err())
		}
	}
}

func (f *Fleet) open(ctx context.Context, name string, m *member) (*Kept, error) {
	w, err := f.lease(ctx, name)
	f.mu.Lock()
	defer f.mu.Unlock()
	m.busy = false
	close(m.done)
	if err != nil {
		delete(f.members, name)
		return nil, err
	}
	f.leases.Hold(w)
	if m.kept, err = f.policy.Open(w); err != nil {
		panic("autosave: a world that is no member is in the policy: " + err.Error())
	}
	return m.kept, nil
}

// lease opens a world under a lease.
func (f *Fleet) lease(ctx context.Context, name string) (*world.World, error) {
	lease, err := f.leases.Take(ctx, name, f.holder)
	if f.o.Create && errors.Is(err, history.ErrNoWorld) {
		if err = f.st.Create(ctx, name); err == nil || errors.Is(err, history.ErrExists) {
			lease, err = f.leases.Take(ctx, name, f.holder)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("autosave: %s: %w", name, err)
	}
	o := f.o.World
	o.Fence = lease.Fence
	w, err := world.Open(ctx, f.st, name, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("autosave: %s: %w", name, err), f.st.Release(context.WithoutCancel(ctx), name, lease.Fence))
	}
	return w, nil
}

// Step sets the time. It begins the saves, renewals and closings that are due, and returns the events
// since the last Step. It does not wait, unless Options.Run does. A clock that was set back does not
// delay anything: time goes on for the Fleet from where it was.
func (f *Fleet) Step(now time.Time) []WorldEvent {
	f.begin(now)
	f.mu.Lock()
	defer f.mu.Unlock()
	events := f.events
	f.events = nil
	return events
}

func (f *Fleet) begin(now time.Time) {
	f.stepping.Lock()
	defer f.stepping.Unlock()
	f.mu.Lock()
	ended := f.ended
	f.mu.Unlock()
	if ended {
		return
	}
	f.now, f.last = f.now.Add(max(now.Sub(f.last), 0)), now
	now = f.now
	saves, closed := f.policy.Step(now)
	for _, s := range saves {
		f.run(func() { f.save(s) })
	}
	for _, w := range closed {
		if m := f.startClose(w.Name()); m != nil {
			f.run(func() { f.closeSaved(w.Name(), m) })
		}
	}
	due, lost := f.leases.Step(now)
	for _, r := range due {
		// A failed renewal is retried and shows in Backlog. A refused renewal shows in the
		// next Step.
		f.run(func() { _ = r.Run(f.ctx) })
	}
	for _, w := range lost {
		f.closeLost(w.Name(), history.ErrFenced)
	}
}

// run runs a task. Close waits for it.
func (f *Fleet) run(task func()) {
	f.tasks.Add(1)
	f.o.Run(func() {
		defer f.tasks.Done()
		task()
	})
}

// startClose marks an open world as one that is being closed, and returns it. It returns nil if the
// world is not open.
func (f *Fleet) startClose(name string) *member {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.members[name]
	if m == nil || m.busy {
		return nil
	}
	m.busy, m.done = true, make(chan struct{})
	return m
}

// finishClose completes a close that startClose began.
func (f *Fleet) finishClose(name string, m *member, e WorldEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.members, name)
	close(m.done)
	e.Name = name
	f.events = append(f.events, e)
}

func (f *Fleet) save(s *save) {
	err := s.Run(f.ctx)
	name := s.World.Name()
	switch {
	case err == nil:
	case errors.Is(err, history.ErrFenced), errors.Is(err, history.ErrConflict), errors.Is(err, history.ErrNoWorld):
		f.closeLost(name, err)
	default:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, WorldEvent{Name: name, Kind: Failed, Err: err, Cells: s.k.unsaved()})
	}
}

// closeSaved closes a world that has nothing to save, and ends its lease. A world that changed in
// the last moment stays open.
func (f *Fleet) closeSaved(name string, m *member) {
	f.o.Closing(m.kept)
	closed, err := m.kept.World().CloseSaved()
	if !closed && err == nil {
		f.mu.Lock() // before adopt: a Step that closes the world again waits until it is no longer busy
		defer f.mu.Unlock()
		f.policy.adopt(m.kept)
		m.busy, f.adopted = false, true
		close(m.done)
		return
	}
	f.finishClose(name, m, WorldEvent{Kind: Closed, Err: errors.Join(err, f.leases.Release(f.ctx, name))})
}

// closeLost closes a world that cannot be saved.
func (f *Fleet) closeLost(name string, why error) {
	m := f.startClose(name)
	if m == nil {
		return
	}
	m.kept.drop()
	f.leases.Drop(name)
	f.run(func() {
		if busy := m.kept.busy(); busy != nil {
			<-busy
		}
		f.o.Closing(m.kept)
		err := m.kept.World().Close()
		f.finishClose(name, m, WorldEvent{Kind: Lost, Err: errors.Join(why, err), Cells: m.kept.unsaved()})
	})
}

// Backlog returns how saves and renewals keep up, as of the last Step. It looks at every world.
func (f *Fleet) Backlog() Backlog {
	b := f.policy.Backlog()
	b.Unsure = f.leases.unsure()
	return b
}

// end stops Open and Step from beginning anything. It returns false if that was done before.
func (f *Fleet) end() bool {
	f.stepping.Lock()
	defer f.stepping.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	ended := f.ended
	f.ended = true
	return !ended
}

// Close saves every dirty world, the most changed first, closes all worlds and ends their
// leases. It returns the worlds that it could not save in the same order, or none. It retries
// failed saves as long as other saves succeed, and gives up when ctx ends. The error is about
// everything besides saves. Nothing can be opened afterwards. Changes that are made meanwhile
// may be lost, so a game stops first.
func (f *Fleet) Close(ctx context.Context) ([]Unsaved, error) {
	if !f.end() {
		return nil, fmt.Errorf("autosave: %w", ErrClosed)
	}
	left := f.policy.Drain(ctx)
	stop := context.AfterFunc(ctx, f.cancel)
	f.tasks.Wait()
	stop()
	f.cancel()
	names := slices.Sorted(maps.Keys(f.members))
	changed := f.adopted
	for _, name := range names {
		k := f.members[name].kept
		was := k.World().Dirty()
		f.o.Closing(k)
		changed = changed || !was && k.World().Dirty()
	}
	if changed {
		left = f.policy.Drain(ctx)
	}
	var errs []error
	for _, name := range names {
		k := f.members[name].kept
		k.drop()
		err := f.leases.Release(ctx, name)
		if errors.Is(err, history.ErrFenced) || errors.Is(err, history.ErrNoWorld) {
			err = nil // the world is lost; left lists it if it had changes
		}
		if err = errors.Join(err, k.World().Close()); err != nil {
			errs = append(errs, fmt.Errorf("autosave: %s: %w", name, err))
		}
	}
	return left, errors.Join(errs...)
}
