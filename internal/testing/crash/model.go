package main

import (
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
)

// What is in progress without a call.
const (
	opening = "opening" // the store, and looking at what is there
	between = "between"
)

// The kinds of calls.
const (
	create   = "create"
	save     = "commit"
	saveFile = "commit+" // of a large stone
	pack     = "pack"
	fork     = "fork"
	restore  = "restore"
	collect  = "collect"
	remove   = "delete"
	purge    = "purge"
	undelete = "undelete"
	rename   = "rename"
	lease    = "lease"
	release  = "release"
	load     = "load" // of a version; it changes nothing
)

func kinds() []string {
	return []string{create, save, saveFile, pack, fork, restore, collect, remove, purge, undelete, rename, lease, release, load}
}

// op is a call. It holds all that the model needs before the call returns.
type op struct {
	Worker  int
	Seq     int // ascends
	Kind    string
	World   string
	To      string     // of fork and rename
	At      history.ID // of fork, restore and load
	Content content    // of the version that fork, restore and load start from, or that commit makes
	Keep    int        // of collect: how many of the newest commits to keep
	Bury    bool       // of collect: deleted worlds are removed for good
	Buried  bool       // of delete: a later collect may have removed it
}

// outcome is the result of a call.
type outcome struct {
	Worker  int
	ID      history.ID // of the commit that it made
	Fence   uint64     // of the world after a call that raises it: at least one more
	Refused bool       // it changed nothing, because a collect may have been first
}

// version is an acknowledged commit of a world.
type version struct {
	ID      history.ID
	Content content
	Loose   bool // a collect may have removed it
}

// grave is a deleted world.
type grave struct {
	Log   []version
	Fence uint64
	Loose bool // a collect may have removed it
}

// hold is the fence of a world, and whether its lease is live.
type hold struct {
	Fence  uint64
	Leased bool
}

// under returns the fence for calls.
func (h hold) under() uint64 {
	if h.Leased {
		return h.Fence
	}
	return 0
}

// model is the expected content of a store.
type model struct {
	Worlds  map[string][]version // oldest first
	Holds   map[string]hold
	Graves  map[string]grave
	Pending map[int]op // by worker
	Seq     int

	Crowd    int     // worlds that never change, see crowdName
	Template version // their only version
}

func newModel() *model {
	return &model{Worlds: make(map[string][]version), Holds: make(map[string]hold),
		Graves: make(map[string]grave), Pending: make(map[int]op)}
}

func (m *model) clone() *model {
	c := newModel()
	c.Seq, c.Crowd, c.Template = m.Seq, m.Crowd, m.Template
	for name, log := range m.Worlds {
		c.Worlds[name] = slices.Clone(log)
	}
	for name, g := range m.Graves {
		c.Graves[name] = grave{slices.Clone(g.Log), g.Fence, g.Loose}
	}
	maps.Copy(c.Holds, m.Holds)
	maps.Copy(c.Pending, m.Pending)
	return c
}

// begin records that a call is in progress. It may or may not have had its effect.
func (m *model) begin(o op) {
	m.Seq = o.Seq
	m.Pending[o.Worker] = o
	m.loosen()
}

// end applies the effect of a worker's call in progress.
func (m *model) end(out outcome) {
	o := m.Pending[out.Worker]
	delete(m.Pending, out.Worker)
	if !out.Refused {
		m.apply(o, out)
	} else if o.Kind == undelete {
		delete(m.Graves, o.World)
	}
	m.loosen()
}

func (m *model) apply(o op, out outcome) {
	h := m.Holds[o.World]
	raised := max(h.Fence+1, out.Fence)
	switch o.Kind {
	case create:
		m.Worlds[o.World] = nil
	case save, saveFile, restore:
		log := m.Worlds[o.World]
		if o.Kind == restore && o.At != headOf(log) {
			m.Holds[o.World] = hold{raised, h.Leased}
		}
		m.Worlds[o.World] = append(log, version{ID: out.ID, Content: o.Content})
	case fork:
		m.Worlds[o.To] = []version{{ID: o.At, Content: o.Content}}
	case rename:
		m.Worlds[o.To] = m.Worlds[o.World]
		m.Holds[o.To] = hold{raised, h.Leased}
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case remove:
		m.Graves[o.World] = grave{m.Worlds[o.World], h.Fence + 1, o.Buried}
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case purge:
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case undelete:
		m.Worlds[o.World] = m.Graves[o.World].Log
		m.Holds[o.World] = hold{Fence: max(m.Graves[o.World].Fence, out.Fence)}
		delete(m.Graves, o.World)
	case lease, release:
		m.Holds[o.World] = hold{raised, o.Kind == lease}
	}
}

// raises returns the world whose fence the call may raise by more than one, because
// another world had its name or one with the same hash.
func (o op) raises() (name string, ok bool) {
	switch o.Kind {
	case rename:
		return o.To, true
	case restore, undelete, lease, release:
		return o.World, true
	}
	return "", false
}

// loosen marks what the collects in progress may remove.
func (m *model) loosen() {
	coming := make(map[string]int) // commits in progress
	for _, o := range m.Pending {
		if o.Kind == save || o.Kind == saveFile || o.Kind == restore {
			coming[o.World]++
		}
	}
	for _, o := range m.Pending {
		if o.Kind != collect {
			continue
		}
		for name, log := range m.Worlds {
			loosen(log, o.Keep-coming[name])
		}
		for name, g := range m.Graves {
			loosen(g.Log, o.Keep)
			m.Graves[name] = grave{g.Log, g.Fence, g.Loose || o.Bury}
		}
		for worker, p := range m.Pending {
			p.Buried = p.Buried || o.Bury
			m.Pending[worker] = p
		}
	}
}

func loosen(log []version, keep int) {
	for i := range max(len(log)-keep, 0) {
		log[i].Loose = true
	}
}

// doing returns what is in progress: of several calls, the oldest.
func (m *model) doing() string {
	first := op{Kind: between}
	for _, o := range m.Pending {
		if first.Seq == 0 || o.Seq < first.Seq {
			first = o
		}
	}
	return first.Kind
}
