//go:build unix

package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
)

// putDone is what the test reads of the answer of POST /v1/put.
type putDone struct {
	Chunks, Cells int
	File          *struct{ Same bool }
	Before        *struct{ Number int }
	Commit        struct{ Number int }
}

// putting is a server that watches the folder island as @hub, whose first version is the folder first, and what a game has
// made of it since.
type putting struct {
	*served
	dir, writer string
}

const everywhere = `"region":"box:-1000,-64,-1000..1000,319,1000"`

func newPutting(t *testing.T) *putting {
	t.Helper()
	dir := island(t)
	mustRun(t, 0, dir, "gen", "--size", "4", "--seed", "2", "island", "other")
	here := filepath.Join(dir, "island")
	write(t, filepath.Join(here, "session.lock"), []byte("☃"))
	write(t, filepath.Join(here, "playerdata", "ann.dat"), []byte("rich"))
	copyFolder(t, filepath.Join(dir, "first"), here)
	p := &putting{dir: dir, writer: strings.TrimSpace(mustRun(t, 0, dir, "token", "new", "--file", "tokens.json", "--role", "write").out)}
	reader := strings.TrimSpace(mustRun(t, 0, dir, "token", "new", "--file", "tokens.json", "--role", "read").out)
	p.served = mustServe(t, dir, "--tokens", "tokens.json", "--watch", "island=@hub", "--watch-every", "1h")
	p.until("watch", "version=1")
	p.call(403, reader, "POST", "/v1/put/hub", strings.NewReader(`{"at":"1",`+everywhere+`,"dry_run":true}`))
	for name := range anviltest.Files(t, filepath.Join(dir, "other")) {
		write(t, filepath.Join(here, name), read(t, filepath.Join(dir, "other", name)))
	}
	write(t, filepath.Join(here, "playerdata", "ann.dat"), []byte("poor"))
	return p
}

func (p *putting) put(want int, world, what string) (d putDone, text string) {
	p.t.Helper()
	b := p.call(want, p.writer, "POST", "/v1/put/"+world, strings.NewReader(`{`+what+`}`))
	if err := json.Unmarshal(b, &d); err != nil {
		p.t.Fatal(err)
	}
	return d, string(b)
}

func (p *putting) versions() int {
	p.t.Helper()
	var log struct{ Commits []struct{ Number int } }
	if err := json.Unmarshal(p.call(200, p.writer, "GET", "/v1/log/hub", nil), &log); err != nil {
		p.t.Fatal(err)
	}
	return len(log.Commits)
}

// TestServePut: who may write a world puts a part of a version into the folder that the server watches. The history has what
// was there before, and what is there then.
func TestServePut(t *testing.T) {
	p := newPutting(t)
	here, played := filepath.Join(p.dir, "island"), filepath.Join(p.dir, "played")
	copyFolder(t, played, here)
	before := list(t, here)
	const box = `"at":"1","region":"box:-9,-64,-9..9,319,9"`
	dry, _ := p.put(200, "hub", box+`,"dry_run":true`)
	if dry.Chunks == 0 || dry.Cells == 0 || dry.Before != nil || list(t, here) != before || p.versions() != 1 {
		t.Errorf("a dry run: %+v, %d versions", dry, p.versions())
	}
	done, _ := p.put(200, "hub", box)
	if done.Chunks != dry.Chunks || done.Cells != dry.Cells || done.Before == nil || done.Before.Number != 2 || done.Commit.Number != 3 || p.versions() != 3 {
		t.Errorf("did %+v, dry %+v", done, dry)
	}
	b := anviltest.ReadBlocks(t, filepath.Join(p.dir, "first"), played, here)
	for x := -32; x < 32; x++ {
		for z := -32; z < 32; z++ {
			for y := -64; y < 128; y++ {
				want := b[1]
				if max(x, -x, z, -z) <= 9 {
					want = b[0]
				}
				if b[2].At(x, y, z) != want.At(x, y, z) {
					t.Fatalf("%d,%d,%d is %d, want %d", x, y, z, b[2].At(x, y, z), want.At(x, y, z))
				}
			}
		}
	}
	if again, _ := p.put(200, "hub", box); again.Chunks != 0 || again.Commit.Number != 3 {
		t.Errorf("again: %+v", again)
	}
	p.put(200, "hub", `"at":"2",`+everywhere)
	anviltest.Compare(t, played, here)
	if got := string(p.call(200, p.writer, "GET", "/v1/players/hub?at=1", nil)); !strings.Contains(got, `{"id":"ann","name":"","file":"playerdata/ann.dat"}`) {
		t.Errorf("players: %s", got)
	}
	if d, _ := p.put(200, "hub", `"at":"1","file":"playerdata/ann.dat"`); d.File == nil || d.File.Same || string(read(t, filepath.Join(here, "playerdata", "ann.dat"))) != "rich" {
		t.Errorf("a player: %+v", d)
	}
}

func TestServePutRefused(t *testing.T) {
	p := newPutting(t)
	here := filepath.Join(p.dir, "island")
	before := list(t, here)
	p.call(201, p.writer, "POST", "/v1/fork/copy", strings.NewReader(`{"from":"hub"}`))
	for _, tt := range []struct {
		status            int
		world, what, says string
	}{
		{404, "none", everywhere, "no_world"},
		{404, "copy", everywhere, "no_route"},
		{404, "hub", `"at":"77",` + everywhere, "no_commit"},
		{400, "hub", `"at":"1"`, "a region or a file"},
		{400, "hub", `"file":"playerdata/ann.dat",` + everywhere, "a region or a file"},
		{400, "hub", `"file":"level.dat"`, "players"},
		{400, "hub", `"file":"playerdata/../level.dat"`, "players"},
		{400, "hub", `"file":"playerdata/bob.dat"`, "no file"},
		{400, "hub", `"region":"box:0,0"`, "region: parse"},
		{400, "hub", `"dimension":"moon",` + everywhere, "overworld"},
	} {
		if _, text := p.put(tt.status, tt.world, tt.what); !strings.Contains(text, tt.says) {
			t.Errorf("%s %s: %s", tt.world, tt.what, text)
		}
	}
	game, err := os.OpenFile(filepath.Join(here, "session.lock"), os.O_RDWR, 0)
	if err == nil {
		err = syscall.FcntlFlock(game.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{everywhere, everywhere + `,"dry_run":true`, `"at":"1","file":"playerdata/ann.dat"`} {
		if _, text := p.put(409, "hub", what); !strings.Contains(text, `"in_use"`) || !strings.Contains(text, "stop it first") {
			t.Errorf("while a game runs: %s", text)
		}
	}
	game.Close()
	if list(t, here) != before {
		t.Error("what was refused changed the folder")
	}
	for world, want := range map[string]string{"hub": `"folder":true`, "copy": `"folder":false`} {
		if got := string(p.call(200, p.writer, "GET", "/v1/worlds/"+world, nil)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", world, got)
		}
	}
}
