package pair_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// listed is a bucket that calls before ahead of each List.
type listed struct {
	*inmemory.Bucket
	before func()
}

func (b listed) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	b.before()
	return b.Bucket.List(ctx, prefix, after, n)
}

// TestLongList lists a bucket that takes long: nobody else lists it meanwhile. If
// somebody took the job all the same, the list ends.
func TestLongList(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprint("Lost", lost), func(t *testing.T) {
			ctx := t.Context()
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			o := pair.Options{Now: func() time.Time { return at }}
			c, b := inmemory.NewCatalogue(), inmemory.NewBucket()
			for i := range 3500 { // of no Store
				if err := b.Put(ctx, fmt.Sprintf("%06d", i), io.NewSectionReader(bytes.NewReader(nil), 0, 0)); err != nil {
					t.Fatal(err)
				}
			}
			beside := pair.New(c, b, o)
			lists := 0
			s := pair.New(c, listed{b, func() {
				lists++
				at = at.Add(25 * time.Minute)
				if lost {
					at = at.Add(time.Hour)
				}
				if got, err := beside.Claim(ctx, "list", "another", 0, time.Hour); err != nil || got != lost {
					t.Errorf("list %d: the claim of another: got %v, %v", lists, got, err)
				}
			}}, o)
			if _, err := s.Collect(ctx, history.Policy{}); err != nil {
				t.Error(err)
			}
			if want := map[bool]int{false: 5, true: 1}[lost]; lists != want {
				t.Errorf("%d lists, want %d", lists, want)
			}
		})
	}
}

// TestAlone waits for a Collect no longer than its context.
func TestAlone(t *testing.T) {
	collecting, goOn := make(chan struct{}), make(chan struct{})
	c := &watched{inmemory.NewCatalogue(), func([]history.Record) error {
		close(collecting) // it swaps once: there is nothing to collect
		<-goOn
		return nil
	}}
	s := pair.New(c, inmemory.NewBucket(), pair.Options{})
	done := make(chan error)
	go func() {
		_, err := s.Collect(t.Context(), history.Policy{})
		done <- err
	}()
	<-collecting
	c.before = func([]history.Record) error { return nil }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, err := range map[string]error{
		"purge":   second(s.Purge(ctx, "a", 0)),
		"collect": second(s.Collect(ctx, history.Policy{})),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// one keeps the newest commit.
var one = history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}

// TestTrimBeside replaces a log by a shorter one, and saves to another world, between
// the snapshot of a Collect and the Swap that trims both logs.
func TestTrimBeside(t *testing.T) {
	ctx := t.Context()
	c, b := &watched{Catalogue: inmemory.NewCatalogue()}, inmemory.NewBucket()
	c.before = func([]history.Record) error { return nil }
	s, beside := pair.New(c, b, pair.Options{}), pair.New(c.Catalogue, b, pair.Options{})
	heads := make(map[string]history.Head)
	var short history.Archive
	for _, name := range []string{"short", "busy"} {
		if err := s.Create(ctx, name); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			heads[name] = history.Head{Commit: save(t, s, name, heads[name], fmt.Sprint(name, i))}
			if i == 1 && name == "short" {
				var err error
				if short, err = s.Archive(ctx, history.Outline{Name: name}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	c.before = func(changes []history.Record) error {
		if changes[0].Key[0] != 'l' {
			return nil
		}
		c.before = func([]history.Record) error { return nil }
		heads["busy"] = history.Head{Commit: save(t, beside, "busy", heads["busy"], "meanwhile")}
		return beside.Adopt(ctx, short, heads["short"])
	}
	done, err := s.Collect(ctx, history.Policy{Keep: one, Grace: -1})
	if err != nil || done.Commits != 4 {
		t.Errorf("collect: got %+v, %v, want 4 commits of the busy world", done, err)
	}
	if r, err := beside.Check(ctx, nil); err != nil || len(r.Faults) > 0 {
		t.Errorf("check: got %q, %v", r.Faults, err)
	}
	if log, err := beside.Log(ctx, "short", history.ID{}, 9); err != nil || len(log) != 2 || log[0].ID() != short.Head.Commit {
		t.Errorf("log: got %v, %v", log, err)
	}
	if done, err := s.Collect(ctx, history.Policy{Keep: one, Grace: -1}); err != nil || done.Commits != 2 {
		t.Errorf("the next collect: got %+v, %v, want a commit of each", done, err)
	}
	for _, name := range []string{"short", "busy"} {
		if _, err := beside.Fetch(ctx, name, history.ID{}, 1<<20); err != nil {
			t.Error(err)
		}
	}
}
