package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestWorlds does the main job on a few of the worlds that CAIRN_WORLDS holds, and
// makes one world of the store each of them in turn.
func TestWorlds(t *testing.T) {
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	folders, err := filepath.Glob(filepath.Join(root, "anvil", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no worlds below %s: %v", root, err)
	}
	store := "local:" + filepath.Join(t.TempDir(), "store")
	for i, world := range folders {
		if i%long.By(80, 20, 20) != 0 {
			continue
		}
		dir := t.TempDir()
		if r := cairn(t, dir, "import", world, "a.cairn"); r.code == 1 {
			mustRun(t, 1, dir, "check", world)
			mustRun(t, 0, dir, "import", "--salvage", world, "a.cairn")
		} else {
			mustRun(t, 0, dir, "check", "a.cairn")
		}
		mustRun(t, 0, dir, "export", "a.cairn", "back")
		mustRun(t, 0, dir, "diff", world, "back")
		mustRun(t, 0, dir, "import", "a.cairn", "@world", "--store", store) // which was another before
		mustRun(t, 0, dir, "diff", "a.cairn", "@world", "--store", store)
	}
	mustRun(t, 0, ".", "check", store)
	files, err := filepath.Glob(filepath.Join(root, "slime", "*", "*.slime"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Slime files below %s: %v", root, err)
	}
	for i, file := range files {
		if i%8 != 0 {
			continue
		}
		dir := t.TempDir()
		mustRun(t, 0, dir, "import", file, "a.cairn")
		mustRun(t, 0, dir, "check", file, "a.cairn")
		mustRun(t, 0, dir, "diff", file, "a.cairn")
	}
}
