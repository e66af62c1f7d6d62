package local

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// guard keeps Collect from taking what a call is about to name. A call holds
// what it names before it looks whether that is there, and until its batch is
// applied; Collect takes only what was there at its snapshot, is not held now
// and was not found there by a call since.
type guard struct {
	mu   sync.Mutex
	busy map[thing]int
	kept map[thing]struct{} // while collecting
}

// thing is a commit, a pack or a stone: its key.
type thing [33]byte

func stoneThing(id stone.ID) thing { return thing(infoKey(id)) }

func commitThing(id world.ID) thing { return thing(commitKey(id)) }

func packThing(id world.ID) thing { return thing(packKey(id)) }

// hold is the things that a call holds.
type hold struct {
	g      *guard
	things []thing
	found  []thing // those that were there
}

func (g *guard) hold() *hold { return &hold{g: g} }

func (h *hold) add(things ...thing) {
	h.things = append(h.things, things...)
	h.g.mu.Lock()
	defer h.g.mu.Unlock()
	if h.g.busy == nil {
		h.g.busy = make(map[thing]int)
	}
	for _, t := range things {
		h.g.busy[t]++
	}
}

// was notes that a thing was there.
func (h *hold) was(t thing) { h.found = append(h.found, t) }

func (h *hold) release() {
	h.g.mu.Lock()
	defer h.g.mu.Unlock()
	for _, t := range h.things {
		if h.g.busy[t]--; h.g.busy[t] == 0 {
			delete(h.g.busy, t)
		}
	}
	if h.g.kept != nil {
		for _, t := range h.found {
			h.g.kept[t] = struct{}{}
		}
	}
}

// begin returns the snapshot that Collect works on.
func (g *guard) begin(db *pebble.DB) *pebble.Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = make(map[thing]struct{})
	for t := range g.busy {
		g.kept[t] = struct{}{}
	}
	return db.NewSnapshot()
}

func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = nil
}

// needs reports whether a call needs a thing; g.mu is held, so that none comes
// to need it meanwhile.
func (g *guard) needs(t thing) bool {
	_, kept := g.kept[t]
	return kept || g.busy[t] > 0
}
