package versions

import (
	"context"
	"sync"

	"github.com/cairnvoxel/cairn/internal/lru"
)

// Made keeps what was made of versions, such as pictures: a commit never changes. One call makes
// a thing while others wait for it.
type Made struct {
	mu     sync.Mutex // guards what follows
	all    *lru.Cache[string, any]
	making map[string]chan struct{} // closed when the call that makes it has ended
}

// NewMade returns a Made that keeps most bytes.
func NewMade(most int64) *Made {
	return &Made{all: lru.New[string, any](most, nil), making: make(map[string]chan struct{})}
}

// get returns what is kept under a key. If there is nothing it returns done, and the caller
// makes the thing, may put it, and calls done.
func (m *Made) get(ctx context.Context, key string) (made any, done func(), err error) {
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

// Keep returns what do makes, from m if it was made under the key before. do also says how many
// bytes it takes.
func Keep[T any](ctx context.Context, m *Made, key string, do func() (made T, bytes int64, err error)) (made T, err error) {
	found, done, err := m.get(ctx, key)
	if err != nil {
		return made, err
	}
	if done == nil {
		return found.(T), nil
	}
	defer done()
	made, bytes, err := do()
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.all.Put(key, made, bytes+int64(len(key))+256)
	}
	return made, err
}
