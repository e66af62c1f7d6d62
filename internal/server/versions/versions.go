// Package versions keeps the versions of worlds open that a server read last.
package versions

import (
	"context"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/world"
)

const (
	// openSnapshots is how many commits stay open for later calls. openBytes bounds
	// the memory of their directories and small stones.
	openSnapshots = 256
	openBytes     = 64 << 20
	// heldStone is the largest size of a stone that is kept in memory while it is
	// open.
	heldStone = 1 << 20
	// openFor is how long a version stays open. Its stones may have been packed since, and
	// a Store that others share deletes them after some time.
	openFor = 30 * time.Minute
)

// Open keeps the commits that were read last open, with one page cache for all. A
// commit's id determines its content, so worlds that share a commit share its Snapshot.
// All methods are safe for any number of goroutines.
type Open struct {
	Cache tile.Pages[stone.PageKey] // of all; nobody changes the field
	st    history.Store
	now   func() time.Time

	mu  sync.Mutex // guards what is below
	all *lru.Cache[history.ID, *openSnapshot]
}

type openSnapshot struct {
	*world.Snapshot
	since time.Time
	users int
	gone  bool // no longer kept: the last user closes it
}

// New returns an Open of a Store whose cache of decoded pages has so many bytes. now is
// the clock.
func New(st history.Store, cacheBytes int64, now func() time.Time) *Open {
	return &Open{st: st, now: now, Cache: stone.NewCache(cacheBytes), all: lru.New(openBytes, dropped)}
}

// Of returns the Snapshot of a commit of a world. The caller calls the function to
// release it.
func (s *Open) Of(ctx context.Context, name string, at history.ID) (*world.Snapshot, func(), error) {
	if o := s.get(at); o != nil {
		return o.Snapshot, func() { s.release(o) }, nil
	}
	since := s.now()
	snap, err := world.OpenSnapshot(ctx, s.st, name, at, world.Options{Cache: s.Cache})
	if err != nil {
		return nil, nil, err
	}
	o := s.hold(snap, since)
	return snap, func() { s.release(o) }, nil
}

// Keep keeps a Snapshot that was made just now open, and closes it at the end.
func (s *Open) Keep(snap *world.Snapshot) { s.release(s.hold(snap, s.now())) }

// hold keeps a Snapshot, of which the caller is a user, unless another call was faster.
func (s *Open) hold(snap *world.Snapshot, since time.Time) *openSnapshot {
	o := &openSnapshot{Snapshot: snap, since: since, users: 1}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all.Get(o.ID()); ok {
		o.gone = true
		return o
	}
	stones, size := snap.Stones()
	bytes := snap.Memory() + min(size, int64(stones)*heldStone)
	s.all.Put(o.ID(), o, max(bytes, openBytes/openSnapshots))
	return o
}

// get returns the Snapshot of a commit if it is open, with one more user.
func (s *Open) get(at history.ID) *openSnapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.all.Get(at)
	if !ok {
		return nil
	}
	if s.now().Sub(o.since) > openFor {
		s.all.Remove(at)
		return nil
	}
	o.users++
	return o
}

// dropped closes a Snapshot that is no longer kept, unless someone uses it. The caller holds mu.
func dropped(_ history.ID, o *openSnapshot) {
	if o.gone = true; o.users == 0 {
		o.Close() // it was only read
	}
}

func (s *Open) release(o *openSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.users--; o.users == 0 && o.gone {
		o.Close() // it was only read
	}
}

// Forget closes the Snapshot of a commit as soon as nobody uses it.
func (s *Open) Forget(at history.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Remove(at)
}

// Clear closes all Snapshots that nobody uses, so that deleted stones are not kept
// open.
func (s *Open) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Clear()
}
