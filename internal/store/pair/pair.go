// Package pair is a history.Store made of two halves: a history.Catalogue and a
// blob.Bucket. Any catalogue and any bucket make a Store.
//
// A commit first puts its stones; small ones it keeps in the catalogue. Then it
// changes the catalogue in one Swap: its record, its entry in the log, the head. The
// conditions of every Swap are the records that the change depends on, so Stores in
// several processes may share both halves. If another change came first, the Store
// decides again.
//
// Bytes are put under a key that is used once: the hash of the stone and a number.
// The numbers belong to an epoch, a time in which one process puts bytes. The epoch has a record,
// which is a condition of every Swap that uses such bytes. A call may stop between
// any two calls of the halves. When the epoch is over, bytes without a stone's
// record can never be used, and Collect deletes them.
//
// A Store remembers the records and stones that it read lately, to save calls:
// optimistic.go says how. As a rule a save is one Swap, and a Put if a stone
// is not small; a load of a world that was loaded before is one Get.
//
// The package starts no goroutine that outlives a call. All times are the
// catalogue's if it is a history.Clock: the clocks of the
// processes that share the halves may differ.
package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/calls"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	// Now is the clock. The default is the catalogue if it is a history.Clock, and
	// time.Now otherwise.
	Now  func() time.Time
	Rand func() uint64 // returns unique numbers; default math/rand/v2
	// CacheBytes bounds what the Store remembers of records and of stones. The
	// default is 64 MiB. With a negative value it remembers nothing; this suits a
	// catalogue in the memory of the process.
	CacheBytes int64
	// Inline is the largest size of a stone that is kept in the catalogue. The
	// default is 4 KiB; a negative value means none.
	Inline int
}

const (
	defaultCache  = 64 << 20
	defaultInline = 4 << 10
)

// Store is a history.Store.
type Pair struct {
	Options
	rules.Worlds
	calls     *rules.Runner
	catalogue history.Catalogue
	bucket    blob.Bucket

	cache   *cache
	epochs  epochs
	full    struct{ catalogue, bucket atomic.Bool } // had no room for the last change
	running calls.Calls

	collecting chan struct{} // has room for one Collect or Purge of this process

	mu   sync.Mutex      // guards what is below
	open map[string]int  // number of readers of a key
	late map[string]bool // keys to delete when the last reader closes
}

var (
	_ history.Store     = (*Pair)(nil)
	_ history.Fetcher   = (*Pair)(nil)
	_ history.Reacher   = (*Pair)(nil)
	_ history.Shared    = (*Pair)(nil)
	_ history.Pinger    = (*Pair)(nil)
	_ history.Confirmer = (*Pair)(nil)
)

// New returns the Store that a catalogue and a bucket for stones make. Close closes
// the catalogue.
func New(c history.Catalogue, b blob.Bucket, o Options) *Pair {
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
	s := &Pair{Options: o, catalogue: c, bucket: b, collecting: make(chan struct{}, 1), open: make(map[string]int), late: make(map[string]bool)}
	s.calls = &rules.Runner{Base: base{s}, Kind: "pair"}
	s.Worlds = s.calls.Worlds()
	if s.CacheBytes == 0 {
		s.CacheBytes = defaultCache
	}
	if s.CacheBytes > 0 {
		s.cache = newCache(s.CacheBytes)
	}
	if s.Inline == 0 {
		s.Inline = defaultInline
	}
	return s
}

// Close tries for up to two seconds to end the Store's epochs.
func (s *Pair) Close() error {
	if !s.running.Close() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeFor)
	defer cancel()
	// After an error, as while the catalogue is away, Collect ends what is left.
	_ = s.endUnused(ctx, func(*epoch) bool { return true })
	if err := s.catalogue.Close(); err != nil {
		return fmt.Errorf("pair: close: %w", err)
	}
	return nil
}

// now returns the time.
func (s *Pair) now(ctx context.Context) (time.Time, error) {
	if s.Now != nil {
		return s.Now(), nil
	}
	if c, ok := s.catalogue.(history.Clock); ok {
		return c.Time(ctx)
	}
	return time.Now(), nil
}

// Ping asks both halves. While one has no room it asks that by a change.
func (s *Pair) Ping(ctx context.Context) error {
	return s.calls.OnStore(ctx, "ping", func() error {
		if err := s.pingCatalogue(ctx); err != nil {
			return fmt.Errorf("the catalogue: %w", err)
		}
		err := s.pingBucket(ctx)
		if err != nil && !errors.Is(err, blob.ErrFull) && !errors.Is(err, blob.ErrAway) {
			err = fmt.Errorf("%w: %w", blob.ErrAway, err) // it took too long, or refuses
		}
		if err != nil {
			err = fmt.Errorf("the bucket: %w", err)
		}
		return err
	})
}

func (s *Pair) pingCatalogue(ctx context.Context) (err error) {
	if p, ok := s.catalogue.(history.Pinger); ok {
		err = p.Ping(ctx)
	} else {
		_, err = s.catalogue.Get(ctx, runKey)
	}
	if err == nil && s.full.catalogue.Load() {
		// Only a change tells whether it has room again: of a record that is not there.
		err = noteRoom(&s.full.catalogue, s.catalogue.Swap(ctx, nil, []history.Record{{Key: "p"}}))
	}
	return err
}

func (s *Pair) pingBucket(ctx context.Context) (err error) {
	if p, ok := s.bucket.(history.Pinger); ok {
		err = p.Ping(ctx)
	} else if _, err = s.bucket.Head(ctx, runKey); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && s.full.bucket.Load() {
		key := bytesKey(stone.ID{}, s.number()) // Collect deletes what is left of it
		if err = s.putBytes(ctx, key, io.NewSectionReader(bytes.NewReader(make([]byte, wholeBlock)), 0, wholeBlock)); err == nil {
			err = s.bucket.Delete(ctx, key)
		}
	}
	return err
}

// wholeBlock is what must fit into a bucket that is not full.
const wholeBlock = 4096

// noteRoom notes whether a half had room for a change.
func noteRoom(full *atomic.Bool, err error) error {
	if err == nil || errors.Is(err, syscall.ENOSPC) {
		full.Store(err != nil)
	}
	return err
}

// putBytes puts bytes into the bucket. That the time of the call is over is an error of
// the bucket, and says so.
func (s *Pair) putBytes(ctx context.Context, key string, body *io.SectionReader) error {
	err := noteRoom(&s.full.bucket, s.bucket.Put(ctx, key, body))
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, blob.ErrAway) {
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return err
}

// alone makes a call that no other of this process may make at the same time: Collect and
// Purge.
func (s *Pair) alone(ctx context.Context, what func() error) error {
	select {
	case s.collecting <- struct{}{}:
		defer func() { <-s.collecting }()
		return what()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// number returns a unique number.
func (s *Pair) number() uint64 { return max(1, s.Rand()) }

func (s *Pair) List(ctx context.Context, prefix, after string, n int) (out []string, err error) {
	err = s.calls.OnStore(ctx, "list", func() error {
		from, to := string(record.NameKey(prefix)), string(record.End(record.NameKey(prefix)))
		from = max(from, string(record.NameKey(after))+"\x00")
		if n <= 0 || from >= to {
			return nil
		}
		found, err := s.catalogue.Scan(ctx, from, to, n, false)
		for _, r := range found {
			out = append(out, r.Key[1:])
		}
		return err
	})
	return out, err
}

// Confirm writes the head as it is. That the commit is in the log is a condition: the Swap
// may come to another server than what was read.
func (s *Pair) Confirm(ctx context.Context, name string, at history.ID) error {
	return s.calls.ChangeWorld(ctx, "confirm", rules.Subject{World: name}, func(d *rules.Proposal, w uint64) error {
		if _, err := d.Logged(w, at); err != nil {
			return err
		}
		head, err := d.Get(record.HeadKey(w))
		d.Set(record.HeadKey(w), head)
		return err
	})
}
