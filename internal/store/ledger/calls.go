package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
