package main_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDryRun asks each verb that deletes what it would delete: it says so, and all is there.
func TestDryRun(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "snapshot", "save", "@isle", "before")
	mustRun(t, 0, dir, "fork", "@isle", "@gone")
	mustRun(t, 0, dir, "delete", "@gone")
	mustRun(t, 0, dir, "backup", "--to", "backups")
	mustRun(t, 0, dir, "backup", "--to", "backups")
	before := mustRun(t, 0, dir, "list", "--json").out
	for _, tt := range []struct{ args, say string }{
		{"delete @isle --dry-run", "would delete @isle, whose newest version is 3"},
		{"snapshot delete @isle before --dry-run", "would delete @isle/.snapshots/before"},
		{"purge @isle --dry-run", "versions"},
		{"purge @gone --dry-run", "versions"},
		{"gc --keep newest=1 --deleted 0 --dry-run", "versions dropped"},
		{"backup --to backups --keep 1 --dry-run", "after the backup that this would make, it would remove:"},
		{"migrate local:cairn-data local:elsewhere --dry-run", "  isle\n"},
		{"export @/ elsewhere --dry-run", "  isle (@isle)\n"},
		{"mirror @/ elsewhere --dry-run", "would copy  1\n"},
	} {
		if r := mustRun(t, 0, dir, strings.Fields(tt.args)...); !strings.Contains(r.out, tt.say) {
			t.Errorf("%s says %q", tt.args, r.out)
		}
	}
	would := mustJSON(t, 0, dir, "gc", "--keep", "newest=1", "--deleted", "0", "--dry-run")
	if got := mustRun(t, 0, dir, "list", "--json").out; got != before {
		t.Errorf("there are %s, were %s", got, before)
	}
	if n := len(logs(t, dir, "@isle")); n != 3 {
		t.Errorf("%d versions are left", n)
	}
	if r := mustRun(t, 0, dir, "backup", "list", "--from", "backups"); strings.Count(r.out, "\n") != 2 {
		t.Errorf("there are %q", r.out)
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a target of migrate was made")
	}
	if v := mustJSON(t, 0, dir, "gc", "--keep", "newest=1", "--deleted", "0"); v["commits"] != would["commits"] || v["commits"] == 0.0 || v["worlds"] != 1.0 || would["worlds"] != 1.0 {
		t.Errorf("gc drops %v, and would drop %v", v, would)
	}
	for _, args := range []string{"delete @nobody --dry-run", "purge @nobody --dry-run"} {
		mustRun(t, 3, dir, strings.Fields(args)...)
	}
}

// A server whose port is taken leaves no store behind.
func TestServePortTaken(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, flag := range []string{"--listen", "--stream-listen", "--debug"} {
		dir := t.TempDir()
		args := []string{"serve", "--listen", "127.0.0.1:0", "--store", "local:new", flag, busy.Addr().String()}
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, "address already in use") {
			t.Errorf("%s says %q", flag, r.errors)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s left %v behind, %v", flag, list, err)
		}
	}
}
