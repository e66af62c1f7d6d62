//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// clone returns a checkout of the last commit, which has the tag v0.0.1.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cairn")
	out, err := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-common-dir").Output()
	if err != nil {
		t.Skip("this is no checkout of git")
	}
	commit := strings.TrimSpace(run(t, ".", "git", "rev-parse", "HEAD"))
	run(t, ".", "git", "clone", "-q", "--shared", "--no-checkout", strings.TrimSpace(string(out)), dir)
	run(t, dir, "git", "checkout", "-q", "--detach", commit)
	run(t, dir, "git", "tag", "v0.0.1")
	return dir
}

// versionOf builds the command in a checkout and returns what it says of itself.
func versionOf(t *testing.T, checkout string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "cairn")
	run(t, checkout, "go", "build", "-buildvcs=auto", "-trimpath", "-o", program, "./cmd/cairn")
	return run(t, ".", program, "--version")
}

// TestCheckout builds the command in a checkout: at a tag, with changes, and behind the tag.
func TestCheckout(t *testing.T) {
	long.Rest(t)
	dir := clone(t)
	commit := run(t, dir, "git", "rev-parse", "HEAD")[:12]
	if got := versionOf(t, dir); !strings.HasPrefix(got, "cairn v0.0.1, commit "+commit+" of ") || strings.Contains(got, "with changes") {
		t.Errorf("at a tag it is %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "more.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := versionOf(t, dir); !strings.HasPrefix(got, "cairn v0.0.1+dirty, commit "+commit+" of ") || !strings.Contains(got, ", with changes, ") {
		t.Errorf("with changes it is %q", got)
	}
	run(t, dir, "git", "add", "more.txt")
	run(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "more")
	commit = run(t, dir, "git", "rev-parse", "HEAD")[:12]
	if got := versionOf(t, dir); !strings.HasPrefix(got, "cairn v0.0.2-0.") || !strings.Contains(got, "-"+commit+", commit "+commit+" of ") {
		t.Errorf("behind a tag it is %q", got)
	}
	if out, err := release(t, dir, "", "0.0.1", t.TempDir()); err == nil || !strings.Contains(out, "the tag v0.0.1 is another commit") {
		t.Errorf("a release of another commit than its tag: %v\n%s", err, out)
	}
}

// TestReproduced makes a release twice.
func TestReproduced(t *testing.T) {
	long.Rest(t)
	dir, out := clone(t), [2]string{}
	for i := range out {
		to := t.TempDir()
		if said, err := release(t, dir, "TARGETS=linux/amd64", "0.0.1", to); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		out[i] = string(mustRead(t, filepath.Join(to, "SHA256SUMS")))
	}
	if out[0] != out[1] {
		t.Errorf("first\n%s\nthen\n%s", out[0], out[1])
	}
}

// TestInstall lets go install get the command at a tag from a proxy, which a folder is.
func TestInstall(t *testing.T) {
	long.Rest(t)
	dir := clone(t)
	proxy, bin := t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, "github.com/cairnvoxel/cairn/@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"list": "v0.0.1\n", "v0.0.1.info": `{"Version":"v0.0.1","Time":"2026-11-20T10:00:00Z"}`, "v0.0.1.mod": string(mustRead(t, filepath.Join(dir, "go.mod"))),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pack := []string{"archive", "--format=zip", "--prefix=github.com/cairnvoxel/cairn@v0.0.1/", "-o", filepath.Join(at, "v0.0.1.zip"), "HEAD", "--", "."}
	for _, name := range strings.Fields(run(t, dir, "git", "ls-files", "*/go.mod")) { // modules of their own
		pack = append(pack, ":!"+filepath.Dir(name))
	}
	run(t, dir, "git", pack...)
	cache := strings.TrimSpace(run(t, ".", "go", "env", "GOMODCACHE"))
	c := exec.Command("go", "install", "-trimpath", "-modcacherw", "github.com/cairnvoxel/cairn/cmd/cairn@v0.0.1")
	c.Dir = bin
	c.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GONOSUMDB=*",
		fmt.Sprintf("GOPROXY=file://%s,file://%s/cache/download", proxy, cache))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := run(t, bin, filepath.Join(bin, "cairn"), "--version"); !strings.HasPrefix(got, "cairn v0.0.1, go1.") {
		t.Errorf("it is %q", got)
	}
}
