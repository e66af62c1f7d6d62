// Package backups is what verbs and the server need besides package backup: the URLs
// of buckets, the files of keys, and their words for people.
package backups

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/blob/dir"
	"github.com/cairnvoxel/cairn/internal/blob/s3"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
)

// Schemes of the URLs of buckets.
const (
	s3Scheme  = "s3:"
	dirScheme = "dir:"
)

// want says which URLs there are, in errors.
const want = "want s3://BUCKET/PREFIX or a folder, DIR or dir:DIR"

// folder returns the folder that a URL names, and "" if it names a bucket of S3. A text
// without a scheme is a folder. The letter of a drive is no scheme.
func folder(url string) (string, error) {
	scheme, path, found := strings.Cut(url, ":")
	switch {
	case strings.HasPrefix(url, s3Scheme+"//"):
		return "", nil
	case url == "" || found && path == "":
		return "", fmt.Errorf("%q: %s", url, want)
	case scheme+":" == dirScheme:
		return path, nil
	case found && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\.`):
		return "", fmt.Errorf("%q: %s", url, want)
	}
	return url, nil
}

// Check returns an error if a text names no bucket.
func Check(url string) error {
	_, err := folder(url)
	return err
}

// Open opens the bucket that a URL names: a folder, DIR or dir:DIR, or s3://BUCKET/PREFIX
// with keys and region from the environment as other programs for S3 take them. onRequest, if
// not nil, is called after each call of the bucket. The caller calls close.
func Open(ctx context.Context, url string, onRequest func(blob.Request)) (b blob.Bucket, close func() error, err error) {
	path, err := folder(url)
	if err != nil {
		return nil, nil, fmt.Errorf("backups: %w", err)
	}
	if path != "" {
		b, err := dir.Open(path, dir.Options{OnRequest: onRequest})
		return b, func() error { return nil }, err
	}
	b3, err := s3.OpenURL(ctx, url, s3.Options{OnRequest: onRequest})
	if err != nil {
		return nil, nil, err
	}
	return b3, b3.Close, nil
}

// OpenToRead is Open for a bucket that has backups. It makes nothing.
func OpenToRead(ctx context.Context, url string) (b blob.Bucket, close func() error, err error) {
	if path, err := folder(url); err == nil && path != "" {
		found, err := os.ReadDir(path)
		if err == nil && len(found) == 0 {
			err = errors.New("the folder is empty")
		}
		if err != nil {
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

// Job is a backup that can be made.
type Job struct {
	From history.ArchiveReader
	To   blob.Bucket
	// ReadBack is for backup.Options: in a folder that is cheap.
	ReadBack bool
	Close    func() error
}

// NewJob prepares backups of the Store that one URL names to the bucket of another. A
// folder within the directory of the Store is refused. onRequest is as in Open.
func NewJob(ctx context.Context, st history.Store, store, to string, onRequest func(blob.Request)) (*Job, error) {
	from, err := Archiver(st, store)
	if err != nil {
		return nil, err
	}
	path, err := folder(to)
	if err != nil {
		return nil, fmt.Errorf("backups: %w", err)
	}
	if kept, isLocal := strings.CutPrefix(store, "local:"); isLocal && path != "" && within(path, kept) {
		return nil, fmt.Errorf("backups: %s: the folder is inside the store itself", to)
	}
	b, close, err := Open(ctx, to, onRequest)
	if err != nil {
		return nil, err
	}
	return &Job{From: from, To: b, ReadBack: path != "", Close: close}, nil
}

// within reports whether a path is dir or below dir.
func within(path, dir string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
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
