package pair

import (
	"bytes"
	"context"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// removal is the removal of a deleted world for good. Nobody changes its log.
type removal struct {
	deleted history.Record   // says that it is deleted: the condition of each step
	rest    []history.Record // changes that remove that record, the head and the lease
	log     []history.Record // changes that remove its log, oldest entry first
}

// removalOf returns the removal of the world with a number, which a record names.
func removalOf(r record.Reads, w uint64, key, value []byte) (removal, error) {
	changes, err := r.Forget(key, w)
	if err != nil {
		return removal{}, err
	}
	all := make([]history.Record, len(changes))
	for i, c := range changes {
		all[i].Key = string(c.Key)
	}
	return removal{
		deleted: history.Record{Key: string(key), Value: bytes.Clone(value)},
		rest:    all[:record.ForgetLog], log: all[record.ForgetLog:],
	}, nil
}

// shorten removes the oldest entries of a log that is too long for one Swap. The newest
// ones stay and go together with the head, so the world is sound at every moment.
func (s *Pair) shorten(ctx context.Context, r *removal) error {
	for len(r.log) > changeSize {
		if err := s.catalogue.Swap(ctx, []history.Record{r.deleted}, r.log[:changeSize]); err != nil {
			return err
		}
		r.log = r.log[changeSize:]
	}
	return nil
}

// step removes what is left of the world.
func (r *removal) step(done func()) step {
	return step{conditions: []history.Record{r.deleted}, changes: append(r.rest[:len(r.rest):len(r.rest)], r.log...), done: done}
}

// unname deletes a world whose log is too long for one Swap under the name rules.Nobody. The
// next Collect removes what a Purge that stopped has left. key is the record that names the
// world now.
func unname(d *rules.Proposal, w uint64, key []byte) (removal, error) {
	value := record.DeletedWorld{World: w, Deleted: time.UnixMilli(0)}.Value()
	r, err := removalOf(d.Unconditional, w, record.DeletedKey(rules.Nobody, w), value)
	d.Set(key, nil)
	d.Set(record.LeaseKey(w), nil) // a deleted world has none
	d.Set([]byte(r.deleted.Key), r.deleted.Value)
	return r, err
}
