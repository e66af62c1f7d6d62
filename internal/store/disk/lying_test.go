package disk_test

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// lyingStore fills a Store, and saves stones that are broken in themselves into the world
// "eve", which stays, and into "gone", which is deleted.
func lyingStore(t *testing.T, dir string) (*disk.Store, map[string]history.ID) {
	t.Helper()
	s := mustOpen(t, dir, disk.Options{Now: step(), FileBytes: 2500})
	heads := fill(t, s)
	for i, name := range []string{"eve", "gone"} {
		mustCreate(t, s, name)
		mustSave(t, s, name, mustStone(t, "eve's first", 100))
		b, err := stonetest.Lying(mustStone(t, "broken", 1000*(1+3*i)).Data)
		if err != nil {
			t.Fatal(err)
		}
		mustSave(t, s, name, history.Stone{ID: sha256.Sum256(b), Data: b})
	}
	if err := s.Delete(t.Context(), "gone", 0); err != nil {
		t.Fatal(err)
	}
	return s, heads
}

// hurtByLies is what every report of a lyingStore names.
var hurtByLies = []disk.Hurt{{World: "eve", Versions: 2, Lost: 1, Newest: true}, {World: "gone", Versions: 2, Lost: 1, Newest: true, Deleted: true}}

// Salvage takes the versions below a broken stone, and everything of the others.
func TestLyingSalvage(t *testing.T) {
	dir := t.TempDir()
	s, heads := lyingStore(t, filepath.Join(dir, "store"))
	log, err := s.Log(t.Context(), "eve", history.ID{}, 2)
	if err != nil || len(log) != 2 {
		t.Fatal(log, err)
	}
	mustClose(t, s)
	done, err := disk.Salvage(t.Context(), filepath.Join(dir, "store"), filepath.Join(dir, "left"), disk.Options{})
	if err != nil || !slices.Equal(done.Lost, hurtByLies) || done.Worlds != 7 || len(done.Unread) != 2 {
		t.Fatalf("got %+v, %v", done, err)
	}
	s = mustOpen(t, filepath.Join(dir, "left"), disk.Options{})
	defer mustClose(t, s)
	mustCheck(t, s)
	heads["eve"] = log[1].ID()
	wantHeads(t, s, heads)
}
