package disk

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
)

// Listener is what hears of the database's work.
func Listener(s *Store) *pebble.EventListener { return s.listener() }

// Flush writes what only the log holds to tables.
func Flush(s *Store) error { return s.db.Flush() }

// Cache is the door to cache.
type Cache struct{ m *cache[uint64, uint64] }

// NewCache makes a Cache for 8 keys.
func NewCache() Cache {
	return Cache{newCache[uint64, uint64](1, func(uint64) uint64 { return 1 << 63 })}
}

// GrowingCache makes a Cache for at most n keys, which lie anywhere.
func GrowingCache(n int64) Cache {
	return Cache{newCache[uint64, uint64](n, func(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 })}
}

// Room returns how many keys there is room for now.
func (m Cache) Room() (n int) {
	for i := range m.m.shards {
		n += cacheWays * len(m.m.shards[i].sets)
	}
	return n
}

// Forgetful is a Cache that remembers nothing.
var Forgetful = Cache{}

// Get, Put, Drop and Fade are those of cache.
func (m Cache) Get(key uint64) (uint64, bool, uint64) {
	v, ok, t := m.m.get(key)
	return v, ok, uint64(t)
}

func (m Cache) Put(key, value, t uint64) { m.m.put(key, value, ticket(t)) }

func (m Cache) Drop(key uint64) uint64 { return uint64(m.m.drop(key)) }

func (m Cache) Fade(key uint64) { m.m.fade(key) }

// Guard is the door to guard.
type Guard struct{ guard }

// Hold holds a stone until release.
func (g *Guard) Hold(id stone.ID) (release func()) {
	h := g.hold()
	h.add(record.StoneThing(id))
	return h.release
}

// Begin begins a Collect.
func (g *Guard) Begin(s *Store) error { return g.begin(s.db).Close() }

// End ends it.
func (g *Guard) End() { g.end() }

// Needs reports whether Collect must spare a stone.
func (g *Guard) Needs(id stone.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.needs(record.StoneThing(id))
}
