package pair_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// adopting is a Store that takes in archives of another one.
type adopting struct {
	*pair.Pair
	t *testing.T
	c *watched
	b *inmemory.Bucket
}

func newAdopting(t *testing.T, o pair.Options) *adopting {
	a := &adopting{t: t, c: &watched{Catalogue: inmemory.NewCatalogue()}, b: inmemory.NewBucket()}
	a.c.before = func([]history.Record) error { return nil }
	a.Pair = pair.New(a.c, a.b, o)
	return a
}

// run returns the Collect that may delete things.
func (a *adopting) run() string {
	a.t.Helper()
	b, err := a.c.Get(a.t.Context(), "e")
	if err != nil {
		a.t.Fatal(err)
	}
	return string(b[0])
}

// beside returns another Store on the same halves, whose Swaps are not watched.
func (a *adopting) beside() *pair.Pair { return pair.New(a.c.Catalogue, a.b, pair.Options{}) }

// adopt gives a Store what it lacks of an archive and lets it adopt it.
func adopt(t *testing.T, to *pair.Pair, from *pair.Pair, a history.Archive) error {
	t.Helper()
	var base history.Head
	if h, err := to.Head(t.Context(), a.Name); err == nil {
		base = h
	}
	lacks, err := to.Lacks(t.Context(), archive.Stones(&a))
	if err != nil {
		return err
	}
	for _, ref := range lacks {
		st, release, err := from.ReadStone(t.Context(), ref.ID)
		if err != nil {
			return err
		}
		if err := errors.Join(to.Give(t.Context(), st), release()); err != nil {
			return err
		}
	}
	return to.Adopt(t.Context(), a, history.Head{Commit: base.Commit, Fence: history.Force})
}

// states returns archives of a world at several times, by name, and the Store that has
// all of their stones.
func states(t *testing.T) (*pair.Pair, map[string]history.Archive) {
	t.Helper()
	s, out := pair.New(inmemory.NewCatalogue(), inmemory.NewBucket(), pair.Options{}), make(map[string]history.Archive)
	take := func(as, name string) {
		t.Helper()
		a, err := s.Archive(t.Context(), history.Outline{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		out[as] = a
	}
	if err := s.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	var head history.Head
	for i := range 6 {
		head.Commit = save(t, s, "a", head, fmt.Sprint("a", i))
		switch i {
		case 1:
			take("short", "a")
		case 3:
			take("middle", "a")
		}
	}
	take("long", "a")
	if err := s.Fork(t.Context(), "a", head.Commit, "fork"); err != nil {
		t.Fatal(err)
	}
	take("fork", "fork")
	// Each of the next versions is a whole world, so only the log leads to it.
	for i := range 3 {
		st := stoneOf(t, fmt.Sprint("whole", i))
		c, err := s.Commit(t.Context(), "a", head, history.Commit{Parent: head.Commit, Stones: []history.StoneRef{st.Ref()}, Message: fmt.Sprint(i)}, st)
		if err != nil {
			t.Fatal(err)
		}
		head = history.Head{Commit: c.ID()}
	}
	take("wholes", "a")
	st := stoneOf(t, "packed")
	if err := s.PutPack(t.Context(), "a", history.Pack{Upto: out["long"].Head.Commit, Stone: st.Ref()}, st); err != nil {
		t.Fatal(err)
	}
	take("packed", "a")
	return s, out
}

// whole fails the test unless a Store is sound and has the world of an archive.
func whole(t *testing.T, s *pair.Pair, a history.Archive) {
	t.Helper()
	if r, err := s.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Fatalf("check: got %q, %v", r.Faults, err)
	}
	got, err := s.Archive(t.Context(), history.Outline{Name: a.Name})
	if err != nil || archive.Sum(&got) != archive.Sum(&a) {
		t.Fatalf("archive: got %v, %v, want %v", got.Log, err, a.Log)
	}
}

// TestAdoptDisturbs adopts a world again and again, as a migration does. Only what the
// world did not reach before makes a Collect start again.
func TestAdoptDisturbs(t *testing.T) {
	from, states := states(t)
	for _, tt := range []struct {
		before string // archives that were adopted before, one after another
		trim   bool
		next   string
		want   bool
	}{
		{"", false, "short", false},
		{"short", false, "middle", false},
		{"short", false, "short", false},
		{"middle", false, "long", false},
		{"long", false, "short", false},
		{"middle", true, "long", false}, // what is below the head is there
		{"long", false, "wholes", false},
		{"wholes", false, "wholes", false},
		{"wholes", true, "wholes", false},   // what the trim took is made anew
		{"long short", false, "long", true}, // the rest may be going
		{"wholes long", false, "wholes", true},
		{"wholes", false, "packed", false},
		{"packed", false, "packed", false},
		{"packed", false, "wholes", false},
		{"long", false, "fork", true}, // another world
	} {
		t.Run(fmt.Sprint(tt.before, tt.trim, tt.next), func(t *testing.T) {
			a := newAdopting(t, pair.Options{})
			for _, before := range strings.Fields(tt.before) {
				if err := adopt(t, a.Pair, from, states[before]); err != nil {
					t.Fatal(err)
				}
			}
			if tt.trim {
				if _, err := a.Collect(t.Context(), history.Policy{Keep: one, Grace: -1}); err != nil {
					t.Fatal(err)
				}
			}
			was := a.run()
			if err := adopt(t, a.Pair, from, states[tt.next]); err != nil || a.run() != was != tt.want {
				t.Errorf("disturbs: got %v, %v", a.run() != was, err)
			}
			whole(t, a.beside(), states[tt.next])
		})
	}
}

// TestAdoptBeside lets a Store adopt every archive after every other one between any two
// Swaps of a Collect.
func TestAdoptBeside(t *testing.T) {
	long.Alone(t)
	from, states := states(t)
	names := []string{"short", "middle", "long", "wholes", "packed"}
	for _, keep := range []history.Retention{{All: true}, one} {
		for _, garbage := range names {
			for _, before := range names {
				for _, next := range names {
					for stop, n := 0, 1; stop < n; stop++ {
						a := newAdopting(t, pair.Options{})
						for _, name := range []string{garbage, before} {
							if err := adopt(t, a.Pair, from, states[name]); err != nil {
								t.Fatal(err)
							}
						}
						n = 0
						a.c.before = func([]history.Record) error {
							if n++; n != stop+1 {
								return nil
							}
							return adopt(t, a.beside(), from, states[next])
						}
						if _, err := a.Collect(t.Context(), history.Policy{Keep: keep, Grace: -1}); err != nil {
							t.Fatal(err)
						}
						if keep.All {
							whole(t, a.beside(), states[next])
						} else if r, err := a.beside().Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
							t.Fatalf("%s, %s, %s, stop %d: check: got %q, %v", garbage, before, next, stop, r.Faults, err)
						}
					}
				}
			}
		}
	}
}

// TestAdoptTrimmed lets a Collect trim a log, and mark, between the moment in which Adopt
// reads the log and its Swap. The Collect deletes afterwards.
func TestAdoptTrimmed(t *testing.T) {
	from, states := states(t)
	a := newAdopting(t, pair.Options{})
	if err := adopt(t, a.Pair, from, states["wholes"]); err != nil {
		t.Fatal(err)
	}
	marked, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
	c := &watched{Catalogue: a.c.Catalogue}
	c.before = func(changes []history.Record) error {
		if changes[0].Key[0] == 'c' && changes[0].Value == nil {
			c.before = func([]history.Record) error { return nil }
			close(marked)
			<-goOn
		}
		return nil
	}
	a.c.before = func([]history.Record) error {
		a.c.before = func([]history.Record) error { return nil }
		go func() {
			_, err := pair.New(c, a.b, pair.Options{}).Collect(t.Context(), history.Policy{Keep: one, Grace: -1})
			done <- err
		}()
		<-marked
		return nil
	}
	if err := a.Adopt(t.Context(), states["wholes"], history.Head{Commit: states["wholes"].Head.Commit, Fence: history.Force}); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	whole(t, a.beside(), states["wholes"])
}

// TestDisturbedForLong disturbs a Collect whenever it deletes something: it ends, and does
// all that does not depend on it.
func TestDisturbedForLong(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a := newAdopting(t, pair.Options{Now: func() time.Time { return at }})
	if err := a.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	head := history.Head{Commit: save(t, a, "a", history.Head{}, "one")}
	if _, err := a.Commit(t.Context(), "a", head, history.Commit{Parent: head.Commit}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Claim(t.Context(), "job", "ann", 0, time.Minute); err != nil {
		t.Fatal(err)
	}
	at = at.Add(100 * 24 * time.Hour)
	runs := 0
	a.c.before = func(changes []history.Record) error {
		if changes[0].Key[0] != 'c' {
			return nil
		}
		runs++
		at = at.Add(7 * time.Minute)
		return a.c.Catalogue.Swap(t.Context(), nil, []history.Record{{Key: "e", Value: make([]byte, 8)}})
	}
	done, err := a.Collect(t.Context(), history.Policy{Keep: one})
	if err != nil || done.Commits != 1 || runs > 2*10 {
		t.Errorf("got %+v, %v after %d tries", done, err, runs)
	}
	if got, err := a.beside().CheckRecords(t.Context()); err != nil || got.Commits != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	if found, err := a.c.Scan(t.Context(), "j", "k", 9, false); err != nil || len(found) != 1 || found[0].Key != "jlist" {
		t.Errorf("jobs: got %q, %v", found, err)
	}
}
