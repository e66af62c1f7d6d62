package local

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/store/record"
)

// guard keeps Collect from taking what a call is about to name. A call holds
// what it names before it looks whether that is there, or writes it without
// looking, and until its batch is applied; Collect takes only what was there at
// its snapshot and was not held then or since.
type guard struct {
	mu   sync.Mutex
	busy map[record.Thing]int
	kept map[uint64]struct{} // while collecting: tags of what was held
}

// tag is a number that few other things have.
func tag(t record.Thing) uint64 { return be.Uint64(t[1:]) + uint64(t[0]) }

// hold is the things that a call holds.
type hold struct {
	g      *guard
	things []record.Thing
}

func (g *guard) hold() *hold { return &hold{g: g} }

func (h *hold) add(things ...record.Thing) {
	h.things = append(h.things, things...)
	h.g.mu.Lock()
	defer h.g.mu.Unlock()
	if h.g.busy == nil {
		h.g.busy = make(map[record.Thing]int)
	}
	for _, t := range things {
		h.g.busy[t]++
	}
}

func (h *hold) release() {
	h.g.mu.Lock()
	defer h.g.mu.Unlock()
	for _, t := range h.things {
		if h.g.busy[t]--; h.g.busy[t] == 0 {
			delete(h.g.busy, t)
		}
		if h.g.kept != nil {
			h.g.kept[tag(t)] = struct{}{}
		}
	}
}

// begin returns the snapshot that Collect works on.
func (g *guard) begin(db *pebble.DB) *pebble.Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept = make(map[uint64]struct{})
	for t := range g.busy {
		g.kept[tag(t)] = struct{}{}
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
func (g *guard) needs(t record.Thing) bool {
	_, kept := g.kept[tag(t)]
	return kept || g.busy[t] > 0
}
