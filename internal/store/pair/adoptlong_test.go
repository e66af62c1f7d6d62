package pair_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// histories returns archives of a world whose history does not fit into one Swap, by name,
// one of its beginning, and the Store that has all of their stones.
func histories(t *testing.T) (from *pair.Pair, beginning history.Archive, all map[string]history.Archive) {
	t.Helper()
	ctx := t.Context()
	from, all = pair.New(inmemory.NewCatalogue(), inmemory.NewBucket(), pair.Options{}), make(map[string]history.Archive)
	archive := func() history.Archive {
		t.Helper()
		a, err := from.Archive(ctx, history.Outline{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(from.Create(ctx, "a"))
	var head history.Head
	ids := make([]history.ID, 0, 300)
	for i := range cap(ids) {
		head.Commit = save(t, from, "a", head, fmt.Sprint("a", i))
		if ids = append(ids, head.Commit); i == 20 {
			beginning = archive()
		}
	}
	all["a log"] = archive()
	_, err := from.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 3, Hourly: -1}})
	must(err)
	all["a chain below a short log"] = archive()
	packed := stoneOf(t, "packed")
	for _, p := range []history.Pack{{Upto: ids[70], Stone: packed.Ref()}, {After: ids[70], Upto: ids[90], Stone: packed.Ref()}} {
		must(from.PutPack(ctx, "a", p, packed))
	}
	_, err = from.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 3, Hourly: -1}})
	must(err)
	all["packs of commits that are gone"] = archive()
	return from, beginning, all
}

// TestAdoptLong takes in histories that are too long for one Swap, with a Collect between
// any two Swaps. No Swap is large, the store is sound at every moment, and the world is
// there whole or as it was.
func TestAdoptLong(t *testing.T) {
	from, beginning, all := histories(t)
	ctx := t.Context()
	for name, a := range all {
		if len(a.Commits) < 200 {
			t.Fatalf("%s: %d commits", name, len(a.Commits))
		}
		for _, older := range []bool{false, true} {
			to, swaps := newAdopting(t, pair.Options{}), 0
			if older {
				if err := adopt(t, to.Pair, from, beginning); err != nil {
					t.Fatal(err)
				}
			}
			to.c.before = func(changes []history.Record) error {
				if swaps++; len(changes) > 1000 {
					t.Errorf("%s: a Swap of %d changes", name, len(changes))
				}
				if swaps%4 > 0 { // the stones come in many Swaps
					return nil
				}
				beside := to.beside()
				if _, err := beside.Collect(ctx, history.Policy{Keep: history.Retention{All: true}}); err != nil {
					t.Errorf("%s: collect: %v", name, err)
				}
				if r, err := beside.Check(ctx, nil); err != nil || len(r.Faults) > 0 {
					t.Errorf("%s: check: %q, %v", name, r.Faults, err)
				}
				return nil
			}
			if err := adopt(t, to.Pair, from, a); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			to.c.before = func([]history.Record) error { return nil }
			whole(t, to.beside(), a)
			if names, err := to.List(ctx, "", "", 9); err != nil || len(names) != 1 {
				t.Errorf("%s: worlds %q, %v", name, names, err)
			}
			if _, err := to.Collect(ctx, history.Policy{Keep: history.Retention{All: true}}); err != nil {
				t.Error(err)
			}
			whole(t, to.beside(), a)
		}
	}
}

// TestAdoptLongStopped stops the taking in of a history at each of its Swaps. What is left
// of it goes.
func TestAdoptLongStopped(t *testing.T) {
	from, beginning, all := histories(t)
	a, ctx := all["a chain below a short log"], t.Context()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	to := newAdopting(t, pair.Options{Now: func() time.Time { return now }})
	if err := adopt(t, to.Pair, from, beginning); err != nil {
		t.Fatal(err)
	}
	lacks, err := to.Lacks(ctx, archive.Stones(&a))
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range lacks {
		st, release, err := from.ReadStone(ctx, ref.ID)
		if err := errors.Join(err, to.Give(ctx, st), release()); err != nil {
			t.Fatal(err)
		}
	}
	errStop := errors.New("stopped")
	stops := 0
	for at := 1; ; at++ {
		n := 0
		to.c.before = func([]history.Record) error {
			if n++; n >= at {
				return errStop
			}
			return nil
		}
		h, err := to.Head(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		if err = to.Adopt(ctx, a, h); err == nil {
			break
		}
		stops++
		to.c.before = func([]history.Record) error { return nil }
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		whole(t, to.beside(), beginning)
	}
	to.c.before = func([]history.Record) error { return nil }
	whole(t, to.beside(), a)
	if stops < 4 {
		t.Errorf("stopped %d times", stops)
	}
	now = now.Add(25 * time.Hour)
	if _, err := to.Collect(ctx, history.Policy{Keep: history.Retention{All: true}}); err != nil {
		t.Fatal(err)
	}
	whole(t, to.beside(), a)
	if left, err := to.c.Scan(ctx, "t", "u", 9, false); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}
