package disk_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func mustOpen(t testing.TB, dir string, o disk.Options) *disk.Store {
	t.Helper()
	s, err := disk.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustClose(t testing.TB, s *disk.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// mustStone returns a stone that takes some n bytes.
func mustStone(t testing.TB, text string, n int) history.Stone {
	t.Helper()
	noise := make([]byte, n)
	for i, x := 0, uint64(len(text))+7; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		noise[i] = byte(x >> 56)
	}
	var b bytes.Buffer
	spec := stonetest.Spec{
		Properties: []stone.Property{{Key: "text", Value: text}},
		Files:      []stonetest.FileSpec{{Path: "noise", Data: noise}},
	}
	id, err := spec.Write(&b, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// save commits stones on the head.
func save(t testing.TB, s history.Store, name string, stones ...history.Stone) (history.ID, error) {
	h, err := s.Head(t.Context(), name)
	if err != nil {
		return history.ID{}, err
	}
	next := history.Commit{Parent: h.Commit, Base: h.Commit}
	for _, st := range stones {
		next.Stones = append(next.Stones, history.StoneRef{ID: st.ID, Size: int64(len(st.Data))})
	}
	c, err := s.Commit(t.Context(), name, h, next, stones...)
	return c.ID(), err
}

func mustSave(t testing.TB, s history.Store, name string, stones ...history.Stone) history.ID {
	t.Helper()
	id, err := save(t, s, name, stones...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func mustCreate(t testing.TB, s history.Store, name string) {
	t.Helper()
	if err := s.Create(t.Context(), name); err != nil {
		t.Fatal(err)
	}
}

// mustCheck fails the test if the Store has faults.
func mustCheck(t testing.TB, s *disk.Store) disk.Report {
	t.Helper()
	r, err := s.Check(t.Context(), nil)
	if err != nil || len(r.Faults) > 0 {
		t.Fatalf("check: %v, %q", err, r.Faults)
	}
	return r
}

// fill makes a Store with a little of everything and returns the heads.
func fill(t testing.TB, s *disk.Store) map[string]history.ID {
	t.Helper()
	heads := make(map[string]history.ID)
	for i := range 3 {
		name := fmt.Sprint("w", i)
		mustCreate(t, s, name)
		for j := range 4 {
			heads[name] = mustSave(t, s, name, mustStone(t, fmt.Sprint(i, j), 1000*j))
		}
	}
	if err := s.Fork(t.Context(), "w0", heads["w0"], "fork"); err != nil {
		t.Fatal(err)
	}
	heads["fork"] = heads["w0"]
	st := mustStone(t, "pack", 3000)
	p := history.Pack{Upto: heads["w1"], Stone: history.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
	if err := s.PutPack(t.Context(), "w1", p, st); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, s, "deleted")
	if err := s.Delete(t.Context(), "deleted", 0); err != nil {
		t.Fatal(err)
	}
	return heads
}

// wantHeads compares the heads of all worlds and opens what they stand on.
func wantHeads(t testing.TB, s history.Store, want map[string]history.ID) {
	t.Helper()
	for name, id := range want {
		h, err := s.Head(t.Context(), name)
		if err != nil || h.Commit != id {
			t.Fatalf("head of %s: got %v, %v, want %v", name, h.Commit, err, id)
		}
		stack, err := s.Stack(t.Context(), name, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range stack {
			o, err := s.Open(t.Context(), name, l.Stone.ID)
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// step is a clock that goes on by an hour each time that it is looked at.
func step() func() time.Time {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Hour)
		return at
	}
}
