package disk_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/store/history"
)

// A backup belongs to its Store: those of another are kept, whatever Keep says, and a Store
// with far fewer worlds than the backup before makes none.
func TestBackupOther(t *testing.T) {
	dir, to, now := t.TempDir(), t.TempDir(), step()
	s := mustOpen(t, filepath.Join(dir, "store"), disk.Options{Now: now, FileBytes: 2500})
	heads := fill(t, s)
	var names []string
	for range 2 {
		names = append(names, mustBackUp(t, s, to, 2).Name)
	}
	empty := mustOpen(t, filepath.Join(dir, "empty"), disk.Options{Now: now})
	o := disk.BackupOptions{Keep: history.Keep{Newest: 1}}
	for range 2 {
		if b, err := empty.Backup(t.Context(), to, o); !errors.Is(err, history.ErrShrunk) {
			t.Errorf("of an empty store: got %+v, %v", b, err)
		}
	}
	if got := listOf(t, to); !slices.Equal(got, names) {
		t.Errorf("there are %q, want %q", got, names)
	}
	o.Force = true
	forced, err := empty.Backup(t.Context(), to, o)
	if err != nil || len(forced.Removed) > 0 {
		t.Errorf("forced: got %+v, %v", forced, err)
	}
	o.Force = false
	again, err := empty.Backup(t.Context(), to, o)
	if err != nil || !slices.Equal(again.Removed, []string{forced.Name}) {
		t.Errorf("after its own: got %+v, %v", again, err)
	}
	mustClose(t, empty)
	dry, err := s.Backup(t.Context(), to, disk.BackupOptions{Keep: history.Keep{Newest: 2}, DryRun: true})
	if err != nil || !slices.Equal(dry.Removed, names[:1]) || dry.Name != "" || !slices.Equal(listOf(t, to), append(names, again.Name)) {
		t.Errorf("a dry run: got %+v, %v, and there are %q", dry, err, listOf(t, to))
	}
	if b := mustBackUp(t, s, to, 2); !slices.Equal(b.Removed, names[:1]) || b.Shared == 0 {
		t.Errorf("after another's: got %+v", b)
	}
	mustClose(t, s)
	mustRestore(t, filepath.Join(to, names[1]), filepath.Join(dir, "again"), heads)
}
