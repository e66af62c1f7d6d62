package record

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairnvoxel/cairn/history"
)

// marker makes Marks. It walks down from every commit of every log, many at a time: a step reads
// the records of all of them in the order of their keys.
type marker struct {
	r     Reads
	ctx   context.Context
	marks *Marks
	count map[byte]int            // of records, by kind
	start []history.ID            // of logs, that are walked down from, sorted
	done  map[history.ID]struct{} // walked down from beside these; forgotten when it is large
}

const (
	// markStep is how many commits of logs are walked down from at a time.
	markStep = 1 << 19
	// markSparse is how many records of a kind are read in order in the time that
	// one is looked up in.
	markSparse = 16
)

// Mark returns marks of all that the worlds need: of each commit that a log or a
// stack leads to, its record and its pack, or if it has none its stones.
func (r Reads) Mark(ctx context.Context, salt uint64) (*Marks, error) {
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
	m.marks = NewMarks(m.count[Commits]+m.count[Stones], salt)
	err := r.Each([]byte{Logs}, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		if m.start = append(m.start, e.Commit); len(m.start) < markStep || err != nil {
			return true, err
		}
		return true, m.down()
	})
	if err == nil {
		err = m.down()
	}
	return m.marks, err
}

// down marks what the stacks of start need, and their records.
func (m *marker) down() error {
	slices.SortFunc(m.start, compareIDs)
	m.start = slices.Compact(m.start)
	for at := m.start; len(at) > 0; {
		next, err := m.step(at)
		if err != nil {
			return err
		}
		at = m.fresh(next)
	}
	m.start = m.start[:0]
	return nil
}

func compareIDs(a, b history.ID) int { return bytes.Compare(a[:], b[:]) }

// fresh returns those commits, sorted, that were not walked down from.
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

// step marks what stands for commits, which are sorted, and returns what is below
// each.
func (m *marker) step(ids []history.ID) (below []history.ID, err error) {
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

// records calls what with the record of each of ids, which are sorted, nil if it
// has none. The value is its own only during the call.
func (m *marker) records(kind byte, ids []history.ID, what func(id history.ID, value []byte) error) error {
	if len(ids)*markSparse < m.count[kind] {
		for _, id := range ids {
			value, err := m.r.Get(append([]byte{kind}, id[:]...))
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
