package history

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// What callers of a Store branch on. Stores wrap them with the world's name.
var (
	ErrNoWorld  = errors.New("no such world")
	ErrExists   = errors.New("a world of that name exists")
	ErrName     = errors.New("not a name of a world")
	ErrNoCommit = errors.New("no such commit")
	// ErrConflict says that the head is not the one that the save was based on.
	ErrConflict = errors.New("the world was changed by someone else")
	// ErrFenced says that the fence that a call was made under is not the world's:
	// the lease was lost.
	ErrFenced = errors.New("the lease of this world was lost")
	// ErrLeased says that someone else holds a lease of the world.
	ErrLeased = errors.New("someone else holds a lease of the world")
	// ErrGone says that a stone was collected: what stands for it now is found
	// by asking for the stack again.
	ErrGone = errors.New("the stone is gone")
)

// Head is what a world's name points at: the only thing in durable storage that
// ever changes. A world without commits has a zero Commit.
type Head struct {
	Commit ID
	// Fence is the number of the last lease, 0 if there never was one. It only
	// grows; a fork begins at 0. As the base of a save it is the fence that the
	// save is made under.
	Fence uint64
}

// Force as a fence stands for whatever lease there is: it is for admins. What is
// done under it ends the lease and raises the fence.
const Force = math.MaxUint64

// Lease is the right to change a world until a time by the Store's clock. The
// fence is its number.
type Lease struct {
	Fence  uint64
	Holder string // at most MaxHolder bytes
	Until  time.Time
}

// MaxHolder bounds the bytes of a lease's holder.
const MaxHolder = 256

// Stone is a stone to be kept. Data is not changed by anyone.
type Stone struct {
	ID   stone.ID
	Data []byte
}

// Ref returns the stone's name and size.
func (s Stone) Ref() StoneRef { return StoneRef{s.ID, int64(len(s.Data))} }

// Opened is a stone that can be read until it is closed.
type Opened struct {
	*stone.Reader
	io.Closer
}

// Layer is a stone of a stack. It stands for the commits above After up to and
// including Upto; a zero After says that nothing is below. Stones of one
// commit share both.
type Layer struct {
	Stone       StoneRef
	After, Upto ID
}

// Pack is a stone that stands for a run of commits, each the base of the next:
// those above After up to and including Upto. A pack with a zero After is full:
// it stands for everything up to Upto. It changes no commit, and there is at
// most one for each Upto.
type Pack struct {
	After, Upto ID
	Stone       StoneRef
}

// Fences. Commit, Rename, Delete and Purge are made under a fence: 0 without a
// lease, the number of the caller's lease, or Force. Without a lease the error is
// ErrLeased while one is live. Under a number it is ErrFenced unless it is the
// world's fence; a lease whose time is over is good until someone takes the next.
// A commit that goes back (its Base is not its Parent), Rename and Delete raise
// the fence by one: under a number the caller's lease lives on as the next
// number, but not beyond Delete.

// Store is what a world needs kept. All of its methods are safe for any number
// of goroutines and return ctx.Err() when ctx ends before they have begun to
// change anything. A nil error of a method that changes something says that the
// change is on stable storage; any other says nothing about it, but that it is
// there whole or not at all.
//
// store/storetest is this contract as a test.
type Store interface {
	Names
	Commits
	Stacks
	Leases
	// Purge takes a world for good and at once: the one of that name, or if there
	// is none all that were deleted under it, which have no leases. What no other
	// world reaches is deleted without a grace, but for what is being read.
	Purge(ctx context.Context, name string, fence uint64) (Purged, error)
	// Collect drops commits that the policy does not keep, condemns stones that
	// nothing needs, and deletes those that were condemned longer ago than the
	// policy's grace.
	Collect(ctx context.Context, p Policy) (Collected, error)
	// List returns up to n names that begin with prefix and come after after,
	// in ascending order of bytes.
	List(ctx context.Context, prefix, after string, n int) ([]string, error)
	// Close waits for what is under way. Nothing may be called after it.
	Close() error
}

// Packing is a Store that may have somebody who packs its worlds.
type Packing interface {
	// Packs reports whether the Store has its worlds packed, as far as it knows. Then
	// those who save need not pack, and PutPack may be refused to them.
	Packs() bool
}

// Packs reports whether a Store has its worlds packed.
func Packs(st Store) bool {
	p, ok := st.(Packing)
	return ok && p.Packs()
}

// Names are the worlds of a Store. Names are those that CheckName takes
// (ErrName); of a name that is missing the error is ErrNoWorld, of one that
// must not be there ErrExists.
type Names interface {
	Create(ctx context.Context, name string) error
	// Rename moves a world with all its history and its lease.
	Rename(ctx context.Context, from, to string, fence uint64) error
	// Delete takes the name away and ends the lease. Undelete gives it back until
	// Collect has taken the world; of worlds deleted under one name it is the last.
	Delete(ctx context.Context, name string, fence uint64) error
	Undelete(ctx context.Context, name string) error
}

// Commits are what happened to each world.
type Commits interface {
	Head(ctx context.Context, name string) (Head, error)
	// Log returns up to n commits of the world, newest first, from the commit
	// from on, or from the head if from is zero. It ends with the commit that a
	// fork began with. Commits that were collected are left out.
	Log(ctx context.Context, name string, from ID, n int) ([]Commit, error)
	// Commit keeps the stones and makes c the head, in one step. c.Parent must
	// be base.Commit, c.Base zero or a commit of the world, c.Stones the stones
	// and those that the world reaches already. The Store sets c.Number to one
	// more than the parent's, and c.Time, never below the parent's; it returns c
	// so completed. It is made under base.Fence; ErrConflict if the head's commit
	// is not base.Commit.
	Commit(ctx context.Context, name string, base Head, c Commit, stones ...Stone) (Commit, error)
	// Fork makes a new world whose head is the commit at of the world from. It
	// copies no stone.
	Fork(ctx context.Context, from string, at ID, name string) error
}

// Stacks are the stones that worlds are made of.
type Stacks interface {
	// Stack returns the stones that make up a commit, bottom first, packs where
	// there are.
	Stack(ctx context.Context, name string, at ID) ([]Layer, error)
	// Open opens a stone of a stack of the world, in constant time: it does not look
	// whether the world reaches the stone, whose name nobody can guess. ErrGone if
	// there is no such stone. The caller closes it.
	Open(ctx context.Context, name string, id stone.ID) (*Opened, error)
	// PutPack keeps a pack, in place of the one for the same Upto. Both ends must
	// be commits of the world, After as Base of Base ... of Upto, or zero. A crash
	// may take it: what it stands for is there.
	PutPack(ctx context.Context, name string, p Pack, s Stone) error
}

// Leases say who may change a world. A time beyond 24 hours is cut to that, one
// below a millisecond is an error.
type Leases interface {
	// Lease takes the world for holder: the fence is raised by one and is the
	// lease's number. ErrLeased while another's lease is live; one of the same
	// holder, unless that is "", is taken over at once.
	Lease(ctx context.Context, name, holder string, d time.Duration) (Lease, error)
	// Renew lets the lease with this number end d from now. ErrFenced if that is
	// not the world's fence.
	Renew(ctx context.Context, name string, fence uint64, d time.Duration) (Lease, error)
	// Release ends the lease with this number, or with Force whatever there is,
	// and raises the fence, so that nothing late is taken under it. ErrFenced if
	// that is not the world's fence.
	Release(ctx context.Context, name string, fence uint64) error
	// Leased returns the lease that is live, a zero one if none is.
	Leased(ctx context.Context, name string) (Lease, error)
}

// Policy says what Collect keeps. The zero value is the default.
type Policy struct {
	Keep Retention
	// Grace is how long a condemned stone stays. Default an hour; negative is
	// none.
	Grace time.Duration
	// Deleted is how long a deleted world can be had back. Default a week;
	// negative is not at all.
	Deleted time.Duration
}

// Collected says what Collect did.
type Collected struct {
	Worlds    int   `json:"worlds"`    // deleted for good
	Commits   int   `json:"commits"`   // dropped from logs
	Condemned int   `json:"condemned"` // stones that wait for their grace to end
	Stones    int   `json:"stones"`    // deleted
	Bytes     int64 `json:"bytes"`     // of the stones deleted
}

// Purged says what Purge took, and what stays because other worlds reach it.
type Purged struct {
	Worlds       int   `json:"worlds"`
	Commits      int   `json:"commits"`
	Stones       int   `json:"stones"`
	Bytes        int64 `json:"bytes"` // of the stones
	SharedStones int   `json:"shared_stones"`
	SharedBytes  int64 `json:"shared_bytes"`
}
