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
