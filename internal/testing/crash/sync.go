package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/store/local"
)

// round is the life of a store in memory: a series of sessions with a look at every
// sync. Each session starts with what a stop of the previous one left.
type round struct {
	seed    uint64
	left    *budget
	table   *table
	options local.Options
	clock   atomic.Int64
	stops   int // guarded by the journal's lock
}

// rest is what remains after a stop.
type rest struct {
	fs *vfs.MemFS
	m  *model
}

const (
	storeDir  = "store"
	smallFile = 24 << 10 // smaller than in use, so that stones become files
	smallLog  = 64 << 10 // so that tables are often written and merged
)

func (r *round) run(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(r.seed, 0))
	r.options = local.Options{Now: r.now, FileBytes: smallFile, LogBytes: smallLog, CacheBytes: 1 << 20, ReserveBytes: -1}
	if rng.IntN(8) == 0 {
		r.options.FileBytes = 0
	}
	at := rest{vfs.NewCrashableMem(), newModel()}
	for range 2 + rng.IntN(5) {
		if !r.left.any() {
			break
		}
		s := &session{round: r, rng: rng, rest: at, j: &journal{m: at.m}, phase: opening}
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("at stop %d of -seed %d: %w; again: -kill 0 -seed %[2]d -sync %[1]d -parallel 1", r.stops, r.seed, err)
		}
		at = s.kept
	}
	return nil
}

// now is a clock that always goes on.
func (r *round) now() time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.clock.Add(1)) * time.Second)
}

// session is one opening of the store, and work on it.
type session struct {
	*round
	rest
	cancel context.CancelCauseFunc

	// The fields below are guarded by j.mu.
	rng   *rand.Rand
	j     *journal
	phase string // opening, or nothing
	kept  rest   // the rest of one stop, for the next session
	seen  int
}

func (s *session) run(ctx context.Context) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.cancel = cancel
	err := s.live(inner)
	if cause := context.Cause(inner); cause != nil {
		return cause
	}
	return err
}

func (s *session) live(ctx context.Context) error {
	o := s.options
	o.FS = stopFS{s.fs, func(column int, after bool) { s.stop(ctx, column, after) }, &s.j.mu}
	st, err := local.Open(storeDir, o)
	if err != nil {
		return err
	}
	m := s.m.clone() // stops look at the other one
	if err = reconcile(ctx, st, m); err == nil {
		s.j.mu.Lock()
		s.j.m, s.j.large, s.phase = m, st.FileBytes, ""
		seed, steps := s.rng.Uint64(), 10+s.rng.IntN(60)
		workers := 1 + s.rng.IntN(3)
		s.j.mu.Unlock()
		err = work(ctx, st, s.j, seed, workers, steps/workers)
	}
	return errors.Join(err, st.Close())
}

// stop is called at a sync. It looks at what is left if the power fails now. Data
// without a sync is lost; after the sync, part of it is.
func (s *session) stop(ctx context.Context, column int, after bool) {
	if ctx.Err() != nil {
		return
	}
	left, row, ok, err := s.take(after)
	if !ok {
		return
	}
	s.table.add(row, column)
	if err == nil {
		err = s.look(ctx, left)
	}
	if err != nil && ctx.Err() == nil {
		s.cancel(fmt.Errorf("lost in %s: %w", row, err))
	}
}

func (s *session) take(after bool) (left rest, row string, ok bool, err error) {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	if after && s.rng.IntN(2) == 0 || !s.left.take() {
		return rest{}, "", false, nil
	}
	cfg := vfs.CrashCloneCfg{RNG: s.rng}
	if after {
		cfg.UnsyncedDataPercent = 25 * (1 + s.rng.IntN(4))
	}
	left = rest{s.fs.CrashClone(cfg), s.j.m.clone()}
	err = unlink(left.fs, s.fs, "/", s.rng, cfg.UnsyncedDataPercent)
	s.stops++
	s.seen++
	if s.rng.IntN(s.seen) == 0 {
		s.kept = rest{left.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: s.rng}), left.m.clone()}
	}
	if row = s.phase; row == "" {
		row = left.m.doing()
	}
	return left, row, true, err
}

// look opens the rest of a stop and compares it.
func (s *session) look(ctx context.Context, left rest) error {
	o := s.options
	o.FS = left.fs
	st, err := local.Open(storeDir, o)
	if err != nil {
		return err
	}
	if err = reconcile(ctx, st, left.m); err == nil {
		err = errors.Join(checkAll(ctx, st), dig(ctx, st, left.m))
	}
	return errors.Join(err, st.Close())
}
