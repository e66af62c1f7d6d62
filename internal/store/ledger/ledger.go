// Package ledger is a history.Catalogue that needs nothing but a blob.Bucket: a
// place where a key can be written once.
//
// The ledger is a log of entries with the numbers 1, 2, 3 and so on. Every process
// that has the ledger open applies the entries in order to a copy of the records, so
// all have the same records after the same entry. A process that wants to change
// records must have applied all entries up to N; it decides on its copy whether the
// conditions hold, and writes the changes as entry N+1. The bucket lets one process
// do so. The others read its entry, and decide again. While an entry is being
// written, further Swaps of the process wait, and the next entry has them all.
//
// A read first asks the bucket whether entry N+1 exists. All reads that wait share
// one such call, which began after they came.
//
// Now and then a process writes all records as a checkpoint. Entries before it are
// deleted. FORMAT.md has the formats, and why a process that was paused meanwhile
// cannot do harm.
//
// A Ledger starts goroutines: one that writes while Swaps wait, one that reads while
// readers wait, and one for checkpoints. Close waits for them.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Ledger. The zero value is the default.
type Options struct {
	// Prefix is what all keys of the ledger in the bucket begin with. Nothing else
	// may use keys with it.
	Prefix string
	// Cache is a directory for a copy of the records. One process at a time can use
	// it. It may be deleted while no process uses it. By default the copy is in
	// memory. If a file cannot be written or is damaged, the ledger goes on in memory
	// and calls Trouble.
	Cache string
	// CacheBytes is how many bytes of the directory are kept in memory; default
	// 32 MiB.
	CacheBytes int64
	// CheckpointBytes is the least number of bytes of entries between two
	// checkpoints; default 8 MiB. It is also at least the size of the last
	// checkpoint.
	CheckpointBytes int64
	// PartBytes is the size of a part of a checkpoint; default 4 MiB.
	PartBytes int
	// Trust is for how long a process that has seen the end of the log may be
	// certain that entries after it are not deleted; default 5 minutes. If it is
	// negative the process asks after every call.
	Trust time.Duration
	// Grace is how long entries stay at least after a checkpoint that has them;
	// default an hour. It must be much longer than Trust.
	Grace time.Duration
	// Timeout is how long the bucket may take for a call; default 5 seconds. A Swap
	// gives up after twice as long.
	Timeout time.Duration
	// Now is the clock for Trust and Grace, and for Time if the bucket has no time;
	// default time.Now.
	Now func() time.Time
	// Rand returns unique numbers; default math/rand/v2.
	Rand func() uint64
	// Every is how often the Ledger looks after itself: it stays in touch with the
	// log, and deletes what a checkpoint made useless. Default a minute; never if it
	// is negative.
	Every time.Duration
	// Trouble is called with errors of checkpoints and of deletions. They are tried
	// again later. By default they are dropped.
	Trouble func(error)

	// Damaged opens a ledger of which the bucket has lost objects. It has the records that
	// can be found, Faults says what is lost, and it takes no Swaps. It needs no cache.
	Damaged bool

	files    vfs.FS        // of the cache, for tests
	patience time.Duration // see prompt, for tests
}

func (o *Options) setDefaults() {
	o.CacheBytes = either(o.CacheBytes, 32<<20)
	o.CheckpointBytes = either(o.CheckpointBytes, 8<<20)
	o.PartBytes = min(either(o.PartBytes, 4<<20), maxPart)
	o.Trust = either(o.Trust, 5*time.Minute)
	o.Grace = either(o.Grace, time.Hour)
	o.Timeout = either(o.Timeout, 5*time.Second)
	o.Every = either(o.Every, every)
	o.patience = either(o.patience, patience)
	if o.files == nil {
		o.files = vfs.Default
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Uint64
	}
}

func either[T int | int64 | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// Ledger is a history.Catalogue, with the time of its bucket.
type Ledger struct {
	Options
	bucket blob.Bucket
	lock   io.Closer // of the cache; nil without one

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // goroutines

	// apply is locked by whoever changes the state, or what is known of the log.
	apply    sync.Mutex
	inMemory bool   // the cache cannot be written
	observed moment // nothing after the state's position was deleted before observed and Trust

	counters counters
	faults   []string  // of a damaged ledger
	looked   time.Time // when holes were looked for; belongs to the maintainer

	puts, gets, lists pace // of entries and of marks

	mu        sync.Mutex // guards what follows, and the position and references of states
	state     *state
	jumps     uint64 // how often a checkpoint brought the state forward; belongs to apply too
	own       own    // the entry that is being written
	next      *probe // begins when the one that runs has ended
	probing   bool
	queue     []*swap
	writing   bool
	contended int // entries that are still written with a look at the log before each, because another process wrote one
	closed    bool
	wants     bool         // the next entry claims a checkpoint
	asked     bool         // it does so even if the log is short
	waiting   []chan error // for the checkpoint that is claimed next
	marked    knownMark    // the newest checkpoint that this process knows
	target    knownMark    // the checkpoint up to which it deletes next
	cut       uint64       // the entry up to which it deleted
}

var (
	_ history.Catalogue = (*Ledger)(nil)
	_ history.Clock     = (*Ledger)(nil)
	_ history.Pinger    = (*Ledger)(nil)
)

// errClosed says that Close was called.
var errClosed = errors.New("ledger: it is closed")

// Open opens the ledger in a bucket, and begins one if there is none. Close does not
// close the bucket.
func Open(ctx context.Context, b blob.Bucket, o Options) (*Ledger, error) {
	o.setDefaults()
	if o.Trust > 0 && o.Grace < 2*o.Trust {
		return nil, fmt.Errorf("ledger: open: the grace of %v is less than twice the trust of %v", o.Grace, o.Trust)
	}
	l := &Ledger{Options: o, bucket: b}
	l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := l.open(ctx); err != nil {
		if l.state != nil {
			err = errors.Join(err, l.Close())
		} else if l.lock != nil {
			err = errors.Join(err, l.lock.Close())
		}
		l.cancel()
		return nil, fmt.Errorf("ledger: open: %w", err)
	}
	return l, nil
}

func (l *Ledger) open(ctx context.Context) error {
	if l.Damaged {
		return l.openDamaged(ctx)
	}
	if l.Cache != "" {
		if err := l.files.MkdirAll(l.Cache, 0o700); err != nil {
			return err
		}
		lock, err := l.files.Lock(l.files.PathJoin(l.Cache, "LOCK"))
		if err != nil {
			return fmt.Errorf("the cache %s is in use: %w", l.Cache, err)
		}
		l.lock = lock
	}
	if err := l.fromCache(ctx); err != nil {
		return err
	}
	if l.state == nil {
		l.apply.Lock()
		err := l.rebuild(ctx)
		l.apply.Unlock()
		if err != nil {
			return err
		}
	}
	if err := l.catchUp(ctx); err != nil {
		return err
	}
	if err := l.checkEnd(ctx); err != nil {
		return err
	}
	if l.Every > 0 {
		l.work.Go(l.maintainer)
	}
	return nil
}

// catchUp applies all entries. It goes on after a bucket that was away for a moment, as
// long as it gets nearer to the end: otherwise a server whose bucket is often away begins
// anew each time, and never gets there.
func (l *Ledger) catchUp(ctx context.Context) error {
	for {
		at := l.position().number
		err := l.refresh(ctx)
		if !errors.Is(err, history.ErrAway) || l.position().number == at {
			return err
		}
	}
}

// checkEnd returns an error if the bucket has lost an entry: there are later ones. To
// write its number again would make two ledgers of one.
func (l *Ledger) checkEnd(ctx context.Context) error {
	for range tries {
		n := l.position().number
		var later []string
		err := l.patient(ctx, func() (err error) {
			later, err = l.list(ctx, logKeys, l.entryKey(n)[len(l.Prefix):], 1)
			return err
		})
		if err != nil || len(later) == 0 {
			return err
		}
		if err := l.refresh(ctx); err != nil {
			return err
		}
		if l.position().number == n {
			return &CorruptError{Part: l.entryKey(n + 1), Err: fmt.Errorf("the bucket has lost it, but has %s: %w", later[0], fs.ErrNotExist)}
		}
	}
	return nil // it grows faster than it can be looked at
}

// fromCache takes the state of the cache if it belongs to the ledger. It deletes all
// others.
func (l *Ledger) fromCache(ctx context.Context) error {
	if l.Cache == "" {
		return nil
	}
	names, err := l.files.List(l.Cache)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, statePrefix) {
			continue
		}
		dir := l.files.PathJoin(l.Cache, name)
		if l.state == nil {
			s, err := l.reopen(dir)
			if err != nil {
				l.trouble(fmt.Errorf("ledger: the cache %s: %w; it is made again", dir, err))
			} else {
				ok, err := l.belongs(ctx, s.at)
				if err != nil {
					return errors.Join(err, s.close(true))
				}
				if ok {
					l.state = s
					continue
				}
				if err := s.close(false); err != nil {
					return err
				}
			}
		}
		if err := l.files.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// reopen opens a state that is in a directory.
func (l *Ledger) reopen(dir string) (*state, error) {
	if err := checkManifest(l.files, dir); err != nil {
		return nil, err
	}
	return openState(dir, l.Options)
}

// belongs reports whether the ledger was at a position: it has the entry, or a
// checkpoint after it.
func (l *Ledger) belongs(ctx context.Context, at position) (bool, error) {
	if at.number == 0 {
		return false, nil // it was being filled
	}
	b, err := l.get(ctx, l.entryKey(at.number))
	if err != nil {
		return false, err
	}
	if b != nil {
		return idOf(b) == at.last, nil
	}
	m, err := l.newest(ctx, at.number-1) // it lists marks after
	return err == nil && m.number == at.number && m.last == at.last, err
}

// Close waits for goroutines. Calls that are under way fail.
func (l *Ledger) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.work.Wait()
	if err := l.drop(l.state); err != nil {
		return fmt.Errorf("ledger: close: %w", err)
	}
	return nil
}

// drop ends the use of a state. The last one to use it closes it.
func (l *Ledger) drop(s *state) error {
	l.mu.Lock()
	s.refs--
	last, current := s.refs == 0, s == l.state
	l.mu.Unlock()
	if !last {
		return nil
	}
	err := s.close(current)
	if current && l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	return err
}

// hold returns the state, which stays until release is called.
func (l *Ledger) hold() (s *state, release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errClosed
	}
	s = l.state
	s.refs++
	return s, sync.OnceFunc(func() { l.dropLate(s) }), nil
}

// dropLate is drop where nobody waits for the error. What stays of the state goes
// when the cache is opened again.
func (l *Ledger) dropLate(s *state) {
	if err := l.drop(s); err != nil {
		l.trouble(err)
	}
}

func (l *Ledger) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	if err := l.refresh(ctx); err != nil {
		return nil, fmt.Errorf("ledger: get: %w", err)
	}
	r, release, err := l.Near(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return r.Get(ctx, keys...)
}

func (l *Ledger) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	if err := l.refresh(ctx); err != nil {
		return nil, fmt.Errorf("ledger: scan: %w", err)
	}
	r, release, err := l.Near(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return r.Scan(ctx, from, to, n, back)
}

func (l *Ledger) Snapshot(ctx context.Context) (history.Records, func(), error) {
	if err := l.refresh(ctx); err != nil {
		return nil, nil, fmt.Errorf("ledger: snapshot: %w", err)
	}
	return l.Near(ctx)
}

// Near returns the records of a moment that this process knows, without a call of
// the bucket. Other processes may have changed records since. The caller calls
// release.
func (l *Ledger) Near(ctx context.Context) (history.Records, func(), error) {
	s, release, err := l.hold()
	if err != nil {
		return nil, nil, err
	}
	snap := s.db.NewSnapshot()
	return records{snap}, sync.OnceFunc(func() {
		_ = snap.Close() // it never fails
		release()
	}), ctx.Err()
}

// Ping asks the bucket for the end of the log.
func (l *Ledger) Ping(ctx context.Context) error {
	if err := l.refresh(ctx); err != nil {
		return fmt.Errorf("ledger: ping: %w", err)
	}
	return nil
}

// maxAhead is by how much the time of an entry may be ahead. Nodes of a bucket differ by
// less; an entry that is ahead by more was written with a wrong clock.
const maxAhead = 5 * time.Minute

// Time returns the time of the bucket if it has one, else of Options.Now. It is never
// before the time of an entry that this process has seen, unless that was written with a
// wrong clock: one of them must not stop the time.
func (l *Ledger) Time(ctx context.Context) (time.Time, error) {
	now := l.Now()
	if c, ok := l.bucket.(history.Clock); ok {
		var err error
		if now, err = c.Time(ctx); err != nil {
			return now, fmt.Errorf("ledger: time: %w", away(err))
		}
		l.counters.ahead.Store(int64(now.Sub(l.Now().Round(0))))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := time.UnixMilli(l.state.at.millis); last.After(now) && last.Before(now.Add(maxAhead)) {
		now = last
	}
	return now, nil
}
