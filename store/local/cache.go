package local

import (
	"math/bits"
	"sync"
)

// cache remembers what was read lately of records, of at most so many keys, so that
// it is found without the database. What it says was so a moment ago at least, for
// who changes a record drops its key then. It grows with its use. Keys and values
// hold no pointers, so that many cost the garbage collector nothing. All methods
// are safe for any number of goroutines; nil remembers nothing.
type cache[K comparable, V any] struct {
	hash   func(K) uint64
	most   int // sets of a shard
	shards [cacheShards]cacheShard[K, V]
}

type cacheShard[K comparable, V any] struct {
	mu     sync.Mutex
	sets   [][cacheWays]pair[K, V] // the latest first
	drops  uint64                  // how often a key was dropped
	pushed int                     // keys that others took the place of since it grew
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

// newCache makes a cache for at most n keys. Of hash the upper bits count.
func newCache[K comparable, V any](n int64, hash func(K) uint64) *cache[K, V] {
	m := &cache[K, V]{hash: hash, most: max(1, int(n/(cacheShards*cacheWays)))}
	for i := range m.shards {
		m.shards[i].sets = make([][cacheWays]pair[K, V], 1)
	}
	return m
}

// lock locks the shard of a key; call the result to let go.
func (m *cache[K, V]) lock(key K) (s *cacheShard[K, V], set *[cacheWays]pair[K, V], unlock func()) {
	h := m.hash(key)
	s = &m.shards[h>>(64-bits.Len(cacheShards-1))]
	s.mu.Lock()
	return s, s.set(h), s.mu.Unlock
}

// set returns the set of a hash.
func (s *cacheShard[K, V]) set(h uint64) *[cacheWays]pair[K, V] {
	i, _ := bits.Mul64(h<<bits.Len(cacheShards-1), uint64(len(s.sets)))
	return &s.sets[i]
}

// grow makes a shard twice as large.
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

// insert makes a pair the latest of a set, in place of one of its key, of none, or of
// the last one.
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

// ticket is what put is to be told of a value that get did not have.
type ticket uint64

// get returns a value and whether it is there.
func (m *cache[K, V]) get(key K) (value V, ok bool, t ticket) {
	if m == nil {
		return value, false, 0
	}
	s, set, unlock := m.lock(key)
	defer unlock()
	for i := range set {
		if p := set[i]; p.used && p.key == key {
			copy(set[1:i+1], set[:i])
			set[0] = p
			return p.value, true, ticket(s.drops)
		}
	}
	return value, false, ticket(s.drops)
}

// put remembers a value that was read after get or drop gave the ticket, unless
// a key was dropped since, which may be this one.
func (m *cache[K, V]) put(key K, value V, t ticket) {
	if m == nil {
		return
	}
	s, set, unlock := m.lock(key)
	defer unlock()
	if ticket(s.drops) != t {
		return
	}
	if insert(set, pair[K, V]{key, value, true}) {
		if s.pushed++; s.pushed > len(s.sets) && len(s.sets) < m.most {
			m.grow(s)
		}
	}
}

// fade makes a key one of the first to be forgotten.
func (m *cache[K, V]) fade(key K) {
	_, set, unlock := m.lock(key)
	defer unlock()
	for i := range set {
		if p := set[i]; p.used && p.key == key {
			copy(set[i:], set[i+1:])
			set[len(set)-1] = p
			return
		}
	}
}

// drop forgets a key whose record is another by now.
func (m *cache[K, V]) drop(key K) ticket {
	s, set, unlock := m.lock(key)
	defer unlock()
	s.drops++
	for i := range set {
		if set[i].key == key {
			set[i].used = false
		}
	}
	return ticket(s.drops)
}
