package local

import (
	"errors"
	"hash/maphash"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// reads are the records as they stand in the database or in a snapshot of it.
type reads struct {
	record.Reads
	stackCache *stackCache // of the database; nil of a snapshot
	worldOf    *names
}

// live are the records as they are now.
func (s *Store) live() reads {
	return reads{record.Reads{Reader: s.records}, s.stackCache, s.worldOf}
}

// frozen are the records of a snapshot.
func frozen(snap *pebble.Snapshot) reads { return reads{Reads: record.Reads{Reader: &records{snap}}} }

// World is record.Reads.World, from memory if it is there.
func (r reads) World(name string) (uint64, error) {
	key := keyOf(name)
	w, ok, t := r.worldOf.get(key)
	if ok {
		return w, nil
	}
	w, err := r.Reads.World(name)
	if err == nil {
		r.worldOf.put(key, w, t)
	}
	return w, err
}

// named stands for a name: two that differ have another one, but for chance that
// nobody can help along.
type named [2]uint64

var namedSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func keyOf(name string) named {
	return named{maphash.String(namedSeeds[0], name), maphash.String(namedSeeds[1], name)}
}

// names are the worlds that names stand for.
type names = cache[named, uint64]

const nameBytes = 16 + 8 + 8

// Logged is record.Reads.Logged, with a place from memory if it is there.
func (r reads) Logged(w uint64, at history.ID) (record.Entry, error) {
	e, err := r.Placed(at)
	if err == nil {
		err = r.InLog(w, e)
	}
	return e, err
}

// Below is record.Reads.Below, from memory if it is there.
func (r reads) Below(at history.ID) (history.ID, error) {
	p, ok, c, err := r.step(at)
	if ok || err != nil {
		return p.After, err
	}
	return c.Base, nil
}

// records is the database, or a snapshot of it, as a record.Reader.
type records struct{ pebble.Reader }

// Get is for record.Reader.
func (r *records) Get(key []byte) ([]byte, error) {
	v, closer, err := r.Reader.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, len(v)), v...), closer.Close()
}

// span is all keys that begin with prefix.
func span(prefix ...byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: prefix, UpperBound: record.End(prefix)}
}

// Each is for record.Reader.
func (r *records) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	return r.iterate(span(prefix...), (*pebble.Iterator).First, (*pebble.Iterator).Next, func(it *pebble.Iterator) (bool, error) {
		value, err := it.ValueAndErr()
		if err != nil {
			return false, err
		}
		return what(it.Key(), value)
	})
}

// Keys is for record.Reader.
func (r *records) Keys(prefix []byte, what func(key []byte) error) error {
	return r.iterate(span(prefix...), (*pebble.Iterator).First, (*pebble.Iterator).Next, func(it *pebble.Iterator) (bool, error) {
		return true, what(it.Key())
	})
}

// Back is for record.Reader.
func (r *records) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	o := &pebble.IterOptions{LowerBound: from, UpperBound: to}
	return r.iterate(o, (*pebble.Iterator).Last, (*pebble.Iterator).Prev, func(it *pebble.Iterator) (bool, error) {
		value, err := it.ValueAndErr()
		if err != nil {
			return false, err
		}
		return what(it.Key(), value)
	})
}

func (r *records) iterate(o *pebble.IterOptions, first, next func(*pebble.Iterator) bool, what func(*pebble.Iterator) (bool, error)) error {
	it, err := r.NewIter(o)
	if err != nil {
		return err
	}
	for more := first(it); more; more = more && next(it) {
		if more, err = what(it); err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return it.Close()
}

// dataKey is where the bytes of a stone are that is no file.
func dataKey(id stone.ID, in record.Info) []byte {
	if in.Number == 0 {
		return append([]byte{'s'}, id[:]...)
	}
	return append(be.AppendUint64([]byte{'d'}, in.Number), id[:]...)
}
