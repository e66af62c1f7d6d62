package history

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Errors that callers of a Store branch on. Stores wrap them with the world's name.
var (
	ErrNoWorld  = errors.New("no such world")
	ErrExists   = errors.New("a world of that name exists")
	ErrName     = errors.New("not a name of a world")
	ErrNoCommit = errors.New("no such commit")
	// ErrConflict says that the head is not the commit that the save is based on.
	ErrConflict = errors.New("someone else changed the world")
	// ErrTime says that the caller of Commit gave it a time before its parent's, or one
	// to come.
	ErrTime = errors.New("no version can have that time")
	// ErrFenced says that the caller's fence is not the world's fence: the caller
	// has lost the lease.
	ErrFenced = errors.New("the lease of this world was lost")
	// ErrLeased says that someone else holds a lease of the world.
	ErrLeased = errors.New("someone else holds a lease of the world")
	// ErrGone says that the stone was collected. Ask for the stack again: it names
	// the stone that replaces it.
	ErrGone = errors.New("the stone is gone")
	// ErrAway says that the place where the worlds are kept does not answer. It is
	// unknown whether the call changed something.
	ErrAway = errors.New("the store cannot be reached")
	// ErrClosed says that the Store was closed.
	ErrClosed = errors.New("the store is closed")
)

// Head is the newest commit of a world, and the world's fence. It is the only
// durable value that changes. A world without commits has a zero Commit.
type Head struct {
	Commit ID
	// Fence is the number of the last lease, 0 if there was none. It only grows. A
	// new world, also a fork, begins at 0. In the base of a save it is the fence that the caller saves
	// under.
	Fence uint64
}

// Force is a fence that overrides any lease. It is for admins. A call under it ends
// the lease and raises the fence.
const Force = math.MaxUint64

// Lease is the right to change a world until a time by the Store's clock. Its
// number is the fence.
type Lease struct {
	Fence  uint64
	Holder string // at most MaxHolder bytes
	Until  time.Time
}

// MaxHolder is the largest number of bytes of a lease's holder.
const MaxHolder = 256

// Opened is an open stone. It can be read until it is closed.
type Opened struct {
	*stone.Reader
	io.Closer
}

// Layer is one stone of a stack. It holds the commits above After up to and
// including Upto. A zero After means that nothing is below. Stones of one commit
// have the same After and Upto.
type Layer struct {
	Stone       StoneRef
	After, Upto ID
}

// Pack is a stone that replaces the stones of several commits: those above After up
// to and including Upto, where each commit is the base of the next. A pack whose
// After is zero replaces everything up to Upto. A pack changes no commit. Each Upto
// has at most one pack.
type Pack struct {
	After, Upto ID
	Stone       StoneRef
}

// Fences. A caller of Commit, Rename, Delete and Purge gives a fence: 0 without a
// lease, the number of its lease, or Force. With 0 the error is ErrLeased while a
// lease is live. With a number the error is ErrFenced unless it is the world's
// fence. A lease whose time has ended stays good until someone takes the next.
// Three calls raise the fence by one: Rename, Delete, and a commit that restores
// (its Base is not its Parent). If they are made under a number, the caller's lease
// continues with the next number; Delete ends it.
//
// No number comes twice under a name, also if another world gets the name: where the
// fence would be raised to a number that a world had which lost the name, it is raised beyond. So the
// first lease may have a higher number than 1, and Rename may raise the fence by more
// than one; Head says to what.

// Store keeps worlds. All of its methods are safe for any number of goroutines.
// They return ctx.Err() when ctx ends before they begin to change anything. If a
// method that changes something returns no error, the change is on stable storage.
// If it returns another error, the change was made whole or not at all.
//
// store/storetest is this contract as a test.
type Store interface {
	Names
	Commits
	Stacks
	Leases
	// Purge removes a world for good and at once: the world with this name, or, if
	// there is none, all worlds that were deleted under the name; these have no
	// leases. It deletes without grace what no other world reaches, except for
	// stones that are being read.
	Purge(ctx context.Context, name string, fence uint64) (Purged, error)
	// Collect drops the commits that the policy does not keep, condemns the stones
	// that nothing needs, and deletes the stones whose grace has ended.
	Collect(ctx context.Context, p Policy) (Collected, error)
	// List returns up to n names that begin with prefix and are greater than after,
	// in ascending order of bytes.
	List(ctx context.Context, prefix, after string, n int) ([]string, error)
	// Close waits for calls in progress. Calls that come later return ErrClosed; a
	// second Close does nothing. Open stones may end with the Store: their reads then
	// return an error.
	Close() error
}

// Packs reports whether someone else packs the worlds of a Store, as far as the Store knows:
// one that has a method Packs tells. If so, callers that save need not pack, and PutPack may
// refuse them.
func Packs(st Store) bool {
	p, ok := st.(interface{ Packs() bool })
	return ok && p.Packs()
}

// Names creates, renames and deletes worlds. Names are valid by CheckName, else the
// error is ErrName. A missing name gives ErrNoWorld; a name that must be free and
// is not gives ErrExists.
type Names interface {
	Create(ctx context.Context, name string) error
	// Rename moves a world with all its history and its lease.
	Rename(ctx context.Context, from, to string, fence uint64) error
	// Delete removes the name and ends the lease. Undelete restores the name until
	// Collect has removed the world; of several worlds that were deleted under one
	// name it restores the last.
	Delete(ctx context.Context, name string, fence uint64) error
	Undelete(ctx context.Context, name string) error
}

// Commits reads and extends the log of each world.
type Commits interface {
	Head(ctx context.Context, name string) (Head, error)
	// Log returns up to n commits of the world, newest first. It begins with the
	// commit from, or with the head if from is zero. It ends with the commit that a
	// fork began with. It leaves out commits that were collected.
	Log(ctx context.Context, name string, from ID, n int) ([]Commit, error)
	// Commit stores the stones and makes c the head, in one step. c.Parent must be
	// base.Commit. c.Base must be zero or a commit of the world. c.Stones must name
	// the given stones and otherwise only stones that the world reaches already.
	// The Store sets c.Number to one more than the parent's number, and c.Time to now
	// unless it has one (HasTime), and may set c.IdempotencyKey if that is 0; it
	// returns the completed c. No time is before the parent's: now becomes that, and a time
	// that c has is ErrTime, as one that is more than a minute ahead. The
	// caller's fence is base.Fence. The error is ErrConflict if the head's commit
	// is not base.Commit.
	Commit(ctx context.Context, name string, base Head, c Commit, stones ...Stone) (Commit, error)
	// Fork makes a new world whose head is the commit at of the world from. It
	// copies no stone.
	Fork(ctx context.Context, from string, at ID, name string) error
}

// Stacks reads the stones that worlds are made of, and keeps packs.
type Stacks interface {
	// Stack returns the stones that make up a commit, bottom first. Packs replace
	// the stones that they were made from.
	Stack(ctx context.Context, name string, at ID) ([]Layer, error)
	// Open opens a stone of the world in constant time. It does not check whether
	// the world reaches the stone; nobody can guess the hash that names a stone.
	// The error is ErrGone if there is no such stone. The caller closes the stone.
	Open(ctx context.Context, name string, id stone.ID) (*Opened, error)
	// PutPack stores a pack and replaces an older pack for the same Upto. Both ends
	// must be commits of the world, and After must be zero or follow from Upto by
	// its chain of bases. A crash may lose the pack: the stones that it replaces
	// are still there.
	PutPack(ctx context.Context, name string, p Pack, s Stone) error
}

// Leases say who may change a world. A duration above 24 hours is cut to 24 hours;
// one below a millisecond is an error.
type Leases interface {
	// Lease takes the lease of the world for holder. It raises the fence by one,
	// and the lease has that number. The error is ErrLeased while someone else's
	// lease is live. A lease of the same holder is taken over at once, unless
	// holder is "".
	Lease(ctx context.Context, name, holder string, d time.Duration) (Lease, error)
	// Renew makes the lease with this number end d from now. The error is ErrFenced
	// if that is not the world's fence.
	Renew(ctx context.Context, name string, fence uint64, d time.Duration) (Lease, error)
	// Release ends the lease with this number, or any lease if the number is Force.
	// It raises the fence, so a late call under the old number fails. The error is
	// ErrFenced if the number is not the world's fence.
	Release(ctx context.Context, name string, fence uint64) error
	// Leased returns the live lease, or a zero one if there is none.
	Leased(ctx context.Context, name string) (Lease, error)
}

// Policy says what Collect keeps. The zero value is the default.
type Policy struct {
	// DryRun deletes nothing: Collected counts the worlds and the commits that would go.
	// What stones would follow is not counted.
	DryRun bool
	Keep   Retention
	// Grace is how long a condemned stone stays. The default is an hour; a negative
	// value means no grace.
	Grace time.Duration
	// Deleted is how long a deleted world can be restored. The default is a week; a
	// negative value means that it cannot.
	Deleted time.Duration
}

// Collected counts what Collect did.
type Collected struct {
	Worlds    int   `json:"worlds"`    // deleted for good
	Commits   int   `json:"commits"`   // dropped from logs
	Condemned int   `json:"condemned"` // stones whose grace has not ended
	Stones    int   `json:"stones"`    // deleted
	Bytes     int64 `json:"bytes"`     // of the deleted stones
}

// Purged counts what Purge deleted, and what stays because other worlds reach it.
type Purged struct {
	Worlds       int   `json:"worlds"`
	Commits      int   `json:"commits"`
	Stones       int   `json:"stones"`
	Bytes        int64 `json:"bytes"` // of the stones
	SharedStones int   `json:"shared_stones"`
	SharedBytes  int64 `json:"shared_bytes"`
}
