package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/retry"
)

// call makes a call until it works or fails for good, or until there was enough time
// for the tries. It stops a try that makes no progress: what calls step when it does.
func (b *Client) call(ctx context.Context, op, name string, what func(ctx context.Context, step *steps) error) error {
	began := b.o.Now()
	tries := b.o.Tries
	if b.away.Load() {
		tries = 1
	}
	for n := 1; ; n++ {
		err := b.try(ctx, op, what)
		if err == nil {
			b.away.Store(false)
			return nil
		}
		passes := errors.Is(err, blob.ErrAway)
		if passes && n < tries && b.o.Now().Sub(began) < b.o.Within && retry.Backoff(ctx, 10*time.Millisecond, n, 6) { // the library has waited too, up to 0.2 s
			continue
		}
		if ctx.Err() == nil {
			b.away.Store(passes)
		}
		return fmt.Errorf("s3: %s %s: %w", op, name, err)
	}
}

var errStalled = errors.New("no progress")

// steps watches the progress of one try. Any number of goroutines may use it.
type steps struct {
	timer *time.Timer
	limit time.Duration
	bytes atomic.Int64 // of the body
	since atomic.Int64 // bytes since the timer was set
}

// progress says that bytes of the body went over the network. Few bytes are no
// progress.
func (s *steps) progress(n int) {
	s.bytes.Add(int64(n))
	if s.since.Add(int64(n)) >= 16<<10 {
		s.since.Store(0)
		s.timer.Reset(s.limit)
	}
}

func (b *Client) try(ctx context.Context, op string, what func(context.Context, *steps) error) error {
	began := b.o.Now()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &steps{limit: b.o.Timeout, timer: time.AfterFunc(b.o.Timeout, func() { cancel(errStalled) })}
	defer s.timer.Stop()
	err := what(inner, s)
	if err != nil {
		err = sorted(ctx, context.Cause(inner), err)
	}
	b.o.OnRequest(blob.Request{Op: op, Bytes: s.bytes.Load(), Took: b.o.Now().Sub(began), Err: err})
	return err
}

// errConflict says that the server saw another change of the key at the same time.
// The whole Put must be made again.
var errConflict = errors.New("another change at the same time")

// sorted returns the error that callers branch on. What is not known is for good.
func sorted(ctx context.Context, stalled, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(stalled, errStalled) {
		return fmt.Errorf("%w: %w", blob.ErrAway, errStalled)
	}
	var own *finalError
	if errors.As(err, &own) {
		return own.err
	}
	var r minio.ErrorResponse
	if !errors.As(err, &r) {
		return fmt.Errorf("%w: %w", blob.ErrAway, err) // there was no answer
	}
	switch {
	case r.Code == "NoSuchKey" || r.Code == "NoSuchUpload":
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case r.StatusCode == http.StatusPreconditionFailed || r.Code == "PreconditionFailed":
		return blob.ErrExists
	case r.Code == "ConditionalRequestConflict" || r.Code == "OperationAborted":
		return fmt.Errorf("%w: %w: %w", blob.ErrAway, errConflict, err)
	case r.Code == "BadDigest" || r.Code == "XAmzContentSHA256Mismatch" || r.Code == "XAmzContentChecksumMismatch" || r.Code == "IncompleteBody" || r.Code == "RequestTimeout":
		return fmt.Errorf("%w: %w", blob.ErrAway, err) // the body was damaged on its way
	case r.StatusCode == http.StatusInsufficientStorage || r.Code == "QuotaExceeded" || r.Code == "XMinioAdminBucketQuotaExceeded":
		return fmt.Errorf("%w: %w", blob.ErrFull, err)
	case r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout:
		return fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return err
}

// finalError is an error of ours that no further try would change.
type finalError struct{ err error }

func (e *finalError) Error() string { return e.err.Error() }

func final(format string, args ...any) error { return &finalError{fmt.Errorf(format, args...)} }

// watched is a body that is sent. It says when it is read.
type watched struct {
	io.ReadSeeker
	step *steps
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.ReadSeeker.Read(p)
	w.step.progress(n)
	return n, err
}

// clock reads the server's time off its answers. It is the http.RoundTripper of the
// bucket.
type clock struct {
	now  func() time.Time
	next http.RoundTripper

	mu     sync.Mutex
	there  time.Time // by the server, at the local time here
	here   time.Time
	latest time.Time // local time of the last answer
}

// clockFor is how long a time of the server is good.
const clockFor = time.Minute

func (c *clock) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := c.next.RoundTrip(r)
	if err != nil {
		return a, err
	}
	date, err := http.ParseTime(a.Header.Get("Date"))
	if err != nil {
		return a, nil // a server need not say it
	}
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = now
	// A date has no fractions, and some time passed since: the largest is the best.
	if old := c.there.Add(now.Sub(c.here)); c.there.IsZero() || date.After(old) || now.Sub(c.here) > clockFor {
		c.there, c.here = date, now
	}
	return a, nil
}

// Time is for blob.Clock. It makes a call only if the last one is a minute ago. It is
// up to a second late.
func (b *Client) Time(ctx context.Context) (time.Time, error) {
	for asked := false; ; asked = true {
		c, now := b.clock, b.o.Now()
		c.mu.Lock()
		out, good := c.there.Add(now.Sub(c.here)), !c.there.IsZero() && now.Sub(c.latest) < clockFor
		c.mu.Unlock()
		if good {
			return out, nil
		}
		if asked {
			return time.Time{}, errors.New("s3: time: the server does not say what time it is")
		}
		if err := b.Ping(ctx); err != nil {
			return time.Time{}, err
		}
	}
}

// Ping is for blob.Pinger. It asks for one object that is usually there.
func (b *Client) Ping(ctx context.Context) error {
	err := b.call(ctx, "ping", b.o.Bucket, func(ctx context.Context, _ *steps) error {
		_, err := b.api.StatObject(ctx, b.o.Bucket, b.probe(), minio.StatObjectOptions{})
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
