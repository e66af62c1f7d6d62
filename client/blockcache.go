package client

import (
	"container/list"
	"sync"
)

// place is a block of an open stone.
type place struct {
	stone *blocks
	block int64
}

// overhead is about the number of bytes that an entry takes besides its data.
const overhead = 256

// blockCache holds blocks of open stones. It drops the blocks that were not used
// for the longest time when it is full.
type blockCache struct {
	limit int64

	mu    sync.Mutex // guards what is below
	at    map[place]*list.Element
	order *list.List // of *entry, the most recently used first
	bytes int64
}

type entry struct {
	place
	data []byte
}

func newBlockCache(limit int64) *blockCache {
	return &blockCache{limit: limit, at: make(map[place]*list.Element), order: list.New()}
}

func (k *blockCache) get(p place) ([]byte, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[p]
	if !ok {
		return nil, false
	}
	k.order.MoveToFront(e)
	return e.Value.(*entry).data, true
}

func (k *blockCache) has(p place) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.at[p]
	return ok
}

// put adds a block. Nobody may change data, and data must not be part of a larger
// slice.
func (k *blockCache) put(p place, data []byte) {
	size := int64(len(data)) + overhead
	if size > k.limit {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.at[p]; ok {
		k.remove(e)
	}
	k.at[p] = k.order.PushFront(&entry{p, data})
	for k.bytes += size; k.bytes > k.limit; {
		k.remove(k.order.Back())
	}
}

func (k *blockCache) remove(e *list.Element) {
	old := k.order.Remove(e).(*entry)
	delete(k.at, old.place)
	k.bytes -= int64(len(old.data)) + overhead
}

// drop removes the blocks of a stone.
func (k *blockCache) drop(b *blocks) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, e := range k.at {
		if p.stone == b {
			k.remove(e)
		}
	}
}
