// Package memory is a history.Store in memory, for tests and for worlds that need
// not outlive the process: a catalogue and a place for stones, put together by
// package pair.
//
// Both are sorted trees that never change: a change makes another tree, which shares
// most of the old one, so a snapshot costs nothing and readers wait for nobody. Nothing
// is written anywhere.
package memory

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/pair"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now func() time.Time // default time.Now
}

// New returns an empty Store.
func New(o Options) *pair.Store {
	return pair.New(NewCatalogue(), NewStones(), pair.Options{Now: o.Now})
}

// Catalogue is a history.Catalogue.
type Catalogue struct {
	mu   sync.Mutex // of changes
	root atomic.Pointer[node]
}

// NewCatalogue returns an empty Catalogue.
func NewCatalogue() *Catalogue { return new(Catalogue) }

// Get is for history.Records.
func (c *Catalogue) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	return moment{c.root.Load()}.Get(ctx, keys...)
}

// Scan is for history.Records.
func (c *Catalogue) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	return moment{c.root.Load()}.Scan(ctx, from, to, n, back)
}

// Snapshot is for history.Catalogue.
func (c *Catalogue) Snapshot(ctx context.Context) (history.Records, func(), error) {
	return moment{c.root.Load()}, func() {}, ctx.Err()
}

// Swap is for history.Catalogue.
func (c *Catalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	root := c.root.Load()
	for _, r := range conditions {
		if have := root.get(r.Key); !bytes.Equal(have, r.Value) || (have == nil) != (r.Value == nil) {
			return history.ErrChanged
		}
	}
	for _, r := range changes {
		root = root.with(r.Key, r.Value)
	}
	c.root.Store(root)
	return nil
}

// Close does nothing.
func (c *Catalogue) Close() error { return nil }

// moment is the records of one moment.
type moment struct{ root *node }

// Get is for history.Records.
func (m moment) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	out := make([][]byte, len(keys))
	for i, key := range keys {
		out[i] = m.root.get(key)
	}
	return out, ctx.Err()
}

// Scan is for history.Records.
func (m moment) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	var out []history.Record
	m.root.scan(from, to, back, func(r history.Record) bool {
		if len(out) < n {
			out = append(out, r)
		}
		return len(out) < n
	})
	return out, ctx.Err()
}

// Stones is a history.Stones.
type Stones struct {
	mu   sync.Mutex // of changes
	root atomic.Pointer[node]
}

// NewStones returns an empty Stones.
func NewStones() *Stones { return new(Stones) }

func (s *Stones) set(ctx context.Context, key string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root.Store(s.root.Load().with(key, data))
	return ctx.Err()
}

// Put is for history.Stones.
func (s *Stones) Put(ctx context.Context, key string, data []byte) error {
	return s.set(ctx, key, data)
}

// Get is for history.Stones.
func (s *Stones) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	data := s.root.Load().get(key)
	if data == nil || off < 0 || n < 0 || off+n > int64(len(data)) {
		return nil, history.ErrGone
	}
	return data[off : off+n : off+n], ctx.Err()
}

// Delete is for history.Stones.
func (s *Stones) Delete(ctx context.Context, key string) error { return s.set(ctx, key, nil) }

// List is for history.Stones.
func (s *Stones) List(ctx context.Context, after string, n int) ([]string, error) {
	found, err := moment{s.root.Load()}.Scan(ctx, after+"\x00", "\xff", n, false)
	var keys []string
	for _, r := range found {
		keys = append(keys, r.Key)
	}
	return keys, err
}
