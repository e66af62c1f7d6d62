package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSalvage cuts a file off a store: verbs that need it say so and do not crash,
// the others work, and salvage makes a store of what is left.
func TestSalvage(t *testing.T) {
	dir := versions(t)
	blobs := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "cairn-data", "db", "*.blob"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := blobs()
	mustRun(t, 0, dir, "import", "other", "@other")
	for _, path := range blobs() {
		if slices.Contains(before, path) {
			continue
		}
		in, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, in.Size()-1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "local:cairn-data"}, {"export", "@other", "out"}, {"commit", "island", "@isle"}, {"backup", "--to", "backups"}, {"gc"}} {
		r := mustRun(t, 1, dir, args...)
		if text := r.out + r.errors; !strings.Contains(text, ".blob") {
			t.Errorf("%v: says %q, and no file", args, text)
		}
		if args[0] == "check" && !strings.Contains(r.out, `world "other": 1 of 1 versions cannot be read`) {
			t.Errorf("check prints %q", r.out)
		}
	}
	mustRun(t, 0, dir, "diff", "@isle@3", "island")
	v := mustJSON(t, 1, dir, "salvage", "local:cairn-data", "local:left")
	if keys(v) != "bytes commits faults from lost packs stones store unread worlds" || len(v["lost"].([]any)) != 1 {
		t.Errorf("salvage prints %v", v)
	}
	if r := mustRun(t, 3, dir, "salvage", "local:cairn-data", "local:left"); !strings.Contains(r.errors, "not empty") {
		t.Errorf("salvage into a store says %q", r.errors)
	}
	t.Setenv("CAIRN_STORE", "local:left")
	mustRun(t, 0, dir, "check")
	mustRun(t, 0, dir, "diff", "@isle@3", "island")
	mustRun(t, 0, dir, "commit", "other", "@isle")
	if r := mustRun(t, 0, dir, "salvage", "local:left", "local:all"); strings.Contains(r.out, "lost") {
		t.Errorf("salvage of a sound store prints %q", r.out)
	}
	mustRun(t, 2, dir, "salvage", "local:left", "elsewhere")
}
