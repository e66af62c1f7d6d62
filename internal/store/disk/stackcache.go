package disk

import (
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// stackLink is what a stack needs of a commit: at most one stone, and the commit
// below.
type stackLink struct {
	below  history.ID
	stone  history.StoneRef // size 0 if there is none
	data   uint64           // number of the stone's bytes, 0 if unknown
	number uint64           // of the commit, 0 if unknown
	time   int64            // of the commit, if its number is known
	pack   bool
}

// stackCache caches the links of commits that were read lately.
type stackCache = cache[history.ID, stackLink]

const linkBytes = 32 + (32 + 40 + 8 + 8 + 8 + 8) + 8

// newCaches returns the two caches of a store, of this many bytes together: a link
// for each world and more.
func newCaches(size int64) (*stackCache, *names) {
	n := size / (linkBytes + nameBytes)
	return newCache[history.ID, stackLink](n, func(at history.ID) uint64 { return be.Uint64(at[:]) }),
		newCache[nameHash, uint64](n, func(key nameHash) uint64 { return key[0] })
}

// linkOf returns the link of a commit without a pack. It returns false if the
// commit has too many stones for a link.
func linkOf(c history.Commit) (s stackLink, ok bool) {
	s = stackLink{below: c.Base, number: c.Number, time: c.Time.UnixMilli()}
	if len(c.Stones) == 1 {
		s.stone = c.Stones[0]
	}
	return s, len(c.Stones) <= 1
}

// what returns what a link says about the commit at: its pack, or else the base and
// the stones of the commit.
func (s stackLink) what(at history.ID) (p history.Pack, packed bool, c history.Commit) {
	if s.pack {
		return history.Pack{After: s.below, Upto: at, Stone: s.stone}, true, c
	}
	c.Base = s.below
	if s.stone.Size > 0 {
		c.Stones = []history.StoneRef{s.stone}
	}
	return p, false, c
}

// link returns the pack for the commit at, or else the base and the stones of the
// commit.
func (r reads) link(at history.ID) (p history.Pack, packed bool, c history.Commit, err error) {
	s, ok, t := r.stackCache.get(at)
	if ok {
		p, packed, c = s.what(at)
		return p, packed, c, nil
	}
	if p, packed, err = r.Pack(at); err == nil && !packed {
		c, err = r.Commit(at)
	}
	switch {
	case err != nil:
		return p, packed, c, err
	case packed:
		s, ok = stackLink{below: p.After, stone: p.Stone, pack: true}, true
	default:
		s, ok = linkOf(c)
	}
	if ok {
		r.stackCache.put(at, s, t)
	}
	return p, packed, c, nil
}

// Stack returns the stack of a commit, bottom first.
func (r reads) Stack(at history.ID) ([]history.Layer, error) {
	var c history.Commit // the commit read last
	return history.StackOf(at,
		func(history.ID) (history.Commit, error) { return c, nil },
		func(at history.ID) (p history.Pack, packed bool, err error) {
			p, packed, c, err = r.link(at)
			return p, packed, err
		}, nil)
}

// Placed returns the entry that a commit has in logs.
func (r reads) Placed(at history.ID) (record.Entry, error) {
	if s, _, _ := r.stackCache.get(at); s.number > 0 {
		return record.Entry{Number: s.number, Commit: at, Time: time.UnixMilli(s.time).UTC()}, nil
	}
	return r.Reads.Placed(at)
}

// data returns the number of the bytes of a layer's stone, 0 if unknown.
func (r reads) data(l history.Layer) uint64 {
	s, _, _ := r.stackCache.get(l.Upto)
	if s.stone != l.Stone {
		return 0
	}
	return s.data
}

// packed adds a new pack to the cache. data is the number of the bytes of its
// stone.
func (s *Store) packed(p history.Pack, data uint64) {
	had, ok, _ := s.stackCache.get(p.Upto)
	t := s.stackCache.drop(p.Upto)
	s.stackCache.put(p.Upto, stackLink{below: p.After, stone: p.Stone, data: data, number: had.number, time: had.time, pack: true}, t)
	for at := had.below; ok && at != p.After; at = had.below {
		had, ok, _ = s.stackCache.get(at)
		s.stackCache.fade(at) // few walks pass it from now on
	}
}

// learn adds the number of the bytes of a layer's stone to the cache.
func (r reads) learn(l history.Layer, number uint64) {
	if s, ok, t := r.stackCache.get(l.Upto); ok && s.stone == l.Stone {
		s.data = number
		r.stackCache.put(l.Upto, s, t)
	}
}
