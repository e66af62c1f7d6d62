package main_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// TestDiffVersions compares every two versions of a world by what differs in the
// store, and as two files that are read whole: both say the same.
func TestDiffVersions(t *testing.T) {
	blocks := func(t *testing.T, dir string) {
		mustRun(t, 0, dir, "gen", "--size", "6", "island", "island")
		mustRun(t, 0, dir, "import", "island", "@w")
		edit(t, dir, "@w", "box", "--from", "0,100,0", "--to", "9,109,9", "--name", "stone")
		edit(t, dir, "@w", "ball", "--at", "-20,60,-20", "--r", "1", "--name", "glass")
		mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
		write(t, filepath.Join(dir, "other", "note.txt"), []byte("x"))
		mustRun(t, 0, dir, "commit", "other", "@w")
		mustRun(t, 0, dir, "pack", "@w")
		edit(t, dir, "@w", "ball", "--at", "0,64,0", "--r", "4", "--subtract")
		mustRun(t, 0, dir, "restore", "@w@2")
		write(t, filepath.Join(dir, "other", "DIM1", "region", "r.0.0.mca"), read(t, filepath.Join(dir, "other", "region", "r.0.0.mca")))
		mustRun(t, 0, dir, "commit", "other", "@w")
	}
	terrain := func(t *testing.T, dir string) {
		mustRun(t, 0, dir, "gen", "--size", "8", "terrain", "@w")
		edit(t, dir, "@w", "ball", "--at", "0,200,0", "--r", "40", "--name", "rock")
		edit(t, dir, "@w", "sea", "--from", "-32,0,-32", "--to", "31,60,31", "--y", "40.5")
		mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "terrain", "@w")
	}
	for _, tt := range []struct {
		name     string
		make     func(*testing.T, string)
		versions int
	}{{"blocks", blocks, 7}, {"terrain", terrain, 4}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(t, dir)
			version := func(n int) string { return fmt.Sprint("@w@", n) }
			file := func(n int) string { return fmt.Sprint(n, ".cairn") }
			if l := logs(t, dir, "@w"); len(l) != tt.versions {
				t.Fatalf("%d versions, want %d", len(l), tt.versions)
			}
			for n := range tt.versions {
				mustRun(t, 0, dir, "import", version(n+1), file(n+1))
			}
			for a := 1; a <= tt.versions; a++ {
				for b := 1; b <= tt.versions; b++ {
					if (a+b)%long.Of(3, 1) != 0 {
						continue
					}
					want := cairn(t, dir, "diff", "--json", file(a), file(b))
					if got := cairn(t, dir, "diff", "--json", version(a), version(b)); got != want {
						t.Errorf("%d and %d: %v, as files %v", a, b, got, want)
					}
					if want.code > 1 || a+1 == b && want.code != 1 {
						t.Errorf("%d and %d: %v", a, b, want)
					}
				}
			}
		})
	}
}
