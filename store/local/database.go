package local

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

const (
	memTableBytes  = 8 << 20
	separateBytes  = 1 << 10 // values from here on are kept beside the tables
	separateDepth  = 10
	separateAge    = 5 * time.Minute
	separateDead   = 0.25
	compactorLimit = 2
)

// openDB opens the database, whose fatal errors are panics until it is open.
func (s *Store) openDB() (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fatal)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	cache := pebble.NewCache(s.CacheBytes)
	defer cache.Unref()
	o := &pebble.Options{
		Cache:                       cache,
		FS:                          s.FS,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, compactorLimit },
		ReadOnly:                    s.ReadOnly,
		ErrorIfNotExists:            s.ReadOnly,
		Logger:                      &s.failure,
		EventListener: &pebble.EventListener{
			BackgroundError: func(error) {},                     // it is tried again
			DataCorruption:  func(pebble.DataCorruptionInfo) {}, // whoever reads it gets the error
		},
	}
	o.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{
			Enabled:               true,
			MinimumSize:           separateBytes,
			MaxBlobReferenceDepth: separateDepth,
			RewriteMinimumAge:     separateAge,
			TargetGarbageRatio:    separateDead,
		}
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	s.db, err = pebble.Open(s.FS.PathJoin(s.dir, "db"), o)
	s.failure.opened = true
	return err
}

func (s *Store) closeDB() error {
	if s.failure.deaf {
		return nil // it waits for a goroutine that is no more
	}
	return s.db.Close()
}

// apply makes a batch visible and, unless lazy, durable. A write that failed
// stops the Store: the database shows what it could not keep.
func (s *Store) apply(b *pebble.Batch, o *pebble.WriteOptions) error {
	if err := s.failure.get(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.db.Apply(b, o) }() // which may never return once it failed
	select {
	case err := <-done:
		return errors.Join(err, s.failure.get())
	case <-s.failure.stopped:
		return s.failure.get()
	}
}

// failure is why the Store stopped, if it did. It is the database's logger,
// since that is where it says so.
type failure struct {
	opened  bool
	stopped chan struct{}

	mu   sync.Mutex
	err  error
	deaf bool
}

// fatal is what an Open panics with that cannot go on.
type fatal struct{ err error }

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Infof is for pebble.Logger.
func (f *failure) Infof(string, ...any) {}

// Errorf is for pebble.Logger.
func (f *failure) Errorf(string, ...any) {}

// Fatalf is for pebble.Logger: it must not return. Writes run in goroutines of
// ours or of the database, which end here; other faults are its own bugs.
func (f *failure) Fatalf(format string, args ...any) {
	manifest := strings.HasPrefix(format, "MANIFEST")
	write := manifest || strings.HasPrefix(format, "pebble: fatal commit error")
	if write {
		format = strings.ReplaceAll(format, "%v", "%w")
	}
	err := fmt.Errorf("stopped: "+format, args...)
	if !f.opened || !write {
		panic(fatal{err})
	}
	f.stop(err, manifest)
	runtime.Goexit()
}

func (f *failure) stop(err error, deaf bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = f.deaf || deaf
	if f.err == nil {
		f.err = err
		close(f.stopped)
	}
}
