package backup_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/store/backup"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
)

// TestRun backs up a store that is open, restores it, and restores it again.
func TestRun(t *testing.T) {
	st, err := local.Open(t.TempDir(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Create(t.Context(), "w"); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "backups")
	if _, err := backup.Restore(t.Context(), to, "", st, backup.RestoreOptions{}); err == nil {
		t.Error("from nothing: got no error")
	}
	if r, err := backup.Run(t.Context(), st, to, backup.Options{}); err != nil || r.Worlds != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	again := memory.New(memory.Options{})
	for i, same := range []int{0, 1} {
		r, err := backup.Restore(t.Context(), "dir:"+to, "", again, backup.RestoreOptions{})
		if err != nil || r.Worlds != 1-same || r.Same != same {
			t.Errorf("restore %d: got %+v, %v", i, r, err)
		}
	}
	if _, err := backup.Restore(t.Context(), to, "", again, backup.RestoreOptions{Backup: "2001"}); !errors.Is(err, backup.ErrNone) {
		t.Errorf("a backup that is not there: %v", err)
	}
}
