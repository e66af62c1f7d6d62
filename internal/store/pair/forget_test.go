package pair_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// copyOf returns a catalogue with the same records.
func copyOf(t testing.TB, c history.Catalogue) *inmemory.Catalogue {
	t.Helper()
	all, err := c.Scan(t.Context(), "", "\xff", 1e9, false)
	into := inmemory.NewCatalogue()
	if err = errors.Join(err, into.Swap(t.Context(), nil, all)); err != nil {
		t.Fatal(err)
	}
	return into
}

// TestLongLogs removes worlds with long logs. It stops before each Swap.
// No Swap is large, the records are sound at every moment, and a Collect removes what is
// left.
func TestLongLogs(t *testing.T) {
	long.Alone(t)
	const versions, most = 1300, 520
	all := history.Retention{All: true}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := inmemory.NewBucket()
	open := func(c history.Catalogue, b blob.Bucket, after time.Duration) *pair.Pair {
		return pair.New(c, b, pair.Options{Now: func() time.Time { return at.Add(after) }})
	}
	living := inmemory.NewCatalogue()
	s := open(living, b, 0)
	var head history.Head
	for i := range versions {
		var err error
		if i == 0 {
			err = s.Create(t.Context(), "a")
		}
		c, err2 := s.Commit(t.Context(), "a", head, history.Commit{Parent: head.Commit, Base: head.Commit, Message: fmt.Sprint(i)})
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		head.Commit = c.ID()
	}
	_, err := s.Lease(t.Context(), "a", "ann", time.Minute)
	deleted := copyOf(t, living)
	if err := errors.Join(err, open(deleted, b, 0).Delete(t.Context(), "a", history.Force)); err != nil {
		t.Fatal(err)
	}
	week := history.Policy{Keep: all, Grace: -1}
	for _, tt := range []struct {
		name   string
		from   history.Catalogue
		after  time.Duration
		remove func(*pair.Pair) error
		fast   bool // nobody can have the world back
	}{
		{"Collect", deleted, 8 * 24 * time.Hour, func(s *pair.Pair) error {
			done, err := s.Collect(t.Context(), week)
			if err == nil && done.Worlds != 1 {
				err = fmt.Errorf("got %+v", done)
			}
			return err
		}, false},
		{"Purge", living, 0, func(s *pair.Pair) error {
			done, err := s.Purge(t.Context(), "a", history.Force)
			if err == nil && (done.Worlds != 1 || done.Commits != versions) {
				err = fmt.Errorf("got %+v", done)
			}
			return err
		}, true},
		{"Purge of a deleted one", deleted, 0, func(s *pair.Pair) error {
			done, err := s.Purge(t.Context(), "a", history.Force)
			if err == nil && (done.Worlds != 1 || done.Commits != versions) {
				err = fmt.Errorf("got %+v", done)
			}
			return err
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stops := 0
			for ; ; stops++ {
				m, n, reached := copyOf(t, tt.from), 0, false
				c := &watched{m, func(changes []history.Record) error {
					if len(changes) > most {
						t.Errorf("a Swap of %d records", len(changes))
					}
					if n++; n <= stops {
						return nil
					}
					reached = true
					return errStopped
				}}
				err := tt.remove(open(c, inmemory.NewBucket(), tt.after))
				if !reached {
					if err != nil {
						t.Fatal(err)
					}
					empty(t, m)
					break
				}
				if !errors.Is(err, errStopped) {
					t.Fatalf("stop %d: got %v", stops, err)
				}
				after := open(m, inmemory.NewBucket(), tt.after)
				if r, err := after.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
					t.Fatalf("stop %d: check: got %q, %v", stops, r.Faults, err)
				}
				if tt.fast && stops > 0 {
					head, undelete := second(after.Head(t.Context(), "a")), after.Undelete(t.Context(), "a")
					if !errors.Is(head, history.ErrNoWorld) || !errors.Is(undelete, history.ErrNoWorld) {
						t.Errorf("stop %d: got %v, %v", stops, head, undelete)
					}
					err := after.Outlines(t.Context(), func(o history.Outline) error { return fmt.Errorf("there is %+v", o) })
					if err != nil {
						t.Errorf("stop %d: %v", stops, err)
					}
				}
				if tt.fast && stops == 0 {
					continue // it is all there
				}
				if _, err := after.Collect(t.Context(), week); err != nil {
					t.Fatal(err)
				}
				empty(t, m)
			}
			if stops < 4 {
				t.Errorf("%d stops", stops)
			}
		})
	}
}

var errStopped = errors.New("stopped")

// empty fails the test if there are records of worlds or commits.
func empty(t *testing.T, c history.Catalogue) {
	t.Helper()
	for _, kind := range "nthlocp" {
		found, err := c.Scan(t.Context(), string(kind), string(kind+1), 9, false)
		if err != nil || len(found) > 0 {
			t.Fatalf("kind %c: %q, %v", kind, found, err)
		}
	}
}

// TestRestoredMeanwhile restores a world while a Collect removes its long log: it has
// its newest versions.
func TestRestoredMeanwhile(t *testing.T) {
	const versions = 1300
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	c, b := &watched{Catalogue: inmemory.NewCatalogue()}, inmemory.NewBucket()
	s, beside := pair.New(c, b, pair.Options{Now: now}), pair.New(c.Catalogue, b, pair.Options{Now: now})
	if err := beside.Create(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	var head history.Head
	for i := range versions {
		saved, err := beside.Commit(t.Context(), "a", head, history.Commit{Parent: head.Commit, Base: head.Commit, Message: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		head.Commit = saved.ID()
	}
	if err := beside.Delete(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	at = at.Add(8 * 24 * time.Hour)
	n := 0
	c.before = func([]history.Record) error {
		if n++; n == 2 {
			return beside.Undelete(t.Context(), "a")
		}
		return nil
	}
	done, err := s.Collect(t.Context(), history.Policy{Keep: history.Retention{All: true}, Grace: -1})
	if err != nil || done.Worlds != 0 {
		t.Errorf("collect: got %+v, %v", done, err)
	}
	log, err := beside.Log(t.Context(), "a", history.ID{}, versions)
	if err != nil || len(log) != versions-512 || log[0].ID() != head.Commit {
		t.Errorf("log: %d versions, %v", len(log), err)
	}
	if r, err := beside.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("check: got %q, %v", r.Faults, err)
	}
}
