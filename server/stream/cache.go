package stream

import (
	"container/list"
	"sync"

	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel"
)

// cache keeps cubes as they are sent, and how they differ, up to a number of bytes.
type cache struct {
	kept    sync.Mutex
	records map[recordID]*record
	diffs   map[diffID][]byte // records of Edits; nil: longer than the cube
	diffed  int               // bytes of diffs
	order   list.List         // of *record, the last used first
	bytes   int
	most    int
}

func newCache(most int) cache {
	return cache{records: make(map[recordID]*record), diffs: make(map[diffID][]byte), most: most}
}

type recordID struct {
	Key
	version uint64
}

// diffID names how a cube became another.
type diffID struct {
	recordID
	from uint64
}

// maxDiffs bounds the diffs that are kept.
const maxDiffs = 4096

// record is a cube as it is sent.
type record struct {
	recordID
	bytes []byte
	used  [][]voxel.Cell // names by volume, ascending
	cube  lod.Cube
	place *list.Element // in the order
}

// cost is about how many bytes of memory a record takes.
func (r *record) cost() int {
	n := len(r.bytes) + 256
	for _, u := range r.used {
		n += 24 + 2*len(u)
	}
	return n
}

// get returns a record that is kept, or nil.
func (c *cache) get(id recordID) *record {
	c.kept.Lock()
	defer c.kept.Unlock()
	r := c.records[id]
	if r != nil {
		c.order.MoveToFront(r.place)
	}
	return r
}

// put keeps a record, and lets go of those that were not used for longest.
func (c *cache) put(r *record) {
	c.kept.Lock()
	defer c.kept.Unlock()
	if c.records[r.recordID] != nil {
		return
	}
	c.records[r.recordID] = r
	r.place = c.order.PushFront(r)
	c.bytes += r.cost()
	c.trim()
}

// bound bounds the bytes of what is kept.
func (c *cache) bound(most int) {
	c.kept.Lock()
	defer c.kept.Unlock()
	c.most = most
	c.trim()
}

// trim lets go of what is too much. The caller holds kept.
func (c *cache) trim() {
	for c.bytes > c.most && len(c.records) > 1 {
		last := c.order.Remove(c.order.Back()).(*record)
		delete(c.records, last.recordID)
		c.bytes -= last.cost()
	}
}

// diff returns how a cube became another, if that is kept.
func (c *cache) diff(id diffID) (edit []byte, ok bool) {
	c.kept.Lock()
	defer c.kept.Unlock()
	edit, ok = c.diffs[id]
	return edit, ok
}

// keepDiff keeps how a cube became another.
func (c *cache) keepDiff(id diffID, edit []byte) {
	c.kept.Lock()
	defer c.kept.Unlock()
	if c.diffed += len(edit); len(c.diffs) >= maxDiffs || c.diffed > c.most/4 {
		clear(c.diffs)
		c.diffed = len(edit)
	}
	c.diffs[id] = edit
}
