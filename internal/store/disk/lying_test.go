package disk_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Stones that are broken in themselves hurt their own worlds: backups are made, older ones
// are removed as ever, and everything is restored.
func TestLyingBackup(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s, heads := lyingStore(t, filepath.Join(dir, "store"))
	first := mustBackUp(t, s, to, 1)
	if !slices.Equal(first.Report.Hurt, hurtByLies) || len(first.Report.Faults) != 2 {
		t.Errorf("got %+v", first.Report)
	}
	heads["w2"] = mustSave(t, s, "w2", mustStone(t, "after", 5000))
	if b := mustBackUp(t, s, to, 1); !slices.Equal(b.Removed, []string{first.Name}) {
		t.Errorf("removed %q, want %q", b.Removed, first.Name)
	}
	mustClose(t, s)
	r, err := disk.Restore(t.Context(), to, filepath.Join(dir, "again"), disk.Options{})
	if err != nil || !slices.Equal(r.Hurt, hurtByLies) || len(r.Lost) > 0 {
		t.Fatalf("restore: %+v, %v", r, err)
	}
	s = mustOpen(t, filepath.Join(dir, "again"), disk.Options{})
	wantHeads(t, s, heads)
	mustClose(t, s)
}

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
	if err != nil || !slices.Equal(done.Lost, hurtByLies[:1]) || !slices.ContainsFunc(done.Unread, func(s string) bool { return strings.Contains(s, `"gone"`) }) {
		t.Fatalf("got %+v, %v", done, err)
	}
	s = mustOpen(t, filepath.Join(dir, "left"), disk.Options{})
	defer mustClose(t, s)
	mustCheck(t, s)
	heads["eve"] = log[1].ID()
	wantHeads(t, s, heads)
}

// A Store whose bytes are damaged is backed up as far as it can be read, and removes no
// older backup. What is damaged in a backup costs only the worlds whose bytes it holds.
func TestBackupOfDamaged(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{Now: step(), FileBytes: 2500})
	heads := fill(t, s)
	first := mustBackUp(t, s, to, 1)
	id := mustStone(t, fmt.Sprint(2, 3), 3000).ID.String() // the newest of w2
	damage(t, filepath.Join(dir, "store", "stones", id[:2]))
	b := mustBackUp(t, s, to, 1)
	mustClose(t, s)
	hurt := []disk.Hurt{{World: "w2", Versions: 4, Lost: 1, Newest: true}}
	if len(b.Report.Faults) != 1 || !slices.Equal(b.Report.Hurt, hurt) || len(b.Removed) > 0 {
		t.Errorf("got %+v", b)
	}
	if got := listOf(t, to); !slices.Equal(got, []string{first.Name, b.Name}) {
		t.Errorf("backups: %q", got)
	}
	r, err := disk.Restore(t.Context(), to, filepath.Join(dir, "again"), disk.Options{})
	if err != nil || !slices.Equal(r.Lost, hurt) || len(r.Faults) > 0 || r.Backup != filepath.Join(to, b.Name) {
		t.Fatalf("restore: %+v, %v", r, err)
	}
	delete(heads, "w2")
	s = mustOpen(t, filepath.Join(dir, "again"), disk.Options{})
	mustCheck(t, s)
	wantHeads(t, s, heads)
	mustClose(t, s)
	if _, err := os.Stat(filepath.Join(dir, "again.partial")); err == nil {
		t.Error("a part is left behind")
	}
}
