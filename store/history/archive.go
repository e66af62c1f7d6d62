package history

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Archive is a world with its whole history, as it was at one moment, without the
// bytes of its stones and without its lease. Another Store can take it in: commits
// have the same IDs, numbers and times there.
type Archive struct {
	Name    string
	Deleted time.Time // when the world was deleted, in UTC; zero if it was not
	Head    Head
	Log     []ID     // the commits of the log, newest first; the first is the head
	Commits []Commit // what the log leads to, in ascending order of numbers and IDs
	Packs   []Pack   // those that the log leads to, in ascending order of Upto
}

// An Outline is what a Store knows of a world without reading its history.
type Outline struct {
	World   uint64 // the Store's number of the world, which stays when it is renamed
	Name    string
	Deleted time.Time // as in Archive
	Head    Head
	Sum     Sum
}

// Sum is a hash of a world's log, and of the packs for commits in the log. Two
// worlds with the same Sum have the same versions, in any two Stores.
type Sum [16]byte

// An Archiver gives out and takes in whole worlds, for backups and migrations. A
// Store may be an Archiver.
type Archiver interface {
	ArchiveReader
	ArchiveWriter
}

// ArchiveReader gives out whole worlds.
type ArchiveReader interface {
	// Identity returns a text that no other Store has. Only those who can read all
	// worlds may know it.
	Identity(ctx context.Context) (string, error)
	// Outlines calls what for all worlds at one moment, in ascending order of names;
	// worlds that were deleted and can be restored come after the others. It stops
	// when what returns an error.
	Outlines(ctx context.Context, what func(Outline) error) error
	// Archive returns the world with the number m.World as it is at one moment. Its
	// name is that of the Outline. If the number is 0, it is the world that has the
	// name. The error is ErrNoWorld if the world is gone.
	Archive(ctx context.Context, m Outline) (Archive, error)
	// ReadStone returns a stone. The caller calls release when it has read the
	// bytes. It does not compare them with the ID. The error is ErrGone if there is
	// no such stone.
	ReadStone(ctx context.Context, id stone.ID) (s Stone, release func() error, err error)
}

// ArchiveWriter takes in whole worlds.
type ArchiveWriter interface {
	// Lacks returns those of the stones that the Store does not have.
	Lacks(ctx context.Context, stones []StoneRef) ([]StoneRef, error)
	// Give stores stones that no world names yet. They are condemned, so Adopt must
	// name them before their grace ends.
	Give(ctx context.Context, stones ...Stone) error
	// Adopt makes a world equal to a, in one step. It makes the world if there is
	// none of that name; otherwise the world's head must be base.Commit, else the
	// error is ErrConflict, and base.Fence is the caller's fence. Under the number of
	// a lease, the lease continues with the new fence; otherwise Adopt ends it. The
	// new fence is at least a.Head.Fence, and above the fence before. If a is deleted, Adopt makes one more deleted world of that name, and
	// base does not count. The error is ErrGone if the Store lacks a stone.
	Adopt(ctx context.Context, a Archive, base Head) error
}
