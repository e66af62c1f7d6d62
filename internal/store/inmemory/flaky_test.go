package inmemory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
)

// fault is what goes wrong with one call.
type fault int

// Faults of a call.
const (
	noFault    fault = iota
	refused          // the bucket says that it cannot do it now, and does nothing
	answerLost       // the call takes place, and its answer is lost
	answerLate       // the answer is lost, and a Put or Delete takes place before a later call
)

// flaky is a bucket with the faults of a script. The script is called for each call, by one
// goroutine at a time. Op is "put", "get", "head", "list" or "delete"; the key of a list is its
// prefix. A call with a fault returns blob.ErrAway.
type flaky struct {
	blob.Bucket
	script func(op, key string) fault

	mu   sync.Mutex
	late []func()
}

// inTurn returns a script in which every third call goes wrong. The faults take turns.
func inTurn() func(op, key string) fault {
	n := 0
	return func(string, string) fault {
		if n++; n%3 != 0 {
			return noFault
		}
		return refused + fault(n/3%3)
	}
}

// call makes a call, unless the script says otherwise.
func (f *flaky) call(ctx context.Context, op, key string, what func(context.Context) error) error {
	if ctx.Err() != nil {
		return what(ctx)
	}
	f.mu.Lock()
	wrong, late := f.script(op, key), f.late
	f.late = nil
	if wrong == answerLate {
		ctx := context.WithoutCancel(ctx)
		f.late = append(f.late, func() { _ = what(ctx) }) // nobody gets its result
	}
	f.mu.Unlock()
	for _, l := range late {
		l()
	}
	var err error
	if wrong == noFault || wrong == answerLost {
		err = what(ctx)
	}
	if wrong == noFault {
		return err
	}
	return fmt.Errorf("flaky: %s %q: fault %d: %w", op, key, wrong, blob.ErrAway)
}

func (f *flaky) Put(ctx context.Context, key string, body *io.SectionReader) error {
	return f.call(ctx, "put", key, func(ctx context.Context) error { return f.Bucket.Put(ctx, key, body) })
}

func (f *flaky) Delete(ctx context.Context, key string) error {
	return f.call(ctx, "delete", key, func(ctx context.Context) error { return f.Bucket.Delete(ctx, key) })
}

func (f *flaky) Get(ctx context.Context, key string, off, n int64) (out []byte, err error) {
	return read(ctx, f, "get", key, func(ctx context.Context) ([]byte, error) { return f.Bucket.Get(ctx, key, off, n) })
}

func (f *flaky) Head(ctx context.Context, key string) (blob.Object, error) {
	return read(ctx, f, "head", key, func(ctx context.Context) (blob.Object, error) { return f.Bucket.Head(ctx, key) })
}

func (f *flaky) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	return read(ctx, f, "list", prefix, func(ctx context.Context) ([]blob.Object, error) { return f.Bucket.List(ctx, prefix, after, n) })
}

// read makes a call that has a result, which is lost with the answer.
func read[T any](ctx context.Context, f *flaky, op, key string, what func(context.Context) (T, error)) (T, error) {
	var got, none T
	err := f.call(ctx, op, key, func(ctx context.Context) error {
		out, err := what(ctx)
		if err == nil {
			got = out
		}
		return err
	})
	if err != nil {
		return none, err
	}
	return got, nil
}

// Callers who repeat calls after blob.ErrAway, and use blob.Same, see the contract although
// every third call goes wrong.
func TestFlakyBucket(t *testing.T) {
	blobtest.RunAgain(t, func(t *testing.T) blob.Bucket { return &again{&flaky{Bucket: openBucket(t), script: inTurn()}} })
}

// again is a caller that repeats calls.
type again struct{ b blob.Bucket }

// tries is how often a call is made.
const tries = 20

func repeat[T any](what func() (T, error)) (out T, err error) {
	for range tries {
		if out, err = what(); !errors.Is(err, blob.ErrAway) {
			break
		}
	}
	return out, err
}

// Put is for blob.Bucket. It puts again after blob.ErrAway and recognizes the bytes.
func (a *again) Put(ctx context.Context, key string, body *io.SectionReader) error {
	unsure := false
	_, err := repeat(func() (struct{}, error) {
		err := a.b.Put(ctx, key, body)
		if unsure && errors.Is(err, blob.ErrExists) {
			same, sameErr := repeat(func() (bool, error) { return blob.Same(ctx, a.b, key, body) })
			if same || sameErr != nil {
				return struct{}{}, sameErr
			}
		}
		unsure = unsure || errors.Is(err, blob.ErrAway)
		return struct{}{}, err
	})
	return err
}

func (a *again) Delete(ctx context.Context, key string) error {
	_, err := repeat(func() (struct{}, error) { return struct{}{}, a.b.Delete(ctx, key) })
	return err
}

func (a *again) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	return repeat(func() ([]byte, error) { return a.b.Get(ctx, key, off, n) })
}

func (a *again) Head(ctx context.Context, key string) (blob.Object, error) {
	return repeat(func() (blob.Object, error) { return a.b.Head(ctx, key) })
}

func (a *again) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	return repeat(func() ([]blob.Object, error) { return a.b.List(ctx, prefix, after, n) })
}
