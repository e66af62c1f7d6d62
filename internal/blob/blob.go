// Package blob is bytes under keys, in places that keep several copies of them: a
// Bucket. Packages blob/dir, blob/s3 and blob/seaweed are Buckets; blob/blobtest is
// the contract as a test.
//
// The package knows nothing of stones and worlds.
package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// ErrDamaged says that the bytes of a key are not those that were put. It is wrapped
// by Get where a Bucket keeps checksums.
var ErrDamaged = errors.New("the bytes are damaged")

// Errors that callers of a Bucket branch on. A Bucket wraps them with the key. The
// error for a key without bytes is fs.ErrNotExist, and for a bad key fs.ErrInvalid.
var (
	// ErrExists says that the key has bytes already.
	ErrExists = errors.New("the key has bytes already")
	// ErrFull says that the bucket has no room. A Put that returns it put nothing. It wraps
	// syscall.ENOSPC.
	ErrFull = fmt.Errorf("the bucket is full: %w", syscall.ENOSPC)
	// ErrAway says that the bucket does not answer, or says that it cannot answer
	// now. After ErrAway it is unknown whether a Put or a Delete took place, and a
	// Put may still take place later. A caller that puts again and then gets
	// ErrExists finds out by Same whether the bytes are its own.
	ErrAway = errors.New("the bucket cannot be reached")
)

// Object is what a Bucket knows of a key.
type Object struct {
	Key  string
	Size int64
	// Modified is when the bytes were put, by the bucket's clock, to the second.
	Modified time.Time
}

// ReadOnly reads a Bucket. Its methods are safe for any number of goroutines.
type ReadOnly interface {
	// Get returns n bytes from offset off, or all bytes from off if n is negative.
	// It returns io.ErrUnexpectedEOF if the key has fewer bytes. The caller owns
	// the result.
	Get(ctx context.Context, key string, off, n int64) ([]byte, error)
	// Head returns what the bucket knows of the key.
	Head(ctx context.Context, key string) (Object, error)
	// List returns up to n keys that begin with prefix and are greater than after,
	// in ascending order of bytes. It returns fewer than n only if there are no more.
	List(ctx context.Context, prefix, after string, n int) ([]Object, error)
}

// Bucket keeps bytes under keys. CheckKey says which keys are good. While a key has
// bytes, a Bucket may refuse those that have it and a slash before them, and the
// other way round: callers do not use both a and a/b. The methods are safe for any
// number of goroutines and processes.
type Bucket interface {
	ReadOnly
	// Put stores the body under a key that has no bytes, and returns when all
	// copies are on stable storage. It returns ErrExists if the key has bytes: of
	// several Puts of one key, at most one succeeds, even if their bodies are
	// equal. Readers see all of the body or nothing. Put may read the body several
	// times. It may try several times too, and then it recognizes the bytes that an
	// earlier try of the same call has put.
	Put(ctx context.Context, key string, body *io.SectionReader) error
	// Delete deletes the bytes of a key. A key without bytes is no error.
	Delete(ctx context.Context, key string) error
}

// A Locker is a Bucket that can keep bytes from being deleted.
type Locker interface {
	// Lock keeps the bytes of a key from being deleted or replaced until a time. A
	// later time prolongs it; an earlier one changes nothing.
	Lock(ctx context.Context, key string, until time.Time) error
}

// Pinger is what a Bucket implements if it can say whether it would answer.
type Pinger interface {
	// Ping makes one small call. It returns ErrAway, in bounded time, if the bucket
	// does not answer.
	Ping(ctx context.Context) error
}

// Clock is what a Bucket implements if it has a clock.
type Clock interface {
	// Time is the time by the bucket's clock, to the second.
	Time(ctx context.Context) (time.Time, error)
}

// Request is one call that a Bucket made, to a server or to files. One call of the Bucket
// may need several: a Put that is tried again, a body that is put in parts.
type Request struct {
	// Op is put, get, head, list, delete or ping, or a word of the package.
	Op    string
	Bytes int64 // of a body that was sent or received
	Took  time.Duration
	Err   error // nil if the server answered what was asked
}

// Lengths of the longest key, and of the longest part between slashes.
const (
	maxKey  = 512
	maxPart = 200
)

// CheckKey returns fs.ErrInvalid unless the key has 1 to 512 bytes of
// [a-zA-Z0-9._/-] and each part of it between slashes has 1 to 200, and is neither
// "." nor "..".
func CheckKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("a key of %d bytes, where %d is the most: %w", len(key), maxKey, fs.ErrInvalid)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || len(part) > maxPart || part == "." || part == ".." || strings.ContainsFunc(part, notOfKey) {
			return fmt.Errorf("key %q: %w", key, fs.ErrInvalid)
		}
	}
	return nil
}

// CanBegin reports whether some key begins with the prefix.
func CanBegin(prefix string) bool {
	return CheckKey(prefix+"k") == nil || len(prefix) > 0 && CheckKey(prefix) == nil
}

func notOfKey(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
}

// Same reports whether the bytes of a key are those of the body. A key without bytes
// is not the same. It reads the key a megabyte at a time.
func Same(ctx context.Context, r ReadOnly, key string, body *io.SectionReader) (bool, error) {
	in, err := r.Head(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || in.Size != body.Size() {
		return false, err
	}
	mine := make([]byte, min(body.Size(), 1<<20))
	for off := int64(0); off < body.Size(); off += int64(len(mine)) {
		mine = mine[:min(int64(len(mine)), body.Size()-off)]
		if n, err := body.ReadAt(mine, off); n < len(mine) {
			return false, err
		}
		there, err := r.Get(ctx, key, off, int64(len(mine)))
		if err != nil || !bytes.Equal(mine, there) {
			return false, err
		}
	}
	return true, nil
}
