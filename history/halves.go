package history

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/stone"
)

// A Store can be made of two halves, a Catalogue and Stones. Package store/pair
// does this; it contains the rules that make them one Store.

// ErrChanged says that a record is not what a condition of Swap requires.
var ErrChanged = errors.New("a record was changed by someone else")

// Record is a small value under a key. In a condition or a change, a nil Value
// means that the record does not exist.
type Record struct {
	Key   string
	Value []byte
}

// Records reads records, either the current ones or those of one moment.
type Records interface {
	// Get returns the values of keys at one moment, nil for a key without a record.
	// Nobody may change the values.
	Get(ctx context.Context, keys ...string) ([][]byte, error)
	// Scan returns up to n records whose keys are at least from and less than to.
	// They are in ascending order of bytes, or in descending order if back is set.
	Scan(ctx context.Context, from, to string, n int, back bool) ([]Record, error)
}

// Catalogue is the small half of a Store: names, heads, logs, leases, commits,
// packs, and what is garbage. It does not interpret the records. All methods are
// safe for any number of goroutines, and for any number of processes if processes
// share it.
type Catalogue interface {
	Records
	// Snapshot returns the records of this moment. The caller calls release.
	Snapshot(ctx context.Context) (r Records, release func(), err error)
	// Swap makes all changes in one step if all conditions hold, and returns when
	// the changes are on stable storage. It returns ErrChanged if a condition does
	// not hold. After any other error the changes may have been made or not.
	Swap(ctx context.Context, conditions, changes []Record) error
	Close() error
}

// Stones is the large half of a Store: immutable bytes. Each key begins with the
// hash of its bytes. All methods are safe for any number of goroutines.
type Stones interface {
	// Put stores data and returns when they are on stable storage. Nobody changes
	// data afterwards. No key is used twice.
	Put(ctx context.Context, key string, data []byte) error
	// Get returns n bytes from offset off. Nobody may change them. It returns
	// ErrGone if the key has no bytes.
	Get(ctx context.Context, key string, off, n int64) ([]byte, error)
	// Delete deletes the bytes of a key. A key without bytes is no error.
	Delete(ctx context.Context, key string) error
	// List returns up to n keys greater than after, in ascending order.
	List(ctx context.Context, after string, n int) ([]string, error)
}

// A Reacher is a Store that can tell which stones a world reaches. It walks the
// world's history for the answer.
type Reacher interface {
	// Reaches reports whether the world reaches the stone: a commit of its log, or
	// a commit below one, names the stone or has a pack with it.
	Reaches(ctx context.Context, name string, id stone.ID) (bool, error)
}
