package stream

import (
	"sync"

	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel"
)

// cache keeps cubes as they are sent, and how they differ, up to a number of bytes.
type cache struct {
	cacheMu sync.Mutex // guards what follows
	records *lru.Cache[recordID, *record]
	diffs   map[diffID][]byte // records of Edits; nil: longer than the cube
	diffed  int               // bytes of diffs
	most    int
}

func newCache(most int) cache {
	return cache{records: lru.New[recordID, *record](int64(most), nil), diffs: make(map[diffID][]byte), most: most}
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
	c.cacheMu.Lock()
	defer c.cacheMu.Unlock()
	r, _ := c.records.Get(id)
	return r
}

// put keeps a record.
func (c *cache) put(r *record) {
	c.cacheMu.Lock()
	defer c.cacheMu.Unlock()
	c.records.Put(r.recordID, r, int64(r.cost()))
}

// bound bounds the bytes of what is kept.
func (c *cache) bound(most int) {
	c.cacheMu.Lock()
	defer c.cacheMu.Unlock()
	c.most = most
	c.records.Bound(int64(most))
}

// diff returns how a cube became another, if that is kept.
func (c *cache) diff(id diffID) (edit []byte, ok bool) {
	c.cacheMu.Lock()
	defer c.cacheMu.Unlock()
	edit, ok = c.diffs[id]
	return edit, ok
}

// keepDiff keeps how a cube became another.
func (c *cache) keepDiff(id diffID, edit []byte) {
	c.cacheMu.Lock()
	defer c.cacheMu.Unlock()
	if c.diffed += len(edit); len(c.diffs) >= maxDiffs || c.diffed > c.most/4 {
		clear(c.diffs)
		c.diffed = len(edit)
	}
	c.diffs[id] = edit
}
