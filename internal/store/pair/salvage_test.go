package pair_test

import (
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestSalvage loses one record or the bytes of one stone after another. What does not need
// it is saved, and the rest is named.
func TestSalvage(t *testing.T) {
	ctx := t.Context()
	c, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	s := pair.New(c, b, pair.Options{Inline: -1, CacheBytes: -1})
	for _, name := range []string{"a", "b", "gone"} {
		if err := s.Create(ctx, name); err != nil {
			t.Fatal(err)
		}
		var head history.Head
		for i := range 3 {
			head.Commit = save(t, s, name, head, fmt.Sprint(name, i))
		}
	}
	if err := s.Delete(ctx, "gone", 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // so that no epoch is left
		t.Fatal(err)
	}
	s = pair.New(c, b, pair.Options{Inline: -1, CacheBytes: -1})
	salvage := func(what string) (worlds int, lost []record.Hurt, unread []string) {
		t.Helper()
		to := pair.New(inmemory.NewCatalogue(), inmemory.NewBucket(), pair.Options{CacheBytes: -1})
		lost, unread, err := s.Salvage(ctx, to)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		r, err := to.Check(ctx, nil)
		if err != nil || len(r.Faults) > 0 {
			t.Fatalf("%s: check: %q, %v", what, r.Faults, err)
		}
		return r.Worlds, lost, unread
	}
	if n, lost, unread := salvage("nothing"); n != 3 || len(lost)+len(unread) > 0 {
		t.Fatalf("nothing is lost: %d worlds, lost %v, unread %q", n, lost, unread)
	}
	found, err := c.Scan(ctx, "", "\xff", 999, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found {
		what := fmt.Sprintf("record %c %x", r.Key[0], r.Key[1:])
		if err := c.Swap(ctx, nil, []history.Record{{Key: r.Key}}); err != nil {
			t.Fatal(err)
		}
		n, lost, unread := salvage(what)
		switch r.Key[0] {
		case record.Names, record.DeletedWorlds, record.Logs, 'u', 'e', record.Spent: // nothing points there
		default:
			if n < 2 || len(lost) != 1 {
				t.Errorf("%s: %d worlds, lost %v, unread %q", what, n, lost, unread)
			}
		}
		if n < 2 || len(lost) > 1 {
			t.Errorf("%s: %d worlds, lost %v, unread %q", what, n, lost, unread)
		}
		if err := c.Swap(ctx, nil, []history.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	bytes, err := b.List(ctx, "", "", 99)
	if err != nil || len(bytes) != 9 {
		t.Fatal(bytes, err)
	}
	lostOne := bytes[0].Key // the others are like it
	if err := b.Delete(ctx, lostOne); err != nil {
		t.Fatal(err)
	}
	if n, lost, unread := salvage(lostOne); n < 2 || len(lost) != 1 || lost[0].Versions != 3 || len(unread) == 0 {
		t.Errorf("%s: %d worlds, lost %v, unread %q", lostOne, n, lost, unread)
	}
}

// TestSalvageNames loses the name of a world in a store that has worlds of a salvage before it,
// and has keys that are too short.
func TestSalvageNames(t *testing.T) {
	ctx := t.Context()
	c, b := inmemory.NewCatalogue(), inmemory.NewBucket()
	s := pair.New(c, b, pair.Options{})
	names := []string{"salvaged/1", "salvaged/2", "salvaged/2-again", "d"}
	for _, name := range names {
		if err := s.Create(ctx, name); err != nil {
			t.Fatal(err)
		}
		save(t, s, name, history.Head{}, name)
	}
	if got, err := c.Get(ctx, string(record.NameKey("d"))); err != nil {
		t.Fatal(err)
	} else if w, err := record.ParseNumber(got[0]); err != nil || s.Rename(ctx, "salvaged/1", fmt.Sprint("salvaged/", w), 0) != nil {
		t.Fatal(err)
	}
	if err := c.Swap(ctx, nil, []history.Record{{Key: string(record.NameKey("d"))}, {Key: "lx", Value: []byte("x")}, {Key: "tx", Value: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	to := pair.New(inmemory.NewCatalogue(), inmemory.NewBucket(), pair.Options{})
	if _, _, err := s.Salvage(ctx, to); err != nil {
		t.Fatal(err)
	}
	if got, err := to.List(ctx, "", "", 9); err != nil || len(got) != len(names) {
		t.Errorf("got %q, %v", got, err)
	}
}
