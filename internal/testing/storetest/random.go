package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cairnvoxel/cairn/store/history"
)

// random makes random calls of a Store and of a model, and compares.
func random(t *testing.T, k Kind) {
	rapid.Check(t, func(r *rapid.T) {
		m := &machine{T: r, model: newModel(), clock: &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
		m.s = k.Open(t, m.clock.now)
		defer func() {
			if err := m.s.Close(); err != nil {
				t.Error(err)
			}
		}()
		calls := map[string]func(*rapid.T){
			"create":   m.create,
			"commit":   m.commit,
			"commit 2": m.commit, // most of what happens
			"commit 3": m.commit,
			"stale":    m.stale,
			"fork":     m.fork,
			"rename":   m.rename,
			"delete":   m.delete,
			"undelete": m.undelete,
			"pack":     m.pack,
			"pack 2":   m.pack,
			"collect":  m.collect,
			"lease":    m.take,
			"renew":    m.renew,
			"release":  m.release,
			"purge":    m.purge,
			"tick":     m.tick,
			"":         m.compare,
		}
		if k.Reopen != nil {
			calls["reopen"] = func(*rapid.T) { m.s = k.Reopen(t, m.s, m.clock.now) }
		}
		r.Repeat(calls)
	})
}

// machine is a Store and its model.
type machine struct {
	*rapid.T
	*model
	clock *clock
	s     history.Store
}

func (m *machine) want(what string, err, target error) {
	m.Helper()
	if !errors.Is(err, target) {
		m.Fatalf("%s: got %v, want %v", what, err, target)
	}
}

func (m *machine) name(r *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d/e"}).Draw(r, "name")
}

// stone returns one of a few, so that worlds share some.
func (m *machine) stone(r *rapid.T) history.Stone {
	return stoneOf(m.T, fmt.Sprint("stone ", rapid.IntRange(0, 9).Draw(r, "stone")))
}

func (m *machine) create(r *rapid.T) {
	name := m.name(r)
	m.want("create", m.s.Create(m.Context(), name), m.model.create(name))
}

func (m *machine) rename(r *rapid.T) {
	from, to := m.name(r), m.name(r)
	fence := m.fence(r, from)
	m.want("rename", m.s.Rename(m.Context(), from, to, fence), m.model.rename(from, to, fence, m.clock.now()))
}

func (m *machine) delete(r *rapid.T) {
	name := m.name(r)
	fence := m.fence(r, name)
	m.want("delete", m.s.Delete(m.Context(), name, fence), m.model.delete(name, fence, m.clock.now()))
}

func (m *machine) undelete(r *rapid.T) {
	name := m.name(r)
	m.want("undelete", m.s.Undelete(m.Context(), name), m.model.undelete(name))
}

func (m *machine) tick(r *rapid.T) {
	m.clock.add(time.Duration(rapid.Int64Range(-100, 1000).Draw(r, "minutes")) * time.Minute)
}

// history returns a world with commits.
func (m *machine) history(r *rapid.T) (string, *line) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m.worlds)) {
		if len(m.worlds[name].log) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		r.Skip("no commits")
	}
	name := rapid.SampledFrom(names).Draw(r, "world")
	return name, m.worlds[name]
}

func (m *machine) fork(r *rapid.T) {
	from, l := m.history(r)
	at := rapid.SampledFrom(l.log).Draw(r, "at")
	name := m.name(r)
	m.want("fork", m.s.Fork(m.Context(), from, at, name), m.model.fork(at, name))
}

// commit saves new stones, and stones that the world reaches already.
func (m *machine) commit(r *rapid.T) {
	name := m.name(r)
	l := m.worlds[name]
	if l == nil {
		_, err := m.s.Commit(m.Context(), name, history.Head{}, history.Commit{})
		m.want("commit", err, history.ErrNoWorld)
		return
	}
	c := history.Commit{Parent: l.head, Base: l.head}
	var reached []history.Layer
	if len(l.log) > 0 {
		c.Base = rapid.SampledFrom(append([]history.ID{{}, l.head, l.head, l.head}, l.log...)).Draw(r, "base")
		reached = m.stack(m.T, rapid.SampledFrom(l.log).Draw(r, "reached from"))
	}
	var given []history.Stone
	for range rapid.IntRange(0, 3).Draw(r, "stones") {
		s := m.stone(r)
		given = append(given, s)
		c.Stones = append(c.Stones, refOf(s))
	}
	if len(reached) > 0 && rapid.Bool().Draw(r, "reach") {
		c.Stones = append(c.Stones, rapid.SampledFrom(reached).Draw(r, "layer").Stone)
	}
	fence := m.fence(r, name)
	got, err := m.s.Commit(m.Context(), name, history.Head{Commit: l.head, Fence: fence}, c, given...)
	want := l.under(fence, m.clock.now())
	m.want("commit", err, want)
	if want != nil {
		return
	}
	c.IdempotencyKey = got.IdempotencyKey // the Store may choose it
	had := l.fence
	m.add(l, fence, c, m.clock.now())
	m.first(name, l, had)
	if got.ID() != l.head {
		m.Fatalf("commit: got %+v, want %+v", got, m.commits[l.head])
	}
}

// stale saves on a commit that is no longer the head.
func (m *machine) stale(r *rapid.T) {
	name, l := m.history(r)
	base := rapid.SampledFrom(append([]history.ID{{}}, l.log[:len(l.log)-1]...)).Draw(r, "base")
	s := m.stone(r)
	_, err := m.s.Commit(m.Context(), name, history.Head{Commit: base}, history.Commit{Parent: base, Stones: []history.StoneRef{refOf(s)}}, s)
	want := l.under(0, m.clock.now())
	if want == nil {
		want = history.ErrConflict
	}
	m.want("stale commit", err, want)
}

// pack puts packs between any two commits, whether they fit or not.
func (m *machine) pack(r *rapid.T) {
	name, l := m.history(r)
	uptos := slices.Clone(l.log)
	for _, layer := range m.stack(m.T, l.head) {
		uptos = append(uptos, layer.Upto)
	}
	upto := rapid.SampledFrom(uptos).Draw(r, "upto")
	afters := append([]history.ID{{}}, uptos...)
	for _, layer := range m.stack(m.T, upto) {
		afters = append(afters, layer.After)
	}
	s := m.stone(r)
	p := history.Pack{After: rapid.SampledFrom(afters).Draw(r, "after"), Upto: upto, Stone: refOf(s)}
	if p.After == p.Upto {
		return
	}
	err := m.s.PutPack(m.Context(), name, p, s)
	switch {
	case m.stands(p.Upto, p.After, m.below):
		m.want("pack", err, nil)
	case !m.stands(p.Upto, p.After, m.base) || !slices.Contains(l.log, p.After):
		m.want("pack", err, history.ErrNoCommit)
	case err != nil: // the commits between may be gone
		m.want("pack", err, history.ErrNoCommit)
	}
	if err == nil {
		m.putPack(p)
	}
}

func (m *machine) collect(r *rapid.T) {
	p := history.Policy{
		Keep:    rapid.SampledFrom([]history.Retention{{}, {All: true}, newest(1), newest(2), newest(5), {Newest: 1}}).Draw(r, "keep"),
		Grace:   rapid.SampledFrom([]time.Duration{-1, 0, time.Minute, 5 * time.Hour}).Draw(r, "grace"),
		Deleted: rapid.SampledFrom([]time.Duration{-1, 0, time.Hour}).Draw(r, "deleted"),
	}
	got, err := m.s.Collect(m.Context(), p)
	m.want("collect", err, nil)
	if want := m.model.collect(m.T, p, m.clock.now()); got != want {
		m.Fatalf("collect: got %+v, want %+v", got, want)
	}
}

// compare compares everything visible, and opens every stone of one stack of each
// world.
func (m *machine) compare(r *rapid.T) {
	names, err := m.s.List(m.Context(), "", "", 99)
	m.want("list", err, nil)
	if want := slices.Sorted(maps.Keys(m.worlds)); !slices.Equal(names, want) {
		m.Fatalf("list: got %q, want %q", names, want)
	}
	for _, name := range names {
		l := m.worlds[name]
		if h, err := m.s.Head(m.Context(), name); err != nil || h != (history.Head{Commit: l.head, Fence: l.fence}) {
			m.Fatalf("head of %s: got %+v, %v, want %v, %d", name, h, err, l.head, l.fence)
		}
		if got, err := m.s.Leased(m.Context(), name); err != nil || got != l.lease(m.clock.now()) {
			m.Fatalf("lease of %s: got %+v, %v, want %+v", name, got, err, l.lease(m.clock.now()))
		}
		m.compareLog(name, l)
		for _, at := range l.log {
			got, err := m.s.Stack(m.Context(), name, at)
			if want := m.stack(m.T, at); err != nil || !slices.Equal(got, want) {
				m.Fatalf("stack of %s at %v: got %v, %v, want %v", name, at, got, err, want)
			}
		}
		if len(l.log) == 0 {
			continue
		}
		for _, layer := range m.stack(m.T, rapid.SampledFrom(l.log).Draw(r, "look at")) {
			_, err := textOf(m.Context(), m.s, name, layer.Stone)
			m.want("open", err, nil)
		}
	}
}

func (m *machine) compareLog(name string, l *line) {
	log, err := m.s.Log(m.Context(), name, history.ID{}, 999)
	m.want("log", err, nil)
	if len(log) != len(l.log) {
		m.Fatalf("log of %s: got %d commits, want %d", name, len(log), len(l.log))
	}
	for i, c := range log {
		if want := l.log[len(log)-1-i]; c.ID() != want {
			m.Fatalf("log of %s: got %+v, want %+v", name, c, m.commits[want])
		}
	}
}
