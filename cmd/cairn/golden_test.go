package main_test

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// version1 unpacks what the command wrote when the stone format was at version 1
// and a commit, a store and a backup had their first form: stones of every
// effort, a store whose last saves are in its log alone, a backup of it, and
// below want the Anvil folders that it exported them to.
func version1(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	f, err := os.Open("testdata/version1.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			if err := os.Chmod(filepath.Join(dir, "store"), 0o700); err != nil { // else each verb warns
				t.Fatal(err)
			}
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			content, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, filepath.FromSlash(h.Name)), content)
		}
	}
}

// TestVersion1 holds every later program to the bytes of version 1: they open
// unchanged and mean what they meant.
func TestVersion1(t *testing.T) {
	dir := version1(t)
	for _, file := range []string{"island.cairn", "quick.cairn", "slim.cairn", "land.cairn", "terrain.cairn"} {
		mustRun(t, 0, dir, "check", file)
	}
	mustRun(t, 0, dir, "diff", "want/island", "island.cairn")
	mustRun(t, 0, dir, "diff", "want/island", "quick.cairn")
	kept := func(store string) {
		t.Helper()
		mustRun(t, 0, dir, "check", "local:"+store)
		for version, like := range map[string]string{
			"@isle/ann@1": "want/island", "@isle/ann@4": "want/ann4", "@isle/bob": "want/bob", "@land@1": "land.cairn",
		} {
			mustRun(t, 0, dir, "--store", "local:"+store, "diff", version, like)
		}
		mustRun(t, 0, dir, "--store", "local:"+store, "diff", "@isle/ann@3", "@isle/ann@5") // the undo of the fourth
		if d := mustJSON(t, 1, dir, "--store", "local:"+store, "diff", "@land@1", "@land"); d["cells"] != 138.0 {
			t.Errorf("%s: the edit of @land differs in %v cells, want 138", store, d["cells"])
		}
		if n := len(logs(t, dir, "--store", "local:"+store, "@isle/ann")); n != 5 {
			t.Errorf("%s: %d versions of @isle/ann, want 5", store, n)
		}
	}
	kept("store")
	mustRun(t, 0, dir, "restore-store", "backup", "local:restored")
	kept("restored")
	mustRun(t, 0, dir, "--store", "local:store", "edit", "@isle/ann", "ball", "--at", "5,80,0", "--r", "3", "--name", "minecraft:stone")
	mustRun(t, 0, dir, "--store", "local:store", "pack", "@isle/ann")
	mustRun(t, 0, dir, "check", "local:store")
}
