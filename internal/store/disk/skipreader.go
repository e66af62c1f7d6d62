package disk

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

// skipReader reads a damaged database. Where it cannot continue it reports a fault,
// and continues behind the damaged table.
type skipReader struct {
	record.Reads
	db    *pebble.DB
	fault func(kind string, err error)
}

// kinds has the names of the kinds of records, for people.
var kinds = map[byte]string{
	'n': "names of worlds", 't': "deleted worlds", 'h': "heads of worlds", 'o': "leases", 'l': "logs of worlds",
	'f': "numbers of leases",
	'c': "commits", 'p': "packs", 'i': "records of stones", 'd': "stones", 's': "stones",
}

// each calls what for every readable record under a prefix.
func (p skipReader) each(what func(key, value []byte) error, prefix ...byte) error {
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
func (p skipReader) keys(what func(key []byte) error, prefix ...byte) error {
	return p.walk(func(it *pebble.Iterator) error { return what(it.Key()) }, prefix)
}

func (p skipReader) walk(what func(*pebble.Iterator) error, prefix []byte) error {
	o := span(prefix...)
	said := ""
	for {
		at := o.LowerBound
		it, err := p.Reader.(*dbReader).NewIter(o)
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

// after returns the first key above at at which a table begins, or behind which one
// ends. It returns nil if there is none.
func (p skipReader) after(at []byte) (next []byte, err error) {
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
