package pair_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// watched is a catalogue that calls before ahead of each Swap.
type watched struct {
	*inmemory.Catalogue
	before func(changes []history.Record) error
}

func (w *watched) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if err := w.before(changes); err != nil {
		return err
	}
	return w.Catalogue.Swap(ctx, conditions, changes)
}

// TestPurgeDisturbed disturbs a Purge after it has deleted commits, one of which a commit
// names that no world reaches any more: the Purge starts again and ends.
func TestPurgeDisturbed(t *testing.T) {
	ctx := t.Context()
	free := func([]history.Record) error { return nil }
	c := &watched{inmemory.NewCatalogue(), free}
	s := pair.New(c, inmemory.NewBucket(), pair.Options{})
	if err := s.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	first := save(t, s, "a", history.Head{}, "first")
	if err := s.Fork(ctx, "a", first, "b"); err != nil {
		t.Fatal(err)
	}
	second := save(t, s, "a", history.Head{Commit: first}, "second")
	st := stoneOf(t, "alone")
	if _, err := s.Commit(ctx, "a", history.Head{Commit: second}, history.Commit{Parent: second, Stones: []history.StoneRef{st.Ref()}}, st); err != nil {
		t.Fatal(err)
	}

	errStop := errors.New("stopped")
	c.before = func(changes []history.Record) error {
		if changes[0].Key == "e" { // the log is trimmed, and nothing is swept
			return errStop
		}
		return nil
	}
	if _, err := s.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); !errors.Is(err, errStop) {
		t.Fatal(err)
	}

	deleted, disturbed := false, false
	c.before = func(changes []history.Record) error {
		if deleted && !disturbed {
			disturbed = true
			return c.Catalogue.Swap(ctx, nil, []history.Record{{Key: "e", Value: record.NumberValue(1)}})
		}
		deleted = deleted || changes[0].Key == string(record.CommitKey(first))
		return nil
	}
	got, err := s.Purge(ctx, "b", 0)
	if err != nil || got.Worlds != 1 || got.Commits != 1 || got.Stones != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if !disturbed {
		t.Error("it was not disturbed")
	}
	c.before = free
	if _, err := s.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
		t.Error(err)
	}
}
