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
// FORMAT.md says why this is safe. As a rule a save is one Swap, and a Put if a stone
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
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/internal/store/record"
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
type Store struct {
	Options
	catalogue history.Catalogue
	bucket    blob.Bucket

	cache  *cache
	epochs epochs
	full   struct{ catalogue, bucket atomic.Bool } // had no room for the last change
	calls  history.Calls

	alone chan struct{} // has room for one Collect or Purge of this process

	mu   sync.Mutex      // guards what is below
	open map[string]int  // number of readers of a key
	late map[string]bool // keys to delete when the last reader closes
}

var (
	_ history.Store     = (*Store)(nil)
	_ history.Fetcher   = (*Store)(nil)
	_ history.Reacher   = (*Store)(nil)
	_ history.Shared    = (*Store)(nil)
	_ history.Pinger    = (*Store)(nil)
	_ history.Confirmer = (*Store)(nil)
)

// New returns the Store that a catalogue and a bucket for stones make. Close closes
// the catalogue.
func New(c history.Catalogue, b blob.Bucket, o Options) *Store {
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
	s := &Store{Options: o, catalogue: c, bucket: b, alone: make(chan struct{}, 1), open: make(map[string]int), late: make(map[string]bool)}
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

// Close is for history.Store. It tries for up to two seconds to end the Store's epochs.
func (s *Store) Close() error {
	if !s.calls.Close() {
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

// begin begins a call and checks the arguments that all methods have. If it returns no
// error, the caller calls leave at the end.
func (s *Store) begin(ctx context.Context, names ...string) (leave func(), err error) {
	for _, name := range names {
		if err := history.CheckName(name); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.calls.Enter()
}

// fail adds the call and the world to an error.
func fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("pair: %s %q: %w", op, name, away(err))
	}
	return err
}

// away adds history.ErrAway to an error that says that the bucket is away.
func away(err error) error {
	if errors.Is(err, blob.ErrAway) && !errors.Is(err, history.ErrAway) {
		err = fmt.Errorf("%w: %w", history.ErrAway, err)
	}
	return err
}

// now returns the time.
func (s *Store) now(ctx context.Context) (time.Time, error) {
	if s.Now != nil {
		return s.Now(), nil
	}
	if c, ok := s.catalogue.(history.Clock); ok {
		return c.Time(ctx)
	}
	return time.Now(), nil
}

// Ping is for history.Pinger. It asks both halves, and while one has no room it asks that
// by a change.
func (s *Store) Ping(ctx context.Context) error {
	leave, err := s.begin(ctx)
	if err != nil {
		return fmt.Errorf("pair: ping: %w", err)
	}
	defer leave()
	if p, ok := s.catalogue.(history.Pinger); ok {
		err = p.Ping(ctx)
	} else {
		_, err = s.catalogue.Get(ctx, runKey)
	}
	if err == nil && s.full.catalogue.Load() {
		// Only a change tells whether it has room again: of a record that is not there.
		err = heard(&s.full.catalogue, s.catalogue.Swap(ctx, nil, []history.Record{{Key: "p"}}))
	}
	if err != nil {
		return fmt.Errorf("pair: ping the catalogue: %w", err)
	}
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
	if err != nil && !errors.Is(err, blob.ErrFull) && !errors.Is(err, blob.ErrAway) {
		err = fmt.Errorf("%w: %w", blob.ErrAway, err) // it took too long, or refuses
	}
	if err != nil {
		err = fmt.Errorf("pair: ping the bucket: %w", away(err))
	}
	return err
}

// wholeBlock is what must fit into a bucket that is not full.
const wholeBlock = 4096

// heard notes whether a half had room for a change.
func heard(full *atomic.Bool, err error) error {
	if err == nil || errors.Is(err, syscall.ENOSPC) {
		full.Store(err != nil)
	}
	return err
}

// putBytes puts bytes into the bucket. That the time of the call is over is an error of
// the bucket, and says so.
func (s *Store) putBytes(ctx context.Context, key string, body *io.SectionReader) error {
	err := heard(&s.full.bucket, s.bucket.Put(ctx, key, body))
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, blob.ErrAway) {
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return err
}

// enterAlone is begin for Collect and Purge: it waits until no other of this process is
// under way.
func (s *Store) enterAlone(ctx context.Context, names ...string) (leave func(), err error) {
	begun, err := s.begin(ctx, names...)
	if err != nil {
		return nil, err
	}
	select {
	case s.alone <- struct{}{}:
		return func() { <-s.alone; begun() }, nil
	case <-ctx.Done():
		begun()
		return nil, ctx.Err()
	}
}

// number returns a unique number.
func (s *Store) number() uint64 { return max(1, s.Rand()) }

// look calls what with a snapshot.
func (s *Store) look(ctx context.Context, what func(record.Reads) error) error {
	snap, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return what(record.Reads{Reader: s.walker(ctx, snap)})
}

// walker returns a reader for walks through many records.
func (s *Store) walker(ctx context.Context, snap history.Records) *reader {
	r := &reader{ctx: ctx, from: snap, page: walkSize, plain: s.cache == nil}
	if !r.plain {
		r.known = make(map[string][]byte)
	}
	return r
}

// ask calls what with the records of one moment. It guesses from what the cache
// remembers which records these are.
func (s *Store) ask(ctx context.Context, what func(record.Reads) error) error {
	if s.cache == nil {
		return s.look(ctx, what)
	}
	r := &reader{ctx: ctx, cache: s.cache, guess: true}
	_ = what(record.Reads{Reader: r}) // only to see what it needs
	return s.rounds(ctx, newKeys(r), r, s.cache, func(r *reader) error { return what(record.Reads{Reader: r}) })
}

// maxRounds is how often the catalogue is asked for records before a snapshot is
// taken.
const maxRounds = 5

// rounds calls what with the records of one moment. It gets the keys in one call. If
// what needs other records, it gets all of them again and calls what again. It takes
// a snapshot if what walks, as the last reader shows.
func (s *Store) rounds(ctx context.Context, keys *keySet, last *reader, c *cache, what func(*reader) error) error {
	for n := 0; n < maxRounds && !last.walks; n++ {
		known, err := s.get(ctx, s.catalogue, keys)
		if err != nil {
			return err
		}
		r := &reader{ctx: ctx, cache: c, known: known}
		if err := what(r); !r.lacks() {
			return err
		}
		if n > 0 && r.stack && last.stack {
			break // step by step down a stack that is not known
		}
		keys.add(r.lack...)
		last = r
	}
	snap, release, err := s.catalogue.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	known, err := s.get(ctx, snap, keys)
	if err != nil {
		return err
	}
	return what(&reader{ctx: ctx, from: snap, cache: c, known: known, plain: s.cache == nil})
}

// keySet is a set of keys in the order of their addition.
type keySet struct {
	list []string
	has  map[string]struct{}
}

// newKeys returns the keys that a guess asked for and that it lacks.
func newKeys(r *reader) *keySet {
	k := &keySet{has: make(map[string]struct{}, len(r.asked)+len(r.lack))}
	k.add(r.asked...)
	k.add(r.lack...)
	return k
}

func (k *keySet) add(keys ...string) {
	for _, key := range keys {
		if _, ok := k.has[key]; !ok {
			k.has[key] = struct{}{}
			k.list = append(k.list, key)
		}
	}
}

// get returns the records with these keys and remembers them.
func (s *Store) get(ctx context.Context, from history.Records, keys *keySet) (map[string][]byte, error) {
	if s.cache == nil {
		return nil, nil
	}
	known := make(map[string][]byte, len(keys.list))
	if len(keys.list) == 0 {
		return known, nil
	}
	values, err := from.Get(ctx, keys.list...)
	if err != nil {
		return nil, err
	}
	for i, key := range keys.list {
		known[key] = values[i]
		s.cache.put(key, values[i])
	}
	return known, nil
}

// draft is a change of the catalogue in preparation. Every record that is read
// through it becomes a condition.
type draft struct {
	record.Reads
	now     time.Time // before the records are read
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

// likely says what a record is if nothing is remembered of it. It saves a look.
func (d *draft) likely(key, value []byte) {
	if d.reader.guess {
		if _, ok := d.reader.cache.get(string(key)); !ok {
			d.reader.known[string(key)] = value
		}
	}
}

// assume is likely, also in the try after that.
func (d *draft) assume(key []byte) {
	d.likely(key, nil)
	if _, ok := d.reader.known[string(key)]; !ok && d.reader.assumes {
		d.reader.known[string(key)] = nil
	}
}

// unseen reads records without making them conditions.
func (d *draft) unseen() record.Reads { return record.Reads{Reader: unseen{d.reader}} }

// change calls what to prepare a change and makes it. It starts again if another
// call changed a record that the change depends on.
func (s *Store) change(ctx context.Context, what func(*draft) error) error {
	return s.changeBytes(ctx, nil, what)
}

// changeBytes is change. It puts the bytes that the change needs, if any, before the
// change is made.
//
// The first time it makes the change from what the cache remembers. That is safe: if
// a record is not as it was, the conditions do not hold. Then it asks for all
// records that it needs.
func (s *Store) changeBytes(ctx context.Context, a *attempt, what func(*draft) error) error {
	keys := &keySet{has: make(map[string]struct{})}
	for n := 0; ; n++ {
		d, err := s.prepare(ctx, keys, n, a, what)
		if err != nil || len(d.changes) == 0 {
			return err
		}
		if err := a.put(ctx); err != nil {
			return err
		}
		err = heard(&s.full.catalogue, s.catalogue.Swap(ctx, d.reader.seen, d.changes))
		if err == nil {
			s.remember(d)
			return nil
		}
		if !errors.Is(err, history.ErrChanged) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// remember keeps what a change read and wrote. A commit is kept because the next one
// stands on it.
func (s *Store) remember(d *draft) {
	if s.cache == nil {
		return
	}
	for _, records := range [][]history.Record{d.reader.seen, d.changes} {
		for _, r := range records {
			s.cache.put(r.Key, r.Value)
			if r.Key[0] == record.Commits {
				if pack := string(record.Packs) + r.Key[1:]; !s.cache.has(pack) {
					s.cache.put(pack, nil) // a new commit has none
				}
			}
		}
	}
}

// prepare returns a draft. The n-th time a change is tried, it trusts less: the
// first time everything that the cache remembers, the second time what lasts, and
// then nothing.
func (s *Store) prepare(ctx context.Context, keys *keySet, n int, a *attempt, what func(*draft) error) (*draft, error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	var d *draft
	draft := func(r *reader) error {
		r.ctx, r.note, r.noted, r.assumes = ctx, true, make(map[string]struct{}), n < 2 && !r.plain
		d = &draft{Reads: record.Reads{Reader: r}, now: now, reader: r}
		return what(d)
	}
	r := &reader{walks: true}
	if s.cache != nil && n == 0 {
		r = &reader{cache: s.cache, guess: true, known: make(map[string][]byte)}
		err := draft(r)
		if err == nil && !r.lacks() && len(d.changes) > 0 && !a.large() { // without changes there is no Swap to find out
			return d, nil
		}
		keys.add(newKeys(r).list...)
	} else if s.cache != nil {
		r.walks = false
	}
	trusted := s.cache
	if n > 1 {
		trusted = nil
	}
	err = s.rounds(ctx, keys, r, trusted, draft)
	return d, err
}

// under returns the head and the lease of a world, or an error if the fence does
// not permit a call.
func under(r record.Reads, now time.Time, w, fence uint64) (history.Head, history.Lease, error) {
	h, err := r.Head(w)
	if err != nil {
		return h, history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err == nil {
		err = l.Admit(fence, now)
	}
	return h, l, err
}
