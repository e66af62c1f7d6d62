package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
)

// TestBucketBackup backs up a store to a bucket, restores it, and moves it.
func TestBucketBackup(t *testing.T) {
	dir := versions(t)
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "key.txt"), []byte(key.String()+"\n"))
	if v := mustJSON(t, 0, dir, "backup", "--to", "dir:plain", "--verify"); v["worlds"] != 1.0 || v["verified"].(map[string]any)["stones"] != 2.0 {
		t.Errorf("backup prints %v", v)
	}
	mustRun(t, 0, dir, "backup", "--to", "dir:locked", "--recipient", key.Recipient().String(), "--keep", "3")
	mustRun(t, 0, dir, "commit", "other", "@isle")
	if r := mustRun(t, 0, dir, "backup", "--to", "dir:locked", "--recipient", key.Recipient().String(), "--keep", "1"); !strings.Contains(r.out, "1 world, 1 changed") || !strings.Contains(r.out, "removed:") {
		t.Errorf("backup says %q", r.out)
	}
	if r := mustRun(t, 0, dir, "backup", "list", "--from", "dir:locked"); strings.Count(r.out, "\n") != 1 || !strings.Contains(r.out, "1 world, 1 changed") || !strings.Contains(r.out, "encrypted") {
		t.Errorf("list says %q", r.out)
	}
	if r := mustRun(t, 0, dir, "backup", "verify", "--from", "dir:locked"); !strings.Contains(r.out, "1 backup") || !strings.Contains(r.out, "no identity") {
		t.Errorf("verify says %q", r.out)
	}
	if r := mustRun(t, 3, dir, "backup", "--to", "dir:locked"); !strings.Contains(r.errors, "is encrypted") || !strings.Contains(r.errors, "--plain") {
		t.Errorf("backup in plain says %q", r.errors)
	}
	if r := mustRun(t, 3, dir, "restore-store", "dir:locked", "local:again"); !strings.Contains(r.errors, "--identity") {
		t.Errorf("restore-store without a key says %q", r.errors)
	}
	if _, err := os.Stat(filepath.Join(dir, "again")); err == nil {
		t.Error("a store was made from a backup that nothing decrypts")
	}
	mustRun(t, 0, dir, "restore-store", "dir:locked", "local:again", "--identity", "key.txt")
	mustRun(t, 0, dir, "restore-store", "dir:plain", "local:again", "--world", "isle", "--as", "isle-then", "--at", "2999-01-01")
	log := func(args ...string) string { return mustRun(t, 0, dir, append([]string{"log"}, args...)...).out }
	if got, want := log("@isle", "--store", "local:again"), log("@isle"); got != want {
		t.Errorf("restored: got %q, want %q", got, want)
	}
	if r := mustRun(t, 0, dir, "migrate", "local:again", "local:moved"); !strings.Contains(r.out, "2 worlds moved") {
		t.Errorf("migrate says %q", r.out)
	}
	if got, want := log("@isle", "--store", "local:moved"), log("@isle"); got != want {
		t.Errorf("moved: got %q, want %q", got, want)
	}
	largest := largestBelow(t, filepath.Join(dir, "plain"))
	bad := read(t, largest)
	bad[len(bad)/2] ^= 1
	if err := os.Chmod(largest, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, largest, bad)
	if r := mustRun(t, 1, dir, "backup", "verify", "--from", "dir:plain"); !strings.Contains(r.out, "damaged:") {
		t.Errorf("verify says %q", r.out)
	}
	for _, verb := range []string{"verify", "list"} {
		if r := mustRun(t, 3, dir, "backup", verb, "--from", "dir:mistyped"); !strings.Contains(r.errors, "dir:mistyped: there is no backup") {
			t.Errorf("%s says %q", verb, r.errors)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "mistyped")); err == nil {
		t.Error("a folder was made by reading it")
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, 3, dir, "restore-store", "dir:empty", "local:of-nothing"); !strings.Contains(r.errors, "dir:empty: there is no backup") {
		t.Errorf("restore-store says %q", r.errors)
	}
	if _, err := os.Stat(filepath.Join(dir, "of-nothing")); err == nil {
		t.Error("a store was made from no backup")
	}
	for _, args := range []string{"backup --to s3:x --verify", "backup list --from local:plain", "restore-store http://plain local:x --world isle", "restore-store dir:plain local:x --at 2999-01-01",
		"migrate local:moved local:moved", "migrate local:moved memory:", "restore-store dir:locked memory: --identity key.txt", "serve --store memory: --backup memory:", "serve --recipient age1x"} {
		mustRun(t, 2, dir, strings.Fields(args)...)
	}
}

// largestBelow returns the largest file below a folder.
func largestBelow(t *testing.T, dir string) (largest string) {
	t.Helper()
	var size int64
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() && info.Size() > size {
			largest, size = path, info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return largest
}

// TestMend puts a stone that a cluster's bucket has lost back from a backup.
func TestMend(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "c.toml"), []byte("[catalogue]\nkind = \"bucket\"\n\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n\n[cache]\npath = \"cache\"\n"))
	mustRun(t, 0, dir, "gen", "island", "@hub", "--size", "4", "--store", "cluster:c.toml")
	mustRun(t, 0, dir, "backup", "--to", "dir:backups", "--store", "cluster:c.toml")
	mustRun(t, 0, dir, "backup", "--to", "backups", "--store", "cluster:c.toml")
	if r := mustRun(t, 3, dir, "migrate", "cluster:c.toml", "cluster:./c.toml"); !strings.Contains(r.errors, "the same store") {
		t.Errorf("migrate says %q", r.errors)
	}
	mustRun(t, 0, dir, "check", "cluster:c.toml")
	if err := os.Remove(largestBelow(t, filepath.Join(dir, "bucket"))); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, 1, dir, "check", "cluster:c.toml"); !strings.Contains(r.out, "hub") {
		t.Errorf("check says %q", r.out)
	}
	if r := mustRun(t, 0, dir, "check", "cluster:c.toml", "--mend", "dir:backups"); !strings.Contains(r.out, "1 stone put back") {
		t.Errorf("check --mend says %q", r.out)
	}
	mustRun(t, 0, dir, "check", "cluster:c.toml")
}

// TestBucketLosses restores from a bucket that lost a seal, and then bytes: each run says which
// backup it took and what it could not, and exits with 1.
func TestBucketLosses(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "backup", "--to", "dir:b")
	mustRun(t, 0, dir, "import", "other", "@other")
	name, _ := mustJSON(t, 0, dir, "backup", "--to", "dir:b", "--keep", "9")["name"].(string)
	var seals []string
	err := filepath.WalkDir(filepath.Join(dir, "b", "sea+"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			seals = append(seals, path)
		}
		return err
	})
	if err != nil || len(seals) != 2 {
		t.Fatal(seals, err)
	}
	seal := read(t, seals[1])
	if err := os.Remove(seals[1]); err != nil {
		t.Fatal(err)
	}
	if r := mustRun(t, 1, dir, "restore-store", "dir:b", "local:one"); !strings.Contains(r.out, name[:20]) || !strings.Contains(r.out, "seal") || !strings.Contains(r.out, "1 world restored") {
		t.Errorf("without a seal: says %q", r.out)
	}
	mustRun(t, 0, dir, "restore-store", "dir:b", "local:two", "--backup", name)
	write(t, seals[1], seal)
	largest := largestBelow(t, filepath.Join(dir, "b"))
	bad := read(t, largest)
	bad[len(bad)/2] ^= 1
	if err := os.Chmod(largest, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, largest, bad)
	if r := mustRun(t, 1, dir, "restore-store", "dir:b", "local:three"); !strings.Contains(r.out, "1 world restored") || !strings.Contains(r.out, "damaged in the backup") || !strings.Contains(r.out, "from backup "+name[:20]) {
		t.Errorf("with a flipped bit: says %q", r.out)
	}
	if r := mustRun(t, 0, dir, "backup", "--to", "dir:b", "--keep", "1", "--dry-run"); strings.Count(r.out, "\n") != 3 || !strings.Contains(r.out, name) {
		t.Errorf("a dry run says %q", r.out)
	}
	if r := mustRun(t, 3, dir, "backup", "--to", "dir:b", "--store", "local:empty"); !strings.Contains(r.errors, "no store is there") {
		t.Errorf("of no store: says %q", r.errors)
	}
	if r := mustRun(t, 0, dir, "backup", "end", "--to", "dir:b"); !strings.Contains(r.out, "no backup is being made") {
		t.Errorf("end says %q", r.out)
	}
}
