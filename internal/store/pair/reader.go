package pair

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// reader is what calls read records with: presumed or snapshot.
type reader interface {
	record.Rows
	record.Ahead
}

// presumed has some records of one moment. It presumes that all others are as the cache has
// them, or missing if it does not.
type presumed struct {
	known     map[string][]byte // of one moment
	cache     *cache
	immutable *cache  // has records that never change; may be nil
	keys      *keySet // those that were asked for are added
	presumed  bool    // a record was not known
	pack      bool    // that of a pack
	walked    bool    // it was asked for a range of keys, which only a snapshot has
}

func (r *presumed) Get(key []byte) ([]byte, error) {
	k := string(key)
	if value, ok := r.known[k]; ok {
		return value, nil
	}
	if value := r.immutable.getImmutable(k); value != nil {
		return value, nil
	}
	r.keys.add(k)
	r.presumed = true
	r.pack = r.pack || k[0] == record.Packs
	return r.cache.get(k), nil
}

func (r *presumed) Ahead(keys [][]byte) error {
	for _, key := range keys {
		_, _ = r.Get(key)
	}
	return nil
}

var errWalk = errors.New("a range of keys is not known")

func (r *presumed) Each([]byte, func(key, value []byte) (bool, error)) error {
	r.walked = true
	return errWalk
}

func (r *presumed) Keys([]byte, func(key []byte) error) error { return r.Each(nil, nil) }

func (r *presumed) Back(_, _ []byte, _ func(key, value []byte) (bool, error)) error {
	return r.Each(nil, nil)
}

// snapshot reads the records of one moment from the catalogue.
type snapshot struct {
	ctx       context.Context
	from      history.Records
	known     map[string][]byte // what was read; nil if each record is read when it is needed
	immutable *cache            // has records that never change; may be nil
}

const (
	// walkSize is how many records a call reads at a time.
	walkSize = 2048
	// changeSize is how many records one Swap of a walk changes.
	changeSize = 512
	// maxKnown is how many records a snapshot keeps.
	maxKnown = 1 << 16
)

func (r *snapshot) Get(key []byte) ([]byte, error) {
	k := string(key)
	if r.known == nil {
		values, err := r.from.Get(r.ctx, k)
		if err != nil {
			return nil, err
		}
		return values[0], nil
	}
	if value, ok := r.has(k); ok {
		return value, nil
	}
	keys := []string{k}
	if k[0] == record.Packs { // as a rule its commit is needed too
		commit := string(record.Commits) + k[1:]
		if _, ok := r.has(commit); !ok {
			keys = append(keys, commit)
		}
	}
	err := r.fetch(keys)
	return r.known[k], err
}

func (r *snapshot) has(key string) (value []byte, ok bool) {
	if value, ok = r.known[key]; !ok {
		value = r.immutable.getImmutable(key)
		ok = value != nil
	}
	return value, ok
}

func (r *snapshot) fetch(keys []string) error {
	values, err := r.from.Get(r.ctx, keys...)
	if err != nil {
		return err
	}
	if len(r.known) > maxKnown {
		clear(r.known)
	}
	for i, key := range keys {
		r.known[key] = values[i]
		r.immutable.put(key, values[i])
	}
	return nil
}

func (r *snapshot) Ahead(keys [][]byte) error {
	if r.known == nil {
		return nil
	}
	var need []string
	for _, key := range keys {
		if _, ok := r.has(string(key)); !ok {
			need = append(need, string(key))
		}
	}
	for some := range slices.Chunk(need, walkSize) {
		if err := r.fetch(some); err != nil {
			return err
		}
	}
	return nil
}

// stackAhead is how many commits of a log are read at once for a stack.
const stackAhead = 64

func (r *snapshot) LogAhead(w uint64) error {
	if r.known == nil {
		return nil
	}
	log, err := r.from.Scan(r.ctx, string(record.LogOf(w)), string(record.End(record.LogOf(w))), stackAhead, true)
	if err != nil {
		return err
	}
	var keys [][]byte
	for _, l := range log {
		if e, err := record.ParseEntry([]byte(l.Key), l.Value); err == nil { // who reads it says what is wrong
			keys = append(keys, record.PackKey(e.Commit), record.CommitKey(e.Commit))
		}
	}
	return r.Ahead(keys)
}

func (r *snapshot) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(prefix), string(record.End(prefix)), false, what)
}

func (r *snapshot) Keys(prefix []byte, what func(key []byte) error) error {
	return r.Each(prefix, func(key, _ []byte) (bool, error) { return true, what(key) })
}

func (r *snapshot) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(from), string(to), true, what)
}

func (r *snapshot) scan(from, to string, back bool, what func(key, value []byte) (bool, error)) error {
	for n := 8; ; n = min(2*n, walkSize) { // few records are often enough
		batch, err := r.from.Scan(r.ctx, from, to, n, back)
		if err != nil {
			return err
		}
		for _, p := range batch {
			if more, err := what([]byte(p.Key), p.Value); !more || err != nil {
				return err
			}
		}
		if len(batch) < n {
			return nil
		}
		if last := batch[n-1].Key; back {
			to = last
		} else {
			from = last + "\x00"
		}
	}
}
