package local

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// patient reads a damaged database: where it cannot read on, it says so and goes on
// behind the table that is damaged.
type patient struct {
	reads
	db    *pebble.DB
	fault func(kind string, err error)
}

// kinds are what the records of a kind are to people.
var kinds = map[byte]string{
	'n': "names of worlds", 't': "deleted worlds", 'h': "heads of worlds", 'o': "leases", 'l': "logs of worlds",
	'c': "commits", 'p': "packs", 'i': "records of stones", 'd': "stones", 's': "stones",
}

// each calls what for every pair under a prefix that can be read.
func (p patient) each(what func(key, value []byte) error, prefix ...byte) error {
	return p.walk(func(it *pebble.Iterator) error {
		value, err := it.ValueAndErr()
		if err != nil {
			p.fault(kinds[prefix[0]], damaged(err))
			return nil
		}
		return what(it.Key(), value)
	}, prefix)
}

// keys is each without values.
func (p patient) keys(what func(key []byte) error, prefix ...byte) error {
	return p.walk(func(it *pebble.Iterator) error { return what(it.Key()) }, prefix)
}

func (p patient) walk(what func(*pebble.Iterator) error, prefix []byte) error {
	o := span(prefix...)
	said := ""
	for {
		at := o.LowerBound
		it, err := p.iterator(o)
		if err != nil {
			return err
		}
		for more := it.First(); more; more = it.Next() {
			at = append([]byte(nil), it.Key()...)
			if err := what(it); err != nil {
				return ended(it, err)
			}
		}
		err = ended(it, nil)
		if err == nil {
			return nil
		}
		if text := err.Error(); text != said {
			p.fault(kinds[prefix[0]], err)
			said = text
		}
		if o.LowerBound, err = p.after(at); err != nil || o.LowerBound == nil || bytes.Compare(o.LowerBound, o.UpperBound) >= 0 {
			return err
		}
	}
}

// after returns the first key above at at which a table begins or behind which one
// ends, nil if there is none.
func (p patient) after(at []byte) (next []byte, err error) {
	levels, err := p.db.SSTables()
	for _, tables := range levels {
		for _, t := range tables {
			for _, key := range [][]byte{t.Smallest.UserKey, append(slices.Clone(t.Largest.UserKey), 0)} {
				if bytes.Compare(key, at) > 0 && (next == nil || bytes.Compare(key, next) < 0) {
					next = key
				}
			}
		}
	}
	return next, err
}

// sound finds commits all of whose stack can be read.
type sound struct {
	r     reads
	has   func(history.StoneRef) bool // whether a stone can be read
	keep  func(key, value []byte)     // told of the records that a stack consists of; nil if a pack must be readable
	known map[history.ID]bool
}

// entry reports whether a commit of a log and all that it stands on can be read.
func (s *sound) entry(at history.ID) bool {
	c, err := s.r.Commit(at)
	if err == nil && s.keep != nil {
		s.keep(record.CommitKey(at), c.Append(nil))
	}
	return err == nil && s.stack(at)
}

func (s *sound) stack(at history.ID) bool {
	var path []history.ID
	ok := true
	for ok && at != (history.ID{}) {
		was, known := s.known[at]
		if known {
			ok = was
			break
		}
		path = append(path, at)
		at, ok = s.step(at)
	}
	for _, id := range path {
		s.known[id] = ok
	}
	return ok
}

// step looks at what stands for a commit, and returns what is below. What a pack
// stands for does as well, if whoever asks keeps no pack that cannot be read.
func (s *sound) step(at history.ID) (below history.ID, ok bool) {
	p, packed, err := s.r.Pack(at)
	if packed && s.has(p.Stone) {
		if s.keep != nil {
			s.keep(record.PackKey(at), record.PackValue(p))
		}
		return p.After, true
	}
	if (packed || err != nil) && s.keep == nil {
		return at, false
	}
	c, err := s.r.Commit(at)
	for _, ref := range c.Stones {
		if err != nil || !s.has(ref) {
			return at, false
		}
	}
	if err == nil && s.keep != nil {
		s.keep(record.CommitKey(at), c.Append(nil))
	}
	return c.Base, err == nil
}
