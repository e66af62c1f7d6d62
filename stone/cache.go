package stone

import (
	queue "container/list"
	"context"
	"sync"
)

// PageKey names a decoded page in a Cache: the stone, and the number of the
// directory entry that uses the page, counted through the directory. If several
// entries use one page, it is decoded for each.
type PageKey struct {
	Stone ID
	Entry uint32
}

// A Cache keeps decoded pages for the Readers that share it. Goroutines may share
// it.
type Cache interface {
	// Page returns the page under key. If the Cache lacks it, Page calls fill and
	// keeps the result, which takes about bytes of memory. Of concurrent calls for
	// one key one fills; the others wait, or return ctx.Err() when ctx ends. If fill
	// fails, Page returns the error to its caller, and the next waiting caller
	// fills. Pages must not be changed.
	Page(ctx context.Context, key PageKey, fill func() (page any, bytes int64, err error)) (any, error)
}

// CacheBytes is the budget of the Cache that Open gives to a Reader.
const CacheBytes = 64 << 20

// entryBytes estimates the memory of an LRU for a page besides the page.
const entryBytes = 256

// LRU is a Cache that drops the least recently used pages.
type LRU struct {
	budget int64

	mu    sync.Mutex // guards the fields below
	pages map[PageKey]*cached
	order queue.List // of filled *cached, the most recently used in front
	bytes int64
	stats CacheStats
}

// CacheStats counts the work of an LRU.
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

// NewLRU returns a Cache that keeps up to budget bytes of pages. It does not keep a
// page larger than that.
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

// claim returns the page under key. If mine is true, the caller must fill it.
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

// fill also finishes the page if do panics. Waiting callers then get an error.
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

// drop removes a filled page. The caller holds mu.
func (l *LRU) drop(c *cached) {
	l.order.Remove(c.element)
	delete(l.pages, c.key)
	l.bytes -= c.bytes + entryBytes
}

// Stats returns the counts so far.
func (l *LRU) Stats() CacheStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Pages, s.Bytes = l.order.Len(), l.bytes
	return s
}
