package pair_test

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// blind is a catalogue that makes changes and says that it is away, as a database does
// whose standby is lost.
type blind struct {
	*inmemory.Catalogue
	is bool
}

func (b *blind) Swap(ctx context.Context, conditions, changes []history.Record) error {
	err := b.Catalogue.Swap(ctx, conditions, changes)
	if err == nil && b.is {
		err = history.ErrAway
	}
	return err
}

// TestConfirm asks whether commits are safe that a store shows.
func TestConfirm(t *testing.T) {
	c := &blind{Catalogue: inmemory.NewCatalogue()}
	s := pair.New(c, inmemory.NewBucket(), pair.Options{})
	ctx := t.Context()
	commit := func(at history.ID) error {
		_, err := s.Commit(ctx, "a", history.Head{Commit: at}, history.Commit{Parent: at, Base: at})
		return err
	}
	head := func() history.ID {
		h, err := s.Head(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		return h.Commit
	}
	if err := errors.Join(s.Create(ctx, "a"), commit(history.ID{})); err != nil {
		t.Fatal(err)
	}
	first := head()
	c.is = true
	if err := commit(first); !errors.Is(err, history.ErrAway) {
		t.Fatal(err)
	}
	second := head()
	if second == first {
		t.Fatal("the commit does not show")
	}
	for _, tt := range []struct {
		name  string
		alone bool
		world string
		at    history.ID
		want  error
	}{
		{"while the standby is lost", true, "a", second, history.ErrAway},
		{"the first one, too", true, "a", first, history.ErrAway},
		{"the standby is back", false, "a", second, nil},
		{"an older one", false, "a", first, nil},
		{"another commit", false, "a", history.ID{1}, history.ErrNoCommit},
		{"another world", false, "b", second, history.ErrNoWorld},
	} {
		c.is = tt.alone
		if err := s.Confirm(ctx, tt.world, tt.at); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	if head() != second {
		t.Error("the head is another one")
	}
	// A standby was promoted that never had the commit, and the store remembers it.
	c.Catalogue = inmemory.NewCatalogue()
	if err := s.Confirm(ctx, "a", second); err == nil {
		t.Error("confirmed a commit that is lost")
	}
}

// cramped is a bucket that may have no room, or may answer too late.
type cramped struct {
	*inmemory.Bucket
	full, slow bool
}

func (c *cramped) Put(ctx context.Context, key string, body *io.SectionReader) error {
	if c.full {
		return blob.ErrFull
	}
	return c.Bucket.Put(ctx, key, body)
}

func (c *cramped) Ping(ctx context.Context) error {
	if c.slow {
		return context.DeadlineExceeded
	}
	return nil
}

// narrow is a catalogue that may have no room.
type narrow struct {
	*inmemory.Catalogue
	full bool
}

func (n *narrow) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if n.full {
		return history.ErrFull
	}
	return n.Catalogue.Swap(ctx, conditions, changes)
}

// TestPing asks which half cannot take a save.
func TestPing(t *testing.T) {
	c, b := &narrow{Catalogue: inmemory.NewCatalogue()}, &cramped{Bucket: inmemory.NewBucket()}
	s := pair.New(c, b, pair.Options{Inline: -1})
	ctx := t.Context()
	stone := stoneOf(t, "one")
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	save := func() {
		_, _ = s.Commit(ctx, "a", history.Head{}, history.Commit{Stones: []history.StoneRef{stone.Ref()}}, stone)
	}
	for _, tt := range []struct {
		name                 string
		catalogue, bucket    bool
		slow                 bool
		save                 bool
		full, away, ofBucket bool
	}{
		{name: "well"},
		{name: "the bucket is full, and nobody knows", bucket: true},
		{name: "the bucket is full", bucket: true, save: true, full: true, ofBucket: true},
		{name: "it is full still", bucket: true, full: true, ofBucket: true},
		{name: "it has room"},
		{name: "the catalogue is full", catalogue: true, save: true, full: true},
		{name: "it is full still", catalogue: true, full: true},
		{name: "it has room"},
		{name: "the bucket is slow", slow: true, away: true, ofBucket: true},
	} {
		c.full, b.full, b.slow = tt.catalogue, tt.bucket, tt.slow
		if tt.save {
			save()
		}
		err := s.Ping(ctx)
		if (err != nil) != (tt.full || tt.away) || errors.Is(err, syscall.ENOSPC) != tt.full || errors.Is(err, history.ErrAway) != tt.away {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if of := errors.Is(err, blob.ErrFull) || errors.Is(err, blob.ErrAway); of != tt.ofBucket {
			t.Errorf("%s: of the bucket: %v: %v", tt.name, of, err)
		}
	}
	if left, err := b.List(ctx, "0000", "", 9); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
