package local

import "github.com/cairnvoxel/cairn/stone"

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
