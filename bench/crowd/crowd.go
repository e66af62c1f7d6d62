// Package crowd measures many players at once: islands that are saved and loaded in several
// kinds of stores, a million islands in one store, and a server under abuse.
package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/store/history"
)

// account is what the players of a world know about it.
type account struct {
	template history.ID // what it was forked from
	head     history.ID
	saves    int // saves so far
}

// crowd is many islands that were forked from the templates of a pool and played on. The seed
// decides who plays on which island, and what they do.
type crowd struct {
	*pool
	seed     uint64
	accounts []account
}

func newCrowd(p *pool, worlds int, seed uint64) *crowd {
	return &crowd{pool: p, seed: seed, accounts: make([]account, worlds)}
}

// of returns the template of an island.
func (c *crowd) of(i int) *template { return &c.Templates[i%len(c.Templates)] }

// nameOf returns the name of an island. Names of neighbours have nothing in common, like the
// ids of players.
func nameOf(i int) string { return fmt.Sprintf(islandFormat, mixed(0, i)) }

const islandFormat = "island/%016x"

// stamp appends the next save of an island to dst. All stamps of a seed differ.
func (c *crowd) stamp(dst []byte, i int) []byte {
	return c.of(i).Saves[c.step(i)].stamp(dst, uint64(i)<<32|uint64(c.accounts[i].saves))
}

// step returns which save of its template an island's next one is. A save holds what changed
// since the one before it, so islands begin with the first. Who has made all of them takes
// the template back, and begins again.
func (c *crowd) step(i int) int { return c.accounts[i].saves % len(c.of(i).Saves) }

// base returns the commit that the next save of an island is made on.
func (c *crowd) base(i int) history.ID {
	if c.step(i) == 0 {
		return c.accounts[i].template
	}
	return c.accounts[i].head
}

// saved notes that an island was saved.
func (c *crowd) saved(i int) { c.accounts[i].saves++ }

// mixed is a number for i that looks drawn: no two of a seed are equal.
func mixed(seed uint64, i int) uint64 {
	x := (seed<<32 ^ uint64(i)) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// vault keeps the islands of a crowd. Many goroutines call save and load, but only one at a
// time for an island.
type vault interface {
	// fill makes the islands, and open makes ready for the rest; neither is timed.
	fill(ctx context.Context, o lab.Options) error
	open(ctx context.Context) error
	save(ctx context.Context, c *crowd, i int) error
	// load returns how many bytes it read.
	load(ctx context.Context, c *crowd, i int) (int64, error)
	// collect takes what is not needed any more.
	collect(ctx context.Context) error
	used() lab.Usage
	// close ends what was begun, and says how many stones the highest stack has.
	close(ctx context.Context, c *crowd) (highest int, err error)
}

// The proportion of what a network of servers did to its islands in a minute.
const (
	savesOf = 3300
	loadsOf = 904
)

// player is a client that plays.
type player struct {
	saves, loads []float64 // milliseconds
	loaded       int64     // bytes
	took         time.Duration
	errors       int
	err          error // the first
}

// play saves and loads islands for the time of a job. No other client plays them.
func (pl *player) play(ctx context.Context, c *crowd, v vault, number int, j *job, begun time.Time) {
	random := rand.New(rand.NewPCG(c.seed, uint64(number)))
	mine := (len(c.accounts) - number + j.Clients - 1) / j.Clients
	deadline := begun.Add(j.duration())
	for n := 0; ctx.Err() == nil; n++ {
		if j.Rate > 0 {
			time.Sleep(time.Until(begun.Add(time.Duration((float64(n*j.Clients+number) / j.Rate) * float64(time.Second)))))
		}
		start := time.Now()
		if !start.Before(deadline) {
			return
		}
		i := number + j.Clients*random.IntN(mine)
		var err error
		if random.IntN(savesOf+loadsOf) < savesOf {
			err = v.save(ctx, c, i)
			pl.saves = append(pl.saves, time.Since(start).Seconds()*1000)
		} else {
			var size int64
			size, err = v.load(ctx, c, i)
			pl.loads = append(pl.loads, time.Since(start).Seconds()*1000)
			pl.loaded += size
		}
		if err != nil {
			pl.errors++
			if pl.err == nil {
				pl.err = err
			}
		}
	}
}

// playAll lets clients play for a time, and collects beside it.
func (c *crowd) playAll(ctx context.Context, v vault, j *job, o lab.Options) (all player) {
	begun, d := time.Now(), j.duration()
	ended := make(chan struct{})
	var beside, played sync.WaitGroup
	beside.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-ended:
				return
			case <-time.After(time.Until(begun.Add(time.Duration(n) * collectEvery(d)))):
			}
			o.Step(int(time.Since(begun).Seconds()), int(d.Seconds()), "collecting")
			if err := v.collect(ctx); err != nil && all.err == nil {
				all.err, all.errors = err, 1
			}
		}
	})
	them := make([]player, j.Clients)
	for n := range them {
		played.Go(func() { them[n].play(ctx, c, v, n, j, begun) })
	}
	played.Wait()
	took := time.Since(begun)
	close(ended)
	beside.Wait()
	all.took = took
	for _, pl := range them {
		all.saves, all.loads = append(all.saves, pl.saves...), append(all.loads, pl.loads...)
		all.errors, all.loaded = all.errors+pl.errors, all.loaded+pl.loaded
		if all.err == nil {
			all.err = pl.err
		}
	}
	return all
}

// collectEvery is how long it is from one collection to the next: each row has
// two that end within it. A server collects every hour.
func collectEvery(d time.Duration) time.Duration { return d / 3 }
