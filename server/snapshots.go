package server

import (
	"container/list"
	"context"
	"sync"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
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
)

// snapshots keeps the commits that were read last open, with one page cache for
// all. A commit's id determines its content, so worlds that share a commit share
// its Snapshot.
type snapshots struct {
	st    history.Store
	cache tile.Pages[stone.PageKey]

	mu    sync.Mutex // guards what is below
	all   map[history.ID]*list.Element
	order list.List // of *openSnapshot, the most recently used first
	bytes int64
}

type openSnapshot struct {
	*world.Snapshot
	bytes int64
	users int
	gone  bool // no longer in the list: the last user closes it
}

func newSnapshots(st history.Store, cacheBytes int64) *snapshots {
	return &snapshots{st: st, cache: stone.NewCache(cacheBytes), all: make(map[history.ID]*list.Element)}
}

// open returns the Snapshot of a commit of a world. The caller calls the function
// to release it.
func (s *snapshots) open(ctx context.Context, name string, at history.ID) (*world.Snapshot, func(), error) {
	if o := s.get(at); o != nil {
		return o.Snapshot, func() { s.release(o) }, nil
	}
	snap, err := world.OpenSnapshot(ctx, s.st, name, at, world.Options{Cache: s.cache})
	if err != nil {
		return nil, nil, err
	}
	stones, size := snap.Stones()
	o := &openSnapshot{Snapshot: snap, users: 1, bytes: snap.Memory() + min(size, int64(stones)*heldStone) + 1<<10}
	s.put(o)
	return snap, func() { s.release(o) }, nil
}

func (s *snapshots) get(at history.ID) *openSnapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[at]
	if e == nil {
		return nil
	}
	s.order.MoveToFront(e)
	o := e.Value.(*openSnapshot)
	o.users++
	return o
}

// put adds o to the list and drops the Snapshots that were not used for the longest
// time.
func (s *snapshots) put(o *openSnapshot) {
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
func (s *snapshots) drop(e *list.Element) {
	o := s.order.Remove(e).(*openSnapshot)
	delete(s.all, o.ID())
	s.bytes -= o.bytes
	if o.gone = true; o.users == 0 {
		o.Close() // it was only read
	}
}

func (s *snapshots) release(o *openSnapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.users--; o.users == 0 && o.gone {
		o.Close() // it was only read
	}
}

// clear closes all Snapshots that nobody uses, so that deleted stones are not kept
// open.
func (s *snapshots) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.order.Len() > 0 {
		s.drop(s.order.Back())
	}
}

// reading calls do with a version. Few calls run at a time: each may decode pages,
// and a small stone may have a large directory.
func (c *call) reading(v version, do func(*world.Snapshot) error) error {
	if err := c.light.enter(c.ctx); err != nil {
		return err
	}
	defer c.light.leave()
	return c.opened(v, do)
}

// heavily calls do with a version. Very few calls run at a time, because do may
// take much memory.
func (c *call) heavily(v version, do func(*world.Snapshot) error) error {
	return c.heavyWork(func() error { return c.opened(v, do) })
}

func (c *call) opened(v version, do func(*world.Snapshot) error) error {
	s, release, err := c.snapshots.open(c.ctx, v.name, v.at)
	if err != nil {
		return err
	}
	defer release()
	return worldFault(do(s))
}
