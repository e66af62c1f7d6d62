package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Maintain is what a Ledger does every minute.
func (l *Ledger) Maintain(ctx context.Context) error { return l.maintain(ctx) }

// Quiet waits for checkpoints that are being written, and for all other goroutines.
func (l *Ledger) Quiet() { l.work.Wait() }

// Number returns the number of the last entry that was applied.
func (l *Ledger) Number() uint64 { return l.position().number }

// Break does what a full disk does to the cache.
func (l *Ledger) Break() { l.state.failure.set(errors.New("the disk is full")) }

// Decode decodes bytes as an entry, a mark and a part.
func Decode(b []byte) (errs [3]error) {
	_, errs[0] = decodeEntry("entry", b, func(change) error { return nil })
	_, errs[1] = decodeMark("mark", b)
	_, errs[2] = decodePart("part", b, le.Uint64(append(append([]byte(nil), b...), make([]byte, 16)...)[8:]), 0, func(_, _ []byte) error { return nil })
	return errs
}

// WithFiles returns Options with a file system for the cache.
func WithFiles(o Options, fs vfs.FS) Options {
	o.files = fs
	return o
}

// Patient returns Options for calls of the bucket that are never made a second time.
func Patient(o Options) Options {
	o.patience = time.Hour
	return o
}
