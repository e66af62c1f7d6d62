package storetest

import (
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// model does what a Store does, slowly: it keeps every commit, and computes every
// stack to find out what is needed.
type model struct {
	worlds  map[string]*line
	deleted map[string][]deletedWorld
	commits map[history.ID]history.Commit
	packs   map[history.ID]history.Pack
	stones  map[stone.ID]*modelStone
	spent   map[string]uint64 // the highest fence of worlds that lost the name
}

type line struct {
	head history.ID
	log  []history.ID // oldest first
	claim
}

type deletedWorld struct {
	line *line
	at   time.Time
}

type modelStone struct {
	size      int64
	condemned bool
	since     time.Time
}

func newModel() *model {
	return &model{
		worlds: make(map[string]*line), deleted: make(map[string][]deletedWorld), commits: make(map[history.ID]history.Commit),
		packs: make(map[history.ID]history.Pack), stones: make(map[stone.ID]*modelStone), spent: make(map[string]uint64),
	}
}

func (m *model) create(name string) error { return m.put(name, &line{}) }

func (m *model) put(name string, l *line) error {
	if m.worlds[name] != nil {
		return history.ErrExists
	}
	m.worlds[name] = l
	return nil
}

func (m *model) fork(at history.ID, name string) error {
	return m.put(name, &line{head: at, log: []history.ID{at}})
}

// rename reports errors of to before errors of from.
func (m *model) rename(from, to string, fence uint64, now time.Time) error {
	l := m.worlds[from]
	switch {
	case m.worlds[to] != nil:
		return history.ErrExists
	case l == nil:
		return history.ErrNoWorld
	}
	if err := l.under(fence, now); err != nil {
		return err
	}
	m.lost(from, l)
	l.raise(fence)
	l.fence = max(l.fence, m.spent[to]+1)
	delete(m.worlds, from)
	return m.put(to, l)
}

// lost notes that a world loses its name.
func (m *model) lost(name string, l *line) { m.spent[name] = max(m.spent[name], l.fence) }

// first is called after a change of a world that had a fence.
func (m *model) first(name string, l *line, had uint64) {
	if had == 0 && l.fence > 0 {
		l.fence = max(l.fence, m.spent[name]+1)
	}
}

func (m *model) delete(name string, fence uint64, now time.Time) error {
	l := m.worlds[name]
	if l == nil {
		return history.ErrNoWorld
	}
	if err := l.under(fence, now); err != nil {
		return err
	}
	m.lost(name, l)
	l.raise(0)
	delete(m.worlds, name)
	m.deleted[name] = append(m.deleted[name], deletedWorld{l, now})
	return nil
}

func (m *model) undelete(name string) error {
	deleted := m.deleted[name]
	switch {
	case m.worlds[name] != nil:
		return history.ErrExists
	case len(deleted) == 0:
		return history.ErrNoWorld
	}
	m.deleted[name] = deleted[:len(deleted)-1]
	l := deleted[len(deleted)-1].line
	l.fence = max(l.fence, m.spent[name]+1)
	return m.put(name, l)
}

func (m *model) add(l *line, fence uint64, c history.Commit, now time.Time) {
	c = c.Complete(m.commits[c.Parent], now)
	l.head = c.ID()
	l.log = append(l.log, l.head)
	m.commits[l.head] = c
	if c.Base != c.Parent || fence == history.Force {
		l.raise(fence)
	}
	for _, ref := range c.Stones {
		m.stones[ref.ID] = &modelStone{size: ref.Size}
	}
}

func (m *model) putPack(p history.Pack) {
	m.packs[p.Upto] = p
	m.stones[p.Stone.ID] = &modelStone{size: p.Stone.Size}
}

func (m *model) record(id history.ID) (history.Commit, error) { return m.commits[id], nil }

func (m *model) packOf(id history.ID) (history.Pack, bool, error) {
	p, ok := m.packs[id]
	return p, ok, nil
}

func (m *model) stack(t fataler, at history.ID) []history.Layer {
	t.Helper()
	stack, err := record.StackOf(at, m.record, m.packOf)
	if err != nil {
		t.Fatalf("the model: %v", err)
	}
	return stack
}

func (m *model) below(at history.ID) history.ID {
	if p, ok := m.packs[at]; ok {
		return p.After
	}
	return m.base(at)
}

func (m *model) base(at history.ID) history.ID { return m.commits[at].Base }

func (m *model) stands(at, on history.ID, next func(history.ID) history.ID) bool {
	for at != (history.ID{}) && at != on {
		at = next(at)
	}
	return at == on
}

func (m *model) collect(t fataler, p history.Policy, now time.Time) (done history.Collected) {
	lines := m.removeDeleted(p, now, &done)
	needed, walked := make(map[stone.ID]bool), make(map[history.ID]bool)
	for _, l := range lines {
		var times []time.Time
		for _, id := range slices.Backward(l.log) {
			times = append(times, m.commits[id].Time)
		}
		keep := p.Keep.Keep(now, times)
		var log []history.ID
		for i, id := range l.log {
			if keep[len(l.log)-1-i] {
				log = append(log, id)
			}
		}
		done.Commits += len(l.log) - len(log)
		l.log = log
		for _, id := range log {
			for _, layer := range m.stack(t, id) {
				needed[layer.Stone.ID] = true
			}
			for at := id; at != (history.ID{}); at = m.below(at) {
				walked[at] = true
			}
		}
	}
	for upto := range m.packs {
		if !walked[upto] {
			delete(m.packs, upto)
		}
	}
	m.sweep(needed, p, now, &done)
	return done
}

// removeDeleted removes worlds for good and returns those that stay.
func (m *model) removeDeleted(p history.Policy, now time.Time, done *history.Collected) (lines []*line) {
	for name, deleted := range m.deleted {
		m.deleted[name] = nil
		for _, g := range deleted {
			if p.DeletedOver(now, g.at) {
				done.Worlds++
				continue
			}
			m.deleted[name] = append(m.deleted[name], g)
			lines = append(lines, g.line)
		}
	}
	for _, l := range m.worlds {
		lines = append(lines, l)
	}
	return lines
}

func (m *model) sweep(needed map[stone.ID]bool, p history.Policy, now time.Time, done *history.Collected) {
	for id, s := range m.stones {
		switch {
		case needed[id]:
			s.condemned = false
			continue
		case !s.condemned:
			s.condemned, s.since = true, now
		}
		if !p.GraceOver(now, s.since) {
			done.Condemned++
			continue
		}
		delete(m.stones, id)
		done.Stones++
		done.Bytes += s.size
	}
}
