// Package cache keeps decoded pages in memory under a budget of bytes. It knows
// neither what pages hold nor what keys mean.
package cache

import (
	queue "container/list"
	"context"
	"sync"
)

// entryBytes estimates the memory of an LRU for a page besides the page.
const entryBytes = 256

// LRU keeps pages, and drops the least recently used ones. Goroutines may share it.
type LRU[K comparable] struct {
	budget int64

	mu    sync.Mutex // guards the fields below
	pages map[K]*cached[K]
	order queue.List // of filled *cached[K], the most recently used in front
	bytes int64
	stats Stats
}

// Stats counts the work of an LRU.
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

// New returns an LRU that keeps up to budget bytes of pages. It does not keep a page
// larger than that.
func New[K comparable](budget int64) *LRU[K] {
	return &LRU[K]{budget: budget, pages: make(map[K]*cached[K])}
}

// Page returns the page under key. If the LRU lacks it, Page calls fill and keeps the
// result, which takes about bytes of memory. Of concurrent calls for one key one fills;
// the others wait, or return ctx.Err() when ctx ends. If fill fails, Page returns the
// error to its caller, and the next waiting caller fills. Pages must not be changed.
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

// claim returns the page under key. If mine is true, the caller must fill it.
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

// fill also finishes the page if do panics. Waiting callers then get an error.
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

// drop removes a filled page. The caller holds mu.
func (l *LRU[K]) drop(c *cached[K]) {
	l.order.Remove(c.element)
	delete(l.pages, c.key)
	l.bytes -= c.bytes + entryBytes
}

// Stats returns the counts so far.
func (l *LRU[K]) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Pages, s.Bytes = l.order.Len(), l.bytes
	return s
}
