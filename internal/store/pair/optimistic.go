package pair

import (
	"context"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// Calls are functions of records. A function that decides a change reads records through a
// draft, which makes each of them a condition of the Swap. Functions have no other effects
// that last, so one can be called again and again:
//
//  1. It is called with what the cache has; a record that the cache does not have is
//     presumed to be missing. If it decides a change, the Swap tries that at once: the
//     conditions prove what was presumed. Most saves end here, after one call of the
//     catalogue.
//  2. Otherwise the catalogue is asked for all records that the function read, in one call,
//     and the function is called with these. It may want others now. Then all are asked for
//     again, so that they are of one moment, up to maxGets times. A load of a world that was
//     loaded before ends after the first time.
//  3. If it wants still more, or reads a range of keys, it is called with a snapshot.
//
// An answer, or an error, counts only if nothing was presumed. If the Swap finds that a
// condition does not hold, it begins again at 2.

// maxGets is how often the catalogue is asked for records before a snapshot is taken.
const maxGets = 5

// ask calls what with records of one moment. It may call it several times.
func (s *Pair) ask(ctx context.Context, what func(record.Reads) error) error {
	return s.decide(ctx, new(keySet), s.cache, func(r reader) error { return what(record.Reads{Rows: r}) }, nil)
}

// atSnapshot calls what with the records of one moment.
func (s *Pair) atSnapshot(ctx context.Context, what func(record.Reads) error) error {
	return s.withSnapshot(ctx, new(keySet), nil, func(r reader) error { return what(record.Reads{Rows: r}) })
}

// decide calls what until it was called with records of one moment, and returns its error.
// keys are those that it is known to read. Records that never change are taken from immutable. If no
// keys are known yet, and enough says so, the first call counts though it presumed records.
func (s *Pair) decide(ctx context.Context, keys *keySet, immutable *cache, what func(reader) error, enough func(error) bool) error {
	if s.cache == nil {
		return s.withSnapshot(ctx, keys, nil, what)
	}
	first, deep := len(keys.list) == 0, false
	for n := 0; n <= maxGets; n++ {
		known, err := keys.get(ctx, s.catalogue, s.cache)
		if err != nil {
			return err
		}
		r := &presumed{known: known, cache: s.cache, immutable: immutable, keys: keys}
		err = what(r)
		if !r.walked && (!r.presumed || first && n == 0 && enough != nil && enough(err)) {
			return err
		}
		if r.walked || deep && r.pack {
			break // or step by step down a stack that is not known
		}
		deep = n > 0 && r.pack
	}
	return s.withSnapshot(ctx, keys, immutable, what)
}

func (s *Pair) withSnapshot(ctx context.Context, keys *keySet, immutable *cache, what func(reader) error) error {
	from, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	r := &snapshot{ctx: ctx, from: from, immutable: immutable}
	if s.cache != nil { // otherwise no call costs anything
		if r.known, err = keys.get(ctx, from, s.cache); err != nil {
			return err
		}
	}
	return what(r)
}

// keySet is a set of keys in the order of their addition.
type keySet struct {
	list []string
	has  map[string]struct{}
}

func (k *keySet) add(keys ...string) {
	if k.has == nil {
		k.has = make(map[string]struct{})
	}
	for _, key := range keys {
		if _, ok := k.has[key]; !ok {
			k.has[key] = struct{}{}
			k.list = append(k.list, key)
		}
	}
}

// get reads the records of the keys, all of one moment, and puts them into a cache.
func (k *keySet) get(ctx context.Context, from history.Records, c *cache) (map[string][]byte, error) {
	known := make(map[string][]byte, len(k.list))
	if len(k.list) == 0 {
		return known, nil
	}
	values, err := from.Get(ctx, k.list...)
	if err != nil {
		return nil, err
	}
	for i, key := range k.list {
		known[key] = values[i]
		c.put(key, values[i])
	}
	return known, nil
}

// conditions reads records and makes them conditions.
type conditions struct {
	reader
	list []history.Record
	has  map[string]struct{}
}

func (c *conditions) Get(key []byte) ([]byte, error) {
	value, err := c.reader.Get(key)
	if err == nil {
		c.require(string(key), value)
	}
	return value, err
}

// require makes a record a condition.
func (c *conditions) require(key string, value []byte) {
	if _, ok := c.has[key]; !ok {
		c.has[key] = struct{}{}
		c.list = append(c.list, history.Record{Key: key, Value: value})
	}
}

// change calls what to decide a change and makes it. It starts again if another call
// changed a record that the change depends on.
func (s *Pair) change(ctx context.Context, what func(*rules.Proposal) error) error {
	return s.changeBytes(ctx, nil, what)
}

// changeBytes is change. It puts the bytes that the change needs, if any, before the change
// is made.
func (s *Pair) changeBytes(ctx context.Context, a *attempt, what func(*rules.Proposal) error) error {
	keys := new(keySet)
	for n := 0; ; n++ {
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		var d *rules.Proposal
		var h *helper
		err = s.decide(ctx, keys, nil, func(r reader) error {
			h = &helper{s: s, a: a, conditions: &conditions{reader: r, has: make(map[string]struct{})}}
			if n < 2 {
				h.presumes, _ = r.(*presumed)
			}
			d = &rules.Proposal{Now: now, Reads: record.Reads{Rows: h.conditions}, Unconditional: record.Reads{Rows: r}, Helper: h}
			return what(d)
		}, func(err error) bool { return err == nil && len(d.Changes) > 0 && !a.large() }) // without a change there is no Swap to find out
		if err != nil || len(d.Changes) == 0 {
			return err
		}
		if err := a.put(ctx); err != nil {
			return err
		}
		changes := h.changes(d)
		err = noteRoom(&s.full.catalogue, s.catalogue.Swap(ctx, h.conditions.list, changes))
		if err == nil {
			for _, r := range slices.Concat(h.conditions.list, changes) {
				s.cache.put(r.Key, r.Value)
			}
		}
		if !errors.Is(err, history.ErrChanged) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// changes returns the changes of a draft. That a number of leases is missing is a dear
// condition for some catalogues, so it makes the record that was missing.
func (h *helper) changes(d *rules.Proposal) []history.Record {
	out := make([]history.Record, len(d.Changes), len(d.Changes)+1)
	for i, c := range d.Changes {
		out[i] = history.Record{Key: string(c.Key), Value: c.Value}
	}
	for _, c := range h.conditions.list {
		set := func(r history.Record) bool { return r.Key == c.Key }
		if c.Key[0] == record.Spent && c.Value == nil && !slices.ContainsFunc(out, set) {
			out = append(out, history.Record{Key: c.Key, Value: record.NumberValue(0)})
		}
	}
	return out
}
