package main_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// TestImportWhatChanged imports a folder again and again: only what its headers say is read, unless the world
// was changed otherwise or what was remembered is lost or damaged.
func TestImportWhatChanged(t *testing.T) {
	dir := island(t)
	regions, err := filepath.Glob(filepath.Join(dir, "island", "*", "r.*.mca"))
	if err != nil || len(regions) == 0 {
		t.Fatal(regions, err)
	}
	for _, name := range regions { // as a game that saved long ago
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1024 {
			if binary.BigEndian.Uint32(data[4*i:]) != 0 {
				binary.BigEndian.PutUint32(data[4096+4*i:], 1000)
			}
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const columns = 16
	unread := func(want int, args ...string) {
		t.Helper()
		got := mustJSON(t, 0, dir, append([]string{"import", "island", "@hub"}, args...)...)
		if n, _ := got["unchanged_columns"].(float64); int(n) != want || got["columns"] != float64(columns) {
			t.Errorf("import %v: %v columns, %v not read, want %d and %d", args, got["columns"], got["unchanged_columns"], columns, want)
		}
	}
	unread(0)
	unread(columns)
	unread(0, "--reread")
	mustRun(t, 0, dir, "edit", "@hub", "ball", "--at", "0,70,0", "--r", "2", "--name", "gold_block")
	unread(0) // the head is another
	unread(columns)
	mustRun(t, 0, dir, "diff", "@hub@1", "@hub")
	cache, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cairn", "imports", "*"))
	if err != nil || len(cache) == 0 {
		t.Fatal(cache, err)
	}
	for _, name := range cache {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.Clone(data)
		data[len(data)-1]++
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unread(0)
	unread(columns)
	unread(0, "--light", "drop")
}
