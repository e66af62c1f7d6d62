package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// serving kills a server on one directory again and again while clients work.
type serving struct {
	host
	seed           uint64
	clients, crowd int
	rng            *rand.Rand
	m              *model
	killed         map[string]int // by what was in progress
	slowest        time.Duration  // until the server was ready
}

const (
	maxServed  = 1500 // milliseconds until the kill
	wholeEvery = 10
)

// runServe prints what was in progress at the kills. It keeps a directory with
// losses.
func (p plan) runServe(ctx context.Context, out io.Writer) error {
	base, err := os.MkdirTemp(p.dir, "crash")
	if err != nil {
		return err
	}
	s := &serving{host: p.host, seed: p.seed, clients: p.clients, crowd: p.crowd, rng: rand.New(rand.NewPCG(p.seed, 0)),
		m: newModel(), killed: make(map[string]int)}
	s.dir = filepath.Join(base, "store")
	if err := s.run(ctx, p.n, out); err != nil {
		return fmt.Errorf("in %s: %w\nagain, as far as time allows: -serve -n %d -seed %d", base, err, p.n, p.seed)
	}
	for _, during := range slices.Sorted(maps.Keys(s.killed)) {
		fmt.Fprintf(out, "%-10s %4d\n", during, s.killed[during])
	}
	fmt.Fprintf(out, "%d kills of a server under %d calls, ready after %.2f s at most\n0 losses\n", p.n, s.m.Seq, s.slowest.Seconds())
	return os.RemoveAll(base)
}

// run kills a server n times.
func (s *serving) run(ctx context.Context, n int, out io.Writer) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	for i := range n {
		if err := s.kill(ctx, i); err != nil {
			return fmt.Errorf("kill %d: %w", i+1, err)
		}
		if (i+1)%wholeEvery == 0 {
			fmt.Fprintf(out, "%d kills: %d calls; ready after %.2f s at most\n", i+1, s.m.Seq, s.slowest.Seconds())
		}
	}
	if err := s.last(ctx); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	return nil
}

// crowdName returns the name of a world that never changes, as a base for forks.
func crowdName(i int) string { return fmt.Sprintf("%s%06d", crowd, i) }

const crowd = "crowd/" // sorts after the worlds of workers

// fill makes the crowd.
func (s *serving) fill(ctx context.Context) error {
	st, err := local.Open(s.dir, local.Options{})
	if err != nil {
		return err
	}
	err = s.populate(ctx, st)
	return errors.Join(err, st.Close())
}

func (s *serving) populate(ctx context.Context, st history.Store) error {
	if s.crowd == 0 {
		return nil
	}
	first, err := s.template(ctx, st)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, 64) // so many are synced together
	for k := range errs {
		all.Go(func() {
			for i := 1 + k; i < s.crowd && errs[k] == nil; i += len(errs) {
				errs[k] = st.Fork(ctx, crowdName(0), first.ID, crowdName(i))
			}
		})
	}
	all.Wait()
	s.m.Crowd, s.m.Template = s.crowd, first
	return errors.Join(errs...)
}

// template makes the world that the crowd is forked from.
func (s *serving) template(ctx context.Context, st history.Store) (version, error) {
	v := version{Content: content{}.next(s.rng, 1<<10)}
	w, err := world.Create(ctx, st, crowdName(0), world.Options{Author: "crash"})
	if err != nil {
		return v, err
	}
	if _, err = w.Update(func(tx *world.Tx) error { return v.Content.write(tx, content{}) }); err == nil {
		var c history.Commit
		c, err = w.Commit(ctx, "template")
		v.ID = c.ID()
	}
	return v, errors.Join(err, w.Close())
}

// kill starts the server, compares, lets clients work, and kills it. It kills some
// servers before they are ready.
func (s *serving) kill(ctx context.Context, i int) error {
	if (i+1)%wholeEvery == 0 {
		if err := s.whole(ctx, nil); err != nil {
			return err
		}
	}
	if s.rng.IntN(5) == 0 {
		s.killed[opening]++
		return s.abort(ctx)
	}
	p, _, st, err := s.open(ctx)
	if err != nil {
		return err
	}
	s.slowest = max(s.slowest, p.ready)
	err = s.reconcile(ctx, st)
	if err == nil {
		err = s.attack(ctx, p, st)
	}
	return errors.Join(err, p.kill(), ignore(st.Close()))
}

// abort kills a server while it starts.
func (s *serving) abort(ctx context.Context) error {
	p, err := s.start(ctx)
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(s.rng.IntN(150)) * time.Millisecond)
	return p.kill()
}

// attack lets clients work until the server is killed.
func (s *serving) attack(ctx context.Context, p *process, st history.Store) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	worked := make(chan error, 1)
	j := &journal{m: s.m, large: 1 << 20}
	seed := s.rng.Uint64()
	go func() { worked <- work(ctx, st, j, seed, s.clients, forever) }()
	select {
	case err := <-worked:
		return fmt.Errorf("the work ended by itself: %w", err)
	case <-time.After(time.Duration(s.rng.IntN(maxServed)) * time.Millisecond):
	}
	err := p.kill()
	cancel()
	<-worked // with the errors of the kill
	s.killed[s.m.doing()]++
	return err
}

// last compares everything through a server that ends by itself, and then without
// one.
func (s *serving) last(ctx context.Context) error {
	p, _, st, err := s.open(ctx)
	if err != nil {
		return err
	}
	s.slowest = max(s.slowest, p.ready)
	if err := s.reconcile(ctx, st); err != nil {
		return errors.Join(err, st.Close(), p.kill())
	}
	if err := errors.Join(st.Close(), p.stop()); err != nil {
		return err
	}
	return s.whole(ctx, func(st history.Store) error { return dig(ctx, st, s.m) })
}

// reconcile compares through a server everything that clients were told.
func (s *serving) reconcile(ctx context.Context, st history.Store) error {
	if err := reconcile(ctx, st, s.m); err != nil {
		return fmt.Errorf("lost: %w", err)
	}
	for name, log := range s.m.Worlds {
		if err := checkStones(ctx, st, name, headOf(log)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// checkStones reads all of a version's stones.
func checkStones(ctx context.Context, st history.Store, name string, at history.ID) error {
	if (at == history.ID{}) {
		return nil
	}
	layers, err := st.Stack(ctx, name, at)
	if err != nil {
		return err
	}
	for _, l := range layers {
		o, err := st.Open(ctx, name, l.Stone.ID)
		if err != nil {
			return err
		}
		if err := errors.Join(o.Check(ctx), o.Close()); err != nil {
			return fmt.Errorf("stone %v: %w", l.Stone.ID, err)
		}
	}
	return nil
}

// whole checks all of the store without a server, and then calls more.
func (h host) whole(ctx context.Context, more func(history.Store) error) error {
	st, err := local.Open(h.dir, local.Options{})
	if err != nil {
		return err
	}
	err = checkAll(ctx, st)
	if err == nil && more != nil {
		err = more(st)
	}
	return errors.Join(err, st.Close())
}

// ignore is for closing what a killed server leaves.
func ignore(error) error { return nil }

func isCrowd(name string) bool { return strings.HasPrefix(name, crowd) }
