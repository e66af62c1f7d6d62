package local

import (
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// step is what stands for a commit in a stack: a stone at most, and what is below.
type step struct {
	below  history.ID
	stone  history.StoneRef // of size 0 if there is none
	data   uint64           // the number of the stone's bytes, 0 if not known
	number uint64           // of the commit, 0 if not known
	time   int64            // of the commit, if its number is known
	pack   bool
}

// stackCache is the steps of commits that were read lately.
type stackCache = cache[history.ID, step]

const stepBytes = 32 + (32 + 40 + 8 + 8 + 8 + 8) + 8

// newCaches makes what of a store is kept in so many bytes: a step for each world
// and more.
func newCaches(size int64) (*stackCache, *names) {
	n := size / (stepBytes + nameBytes)
	return newCache[history.ID, step](n, func(at history.ID) uint64 { return be.Uint64(at[:]) }),
		newCache[nameHash, uint64](n, func(key nameHash) uint64 { return key[0] })
}

// stepOf returns the step of a commit that has no pack, unless it has too many
// stones for one.
func stepOf(c history.Commit) (s step, ok bool) {
	s = step{below: c.Base, number: c.Number, time: c.Time.UnixMilli()}
	if len(c.Stones) == 1 {
		s.stone = c.Stones[0]
	}
	return s, len(c.Stones) <= 1
}

// what returns what the step of the commit at is: its pack, or else of the commit
// what a stack is made of.
func (s step) what(at history.ID) (p history.Pack, packed bool, c history.Commit) {
	if s.pack {
		return history.Pack{After: s.below, Upto: at, Stone: s.stone}, true, c
	}
	c.Base = s.below
	if s.stone.Size > 0 {
		c.Stones = []history.StoneRef{s.stone}
	}
	return p, false, c
}

// step returns what stands for the commit at in a stack: its pack, or else of the
// commit what a stack is made of.
func (r reads) step(at history.ID) (p history.Pack, packed bool, c history.Commit, err error) {
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
		s, ok = step{below: p.After, stone: p.Stone, pack: true}, true
	default:
		s, ok = stepOf(c)
	}
	if ok {
		r.stackCache.put(at, s, t)
	}
	return p, packed, c, nil
}

// Stack returns the stack of a commit, bottom first.
func (r reads) Stack(at history.ID) ([]history.Layer, error) {
	var c history.Commit // that has no pack
	return history.StackOf(at,
		func(history.ID) (history.Commit, error) { return c, nil },
		func(at history.ID) (p history.Pack, packed bool, err error) {
			p, packed, c, err = r.step(at)
			return p, packed, err
		}, nil)
}

// Placed returns the place that a commit has in logs.
func (r reads) Placed(at history.ID) (record.Entry, error) {
	if s, _, _ := r.stackCache.get(at); s.number > 0 {
		return record.Entry{Number: s.number, Commit: at, Time: time.UnixMilli(s.time).UTC()}, nil
	}
	return r.Reads.Placed(at)
}

// data returns the number of the bytes of a layer's stone, 0 if it is not known.
func (r reads) data(l history.Layer) uint64 {
	s, _, _ := r.stackCache.get(l.Upto)
	if s.stone != l.Stone {
		return 0
	}
	return s.data
}

// packed notes a pack that was put, the bytes of whose stone have a number.
func (s *Store) packed(p history.Pack, data uint64) {
	had, ok, _ := s.stackCache.get(p.Upto)
	t := s.stackCache.drop(p.Upto)
	s.stackCache.put(p.Upto, step{below: p.After, stone: p.Stone, data: data, number: had.number, time: had.time, pack: true}, t)
	for at := had.below; ok && at != p.After; at = had.below {
		had, ok, _ = s.stackCache.get(at)
		s.stackCache.fade(at) // few go by it from now on
	}
}

// learn notes the number of the bytes of a layer's stone.
func (r reads) learn(l history.Layer, number uint64) {
	if s, ok, t := r.stackCache.get(l.Upto); ok && s.stone == l.Stone {
		s.data = number
		r.stackCache.put(l.Upto, s, t)
	}
}
