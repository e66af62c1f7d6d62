// Package versions keeps the versions of worlds open that a server read last.
package versions

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/stone"
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

	mu    sync.Mutex // guards what is below
	all   map[history.ID]*list.Element
	order list.List // of *openSnapshot, the most recently used first
	bytes int64
}

type openSnapshot struct {
	*world.Snapshot
	since time.Time
	bytes int64
	users int
	gone  bool // no longer in the list: the last user closes it
}

// New returns an Open of a Store whose cache of decoded pages has so many bytes. now is
// the clock.
func New(st history.Store, cacheBytes int64, now func() time.Time) *Open {
	return &Open{st: st, now: now, Cache: stone.NewCache(cacheBytes), all: make(map[history.ID]*list.Element)}
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

// hold puts a Snapshot, of which the caller is a user, into the list.
func (s *Open) hold(snap *world.Snapshot, since time.Time) *openSnapshot {
	stones, size := snap.Stones()
	o := &openSnapshot{Snapshot: snap, since: since, users: 1, bytes: snap.Memory() + min(size, int64(stones)*heldStone) + 1<<10}
	s.put(o)
	return o
}

func (s *Open) get(at history.ID) *openSnapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[at]
	if e == nil {
		return nil
	}
	o := e.Value.(*openSnapshot)
	if s.now().Sub(o.since) > openFor {
		s.drop(e)
		return nil
	}
	s.order.MoveToFront(e)
	o.users++
	return o
}

// put adds o to the list and drops the Snapshots that were not used for the longest
// time.
func (s *Open) put(o *openSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[o.ID()] != nil { // another call was faster
		o.gone = true
		return
	}
	s.all[o.ID()] = s.order.PushFront(o)
	for s.bytes += o.bytes; s.bytes > openBytes || s.order.Len() > openSnapshots; {
		s.drop(s.order.Back())
	}
}

// drop removes a Snapshot from the list. The caller holds mu.
func (s *Open) drop(e *list.Element) {
	o := s.order.Remove(e).(*openSnapshot)
	delete(s.all, o.ID())
	s.bytes -= o.bytes
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
	if e := s.all[at]; e != nil {
		s.drop(e)
	}
}

// Clear closes all Snapshots that nobody uses, so that deleted stones are not kept
// open.
func (s *Open) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() > 0 {
		s.drop(s.order.Back())
	}
}
