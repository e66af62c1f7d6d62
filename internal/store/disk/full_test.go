package disk_test

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestFull lets the disk be full from the n-th write on, for a while. What was
// acknowledged is there, whether the Store goes on or is opened anew.
func TestFull(t *testing.T) {
	long.Alone(t)
	var stones []history.Stone
	for i := range 14 {
		stones = append(stones, mustStone(t, fmt.Sprint(i), 900_000)) // beyond a memtable
	}
	stopped, wentOn := 0, 0
	for n := 0; ; n += 1 + n/long.By(4, 8, 8) {
		d := &fullDisk{full: n}
		mem := vfs.NewCrashableMem()
		o := disk.Options{FS: hookFS{mem, d.before}, CacheBytes: 1 << 20}
		s, err := disk.Open("store", o)
		if err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("%d: open: got %v, want %v", n, err, syscall.ENOSPC)
			}
			continue
		}
		acked := d.use(t, s, stones)
		wasFull := d.free()
		if err := s.Create(t.Context(), "later"); err == nil {
			wentOn++
			wantHeads(t, s, acked)
			mustCheck(t, s)
		} else {
			stopped++
			if _, err := s.Head(t.Context(), "a"); err == nil {
				t.Fatalf("%d: a stopped store shows what it may not keep", n)
			}
		}
		_ = s.Close() // it says once more why it stopped
		o.FS = mem.CrashClone(vfs.CrashCloneCfg{})
		s = mustOpen(t, "store", o)
		wantKept(t, s, acked)
		mustCheck(t, s)
		mustClose(t, s)
		if !wasFull {
			break
		}
	}
	t.Logf("stopped %d times, went on %d times", stopped, wentOn)
	if stopped == 0 {
		t.Error("never stopped")
	}
}

// fullDisk is one that is full from the n-th write on.
type fullDisk struct {
	mu     sync.Mutex
	writes int
	full   int // -1 is never
	was    bool
}

func (d *fullDisk) before(op string) error {
	if op != "write" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes++
	if d.full >= 0 && d.writes > d.full {
		d.was = true
		return syscall.ENOSPC
	}
	return nil
}

// free makes room and reports whether the disk was full.
func (d *fullDisk) free() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = -1
	return d.was
}

// use saves until something fails, and returns the head that was acknowledged.
func (d *fullDisk) use(t *testing.T, s *disk.Store, stones []history.Stone) map[string]history.ID {
	acked := make(map[string]history.ID)
	err := s.Create(t.Context(), "a")
	for _, st := range stones {
		if err != nil {
			break
		}
		var id history.ID
		if id, err = save(t, s, "a", st); err == nil {
			acked["a"] = id
		}
	}
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want %v", err, syscall.ENOSPC)
	}
	return acked
}

// TestReserve refuses what would make the disk full, and goes on when it is not.
func TestReserve(t *testing.T) {
	mem := vfs.NewMem()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 30, TotalBytes: 1 << 30})
	s := mustOpen(t, "store", disk.Options{FS: mem})
	mustCreate(t, s, "a")
	id := mustSave(t, s, "a", mustStone(t, "one", 10))
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 64<<20 + 100, TotalBytes: 1 << 30})
	if _, err := save(t, s, "a", mustStone(t, "two", 1<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("commit: got %v, want %v", err, syscall.ENOSPC)
	}
	if err := s.Delete(t.Context(), "a", 0); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := s.Undelete(t.Context(), "a"); err != nil {
		t.Errorf("undelete: %v", err)
	}
	wantHeads(t, s, map[string]history.ID{"a": id})
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 66 << 20, TotalBytes: 1 << 30})
	mustSave(t, s, "a", mustStone(t, "two", 1<<20))
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 64<<20 + 100, TotalBytes: 1 << 30})
	for n := 0; ; n++ { // small ones are refused before they have taken much of the reserve
		if _, err := save(t, s, "a", mustStone(t, fmt.Sprint(n), 20_000)); errors.Is(err, syscall.ENOSPC) {
			break
		} else if err != nil || n > 100 {
			t.Fatalf("commit %d: got %v, want %v", n, err, syscall.ENOSPC)
		}
	}
	mustClose(t, s)
}

// wantKept wants each head or the commit after it, whose save failed.
func wantKept(t *testing.T, s *disk.Store, acked map[string]history.ID) {
	t.Helper()
	for name, id := range acked {
		log, err := s.Log(t.Context(), name, history.ID{}, 2)
		if err != nil || log[0].ID() != id && log[0].Parent != id {
			t.Fatalf("log of %s: got %+v, %v, want %v", name, log, err, id)
		}
		wantHeads(t, s, map[string]history.ID{name: log[0].ID()})
	}
}
