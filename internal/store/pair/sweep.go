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

// step is a part of what a walk changes. It is made whole if its conditions hold, and not at
// all otherwise.
type step struct {
	conditions, changes []history.Record
	bytes               string // key of the bytes to delete then, if not ""
	done                func() // called then, if not nil
}

// replace is the step that changes a record to next, or removes it, if it still has the
// value was.
func replace(key, was, next []byte) step {
	r := history.Record{Key: string(key), Value: bytes.Clone(was)}
	return step{conditions: []history.Record{r}, changes: []history.Record{{Key: r.Key, Value: next}}}
}

// removeStone is the step that removes a stone and its bytes.
func removeStone(key, was []byte, in record.Info) step {
	st := replace(key, was, nil)
	if id := stone.ID(key[1:]); in.Number == 0 {
		st.changes = append(st.changes, history.Record{Key: smallKey(id)})
	} else {
		st.bytes = bytesKey(id, in.Number)
	}
	return st
}

// batch makes the steps of a walk, many in one Swap.
type batch struct {
	*Pair
	ctx   context.Context
	run   []history.Record // the condition of all steps, or empty
	steps []step
	size  int // number of their changes
}

func (b *batch) add(st step) error {
	b.steps = append(b.steps, st)
	if b.size += len(st.changes); b.size < changeSize {
		return nil
	}
	return b.flush()
}

// flush makes the steps: all in one Swap, or one by one if a condition of one of them does not
// hold. That one is left to the next walk.
func (b *batch) flush() error {
	all := b.steps
	b.steps, b.size = nil, 0
	if len(all) == 0 {
		return b.ctx.Err()
	}
	err := b.swap(all)
	if !errors.Is(err, history.ErrChanged) {
		return err
	}
	for i := range all {
		if err = b.swap(all[i : i+1]); errors.Is(err, history.ErrChanged) {
			err = b.checkRun()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) swap(some []step) error {
	conditions, changes := b.run[:len(b.run):len(b.run)], []history.Record(nil)
	for _, st := range some {
		conditions, changes = append(conditions, st.conditions...), append(changes, st.changes...)
	}
	if err := b.catalogue.Swap(b.ctx, conditions, changes); err != nil {
		return err
	}
	var keys []string
	for _, st := range some {
		if st.done != nil {
			st.done()
		}
		if st.bytes != "" {
			keys = append(keys, st.bytes)
		}
	}
	return b.removeAll(b.ctx, keys)
}

// checkRun returns errRestarted if another Collect or Purge began, or a commit asked for a restart.
func (b *batch) checkRun() error {
	if len(b.run) == 0 {
		return nil
	}
	values, err := b.catalogue.Get(b.ctx, runKey)
	if err == nil && !bytes.Equal(values[0], b.run[0].Value) {
		err = errRestarted
	}
	return err
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

// sweep stops the sweeps of others and calls what with the records of one moment. It
// starts again if it is restarted by others, but not after until, if that is set. It returns
// errRestarted if it gives up.
func (s *Pair) sweep(ctx context.Context, until time.Time, what func(*batch, record.Reads) error) error {
	for n := 1; ; n++ {
		b := &batch{Pair: s, ctx: ctx, run: []history.Record{{Key: runKey, Value: record.NumberValue(s.number())}}}
		err := s.catalogue.Swap(ctx, nil, b.run)
		if err == nil {
			err = s.atSnapshot(ctx, func(r record.Reads) error { return what(b, r) })
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

// atOnce is how many calls of the bucket one call makes at a time.
const atOnce = 8

// each calls what for 0 to n-1, atOnce of them at a time, and returns their errors.
func each(n int, what func(i int) error) []error {
	var wg sync.WaitGroup
	slot, errs := make(chan struct{}, atOnce), make([]error, n)
	for i := range n {
		slot <- struct{}{}
		wg.Go(func() {
			defer func() { <-slot }()
			errs[i] = what(i)
		})
	}
	wg.Wait()
	return errs
}

// removeAll removes bytes.
func (s *Pair) removeAll(ctx context.Context, keys []string) error {
	for _, err := range each(len(keys), func(i int) error { return s.remove(ctx, keys[i]) }) {
		if err != nil {
			return err
		}
	}
	return nil
}
