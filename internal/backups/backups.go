// Package backups is what verbs and the server need besides package backup: the URLs
// of buckets, the files of keys, and their words for people.
package backups

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
)

// Schemes of the URLs of buckets.
const (
	s3Scheme  = "s3://"
	dirScheme = "dir:"
)

// IsBucket reports whether a text names a bucket, and not a folder of backups.
func IsBucket(url string) bool {
	return strings.HasPrefix(url, s3Scheme) || strings.HasPrefix(url, dirScheme)
}

// Open opens the bucket that a URL names: s3://BUCKET/PREFIX, with keys and region
// from the environment as other programs for S3 take them, or dir:DIR. trips, if not
// nil, is called after each call of the bucket. The caller calls close.
func Open(ctx context.Context, url string, trips func(blob.Trip)) (b blob.Bucket, close func() error, err error) {
	if path, ok := strings.CutPrefix(url, dirScheme); ok && path != "" {
		b, err := dir.Open(path, dir.Options{Trips: trips})
		return b, func() error { return nil }, err
	}
	if strings.HasPrefix(url, s3Scheme) {
		b, err := s3.OpenURL(ctx, url, s3.Options{Trips: trips})
		if err != nil {
			return nil, nil, err
		}
		return b, b.Close, nil
	}
	return nil, nil, fmt.Errorf("backups: %q: want s3://BUCKET/PREFIX or dir:DIR", url)
}

// OpenToRead is Open for a bucket that has backups. It makes nothing.
func OpenToRead(ctx context.Context, url string) (b blob.Bucket, close func() error, err error) {
	if path, ok := strings.CutPrefix(url, dirScheme); ok && path != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, nil, fmt.Errorf("backups: %s: there is no backup: %w", url, err)
		}
	}
	return Open(ctx, url, nil)
}

// Archiver returns a Store as one that gives out and takes in whole worlds.
func Archiver(st history.Store, url string) (history.Archiver, error) {
	a, ok := st.(history.Archiver)
	if !ok {
		return nil, fmt.Errorf("backups: %s: this store does not give out whole worlds", url)
	}
	return a, nil
}

// Access returns what is needed to read backups: the keys in a file of age
// identities, if identity is not "", and those of a Store, if st is not nil.
func Access(ctx context.Context, identity string, st history.ArchiveReader) (a backup.Access, err error) {
	if identity != "" {
		text, err := os.ReadFile(identity)
		if err != nil {
			return a, fmt.Errorf("backups: %w", err)
		}
		if a.Identities, err = backup.ParseIdentities(text); err != nil {
			return a, fmt.Errorf("backups: %s: %w", identity, err)
		}
	}
	if st != nil {
		a.Store, err = st.Identity(ctx)
	}
	return a, err
}

// Unmade returns the error of a Run, unless a backup was made. A schedule that took a
// hurt world, or what went wrong after the seal, for a failed backup would make the
// next one too early, again and again, and --keep would drop the good ones. Report.Hurt
// and Unfinished say what is dropped.
func Unmade(r backup.Report, err error) error {
	if r.Name != "" {
		return nil
	}
	return err
}

// Unfinished returns the error of what a Run does after its backup was made: lock the
// seal, delete older backups, give up the claim.
func Unfinished(r backup.Report, err error) error {
	if r.Name == "" || errors.Is(err, backup.ErrHurt) {
		return nil
	}
	return err
}

// Holder says who makes a backup.
func Holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
