//go:build unix

package main_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestExposed checks the warning about a store and tokens that others may read.
func TestExposed(t *testing.T) {
	dir := versions(t)
	mustRun(t, 0, dir, "token", "new", "--file", "tokens.json", "--role", "read")
	for _, args := range [][]string{{"list"}, {"token", "list", "--file", "tokens.json"}} {
		if r := mustRun(t, 0, dir, args...); r.errors != "" {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
	for path, mode := range map[string]os.FileMode{"cairn-data": 0o755, "tokens.json": 0o640} {
		if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	for path, args := range map[string][]string{"cairn-data": {"list"}, "tokens.json": {"token", "list", "--file", "tokens.json"}} {
		if r := cairn(t, dir, args...); r.code != 0 || !strings.Contains(r.errors, "chmod -R go= "+path) {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
	s := mustServe(t, dir, "--tokens", "tokens.json")
	s.until("chmod -R go= cairn-data")
	s.until("chmod -R go= tokens.json")
}

// TestInterrupt sends SIGINT while a world is made that would take hours, and
// while one is written.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	c := exec.Command(program, "gen", "--size", "2048", "survival", "endless.cairn")
	c.Dir = dir
	interrupt(t, c, func() bool { // it opens no file for a minute
		time.Sleep(time.Second)
		return true
	})
	mustRun(t, 0, dir, "gen", "--size", "16", "survival", "big")
	for _, args := range [][]string{{"import", "big", "world.cairn"}, {"export", "big.cairn", "back"}} {
		if args[0] == "export" {
			mustRun(t, 0, dir, "import", "big", "big.cairn")
		}
		before := list(t, dir)
		c := exec.Command(program, args...)
		c.Dir = dir
		interrupt(t, c, func() bool {
			temp, _ := filepath.Glob(filepath.Join(dir, ".cairn-*.tmp"))
			return len(temp) > 0
		})
		if after := list(t, dir); after != before {
			t.Errorf("%v left something: before\n%safter\n%s", args, before, after)
		}
	}
}

// atWork reports whether c has opened something in its folder, so that it handles signals
// by now. Where that cannot be seen, atWork gives it time.
func atWork(c *exec.Cmd) bool {
	open := fmt.Sprintf("/proc/%d/fd", c.Process.Pid)
	files, err := os.ReadDir(open)
	if err != nil {
		time.Sleep(time.Second)
		return true
	}
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		name, err := os.Readlink(filepath.Join(open, f.Name()))
		return err == nil && strings.HasPrefix(name, c.Dir+"/")
	})
}

// interrupt starts c, sends SIGINT when it may, and wants exit status 130.
func interrupt(t *testing.T, c *exec.Cmd, may func() bool) {
	t.Helper()
	messages, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for !may() && syscall.Kill(c.Process.Pid, 0) == nil {
		time.Sleep(time.Millisecond)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(messages)
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 || string(said) != "cairn: interrupted\n" {
		t.Errorf("%v: exit status %d, says %q", c.Args[1:], code, said)
	}
}

// TestFullDisk lets no file grow beyond a few kilobytes.
func TestFullDisk(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "import", "island", "a.cairn")
	before := list(t, dir)
	for _, args := range []string{"import island b.cairn", "import --force island a.cairn", "export a.cairn back", "export a.cairn a.slime",
		"render island a.png", "mesh island a.glb", "mesh island a.obj", "gen --size 4 island b.cairn", "gen --size 4 island b"} {
		r := start(t, dir, "sh", "-c", fmt.Sprintf("ulimit -f 4; exec %s %s", program, args))
		if r.code != 3 || !strings.Contains(r.errors, "file too large") {
			t.Errorf("%s: exit status %d, says %q", args, r.code, r.errors)
		}
		if after := list(t, dir); after != before {
			t.Errorf("%s: before\n%safter\n%s", args, before, after)
		}
	}
}

// TestTextureStops: what ends before it is complete leaves no texture file, and the one before.
func TestTextureStops(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	grey(t, filepath.Join(dir, "noise.png"), 1200, 1100, func(x, y int) uint8 { return uint8(r.Uint32()) }) // more than is written at a time
	wide := "\x80\x90\xA0\x80" + strings.Repeat("\x01\x01\x01\xFF\x80\x90\xA0\x80", 4000/256-1)
	wide += strings.Repeat("\x80\x90\xA0\x80", 4000-256*(4000/256-1)-1)
	write(t, filepath.Join(dir, "wide.hdr"), []byte("#?RADIANCE\n\n-Y 4000 +X 4000\n"+strings.Repeat(wide, 4000)))
	grey(t, filepath.Join(dir, "small.png"), 9, 9, func(x, y int) uint8 { return uint8(x) })
	mustRun(t, 0, dir, "texture", "make", "small.png", "old.ctex")
	before := list(t, dir)
	for _, args := range []string{"noise.png a.ctex", "--force noise.png old.ctex"} {
		r := start(t, dir, "sh", "-c", fmt.Sprintf("ulimit -f 4; exec %s texture make %s", program, args))
		if r.code != 3 || !strings.HasSuffix(r.errors, ".ctex: file too large\n") {
			t.Errorf("%s: exit status %d, says %q", args, r.code, r.errors)
		}
	}
	c := exec.Command(program, "texture", "make", "--force", "wide.hdr", "old.ctex")
	c.Dir = dir
	interrupt(t, c, func() bool {
		temp, _ := filepath.Glob(filepath.Join(dir, ".cairn-*.tmp"))
		return len(temp) > 0
	})
	if after := list(t, dir); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}

// TestFullStore lets no file of a store grow beyond a few kilobytes: what was kept
// stays, and the next save is as good as ever.
func TestFullStore(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "12", "plots", "plots")
	mustRun(t, 0, dir, "import", "island", "@isle")
	for _, args := range []string{"commit plots @isle", "import plots @plots", "backup --to backups"} {
		r := start(t, dir, "sh", "-c", fmt.Sprintf("ulimit -f 4; exec %s %s", program, args))
		if r.code != 3 || !strings.Contains(r.errors, "file too large") || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%s: exit status %d, says %q", args, r.code, r.errors)
		}
		mustRun(t, 0, dir, "check", "local:cairn-data")
	}
	if l := logs(t, dir, "@isle"); len(l) != 1 {
		t.Errorf("there are %d versions, want 1", len(l))
	}
	mustRun(t, 0, dir, "commit", "plots", "@isle")
	mustRun(t, 0, dir, "diff", "plots", "@isle")
}

// TestOpenWorld holds the lock that a running game holds.
func TestOpenWorld(t *testing.T) {
	dir := island(t)
	f, err := os.Create(filepath.Join(dir, "island", "session.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mustRun(t, 0, dir, "info", "island")
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", "island", "a.cairn"}, {"info", "island"}, {"check", "island"}} {
		if r := mustRun(t, 3, dir, args...); !strings.Contains(r.errors, "running game") {
			t.Errorf("%v: says %q", args, r.errors)
		}
	}
}

// TestUnreadable names what cannot be read. Root can read everything: then the
// command is run by nobody.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.slime"), noise(10))
	if err := os.Chmod(filepath.Join(dir, "a.slime"), 0); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "info", "a.slime")
	var says strings.Builder
	c.Dir, c.Stderr = dir, &says
	if os.Getuid() == 0 {
		for _, d := range []string{filepath.Dir(dir), dir, filepath.Dir(program)} {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := c.Run(); c.ProcessState == nil || c.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v, want exit status 3: %s", err, says.String())
	}
	if !strings.Contains(says.String(), "a.slime: permission denied") {
		t.Errorf("says %q", says.String())
	}
}

// TestInterruptedSave sends SIGINT at every stage of saves: the version is there
// whole or not at all.
func TestInterruptedSave(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	mustRun(t, 0, dir, "import", "island", "@isle")
	versions, done := 1, 0
	for wait := time.Duration(0); done < 3; wait += 10 * time.Millisecond {
		like := []string{"island", "other"}[versions%2]
		c := exec.Command(program, "commit", like, "@isle")
		c.Dir = dir
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		_ = c.Process.Signal(os.Interrupt) // it may have ended
		_ = c.Wait()
		code := c.ProcessState.ExitCode()
		log := logs(t, dir, "@isle")
		switch {
		case code == 0:
			done++
			versions++
		case code > 0 && code != 130:
			t.Fatalf("after %v: exit status %d", wait, code)
		}
		if len(log) == versions+1 && code != 0 { // it came too late
			versions++
		}
		if len(log) != versions {
			t.Fatalf("after %v, exit status %d: %d versions, want %d", wait, code, len(log), versions)
		}
		mustRun(t, 0, dir, "diff", "@isle", []string{"other", "island"}[versions%2])
	}
	mustRun(t, 0, dir, "check", "local:cairn-data")
}
