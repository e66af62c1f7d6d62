package disk

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

// guard keeps Collect from deleting what a call is about to name. A call holds the
// things that it names before it checks whether they exist, or before it writes
// them without a check, until its batch is applied. Collect deletes only things
// that existed at its snapshot and were not held then or later.
type guard struct {
	mu   sync.Mutex
	busy map[record.Thing]int
	kept map[uint64]struct{} // during a collection: tags of the things that were held
}

// tag returns a number that few other things have.
func tag(t record.Thing) uint64 { return be.Uint64(t[1:]) + uint64(t[0]) }

// hold has the things that a call holds.
type hold struct {
	g      *guard
	things []record.Thing
}

// hold holds things, and perhaps others later.
func (g *guard) hold(things ...record.Thing) *hold {
	h := &hold{g: g}
	h.add(things...)
	return h
}

func (h *hold) add(things ...record.Thing) {
	if len(things) == 0 {
		return
	}
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

// begin returns the snapshot that Collect uses.
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

// needs reports whether a call needs a thing. The caller holds g.mu, so no call can
// begin to need it meanwhile.
func (g *guard) needs(t record.Thing) bool {
	_, kept := g.kept[tag(t)]
	return kept || g.busy[t] > 0
}
