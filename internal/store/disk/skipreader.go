package disk

import (
	"bytes"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// skipReader walks over the records of a damaged database. Where it cannot continue it
// reports a fault, and continues behind the damaged table.
type skipReader struct {
	from  pebble.Reader
	db    *pebble.DB
	fault func(kind string, err error)
}

// kinds has the names of the kinds of records, for people.
var kinds = map[byte]string{
	'n': "names of worlds", 't': "deleted worlds", 'h': "heads of worlds", 'o': "leases", 'l': "logs of worlds",
	'f': "numbers of leases",
	'c': "commits", 'p': "packs", 'i': "records of stones", 'd': "stones",
}

// each calls what for every readable record of a kind.
func (p skipReader) each(kind byte, what func(key, value []byte) error) error {
	return p.walk(kind, func(it *pebble.Iterator) error {
		value, err := it.ValueAndErr()
		if err != nil {
			p.fault(kinds[kind], damaged(err))
			return nil
		}
		return what(it.Key(), value)
	})
}

func (p skipReader) walk(kind byte, what func(*pebble.Iterator) error) error {
	o := span(kind)
	said := ""
	for {
		at := o.LowerBound
		it, err := p.from.NewIter(o)
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
			p.fault(kinds[kind], err)
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
