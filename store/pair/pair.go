// Package pair is a history.Store made of two halves: a history.Catalogue and
// history.Stones. Any catalogue and any place for bytes make a Store.
//
// A commit first puts its stones. Then it changes the catalogue in one Swap: its
// record, its entry in the log, the head. The conditions of every Swap are the
// records that the change depends on, so Stores in several processes may share both
// halves. If another change came first, the Store decides again.
//
// Bytes are put under a key that is used once: the hash of the stone and a number.
// Before that, the Store records an attempt with the number; the Swap that adds the
// stone's record removes the attempt. A call may stop between any two calls of the
// halves. Bytes with neither an attempt nor a stone's record can then never be
// used, and Collect deletes them. Collect deletes attempts after an hour.
//
// The package starts no goroutine. In memory it keeps only which stones are open.
// It takes the time from Options.Now.
package pair

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/record"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now  func() time.Time // default time.Now
	Rand func() uint64    // returns unique numbers; default math/rand/v2
}

// Store is a history.Store.
type Store struct {
	Options
	catalogue history.Catalogue
	stones    history.Stones

	alone sync.Mutex // one Collect or Purge of this process

	mu   sync.Mutex      // guards what is below
	open map[string]int  // number of readers of a key
	late map[string]bool // keys to delete when the last reader closes
}

var (
	_ history.Store   = (*Store)(nil)
	_ history.Fetcher = (*Store)(nil)
	_ history.Reacher = (*Store)(nil)
)

// New returns the Store that a catalogue and a place for stones make. Close closes
// the catalogue.
func New(c history.Catalogue, s history.Stones, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
	return &Store{Options: o, catalogue: c, stones: s, open: make(map[string]int), late: make(map[string]bool)}
}

// Close is for history.Store.
func (s *Store) Close() error {
	if err := s.catalogue.Close(); err != nil {
		return fmt.Errorf("pair: close: %w", err)
	}
	return nil
}

// begin checks the arguments that all methods have.
func begin(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := history.CheckName(name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fail adds the call and the world to an error.
func fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("pair: %s %q: %w", op, name, err)
	}
	return err
}

// number returns a unique number.
func (s *Store) number() uint64 { return max(1, s.Rand()) }

// look calls what with the records of one moment.
func (s *Store) look(ctx context.Context, what func(record.Reads) error) error {
	snap, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return what(record.Reads{Reader: &reader{ctx: ctx, from: snap}})
}

// draft is a change of the catalogue in preparation. Every record that is read
// through it becomes a condition.
type draft struct {
	record.Reads
	reader  *reader
	changes []history.Record
}

func (d *draft) set(key, value []byte) {
	d.changes = append(d.changes, history.Record{Key: string(key), Value: value})
}

func (d *draft) add(changes ...record.Change) {
	for _, c := range changes {
		d.set(c.Key, c.Value)
	}
}

// change calls what to prepare a change and makes it. It starts again if another
// call changed a record that the change depends on.
func (s *Store) change(ctx context.Context, what func(*draft) error) error {
	for {
		err := s.try(ctx, what)
		if !errors.Is(err, history.ErrChanged) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (s *Store) try(ctx context.Context, what func(*draft) error) error {
	snap, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	d := &draft{reader: &reader{ctx: ctx, from: snap, note: true}}
	d.Reads = record.Reads{Reader: d.reader}
	if err := what(d); err != nil || len(d.changes) == 0 {
		return err
	}
	return s.catalogue.Swap(ctx, d.reader.seen, d.changes)
}

// under returns the head and the lease of a world, or an error if the fence does
// not permit a call.
func (s *Store) under(r record.Reads, w, fence uint64) (history.Head, history.Lease, error) {
	h, err := r.Head(w)
	if err != nil {
		return h, history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err == nil {
		err = l.Admit(fence, s.Now())
	}
	return h, l, err
}
