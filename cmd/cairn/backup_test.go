package main_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckStore(t *testing.T) {
	dir := versions(t)
	v := mustJSON(t, 0, dir, "check", "local:cairn-data")["checked"].([]any)[0].(map[string]any)
	if s := v["store"].(map[string]any); v["ok"] != true || s["worlds"] != 1.0 || s["commits"] != 3.0 || s["stones"] != 2.0 {
		t.Errorf("check prints %v", v)
	}
	for _, args := range [][]string{{"check", "--store", "local:./cairn-data"}, {"check", "@isle", "local:cairn-data", "island"}} {
		if r := mustRun(t, 0, dir, args...); !strings.Contains(r.out, "cairn-data: ok (1 world, 3 versions, 2 stones of ") {
			t.Errorf("%v: says %q", args, r.out)
		}
	}
	mustRun(t, 3, dir, "check", "local:nowhere")
	mustRun(t, 0, dir, "check", "memory:")
	mustRun(t, 2, dir, "check", "http://127.0.0.1:9")
}

// TestDamagedStore changes bytes of every file that holds stones.
func TestDamagedStore(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "commit", "island", "@isle") // what was saved before is in files now
	found := 0
	err := filepath.WalkDir(filepath.Join(dir, "cairn-data", "db"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".blob" {
			return err
		}
		good := read(t, path)
		bad := append([]byte(nil), good...)
		bad[len(bad)/2] ^= 1
		write(t, path, bad)
		if r := cairn(t, dir, "check", "local:cairn-data"); r.code == 0 {
			t.Errorf("a byte of %s is wrong, and check says %q", e.Name(), r.out)
		} else if r.code == 1 {
			found++
		}
		write(t, path, good)
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d faults were found: %v", found, err)
	}
	mustRun(t, 0, dir, "check", "local:cairn-data")
}

func TestBackup(t *testing.T) {
	dir := versions(t)
	v := mustJSON(t, 0, dir, "backup", "--to", "backups")
	if keys(v) != "changed freed name new objects removed resumed sampled shared stones time to worlds wrong" || v["stones"] != 2.0 || v["sampled"] != v["objects"].(float64)-2 {
		t.Errorf("backup prints %v", v)
	}
	mustRun(t, 0, dir, "commit", "other", "@isle")
	mustRun(t, 0, dir, "backup", "--to", "backups", "--keep", "2")
	if v := mustJSON(t, 0, dir, "backup", "--to", "backups", "--keep", "2"); len(v["removed"].([]any)) != 1 || v["shared"] == 0.0 {
		t.Errorf("a third backup prints %v", v)
	}
	r := mustJSON(t, 0, dir, "restore-store", "backups", "local:again")
	if keys(r) != "backup bytes from hurt refused same stones store worlds" || r["worlds"] != 1.0 {
		t.Errorf("restore-store prints %v", r)
	}
	t.Setenv("CAIRN_STORE", "local:again")
	if v := mustJSON(t, 0, dir, "check")["checked"].([]any)[0].(map[string]any); v["store"].(map[string]any)["commits"] != 4.0 {
		t.Errorf("what was restored is %v", v)
	}
	mustRun(t, 0, dir, "diff", "@isle", "other")
	mustRun(t, 0, dir, "diff", "@isle@3", "island")
	mustRun(t, 0, dir, "commit", "island", "@isle")
	if r := mustRun(t, 0, dir, "restore-store", "backups", "local:again", "--world", "isle", "--as", "beside"); !strings.Contains(r.out, "@beside") {
		t.Errorf("beside a world: %q", r.out)
	}
	mustRun(t, 0, dir, "import", "other", "@isle", "--store", "local:elsewhere")
	write(t, filepath.Join(dir, "used", "notes"), []byte("mine"))
	for reason, args := range map[string][]string{
		"worlds of these names are there":     {"restore-store", "backups", "local:elsewhere"},
		"it is no bucket":                     {"restore-store", "island", "local:new"},
		"it is no bucket, and it has notes":   {"backup", "--to", "used"},
		"the folder is inside the store":      {"backup", "--to", "again/backups"},
		"the folder is inside the store itse": {"backup", "--to", "dir:./again"},
		"no such file":                        {"restore-store", "nowhere", "local:new"},
		"no store is there; cairn":            {"backup", "--to", "x", "--store", "local:nowhere"},
	} {
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, reason) {
			t.Errorf("%v: says %q, want %q", args, r.errors, reason)
		}
	}
	for _, keep := range []string{"-1", "3x", "0h", "1,2", "1h,2h", "3w,", "3w,0"} {
		mustRun(t, 2, dir, "backup", "--to", "x", "--keep", keep)
	}
	for i, keep := range []string{"0", "3w,1", "36h", "1ms,4", "1ms,2", "1ms"} {
		want := []int{0, 0, 0, 0, 3, 2}[i]
		if v := mustJSON(t, 0, dir, "backup", "--to", "kept", "--keep", keep); len(v["removed"].([]any)) != want {
			t.Errorf("--keep %s: removed %v, want %d", keep, v["removed"], want)
		}
	}
	for _, args := range [][]string{{"backup"}, {"backup", "--to", "http://x"}, {"restore-store", "backups", "again"}} {
		mustRun(t, 2, dir, args...)
	}
}
