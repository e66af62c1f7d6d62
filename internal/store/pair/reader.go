package pair

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// reader is a record.Reader of a catalogue. It reads from a snapshot, or it has only
// the records that it was given and what a cache remembers. In the second case it
// says which records it lacks, and errLack is its answer.
type reader struct {
	ctx   context.Context
	from  history.Records   // the snapshot, or nil
	known map[string][]byte // records of its moment
	cache *cache            // nil if what is remembered does not count
	guess bool              // everything that the cache remembers counts, not only what lasts
	asked []string          // keys that were asked for, without those that the cache answered for good
	lack  []string          // keys that it lacks
	walks bool              // it was asked for records that only a snapshot has
	stack bool              // it lacks a pack: it goes down a stack
	note  bool              // record in seen what Get returns
	seen  []history.Record
	noted map[string]struct{}
	plain bool   // every record is read when it is needed, and not kept
	page  int    // how many records are read at a time; 0 is batchSize
	world uint64 // of the head that was read last
	// assumes lets a draft take a record for missing without a look.
	assumes bool
}

// errLack says that a reader without a snapshot lacks a record.
var errLack = errors.New("a record was not read yet")

// lacks reports whether the answers of the reader count for nothing.
func (r *reader) lacks() bool { return len(r.lack) > 0 || r.walks }

func (r *reader) Get(key []byte) ([]byte, error) {
	k := string(key)
	value, err := r.get(k)
	if err != nil {
		return nil, err
	}
	r.saw(k, value)
	return value, nil
}

// saw records what Get returned, or what a walk found.
func (r *reader) saw(key string, value []byte) {
	if _, noted := r.noted[key]; r.note && !noted {
		r.noted[key] = struct{}{}
		r.seen = append(r.seen, history.Record{Key: key, Value: value})
	}
}

func (r *reader) get(key string) ([]byte, error) {
	if key[0] == record.Heads {
		r.world = record.Number([]byte(key))
	}
	if r.plain {
		values, err := r.from.Get(r.ctx, key)
		if err != nil {
			return nil, err
		}
		return values[0], nil
	}
	if value, ok := r.has(key); ok {
		return value, nil
	}
	if err := r.fetch(append([]string{key}, r.beside(key)...)); err != nil {
		return nil, err
	}
	return r.known[key], nil
}

// has returns a record that needs no call.
func (r *reader) has(key string) (value []byte, ok bool) {
	if value, ok = r.known[key]; !ok {
		if lasts := lasting(key); lasts || r.guess {
			if value, ok = r.cache.get(key); ok && lasts {
				return value, true
			}
		}
	}
	if ok && r.guess {
		r.asked = append(r.asked, key)
	}
	return value, ok
}

// beside returns the keys of other records that are as a rule needed with one.
func (r *reader) beside(key string) (keys []string) {
	switch key[0] {
	case record.Heads:
		if r.note {
			keys = append(keys, string(record.LeaseKey(r.world)))
		}
	case record.Packs:
		r.stack = true
		keys = append(keys, string(record.Commits)+key[1:])
		if r.from != nil && r.cache != nil && r.world != 0 {
			keys = append(keys, r.logged()...)
		}
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		_, ok := r.known[key]
		if !ok && lasting(key) {
			_, ok = r.cache.get(key)
		}
		return ok
	})
}

// logged returns the keys of the newest commits of the world's log, which a stack is
// as a rule made of, and of their packs. It does so once.
func (r *reader) logged() (keys []string) {
	log, err := r.from.Scan(r.ctx, string(record.LogOf(r.world)), string(record.End(record.LogOf(r.world))), stackAhead, true)
	r.world = 0
	for _, e := range log {
		if len(e.Value) < len(history.ID{}) || err != nil {
			continue // who reads it says what is wrong
		}
		id := string(e.Value[:len(history.ID{})])
		keys = append(keys, string(record.Packs)+id, string(record.Commits)+id)
	}
	return keys
}

// stackAhead is how many commits of a log are read at once for a stack.
const stackAhead = 64

// fetch gets records from the snapshot, or says that they are lacking.
func (r *reader) fetch(keys []string) error {
	if r.from == nil {
		r.lack = append(r.lack, keys...)
		return errLack
	}
	values, err := r.from.Get(r.ctx, keys...)
	if err != nil {
		return err
	}
	if len(r.known) > maxKnown {
		clear(r.known)
	}
	for i, key := range keys {
		r.known[key] = values[i]
		r.cache.put(key, values[i])
	}
	return nil
}

// maxKnown is how many records a reader of a snapshot remembers.
const maxKnown = 1 << 16

func (r *reader) Ahead(keys [][]byte) error {
	if r.plain {
		return nil
	}
	var need []string
	for _, key := range keys {
		if _, ok := r.has(string(key)); !ok {
			need = append(need, string(key))
		}
	}
	for some := range slices.Chunk(need, max(batchSize, r.page)) {
		if err := r.fetch(some); err != nil && r.from != nil {
			return err
		}
	}
	if len(r.lack) > 0 && !r.guess { // a guess goes on, to see what else is needed
		return errLack
	}
	return nil
}

const (
	// batchSize is how many records a call reads at a time.
	batchSize = 256
	// walkSize is how many records a walk through all worlds reads at a time.
	walkSize = 2048
	// changeSize is how many records it changes at a time.
	changeSize = 512
)

func (r *reader) Each(prefix []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(prefix), string(record.End(prefix)), false, what)
}

func (r *reader) Keys(prefix []byte, what func(key []byte) error) error {
	return r.Each(prefix, func(key, _ []byte) (bool, error) { return true, what(key) })
}

func (r *reader) Back(from, to []byte, what func(key, value []byte) (bool, error)) error {
	return r.scan(string(from), string(to), true, what)
}

func (r *reader) scan(from, to string, back bool, what func(key, value []byte) (bool, error)) error {
	if r.from == nil {
		r.walks = true
		return errLack
	}
	for n := 8; ; n = min(2*n, max(batchSize, r.page)) { // few records are often enough
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

// implied reads records like a draft and does not make them conditions, because
// another condition says as much.
type implied struct{ *reader }

func (i implied) Get(key []byte) ([]byte, error) { return i.reader.get(string(key)) }

// unseen reads records like a draft and does not make them conditions. So it needs a
// snapshot.
type unseen struct{ *reader }

func (u unseen) Get(key []byte) ([]byte, error) {
	if u.from == nil {
		u.walks = true
		return nil, errLack
	}
	return u.reader.get(string(key))
}
