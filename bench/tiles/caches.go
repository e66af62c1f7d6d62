package tiles

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/Yiling-J/theine-go"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/cairnvoxel/cairn/tile"
)

// A cache answers many workers at the same time. It reads what it lacks from a source.
type cache interface {
	// get returns tile i. It stays as it is until the worker calls done.
	get(worker int, i uint64) ([]byte, error)
	done(worker int)
	// most returns the most bytes of tiles that it has held.
	most() int64
	close() error
}

// cacheKind is a cache that can be measured.
type cacheKind struct {
	name string
	new  func(s *source, budget int64, workers int) (cache, error)
	ours bool // of package tile
}

// cacheKinds are all of them.
var cacheKinds = []cacheKind{
	{"mutex", newMutexCache, false},
	{"otter", newOtterCache, false},
	{"theine", newTheineCache, false},
	{"ristretto", newRistrettoCache, false},
	{"clock", ours(tile.Clock), true},
	{"s3fifo", ours(tile.S3FIFO), true},
	{"tinylfu", ours(tile.TinyLFU), true},
	{"deferred", newDeferredCache, true},
}

// CacheNames returns the names of the caches. Those of package tile, named by policy, may have
// "+" and the size of a microcache behind them.
func CacheNames() (names []string) {
	for _, k := range cacheKinds {
		names = append(names, k.name)
	}
	return append(names, "tinylfu+2")
}

// findCache returns the kind of a cache and the size of its microcaches, 0 for none.
func findCache(name string) (k cacheKind, slots int, err error) {
	kind, micro, with := strings.Cut(name, "+")
	i := slices.IndexFunc(cacheKinds, func(k cacheKind) bool { return k.name == kind })
	if with {
		slots, err = strconv.Atoi(micro)
	}
	if i < 0 || err != nil || with && (slots < 1 || !cacheKinds[i].ours) {
		return k, 0, fmt.Errorf("no cache %q; there are %s", name, strings.Join(CacheNames(), ", "))
	}
	return cacheKinds[i], slots, nil
}

// newCache makes the cache of a name.
func newCache(name string, s *source, budget int64, workers int) (cache, error) {
	k, slots, err := findCache(name)
	if err != nil {
		return nil, fmt.Errorf("tiles: %w", err)
	}
	c, err := k.new(s, budget, workers)
	if our, ok := c.(interface{ microcaches(slots int) }); ok && slots > 0 {
		our.microcaches(slots)
	}
	return c, err
}

// ourCache is a cache of package tile.
type ourCache struct {
	c       *tile.Cache[tileKey]
	s       *source
	workers []ourWorker
}

type ourWorker struct {
	micro *tile.Worker[tileKey]
	h     tile.Handle
	_     [64]byte // the next worker's is in another line of the processor's cache
}

func ours(policy tile.NewPolicy) func(*source, int64, int) (cache, error) {
	return func(s *source, budget int64, workers int) (cache, error) {
		c := tile.New[tileKey](tile.Options{Budget: budget, Purposes: []tile.Purpose{{Policy: policy}}})
		return &ourCache{c, s, make([]ourWorker, workers)}, nil
	}
}

func (c *ourCache) microcaches(slots int) {
	for w := range c.workers {
		c.workers[w].micro = c.c.NewWorker(slots)
	}
}

func (c *ourCache) get(worker int, i uint64) ([]byte, error) {
	w := &c.workers[worker]
	h, err := c.c.Get(context.Background(), w.micro, tileKey(i), c.s)
	w.h = h
	return h.Bytes(), err
}

func (c *ourCache) done(worker int) { c.workers[worker].h.Release() }

func (c *ourCache) most() int64 { return c.c.Stats().PeakBytes }

func (c *ourCache) close() error {
	for _, w := range c.workers {
		if w.micro != nil {
			w.micro.Close()
		}
	}
	return c.c.Close()
}

// deferredCache gathers the requests of a worker and serves them sorted by tile.
type deferredCache struct {
	*ourCache
	queues []tile.Deferred[tileKey, uint64]
}

func newDeferredCache(s *source, budget int64, workers int) (cache, error) {
	c, err := ours(tile.TinyLFU)(s, budget, workers)
	if err != nil {
		return nil, err
	}
	return &deferredCache{c.(*ourCache), make([]tile.Deferred[tileKey, uint64], workers)}, nil
}

// serve calls do for each request, sorted by the keys of the trace.
func (c *deferredCache) serve(worker int, requests []int32, do func(i uint64, b []byte) error) error {
	q := &c.queues[worker]
	for _, i := range requests {
		q.Add(tileKey(i), c.s, uint64(i))
	}
	byKey := func(a, b tileKey) int { return cmp.Compare(c.s.Keys[a], c.s.Keys[b]) }
	return q.Serve(context.Background(), c.c, c.workers[worker].micro, byKey, func(h tile.Handle, i uint64) error {
		return do(i, h.Bytes())
	})
}

// counted is a cache whose tiles the source counts.
type counted struct{ s *source }

func (counted) done(int)      {}
func (c counted) most() int64 { return c.s.most.Load() }

// mutexCache is one mutex and a map, least recently used: the article's worst case. It reads
// outside of the mutex, and does not know what others read.
type mutexCache struct {
	counted
	budget int64
	mu     sync.Mutex // guards what follows
	tiles  map[uint64][]byte
	order  lru
	used   int64
}

func newMutexCache(s *source, budget int64, _ int) (cache, error) {
	return &mutexCache{counted: counted{s}, budget: budget, tiles: make(map[uint64][]byte), order: lru{newLists()}}, nil
}

func (c *mutexCache) get(_ int, i uint64) ([]byte, error) {
	c.mu.Lock()
	b, ok := c.tiles[i]
	if ok {
		c.order.Hit(uint32(i))
	}
	c.mu.Unlock()
	if ok {
		return b, nil
	}
	b = c.s.load(i)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.tiles[i]; ok {
		c.s.drop(b)
		return b, nil
	}
	for c.used+int64(len(b)) > c.budget {
		v := c.order.victim()
		if v == none {
			c.s.drop(b)
			return b, nil
		}
		old := c.tiles[uint64(v)]
		delete(c.tiles, uint64(v))
		c.order.removed(v)
		c.used -= int64(len(old))
		c.s.drop(old)
	}
	c.tiles[i] = b
	c.order.Add(uint32(i), int64(len(b)))
	c.used += int64(len(b))
	return b, nil
}

func (c *mutexCache) close() error { return nil }

type otterCache struct {
	counted
	c *otter.Cache[uint64, []byte]
}

func newOtterCache(s *source, budget int64, _ int) (cache, error) {
	c, err := otter.New(&otter.Options[uint64, []byte]{
		MaximumWeight:    uint64(budget),
		Weigher:          func(_ uint64, b []byte) uint32 { return uint32(len(b)) },
		OnAtomicDeletion: func(e otter.DeletionEvent[uint64, []byte]) { s.drop(e.Value) },
	})
	return &otterCache{counted{s}, c}, err
}

func (c *otterCache) get(_ int, i uint64) ([]byte, error) {
	if b, ok := c.c.GetIfPresent(i); ok {
		return b, nil
	}
	return c.c.Get(context.Background(), i, otter.LoaderFunc[uint64, []byte](func(_ context.Context, i uint64) ([]byte, error) {
		return c.s.load(i), nil
	}))
}

func (c *otterCache) close() error {
	c.c.StopAllGoroutines()
	return nil
}

type theineCache struct {
	counted
	c *theine.LoadingCache[uint64, []byte]
}

func newTheineCache(s *source, budget int64, _ int) (cache, error) {
	c, err := theine.NewBuilder[uint64, []byte](budget).
		RemovalListener(func(_ uint64, b []byte, _ theine.RemoveReason) { s.drop(b) }).
		Loading(func(_ context.Context, i uint64) (theine.Loaded[[]byte], error) {
			return theine.Loaded[[]byte]{Value: s.load(i), Cost: int64(s.Sizes[i])}, nil
		}).Build()
	return &theineCache{counted{s}, c}, err
}

func (c *theineCache) get(_ int, i uint64) ([]byte, error) { return c.c.Get(context.Background(), i) }

func (c *theineCache) close() error {
	c.c.Close()
	return nil
}

// ristrettoCache has no loader of its own.
type ristrettoCache struct {
	counted
	c      *ristretto.Cache[uint64, []byte]
	flight singleflight.Group
}

func newRistrettoCache(s *source, budget int64, _ int) (cache, error) {
	o := ristrettoConfig[[]byte](budget)
	o.OnExit = func(b []byte) { s.drop(b) }
	c, err := ristretto.NewCache(o)
	return &ristrettoCache{counted: counted{s}, c: c}, err
}

func (c *ristrettoCache) get(_ int, i uint64) ([]byte, error) {
	if b, ok := c.c.Get(i); ok {
		return b, nil
	}
	v, err, _ := c.flight.Do(strconv.FormatUint(i, 10), func() (any, error) {
		if b, ok := c.c.Get(i); ok {
			return b, nil
		}
		b := c.s.load(i)
		if !c.c.Set(i, b, int64(len(b))) {
			c.s.drop(b)
		}
		return b, nil
	})
	if err != nil {
		return nil, err
	}
	return v.([]byte), nil
}

func (c *ristrettoCache) close() error {
	c.c.Close()
	return nil
}
