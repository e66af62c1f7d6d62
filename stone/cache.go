package stone

import (
	queue "container/list"
	"context"
	"sync"
)

// PageKey names a decoded page for a Cache: the stone, and the number of the
// directory entry that the page is read for, counted through the stone's
// directory. A page that several entries name is decoded for each of them.
type PageKey struct {
	Stone ID
	Entry uint32
}

// A Cache keeps decoded pages for the Readers that share it. Its methods are safe
// for any number of goroutines.
type Cache interface {
	// Page returns the page under key. If the Cache does not have it, Page calls
	// fill and keeps the result, which takes about bytes of memory. Of calls for
	// one key at the same time one fills; the others wait for it, or return
	// ctx.Err() when ctx ends. If fill fails, Page returns the error to the caller
	// that filled, and the next waiting caller fills. Nobody changes a page.
	Page(ctx context.Context, key PageKey, fill func() (page any, bytes int64, err error)) (any, error)
}

// CacheBytes is the budget of the Cache that Open gives to a Reader.
const CacheBytes = 64 << 20

// entryBytes is about what an LRU needs for a page besides the page.
const entryBytes = 256

// LRU is a Cache that drops the pages that were used least recently.
type LRU struct {
	budget int64

	mu    sync.Mutex // guards what is below
	pages map[PageKey]*cached
	order queue.List // of *cached that are filled, the one used last in front
	bytes int64
	stats CacheStats
}

// CacheStats counts what an LRU did.
type CacheStats struct {
	Hits, Fills int64 // calls of Page that found the page, and calls that decoded it
	Pages       int   // now in the cache
	Bytes       int64 // of these pages
}

type cached struct {
	key     PageKey
	filled  chan struct{} // closed when page, bytes and err are set
	page    any
	bytes   int64
	err     error
	element *queue.Element // nil while fill is running
}

// NewLRU returns a Cache that keeps pages of up to budget bytes. A page larger
// than that is returned and not kept.
func NewLRU(budget int64) *LRU { return &LRU{budget: budget, pages: make(map[PageKey]*cached)} }

// Page implements Cache.
func (l *LRU) Page(ctx context.Context, key PageKey, fill func() (any, int64, error)) (any, error) {
	for {
		c, mine := l.claim(key)
		if mine {
			l.fill(c, fill)
			return c.page, c.err
		}
		select {
		case <-c.filled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if c.err == nil {
			return c.page, nil
		}
	}
}

// claim returns the page under key, which the caller must fill if it is mine.
func (l *LRU) claim(key PageKey) (c *cached, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c = l.pages[key]; c != nil {
		l.stats.Hits++
		if c.element != nil {
			l.order.MoveToFront(c.element)
		}
		return c, false
	}
	l.stats.Fills++
	c = &cached{key: key, filled: make(chan struct{})}
	l.pages[key] = c
	return c, true
}

// fill also ends when do panics: the page is then an error for those who wait.
func (l *LRU) fill(c *cached, do func() (any, int64, error)) {
	c.err = context.Canceled
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		defer close(c.filled)
		if c.err != nil || c.bytes+entryBytes > l.budget {
			delete(l.pages, c.key)
			return
		}
		c.element = l.order.PushFront(c)
		for l.bytes += c.bytes + entryBytes; l.bytes > l.budget; {
			l.drop(l.order.Back().Value.(*cached))
		}
	}()
	c.page, c.bytes, c.err = do()
}

// drop forgets a page that is filled. It needs mu.
func (l *LRU) drop(c *cached) {
	l.order.Remove(c.element)
	delete(l.pages, c.key)
	l.bytes -= c.bytes + entryBytes
}

// Stats returns what the cache did so far.
func (l *LRU) Stats() CacheStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Pages, s.Bytes = l.order.Len(), l.bytes
	return s
}
