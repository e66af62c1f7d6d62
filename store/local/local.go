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
	"time"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

// Store is a history.Store in a directory. Besides it has Check, which reads and verifies
// everything, Backup and Checkpoint, which copy it while it is in use, and Stats.
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

// BackupOptions of Store.Backup. The zero value is the default.
type BackupOptions = disk.BackupOptions

// Backups returns the times of the backups in dir, oldest first. A missing dir has
// none. It does not read the backups; each was verified when it was made. It uses
// only FS of o.
func Backups(dir string, o Options) ([]time.Time, error) { return disk.Backups(dir, o) }

// Restored is the result of Restore.
type Restored = disk.Restored

// Restore makes a Store in to, which must be missing or empty, from a backup, or
// from the newest backup in a directory. It copies and verifies everything before
// the Store gets its final name. Of a damaged backup it makes what Salvage would. It
// uses only FS, Now and CacheBytes of o.
func Restore(ctx context.Context, from, to string, o Options) (Restored, error) {
	return disk.Restore(ctx, from, to, o)
}

// Salvaged is the result of Salvage.
type Salvaged = disk.Salvaged

// Salvage copies what can be read of the Store in from to a new Store in to, which
// must be missing or empty. It does not change from. It copies each version of a
// world that can be read whole; the newest of them becomes the head.
func Salvage(ctx context.Context, from, to string, o Options) (Salvaged, error) {
	return disk.Salvage(ctx, from, to, o)
}
