package ledger_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// hooked is a bucket that asks a hook about every call. If the hook returns an error
// the call fails; it takes place all the same if the hook says so.
type hooked struct {
	blob.Bucket
	hook func(op, key string) (made bool, err error)
	done func(op, key string) // after a call that took place; may be nil
}

func (h *hooked) call(op, key string, what func() error) error {
	made, err := h.hook(op, key)
	if err == nil || made {
		if e := what(); err == nil {
			err = e
		}
	}
	if h.done != nil && (err == nil || made) {
		h.done(op, key)
	}
	return err
}

func (h *hooked) Put(ctx context.Context, key string, body *io.SectionReader) error {
	return h.call("put", key, func() error { return h.Bucket.Put(ctx, key, body) })
}

func (h *hooked) Get(ctx context.Context, key string, off, n int64) (b []byte, err error) {
	err = h.call("get", key, func() (err error) {
		b, err = h.Bucket.Get(ctx, key, off, n)
		return err
	})
	return b, err
}

func (h *hooked) List(ctx context.Context, prefix, after string, n int) (l []blob.Object, err error) {
	err = h.call("list", prefix, func() (err error) {
		l, err = h.Bucket.List(ctx, prefix, after, n)
		return err
	})
	return l, err
}

func (h *hooked) Delete(ctx context.Context, key string) error {
	return h.call("delete", key, func() error { return h.Bucket.Delete(ctx, key) })
}

// flaky fails one of n calls, half of them after they took place.
func flaky(b blob.Bucket, seed uint64, n int) blob.Bucket {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 1))
	return &hooked{Bucket: b, hook: func(op, key string) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		switch r.IntN(n) {
		case 0:
			return true, fmt.Errorf("%s %s: no answer: %w", op, key, blob.ErrAway)
		case 1:
			return false, fmt.Errorf("%s %s: status 503: %w", op, key, blob.ErrAway)
		}
		return false, nil
	}}
}

// keys lists the keys of a bucket without their prefix, cut after the kind.
func keys(t *testing.T, b blob.Bucket) map[string]int {
	t.Helper()
	found, err := b.List(t.Context(), quick.Prefix, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for _, info := range found {
		kind, _, _ := strings.Cut(strings.TrimPrefix(info.Key, quick.Prefix), "/")
		n[kind]++
	}
	return n
}

// errStop is of the kind that is not tried again.
var errStop = fmt.Errorf("stopped: %w", context.Canceled)

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}
