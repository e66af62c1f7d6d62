// Package cache keeps what was decoded, under a budget of bytes, for many goroutines
// at once. It knows neither what it keeps nor what the keys mean.
package cache

import (
	queue "container/list"
	"context"
	"sync"
)

// entryBytes is about what an LRU needs for a page besides the page.
const entryBytes = 256

// LRU keeps pages, and drops those that were used least recently. Its methods are safe
// for any number of goroutines.
type LRU[K comparable] struct {
	budget int64

	mu    sync.Mutex // guards what is below
	pages map[K]*cached[K]
	order queue.List // of *cached[K] that are filled, the one used last in front
	bytes int64
	stats Stats
}

// Stats counts what an LRU did.
type Stats struct {
	Hits, Fills int64 // calls of Page that found the page, and calls that decoded it
	Pages       int   // now in the cache
	Bytes       int64 // of these pages
}

type cached[K comparable] struct {
	key     K
	filled  chan struct{} // closed when page, bytes and err are set
	page    any
	bytes   int64
	err     error
	element *queue.Element // nil while fill is running
}

// New returns an LRU that keeps pages of up to budget bytes. A page larger than that
// is returned and not kept.
func New[K comparable](budget int64) *LRU[K] {
	return &LRU[K]{budget: budget, pages: make(map[K]*cached[K])}
}

// Page returns the page under key. If the LRU does not have it, Page calls
// fill and keeps the result, which takes about bytes of memory. Of calls for
// one key at the same time one fills; the others wait for it, or return
// ctx.Err() when ctx ends. If fill fails, Page returns the error to the caller
// that filled, and the next waiting caller fills. Nobody changes a page.
func (l *LRU[K]) Page(ctx context.Context, key K, fill func() (any, int64, error)) (any, error) {
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
func (l *LRU[K]) claim(key K) (c *cached[K], mine bool) {
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
	c = &cached[K]{key: key, filled: make(chan struct{})}
	l.pages[key] = c
	return c, true
}

// fill also ends when do panics: the page is then an error for those who wait.
func (l *LRU[K]) fill(c *cached[K], do func() (any, int64, error)) {
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
			l.drop(l.order.Back().Value.(*cached[K]))
		}
	}()
	c.page, c.bytes, c.err = do()
}

// drop forgets a page that is filled. It needs mu.
func (l *LRU[K]) drop(c *cached[K]) {
	l.order.Remove(c.element)
	delete(l.pages, c.key)
	l.bytes -= c.bytes + entryBytes
}

// Stats returns what the cache did so far.
func (l *LRU[K]) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Pages, s.Bytes = l.order.Len(), l.bytes
	return s
}
