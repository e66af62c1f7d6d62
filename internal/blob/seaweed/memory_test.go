package seaweed_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cairnvoxel/cairn/internal/blob/seaweed"
)

// memory is Names in memory. The zero value is empty.
type memory struct {
	mu   sync.Mutex
	all  map[string][]byte
	keys []string // sorted
}

func (m *memory) Get(ctx context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[key], ctx.Err()
}

func (m *memory) Scan(ctx context.Context, prefix, after string, n int) ([]seaweed.Name, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []seaweed.Name
	from, _ := slices.BinarySearch(m.keys, max(prefix, after))
	for _, key := range m.keys[from:] {
		if !strings.HasPrefix(key, prefix) || len(out) == n {
			break
		}
		if key > after {
			out = append(out, seaweed.Name{key, m.all[key]})
		}
	}
	return out, ctx.Err()
}

func (m *memory) Swap(ctx context.Context, conditions, changes []seaweed.Name) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range conditions {
		if have := m.all[c.Key]; !bytes.Equal(have, c.Value) || (have == nil) != (c.Value == nil) {
			return seaweed.ErrChanged
		}
	}
	if m.all == nil {
		m.all = make(map[string][]byte)
	}
	for _, c := range changes {
		at, there := slices.BinarySearch(m.keys, c.Key)
		switch {
		case c.Value == nil && there:
			m.keys = slices.Delete(m.keys, at, at+1)
			delete(m.all, c.Key)
		case c.Value != nil:
			if !there {
				m.keys = slices.Insert(m.keys, at, c.Key)
			}
			m.all[c.Key] = bytes.Clone(c.Value)
		}
	}
	return nil
}
