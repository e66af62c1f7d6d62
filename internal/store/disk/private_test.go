package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

// TestPrivate checks that nobody but its owner may read a store or one that was salvaged.
func TestPrivate(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	dir, back := filepath.Join(root, "store"), filepath.Join(root, "salvaged")
	s := mustOpen(t, dir, disk.Options{FileBytes: 1 << 10})
	if err := s.Create(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{10, 4 << 10} { // in the database, and a file of its own
		if _, err := save(t, s, "w", mustStone(t, "a stone", size)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
	if _, err := disk.Salvage(t.Context(), dir, back, disk.Options{}); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, dir, disk.Options{}))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode()&0o077 != 0 {
			t.Errorf("%s: %v: others have rights", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
