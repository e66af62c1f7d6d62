package pair

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// sweeper deletes things until another Collect or Purge begins, or a commit restarts it.
type sweeper struct {
	*Store
	ctx context.Context
	own history.Record // the condition
	now []garbage
}

// garbage is a record to delete, or to change to next, if it still has the value
// was.
type garbage struct {
	key       string
	was, next []byte
	bytes     string // key of the bytes to delete then, if not ""
	small     string // key of the record with the bytes, if not ""
	taken     func() // called then, if not nil
}

// holds makes the bytes of a stone garbage too.
func (g *garbage) holds(id stone.ID, in record.Info) {
	if in.Number == 0 {
		g.small = smallKey(id)
	} else {
		g.bytes = bytesKey(id, in.Number)
	}
}

// Bounds of how often a sweep starts again. Commits that restart it come in bursts; what it
// deleted before stays deleted.
const (
	maxRuns = 500
	// runsFor is how long that of a Collect starts again. In a large store a run takes
	// minutes.
	runsFor = time.Hour
)

// errRestarted says that a sweep must start again.
var errRestarted = errors.New("another collection has begun, or many worlds make the same commits")

// run stops the sweeps of others and calls what with the records of one moment. It
// starts again if it is restarted by others, but not after until, if that is set. It returns
// errRestarted if it gives up.
func (s *Store) run(ctx context.Context, until time.Time, what func(*sweeper, record.Reads) error) error {
	for n := 1; ; n++ {
		w := &sweeper{Store: s, ctx: ctx, own: history.Record{Key: runKey, Value: record.NumberValue(s.number())}}
		err := s.catalogue.Swap(ctx, nil, []history.Record{w.own})
		if err == nil {
			err = s.look(ctx, func(r record.Reads) error { return what(w, r) })
		}
		if !errors.Is(err, errRestarted) || n == maxRuns {
			return err
		}
		if until.IsZero() {
			continue
		}
		if now, failed := s.now(ctx); failed != nil {
			return failed
		} else if now.After(until) {
			return err
		}
	}
}

func (w *sweeper) take(v garbage) error {
	if w.now = append(w.now, v); len(w.now) < changeSize {
		return nil
	}
	return w.flush()
}

// flush deletes the queued victims: all in one Swap, or one by one if one of them
// was changed.
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
		if err := w.swap([]garbage{v}); errors.Is(err, history.ErrChanged) {
			if err := w.checkOwn(); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) swap(some []garbage) error {
	conditions := []history.Record{w.own}
	var changes []history.Record
	for _, v := range some {
		conditions = append(conditions, history.Record{Key: v.key, Value: v.was})
		changes = append(changes, history.Record{Key: v.key, Value: v.next})
		if v.small != "" {
			changes = append(changes, history.Record{Key: v.small})
		}
	}
	if err := w.catalogue.Swap(w.ctx, conditions, changes); err != nil {
		return err
	}
	var keys []string
	for _, v := range some {
		if v.taken != nil {
			v.taken()
		}
		if v.bytes != "" {
			keys = append(keys, v.bytes)
		}
	}
	return w.removeAll(w.ctx, keys)
}

// removeAll removes bytes, several keys at a time.
func (s *Store) removeAll(ctx context.Context, keys []string) error {
	var (
		wg   sync.WaitGroup
		slot = make(chan struct{}, atOnce)
		errs = make([]error, len(keys))
	)
	for i, key := range keys {
		slot <- struct{}{}
		wg.Go(func() {
			defer func() { <-slot }()
			errs[i] = s.remove(ctx, key)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkOwn returns errRestarted if another Collect or Purge began, or a commit asked for a restart.
func (w *sweeper) checkOwn() error {
	values, err := w.catalogue.Get(w.ctx, runKey)
	if err == nil && !bytes.Equal(values[0], w.own.Value) {
		err = errRestarted
	}
	return err
}
