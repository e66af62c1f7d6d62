//go:build linux

package disk_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
)

// TestDisk compares what a Store says it takes of a real disk with what its files take, and looks
// whether one that is closed keeps more than its files have.
func TestDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s := mustOpen(t, dir, disk.Options{FileBytes: 300_000})
	mustCreate(t, s, "w")
	for i, size := range []int{100_000, 400_000, 200_000, 10} {
		mustSave(t, s, "w", mustStone(t, fmt.Sprint(i), size))
	}
	stats, sizes, used := mustStats(t, s), int64(0), int64(0)
	if sizes, used = onDisk(t, dir); stats.DiskBytes != used || stats.ReservedBytes < used-sizes-1<<20 || stats.ReservedBytes > used {
		t.Errorf("got %d bytes with %d reserved, want %d for %d", stats.DiskBytes, stats.ReservedBytes, used, sizes)
	}
	mustClose(t, s)
	if sizes, used = onDisk(t, dir); used > sizes+1<<20 {
		t.Errorf("a closed store takes %d bytes for %d", used, sizes)
	}
	s = mustOpen(t, dir, disk.Options{})
	if stats, _ := s.Stats(t.Context()); stats.DiskBytes < 700_000 {
		t.Errorf("a store that was opened says %d bytes", stats.DiskBytes)
	}
	mustClose(t, s)
}

// onDisk returns the sizes of files, and how many bytes of the disk they and their directories take.
func onDisk(t *testing.T, dir string) (sizes, used int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		in, err := e.Info()
		if err == nil {
			sizes += in.Size()
			used += in.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes, used
}
