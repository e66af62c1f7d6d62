// Package backup backs up a Store while it is in use, and restores it: to and from a folder or a
// bucket of S3. It is what cairn backup and cairn restore-store do, for a program that has a Store
// open itself. docs/BACKUP.md says what a backup has.
package backup

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of Run. The zero value is the default.
type Options = backup.Options

// Report says what Run did.
type Report = backup.Report

// RestoreOptions of Restore. The zero value is the default.
type RestoreOptions = backup.RestoreOptions

// Restored says what Restore did.
type Restored = backup.Restored

var (
	// ErrHurt says that some worlds could not be read. All others are done.
	ErrHurt = backup.ErrHurt
	// ErrRefused says that some worlds were not restored, because others have their names.
	ErrRefused = backup.ErrRefused
	// ErrShrunk says that the Store has far fewer worlds than the backup before it.
	ErrShrunk = backup.ErrShrunk
	// ErrNone says that there is no backup.
	ErrNone = backup.ErrNone
)

// Run adds a backup of a Store to a folder, DIR or dir:DIR, or to s3://BUCKET/PREFIX. It reads the
// worlds that changed since the backup before, each as it is at one moment. If the error is
// ErrHurt the backup was made.
func Run(ctx context.Context, st history.Store, to string, o Options) (Report, error) {
	job, err := backups.NewJob(ctx, st, "", to, nil)
	if err != nil {
		return Report{}, err
	}
	if o.ReadBack = o.ReadBack || job.ReadBack; o.Holder == "" {
		o.Holder = backups.Holder()
	}
	r, err := backup.Run(ctx, job.From, job.To, o)
	return r, errors.Join(err, job.Close())
}

// Restore puts all worlds of a backup into a Store, with their histories. It replaces none, and
// can be repeated. identity is the file with private keys of age; "" if nothing is encrypted.
func Restore(ctx context.Context, from, identity string, st history.Store, o RestoreOptions) (Restored, error) {
	to, err := backups.Archiver(st, from)
	if err != nil {
		return Restored{}, err
	}
	keys, err := backups.Access(ctx, identity, nil)
	if err != nil {
		return Restored{}, err
	}
	b, end, err := backups.OpenToRead(ctx, from)
	if err != nil {
		return Restored{}, err
	}
	all, err := backup.Open(ctx, b, keys)
	if err != nil {
		return Restored{}, errors.Join(err, end())
	}
	r, err := all.Restore(ctx, to, o)
	return r, errors.Join(err, end())
}
