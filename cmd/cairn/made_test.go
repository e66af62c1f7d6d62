package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	library "github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// TestExportMade: a world that a program made goes out for a version of the game that
// is said, and is read and checked as one of it.
func TestExportMade(t *testing.T) {
	dir := t.TempDir()
	st, err := library.Open(t.Context(), "local:"+filepath.Join(dir, "cairn-data"))
	if err != nil {
		t.Fatal(err)
	}
	for name, blockName := range map[string]string{"islands/ann": "stone", "islands/bob": "ston"} {
		w, err := library.Create(t.Context(), st, name, library.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Edit(t.Context(), func(b library.Blocks) error {
			b.Fill(region.Ball{Center: library.Point{Y: 70}, Radius: 6}, blockName)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"ann.slime", "folder"} {
		r := mustJSON(t, 0, dir, "export", "--version", "1.21.1", "@islands/ann", to)
		if lost := r["lost"].(map[string]any); len(lost) > 0 {
			t.Errorf("%s: lost %v", to, lost)
		}
		mustRun(t, 0, dir, "check", to)
		if out := mustRun(t, 0, dir, "info", to).out; !strings.Contains(out, "3955") || !strings.Contains(out, "overworld") {
			t.Errorf("%s: %s", to, out)
		}
	}
	mustRun(t, 0, dir, "export", "--data-version", "2586", "@islands/ann", "old")
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{2, "export @islands/ann x.slime", "--version 1.21.1"},
		{2, "export --version 1.12 @islands/ann x.slime", "1.13 on"},
		{2, "export --version 1.21.1 --data-version 1 @islands/ann x.slime", "--version"},
		{3, "export --version 1.21.1 @islands/bob x.slime", `did you mean "minecraft:stone"?`},
		{3, "export --data-version 99 @islands/ann x.slime", "1.13"},
	} {
		r := mustRun(t, c.code, dir, strings.Fields(c.args)...)
		if !strings.Contains(r.errors, c.want) {
			t.Errorf("%s: says %q, want %q", c.args, r.errors, c.want)
		}
	}
	mustRun(t, 0, dir, "import", "ann.slime", "ann.cairn")
	if r := mustRun(t, 2, dir, "export", "--version", "1.21.1", "ann.cairn", "x.slime"); !strings.Contains(r.errors, "of a game already") {
		t.Errorf("says %q", r.errors)
	}
}
