package pair_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// epochsIn returns how many epochs have records.
func epochsIn(t testing.TB, c history.Catalogue) int {
	t.Helper()
	found, err := c.Scan(t.Context(), "x", "y", 99, false)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestEpochsEnd shows what ends the epochs of a Store. A process that did not die never
// causes a list of all bytes.
func TestEpochsEnd(t *testing.T) {
	type env struct {
		*pair.Pair
		c    *inmemory.Catalogue
		at   time.Time
		head history.Head
	}
	collect := func(t *testing.T, e *env) {
		t.Helper()
		if _, err := e.Collect(t.Context(), history.Policy{}); err != nil {
			t.Error(err)
		}
	}
	closes := func(t *testing.T, e *env) {
		t.Helper()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *env)
		want int
	}{
		{"nothing", func(*testing.T, *env) {}, 1},
		{"Close", closes, 0},
		{"Collect soon", func(t *testing.T, e *env) {
			e.at = e.at.Add(9 * time.Minute)
			collect(t, e)
		}, 1},
		{"Collect later", func(t *testing.T, e *env) {
			e.at = e.at.Add(2 * time.Hour)
			collect(t, e)
		}, 0},
		{"the next epoch", func(t *testing.T, e *env) {
			e.at = e.at.Add(time.Hour)
			e.head.Commit = save(t, e, "a", e.head, "two")
		}, 1},
		{"a clock that is set back a little", func(t *testing.T, e *env) {
			e.at = e.at.Add(-time.Second)
			e.head.Commit = save(t, e, "a", e.head, "two")
		}, 1},
		{"no numbers in the midst of a save", func(t *testing.T, e *env) {
			pair.SpendNumbers(e.Pair, 1)
			e.head.Commit = save(t, e, "a", e.head, "two", "three")
			closes(t, e)
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := &counts{n: make(map[string]int)}
			e := &env{c: inmemory.NewCatalogue(), at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			e.Pair = pair.New(e.c, countedBucket{inmemory.NewBucket(), n}, pair.Options{Now: func() time.Time { return e.at }, Inline: -1})
			collect(t, e) // lists, as the first one does
			if err := e.Create(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			e.head.Commit = save(t, e, "a", e.head, "one")
			_ = n.String()
			tt.end(t, e)
			if got := epochsIn(t, e.c); got != tt.want {
				t.Errorf("%d epochs, want %d", got, tt.want)
			}
			after := pair.New(e.c, countedBucket{inmemory.NewBucket(), n}, pair.Options{Now: func() time.Time { return e.at.Add(2 * time.Hour) }})
			if _, err := after.Collect(t.Context(), history.Policy{}); err != nil {
				t.Error(err)
			}
			if n.n["List"] > 0 != (tt.want > 0) {
				t.Errorf("%d lists with %d epochs", n.n["List"], tt.want)
			}
		})
	}
}

// TestOneEpoch begins saves whose times are a little below the begin of the epoch: they
// begin no epochs of their own.
func TestOneEpoch(t *testing.T) {
	n := &counts{n: make(map[string]int)}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := pair.New(countedCatalogue{inmemory.NewCatalogue(), n}, inmemory.NewBucket(), pair.Options{Now: func() time.Time {
		at = at.Add(-time.Millisecond)
		return at
	}, Inline: -1})
	if err := s.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	head := history.Head{Commit: save(t, s, "a", history.Head{}, "one")}
	_ = n.String()
	save(t, s, "a", head, "two")
	if got := n.String(); got != "1 swap" {
		t.Errorf("got %s", got)
	}
}

// closing is a catalogue that does not answer when away is set.
type closing struct {
	*inmemory.Catalogue
	away          error
	swaps, closed int
	bounded       bool // the last Swap had a time-out
}

func (c *closing) Swap(ctx context.Context, conditions, changes []history.Record) error {
	c.swaps++
	_, c.bounded = ctx.Deadline()
	if c.away != nil {
		return c.away
	}
	return c.Catalogue.Swap(ctx, conditions, changes)
}

func (c *closing) Close() error {
	c.closed++
	return nil
}

// TestClose closes Stores whose catalogue is away, and one that never saved.
func TestClose(t *testing.T) {
	c := &closing{Catalogue: inmemory.NewCatalogue()}
	s := pair.New(c, inmemory.NewBucket(), pair.Options{Inline: -1})
	if err := s.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	save(t, s, "a", history.Head{}, "one")
	c.away, c.swaps = errors.New("no answer"), 0
	if err := s.Close(); err != nil || c.swaps != 1 || !c.bounded || c.closed != 1 {
		t.Errorf("got %v, %d swaps, time-out %v, closed %d", err, c.swaps, c.bounded, c.closed)
	}
	c.swaps = 0
	if err := pair.New(c, inmemory.NewBucket(), pair.Options{}).Close(); err != nil || c.swaps != 0 {
		t.Errorf("a Pair that never saved: got %v, %d swaps", err, c.swaps)
	}
}
