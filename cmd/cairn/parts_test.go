package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestLargerThanMemory imports a world that does not fit the least --memory: the file is the
// same, and no temporary file is left.
func TestLargerThanMemory(t *testing.T) {
	long.Rest(t)
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "27", "survival", "land")
	want := mustJSON(t, 0, dir, "import", "land", "large.cairn", "--memory", "2GiB")
	got := mustJSON(t, 0, dir, "import", "land", "small.cairn", "--memory", "64MiB")
	inStore := mustJSON(t, 0, dir, "import", "land", "@land", "--memory", "64MiB")
	for _, key := range []string{"id", "bytes", "columns", "cells", "objects", "files"} {
		if want[key] == nil || got[key] != want[key] || inStore[key] != want[key] {
			t.Errorf("%s: %v, in the store %v, want %v", key, got[key], inStore[key], want[key])
		}
	}
	mustRun(t, 0, dir, "diff", "--memory", "64MiB", "land", "@land")
	large, small := mustJSON(t, 0, dir, "info", "land", "--memory", "2GiB"), mustJSON(t, 0, dir, "info", "land", "--memory", "64MiB")
	if a, b := keys(large), keys(small); a != b || large["bytes"] != small["bytes"] {
		t.Errorf("info: %v, want %v", small, large)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".cairn-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	for _, name := range []string{"TMPDIR", "TMP"} { // as systems call it
		t.Setenv(name, filepath.Join(dir, "missing"))
	}
	r := cairn(t, dir, "import", "land", "@other", "--memory", "64MiB", "--store", "local:other")
	if _, err := os.Stat(filepath.Join(dir, "other")); r.code != 3 || err == nil {
		t.Errorf("without a folder for temporary files: exit status %d, %s%s, store %v", r.code, r.out, r.errors, err)
	}
}
