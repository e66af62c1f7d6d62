//go:build unix

package main_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// backups makes a folder with dated zips of a world that changes a little, and returns its parent. TMPDIR and the
// cache of the user are folders of their own.
func backups(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = island(t)
	mustRun(t, 0, dir, "import", "island", "@hub", "--store", "local:made")
	for i := range n {
		mustRun(t, 0, dir, "--store", "local:made", "edit", "@hub", "ball", "--at", fmt.Sprint(i, ",80,0"), "--r", "2", "--name", "minecraft:stone")
		state := filepath.Join(dir, fmt.Sprint("state", i))
		mustRun(t, 0, dir, "--store", "local:made", "export", "@hub", state)
		write(t, filepath.Join(dir, "backups", fmt.Sprintf("hub-2019-03-%02d_10-00-00.zip", 1+i)), zipOf(t, state))
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return dir
}

// checkGone fails if something lies in the folder of temporary files or in the user's cache.
func checkGone(t *testing.T, what string) {
	t.Helper()
	for _, dir := range []string{os.Getenv("TMPDIR"), os.Getenv("XDG_CACHE_HOME")} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: stays: %v, %v", what, left, err)
		}
	}
}

// TestTry weighs backups of several worlds and kinds: what cannot be read is named, nothing is written, and the
// sums are right.
func TestTry(t *testing.T) {
	dir := backups(t, 4)
	at := func(name string) string { return filepath.Join(dir, "backups", name) }
	files := map[string][]byte{}
	for _, name := range []string{"level.dat", "region/r.0.0.mca"} {
		files[name] = read(t, filepath.Join(dir, "island", name))
	}
	write(t, at("old/lobby_20180102.tar"), tarred(t, "", files))
	write(t, at("old/lobby_20180103.tar.gz"), gzipped(t, tarred(t, "", files))) // the same again
	write(t, at("hub-2019-04-01.zip"), read(t, at("hub-2019-03-01_10-00-00.zip"))[:3000])
	write(t, at("hub-2999-04-01.zip"), read(t, at("hub-2019-03-01_10-00-00.zip")))
	write(t, at("notes.txt"), []byte("none"))
	write(t, at("textures.zip"), zipped(t, "", map[string][]byte{"pack.mcmeta": []byte("{}")}))
	live := filepath.Join(dir, "backups", "live")
	mustRun(t, 0, dir, "export", "--store", "local:made", "@hub", live)
	before := list(t, filepath.Join(dir, "backups"))
	lock, err := os.Create(filepath.Join(live, "session.lock"))
	if err == nil {
		defer lock.Close()
		err = syscall.FcntlFlock(lock.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
	}
	if err != nil {
		t.Fatal(err)
	}
	v := mustJSON(t, 0, dir, "try", "backups")
	if got, want := keys(v), "about_backups about_bytes backups bytes history_bytes left_out read read_bytes remarks seconds stopped worlds"; got != want {
		t.Errorf("try prints %s, want %s", got, want)
	}
	size := 0.0
	for _, name := range []string{"old/lobby_20180102.tar", "old/lobby_20180103.tar.gz", "hub-2019-03-01_10-00-00.zip", "hub-2019-03-02_10-00-00.zip", "hub-2019-03-03_10-00-00.zip", "hub-2019-03-04_10-00-00.zip"} {
		size += float64(len(read(t, at(name))))
	}
	for name, want := range map[string]float64{"backups": 6, "read": 6, "about_backups": 6, "left_out": 4, "bytes": size, "read_bytes": size} {
		if v[name] != want {
			t.Errorf("%s is %v, want %v", name, v[name], want)
		}
	}
	if h := v["history_bytes"].(float64); h < 1000 || h > size/3 || h != v["about_bytes"] {
		t.Errorf("the history takes %v of %v, about %v", h, size, v["about_bytes"])
	}
	got := ""
	for _, w := range v["worlds"].([]any) {
		w := w.(map[string]any)
		got += fmt.Sprint(w["name"], " ", w["backups"], " ", w["read"], "; ")
	}
	if want := "hub 4 4; lobby 2 2; "; got != want {
		t.Errorf("worlds are %s, want %s", got, want)
	}
	remarks := fmt.Sprint(v["remarks"])
	for _, want := range []string{"hub-2019-04-01.zip: left out: zip: cut short", "hub-2999-04-01.zip: left out: its time is to come", "textures.zip: left out: the archive has no world",
		"live: left out: anvil: open backups/live: a running game holds", "names alone, because they are tars or half of the time was over: 2 backups"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("remarks are %s, want %s", remarks, want)
		}
	}
	r := mustRun(t, 0, dir, "try", "--no-page", "backups/old", "backups/hub-2019-03-01_10-00-00.zip")
	for _, want := range []string{"hub          1", "lobby        2", "3 backups of 2 worlds take ", "The history of the 3 that were read takes ", " s each.\n"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("try prints no %q:\n%s", want, r.out)
		}
	}
	if err := os.Remove(lock.Name()); err != nil {
		t.Fatal(err)
	}
	if after := list(t, filepath.Join(dir, "backups")); after != before {
		t.Errorf("files changed: before\n%s\nafter\n%s", before, after)
	}
	checkGone(t, "try")
}

// TestTrySeeds tells worlds apart whose names are equal but for numbers, by their seeds.
func TestTrySeeds(t *testing.T) {
	dir := backups(t, 0)
	for i, seed := range []int64{7, 7, 8} {
		level := filepath.Join(dir, "island", "level.dat")
		reseed(t, level, seed)
		write(t, filepath.Join(dir, "backups", fmt.Sprintf("backup (%d).zip", i)), zipOf(t, filepath.Join(dir, "island")))
	}
	v := mustJSON(t, 0, dir, "try", "backups")
	if worlds := v["worlds"].([]any); len(worlds) != 2 || worlds[0].(map[string]any)["backups"] != 2.0 || worlds[1].(map[string]any)["backups"] != 1.0 || worlds[1].(map[string]any)["name"] != "backup-2" {
		t.Errorf("worlds are %v", worlds)
	}
}

// reseed sets the seed of a level.dat.
func reseed(t *testing.T, path string, seed int64) {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := io.ReadAll(r)
	name := []byte("\x04\x00\x04seed")
	i := bytes.Index(doc, name)
	if err != nil || i < 0 {
		t.Fatal(i, err)
	}
	for ; i >= 0; i = bytes.Index(doc, name) { // those of the generators too
		copy(doc[i:], "\x04\x00\x04Seed")
		binary.BigEndian.PutUint64(doc[i+len(name):], uint64(seed))
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err = w.Write(bytes.ReplaceAll(doc, []byte("\x04\x00\x04Seed"), name))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
}

// mustTry starts cairn try with its page, and returns the process, the URL of the server and what it printed.
func mustTry(t *testing.T, dir string) (c *exec.Cmd, host, printed string, log *said) {
	t.Helper()
	log = &said{}
	c = exec.Command(program, "try", "--no-open", "backups")
	c.Dir, c.Stderr = dir, log
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("cairn try prints no URL: %v\n%s%s", err, printed, log)
		}
		if strings.HasPrefix(line, "http://") {
			return c, strings.TrimSuffix(strings.TrimSpace(line), "/"), printed, log
		}
		printed += line
	}
}

// TestTryPage: the page has the time line of each world, changes nothing, and takes its store with it.
func TestTryPage(t *testing.T) {
	dir := backups(t, 3)
	before := list(t, dir)
	c, host, printed, log := mustTry(t, dir)
	if !strings.Contains(printed, "3 backups of 1 world take ") {
		t.Errorf("it prints %s", printed)
	}
	status, body := get(t, "GET", host+"/v1/log/hub")
	for _, want := range []string{"2019-03-01T10:00:00.000Z", "2019-03-02T10:00:00.000Z", "2019-03-03T10:00:00.000Z", "hub-2019-03-03_10-00-00.zip"} {
		if status != 200 || !strings.Contains(body, want) {
			t.Errorf("the log has no %s: %d %s", want, status, body)
		}
	}
	if status, body := get(t, "DELETE", host+"/v1/worlds/hub"); status != 403 {
		t.Errorf("deleted: %d %s", status, body)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 || !strings.HasSuffix(log.String(), "cairn: interrupted\n") {
		t.Errorf("exit status %d: %s", code, log)
	}
	if after := list(t, dir); after != before {
		t.Errorf("files changed: before\n%s\nafter\n%s", before, after)
	}
	checkGone(t, "the page")
}

// TestTryKilled: the next try deletes the store of one that was killed, and not that of one that runs.
func TestTryKilled(t *testing.T) {
	dir := backups(t, 2)
	stores := func() []string {
		found, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "cairn-try-*", "STORE"))
		for _, file := range found {
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		return found
	}
	killed, _, _, _ := mustTry(t, dir)
	killed.Process.Kill()
	killed.Wait()
	if n := len(stores()); n != 1 {
		t.Fatalf("%d stores are left by one that was killed", n)
	}
	runs, host, _, _ := mustTry(t, dir)
	if n := len(stores()); n != 1 {
		t.Errorf("%d stores beside one that runs", n)
	}
	mustRun(t, 0, dir, "try", "--no-page", "backups")
	if status, body := get(t, "GET", host+"/v1/worlds/hub"); status != 200 || len(stores()) != 1 {
		t.Errorf("its store was deleted: %d %s", status, body)
	}
	if err := runs.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	runs.Wait()
	checkGone(t, "the one that was killed")
}

// TestTryInterrupt interrupts it while it reads.
func TestTryInterrupt(t *testing.T) {
	dir := backups(t, 1)
	for i := range 300 {
		if err := os.Link(filepath.Join(dir, "backups", "hub-2019-03-01_10-00-00.zip"), filepath.Join(dir, "backups", fmt.Sprintf("hub-2018-01-01-%02d%02d.zip", i/60, i%60))); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(program, "try", "backups")
	c.Dir = dir
	interrupt(t, c, func() bool {
		found, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "cairn-try-*", "STORE"))
		return len(found) > 0
	})
	checkGone(t, "an interrupt")
}

// TestTryWrong: what cannot be tried is refused in words, and leaves nothing.
func TestTryWrong(t *testing.T) {
	dir := backups(t, 1)
	write(t, filepath.Join(dir, "bad", "hub-2019-04-01.zip"), noise(3000))
	write(t, filepath.Join(dir, "empty", "notes.txt"), noise(30))
	for _, tt := range []struct {
		code         int
		reason, args string
	}{
		{2, "usage", ""},
		{3, "none: no such file", "none"},
		{3, "empty: no backup of a world is there", "empty"},
		{3, "bad: bad/hub-2019-04-01.zip: left out: unknown format", "bad"},
		{3, "notes.txt: left out: unknown format", "empty/notes.txt"},
		{2, "which cairn only reads", os.Getenv("TMPDIR")},
		{2, "invalid argument", "--for long backups"},
	} {
		if r := cairn(t, dir, append([]string{"try", "--no-page"}, strings.Fields(tt.args)...)...); r.code != tt.code || !strings.Contains(r.errors, tt.reason) || r.out != "" {
			t.Errorf("try %s: exit status %d: %q, want %d with %q", tt.args, r.code, r.errors, tt.code, tt.reason)
		}
	}
	r := mustRun(t, 0, dir, "try", "--for", "1ns", "backups")
	for _, want := range []string{"1 backup of 1 world take", "The history of the 0 that were read", "1 were not read: --for 1ns was over.", "For 1 there is no estimate"} {
		if !strings.Contains(r.out, want) || strings.Contains(r.out, "would take") || strings.Contains(r.out, "http") {
			t.Errorf("without time it says %s, want %s", r.out, want)
		}
	}
	full := start(t, dir, "sh", "-c", fmt.Sprintf("ulimit -f 4; exec %s try --no-page backups", program))
	if full.code != 3 || !strings.Contains(full.errors, "file too large") {
		t.Errorf("without room: exit status %d: %s%s", full.code, full.out, full.errors)
	}
	checkGone(t, "what is wrong")
}
