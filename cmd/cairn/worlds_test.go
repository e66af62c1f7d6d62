package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
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

// TestOldAndPackedWorlds: worlds of McRegion and Linear go back in the format that they came in.
func TestOldAndPackedWorlds(t *testing.T) {
	for _, kind := range []string{"mcr", "linear"} {
		for _, world := range anviltest.Worlds(t, kind) {
			dir := t.TempDir()
			mustRun(t, 0, dir, "import", world, "a.cairn")
			mustRun(t, 0, dir, "export", "a.cairn", "back")
			mustRun(t, 0, dir, "diff", world, "back")
			if kind == "mcr" {
				anviltest.Compare(t, world, filepath.Join(dir, "back"))
			} else if !maps.Equal(anviltest.Files(t, world), anviltest.Files(t, filepath.Join(dir, "back"))) {
				t.Errorf("%s: other files", world)
			}
		}
	}
}

// TestPolar takes an island through a Polar file and a stone, and back.
func TestPolar(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "isle")
	mustRun(t, 0, dir, "export", "isle", "isle.polar")
	mustRun(t, 0, dir, "check", "isle.polar")
	if a, b := solids(t, dir, "isle", "block"), solids(t, dir, "isle.polar", "block"); a != b {
		t.Errorf("%v blocks, want %v", b, a)
	}
	mustRun(t, 0, dir, "import", "isle.polar", "p.cairn")
	mustRun(t, 0, dir, "export", "p.cairn", "again.polar")
	mustRun(t, 0, dir, "diff", "isle.polar", "again.polar")
	mustRun(t, 0, dir, "export", "p.cairn", "folder")
	if a, b := solids(t, dir, "isle", "block"), solids(t, dir, "folder", "block"); a != b {
		t.Errorf("%v blocks in the folder, want %v", b, a)
	}
	mustRun(t, 0, dir, "render", "isle.polar", "isle.png")
}

// TestFolderFormats: a folder is of the format that the flag names, else of that the world came in.
func TestFolderFormats(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, 0, dir, "gen", "--size", "4", "island", "isle")
	mustRun(t, 0, dir, "export", "isle", "lin", "--format", "linear", "--format-version", "3")
	mustRun(t, 0, dir, "diff", "isle", "lin")
	mustRun(t, 0, dir, "check", "lin")
	mustRun(t, 0, dir, "import", "lin", "lin.cairn")
	mustRun(t, 0, dir, "export", "lin.cairn", "again")
	if got := anviltest.Files(t, filepath.Join(dir, "again")); !got["region/r.0.0.b_linear"] {
		t.Errorf("the copy has %v", got)
	}
	mustRun(t, 0, dir, "export", "lin.cairn", "plain", "--format", "anvil")
	anviltest.Compare(t, filepath.Join(dir, "isle"), filepath.Join(dir, "plain"))
	mustRun(t, 2, dir, "export", "lin.cairn", "x", "--format", "linear", "--format-version", "4")
	if r := cairn(t, dir, "export", "lin.cairn", "x", "--format", "mcregion"); r.code == 0 || !strings.Contains(r.errors, "McRegion") {
		t.Errorf("Linear as McRegion: %d %s", r.code, r.errors)
	}
}
