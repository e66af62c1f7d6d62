package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// fleet is clients that save and load worlds of a cluster while its parts fail. Each
// world belongs to one client, which knows what it must hold.
type fleet struct {
	seed    uint64
	cluster *parts.Cluster
	out     io.Writer
	worlds  int
	rate    float64 // calls a second by all clients together, or 0
	proto   version // all worlds are forks of it

	clients []*player
	began   time.Time
	said    sync.Mutex
	faults  map[string]int
	stats   stats
}

// The mix of the source: saves and loads a minute.
const (
	sourceSaves = 3300
	sourceLoads = 904
)

const (
	protoName = "template"
	maxDisk   = 12 << 30
	maxLoad   = 15 * time.Second // as long as a promotion may take
	fillers   = 32
)

// runCluster starts a cluster and prints what happened to it. It keeps the directory
// of one with losses.
func (p plan) runCluster(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp(p.dir, "crash")
	if err != nil {
		return err
	}
	err = p.inCluster(ctx, dir, out)
	if err != nil {
		return fmt.Errorf("in %s: %w\nagain, as far as time allows: -cluster -catalogue %s -minutes %v -worlds %d -clients %d -rate %v -no-standby=%t -pairs=%t -weed=%t -seed %d",
			dir, err, p.catalogue, p.minutes, p.crowd, p.clients, p.rate, p.alone, p.pairs, p.weed, p.seed)
	}
	fmt.Fprintln(out, "0 losses")
	return os.RemoveAll(dir)
}

func (p plan) inCluster(ctx context.Context, dir string, out io.Writer) error {
	c, err := p.startCluster(ctx, dir, maxDisk)
	if err != nil {
		return err
	}
	f := &fleet{seed: p.seed, cluster: c, out: out, worlds: p.crowd, rate: p.rate, began: time.Now(), faults: make(map[string]int)}
	err = f.run(ctx, p)
	return errors.Join(err, c.Close())
}

// startCluster starts a cluster of cairn as it is built from here, or of -cairn. The
// servers get further flags.
func (p plan) startCluster(ctx context.Context, dir string, disk int64, serve ...string) (*parts.Cluster, error) {
	names := parts.Quick
	if p.weed {
		names = append(slices.Clone(names), "weed")
	}
	programs, missing, err := parts.Get(ctx, os.Stderr, names...)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "without %s, which cannot be had here\n", strings.Join(missing, ", "))
	}
	if err := os.Setenv(parts.Env, programs); err != nil {
		return nil, err
	}
	cairn := p.host.cairn
	if cairn == "" {
		if cairn, err = parts.BuildCairn(ctx, dir); err != nil {
			return nil, err
		}
	}
	o := parts.ClusterOptions{Cairn: cairn, Catalogue: p.catalogue, Weed: p.weed, Proxies: true,
		Serve: []string{"--drain", "5s", "--collect-every", "30s", "--grace", "2m", "--memory", "512MiB"}}
	o.Serve = append(o.Serve, serve...)
	o.Postgres.Async = p.alone
	if os.Geteuid() == 0 {
		o.MinIO.Disk, o.WeedDisk = disk, disk/16
	}
	return parts.StartCluster(ctx, dir, o)
}

// run lets clients work for the time of the plan, and then compares.
func (f *fleet) run(ctx context.Context, p plan) error {
	st, err := client.Open(ctx, f.cluster.URL(), client.Options{Token: f.cluster.Token})
	if err != nil {
		return err
	}
	if err = f.fill(ctx, st); err == nil {
		err = f.work(ctx, p)
	}
	f.print()
	var slow error // what was lost is looked for all the same
	if longest := f.stats.loads.longest; longest > maxLoad && !p.alone && !p.pairs {
		slow = fmt.Errorf("a load took %v: want at most %v", longest, maxLoad)
	}
	if err == nil {
		err = f.compare(ctx, st)
	}
	if err = errors.Join(err, st.Close()); err == nil {
		err = f.check(ctx)
	}
	return errors.Join(err, slow)
}

// name returns the name of a world.
func (f *fleet) name(i int) string { return fmt.Sprintf("w/%06d", i) }

// fill makes the worlds.
func (f *fleet) fill(ctx context.Context, st history.Store) error {
	rng := rand.New(rand.NewPCG(f.seed, 0))
	for range 30 {
		f.proto.Content = f.proto.Content.next(rng, 24<<10)
	}
	w, err := world.Create(ctx, st, protoName, world.Options{Author: "crash"})
	if err != nil {
		return err
	}
	_, err = w.Update(func(tx *world.Tx) error { return f.proto.Content.write(tx, content{}) })
	if err == nil {
		var c history.Commit
		c, err = w.Commit(ctx, "template")
		f.proto.ID = c.ID()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	began := time.Now()
	err = each(ctx, fillers, f.worlds, func(ctx context.Context, i int) error {
		return st.Fork(ctx, protoName, f.proto.ID, f.name(i))
	})
	f.say("%d worlds made in %.0f s", f.worlds, time.Since(began).Seconds())
	return err
}

// each calls what for 0 to n-1 on several goroutines until one call fails.
func each(ctx context.Context, parallel, n int, what func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var next atomic.Int64
	for range parallel {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := what(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// work lets the clients work while things fail. It returns when all is whole again
// and every client knows the result of its last call.
func (f *fleet) work(ctx context.Context, p plan) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var supervising, working sync.WaitGroup
	if f.cluster.Postgres != nil {
		supervising.Go(func() { f.cluster.Postgres.Supervise(ctx, f.told) })
	}
	var over atomic.Bool
	for i := range p.clients {
		c, err := f.player(ctx, i, p.clients)
		if err != nil {
			return err
		}
		f.clients = append(f.clients, c)
		working.Go(func() {
			if err := errors.Join(c.run(ctx, &over), c.close()); err != nil {
				cancel(err)
			}
		})
	}
	if err := f.fail(ctx, p); err != nil {
		cancel(err)
	}
	over.Store(true)
	working.Wait()
	err := context.Cause(ctx)
	cancel(nil)
	supervising.Wait()
	return err
}

// told prints what the supervisor did.
func (f *fleet) told(what string, err error) {
	if err != nil {
		f.say("%s: %v", what, err)
		return
	}
	f.count(what)
	f.say("%s", what)
}

func (f *fleet) count(what string) {
	f.said.Lock()
	defer f.said.Unlock()
	f.faults[what]++
}

func (f *fleet) say(format string, args ...any) {
	f.said.Lock()
	defer f.said.Unlock()
	fmt.Fprintf(f.out, "%7.1f s  %s\n", time.Since(f.began).Seconds(), fmt.Sprintf(format, args...))
}

// compare compares every world with what its client knows of it.
func (f *fleet) compare(ctx context.Context, st history.Store) error {
	began := time.Now()
	known := make(map[int]*island)
	for _, c := range f.clients {
		for i, is := range c.islands {
			known[i] = is
		}
	}
	names := 0
	for after := ""; ; {
		page, err := st.List(ctx, "w/", after, wire.MaxNames)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		names, after = names+len(page), page[len(page)-1]
	}
	if names != f.worlds {
		return fmt.Errorf("lost: there are %d worlds: want %d", names, f.worlds)
	}
	err := each(ctx, fillers, f.worlds, func(ctx context.Context, i int) error {
		is := known[i]
		if is == nil {
			head, err := st.Head(ctx, f.name(i))
			if err == nil && head.Commit != f.proto.ID {
				err = fmt.Errorf("lost: %s: the head is %v: want that of the template, %v", f.name(i), head.Commit, f.proto.ID)
			}
			return err
		}
		return is.compare(ctx, st, f.name(i))
	})
	f.say("%d worlds compared in %.0f s, %d of them were saved", f.worlds, time.Since(began).Seconds(), len(known))
	return err
}

// check verifies everything in the cluster without a server.
func (f *fleet) check(ctx context.Context) error {
	for _, s := range f.cluster.Servers {
		if err := s.Stop(); err != nil {
			return err
		}
	}
	began := time.Now()
	cmd := exec.CommandContext(ctx, f.cluster.Cairn(), "check", f.cluster.Store())
	cmd.Env = append(os.Environ(), f.cluster.Env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("check: %w: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	f.say("check in %.0f s: %s", time.Since(began).Seconds(), lines[len(lines)-1])
	return nil
}
