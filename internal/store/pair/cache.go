package pair

import (
	"hash/maphash"
	"sync"

	"github.com/cairnvoxel/cairn/internal/lru"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
)

// cache remembers records as they were when they were read or written last, and the bytes of
// stones that are not large. A commit and the bytes of a stone never change, so what is
// remembered of them is true. All else is presumed: who uses it asks the catalogue whether it
// still holds. What was not used for the longest time is forgotten first. All methods are safe
// for any number of goroutines. A nil cache remembers nothing.
type cache struct {
	seed    maphash.Seed
	largest int64 // bytes of a stone
	shards  [cacheShards]cacheShard
}

type cacheShard struct {
	mu    sync.Mutex
	items *lru.Cache[string, []byte]
}

const (
	cacheShards = 16
	// itemBytes is what a remembered record costs besides its key and its value.
	itemBytes = 160
)

// newCache returns a cache of this many bytes.
func newCache(size int64) *cache {
	c := &cache{seed: maphash.MakeSeed(), largest: size / cacheShards / 4}
	for i := range c.shards {
		c.shards[i].items = lru.New[string, []byte](size/cacheShards, nil)
	}
	return c
}

func (c *cache) shard(key string) *cacheShard {
	return &c.shards[maphash.String(c.seed, key)%cacheShards]
}

// get returns a value, or nil if none is remembered. Nobody may change it.
func (c *cache) get(key string) []byte {
	if c == nil {
		return nil
	}
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	value, _ := s.items.Get(key)
	return value
}

// has reports whether something is remembered of a key.
func (c *cache) has(key string) bool { return c.get(key) != nil }

// getImmutable is get for records that never change, and nil for others.
func (c *cache) getImmutable(key string) []byte {
	if !immutable(key) {
		return nil
	}
	return c.get(key)
}

// put remembers a value, which nobody may change, or forgets what it has if the value is nil.
func (c *cache) put(key string, value []byte) {
	if c == nil {
		return
	}
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if value == nil {
		s.items.Remove(key)
		return
	}
	s.items.Put(key, value, int64(len(key)+len(value))+itemBytes)
}

// stone returns the bytes of a stone, or nil if they are not remembered.
func (c *cache) stone(id stone.ID) []byte {
	return c.get(smallKey(id))
}

// putStone remembers the bytes of a stone if there are not too many.
func (c *cache) putStone(id stone.ID, data []byte) {
	if c != nil && len(data) > 0 && int64(len(data)) <= c.largest {
		c.put(smallKey(id), data)
	}
}

// smallKey is the key of the record with the bytes of a small stone.
func smallKey(id stone.ID) string { return string(append([]byte{smalls}, id[:]...)) }

// immutable reports whether a record never changes as long as it exists.
func immutable(key string) bool { return key[0] == record.Commits || key[0] == smalls }
