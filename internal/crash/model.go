package main

import (
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/history"
)

// The state of a worker without a call.
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
	load     = "load" // of a version, which changes nothing
)

func kinds() []string {
	return []string{create, save, saveFile, pack, fork, restore, collect, remove, purge, undelete, rename, lease, release, load}
}

// op is a call. It contains what the model needs to know before the call returns.
type op struct {
	Worker       int
	Seq          int // ascends
	Kind         string
	World        string
	To           string     // of fork and rename
	At           history.ID // of fork, restore and load
	Content      content    // of the version that fork, restore and load begin with, and commit makes
	Keep         int        // of collect: the newest so many commits
	TakesDeleted bool       // of collect: what is deleted goes for good
	MayBeGone    bool       // of delete: a collect since may have taken it
}

// outcome is the result of a call.
type outcome struct {
	Worker  int
	ID      history.ID // of the commit that it made
	Refused bool       // it changed nothing, for a collect may have been first
}

// version is an acknowledged commit of a world.
type version struct {
	ID      history.ID
	Content content
	Loose   bool // a collect may have dropped it
}

// deletedWorld is a deleted world.
type deletedWorld struct {
	Log   []version
	Fence uint64
	Loose bool // a collect may have taken it
}

// hold is the fence of a world, and whether a lease with this number exists.
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

// model is the required content of a store.
type model struct {
	Worlds  map[string][]version // oldest first
	Holds   map[string]hold
	Deleted map[string]deletedWorld
	Pending map[int]op // by worker
	Seq     int

	Crowd    int     // worlds that never change, see crowdName
	Template version // their only one
}

func newModel() *model {
	return &model{Worlds: make(map[string][]version), Holds: make(map[string]hold),
		Deleted: make(map[string]deletedWorld), Pending: make(map[int]op)}
}

func (m *model) clone() *model {
	c := newModel()
	c.Seq, c.Crowd, c.Template = m.Seq, m.Crowd, m.Template
	for name, log := range m.Worlds {
		c.Worlds[name] = slices.Clone(log)
	}
	for name, g := range m.Deleted {
		c.Deleted[name] = deletedWorld{slices.Clone(g.Log), g.Fence, g.Loose}
	}
	maps.Copy(c.Holds, m.Holds)
	maps.Copy(c.Pending, m.Pending)
	return c
}

// begin records that a call is in progress: it may have had its effect or not.
func (m *model) begin(o op) {
	m.Seq = o.Seq
	m.Pending[o.Worker] = o
	m.loosen()
}

// end records the effect of the call in progress of a worker.
func (m *model) end(out outcome) {
	o := m.Pending[out.Worker]
	delete(m.Pending, out.Worker)
	if !out.Refused {
		m.apply(o, out.ID)
	} else if o.Kind == undelete {
		delete(m.Deleted, o.World)
	}
	m.loosen()
}

func (m *model) apply(o op, id history.ID) {
	h := m.Holds[o.World]
	switch o.Kind {
	case create:
		m.Worlds[o.World] = nil
	case save, saveFile, restore:
		log := m.Worlds[o.World]
		if o.Kind == restore && o.At != headOf(log) {
			m.Holds[o.World] = hold{h.Fence + 1, h.Leased}
		}
		m.Worlds[o.World] = append(log, version{ID: id, Content: o.Content})
	case fork:
		m.Worlds[o.To] = []version{{ID: o.At, Content: o.Content}}
	case rename:
		m.Worlds[o.To] = m.Worlds[o.World]
		m.Holds[o.To] = hold{h.Fence + 1, h.Leased}
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case remove:
		m.Deleted[o.World] = deletedWorld{m.Worlds[o.World], h.Fence + 1, o.MayBeGone}
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case purge:
		delete(m.Worlds, o.World)
		delete(m.Holds, o.World)
	case undelete:
		m.Worlds[o.World] = m.Deleted[o.World].Log
		m.Holds[o.World] = hold{Fence: m.Deleted[o.World].Fence}
		delete(m.Deleted, o.World)
	case lease, release:
		m.Holds[o.World] = hold{h.Fence + 1, o.Kind == lease}
	}
}

// loosen records what the collections in progress may delete.
func (m *model) loosen() {
	coming := make(map[string]int) // commits under way
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
		for name, g := range m.Deleted {
			loosen(g.Log, o.Keep)
			m.Deleted[name] = deletedWorld{g.Log, g.Fence, g.Loose || o.TakesDeleted}
		}
		for worker, p := range m.Pending {
			p.MayBeGone = p.MayBeGone || o.TakesDeleted
			m.Pending[worker] = p
		}
	}
}

func loosen(log []version, keep int) {
	for i := range max(len(log)-keep, 0) {
		log[i].Loose = true
	}
}

// doing returns the call in progress; of several, the one that began first.
func (m *model) doing() string {
	first := op{Kind: between}
	for _, o := range m.Pending {
		if first.Seq == 0 || o.Seq < first.Seq {
			first = o
		}
	}
	return first.Kind
}
