package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestCluster runs verbs on a cluster whose catalogue and bucket are a folder.
func TestCluster(t *testing.T) {
	dir := t.TempDir()
	text := "[catalogue]\nkind = \"bucket\"\n\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n\n[cache]\npath = \"cache\"\n"
	if err := os.WriteFile(filepath.Join(dir, "cluster.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	on := func(args ...string) []string { return append(args, "--store", "cluster:cluster.toml") }
	mustRun(t, 0, dir, on("gen", "island", "@hub", "--size", "4")...)
	var wg sync.WaitGroup
	for _, name := range []string{"@a", "@b", "@c"} { // at the same time
		wg.Go(func() {
			if r := cairn(t, dir, on("fork", "@hub", name)...); r.code != 0 {
				t.Errorf("fork: exit status %d: %s", r.code, r.errors)
			}
		})
	}
	wg.Wait()
	if got := strings.Fields(mustRun(t, 0, dir, on("list")...).out); strings.Join(got, " ") == "" || !strings.Contains(strings.Join(got, " "), "hub") {
		t.Errorf("list: got %q", got)
	}
	mustRun(t, 0, dir, on("export", "@a", "exported")...)
	mustRun(t, 0, dir, on("import", "exported", "@d")...)
	mustRun(t, 1, dir, on("diff", "@a", "@d")...) // the format keeps no seed
	mustRun(t, 0, dir, on("log", "@d")...)
	mustRun(t, 0, dir, on("rename", "@d", "@e")...)
	mustRun(t, 0, dir, on("delete", "@e")...)
	mustRun(t, 0, dir, on("undelete", "@e")...)
	mustRun(t, 0, dir, on("purge", "@e")...)
	mustRun(t, 0, dir, on("gc")...)
	mustRun(t, 0, dir, on("diff", "@hub", "@a")...)
	mustRun(t, 0, dir, on("check", "cluster:cluster.toml")...)
	if err := os.WriteFile(filepath.Join(dir, "bad.toml"), []byte(strings.Replace(text, "path = \"bucket\"", "pat = 1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, 3, dir, "list", "--store", "cluster:bad.toml"); !strings.Contains(r.errors, "bad.toml:6: pat: no such key in [bucket]; want kind, path") {
		t.Errorf("list: got %q", r.errors)
	}
}
