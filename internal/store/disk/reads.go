package disk

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
)

// live reads the current records.
func (s *Store) live() record.Reads { return record.Reads{Rows: s.reader, Memory: s.memory} }

// frozen reads the records of a snapshot.
func frozen(snap *pebble.Snapshot) record.Reads { return record.Reads{Rows: &dbReader{snap}} }

// dbReader is a record.Rows of the database or of a snapshot of it.
type dbReader struct{ pebble.Reader }

func (r *dbReader) Get(key []byte) ([]byte, error) {
	v, closer, err := r.Reader.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, damaged(err)
	}
	value := append(make([]byte, 0, len(v)), v...)
	return value, damaged(closer.Close()) // Close returns the errors of the value
}

// span returns the options to iterate over the keys that begin with prefix.
func span(prefix ...byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: prefix, UpperBound: record.End(prefix)}
}

func (r *dbReader) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	return r.values(span(prefix...), (*pebble.Iterator).First, (*pebble.Iterator).Next, what)
}

func (r *dbReader) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	return r.values(&pebble.IterOptions{LowerBound: from, UpperBound: to}, (*pebble.Iterator).Last, (*pebble.Iterator).Prev, what)
}

func (r *dbReader) Keys(prefix []byte, what func(key []byte) error) error {
	return r.iterate(span(prefix...), (*pebble.Iterator).First, (*pebble.Iterator).Next, func(it *pebble.Iterator) (bool, error) {
		return true, what(it.Key())
	})
}

func (r *dbReader) values(o *pebble.IterOptions, first, next func(*pebble.Iterator) bool, what func(key, value []byte) (bool, error)) error {
	return r.iterate(o, first, next, func(it *pebble.Iterator) (bool, error) {
		value, err := it.ValueAndErr()
		if err != nil {
			return false, err
		}
		return what(it.Key(), value)
	})
}

func (r *dbReader) iterate(o *pebble.IterOptions, first, next func(*pebble.Iterator) bool, what func(*pebble.Iterator) (bool, error)) error {
	it, err := r.NewIter(o)
	if err != nil {
		return err
	}
	for more := first(it); more; more = more && next(it) {
		if more, err = what(it); err != nil {
			return ended(it, err)
		}
	}
	return ended(it, nil)
}

// damaged turns an error about damage into a *stone.CorruptError that names the
// file. For a value in a blob file, the database names the table that refers to it,
// and the number of the blob file only in the text.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*stone.CorruptError)) {
		return err
	}
	part := ""
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		part = "db/" + filepath.Base(info.Path)
	}
	if _, text, ok := strings.Cut(err.Error(), "pebble: file "); ok {
		if number, _, _ := strings.Cut(text, ":"); !strings.Contains(part, number) {
			part = "db/" + number + ".blob"
		}
	}
	if part == "" && !pebble.IsCorruptionError(err) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), "\n") // the other lines repeat this one or are details of the database
	return &stone.CorruptError{Part: cmp.Or(part, "the database"), Offset: -1, Err: errors.New(text)}
}

// ended closes an iterator that stopped because of err. Close returns err again if
// it is the iterator's own.
func ended(it *pebble.Iterator, err error) error {
	if closed := it.Close(); err == nil {
		err = closed
	}
	return damaged(err)
}

// dataKey is the key of the bytes of a stone that is not a file.
func dataKey(id stone.ID, in record.Info) []byte {
	return append(be.AppendUint64([]byte{'d'}, in.Number), id[:]...)
}
