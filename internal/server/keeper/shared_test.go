package keeper_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/keeper"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// cluster is two halves that several Stores share, and what was done with them.
type cluster struct {
	catalogue *inmemory.Catalogue
	bucket    *inmemory.Bucket

	mu       sync.Mutex
	now      time.Time
	collects []string // who collected
	packs    []string // who packed
}

func newCluster() *cluster {
	return &cluster{catalogue: inmemory.NewCatalogue(), bucket: inmemory.NewBucket(), now: start}
}

func (c *cluster) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *cluster) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// member is the Store of one server.
type member struct {
	*pair.Pair
	c       *cluster
	name    string
	claims  chan bool     // the results of claims
	collect chan struct{} // what a Collect waits for; nil: nothing
}

func (c *cluster) member(name string) *member {
	return &member{Pair: pair.New(c.catalogue, c.bucket, pair.Options{Now: c.time}), c: c, name: name, claims: make(chan bool, 1000)}
}

func (m *member) Claim(ctx context.Context, job, holder string, every, d time.Duration) (bool, error) {
	got, err := m.Pair.Claim(ctx, job, holder, every, d)
	select {
	case m.claims <- got:
	default: // nobody looks at so many
	}
	return got, err
}

func (m *member) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	m.c.mu.Lock()
	m.c.collects = append(m.c.collects, m.name)
	m.c.mu.Unlock()
	if m.collect != nil {
		select {
		case <-m.collect:
		case <-ctx.Done():
			return history.Collected{}, ctx.Err()
		}
	}
	return m.Pair.Collect(ctx, p)
}

func (m *member) PutPack(ctx context.Context, name string, p history.Pack, s history.Stone) error {
	m.c.mu.Lock()
	m.c.packs = append(m.c.packs, m.name)
	m.c.mu.Unlock()
	return m.Pair.PutPack(ctx, name, p, s)
}

// TestOnce lets two Keepers of one Store collect: each time one of them does, and when
// it is gone the other one.
func TestOnce(t *testing.T) {
	c, log := newCluster(), newLines()
	one, two := c.member("one"), c.member("two")
	o := keeper.Options{Log: log.log(), CollectEvery: time.Hour}
	k, l := keeper.New(one, start, o), keeper.New(two, start, o)
	step := func(k *keeper.Keeper, m *member, d time.Duration) bool {
		for {
			k.Step(start.Add(d)) // starts nothing while the last run returns from its claim
			select {
			case got := <-m.claims:
				return got
			case <-time.After(time.Millisecond):
			}
		}
	}
	if !step(k, one, 6*time.Minute) {
		t.Fatal("nobody collects")
	}
	log.wait(t, "collect done")
	if step(l, two, 6*time.Minute) {
		t.Error("both collect")
	}
	c.pass(time.Hour)
	if !step(k, one, 70*time.Minute) {
		t.Error("not again after an hour")
	}
	log.wait(t, "collect done")
	mustEnd(t, k)
	if step(l, two, 80*time.Minute) {
		t.Error("collects before its time")
	}
	c.pass(time.Hour)
	if !step(l, two, 2*time.Hour) {
		t.Error("nobody takes over")
	}
	log.wait(t, "collect done")
	mustEnd(t, l)
	if want := []string{"one", "one", "two"}; !slices.Equal(c.collects, want) {
		t.Errorf("got %v, want %v", c.collects, want)
	}
}

// TestClaimLost lets a Keeper sleep through its claim: the other one takes the job, and
// the first stops.
func TestClaimLost(t *testing.T) {
	c, log := newCluster(), newLines()
	one, two := c.member("one"), c.member("two")
	one.collect = make(chan struct{})
	k := keeper.New(one, start, keeper.Options{Log: log.log(), Claim: 3 * time.Millisecond})
	k.Step(start.Add(time.Hour))
	if !<-one.claims {
		t.Fatal("no claim")
	}
	for got := false; !got; {
		c.pass(time.Hour)
		var err error
		if got, err = two.Pair.Claim(t.Context(), "collect", "two", 0, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	log.wait(t, "collect failed", "the claim of collect was lost")
	mustEnd(t, k)
	if err := two.Finish(t.Context(), "collect", "two", true); err != nil {
		t.Error(err)
	}
}

// TestPackedOnce saves a world at two servers: one of them packs it, while the other
// one's claim says so.
func TestPackedOnce(t *testing.T) {
	c := newCluster()
	one, two := c.member("one"), c.member("two")
	k := keeper.New(two, start, keeper.Options{CollectEvery: -1})
	a := newRaw(t, one, "a")
	a.save(12)
	if got, err := one.Pair.Claim(t.Context(), "pack/a", "one", 0, time.Hour); err != nil || !got {
		t.Fatal(got, err)
	}
	a.saved(k) // its height is unknown, so the world is looked at
	if <-two.claims {
		t.Error("packs a world that another one packs")
	}
	if err := one.Finish(t.Context(), "pack/a", "one", false); err != nil {
		t.Fatal(err)
	}
	for range 2 * keeper.MaxHeight {
		a.n++
		a.saved(k)
	}
	if !<-two.claims {
		t.Error("does not pack")
	}
	if err := k.Close(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if want := []string{"two"}; !slices.Equal(c.packs, want) {
		t.Errorf("got %v, want %v", c.packs, want)
	}
}

// TestManySaversOneHeight saves a world in turn at three servers, each of which packs it. Nobody claims that, so of packs
// that are made at the same time one may hide another.
func TestManySaversOneHeight(t *testing.T) {
	st := newWatched(t)
	var keepers []*keeper.Keeper
	for range 3 {
		keepers = append(keepers, keeper.New(st, start, keeper.Options{CollectEvery: -1, Queue: 1}))
	}
	r := newRaw(t, st, "w")
	for i := range 90 {
		r.save(1)
		r.saved(keepers[i%len(keepers)])
		if h := r.height(); h > keeper.MaxHeight+len(keepers) {
			t.Fatalf("the stack has %d stones", h)
		}
	}
	for _, k := range keepers {
		mustEnd(t, k)
	}
}
