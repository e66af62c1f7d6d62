package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

var be = binary.BigEndian

const (
	separateBytes  = 1 << 10 // values from this size on are stored outside of the tables
	separateDepth  = 10
	separateAge    = 5 * time.Minute
	separateDead   = 0.25
	compactorLimit = 2
	cacheShare     = 2 // this fraction of CacheBytes is for the Memory
)

// openDB opens the database.
func (s *Store) openDB() error {
	dir := s.FS.PathJoin(s.dir, "db")
	s.memory = record.NewMemory(s.CacheBytes / cacheShare)
	cache := pebble.NewCache(s.CacheBytes - s.CacheBytes/cacheShare)
	defer cache.Unref()
	o := &pebble.Options{
		Cache:                       cache,
		FS:                          failStop{checkedFS{s.FS, s}, dir, &s.failure},
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                uint64(s.LogBytes),
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, compactorLimit },
		ReadOnly:                    s.ReadOnly,
		ErrorIfNotExists:            s.ReadOnly,
		DisableConsistencyCheck:     s.ReadOnly, // so that the existing files can be read
		Logger:                      logger{},
		EventListener:               s.listener(),
	}
	o.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{
			Enabled:               true,
			MinimumSize:           separateBytes,
			MaxBlobReferenceDepth: separateDepth,
			RewriteMinimumAge:     separateAge,
			TargetGarbageRatio:    s.trouble.ratio(),
		}
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return s.write(func() (err error) {
		if s.Damaged {
			defer func() {
				if why := recover(); why != nil {
					err = fmt.Errorf("the damage is too large: %v", why)
				}
			}()
		}
		if s.db, err = pebble.Open(dir, o); err != nil && s.reading.Load() != nil {
			err = fmt.Errorf("after db/%s was read: %w", *s.reading.Load(), err)
		}
		if err != nil && s.Damaged {
			err = fmt.Errorf("it cannot be opened; a backup has its worlds (cairn restore-store): %w", err)
		}
		s.reader = &dbReader{s.db}
		return err
	})
}

// trouble is what the database failed to do in the background.
type trouble struct {
	failed  atomic.Int32 // failed compactions in a row
	rewrite atomic.Bool  // the rewrite of a blob file failed
}

// ratio is the part of a blob file that may be dead before the file is rewritten.
// After a failed rewrite it is 1, because the database would try again without end.
func (t *trouble) ratio() float64 {
	if t.rewrite.Load() {
		return 1
	}
	return separateDead
}

// maxFailed is how many compactions in a row may fail before the Store stops. A
// compaction that reads a damaged file fails each time, until saves would wait for
// it forever.
const maxFailed = 100

// listener receives the events of the database.
func (s *Store) listener() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(pebble.DataCorruptionInfo) {}, // the read returns the error
		WALCreated:     func(w pebble.WALCreateInfo) { s.log.Store(uint64(w.FileNum)) },
		BackgroundError: func(err error) {
			if s.trouble.failed.Add(1) == maxFailed {
				s.failure.stop(fmt.Errorf("stopped, because the database cannot compact its files; acknowledged data is safe: %w", err))
			}
		},
		CompactionEnd: func(c pebble.CompactionInfo) {
			if c.Err == nil {
				s.trouble.failed.Store(0)
			}
		},
		BlobFileRewriteEnd: func(r pebble.BlobFileRewriteInfo) {
			if r.Err != nil && !errors.Is(r.Err, pebble.ErrCancelledCompaction) {
				s.trouble.rewrite.Store(true)
			}
		},
	}
}

// apply makes a batch visible and, with durable(), waits until it is durable. It
// closes the batch unless the write stops the Store; closed batches are used again.
func (s *Store) apply(b *pebble.Batch, o *pebble.WriteOptions) error {
	return s.write(func() error {
		s.dirty.Store(true)
		log := s.log.Load()
		if err := s.acknowledge(b); err != nil {
			return err
		}
		repr := b.Repr() // a large batch drops it
		if err := s.db.Apply(b, o); err != nil {
			return err
		}
		if o.GetSync() {
			s.acknowledged(repr, log)
		}
		return b.Close()
	})
}

// add adds changes to a batch.
func add(b *pebble.Batch, changes ...record.Change) error {
	for _, c := range changes {
		err := error(nil)
		if c.Value == nil {
			err = b.Delete(c.Key, nil)
		} else {
			err = b.Set(c.Key, c.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write runs a write of the database. If the write stops the Store, its goroutine
// never ends.
func (s *Store) write(what func() error) error {
	if err := s.failure.get(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- what() }()
	select {
	case err := <-done:
		return err
	case <-s.failure.stopped:
		return s.failure.get()
	}
}

// logger discards messages.
type logger struct{}

func (logger) Infof(string, ...any) {}

func (logger) Errorf(string, ...any) {}

// Fatalf is for pebble.Logger. Errors of the disk end in failStop and do not come
// here: this is a bug of the database.
func (logger) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf("local: the database: "+format, args...))
}
