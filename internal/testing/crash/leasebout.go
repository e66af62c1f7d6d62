package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// bout is one round. The first writer owns the world until it is stopped. Another
// waits until the lease is over and takes it. Then the first continues.
type bout struct {
	*asleep
	writers []*writer
	world   string
	rng     *rand.Rand

	calls   sync.Mutex
	history []done
}

// actor is the belief of a writer of a bout.
type actor struct {
	*bout
	*writer
	rng     *rand.Rand
	holder  string
	head    history.Head
	stopped bool // once
}

func (b *bout) run(ctx context.Context) error {
	err := b.st.Create(ctx, b.world)
	for tries := 1; errors.Is(err, history.ErrAway) && tries < 10; tries++ { // a slow catalogue, with stopped servers
		if err = b.st.Create(ctx, b.world); errors.Is(err, history.ErrExists) {
			err = nil // by an earlier try: no other round has the name
		}
	}
	if err != nil {
		return err
	}
	var actors []*actor
	for _, w := range b.writers[:2+b.rng.IntN(teamSize-1)] {
		actors = append(actors, &actor{bout: b, writer: w, rng: rand.New(rand.NewPCG(b.rng.Uint64(), 0)),
			holder: fmt.Sprintf("writer %d", w.number)})
	}
	if b.rng.IntN(4) == 0 {
		actors[1].holder = actors[0].holder // as after a restart
	}
	if err := actors[0].own(); err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, len(actors)+1)
	all.Go(func() { errs[0] = actors[0].steps(8 + actors[0].rng.IntN(8)) })
	all.Go(func() { errs[1] = b.sleep(ctx, actors[0]) })
	for i, a := range actors[1:] {
		all.Go(func() { errs[i+2] = errors.Join(a.steal(), a.steps(3+a.rng.IntN(6))) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return b.check(ctx)
}

// sleep stops a's process at some moment, until some time after the end of its lease
// by the store.
func (b *bout) sleep(ctx context.Context, a *actor) error {
	time.Sleep(time.Duration(b.rng.IntN(15000)) * time.Microsecond)
	inCall, err := a.stop()
	if err != nil {
		return err
	}
	err = b.over(ctx)
	time.Sleep(time.Duration(b.rng.IntN(40)) * time.Millisecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts.stops++
	if inCall {
		b.counts.inCalls++
	}
	a.stopped = true
	return errors.Join(err, a.goOn())
}

// over waits until the current lease is over by the store's clock, or stolen.
func (b *bout) over(ctx context.Context) error {
	first, err := b.st.Leased(ctx, b.world)
	for now := first; err == nil && now.Fence == first.Fence && now.Fence != 0; now, err = b.st.Leased(ctx, b.world) {
		time.Sleep(b.poll)
	}
	return err
}

// steal asks for the lease until it gets it.
func (a *actor) steal() error {
	for {
		d, err := a.lease()
		if err != nil || d.Fault == "" {
			return errors.Join(err, a.look())
		}
		time.Sleep(time.Duration(1+a.rng.IntN(5)) * time.Millisecond)
	}
}

// own takes the lease of a world without one.
func (a *actor) own() error {
	if _, err := a.lease(); err != nil {
		return err
	}
	return a.look()
}

// steps makes n calls.
func (a *actor) steps(n int) error {
	for range n {
		if err := a.step(); err != nil {
			return err
		}
		time.Sleep(time.Duration(a.rng.IntN(3000)) * time.Microsecond)
	}
	return nil
}

// step makes a call, mostly one that an owner of the world would make.
func (a *actor) step() error {
	switch dice := a.rng.IntN(20); {
	case dice < 11:
		return a.save(write, a.head.Fence)
	case dice < 12:
		return a.save(goBack, a.head.Fence)
	case dice < 14:
		return a.save(write, 0)
	case dice < 17:
		_, err := a.call(deed{Kind: renew, Base: a.head, For: a.time()})
		return err
	case dice < 18:
		_, err := a.call(deed{Kind: give, Base: a.head})
		return err
	case dice < 19:
		_, err := a.lease()
		return err
	}
	return a.look()
}

func (a *actor) time() time.Duration {
	return minLease + time.Duration(a.rng.Int64N(int64(maxLease-minLease)))
}

func (a *actor) lease() (done, error) {
	d, err := a.call(deed{Kind: take, Holder: a.holder, For: a.time()})
	if err == nil && d.Fault == "" {
		a.head.Fence = d.Head.Fence
	}
	return d, err
}

// look reads the head, but not the fence of another writer.
func (a *actor) look() error {
	d, err := a.call(deed{Kind: look})
	if err == nil && d.Fault == "" {
		a.head.Commit = d.Head.Commit
	}
	return err
}

// save commits on what the writer believes to be the head. Sometimes a refused
// writer looks and tries once more; that must not help it.
func (a *actor) save(kind string, fence uint64) error {
	for try := range 2 {
		base := history.Head{Commit: a.head.Commit, Fence: fence}
		d, err := a.call(deed{Kind: kind, Base: base, Message: fmt.Sprintf("%d by %d", a.rng.Uint64(), a.number)})
		switch {
		case err != nil:
			return err
		case d.Fault == "":
			a.head.Commit = d.Head.Commit
			if kind == goBack && fence != 0 && (base.Commit != history.ID{}) {
				a.head.Fence++
			}
			return nil
		case try > 0 || a.rng.IntN(2) == 0:
			return nil
		}
		if err := a.look(); err != nil {
			return err
		}
	}
	return nil
}

// call makes the writer make a call, and records it.
func (a *actor) call(d deed) (done, error) {
	d.World = a.world
	out, err := a.do(d)
	out.slack = a.slack
	if err != nil {
		return out, err
	}
	a.calls.Lock()
	a.history = append(a.history, out)
	a.calls.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts.add(out, a.stopped)
	return out, nil
}

func (c *counts) add(d done, late bool) {
	c.calls++
	switch {
	case d.refused():
		c.refused[d.Fault]++
		if late {
			c.late++
		}
	case d.Fault == "" && (d.Kind == write || d.Kind == goBack):
		c.saves++
	case d.Fault == "" && d.Kind == take && d.Head.Fence > 1:
		c.steals++
	}
}

// check compares the answers with what is in the store.
func (b *bout) check(ctx context.Context) error {
	b.mu.Lock()
	b.counts.rounds++
	if b.counts.rounds%1000 == 0 && b.out != nil {
		fmt.Fprintf(b.out, "%d rounds\n", b.counts.rounds)
	}
	b.mu.Unlock()
	log, err := b.st.Log(ctx, b.world, history.ID{}, allNames)
	if err != nil {
		return err
	}
	there := make(map[string]history.Commit)
	for i, c := range log {
		there[c.Message] = c
		if i > 0 && log[i-1].Parent != c.ID() {
			return fmt.Errorf("%s: commit %v is not on %v", b.world, log[i-1].ID(), c.ID())
		}
	}
	return b.checkCalls(there)
}

// checkCalls checks that acknowledged commits exist and that the answers are
// consistent.
func (b *bout) checkCalls(there map[string]history.Commit) error {
	var calls []done
	for _, d := range b.history {
		c, ok := there[d.Message]
		switch {
		case d.Message == "":
		case ok && d.refused(), ok && d.Base.Commit != c.Parent:
			return fmt.Errorf("%s: commit %v is there: %s", b.world, c.ID(), d.since(d.From))
		case ok && d.Fault != "":
			d.Head.Commit = c.ID()
			d.Fault = ""
			d.Upto = time.Now()
		case !ok && d.Fault == "":
			return fmt.Errorf("%s: lost: %s", b.world, d.since(d.From))
		case !ok && !d.refused():
			continue // it did nothing
		}
		calls = append(calls, d)
		delete(there, d.Message)
	}
	if len(there) > 0 {
		return fmt.Errorf("%s: commits that nobody made: %v", b.world, there)
	}
	if err := linear(calls); err != nil {
		for _, d := range calls {
			err = fmt.Errorf("%w\n%s", err, d.since(calls[0].From))
		}
		return fmt.Errorf("%s: %w", b.world, err)
	}
	return nil
}
