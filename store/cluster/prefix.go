package cluster

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// prefixed is the part of a bucket whose keys begin with a prefix, which it leaves
// out of its own keys.
type prefixed struct {
	of     blob.Bucket
	prefix string
}

func (p prefixed) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	return p.of.Get(ctx, p.prefix+key, off, n)
}

func (p prefixed) Head(ctx context.Context, key string) (blob.Object, error) {
	info, err := p.of.Head(ctx, p.prefix+key)
	info.Key = strings.TrimPrefix(info.Key, p.prefix)
	return info, err
}

func (p prefixed) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	if after != "" {
		after = p.prefix + after
	}
	list, err := p.of.List(ctx, p.prefix+prefix, after, n)
	for i := range list {
		list[i].Key = strings.TrimPrefix(list[i].Key, p.prefix)
	}
	return list, err
}

func (p prefixed) Put(ctx context.Context, key string, body *io.SectionReader) error {
	return p.of.Put(ctx, p.prefix+key, body)
}

func (p prefixed) Delete(ctx context.Context, key string) error {
	return p.of.Delete(ctx, p.prefix+key)
}

// Ping is for blob.Pinger. It does nothing if the bucket is not one.
func (p prefixed) Ping(ctx context.Context) error {
	if to, ok := p.of.(blob.Pinger); ok {
		return to.Ping(ctx)
	}
	return ctx.Err()
}

// timed is a prefixed part of a bucket that has a clock.
type timed struct {
	prefixed
	blob.Clock
}

// within returns the part of a bucket whose keys begin with a prefix.
func within(b blob.Bucket, prefix string) blob.Bucket {
	p := prefixed{b, prefix}
	if c, ok := b.(blob.Clock); ok {
		return timed{p, c}
	}
	return p
}

var _ interface {
	Time(context.Context) (time.Time, error)
} = timed{}
