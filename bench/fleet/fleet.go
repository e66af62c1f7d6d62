// Package fleet measures a network of game servers on a cluster: many programs, each
// with a fleet of open, leased worlds that players edit and that are saved by
// themselves, on several servers. Programs and servers are killed and come back.
package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store"
	_ "github.com/cairnvoxel/cairn/store/cluster" // opens cluster:FILE
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Defaults of Bench: the source has 1,500 game servers with 10 worlds each.
const (
	fleetWorlds  = 15_000
	fleetGames   = 50
	fleetSeconds = 300
	templates    = 20
	workers      = 32
)

// Report is what the fleets asked of the cluster while they ran.
type Report struct {
	Catalogue string  `json:"catalogue"`
	Worlds    int     `json:"open_worlds"`
	Games     int     `json:"game_processes"`
	Servers   int     `json:"servers"`
	Seconds   float64 `json:"seconds"` // that were measured
	// Killed are the games and servers that were killed meanwhile.
	KilledGames   int `json:"killed_games"`
	KilledServers int `json:"killed_servers"`
	// Requests are those of servers' routes, Calls those to the catalogue and the
	// bucket, both a second.
	Requests map[string]float64 `json:"requests_per_s"`
	Calls    map[string]float64 `json:"calls_per_s"`
	Played   tally              `json:"games"`
	// Cores are the processors that each kind of process kept busy.
	Cores map[string]float64 `json:"cores"`
	// Wrong are worlds that in the end are not what the games left.
	Wrong   int `json:"wrong_worlds"`
	Compare int `json:"compared_worlds"`
}

// Bench runs the fleets.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	o = o.WithLoad(fleetWorlds, fleetGames, fleetSeconds)
	r := &Report{Worlds: o.Worlds, Games: min(o.Clients, o.Worlds), Seconds: o.Seconds, Catalogue: cmp.Or(o.Catalogue, parts.OnPostgres)}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		o.Step(0, 0, "getting the programs of a cluster")
		programs, _, err := parts.Get(ctx, io.Discard, parts.Quick...)
		if err == nil {
			err = os.Setenv(parts.Env, programs)
		}
		if err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user
			return err
		}
		c, err := parts.StartCluster(ctx, dir+"/cluster", parts.ClusterOptions{Cairn: o.Cairn, Catalogue: r.Catalogue})
		if err != nil {
			return err
		}
		return errors.Join(r.run(ctx, c, o), c.Stop())
	})
	return r, err
}

func (r *Report) run(ctx context.Context, c *parts.Cluster, o lab.Options) error {
	r.Servers = len(c.Servers)
	st, err := store.Open(ctx, c.URL())
	if err != nil {
		return err
	}
	defer st.Close()
	if err := fill(ctx, st, o); err != nil {
		return err
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { c.Supervise(watched, nil) })
	games := make([]*game, r.Games)
	for i := range games {
		games[i] = &game{task: task{URL: c.URL(), Number: i, Games: r.Games, Worlds: o.Worlds, Seed: o.Seed}}
		if err := games[i].start(ctx); err != nil {
			return err
		}
	}
	o.Step(0, 0, "opening worlds")
	for _, g := range games {
		if err := g.wait(ctx, func(t tally) bool { return t.Open > 0 && t.Opening == 0 }); err != nil {
			return err
		}
	}
	if err := r.measure(ctx, c, games, o); err != nil {
		return err
	}
	for _, g := range games {
		if err := g.end(); err != nil {
			return err
		}
		r.Played.add(g.sum())
	}
	return r.compare(ctx, st, games)
}

func nameOf(i int) string { return fmt.Sprintf("island/%06d", i) }

// fill makes islands of templates. There are twice as many as are open at a time.
func fill(ctx context.Context, st history.Store, o lab.Options) error {
	var heads []history.ID
	for i := range templates {
		o.Step(i, templates, "making templates")
		name := fmt.Sprintf("template/%d", i)
		if _, err := island.ImportSource(ctx, st, name, terrain.Island(terrain.Options{Seed: o.Seed*1000 + uint64(i), Version: terrain.Modern})); err != nil {
			return err
		}
		h, err := st.Head(ctx, name)
		if err != nil {
			return err
		}
		heads = append(heads, h.Commit)
	}
	return inParallel(ctx, 2*o.Worlds, func(i int) error {
		if i%1000 == 0 {
			o.Step(i, 2*o.Worlds, "making islands")
		}
		return st.Fork(ctx, fmt.Sprintf("template/%d", i%templates), heads[i%templates], nameOf(i))
	})
}

func inParallel(ctx context.Context, n int, f func(i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

// measure watches for the time of the measurement, and kills.
func (r *Report) measure(ctx context.Context, c *parts.Cluster, games []*game, o lab.Options) error {
	w := watchOf(c)
	rng := rand.New(rand.NewPCG(o.Seed, 7))
	begun := time.Now()
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	killGame, killServer := o.Seconds/10, o.Seconds/5
	for {
		w.look(ctx)
		w.work(c, games)
		past := time.Since(begun).Seconds()
		if past >= o.Seconds {
			break
		}
		o.Step(int(past), int(o.Seconds), "playing")
		if past > killGame*float64(r.KilledGames+1) {
			r.KilledGames++
			if err := games[rng.IntN(len(games))].restart(ctx); err != nil {
				return err
			}
		}
		if past > killServer*float64(r.KilledServers+1) {
			r.KilledServers++
			if err := c.Servers[rng.IntN(len(c.Servers))].Kill(); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.Seconds = time.Since(begun).Seconds()
	r.Cores = make(map[string]float64)
	for what, spent := range w.spent {
		r.Cores[what] = spent.Seconds() / r.Seconds
	}
	r.Requests, r.Calls = w.rates("cairn_requests_total", r.Seconds), w.rates("cairn_store_calls_total", r.Seconds)
	return ctx.Err()
}

// compare opens worlds and compares their counts with those that the games left.
func (r *Report) compare(ctx context.Context, st history.Store, games []*game) error {
	var mu sync.Mutex
	var all []string
	want := make(map[string]uint64)
	for _, g := range games {
		for name, n := range g.last.Left {
			want[name] = n
			all = append(all, name)
		}
	}
	r.Compare = len(all)
	return inParallel(ctx, len(all), func(i int) error {
		h, err := st.Head(ctx, all[i])
		if err != nil {
			return err
		}
		s, err := world.OpenSnapshot(ctx, st, all[i], h.Commit, world.Options{})
		if err != nil {
			return err
		}
		n, err := countOf(s)
		if n != want[all[i]] {
			mu.Lock()
			r.Wrong++
			mu.Unlock()
		}
		return errors.Join(err, s.Close())
	})
}

// game is a process with a fleet.
type game struct {
	task
	process *exec.Cmd
	in      io.Closer
	mu      sync.Mutex // guards what follows
	changed chan struct{}
	last    tally
	before  tally // of the processes that were killed
	heard   chan struct{}
	said    strings.Builder
}

func (g *game) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	g.process = exec.CommandContext(ctx, self, ChildName)
	g.process.Stderr = &g.said
	in, err := g.process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := g.process.StdoutPipe()
	if err == nil {
		err = g.process.Start()
	}
	if err != nil {
		return err
	}
	g.in, g.changed, g.heard = in, make(chan struct{}, 1), make(chan struct{})
	go g.listen(out)
	return json.NewEncoder(in).Encode(g.task)
}

func (g *game) listen(from io.Reader) {
	defer close(g.heard)
	words := json.NewDecoder(from)
	for {
		var t tally
		if words.Decode(&t) != nil {
			return
		}
		g.mu.Lock()
		g.last = t
		g.mu.Unlock()
		select {
		case g.changed <- struct{}{}:
		default:
		}
	}
}

func (g *game) wait(ctx context.Context, until func(tally) bool) error {
	for {
		g.mu.Lock()
		t := g.last
		g.mu.Unlock()
		if until(t) {
			return nil
		}
		select {
		case <-g.changed:
		case <-g.heard:
			return fmt.Errorf("fleet: game %d has ended: %s", g.Number, g.said.String())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// restart kills the process and starts it again. Its name is the same, so it takes its
// worlds back at once.
func (g *game) restart(ctx context.Context) error {
	if err := g.process.Process.Kill(); err != nil {
		return err
	}
	<-g.heard
	_ = g.process.Wait() // it was killed
	g.before.add(g.last)
	g.last = tally{}
	return g.start(ctx)
}

// end lets the game save and close its worlds.
func (g *game) end() error {
	err := g.in.Close()
	<-g.heard
	if end := g.process.Wait(); end != nil {
		err = errors.Join(err, fmt.Errorf("fleet: game %d: %w: %s", g.Number, end, strings.TrimSpace(g.said.String())))
	}
	return err
}

func (g *game) sum() tally {
	t := g.before
	t.add(g.last)
	return t
}
