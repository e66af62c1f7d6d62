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

// TestNoCluster names a directory that is not there, or no bucket, and makes nothing in it.
func TestNoCluster(t *testing.T) {
	const stones, catalogue = "[bucket]\nkind = \"dir\"\npath = \"stones\"\n\n[catalogue]\nkind = \"bucket\"\n", "\n[catalogue.bucket]\nkind = \"dir\"\npath = \"catalogue\"\n"
	dir := t.TempDir()
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("one.toml", stones)
	file("two.toml", stones+catalogue)
	if err := os.Mkdir(filepath.Join(dir, "catalogue"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused := func(names string, args ...string) {
		t.Helper()
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, names+": no bucket is there") {
			t.Errorf("%v: got %q", args, r.errors)
		}
		if list, err := os.ReadDir(filepath.Join(dir, names)); len(list) > 0 {
			t.Errorf("%v made %v, %v", args, list, err)
		}
	}
	for _, args := range [][]string{{"list"}, {"log", "@hub"}, {"delete", "@hub"}, {"gc"}} {
		refused("stones", append(args, "--store", "cluster:one.toml")...)
	}
	refused("stones", "check", "cluster:one.toml")
	refused("stones", "salvage", "cluster:one.toml", "local:left")
	refused("stones", "migrate", "cluster:one.toml", "local:left")
	mustRun(t, 0, dir, "gen", "island", "@hub", "--size", "4", "--store", "cluster:one.toml")
	mustRun(t, 0, dir, "list", "--store", "cluster:one.toml")
	refused("catalogue", "list", "--store", "cluster:two.toml")
}

// TestLostCatalogue loses objects of a catalogue in a bucket. With a checkpoint before them
// nothing is lost; without one check names what is, and salvage saves the rest.
func TestLostCatalogue(t *testing.T) {
	dir := t.TempDir()
	text := "[catalogue]\nkind = \"bucket\"\n\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n"
	if err := os.WriteFile(filepath.Join(dir, "cluster.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	on := func(args ...string) []string { return append(args, "--store", "cluster:cluster.toml") }
	remove := func(kind string, back int) {
		t.Helper()
		var found []string
		err := filepath.WalkDir(filepath.Join(dir, "bucket"), func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && strings.Contains(filepath.ToSlash(path), kind) {
				found = append(found, path)
			}
			return err
		})
		if err == nil && len(found) > back {
			err = os.Remove(found[len(found)-1-back])
		}
		if err != nil || len(found) <= back {
			t.Fatalf("%d objects, %v", len(found), err)
		}
	}
	mustRun(t, 0, dir, on("gen", "island", "@hub", "--size", "4")...)
	mustRun(t, 0, dir, "check", "--checkpoint", "cluster:cluster.toml")
	remove(",log+", 1)
	mustRun(t, 0, dir, "check", "cluster:cluster.toml")
	mustRun(t, 0, dir, on("fork", "@hub", "@a")...)
	mustRun(t, 0, dir, on("fork", "@hub", "@b")...)
	remove(",log+", 1)
	if r := mustRun(t, 1, dir, on("list")...); !strings.Contains(r.errors, "lost") {
		t.Errorf("list: %s", r.errors)
	}
	if r := mustRun(t, 1, dir, "check", "cluster:cluster.toml"); !strings.Contains(r.out, "it is lost") {
		t.Errorf("check: %s", r.out)
	}
	if r := mustRun(t, 1, dir, "salvage", "cluster:cluster.toml", "local:left"); !strings.Contains(r.out, "it is lost") {
		t.Errorf("salvage: %s", r.out)
	}
	if r := mustRun(t, 0, dir, "list", "--store", "local:left"); !strings.Contains(r.out, "@hub") {
		t.Errorf("list: %s", r.out)
	}
	mustRun(t, 0, dir, "check", "local:left")
}
