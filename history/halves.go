package history

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/stone"
)

// A Store can be put together from two halves, a Catalogue and a place for Stones:
// package store/pair does, and keeps the rules that make one Store of them.

// ErrChanged says that a record is another than a Swap was made for.
var ErrChanged = errors.New("a record was changed by someone else")

// Record is a small value under a key. As a condition or a change, a nil Value says
// that there is no such record.
type Record struct {
	Key   string
	Value []byte
}

// Records are records as they are now, or as they were at one moment.
type Records interface {
	// Get returns the values of keys at one moment, nil where there is none. Nobody
	// may change them.
	Get(ctx context.Context, keys ...string) ([][]byte, error)
	// Scan returns up to n records with keys from from on and below to, in ascending
	// order of their bytes, or if back is set in descending order.
	Scan(ctx context.Context, from, to string, n int, back bool) ([]Record, error)
}

// Catalogue keeps the small half of a Store: names, heads, logs, leases, commits,
// packs, and what is garbage. It knows nothing of what they mean. All methods are
// safe for any number of goroutines, and of processes where it is shared.
type Catalogue interface {
	Records
	// Snapshot returns the records as they are at this moment. The caller releases it.
	Snapshot(ctx context.Context) (r Records, release func(), err error)
	// Swap makes all changes in one step if every condition holds then, and returns
	// when they are on stable storage; ErrChanged if one does not. After any other
	// error it is not known whether they were made.
	Swap(ctx context.Context, conditions, changes []Record) error
	Close() error
}

// Stones keeps the large half of a Store: immutable bytes, each under a key that
// begins with their hash. All methods are safe for any number of goroutines.
type Stones interface {
	// Put keeps data, which nobody changes, and returns when it is on stable storage.
	// No key is put twice.
	Put(ctx context.Context, key string, data []byte) error
	// Get returns n bytes from off on, which nobody may change. ErrGone if there is
	// nothing under the key.
	Get(ctx context.Context, key string, off, n int64) ([]byte, error)
	// Delete deletes what is under a key, if there is anything.
	Delete(ctx context.Context, key string) error
	// List returns up to n keys that come after after, in ascending order.
	List(ctx context.Context, after string, n int) ([]string, error)
}

// A Reacher is a Store that can tell which stones a world reaches. It walks the
// world's history to find out.
type Reacher interface {
	// Reaches reports whether a commit of the world's log, or one that its stack lies
	// on, names the stone or has a pack of it.
	Reaches(ctx context.Context, name string, id stone.ID) (bool, error)
}
