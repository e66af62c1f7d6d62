package pair_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/store/pair"
)

// blind is a catalogue that makes changes and says that it is away, as a database does
// whose standby is lost.
type blind struct {
	*memory.Catalogue
	is bool
}

// Swap is for history.Catalogue.
func (b *blind) Swap(ctx context.Context, conditions, changes []history.Record) error {
	err := b.Catalogue.Swap(ctx, conditions, changes)
	if err == nil && b.is {
		err = history.ErrAway
	}
	return err
}

// TestConfirm asks whether commits are safe that a store shows.
func TestConfirm(t *testing.T) {
	c := &blind{Catalogue: memory.NewCatalogue()}
	s := pair.New(c, memory.NewBucket(), pair.Options{})
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
	c.Catalogue = memory.NewCatalogue()
	if err := s.Confirm(ctx, "a", second); err == nil {
		t.Error("confirmed a commit that is lost")
	}
}
