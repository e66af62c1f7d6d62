// Package pair is a history.Store made of two halves: a history.Catalogue and
// history.Stones. Any catalogue and any place for bytes make one Store.
//
// A commit puts its stones first and then changes the catalogue, in one Swap: its
// record, its place in the log, the head. Every change is a Swap whose conditions
// are the records that it was decided by, so Stores of several processes may share
// both halves; whoever is overtaken decides anew.
//
// Bytes are put under a name that is used once: the hash of the stone and a number.
// An attempt, a record with that number, is there before the bytes are and goes in
// the Swap that makes the stone known. So whatever stops a call between two calls of
// the halves, bytes that have neither an attempt nor a stone's record can never be
// named any more, and Collect deletes them; it deletes attempts after an hour.
//
// The package starts no goroutine. It keeps nothing in memory but which stones are
// open, and takes the time from Options.Now.
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
	Rand func() uint64    // of numbers that nobody else has; default math/rand/v2
}

// Store is a history.Store.
type Store struct {
	Options
	catalogue history.Catalogue
	stones    history.Stones

	alone sync.Mutex // one Collect or Purge of this process

	mu   sync.Mutex      // guards what is below
	open map[string]int  // how many readers a key has
	late map[string]bool // keys to be deleted when the last of them is closed
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

// begin checks what every method is called with.
func begin(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := history.CheckName(name); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fail says of which call and world err is.
func fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("pair: %s %q: %w", op, name, err)
	}
	return err
}

// number returns a number that nobody else has.
func (s *Store) number() uint64 { return max(1, s.Rand()) }

// look calls what with the records as they are at one moment.
func (s *Store) look(ctx context.Context, what func(record.Reads) error) error {
	snap, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return what(record.Reads{Reader: &reader{ctx: ctx, from: snap}})
}

// draft is a change of the catalogue that is being decided. Every record that is
// read is a condition.
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

// change lets what decide about a change and makes it; again if a record that it
// was decided by was changed meanwhile.
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

// under returns the head and the lease of a world of which something may be done
// under a fence.
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
