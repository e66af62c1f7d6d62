package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// step is a clock that goes on by an hour each time that it is looked at.
func step() func() time.Time {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Hour)
		return at
	}
}

func mustBackUp(t *testing.T, s *disk.Store, to string, keep int) disk.Backed {
	t.Helper()
	b, err := s.Backup(t.Context(), to, disk.BackupOptions{Keep: history.Keep{Newest: keep}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func listOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestBackup(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{Now: step(), FileBytes: 2500})
	first := fill(t, s)
	b1 := mustBackUp(t, s, to, 2)
	if b1.Report.Worlds != 5 || b1.Shared != 0 || b1.New == 0 {
		t.Errorf("first: got %+v", b1)
	}
	second := map[string]history.ID{"w2": mustSave(t, s, "w2", mustStone(t, "after", 5000))}
	b2 := mustBackUp(t, s, to, 2)
	if b2.Shared == 0 || b2.New > b1.New+10_000 {
		t.Errorf("second: got %+v after %+v", b2, b1)
	}
	if got := listOf(t, to); !slices.Equal(got, []string{b1.Name, b2.Name}) {
		t.Errorf("backups: got %q, want %q and %q", got, b1.Name, b2.Name)
	}
	mustRestore(t, filepath.Join(to, b1.Name), filepath.Join(dir, "one"), first)
	b3 := mustBackUp(t, s, to, 2)
	if !slices.Equal(b3.Removed, []string{b1.Name}) || !slices.Equal(listOf(t, to), []string{b2.Name, b3.Name}) {
		t.Errorf("third: got %+v, and %q stay", b3, listOf(t, to))
	}
	mustClose(t, s)
	mustRestore(t, to, filepath.Join(dir, "two"), second)
	if got := listOf(t, filepath.Join(dir, "store")); slices.Contains(got, "checkpoint.partial") {
		t.Errorf("left in the store: %q", got)
	}
}

// mustRestore restores a backup, which then lives on.
func mustRestore(t *testing.T, from, to string, heads map[string]history.ID) {
	t.Helper()
	if r, err := disk.Restore(t.Context(), from, to, disk.Options{}); err != nil || r.Worlds != 5 {
		t.Fatalf("restore: %+v, %v", r, err)
	}
	s := mustOpen(t, to, disk.Options{})
	wantHeads(t, s, heads)
	mustCheck(t, s)
	mustSave(t, s, "w0", mustStone(t, "after the restore", 100))
	mustClose(t, s)
}

func TestBackupOfAnother(t *testing.T) {
	long.Alone(t)
	dir, to := t.TempDir(), t.TempDir()
	now := step()
	for i := range 2 { // whose files have the same names
		s := mustOpen(t, filepath.Join(dir, fmt.Sprint(i)), disk.Options{Now: now})
		mustCreate(t, s, "w")
		for j := range 9 {
			mustSave(t, s, "w", mustStone(t, fmt.Sprint(i, j), 1<<20-5000))
		}
		mustClose(t, s) // a Store that is opened has all that it had in tables
		s = mustOpen(t, filepath.Join(dir, fmt.Sprint(i)), disk.Options{Now: now})
		if b := mustBackUp(t, s, to, 0); b.Shared > 0 {
			t.Errorf("store %d shares %d bytes with another", i, b.Shared)
		}
		mustClose(t, s)
	}
}

func TestBackupRefused(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{Now: step(), FileBytes: 2500})
	fill(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Backup(ctx, to, disk.BackupOptions{Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it is verified: got %v", err)
	}
	if got := listOf(t, to); len(got) > 0 {
		t.Errorf("left behind: %q", got)
	}
	for _, in := range []string{"store", "store/backups", "store/../store/db"} {
		if _, err := s.Backup(t.Context(), filepath.Join(dir, in), disk.BackupOptions{}); err == nil {
			t.Errorf("a backup into the store, at %s, was made", in)
		}
	}
	mustClose(t, s)
}

// damage changes a byte of the first file below dir.
func damage(t *testing.T, dir string) {
	t.Helper()
	done := errors.New("done")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b[len(b)/2] ^= 1
		return errors.Join(os.WriteFile(path, b, 0o666), done)
	})
	if !errors.Is(err, done) {
		t.Fatalf("damage: %v", err)
	}
}

func TestRestoreRefused(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{Now: step(), FileBytes: 2500})
	fill(t, s)
	mustBackUp(t, s, filepath.Join(dir, "backups"), 0)
	mustClose(t, s)
	if _, err := disk.Restore(t.Context(), filepath.Join(dir, "backups"), filepath.Join(dir, "store"), disk.Options{}); err == nil {
		t.Error("onto a store: got no error")
	}
	if _, err := disk.Restore(t.Context(), t.TempDir(), filepath.Join(dir, "new"), disk.Options{}); err == nil {
		t.Error("from nothing: got no error")
	}
	if got := listOf(t, dir); !slices.Equal(got, []string{"backups", "store"}) {
		t.Errorf("left behind: %q", got)
	}
}

func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{FileBytes: 2500})
	heads := fill(t, s)
	to := filepath.Join(dir, "copy")
	if err := s.Checkpoint(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := s.Checkpoint(t.Context(), to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto another: got %v, want %v", err, fs.ErrExist)
	}
	for name := range heads { // nothing of it is needed by the copy
		if err := s.Delete(t.Context(), name, 0); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := s.Collect(t.Context(), history.Policy{Grace: -1, Deleted: -1}); err != nil || c.Stones == 0 {
		t.Fatalf("collect: %+v, %v", c, err)
	}
	mustClose(t, s)
	c := mustOpen(t, to, disk.Options{ReadOnly: true})
	wantHeads(t, c, heads)
	mustCheck(t, c)
	mustClose(t, c)
}
