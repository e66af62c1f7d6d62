package disk_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// TestStats compares what a Store says of itself with what Check counts.
func TestStats(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tick := func(d time.Duration) time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
		return now
	}
	mem := vfs.NewMem()
	s := mustOpen(t, "store", disk.Options{FS: mem, FileBytes: 2500, Now: func() time.Time { return tick(0) }})
	defer mustClose(t, s)
	fill(t, s)
	stats := mustStats(t, s)
	if stats.Worlds != 4 || !stats.Collected.IsZero() || stats.Stones != 0 {
		t.Errorf("before a collect: got %+v", stats)
	}
	if files := sizeOfFiles(t, mem, "store/stones"); files == 0 || stats.DiskBytes <= files {
		t.Errorf("%d bytes on the disk, of which %d are files", stats.DiskBytes, files)
	}
	for _, p := range []history.Policy{{}, {Grace: -1}} {
		done, err := s.Collect(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		stats, r := mustStats(t, s), mustCheck(t, s)
		if stats.Commits != r.Commits || stats.Packs != r.Packs || stats.Stones+stats.Condemned != r.Stones ||
			stats.StoneBytes+stats.CondemnedBytes != r.Bytes || stats.Condemned != done.Condemned || !stats.Collected.Equal(tick(0)) {
			t.Errorf("after %+v: got %+v, Check says %+v", done, stats, r)
		}
	}
	mustCreate(t, s, "another")
	mustSave(t, s, "another", mustStone(t, "large", 1<<20))
	tick(time.Minute - 1)
	if got := mustStats(t, s).Worlds; got != 4 {
		t.Errorf("%d worlds within the minute, want what was counted", got)
	}
	tick(1)
	if got := mustStats(t, s); got.Worlds != 5 || got.DiskBytes < 1<<20 {
		t.Errorf("after the minute: got %+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Stats(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A Store that was opened counts the stones in it too.
func TestStatsOpened(t *testing.T) {
	mem := vfs.NewMem()
	s := mustOpen(t, "store", disk.Options{FS: mem})
	mustCreate(t, s, "w")
	for i := range 6 {
		mustSave(t, s, "w", mustStone(t, fmt.Sprint(i), 100_000))
	}
	mustClose(t, s)
	s = mustOpen(t, "store", disk.Options{FS: mem})
	defer mustClose(t, s)
	if got, want := mustStats(t, s).DiskBytes, sizeOfFiles(t, mem, "store"); got != want || want < 600_000 {
		t.Errorf("%d bytes on the disk, want %d", got, want)
	}
}

func mustStats(t *testing.T, s *disk.Store) disk.Stats {
	t.Helper()
	stats, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

func sizeOfFiles(t *testing.T, on vfs.FS, path string) (n int64) {
	t.Helper()
	in, err := on.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !in.IsDir() {
		return in.Size()
	}
	names, err := on.List(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		n += sizeOfFiles(t, on, on.PathJoin(path, name))
	}
	return n
}
