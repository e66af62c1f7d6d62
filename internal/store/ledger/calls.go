package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// The parts of keys, after the prefix.
const (
	logKeys  = "log/"
	partKeys = "part/"
	markKeys = "mark/"
)

func (l *Ledger) entryKey(n uint64) string { return fmt.Sprintf("%s%s%019d", l.Prefix, logKeys, n) }

// away marks an error of the bucket as history.ErrAway, unless it is the end of the
// caller's context. This bucket is the catalogue, and not the one with the stones: the
// errors of package blob that say what is the matter with a bucket go no further.
func away(err error) error {
	switch {
	case err == nil, errors.Is(err, history.ErrAway), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, blob.ErrFull):
		return fmt.Errorf("%w: %v", history.ErrFull, err)
	case errors.Is(err, blob.ErrAway):
		return fmt.Errorf("%w: %v", history.ErrAway, err)
	}
	return fmt.Errorf("%w: %w", history.ErrAway, err)
}

// get returns the bytes of a key, nil if there are none.
func (l *Ledger) get(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	b, err := l.bucket.Get(ctx, key, 0, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, away(err)
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}

// put puts bytes. It returns blob.ErrExists if the key has some already, which may be
// these.
func (l *Ledger) put(ctx context.Context, key string, b []byte) error {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	err := l.bucket.Put(ctx, key, io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b))))
	if errors.Is(err, blob.ErrExists) {
		return err
	}
	return away(err)
}

// pace is how long calls of a kind usually take. A few slow ones change it little.
type pace struct{ nanos atomic.Int64 }

func (p *pace) usual() time.Duration { return time.Duration(p.nanos.Load()) }

func (p *pace) note(took time.Duration) {
	was := p.usual()
	if was > 0 {
		took = was + (min(took, 2*was)-was)/8
	}
	p.nanos.Store(int64(max(took, 8)))
}

// slow is how often longer than usual a call must take until it is made a second time, and
// patience is how much longer at least.
const (
	slow     = 4
	patience = 10 * time.Millisecond
)

// prompt makes a call, and makes it a second time beside the first if that takes much longer
// than such calls do: all who wait for the log wait for each of its calls. The first answer
// counts. An error counts if no other call is under way.
func prompt[T any](ctx context.Context, l *Ledger, p *pace, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		v   T
		err error
	}
	answers, running := make(chan answer, 2), 0
	start := func() {
		running++
		l.work.Go(func() {
			began := time.Now()
			v, err := call(ctx)
			if err == nil {
				p.note(time.Since(began))
			}
			answers <- answer{v, err}
		})
	}
	start()
	second := time.NewTimer(slow*p.usual() + l.patience)
	defer second.Stop()
	for {
		select {
		case a := <-answers:
			if running--; a.err == nil || errors.Is(a.err, blob.ErrExists) || running == 0 {
				return a.v, a.err
			}
		case <-second.C:
			l.counters.repeated.Add(1)
			start()
		}
	}
}

// list returns up to n keys with a prefix that are greater than after, without the
// prefix of the ledger.
func (l *Ledger) list(ctx context.Context, prefix, after string, n int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	if after != "" {
		after = l.Prefix + after
	}
	infos, err := l.bucket.List(ctx, l.Prefix+prefix, after, n)
	if err != nil {
		return nil, away(err)
	}
	keys := make([]string, len(infos))
	for i, info := range infos {
		keys[i] = info.Key[len(l.Prefix):]
	}
	return keys, nil
}

// moment is a time of this process.
type moment struct{ at time.Time }

func (l *Ledger) now() moment { return moment{l.Now()} }

// within reports whether less than d has passed since m. Of the two clocks of the
// process it believes the one that went further.
func (l *Ledger) within(m moment, d time.Duration) bool {
	if m.at.IsZero() {
		return false
	}
	now := l.Now()
	return now.Sub(m.at) < d && now.Round(0).Sub(m.at.Round(0)) < d
}
