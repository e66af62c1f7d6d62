package local

import (
	"math/bits"
	"sync"
)

// memo remembers what was read lately of records, for so many keys that it is made
// for, so that it is found without the database. What it says was so a moment ago
// at least, for who changes a record drops its key then. Keys and values hold no
// pointers, so that many cost the garbage collector nothing. All methods are safe
// for any number of goroutines; nil remembers nothing.
type memo[K comparable, V any] struct {
	hash   func(K) uint64
	sets   [][memoWays]pair[K, V] // the latest first
	shards [64]struct {
		mu    sync.Mutex
		drops uint64 // how often a key was dropped
	}
}

type pair[K comparable, V any] struct {
	key   K
	value V
	used  bool
}

const memoWays = 8

// newMemo makes a memo for n keys. Of hash the upper bits count.
func newMemo[K comparable, V any](n int64, hash func(K) uint64) *memo[K, V] {
	return &memo[K, V]{hash: hash, sets: make([][memoWays]pair[K, V], max(1, n/memoWays))}
}

// lock locks the set of a key; call the result to let go.
func (m *memo[K, V]) lock(key K) (set *[memoWays]pair[K, V], drops *uint64, unlock func()) {
	i, _ := bits.Mul64(m.hash(key), uint64(len(m.sets)))
	shard := &m.shards[i%uint64(len(m.shards))]
	shard.mu.Lock()
	return &m.sets[i], &shard.drops, shard.mu.Unlock
}

// ticket is what put is to be told of a value that get did not have.
type ticket uint64

// get returns a value and whether it is there.
func (m *memo[K, V]) get(key K) (value V, ok bool, t ticket) {
	if m == nil {
		return value, false, 0
	}
	set, drops, unlock := m.lock(key)
	defer unlock()
	for i := range set {
		if p := set[i]; p.used && p.key == key {
			copy(set[1:i+1], set[:i])
			set[0] = p
			return p.value, true, ticket(*drops)
		}
	}
	return value, false, ticket(*drops)
}

// put remembers a value that was read after get or drop gave the ticket, unless
// a key was dropped since, which may be this one.
func (m *memo[K, V]) put(key K, value V, t ticket) {
	if m == nil {
		return
	}
	set, drops, unlock := m.lock(key)
	defer unlock()
	if ticket(*drops) != t {
		return
	}
	i := 0
	for i < len(set)-1 && set[i].used && set[i].key != key {
		i++
	}
	copy(set[1:i+1], set[:i])
	set[0] = pair[K, V]{key, value, true}
}

// fade makes a key one of the first to be forgotten.
func (m *memo[K, V]) fade(key K) {
	set, _, unlock := m.lock(key)
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
func (m *memo[K, V]) drop(key K) ticket {
	set, drops, unlock := m.lock(key)
	defer unlock()
	*drops++
	for i := range set {
		if set[i].key == key {
			set[i].used = false
		}
	}
	return ticket(*drops)
}
