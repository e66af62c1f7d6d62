// Command crash shows that a store in a directory loses nothing that it
// acknowledged. It does random work, stops it in two ways, and compares the result
// with a model of what was acknowledged and what was in progress:
//
//   - It kills a child process that works in a directory of the disk (kill -9),
//     several times the same directory.
//   - It works in a file system in memory that remembers what was synced, and
//     looks at every sync at what the loss of power would leave there.
//   - With -serve it kills a server, while clients work at it.
//   - With -cluster it kills, stops, fills, empties and cuts off the real parts of a
//     cluster, while clients work at its servers. It needs what ./test parts builds.
//     With -pairs two of them fail at once: PostgreSQL's standby and then its primary
//     with the disk, MinIO and a server, and the clock jumps while a lease is held.
//     With -weed the bucket is a SeaweedFS with three volume servers, of which one dies
//     and one is full.
//
// With -asleep it stops and continues processes that write to worlds of a server
// under leases that are over, and looks whether the answers that they got fit into
// one order in which nothing is written over.
//
// It cannot show what a disk does that lies about a sync, and it does not repair.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/parts"
)

// plan is the task of a run.
type plan struct {
	seed         uint64
	kills, syncs int
	parallel     int
	dir          string // where directories to kill in are made

	serve, asleep  bool // instead of these
	cluster        bool // alone, or what asleep works at
	catalogue      string
	minutes, rate  float64
	alone          bool // without a synchronous standby
	pairs          bool // two things fail at once
	weed           bool // the bucket is a SeaweedFS
	n              int  // kills of servers, or rounds
	host           host
	clients, crowd int
}

func main() {
	if err, ok := obeyed(os.Args[1:]); ok {
		exit(err)
	}
	p, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case p.cluster && !p.asleep:
		err = p.runCluster(ctx, os.Stdout)
	case p.serve:
		err = p.runServe(ctx, os.Stdout)
	case p.asleep:
		err = p.runAsleep(ctx, os.Stdout)
	default:
		err = p.run(ctx, os.Stdout)
	}
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// obeyed does the task of a child process. It returns false if this process is not a
// child.
func obeyed(args []string) (error, bool) {
	switch {
	case len(args) == 1 && args[0] == childArg:
		return obey(os.Stdin, os.Stdout), true
	case len(args) == 3 && args[0] == serverArg:
		return obeyCalls(args[1], args[2], os.Stdout), true
	case len(args) == 2 && args[0] == writerArg:
		return obeyWriter(args[1]), true
	}
	return nil, false
}

// parse parses args. It prints what is wrong with them.
func parse(args []string) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("crash", flag.ContinueOnError)
	flags.IntVar(&p.n, "n", 200, "how many stops, one in ten of them a kill -9; of -serve kills, of -asleep rounds")
	flags.Uint64Var(&p.seed, "seed", 1, "of the work")
	flags.IntVar(&p.kills, "kill", -1, "how many times a process is killed; default a tenth of -n")
	flags.IntVar(&p.syncs, "sync", -1, "how many stops at syncs; default the rest of -n")
	flags.IntVar(&p.parallel, "parallel", runtime.GOMAXPROCS(0), "how many stores at the same time")
	flags.StringVar(&p.dir, "dir", os.TempDir(), "where to make the directories that processes are killed in")
	flags.BoolVar(&p.serve, "serve", false, "kill a server that clients work at")
	flags.BoolVar(&p.asleep, "asleep", false, "stop writers at a server until their leases are over")
	flags.StringVar(&p.host.cairn, "cairn", "", "the cairn that serves; default the server in this program")
	flags.StringVar(&p.host.plant, "plant", "", "a fault of the server in this program, which is to be found: early, unfenced")
	flags.IntVar(&p.clients, "clients", 0, "of -serve, default 8, or -cluster, default 16; for -asleep how many teams of writers, default 8")
	flags.IntVar(&p.crowd, "worlds", -1, "how many worlds -serve, default 1,000, or -cluster, default 100,000, begins with")
	flags.BoolVar(&p.cluster, "cluster", false, "let parts of a cluster fail that clients work at; with -asleep the writers work at one")
	flags.StringVar(&p.catalogue, "catalogue", parts.OnPostgres, "of -cluster: postgres, bucket or mongodb")
	flags.Float64Var(&p.minutes, "minutes", 30, "how long things fail in -cluster")
	flags.Float64Var(&p.rate, "rate", 0, "of -cluster: calls a second by all clients together; 0 is as many as they can, the source has 70")
	flags.BoolVar(&p.alone, "no-standby", false, "of -cluster: PostgreSQL does not wait for its standby, and its primary is lost with its disk; that must be found")
	flags.BoolVar(&p.weed, "weed", false, "of -cluster: the bucket is a SeaweedFS with three volume servers, of which one dies and one is full; CAIRN_WEED names its program, which is built if it is missing")
	flags.BoolVar(&p.pairs, "pairs", false, "of -cluster: two things fail at once: standby and primary, MinIO and a server, the clock while leases are held")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(flags.Output(), "crash: %q: want flags only\n", flags.Arg(0))
		return p, flag.ErrHelp
	}
	if plant := p.host.plant; plant != "" && (p.host.cairn != "" || plant != plantEarly && plant != plantUnfenced) {
		fmt.Fprintf(flags.Output(), "crash: -plant %q: want %s or %s, without -cairn\n", plant, plantEarly, plantUnfenced)
		return p, flag.ErrHelp
	}
	if p.kills < 0 {
		p.kills = p.n / 10
	}
	if p.syncs < 0 {
		p.syncs = p.n - p.n/10
	}
	return p, p.byDefault(flags)
}

// byDefault sets what depends on other flags.
func (p *plan) byDefault(flags *flag.FlagSet) error {
	clients, crowd := 8, 1000
	if p.cluster {
		crowd = 100_000
		if !p.asleep {
			clients = 16
		}
	}
	if p.clients == 0 {
		p.clients = clients
	}
	if p.crowd < 0 {
		p.crowd = crowd
	}
	p.parallel, p.clients = max(p.parallel, 1), max(p.clients, 1)
	if p.cluster {
		ok := slices.Contains([]string{parts.OnPostgres, parts.OnBucket, parts.OnMongo}, p.catalogue) && !(p.weed && p.catalogue == parts.OnBucket)
		if !ok || p.alone && p.catalogue != parts.OnPostgres || p.crowd < p.clients {
			fmt.Fprintf(flags.Output(), "crash: -catalogue %q: want postgres, bucket or mongodb; -no-standby is for postgres; -worlds %d: want at least -clients\n", p.catalogue, p.crowd)
			return flag.ErrHelp
		}
	}
	return nil
}

// run prints the stops by kind. Its error says what was lost first.
func (p plan) run(ctx context.Context, out *os.File) error {
	start := time.Now()
	t := &table{rows: make(map[string]*[columns]int)}
	err := p.each(ctx, p.kills, func(ctx context.Context, seed uint64, left *budget) error {
		return killDirectory(ctx, p.dir, seed, left, t)
	})
	killed := time.Now()
	if err == nil {
		err = p.each(ctx, p.syncs, func(ctx context.Context, seed uint64, left *budget) error {
			return (&round{seed: seed, left: left, table: t}).run(ctx)
		})
	}
	t.print(out)
	kills, syncs := t.sums()
	fmt.Fprintf(out, "%d kills in %.1f s, %d stops at syncs in %.1f s\n",
		kills, killed.Sub(start).Seconds(), syncs, time.Since(killed).Seconds())
	if err == nil {
		fmt.Fprintln(out, "0 losses")
	}
	return err
}

// each calls what with ascending seeds until n stops were made or one fails.
func (p plan) each(ctx context.Context, n int, what func(context.Context, uint64, *budget) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left := &budget{left: n}
	seeds := make(chan uint64)
	var all sync.WaitGroup
	for range p.parallel {
		all.Go(func() {
			for seed := range seeds {
				if err := what(ctx, seed, left); err != nil {
					cancel(err)
				}
			}
		})
	}
	for seed := p.seed; left.any() && ctx.Err() == nil; seed++ {
		select {
		case seeds <- seed:
		case <-ctx.Done():
		}
	}
	close(seeds)
	all.Wait()
	return context.Cause(ctx)
}

// budget counts the remaining stops.
type budget struct {
	mu   sync.Mutex
	left int
}

func (b *budget) any() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left > 0
}

// take reports whether one more stop remains, and uses it.
func (b *budget) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left--
	return b.left >= 0
}
