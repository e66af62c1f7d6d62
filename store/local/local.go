// Package local is a store in a directory, for one process at a time. Open opens it; a
// program that imports the package opens "local:DIR" too.
//
// Worlds are small, so an embedded database holds them: a save is one write to its log,
// and is on stable storage when Commit returns. The saves of many worlds at the same
// time are synced together. Stones of more than a megabyte are files of their own.
//
// A disk that fails stops the Store: from then on every call returns the reason. What
// was acknowledged is there when the Store is opened again. Open looks for damage; a
// damaged Store can only be read (DamageError), and Salvage copies what can be read.
package local

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

// Store is a history.Store in a directory. Besides it has Check, which reads and verifies
// everything, and Stats.
type Store = disk.Store

// Options of a Store. The zero value is the default.
type Options = disk.Options

// Stats are the numbers that a Store knows without a walk over everything.
type Stats = disk.Stats

// ErrInUse is returned by Open while another process has the Store open.
var ErrInUse = disk.ErrInUse

// A DamageError names the damaged files of a Store.
type DamageError = disk.DamageError

// Open opens the Store in dir. It creates one if dir is empty or missing. It fails
// if another process has the Store open.
func Open(dir string, o Options) (*Store, error) { return disk.Open(dir, o) }

// Salvaged is the result of Salvage.
type Salvaged = disk.Salvaged

// Salvage copies what can be read of the Store in from to a new Store in to, which
// must be missing or empty. It does not change from. It copies each version of a
// world that can be read whole; the newest of them becomes the head.
func Salvage(ctx context.Context, from, to string, o Options) (Salvaged, error) {
	return disk.Salvage(ctx, from, to, o)
}
