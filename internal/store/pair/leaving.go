package pair

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// leaving is a deleted world that goes for good. Nobody changes its log.
type leaving struct {
	was  history.Record   // says that it is deleted: the condition of each step
	rest []history.Record // changes that remove that record, the head and the lease
	log  []history.Record // changes that remove its log, oldest entry first
}

// leavingOf returns the world with a number, which a record names.
func leavingOf(r record.Reads, w uint64, key, value []byte) (leaving, error) {
	changes, err := r.Forget(key, w)
	if err != nil {
		return leaving{}, err
	}
	all := make([]history.Record, len(changes))
	for i, c := range changes {
		all[i].Key = string(c.Key)
	}
	return leaving{
		was:  history.Record{Key: string(key), Value: bytes.Clone(value)},
		rest: all[:record.ForgetLog], log: all[record.ForgetLog:],
	}, nil
}

// shorten removes the oldest entries of a log that is too long for one Swap. The newest
// ones stay and go together with the head, so the world is sound at every moment.
func (s *Store) shorten(ctx context.Context, l *leaving) error {
	for len(l.log) > changeSize {
		if err := s.catalogue.Swap(ctx, []history.Record{l.was}, l.log[:changeSize]); err != nil {
			return err
		}
		l.log = l.log[changeSize:]
	}
	return nil
}

// forget removes worlds, all in one Swap, or one by one if one of them was restored. It
// returns how many it removed.
func (s *Store) forget(ctx context.Context, all ...leaving) (n int, err error) {
	if len(all) == 0 {
		return 0, nil
	}
	var conditions, changes []history.Record
	for _, l := range all {
		conditions, changes = append(conditions, l.was), append(append(changes, l.rest...), l.log...)
	}
	err = s.catalogue.Swap(ctx, conditions, changes)
	switch {
	case err == nil:
		return len(all), nil
	case !errors.Is(err, history.ErrChanged):
		return 0, err
	case len(all) == 1:
		return 0, nil
	}
	for _, l := range all {
		one, err := s.forget(ctx, l)
		if n += one; err != nil {
			return n, err
		}
	}
	return n, nil
}

// doom deletes a world whose log is too long for one Swap under the name rules.Nobody. The
// next Collect removes what a Purge that stopped has left. key is the record that names the
// world now.
func doom(d *rules.Proposal, w uint64, key []byte) (leaving, error) {
	value := record.DeletedWorld{World: w, Deleted: time.UnixMilli(0)}.Value()
	l, err := leavingOf(d.Unconditional, w, record.DeletedKey(rules.Nobody, w), value)
	d.Set(key, nil)
	d.Set(record.LeaseKey(w), nil) // a deleted world has none
	d.Set([]byte(l.was.Key), l.was.Value)
	return l, err
}
