package pair

import (
	"context"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// reader reads records for record.Reads. It notes what Get returns if note is set.
type reader struct {
	ctx  context.Context
	from history.Records
	note bool
	seen []history.Record
}

// Get is for record.Reader.
func (r *reader) Get(key []byte) ([]byte, error) {
	k := string(key)
	values, err := r.from.Get(r.ctx, k)
	if err != nil {
		return nil, err
	}
	if r.note {
		r.seen = append(r.seen, history.Record{Key: k, Value: values[0]})
	}
	return values[0], nil
}

// pageOf is how many records are asked for at a time.
const pageOf = 256

// Each is for record.Reader.
func (r *reader) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(prefix), string(record.End(prefix)), false, what)
}

// Keys is for record.Reader.
func (r *reader) Keys(prefix []byte, what func(key []byte) error) error {
	return r.Each(prefix, func(key, _ []byte) (bool, error) { return true, what(key) })
}

// Back is for record.Reader.
func (r *reader) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(from), string(to), true, what)
}

func (r *reader) scan(from, to string, back bool, what func(key, value []byte) (bool, error)) error {
	for n := 8; ; n = min(2*n, pageOf) { // few are often enough
		page, err := r.from.Scan(r.ctx, from, to, n, back)
		if err != nil {
			return err
		}
		for _, p := range page {
			if more, err := what([]byte(p.Key), p.Value); !more || err != nil {
				return err
			}
		}
		if len(page) < n {
			return nil
		}
		if last := page[n-1].Key; back {
			to = last
		} else {
			from = last + "\x00"
		}
	}
}
