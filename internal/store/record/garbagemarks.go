package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
)

const (
	markBits = 16 // for each thing; one garbage thing in 2,000 stays
	markHash = 6
	markStep = 0x9e3779b97f4a7c15
	minMarks = 8 << 10 // bytes; a few thousand things have no mistakes
)

// MaxMarks is how many bytes GarbageMarks have at most: enough for 128 million
// things.
const MaxMarks = 256 << 20

// GarbageMarks are the marks of a garbage collection: the things that are needed.
// They are a Bloom filter, so they contain everything that was added and, rarely,
// something else. The salt decides what else. If there are more things than the
// bytes suffice for, the marks are about one part of all things and contain all
// others. The salt decides which part, so garbage of every part is found sooner or
// later.
type GarbageMarks struct {
	words       []uint64
	shift       uint
	salt        uint64
	parts, part uint64
}

// NewGarbageMarks returns marks for this many things, in at most this many bytes.
// The salt decides which other things the marks contain by mistake.
func NewGarbageMarks(things, most int, salt uint64) *GarbageMarks {
	want := max(things*markBits, minMarks*8)
	log := bits.Len(uint(min(want, most*8) - 1))
	parts := uint64((want + 1<<log - 1) >> log)
	return &GarbageMarks{words: make([]uint64, 1<<log/64), shift: uint(64 - log), salt: salt, parts: parts, part: salt % parts}
}

// outside reports whether the marks are not about a thing.
func (m *GarbageMarks) outside(t *Thing) bool {
	return m.parts > 1 && binary.LittleEndian.Uint64(t[17:])%m.parts != m.part
}

// bit returns the position of the i-th bit of a thing. The thing's key is a hash
// already. Each i gives a position of its own: with positions at equal distances, a
// small distance would leave only one or two bits to a thing.
func (m *GarbageMarks) bit(t *Thing, i uint64) (word, mask uint64) {
	a, b := binary.LittleEndian.Uint64(t[1:]), binary.LittleEndian.Uint64(t[9:])
	high, low := bits.Mul64(a^m.salt+i*markStep, b^uint64(t[0])<<17)
	at := (high ^ low) >> m.shift
	return at / 64, 1 << (at % 64)
}

// Add adds a thing.
func (m *GarbageMarks) Add(t Thing) {
	if m.outside(&t) {
		return
	}
	for i := range uint64(markHash) {
		word, mask := m.bit(&t, i)
		m.words[word] |= mask
	}
}

// Has reports whether a thing was added. For one in 2,000 other things it reports
// true too.
func (m *GarbageMarks) Has(t Thing) bool {
	if m.outside(&t) {
		return true
	}
	for i := range uint64(markHash) {
		if word, mask := m.bit(&t, i); m.words[word]&mask == 0 {
			return false
		}
	}
	return true
}

// marker makes GarbageMarks. It walks down from every commit of every log, many
// commits at a time. Each step of the walk reads the records of all of them in the
// order of their keys.
type marker struct {
	r     Reads
	ctx   context.Context
	marks *GarbageMarks
	count map[byte]int            // of records, by kind
	start []history.ID            // commits of logs that a walk begins with, sorted
	done  map[history.ID]struct{} // other commits that were visited; cleared when it is large
}

const (
	// markBatch is the number of commits of logs that a walk begins with.
	markBatch = 1 << 19
	// markSparse is how many records of a kind can be read in order in the time
	// that takes to look one up, and markAhead is that for a reader that is Ahead.
	markSparse = 16
	markAhead  = 2
	// aheadBatch is how many records are looked up at a time.
	aheadBatch = 1024
)

// Mark returns marks of everything that the worlds need: for each commit that a log
// or a stack leads to, its record and its pack, or its stones if it has no pack.
func (r Reads) Mark(ctx context.Context, salt uint64) (*GarbageMarks, error) {
	m := &marker{r: r, ctx: ctx, count: make(map[byte]int), done: make(map[history.ID]struct{})}
	for _, kind := range []byte{Packs, Commits, Stones} {
		err := r.Keys([]byte{kind}, func([]byte) error {
			m.count[kind]++
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	m.marks = NewGarbageMarks(m.count[Commits]+m.count[Packs]+m.count[Stones], MaxMarks, salt)
	err := r.Each([]byte{Logs}, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		if m.start = append(m.start, e.Commit); len(m.start) < markBatch || err != nil {
			return true, err
		}
		return true, m.down()
	})
	if err == nil {
		err = m.down()
	}
	return m.marks, err
}

// down marks the commits in start and everything in their stacks.
func (m *marker) down() error {
	slices.SortFunc(m.start, compareIDs)
	m.start = slices.Compact(m.start)
	for at := m.start; len(at) > 0; {
		next, err := m.descend(at)
		if err != nil {
			return err
		}
		at = m.fresh(next)
	}
	m.start = m.start[:0]
	return nil
}

func compareIDs(a, b history.ID) int { return bytes.Compare(a[:], b[:]) }

// fresh returns the commits, sorted, that were not visited yet.
func (m *marker) fresh(ids []history.ID) []history.ID {
	slices.SortFunc(ids, compareIDs)
	return slices.DeleteFunc(slices.Compact(ids), func(id history.ID) bool {
		_, done := m.done[id]
		if !done {
			_, done = slices.BinarySearchFunc(m.start, id, compareIDs)
		}
		if done || id == (history.ID{}) {
			return true
		}
		if len(m.done) == DoneLimit {
			clear(m.done)
		}
		m.done[id] = struct{}{}
		return false
	})
}

// descend marks the packs or stones of commits, which are sorted, and returns the
// commits below them.
func (m *marker) descend(ids []history.ID) (below []history.ID, err error) {
	below = make([]history.ID, 0, len(ids))
	var bare []history.ID // without packs
	err = m.records(Packs, ids, func(id history.ID, value []byte) error {
		m.marks.Add(CommitThing(id))
		if value == nil {
			bare = append(bare, id)
			return nil
		}
		p, err := ParsePack(id, value)
		m.marks.Add(PackThing(id))
		m.marks.Add(StoneThing(p.Stone.ID))
		below = append(below, p.After)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = m.records(Commits, bare, func(id history.ID, value []byte) error {
		c, err := ParseCommit(id, value)
		for _, ref := range c.Stones {
			m.marks.Add(StoneThing(ref.ID))
		}
		below = append(below, c.Base)
		return err
	})
	return below, err
}

// records calls what with the record of each id, or with nil if there is no record.
// ids are sorted. The value is valid only during the call.
func (m *marker) records(kind byte, ids []history.ID, what func(id history.ID, value []byte) error) error {
	sparse := markSparse
	if _, ahead := m.r.Rows.(Ahead); ahead {
		sparse = markAhead
	}
	if len(ids)*sparse < m.count[kind] {
		for some := range slices.Chunk(ids, aheadBatch) {
			keys := make([][]byte, len(some))
			for i, id := range some {
				keys[i] = append([]byte{kind}, id[:]...)
			}
			if err := m.r.Ahead(keys...); err != nil {
				return err
			}
			for i, id := range some {
				value, err := m.r.Get(keys[i])
				if err == nil {
					err = what(id, value)
				}
				if err == nil {
					err = m.ctx.Err()
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := m.r.Each([]byte{kind}, func(key, value []byte) (bool, error) {
		for len(ids) > 0 && bytes.Compare(ids[0][:], key[1:]) < 0 {
			if err := what(ids[0], nil); err != nil {
				return false, err
			}
			ids = ids[1:]
		}
		if len(ids) > 0 && bytes.Equal(ids[0][:], key[1:]) {
			if err := what(ids[0], value); err != nil {
				return false, err
			}
			ids = ids[1:]
		}
		return len(ids) > 0, m.ctx.Err()
	})
	for ; len(ids) > 0 && err == nil; ids = ids[1:] {
		err = what(ids[0], nil)
	}
	return err
}
