package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// kind is a Kind of Stores with the options; what becomes of the directory of
// one is found by the Store.
func kind(on func() vfs.FS, dir func(t *testing.T) string, fileBytes int) storetest.Kind {
	type place struct {
		fs  vfs.FS
		dir string
	}
	places := make(map[history.Store]place)
	open := func(t *testing.T, p place, now func() time.Time) history.Store {
		s := mustOpen(t, p.dir, disk.Options{Now: now, FS: p.fs, FileBytes: fileBytes, CacheBytes: 1 << 20})
		places[s] = p
		return s
	}
	return storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store {
			return open(t, place{on(), dir(t)}, now)
		},
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, places[s], now)
		},
	}
}

func TestStore(t *testing.T) {
	here := func(*testing.T) string { return "store" }
	mem := func() vfs.FS { return vfs.NewMem() }
	disk := func() vfs.FS { return vfs.Default }
	for name, k := range map[string]storetest.Kind{
		"Memory": kind(mem, here, 0),
		"Files":  kind(mem, here, 1),
		"Disk":   kind(disk, func(t *testing.T) string { return t.TempDir() }, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a disk keeps its test waiting
			storetest.Run(t, k)
		})
	}
}

// TestLinear holds leases to what a Store may say while many ask it.
func TestLinear(t *testing.T) {
	rounds := long.By(3000, 9500, 9500)
	if testing.Short() {
		rounds = 300
	}
	storetest.Linear(t, kind(func() vfs.FS { return vfs.NewMem() }, func(*testing.T) string { return "store" }, 0), rounds)
}

func TestOpenRefused(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, disk.Options{})
	if _, err := disk.Open(dir, disk.Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("in use by process %d", os.Getpid())) {
		t.Errorf("a store that is open: got %v", err)
	}
	mustClose(t, s)
	mustClose(t, mustOpen(t, dir, disk.Options{}))
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "level.dat"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Open(full, disk.Options{}); err == nil {
		t.Error("a directory of something else: got no error")
	}
	if _, err := disk.Open(filepath.Join(full, "level.dat"), disk.Options{}); err == nil {
		t.Error("a file: got no error")
	}
	if _, err := disk.Open(filepath.Join(full, "none"), disk.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing, to be read: got %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.WriteFile(filepath.Join(dir, "STORE"), []byte("cairn store 2\nX\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Open(dir, disk.Options{}); err == nil || !strings.Contains(err.Error(), "cairn store 2") {
		t.Errorf("a newer format: got %v", err)
	}
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, disk.Options{FileBytes: 2500})
	heads := fill(t, s)
	mustClose(t, s)
	s = mustOpen(t, dir, disk.Options{ReadOnly: true})
	wantHeads(t, s, heads)
	mustCheck(t, s)
	if err := s.Create(t.Context(), "new"); err == nil {
		t.Error("create: got no error")
	}
	if _, err := save(t, s, "w0", mustStone(t, "new", 9000)); err == nil {
		t.Error("commit: got no error")
	}
	if _, err := s.Collect(t.Context(), history.Policy{Grace: -1}); err == nil {
		t.Error("collect: got no error")
	}
	before, err := s.Stack(t.Context(), "w2", heads["w2"])
	if err != nil {
		t.Fatal(err)
	}
	pack := mustStone(t, "new", 900)
	if err := s.PutPack(t.Context(), "w2", history.Pack{Upto: heads["w2"], Stone: pack.Ref()}, pack); err == nil {
		t.Error("pack: got no error")
	}
	if after, err := s.Stack(t.Context(), "w2", heads["w2"]); err != nil || !slices.Equal(before, after) {
		t.Errorf("after a pack that failed: got %v, %v, want %v", after, err, before)
	}
	wantHeads(t, s, heads)
	mustClose(t, s)
}

// TestEmptied leaves no record and no file of what was deleted for good.
func TestEmptied(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, disk.Options{FileBytes: 2500})
	for name := range fill(t, s) {
		if err := s.Delete(t.Context(), name, 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Collect(t.Context(), history.Policy{Grace: -1, Deleted: -1}); err != nil {
		t.Fatal(err)
	}
	if r := mustCheck(t, s); r.Worlds+r.Commits+r.Packs+r.Stones > 0 {
		t.Errorf("left: %+v", r)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "stones", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	mustClose(t, s)
}
