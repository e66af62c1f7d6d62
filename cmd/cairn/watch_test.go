//go:build unix

package main_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/testing/rcontest"
)

// watched is a watch that runs.
type watched struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	log   *said
}

func mustWatch(t *testing.T, dir string, args ...string) *watched {
	t.Helper()
	w := &watched{t: t, lines: make(chan string, 1000), log: &said{}}
	w.cmd = exec.Command(program, append([]string{"watch"}, args...)...)
	w.cmd.Dir, w.cmd.Stderr = dir, w.log
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.cmd.Process.Kill()
		w.cmd.Wait()
	})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.lines <- lines.Text()
		}
		close(w.lines)
	}()
	return w
}

// until waits for a line with a text.
func (w *watched) until(text string) {
	w.t.Helper()
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				w.t.Fatalf("it has ended before %q: %s", text, w.log)
			}
			if strings.Contains(line, text) {
				return
			}
		case <-time.After(time.Minute):
			w.t.Fatalf("nothing says %q: %s", text, w.log)
		}
	}
}

// end interrupts the watch and waits for it.
func (w *watched) end() {
	w.t.Helper()
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("it ended with %v: %s", err, w.log)
	}
}

// copyFolder writes the files of a folder into another.
func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestWatch: what a game writes becomes versions, other verbs work between them, and in the end the newest is
// what the folder has.
func TestWatch(t *testing.T) {
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	save := func(from string) {
		t.Helper()
		all, err := filepath.Glob(filepath.Join(dir, from, "region", "*.mca"))
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		for _, name := range all {
			write(t, filepath.Join(dir, "island", "region", filepath.Base(name)), read(t, name))
		}
	}
	if err := os.Rename(filepath.Join(dir, "island"), filepath.Join(dir, "first")); err != nil {
		t.Fatal(err)
	}
	copyFolder(t, filepath.Join(dir, "island"), filepath.Join(dir, "first"))
	w := mustWatch(t, dir, "island", "@hub", "--every", "1s", "--settle", "100ms")
	w.until("version 1")
	save("other")
	w.until("version 2")
	if got := len(logs(t, dir, "@hub")); got != 2 {
		t.Errorf("%d versions beside the watch", got)
	}
	mustRun(t, 0, dir, "edit", "@hub", "ball", "--at", "0,70,0", "--r", "2", "--name", "gold_block") // which the folder has not
	save("first")
	w.until("version 4")
	w.end()
	if w.log.String() != "" {
		t.Errorf("it says %s", w.log)
	}
	mustRun(t, 0, dir, "diff", "island", "@hub")
}

// TestWatchConsole: a server does not save while its folder is read.
func TestWatchConsole(t *testing.T) {
	dir := island(t)
	g := rcontest.Start(t, rcontest.Echo)
	write(t, filepath.Join(dir, "secret"), []byte(rcontest.Password+"\n"))
	if err := os.Chmod(filepath.Join(dir, "secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := mustWatch(t, dir, "island", "@hub", "--rcon", g.Addr().String(), "--rcon-password-file", "secret", "--save", "all", "--json")
	w.until(`"version": 1`)
	w.end()
	if got, want := g.Heard(), []string{"save-on", "save-off", "save-all", "save-on"}; !slices.Equal(got, want) {
		t.Errorf("the server heard %q, want %q", got, want)
	}

	write(t, filepath.Join(dir, "secret"), []byte("wrong"))
	if r := mustRun(t, 3, dir, "watch", "island", "@hub", "--rcon", g.Addr().String(), "--rcon-password-file", "secret"); !strings.Contains(r.errors, "refused the password") {
		t.Errorf("a wrong password: %s", r.errors)
	}
}

// TestWatchConsoleKilled kills a watch while it holds saves off: they are turned on.
func TestWatchConsoleKilled(t *testing.T) {
	for _, c := range []struct {
		name, at string
		answered bool // before the kill
		args     []string
	}{
		{"before it hears that saves are off", "save-off", false, nil},
		{"while the server saves", "save-all", false, []string{"--save", "all"}},
		{"while it reads", "save-off", true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := island(t)
			heard, dead := make(chan struct{}), make(chan struct{})
			g := rcontest.Start(t, func(command string) []rcontest.Answer {
				if command == c.at {
					close(heard)
				}
				if command == c.at && !c.answered {
					<-dead
				}
				return rcontest.Echo(command)
			})
			write(t, filepath.Join(dir, "secret"), []byte(rcontest.Password))
			if err := os.Chmod(filepath.Join(dir, "secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			w := mustWatch(t, dir, append([]string{"island", "@hub", "--rcon", g.Addr().String(), "--rcon-password-file", "secret"}, c.args...)...)
			<-heard
			if err := w.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_, _ = w.cmd.Process.Wait() // not for the guard, which has its standard error
			close(dead)
			want := []string{"save-on", "save-off", "save-on"}
			if c.at == "save-all" {
				want = slices.Insert(want, 2, c.at)
			}
			g.Await(t, want...)
		})
	}
}

func TestWatchWrong(t *testing.T) {
	dir := island(t)
	write(t, filepath.Join(dir, "secret"), []byte("x"))
	for _, c := range []struct {
		args string
		want int
		says string
	}{
		{"watch island", 2, "wrong number"},
		{"watch island hub", 2, "@name"},
		{"watch island @hub --every 0x", 2, "--every"},
		{"watch island @hub --keep some", 2, "--keep"},
		{"watch island @hub --save all", 2, "need --rcon"},
		{"watch island @hub --rcon 127.0.0.1:1", 2, "--rcon-password-file"},
		{"watch island @hub --rcon here --rcon-password-file secret", 2, "HOST:PORT"},
		{"watch island @hub --rcon 127.0.0.1:1 --rcon-password-file none", 3, "none"},
		{"watch nowhere @hub", 3, "nowhere"},
		{"watch island/region @hub", 3, "give that folder"},
		{"watch island @hub --store memory:", 2, "ends with the command"},
		{"import --live island hub.cairn", 2, "--live"},
		{"import --live --salvage island @hub", 2, "--live"},
		{"serve --watch island", 2, "FOLDER=@name"},
		{"serve --watch nowhere=@hub", 3, "nowhere"},
		{"serve --watch island=@hub --watch island=@hub", 2, "one folder"},
	} {
		if r := cairn(t, dir, strings.Fields(c.args)...); r.code != c.want || !strings.Contains(r.errors, c.says) {
			t.Errorf("%s: status %d, want %d: %s", c.args, r.code, c.want, r.errors)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "cairn-data")); err == nil {
		t.Error("a store was made")
	}
}

// TestServeWatch: a server keeps the history of a folder, and ends.
func TestServeWatch(t *testing.T) {
	dir := island(t)
	s := mustServe(t, dir, "--watch", "island=@hub")
	s.until("watch", "version=1")
	if got := string(s.call(200, "", "GET", "/v1/worlds", nil)); !strings.Contains(got, "hub") {
		t.Errorf("worlds: %s", got)
	}
	s.end(os.Interrupt, 0)
	mustRun(t, 0, dir, "diff", "island", "@hub")
}
