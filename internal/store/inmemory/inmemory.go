// Package inmemory is a catalogue and a bucket in memory. Both are sorted trees that never change. A
// change makes a new tree that shares most of the old one, so a snapshot costs nothing and readers
// never wait.
package inmemory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// Catalogue is a history.Catalogue.
type Catalogue struct {
	mu   sync.Mutex // of changes
	root atomic.Pointer[node]
}

var _ history.Catalogue = (*Catalogue)(nil)

// NewCatalogue returns an empty Catalogue.
func NewCatalogue() *Catalogue { return new(Catalogue) }

func (c *Catalogue) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	return moment{c.root.Load()}.Get(ctx, keys...)
}

func (c *Catalogue) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	return moment{c.root.Load()}.Scan(ctx, from, to, n, back)
}

func (c *Catalogue) Snapshot(ctx context.Context) (history.Records, func(), error) {
	return moment{c.root.Load()}, func() {}, ctx.Err()
}

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

// moment reads the records of one moment.
type moment struct{ root *node }

func (m moment) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	out := make([][]byte, len(keys))
	for i, key := range keys {
		out[i] = m.root.get(key)
	}
	return out, ctx.Err()
}

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

// Bucket is a blob.Bucket.
type Bucket struct {
	mu   sync.Mutex // of changes
	root atomic.Pointer[node]
}

var _ blob.Bucket = (*Bucket)(nil)

// NewBucket returns an empty Bucket.
func NewBucket() *Bucket { return new(Bucket) }

func (b *Bucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if err := blob.CheckKey(key); err != nil {
		return fmt.Errorf("memory: put: %w", err)
	}
	data := make([]byte, body.Size())
	if n, err := body.ReadAt(data, 0); n < len(data) {
		return fmt.Errorf("memory: put %s: %w", key, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.root.Load().get(key) != nil {
		return fmt.Errorf("memory: put %s: %w", key, blob.ErrExists)
	}
	b.root.Store(b.root.Load().with(key, data))
	return nil
}

// find returns the bytes of a key.
func (b *Bucket) find(ctx context.Context, key string) ([]byte, error) {
	data, err := b.root.Load().get(key), blob.CheckKey(key)
	if err == nil && data == nil {
		err = fmt.Errorf("memory: %s: %w", key, fs.ErrNotExist)
	}
	return data, errors.Join(ctx.Err(), err)
}

func (b *Bucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	data, err := b.find(ctx, key)
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if off < 0 || off > size || n > size-off {
		return nil, fmt.Errorf("memory: get %s: %d bytes from %d of %d: %w", key, n, off, size, io.ErrUnexpectedEOF)
	}
	if n < 0 {
		n = size - off
	}
	return bytes.Clone(data[off : off+n]), nil
}

// Head is for blob.ReadOnly. The time is zero.
func (b *Bucket) Head(ctx context.Context, key string) (blob.Object, error) {
	data, err := b.find(ctx, key)
	if err != nil {
		return blob.Object{}, err
	}
	return blob.Object{Key: key, Size: int64(len(data))}, nil
}

func (b *Bucket) Delete(ctx context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := errors.Join(ctx.Err(), blob.CheckKey(key)); err != nil {
		return err
	}
	b.root.Store(b.root.Load().with(key, nil))
	return nil
}

// List is for blob.ReadOnly. The times are zero.
func (b *Bucket) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	found, err := moment{b.root.Load()}.Scan(ctx, max(prefix, after+"\x00"), prefix+"\xff", n, false)
	var out []blob.Object
	for _, r := range found {
		out = append(out, blob.Object{Key: r.Key, Size: int64(len(r.Value))})
	}
	return out, err
}
