// Package local is a history.Store in a directory, for one process at a time: an
// embedded database (Pebble) for heads, logs, commits, packs and small stones,
// and a file for each large stone. FORMAT.md says where what is.
//
// A commit's stones, its record, its place in the log and the new head are one
// batch, which is on stable storage before Commit returns; large stones are so
// before the batch. Worlds do not wait for each other: what many of them commit
// at the same time is synced together.
//
// A disk that fails stops the Store: from then on every call returns the
// reason, and what was acknowledged is there when it is opened again. Open looks
// for damage: a damaged Store is only read, or not opened (DamageError), and
// Salvage takes out what can be read. The package starts no goroutine that outlives a call but the database's own. It
// neither repairs nor replicates.
package local

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now func() time.Time // default time.Now
	FS  vfs.FS           // default the disk
	// ReadOnly opens without changing anything; what would change it fails.
	ReadOnly bool
	// Damaged opens, for Check and Salvage, what can be opened of a damaged Store,
	// and implies ReadOnly. Saves may be missing that were acknowledged.
	Damaged bool
	// CacheBytes bounds what of the database is kept in memory. Default 256 MiB,
	// which holds what 100,000 worlds that are all at work look up.
	CacheBytes int64
	// LogBytes is how much is written to the database's log, and kept in memory,
	// before it goes to tables; up to four times as much while they are written.
	// Default 32 MiB.
	LogBytes int
	// FileBytes is the size from which on a stone is a file of its own. Default
	// 1 MiB and a byte.
	FileBytes int
	// ReserveBytes is what of the disk stays free: commits, packs, forks and new
	// worlds fail below it, with an error that wraps syscall.ENOSPC. Default 64
	// MiB; negative is none.
	ReserveBytes int64
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.ReadOnly = o.ReadOnly || o.Damaged
	if o.CacheBytes <= 0 {
		o.CacheBytes = 256 << 20
	}
	if o.LogBytes <= 0 {
		o.LogBytes = 32 << 20
	}
	if o.FileBytes <= 0 {
		o.FileBytes = 1<<20 + 1
	}
	if o.ReserveBytes == 0 {
		o.ReserveBytes = 64 << 20
	}
	return o
}

// Store is a history.Store in a directory.
type Store struct {
	Options
	dir        string
	id         string // of the directory's content, see storeFile
	lock       io.Closer
	db         *pebble.DB
	reader     *dbReader // of db
	stackCache *stackCache
	worldOf    *names
	files      files
	guard      guard

	calls     sync.RWMutex // held for reading by every call, for writing by Close
	alone     sync.Mutex   // held by calls that walk the whole Store
	seed      maphash.Seed
	worlds    locks         // of logs and heads, by number
	names     locks         // of what names stand for; taken after worlds, never before
	stones    locks         // of what is being added; taken before worlds, never after
	last      atomic.Uint64 // the highest number of a world
	lastStone atomic.Uint64 // and of the bytes of a stone
	acked     atomic.Uint64 // the sequence number below which all is on stable storage
	dirty     atomic.Bool   // the log holds something
	failure   failure
	trouble   trouble
	census    census

	// What Open found out about the files of the database.
	sealed  map[string]sealed      // as Close left them; nil if it did not
	damage  []string               // what is damaged, in a Store that is only read
	missing []string               // tables that are not there
	hidden  []string               // damaged files that are not needed to read
	cut     map[string]int64       // damaged logs, and how much of them is read
	reading atomic.Pointer[string] // the file that the database opened last
}

var (
	_ history.Store   = (*Store)(nil)
	_ history.Fetcher = (*Store)(nil)
	_ history.Reacher = (*Store)(nil)
)

// Open opens the Store in dir, and makes it if dir is empty or missing. It
// fails if another process has it open.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{Options: o.withDefaults(), dir: dir, seed: maphash.MakeSeed()}
	s.failure.stopped = make(chan struct{})
	s.cut = make(map[string]int64)
	s.files = files{fs: s.FS, dir: s.FS.PathJoin(dir, "stones")}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("local: %s: %w", dir, err)
	}
	return s, nil
}

func (s *Store) open() error {
	if err := s.identify(); err != nil {
		return err
	}
	if err := s.acquire(); err != nil {
		return err
	}
	err := s.admit()
	if err == nil {
		err = s.openDB()
	}
	if why := s.failure.get(); why != nil { // and what is open stays so, as after Close
		return fmt.Errorf("a write failed; nothing is lost, it opens when that is mended: %w", errors.Unwrap(why))
	}
	if err != nil {
		return errors.Join(err, s.lock.Close())
	}
	if !s.ReadOnly {
		err = errors.Join(s.findLast(), s.files.clear())
	}
	if err != nil {
		return errors.Join(err, s.db.Close(), s.lock.Close())
	}
	return nil
}

// admit looks for damage. A damaged Store is only read, for what the database does
// by itself would spread the damage, and only if what is lost is an error to who
// reads it. A Store that is about to change is not closed.
func (s *Store) admit() error {
	some, all, err := s.inspect()
	if err != nil {
		return err
	}
	if len(all) > 0 && !s.Damaged || len(some) > 0 && !s.ReadOnly {
		return &DamageError{append(all, some...)}
	}
	if s.damage = append(all, some...); s.ReadOnly || s.sealed == nil {
		return nil
	}
	return errors.Join(s.FS.Remove(s.FS.PathJoin(s.dir, closedFile)), syncDir(s.FS, s.dir))
}

// findLast sets the highest numbers there are.
func (s *Store) findLast() error {
	return errors.Join(s.findLastOf('h', &s.last), s.findLastOf('d', &s.lastStone))
}

func (s *Store) findLastOf(kind byte, last *atomic.Uint64) error {
	it, err := s.db.NewIter(span(kind))
	if err != nil {
		return err
	}
	if it.Last() {
		last.Store(be.Uint64(it.Key()[1:]))
	}
	return damaged(it.Close())
}

// Close is for history.Store. A Store that stopped returns the reason; nobody can
// open it before this process has ended, for parts of the database wait in it.
func (s *Store) Close() error {
	s.calls.Lock()
	defer s.calls.Unlock()
	err := s.write(func() error {
		var err error
		if !s.ReadOnly && s.dirty.Load() && s.room(int(s.db.Metrics().MemTable.Size)) == nil {
			err = s.db.Flush() // or the log alone would hold what was saved last
		}
		return errors.Join(err, s.db.Close())
	})
	if s.failure.get() == nil {
		if err == nil && !s.ReadOnly {
			err = s.writeClosed()
		}
		err = errors.Join(err, s.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("local: %s: close: %w", s.dir, err)
	}
	return nil
}

// enter begins a call: it checks what every call is called with. Without an
// error, leave ends it.
func (s *Store) enter(ctx context.Context, names ...string) (leave func(), err error) {
	for _, name := range names {
		if err := history.CheckName(name); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(ctx.Err(), s.failure.get()); err != nil {
		return nil, err
	}
	s.calls.RLock()
	return s.calls.RUnlock, nil
}

// room returns an error unless n bytes fit on the disk beside the reserve.
func (s *Store) room(n int) error {
	if s.ReserveBytes < 0 {
		return nil
	}
	usage, err := s.FS.GetDiskUsage(s.dir)
	if err == nil && usage.AvailBytes < uint64(s.ReserveBytes)+uint64(n) {
		return fmt.Errorf("%d bytes are free, of which %d are held back: %w", usage.AvailBytes, s.ReserveBytes, syscall.ENOSPC)
	}
	return nil // a file system that cannot say has room until it has none
}

// fail says of which call and world err is.
func fail(op, name string, err error) error {
	if err != nil {
		err = fmt.Errorf("local: %s %q: %w", op, name, err)
	}
	return err
}

// locks are locks of many things; few that differ share one.
type locks [1024]sync.RWMutex

func (l *locks) of(n uint64) *sync.RWMutex { return &l[n%uint64(len(l))] }

// lock locks some, whose numbers become its own; call the result to let go.
func (l *locks) lock(at []uint64) (unlock func()) {
	for i := range at {
		at[i] %= uint64(len(l))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, i := range at {
		l[i].Lock()
	}
	return func() {
		for _, i := range at {
			l[i].Unlock()
		}
	}
}
