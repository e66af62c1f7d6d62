package record

import (
	"math/bits"
	"sync"
)

// cache holds a bounded number of values that were read from records, so that the
// database is not asked again. Whoever changes a record drops its key, so a value
// was current a moment ago at least. The cache grows with its use. Keys and values
// hold no pointers, so many cost the garbage collector nothing. All methods are
// safe for any number of goroutines.
type cache[K comparable, V any] struct {
	hash   func(K) uint64
	most   int // largest number of sets in a shard
	shards [cacheShards]cacheShard[K, V]
}

type cacheShard[K comparable, V any] struct {
	mu     sync.Mutex
	sets   [][cacheWays]pair[K, V] // the most recently used first
	drops  uint64                  // number of drops
	pushed int                     // keys evicted since the shard grew
}

type pair[K comparable, V any] struct {
	key   K
	value V
	used  bool
}

const (
	cacheShards = 64
	cacheWays   = 8
)

// newCache returns a cache for at most n keys. The upper bits of hash choose the
// place.
func newCache[K comparable, V any](n int64, hash func(K) uint64) *cache[K, V] {
	m := &cache[K, V]{hash: hash, most: max(1, int(n/(cacheShards*cacheWays)))}
	for i := range m.shards {
		m.shards[i].sets = make([][cacheWays]pair[K, V], 1)
	}
	return m
}

// lock locks the shard of a key. The caller unlocks it.
func (m *cache[K, V]) lock(key K) (s *cacheShard[K, V], set *[cacheWays]pair[K, V]) {
	h := m.hash(key)
	s = &m.shards[h>>(64-bits.Len(cacheShards-1))]
	s.mu.Lock()
	return s, s.set(h)
}

// set returns the set of a hash.
func (s *cacheShard[K, V]) set(h uint64) *[cacheWays]pair[K, V] {
	i, _ := bits.Mul64(h<<bits.Len(cacheShards-1), uint64(len(s.sets)))
	return &s.sets[i]
}

// grow doubles the sets of a shard.
func (m *cache[K, V]) grow(s *cacheShard[K, V]) {
	old := s.sets
	s.sets, s.pushed = make([][cacheWays]pair[K, V], min(2*len(old), m.most)), 0
	for i := range old {
		for n := range old[i] {
			if p := &old[i][cacheWays-1-n]; p.used {
				insert(s.set(m.hash(p.key)), *p)
			}
		}
	}
}

// insert makes a pair the first of a set. It replaces the pair with the same key,
// an unused pair, or else the last one.
func insert[K comparable, V any](set *[cacheWays]pair[K, V], p pair[K, V]) (pushed bool) {
	i := 0
	for i < cacheWays-1 && set[i].used && set[i].key != p.key {
		i++
	}
	pushed = set[i].used && set[i].key != p.key
	copy(set[1:i+1], set[:i])
	set[0] = p
	return pushed
}

// Ticket connects a read that found nothing to what is remembered of it after that.
type Ticket uint64

// get returns a value and whether it is in the cache.
func (m *cache[K, V]) get(key K) (value V, ok bool, t Ticket) {
	s, set := m.lock(key)
	defer s.mu.Unlock()
	for i := range set {
		if p := set[i]; p.used && p.key == key {
			copy(set[1:i+1], set[:i])
			set[0] = p
			return p.value, true, Ticket(s.drops)
		}
	}
	return value, false, Ticket(s.drops)
}

// put adds a value that was read after get or drop returned the ticket. It does
// nothing if a key was dropped since, which may be this one.
func (m *cache[K, V]) put(key K, value V, t Ticket) {
	s, set := m.lock(key)
	defer s.mu.Unlock()
	if Ticket(s.drops) != t {
		return
	}
	if insert(set, pair[K, V]{key, value, true}) {
		if s.pushed++; s.pushed > len(s.sets) && len(s.sets) < m.most {
			m.grow(s)
		}
	}
}

// fade makes a key one of the first to be evicted.
func (m *cache[K, V]) fade(key K) {
	s, set := m.lock(key)
	defer s.mu.Unlock()
	for i := range set {
		if p := set[i]; p.used && p.key == key {
			copy(set[i:], set[i+1:])
			set[len(set)-1] = p
			return
		}
	}
}

// drop removes a key whose record has changed.
func (m *cache[K, V]) drop(key K) Ticket {
	s, set := m.lock(key)
	defer s.mu.Unlock()
	s.drops++
	for i := range set {
		if set[i].key == key {
			set[i].used = false
		}
	}
	return Ticket(s.drops)
}
