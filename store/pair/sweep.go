package pair

import (
	"bytes"
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// sweeper takes things, as long as no other Collect or Purge has begun and no
// commit has disturbed it.
type sweeper struct {
	*Store
	ctx context.Context
	own history.Record // the condition
	now []victim
}

// victim is a record that is to be deleted, or changed to next, if it still is what
// it was.
type victim struct {
	key       string
	was, next []byte
	bytes     string // to be deleted then, if not ""
	taken     func() // called then, if not nil
}

// maxRuns is how often a sweep begins anew.
const maxRuns = 5

// errDisturbed says that a sweep must begin anew.
var errDisturbed = errors.New("another collection has begun, or many worlds make the same commits")

// run calls what with the records as they are at one moment after it has ended what
// others sweep; again if it is disturbed itself.
func (s *Store) run(ctx context.Context, what func(*sweeper, record.Reads) error) error {
	for n := 1; ; n++ {
		w := &sweeper{Store: s, ctx: ctx, own: history.Record{Key: runKey, Value: record.NumberValue(s.number())}}
		err := s.catalogue.Swap(ctx, nil, []history.Record{w.own})
		if err == nil {
			err = s.look(ctx, func(r record.Reads) error { return what(w, r) })
		}
		if !errors.Is(err, errDisturbed) || n == maxRuns {
			return err
		}
	}
}

func (w *sweeper) take(v victim) error {
	if w.now = append(w.now, v); len(w.now) < pageOf {
		return nil
	}
	return w.flush()
}

// flush takes what was left to it: all at once, or if something of it was changed
// one by one.
func (w *sweeper) flush() error {
	all := w.now
	w.now = nil
	if len(all) == 0 {
		return w.ctx.Err()
	}
	err := w.swap(all)
	if !errors.Is(err, history.ErrChanged) {
		return err
	}
	for _, v := range all {
		if err := w.swap([]victim{v}); errors.Is(err, history.ErrChanged) {
			if err := w.undisturbed(); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) swap(some []victim) error {
	conditions := []history.Record{w.own}
	var changes []history.Record
	for _, v := range some {
		conditions = append(conditions, history.Record{Key: v.key, Value: v.was})
		changes = append(changes, history.Record{Key: v.key, Value: v.next})
	}
	if err := w.catalogue.Swap(w.ctx, conditions, changes); err != nil {
		return err
	}
	for _, v := range some {
		if v.taken != nil {
			v.taken()
		}
		if v.bytes == "" {
			continue
		}
		if err := w.remove(w.ctx, v.bytes); err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) undisturbed() error {
	values, err := w.catalogue.Get(w.ctx, runKey)
	if err == nil && !bytes.Equal(values[0], w.own.Value) {
		err = errDisturbed
	}
	return err
}
