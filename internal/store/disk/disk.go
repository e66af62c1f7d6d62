// Package disk is a history.Store in a directory, for one process at a time; programs
// open it by package store/local. An
// embedded database (Pebble) holds heads, logs, commits, packs and small stones;
// each large stone is a file. FORMAT.md describes the directory.
//
// The stones of a commit, its record, its entry in the log and the new head are one
// batch. The batch is on stable storage before Commit returns; large stones are so
// before the batch. Worlds do not wait for each other: the commits that many worlds
// make at the same time are synced together.
//
// A disk that fails stops the Store: from then on every call returns the reason.
// What was acknowledged is there when the Store is opened again. Open looks for
// damage. A damaged Store can only be read, or not be opened (DamageError); Salvage
// copies what can be read. Except for the database's own, no goroutine of the
// package outlives a call. The package neither repairs nor replicates.
package disk

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/calls"
	"github.com/cairnvoxel/cairn/internal/store/journal"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now func() time.Time // default time.Now
	FS  vfs.FS           // default the disk, where only the owner may use new files
	// ReadOnly opens the Store without changing anything. Calls that would change
	// it fail.
	ReadOnly bool
	// Damaged opens as much of a damaged Store as possible, for Check and Salvage.
	// It implies ReadOnly. Acknowledged saves may be missing.
	Damaged bool
	// CacheBytes bounds the part of the database that is cached in memory. Default
	// 256 MiB, which holds what 100,000 active worlds look up.
	CacheBytes int64
	// LogBytes is how much is written to the database's log, and kept in memory,
	// before it is written to tables. While tables are written, it may be four
	// times as much. It comes out of CacheBytes: a cache that is not larger holds
	// nothing else. Default an eighth of CacheBytes, at most 32 MiB.
	LogBytes int
	// FileBytes is the size from which on a stone is a file of its own. Default 1
	// MiB and a byte.
	FileBytes int
	// ReserveBytes is the part of the disk that stays free, but for a 64th of it that may be
	// written before the disk is asked again. If less is free, commits, packs, forks and new
	// worlds fail with an error that wraps syscall.ENOSPC. Default 64 MiB; negative means none.
	ReserveBytes int64

	lossy bool // a crash may lose any change: the Store is a copy in the making
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = privateFS{vfs.Default}
	}
	o.ReadOnly = o.ReadOnly || o.Damaged
	if o.CacheBytes <= 0 {
		o.CacheBytes = 256 << 20
	}
	if o.LogBytes <= 0 {
		o.LogBytes = int(min(max(o.CacheBytes/8, 1<<20), 32<<20))
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
	rules.Worlds
	dir    string
	id     string // identity of the directory's content, see storeFile
	lock   io.Closer
	db     *pebble.DB
	reader *dbReader // of db
	memory *record.Memory
	files  files
	guard  guard

	calls     *rules.Runner
	running   calls.Calls
	alone     sync.Mutex // locked by calls that walk the whole Store
	seed      maphash.Seed
	worlds    locks         // locks of logs and heads, by number
	names     locks         // locks of names; locked after worlds, never before
	stones    locks         // locks of stones being added; locked before worlds, never after
	last      atomic.Uint64 // the highest number of a world
	lastStone atomic.Uint64 // the highest number of the bytes of a stone
	acked     acked
	log       atomic.Uint64 // number of the log that is written
	dirty     atomic.Bool   // the log holds something
	spare     atomic.Int64  // bytes that may be written before room asks the system
	failure   failure
	trouble   trouble
	counts    counts

	// What Open learned about the files of the database.
	sealed  map[string]sealed      // as Close left them; nil if the Store was not closed
	lists   journal.Manifest       // read only if the Store was not closed
	damage  []string               // damage in a Store that is only read
	missing []string               // missing tables
	noList  bool                   // the list of these files is missing
	hidden  []string               // damaged files that reads do not need
	cut     map[string]int64       // logs of a damaged Store, and how many bytes of each are read
	reading atomic.Pointer[string] // the last file that the database opened
}

var (
	_ history.Store   = (*Store)(nil)
	_ history.Fetcher = (*Store)(nil)
	_ history.Reacher = (*Store)(nil)
)

// Open opens the Store in dir. It creates one if dir is empty or missing. It fails
// if another process has the Store open.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{Options: o.withDefaults(), dir: dir, seed: maphash.MakeSeed()}
	s.calls = &rules.Runner{Base: base{s}, Kind: "local"}
	s.Worlds = s.calls.Worlds()
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
	if why := s.failure.get(); why != nil { // what is open stays open, as after Close
		return fmt.Errorf("a write failed; nothing is lost, and the store opens after the cause is removed: %w", errors.Unwrap(why))
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

// admit looks for damage. A damaged Store may only be read, because the database's
// own work would spread the damage, and only if each loss becomes an error when
// somebody reads it. A Store that is about to change no longer counts as closed.
func (s *Store) admit() error {
	some, all, err := s.inspect()
	if err != nil {
		return err
	}
	if len(all) > 0 && !s.Damaged || len(some) > 0 && !s.ReadOnly {
		return &DamageError{append(all, some...), s.noList}
	}
	if s.damage = append(all, some...); s.ReadOnly || s.sealed == nil {
		return nil
	}
	return errors.Join(s.FS.Remove(s.FS.PathJoin(s.dir, closedFile)), syncDir(s.FS, s.dir))
}

// findLast sets the highest numbers that are in use.
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

// Close flushes what only the log holds. For a Store that has stopped it returns the reason;
// such a Store can be opened only after this process has ended, because parts of
// the database still wait.
func (s *Store) Close() error {
	if !s.running.Close() {
		return nil
	}
	err := s.write(func() error {
		var err error
		if !s.ReadOnly && s.dirty.Load() && s.room(int(s.db.Metrics().MemTable.Size)) == nil {
			err = s.db.Flush() // otherwise only the log would hold the last saves
		}
		return errors.Join(err, s.db.Close())
	})
	if s.failure.get() == nil {
		if err == nil && !s.ReadOnly {
			err = errors.Join(s.giveBack(), s.writeClosed())
		}
		err = errors.Join(err, s.acked.close(), s.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("local: %s: close: %w", s.dir, err)
	}
	return nil
}

// room returns an error unless n bytes fit on the disk besides the reserve. It asks the system
// again when a part of the reserve may have been written since.
func (s *Store) room(n int) error {
	if s.ReserveBytes < 0 || s.spare.Add(-int64(n)) > 0 {
		return nil
	}
	usage, err := s.FS.GetDiskUsage(s.dir)
	left := int64(min(usage.AvailBytes, math.MaxInt64)) - s.ReserveBytes - int64(n)
	if err == nil && left < 0 {
		return fmt.Errorf("%d bytes are free and %d are reserved: %w", usage.AvailBytes, s.ReserveBytes, syscall.ENOSPC)
	}
	if err == nil {
		s.spare.Store(min(left, s.ReserveBytes/spareShare))
	}
	return nil // if the file system cannot tell, a write that finds no room fails
}

const spareShare = 64 // this fraction of ReserveBytes may be written unasked

// locks has a lock for each of many things; a few things share a lock.
type locks [1024]sync.RWMutex

func (l *locks) of(n uint64) *sync.RWMutex { return &l[n%uint64(len(l))] }

// lock locks several things and returns the function to unlock them. It changes at.
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
