package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Opener opens worlds for operations, and has the Queue that does them a little at a time. A game
// gives the worlds that it has open anyway and its own Queue, so that its tick keeps its budget; Leased
// is for a server by itself.
type Opener interface {
	// Queue returns the Queue for operations. Someone else steps it.
	Queue() *edit.Queue
	// Open opens a world for one operation. author is who asks for it. The error wraps
	// history.ErrNoWorld if there is no such world, and history.ErrLeased if the world
	// cannot be had now.
	Open(ctx context.Context, name, author string) (*OpenArena, error)
	// Capture captures a world that is open, so that a snapshot has what no commit holds yet. It
	// returns nil if the world is not open: then the newest version is saved.
	Capture(ctx context.Context, name string) (*world.Capture, error)
}

// OpenArena is an arena that is open for an operation.
type OpenArena struct {
	*edit.Arena
	// Lost is closed when the world can no longer be saved. nil: never.
	Lost <-chan struct{}
	// Close ends the operation; it is called once. With save it commits the changes and returns the
	// commit; a world that a game saves anyway may leave that to the game and return the zero
	// Commit. Without save the changes may be dropped. nil: there is nothing to do.
	Close func(ctx context.Context, save bool, message string) (history.Commit, error)
}

// Leased opens stored worlds that nobody else holds: each operation takes the lease of its
// world, and gives it back when it has ended. The caller calls Step, for
// example 20 times a second. Any number of goroutines may call its methods.
type Leased struct {
	st     history.Store
	holder string
	o      world.Options
	queue  *edit.Queue

	work sync.WaitGroup
	mu   sync.Mutex
	busy map[string]bool // worlds that are open
}

var _ Opener = (*Leased)(nil)

// leaseTime is how long a lease is taken and renewed for. A third of it passes between renewals.
const leaseTime = time.Minute

// NewLeased returns Leased of a Store. holder identifies the server to other
// programs that want its worlds, and must be unique: a server that restarts under the same name gets
// its worlds back at once. Of the options of worlds, Author and Fence do not count; those of the
// queue bound what operations take. The caller closes it when nobody begins operations any more.
func NewLeased(st history.Store, holder string, o world.Options, queue edit.Options) *Leased {
	o.Relight = true
	return &Leased{st: st, holder: cmp.Or(holder, "cairn serve"), o: o, queue: edit.New(queue), busy: make(map[string]bool)}
}

func (a *Leased) Queue() *edit.Queue { return a.queue }

// Step works on operations for the time of a Step of package edit.
func (a *Leased) Step(now time.Time) { a.queue.Step(now, 0) }

// Close cancels all operations, and waits until all worlds are closed and their leases have ended.
func (a *Leased) Close() {
	a.queue.Close()
	a.work.Wait()
}

// Capture returns nil: all changes are stored.
func (a *Leased) Capture(context.Context, string) (*world.Capture, error) { return nil, nil }

func (a *Leased) Open(ctx context.Context, name, author string) (_ *OpenArena, err error) {
	if !a.take(name) {
		return nil, fmt.Errorf("arena: an operation works on %s: %w", name, history.ErrLeased)
	}
	defer func() {
		if err != nil {
			a.give(name)
		}
	}()
	lease, err := a.st.Lease(ctx, name, a.holder, leaseTime)
	if err != nil {
		return nil, err
	}
	o := a.o
	o.Author, o.Fence = author, lease.Fence
	w, err := world.Open(ctx, a.st, name, o)
	if err != nil {
		return nil, errors.Join(err, a.st.Release(context.WithoutCancel(ctx), name, lease.Fence))
	}
	lost := make(chan struct{})
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		a.renew(renewing, w, lost)
	}()
	return &OpenArena{Arena: &edit.Arena{Name: name, World: w, Light: edit.WorldLight{}}, Lost: lost, Close: func(ctx context.Context, save bool, message string) (c history.Commit, err error) {
		if save {
			c, err = w.Commit(ctx, message)
		}
		stop()
		<-renewed
		ctx = context.WithoutCancel(ctx)
		err = errors.Join(err, w.Close())
		if end := a.st.Release(ctx, name, w.Fence()); !errors.Is(end, history.ErrFenced) {
			err = errors.Join(err, end)
		}
		a.give(name)
		return c, err
	}}, nil
}

// renew renews the lease of a world until ctx ends or the lease is lost.
func (a *Leased) renew(ctx context.Context, w *world.World, lost chan<- struct{}) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := a.st.Renew(ctx, w.Name(), w.Fence(), leaseTime); errors.Is(err, history.ErrFenced) {
				close(lost)
				return
			}
		}
	}
}

func (a *Leased) take(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[name] {
		return false
	}
	a.busy[name] = true
	a.work.Add(1)
	return true
}

func (a *Leased) give(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.busy, name)
	a.work.Done()
}
