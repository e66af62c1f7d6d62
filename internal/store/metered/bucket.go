package metered

import (
	"context"
	"io"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// Bucket returns a Bucket whose calls are counted. It is a history.Clock and a
// history.Pinger if to is.
func (c *Calls) Bucket(to blob.Bucket) blob.Bucket {
	counted := bucket{to, c}
	t, p := c.optional(to, pingBucket)
	switch {
	case t != nil && p != nil:
		return struct {
			bucket
			history.Clock
			*pinger
		}{counted, t, p}
	case t != nil:
		return struct {
			bucket
			history.Clock
		}{counted, t}
	case p != nil:
		return struct {
			bucket
			*pinger
		}{counted, p}
	}
	return counted
}

type bucket struct {
	of blob.Bucket
	c  *Calls
}

func (b bucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	began := b.c.now()
	data, err := b.of.Get(ctx, key, off, n)
	b.c.observe(read, began, len(data), err)
	return data, err
}

func (b bucket) Head(ctx context.Context, key string) (blob.Object, error) {
	began := b.c.now()
	info, err := b.of.Head(ctx, key)
	b.c.observe(head, began, 0, err)
	return info, err
}

func (b bucket) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	began := b.c.now()
	infos, err := b.of.List(ctx, prefix, after, n)
	b.c.observe(list, began, 0, err)
	return infos, err
}

func (b bucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	began := b.c.now()
	err := b.of.Put(ctx, key, body)
	b.c.observe(put, began, int(body.Size()), err)
	return err
}

func (b bucket) Delete(ctx context.Context, key string) error {
	began := b.c.now()
	err := b.of.Delete(ctx, key)
	b.c.observe(remove, began, 0, err)
	return err
}
