package local

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/stone"
)

// Listener is what hears of the database's work.
func Listener(s *Store) *pebble.EventListener { return s.listener() }

// Memo is the door to memo.
type Memo struct{ m *memo[uint64, uint64] }

// NewMemo makes a Memo for 8 keys.
func NewMemo() Memo {
	return Memo{newMemo[uint64, uint64](1, func(uint64) uint64 { return 1 << 63 })}
}

// GrowingMemo makes a Memo for at most n keys, which lie anywhere.
func GrowingMemo(n int64) Memo {
	return Memo{newMemo[uint64, uint64](n, func(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 })}
}

// Room returns how many keys there is room for now.
func (m Memo) Room() (n int) {
	for i := range m.m.shards {
		n += memoWays * len(m.m.shards[i].sets)
	}
	return n
}

// Forgetful is a Memo that remembers nothing.
var Forgetful = Memo{}

// Get, Put, Drop and Fade are those of memo.
func (m Memo) Get(key uint64) (uint64, bool, uint64) {
	v, ok, t := m.m.get(key)
	return v, ok, uint64(t)
}

func (m Memo) Put(key, value, t uint64) { m.m.put(key, value, ticket(t)) }

func (m Memo) Drop(key uint64) uint64 { return uint64(m.m.drop(key)) }

func (m Memo) Fade(key uint64) { m.m.fade(key) }

// Guard is the door to guard.
type Guard struct{ guard }

// Hold holds a stone until release.
func (g *Guard) Hold(id stone.ID) (release func()) {
	h := g.hold()
	h.add(stoneThing(id))
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
	return g.needs(stoneThing(id))
}

// NewMarks makes an empty filter for n stones.
func NewMarks(n int, salt uint64) (add func(stone.ID), has func(stone.ID) bool) {
	m := newMarks(n, salt)
	return func(id stone.ID) { m.add(stoneThing(id)) }, func(id stone.ID) bool { return m.has(stoneThing(id)) }
}
