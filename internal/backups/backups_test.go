package backups_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// stoneless is a Store that has lost all of its stones.
type stoneless struct{ *pair.Pair }

func (stoneless) ReadStone(context.Context, stone.ID) (history.Stone, func() error, error) {
	return history.Stone{}, nil, history.ErrGone
}

// stuck is a Bucket that does not do all calls.
type stuck struct {
	*inmemory.Bucket
	put, delete string // prefixes of keys
}

var errStuck = errors.New("stuck")

func (b *stuck) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if b.put != "" && strings.HasPrefix(key, b.put) {
		return errStuck
	}
	return b.Bucket.Put(ctx, key, body)
}

func (b *stuck) Delete(ctx context.Context, key string) error {
	if b.delete != "" && strings.HasPrefix(key, b.delete) {
		return errStuck
	}
	return b.Bucket.Delete(ctx, key)
}

// TestUnmade says which backups a schedule takes for made, and which for unfinished.
func TestUnmade(t *testing.T) {
	st := memory.New(memory.Options{}).(*pair.Pair)
	if err := st.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	s := history.Stone{ID: sha256.Sum256([]byte("a")), Data: []byte("a")}
	if _, err := st.Commit(t.Context(), "a", history.Head{}, history.Commit{Stones: []history.StoneRef{s.Ref()}}, s); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name               string
		from               history.ArchiveReader
		to                 stuck
		err                error // of the Run
		unmade, unfinished bool
	}{
		{"good", st, stuck{}, nil, false, false},
		{"a hurt world", stoneless{st}, stuck{}, backup.ErrHurt, false, false},
		{"the claim stays", st, stuck{delete: "claims/"}, errStuck, false, true},
		{"no seal", st, stuck{put: "seals/"}, errStuck, true, false},
	} {
		tt.to.Bucket = inmemory.NewBucket()
		r, err := backup.Run(t.Context(), tt.from, &tt.to, backup.Options{})
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.err)
		}
		if err := backups.Unmade(r, err); (err != nil) != tt.unmade {
			t.Errorf("%s: not made: %v", tt.name, err)
		}
		if err := backups.Unfinished(r, err); (err != nil) != tt.unfinished {
			t.Errorf("%s: not finished: %v", tt.name, err)
		}
	}
}

// TestCheck tells buckets from what names none.
func TestCheck(t *testing.T) {
	for _, url := range []string{"backups", "./backups", "/mnt/backups/", "dir:backups", "dir:./a:b", "./a:b", "a.b:c", `C:\backups`, "s3://bucket", "s3://bucket/prefix"} {
		if err := backups.Check(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"", "dir:", "s3:", "s3:bucket", "s4://bucket", "local:cairn-data", "memory:", "http://host", "cluster:c.toml"} {
		if err := backups.Check(url); err == nil {
			t.Errorf("%q: got no error", url)
		}
	}
}

// TestNewJob refuses a folder within the store, and reads back what it puts into another.
func TestNewJob(t *testing.T) {
	dir := t.TempDir()
	st, store := memory.New(memory.Options{}), "local:"+dir+"/store"
	for _, to := range []string{"/store", "/store/", "/store/backups", "/x/../store/db", "/./store"} {
		for _, scheme := range []string{"", "dir:"} {
			if _, err := backups.NewJob(t.Context(), st, store, scheme+dir+to, nil); err == nil || !strings.Contains(err.Error(), "inside") {
				t.Errorf("%s%s: got %v", scheme, to, err)
			}
		}
	}
	if _, err := os.Stat(dir + "/store"); err == nil {
		t.Error("a folder was made within the store")
	}
	for _, to := range []string{"/storehouse", "/backups"} {
		job, err := backups.NewJob(t.Context(), st, store, dir+to, nil)
		if err != nil || !job.ReadBack || job.Close() != nil {
			t.Errorf("%s: got %+v, %v", to, job, err)
		}
	}
}
