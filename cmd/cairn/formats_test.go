package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExportToAnotherGame writes a world of Minecraft as one of Hytale, and its piece with names of one's own.
func TestExportToAnotherGame(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	r := mustRun(t, 0, dir, "export", "--names", "java-hytale", "--format", "hytale", "a.cairn", "there")
	for _, want := range []string{"(hytale, ", "volume biome"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in %s", want, r.out)
		}
	}
	if r := mustRun(t, 0, dir, "info", "there"); !strings.Contains(r.out, "format  hytale") {
		t.Error(r.out)
	}
	write(t, filepath.Join(dir, "back.toml"), []byte("names = [[\"Soil_*\", \"minecraft:dirt\"], [\"*\", \"minecraft:stone\"]]\n"))
	mustRun(t, 0, dir, "export", "--names", "back.toml", "--version", "1.21.1", "there", "back.slime")
	if r := mustRun(t, 0, dir, "info", "back.slime"); !strings.Contains(r.out, "3 names") { // air, dirt and stone
		t.Error(r.out)
	}
	table := mustRun(t, 0, dir, "formats", "java-hytale").out
	if !strings.Contains(table, `"Rock_Stone"`) || !strings.Contains(mustRun(t, 0, dir, "formats").out, "java-hytale") {
		t.Error(table)
	}
	if r := mustRun(t, 0, dir, "formats", "--json"); !strings.Contains(r.out, `"name": "anvil"`) {
		t.Error(r.out)
	}
}
