package history

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// A Store can be made of two halves, a Catalogue and a blob.Bucket for the bytes of
// stones. Package store/pair does this; it contains the rules that make them one
// Store.

// ErrChanged says that a record is not what a condition of Swap requires.
var ErrChanged = errors.New("a record was changed by someone else")

// ErrFull says that a Catalogue has no room. A Swap that returns it changed nothing. It
// wraps syscall.ENOSPC.
var ErrFull = fmt.Errorf("the catalogue is full: %w", syscall.ENOSPC)

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
	// Snapshot returns the records of one moment between the call and the end of the
	// first read. The caller calls release.
	Snapshot(ctx context.Context) (r Records, release func(), err error)
	// Swap makes all changes in one step if all conditions hold, and returns when
	// the changes are on stable storage. It returns ErrChanged if a condition does
	// not hold. After any other error the changes may have been made or not.
	Swap(ctx context.Context, conditions, changes []Record) error
	Close() error
}

// A Reacher is a Store that can tell which stones a world reaches. It walks the
// world's history for the answer.
type Reacher interface {
	// Reaches reports whether the world reaches the stone: a commit of its log, or
	// a commit below one, names the stone or has a pack with it.
	Reaches(ctx context.Context, name string, id stone.ID) (bool, error)
}

// A Clock is a Catalogue with a time of its own. Processes that share it agree on
// that time, though their own clocks differ. Leases end by it, and commits are
// stamped with it.
type Clock interface {
	// Time returns the Catalogue's time. It needs no call of the Catalogue if an
	// answer of it came a moment ago.
	Time(ctx context.Context) (time.Time, error)
}

// A Confirmer is a Store that may show what is not on stable storage yet. A database that
// stopped waiting for its standby shows a change whose caller was told ErrAway. So what
// was read proves no save.
type Confirmer interface {
	// Confirm returns nil if a commit is in the log of a world, on stable storage. It
	// writes behind it. The error is ErrNoCommit if the commit is not there.
	Confirm(ctx context.Context, name string, at ID) error
}

// A Pinger can tell at once whether it can be used. A Store, a Catalogue and a Bucket
// may be Pingers.
type Pinger interface {
	// Ping returns an error, as a rule one that wraps ErrAway, if the next call
	// would fail.
	Ping(ctx context.Context) error
}

// A Shared Store is used by several processes at a time. They share out the work
// that it needs besides its calls, so that each job is done once.
type Shared interface {
	// Claim gives a job to a holder until d from now, by the Store's clock. It
	// reports false if another holder has the job, or if the job was finished less
	// than every ago. A holder that claims what it has already prolongs its claim.
	Claim(ctx context.Context, job, holder string, every, d time.Duration) (bool, error)
	// Finish ends the claim of a holder. If done is set, the job counts as finished
	// now. A claim that was lost meanwhile gives ErrFenced.
	Finish(ctx context.Context, job, holder string, done bool) error
}
