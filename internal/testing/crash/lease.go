package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

// asleep is many rounds with writers that both believe they own a world. They are
// stopped while they believe it.
type asleep struct {
	seed   uint64
	st     history.Store // for calls that are not the writers'
	url    string        // of the same store
	slack  time.Duration // by which the store's clock may differ from this machine's
	poll   time.Duration // between looks whether a lease is over
	out    io.Writer     // gets how far it is; may be nil
	mu     sync.Mutex
	counts counts
}

// counts says what happened in the rounds.
type counts struct {
	rounds, calls, stops, inCalls int
	saves, steals                 int
	refused                       map[string]int
	servers                       int // stops of servers
	late                          int // refusals of a writer's calls after it was stopped
}

const (
	teamSize = 3
	minLease = 15 * time.Millisecond
	maxLease = 60 * time.Millisecond
)

// runAsleep prints what happened in the rounds. It keeps a directory with losses.
func (p plan) runAsleep(ctx context.Context, out io.Writer) error {
	base, err := os.MkdirTemp(p.dir, "crash")
	if err != nil {
		return err
	}
	if p.cluster {
		if err := p.asleepInCluster(ctx, base, out); err != nil {
			return fmt.Errorf("in %s: %w", base, err)
		}
		fmt.Fprintln(out, "0 losses")
		return os.RemoveAll(base)
	}
	h := p.host
	h.dir = filepath.Join(base, "store")
	server, url, st, err := h.open(ctx)
	if err != nil {
		return err
	}
	a := &asleep{seed: p.seed, st: st, url: url, poll: time.Millisecond, counts: counts{refused: make(map[string]int)}}
	err = a.run(ctx, p.n, p.clients)
	a.print(out)
	if err = errors.Join(err, st.Close(), server.stop()); err == nil {
		err = h.whole(ctx, nil)
	}
	if err != nil {
		return fmt.Errorf("in %s: %w", base, err)
	}
	fmt.Fprintln(out, "0 losses")
	return os.RemoveAll(base)
}

// run makes n rounds with several teams of writers at the same time.
func (a *asleep) run(ctx context.Context, n, teams int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rounds := make(chan uint64)
	var all sync.WaitGroup
	for range teams {
		all.Go(func() {
			if err := a.team(ctx, rounds); err != nil {
				cancel(err)
			}
		})
	}
	for i := range uint64(n) {
		select {
		case rounds <- a.seed + i:
		case <-ctx.Done():
		}
	}
	close(rounds)
	all.Wait()
	return context.Cause(ctx)
}

// team makes round after round with the same writers. Each round has a world of its
// own.
func (a *asleep) team(ctx context.Context, rounds <-chan uint64) (err error) {
	var writers []*writer
	for i := range teamSize {
		w, err := startWriter(ctx, i, a.url)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.close()) }()
		writers = append(writers, w)
	}
	for seed := range rounds {
		r := &bout{asleep: a, writers: writers, world: fmt.Sprintf("asleep/%d", seed), rng: rand.New(rand.NewPCG(seed, 0))}
		if err := r.run(ctx); err != nil {
			return fmt.Errorf("%w\nagain, as far as time allows: -asleep -n 1 -seed %d", err, seed)
		}
	}
	return nil
}

func (a *asleep) print(to io.Writer) {
	c := &a.counts
	fmt.Fprintf(to, "%d rounds: %d calls, %d stops, %d of them in a call; %d saves, %d leases stolen\n",
		c.rounds, c.calls, c.stops, c.inCalls, c.saves, c.steals)
	fmt.Fprintf(to, "refused: %d leased, %d fenced, %d conflict; %d of them to a writer that was stopped before\n",
		c.refused[leased], c.refused[fenced], c.refused[conflict], c.late)
}

// asleepInCluster makes rounds at the servers of a cluster. It stops servers too, for
// less time than clients wait.
func (p plan) asleepInCluster(ctx context.Context, dir string, out io.Writer) error {
	c, err := p.startCluster(ctx, dir, 0, "--versions", "all") // a save that is not in the log was lost
	if err != nil {
		return err
	}
	defer c.Close()                                             // nothing is kept
	if err := os.Setenv(client.TokenEnv, c.Token); err != nil { // for writers
		return err
	}
	st, err := client.Open(ctx, c.URL(), client.Options{Token: c.Token})
	if err != nil {
		return err
	}
	a := &asleep{seed: p.seed, st: st, url: c.URL(), out: out, slack: time.Second, poll: 5 * time.Millisecond, counts: counts{refused: make(map[string]int)}}
	if p.catalogue != parts.OnPostgres {
		a.slack = 3 * time.Second // the bucket tells the time in seconds
	}
	stopping, stop := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- stopServers(stopping, c, p.seed, &a.counts) }()
	err = a.run(ctx, p.n, p.clients)
	stop()
	err = errors.Join(err, <-stopped)
	a.print(out)
	fmt.Fprintf(out, "%d stops of a server\n", a.counts.servers)
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	f := &fleet{cluster: c, out: out, began: time.Now()}
	return f.check(ctx)
}

// stopServers stops one server after the other where it is, and continues it.
func stopServers(ctx context.Context, c *parts.Cluster, seed uint64, n *counts) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for idle(ctx, rng, 100*time.Millisecond, time.Second) {
		s := c.Servers[rng.IntN(len(c.Servers))]
		if err := s.Pause(); err != nil {
			return err
		}
		idle(ctx, rng, 10*time.Millisecond, 150*time.Millisecond)
		if err := s.Continue(); err != nil {
			return err
		}
		n.servers++
	}
	return nil
}
