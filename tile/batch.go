package tile

import (
	"context"
	"slices"
)

// Request is a tile of a Loader.
type Request[K Key] struct {
	Key    K
	Loader Loader[K]
}

// GetAll appends the handles of tiles to dst, in the order of requests: neighbours across
// borders and items, as a sampler wants them. It finds those that are here under one lock
// for each group of keys with equal high halves of their hashes, and reads the others as
// Get does. After an error it has released all handles.
func (c *Cache[K]) GetAll(ctx context.Context, w *Worker[K], requests []Request[K], dst []Handle) ([]Handle, error) {
	from := len(dst)
	for range requests {
		dst = append(dst, Handle{})
	}
	c.peekAll(w, requests, dst[from:])
	for i, q := range requests {
		if dst[from+i].p != nil {
			continue
		}
		h, err := c.Get(ctx, w, q.Key, q.Loader)
		if err != nil {
			for _, h := range dst[from:] {
				h.Release()
			}
			return dst[:from], err
		}
		dst[from+i] = h
	}
	return dst, nil
}

// peekAll sets the handles of tiles that are here.
func (c *Cache[K]) peekAll(w *Worker[K], requests []Request[K], out []Handle) {
	var locked *shard[K]
	for i, q := range requests {
		if w != nil {
			if h, ok := w.get(q.Key); ok {
				out[i] = h
				continue
			}
		}
		hash := q.Key.Hash()
		if s := c.shard(hash); s != locked {
			if locked != nil {
				locked.mu.Unlock()
			}
			locked = s
			locked.mu.Lock()
		}
		if _, r := locked.find(c, hash, q.Key); r != nil && r.payload != nil {
			locked.hits++
			out[i] = r.pinned()
			if w != nil {
				out[i] = w.keep(q.Key, out[i])
			}
		}
	}
	if locked != nil {
		locked.mu.Unlock()
	}
}

// Deferred gathers requests to serve them sorted by tile: each tile is asked for once,
// and neighbours one after another. The zero value is empty. One goroutine uses it.
type Deferred[K Key, T any] struct{ requests []deferred[K, T] }

type deferred[K Key, T any] struct {
	Request[K]
	tag T
}

// Add gathers a request. tag is for the caller.
func (d *Deferred[K, T]) Add(key K, r Loader[K], tag T) {
	d.requests = append(d.requests, deferred[K, T]{Request[K]{key, r}, tag})
}

// Serve calls do for each request, in ascending order of key, and empties d. do must not
// release the handle. Serve stops at the first error.
func (d *Deferred[K, T]) Serve(ctx context.Context, c *Cache[K], w *Worker[K], compare func(a, b K) int, do func(h Handle, tag T) error) error {
	slices.SortStableFunc(d.requests, func(a, b deferred[K, T]) int { return compare(a.Key, b.Key) })
	requests := d.requests
	d.requests = d.requests[:0]
	for len(requests) > 0 {
		h, err := c.Get(ctx, w, requests[0].Key, requests[0].Loader)
		if err != nil {
			return err
		}
		n := 0
		for err == nil && n < len(requests) && requests[n].Key == requests[0].Key {
			err = do(h, requests[n].tag)
			n++
		}
		h.Release()
		if err != nil {
			return err
		}
		requests = requests[n:]
	}
	return nil
}
