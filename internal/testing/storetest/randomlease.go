package storetest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// fence returns a fence that a caller may use, usually a good one.
func (m *machine) fence(r *rapid.T, name string) uint64 {
	now := uint64(1)
	if l := m.worlds[name]; l != nil {
		now = l.fence
	}
	return rapid.SampledFrom([]uint64{0, 0, 0, now, now, now, max(now, 1) - 1, now + 1, history.Force}).Draw(r, "fence")
}

func (m *machine) duration(r *rapid.T) time.Duration {
	return time.Duration(rapid.IntRange(1, 1000).Draw(r, "minutes")) * time.Minute
}

// take asks for a lease.
func (m *machine) take(r *rapid.T) {
	name, d := m.name(r), m.duration(r)
	holder := rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(r, "holder")
	_, err := m.s.Lease(m.Context(), name, holder, d)
	want := error(history.ErrNoWorld)
	if l := m.worlds[name]; l != nil {
		had := l.fence
		want = l.take(holder, d, m.clock.now())
		m.first(name, l, had)
	}
	m.want("lease", err, want)
}

func (m *machine) renew(r *rapid.T) {
	name, d := m.name(r), m.duration(r)
	fence := m.fence(r, name)
	_, err := m.s.Renew(m.Context(), name, fence, d)
	want := error(history.ErrNoWorld)
	if l := m.worlds[name]; l != nil {
		want = l.renew(fence, d, m.clock.now())
	}
	m.want("renew", err, want)
}

func (m *machine) release(r *rapid.T) {
	name := m.name(r)
	fence := m.fence(r, name)
	want := error(history.ErrNoWorld)
	if l := m.worlds[name]; l != nil {
		had := l.fence
		want = l.release(fence)
		m.first(name, l, had)
	}
	m.want("release", m.s.Release(m.Context(), name, fence), want)
}

func (m *machine) purge(r *rapid.T) {
	name := m.name(r)
	fence := m.fence(r, name)
	got, err := m.s.Purge(m.Context(), name, fence)
	want, wantErr := m.model.purge(name, fence, m.clock.now())
	m.want("purge", err, wantErr)
	if got != want {
		m.Fatalf("purge: got %+v, want %+v", got, want)
	}
}

func (m *model) purge(name string, fence uint64, now time.Time) (done history.Purged, err error) {
	var taken []*line
	if l := m.worlds[name]; l != nil {
		err = l.under(fence, now)
		taken = []*line{l}
	} else {
		for _, g := range m.deleted[name] {
			taken = append(taken, g.line)
		}
		switch {
		case len(taken) == 0:
			err = history.ErrNoWorld
		case fence != 0 && fence != history.Force:
			err = history.ErrFenced
		}
	}
	if err != nil {
		return done, err
	}
	done.Worlds = len(taken)
	if l := m.worlds[name]; l != nil {
		m.lost(name, l)
		delete(m.worlds, name)
	} else {
		delete(m.deleted, name)
	}
	m.forget(taken, &done)
	return done, nil
}

// forget deletes what the remaining worlds do not reach.
func (m *model) forget(taken []*line, done *history.Purged) {
	var left []*line
	for _, l := range m.worlds {
		left = append(left, l)
	}
	for _, deleted := range m.deleted {
		for _, g := range deleted {
			left = append(left, g.line)
		}
	}
	commits, stones := m.reached(taken)
	leftCommits, leftStones := m.reached(left)
	for _, id := range commits {
		if !slices.Contains(leftCommits, id) {
			done.Commits++
			delete(m.packs, id)
		}
	}
	for _, id := range stones {
		s := m.stones[id]
		switch {
		case s == nil:
		case slices.Contains(leftStones, id):
			done.SharedStones++
			done.SharedBytes += s.size
		default:
			done.Stones++
			done.Bytes += s.size
			delete(m.stones, id)
		}
	}
}

// reached returns everything in logs and below, each once.
func (m *model) reached(lines []*line) (commits []history.ID, stones []stone.ID) {
	for _, l := range lines {
		for _, at := range l.log {
			for ; at != (history.ID{}); at = m.below(at) {
				if slices.Contains(commits, at) {
					break
				}
				commits = append(commits, at)
				refs := slices.Clone(m.commits[at].Stones)
				if p, ok := m.packs[at]; ok {
					refs = append(refs, p.Stone)
				}
				for _, ref := range refs {
					if !slices.Contains(stones, ref.ID) {
						stones = append(stones, ref.ID)
					}
				}
			}
		}
	}
	return commits, stones
}
