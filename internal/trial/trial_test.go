package trial_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/trial"
	"github.com/cairnvoxel/cairn/store/local"
)

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		name           string
		worlds         []*trial.Timeline
		stones         int64 // with packs
		read, of       int
		about          int64
		says, saysNone string
	}{
		{"all", []*trial.Timeline{trial.Of("a", 3, 100, 10, 20)}, 130, 3, 3, 130, "(4.3 % of 3.0 kB)", "not read"},
		{"a part", []*trial.Timeline{trial.Of("a", 10, 100, 10, 20)}, 130, 3, 10, 130 + 7*15, "The history of 10 backups would take about 235 B", "no estimate"},
		{"with packs", []*trial.Timeline{trial.Of("a", 10, 100, 10, 20)}, 130 + 30, 3, 10, 160 + 7*(15+10), "about 335 B", "no estimate"},
		{"nothing changes", []*trial.Timeline{trial.Of("a", 10, 100, 0)}, 100, 2, 10, 100, "about 100 B", "no estimate"},
		{"one of each", []*trial.Timeline{trial.Of("a", 10, 100), trial.Of("b", 3, 50)}, 150, 2, 0, 0, "For 13 there is no estimate", "would take"},
		{"the only one", []*trial.Timeline{trial.Of("a", 1, 100), trial.Of("b", 3, 50, 4)}, 154, 3, 4, 158, "The history of 4 backups would take about 158 B", "no estimate"},
		{"some are not begun", []*trial.Timeline{trial.Of("a", 10, 100, 10), trial.Of("b", 5)}, 110, 2, 10, 190, "For 5 there is no estimate", "15 backups would"},
		{"none", []*trial.Timeline{trial.Of("a", 10)}, 0, 0, 0, 0, "The history of the 0 that were read takes 0 B", "would take"},
	} {
		r := trial.Outcome{Worlds: tt.worlds, Stopped: "over"}
		r.Estimate(tt.stones)
		sum, backups := int64(0), 0
		for _, w := range r.Worlds {
			sum, backups = sum+w.History, backups+w.Backups
		}
		if r.Read != tt.read || r.AboutOf != tt.of || r.About != tt.about || r.History != tt.stones || sum != tt.stones || r.Backups != backups || r.Bytes != 1000*int64(backups) || r.ReadBytes != 1000*int64(tt.read) {
			t.Errorf("%s: %+v, and the worlds have %d; want %d read, %d of %d", tt.name, r, sum, tt.read, tt.about, tt.of)
		}
		var b strings.Builder
		if r.Print(&b); !strings.Contains(b.String(), tt.says) || strings.Contains(b.String(), tt.saysNone) {
			t.Errorf("%s: it says\n%s\nwant %q and no %q", tt.name, b.String(), tt.says, tt.saysNone)
		}
	}
}

// backups makes folders of worlds, each with a date.
func backups(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		at := filepath.Join(dir, fmt.Sprintf("hub-2019-03-%02d", 1+i))
		err := os.Mkdir(at, 0o777)
		if err == nil {
			var out *anvil.FolderWriter
			if out, err = anvil.Create(at, anvil.FolderOptions{LevelName: "hub"}); err == nil {
				err = errors.Join(terrain.Arena(terrain.Options{Seed: 1, Size: 2 + i}).Read(t.Context(), out), out.Close())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// mustGone closes a Trial, after which its folder of temporary files is empty.
func mustGone(t *testing.T, tr *trial.Trial, temp string) {
	t.Helper()
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("stays: %v, %v", left, err)
	}
}

// TestStops cancels it while it reads.
func TestStops(t *testing.T) {
	dir := backups(t, 4)
	ctx, stop := context.WithCancel(t.Context())
	o := trial.Options{For: time.Hour, Temp: t.TempDir(), Progress: func(done, all int, _ string) {
		if done == 3 {
			stop()
		}
	}}
	tr, err := trial.Run(ctx, []string{dir}, o)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustGone(t, tr, o.Temp)
}

// full is a disk that is full when it is told.
type full struct {
	vfs.FS
	is atomic.Bool
}

func (f *full) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	if f.is.Load() {
		return vfs.DiskUsage{AvailBytes: 10}, nil
	}
	return f.FS.GetDiskUsage(path)
}

// TestFull lets the disk be full before anything is read, and after two backups.
func TestFull(t *testing.T) {
	dir := backups(t, 4)
	for _, from := range []int{0, 2} {
		disk := &full{FS: vfs.Default}
		o := trial.Options{For: time.Hour, Temp: t.TempDir(), Store: local.Options{FS: disk, ReserveBytes: 100}}
		o.Progress = func(done, all int, next string) { disk.is.Store(done >= from && strings.HasPrefix(next, "hub-")) }
		tr, err := trial.Run(t.Context(), []string{dir}, o)
		switch {
		case from == 0 && (!errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "TMPDIR")):
			t.Errorf("without any room: %v", err)
		case from > 0 && (err != nil || tr.Read != from || tr.AboutOf != 4 || tr.About <= tr.History || !strings.Contains(tr.Stopped, "is full; TMPDIR")):
			t.Errorf("without room for %d: %+v, %v", from, tr.Outcome, err)
		}
		mustGone(t, tr, o.Temp)
	}
}

// TestMany has ten thousand files, of which one can be read.
func TestMany(t *testing.T) {
	dir := backups(t, 1)
	for i := range 10_000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("hub %d.%s", i, []string{"tar", "zip"}[i%2])), []byte("cut"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := trial.Options{For: time.Hour, Temp: t.TempDir(), Progress: func(int, int, string) {}}
	tr, err := trial.Run(t.Context(), []string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer mustGone(t, tr, o.Temp)
	var b strings.Builder
	if tr.Print(&b); tr.Backups != 1 || tr.Read != 1 || tr.LeftOut != 10_000 || strings.Count(b.String(), "\n") > 50 {
		t.Errorf("%d of %d read, %d left out:\n%s", tr.Read, tr.Backups, tr.LeftOut, b.String())
	}
}
