package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/cairnvoxel/cairn/internal/lru"
)

// madeCache keeps what was made of versions, such as pictures: a commit never changes. One
// call makes a thing while others wait for it.
type madeCache struct {
	mu     sync.Mutex // guards what follows
	all    *lru.Cache[string, any]
	making map[string]chan struct{} // closed when the call that makes it has ended
}

func newMadeCache(most int64) *madeCache {
	return &madeCache{all: lru.New[string, any](most, nil), making: make(map[string]chan struct{})}
}

// get returns what is kept under a key. If there is nothing it returns done, and the caller
// makes the thing, may put it, and calls done.
func (m *madeCache) get(ctx context.Context, key string) (made any, done func(), err error) {
	for {
		m.mu.Lock()
		made, ok := m.all.Get(key)
		busy := m.making[key]
		if !ok && busy == nil {
			end := make(chan struct{})
			m.making[key] = end
			done = func() {
				m.mu.Lock()
				defer m.mu.Unlock()
				delete(m.making, key)
				close(end)
			}
		}
		m.mu.Unlock()
		if ok || done != nil {
			return made, done, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (m *madeCache) put(key string, made any, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all.Put(key, made, bytes+int64(len(key))+256)
}

// kept returns what do makes of a version, from the cache if it was made before.
func kept[T any](c *call, v version, what string, do func() (made T, bytes int64, err error)) (made T, err error) {
	key := fmt.Sprintf("%s %v %s", what, v.at, v.stored)
	found, done, err := c.made.get(c.ctx, key)
	if err != nil {
		return made, err
	}
	if done == nil {
		return found.(T), nil
	}
	defer done()
	made, bytes, err := do()
	if err == nil {
		c.made.put(key, made, bytes)
	}
	return made, err
}
