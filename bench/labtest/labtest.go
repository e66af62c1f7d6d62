// Package labtest is what the tests of all measurements share: small worlds, and looks
// at a report as JSON and as a table.
package labtest

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
)

// Small returns options that keep measurements short.
func Small() lab.Options { return lab.Options{LandEdge: 2, FlatBytes: 1 << 20, Seed: 1} }

// Anvil writes src as a world folder.
func Anvil(t *testing.T, src format.Source, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := anvil.Create(dir, anvil.FolderOptions{LevelName: filepath.Base(dir)})
	if err == nil {
		err = src.Read(context.Background(), out)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Arenas makes a folder with two worlds.
func Arenas(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	Anvil(t, terrain.Arena(terrain.Options{Seed: 1}), dir, "arena")
	Anvil(t, terrain.Island(terrain.Options{Seed: 2, Version: terrain.Modern}), dir, "island")
	return dir
}

// JSON returns a report as JSON, in which no list may be null.
func JSON(t *testing.T, report any) []byte {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") {
		t.Errorf("null in %s", text)
	}
	return text
}

// KeysAt returns the sorted keys of the object at a path; of a list it takes
// the first element.
func KeysAt(t *testing.T, text []byte, path string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) {
		v = v.(map[string]any)[key]
		if list, ok := v.([]any); ok {
			v = list[0]
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(v.(map[string]any))), " ")
}

// Table looks for parts of what is printed.
func Table(t *testing.T, print func(io.Writer), parts ...string) {
	t.Helper()
	var b strings.Builder
	print(&b)
	for _, part := range parts {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q in\n%s", part, b.String())
		}
	}
}

// LeaveNothing fails the test if something is left in the directory of
// temporary files, which is one of the test's own from now on.
func LeaveNothing(t *testing.T) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}
