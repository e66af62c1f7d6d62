package backups_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/backups"
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/backup"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
)

// stoneless is a Store that has lost all of its stones.
type stoneless struct{ *pair.Store }

func (stoneless) ReadStone(context.Context, stone.ID) (history.Stone, func() error, error) {
	return history.Stone{}, nil, history.ErrGone
}

// stuck is a Bucket that does not do all calls.
type stuck struct {
	*memory.Bucket
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
	st := memory.New(memory.Options{})
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
		tt.to.Bucket = memory.NewBucket()
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
