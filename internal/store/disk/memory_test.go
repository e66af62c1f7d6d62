package disk_test

import (
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestLogBytes checks that the log leaves room in a small cache, which would otherwise hold nothing.
func TestLogBytes(t *testing.T) {
	for _, tt := range []struct {
		cache int64
		want  int
	}{{0, 32 << 20}, {1 << 30, 32 << 20}, {56 << 20, 7 << 20}, {1, 1 << 20}} {
		s := mustOpen(t, t.TempDir(), disk.Options{CacheBytes: tt.cache})
		if s.LogBytes != tt.want {
			t.Errorf("a cache of %d bytes: got a log of %d, want %d", tt.cache, s.LogBytes, tt.want)
		}
		mustClose(t, s)
	}
}

// TestFetchAfter fetches what the Store remembers, and then after each thing that
// changes it.
func TestFetchAfter(t *testing.T) {
	s := mustOpen(t, t.TempDir(), disk.Options{})
	defer mustClose(t, s)
	heads := fill(t, s)
	layers := func(name string, want int) {
		t.Helper()
		for range 2 {
			f, err := s.Fetch(t.Context(), name, history.ID{}, 1<<20)
			if err != nil || len(f.Layers) != want || f.Head.Commit != heads[name] {
				t.Fatalf("%s: got %d layers of %v, %v: want %d of %v", name, len(f.Layers), f.Head.Commit, err, want, heads[name])
			}
			for i, l := range f.Layers {
				if int64(len(f.Data[i])) != l.Stone.Size {
					t.Errorf("%s: layer %d has %d bytes: want %d", name, i, len(f.Data[i]), l.Stone.Size)
				}
			}
		}
	}
	layers("w0", 4)
	layers("fork", 4)
	st := mustStone(t, "of w0", 10)
	p := history.Pack{Upto: heads["w0"], Stone: history.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
	if err := s.PutPack(t.Context(), "w0", p, st); err != nil {
		t.Fatal(err)
	}
	layers("w0", 1)
	layers("fork", 1)
	heads["fork"] = mustSave(t, s, "fork", mustStone(t, "on the fork", 10))
	layers("fork", 2)

	if err := s.Rename(t.Context(), "w0", "other", 0); err != nil {
		t.Fatal(err)
	}
	heads["other"] = heads["w0"]
	mustCreate(t, s, "w0")
	heads["w0"] = mustSave(t, s, "w0", mustStone(t, "new", 10))
	layers("w0", 1)
	layers("other", 1)
	if err := s.Delete(t.Context(), "w0", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fetch(t.Context(), "w0", history.ID{}, 0); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("deleted: %v", err)
	}
	mustCreate(t, s, "w0")
	heads["w0"] = history.ID{}
	layers("w0", 0)
	if _, err := s.Purge(t.Context(), "other", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fetch(t.Context(), "other", history.ID{}, 0); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("purged: %v", err)
	}
	layers("fork", 2)
	if _, err := s.Purge(t.Context(), "fork", 0); err != nil {
		t.Fatal(err)
	}
	mustCreate(t, s, "fork")
	heads["fork"] = mustSave(t, s, "fork", mustStone(t, "00", 0)) // its stone was purged
	layers("fork", 1)
	mustCheck(t, s)
}
