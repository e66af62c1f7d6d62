package move_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/move"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/memory"
)

// slimes are the bytes of world, which take long to make.
var slimes sync.Map

// world returns a made-up world: another one for each number. It has nothing that a Slime file does not hold.
func world(t testing.TB, number uint64) *move.Loaded {
	t.Helper()
	if data, ok := slimes.Load(number); ok {
		return opened(t, data.([]byte))
	}
	made := worldtest.Load(t, terrain.Island(terrain.Options{Seed: number, Size: 1, Version: terrain.Modern}))
	var b bytes.Buffer
	if err := port.WriteFile(t.Context(), made.Content(), &b, port.Target{Format: port.Slime}, nil, map[string]int{}); err != nil {
		t.Fatal(err)
	}
	slimes.Store(number, b.Bytes())
	return opened(t, b.Bytes())
}

func opened(t testing.TB, data []byte) *move.Loaded {
	t.Helper()
	src, err := port.OpenReader(bytes.NewReader(data), int64(len(data)), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &move.Loaded{Opened: src}
	if w.Content, err = w.Parts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// kind is a place to test.
type kind struct {
	name string
	// make makes an empty one, and returns what opens it, again and again.
	make func(t *testing.T) func() (move.Depot, error)
	form move.Wanted
	// folds says that names differ in more than the case of their letters.
	folds bool
}

func byURL(url string) func() (move.Depot, error) {
	return func() (move.Depot, error) { return move.Open(context.Background(), url, true) }
}

var kinds = []kind{
	{name: "store", make: func(t *testing.T) func() (move.Depot, error) {
		st := memory.New(memory.Options{})
		return func() (move.Depot, error) { return &move.Worlds{Store: st, Prefix: "a/b/", URL: "memory:"}, nil }
	}},
	{name: "slime files", make: inFolder, form: move.Wanted{Format: port.Slime}},
	{name: "polar files", make: inFolder, form: move.Wanted{Format: "polar"}},
	{name: "Anvil folders", make: inFolder, form: move.Wanted{Format: port.Anvil}},
	{name: "redis twin", make: func(t *testing.T) func() (move.Depot, error) {
		return byURL("redis://" + newRedisTwin(t, "", true, nil).addr)
	}},
	{name: "redis twin, AUTH, without scripts", make: func(t *testing.T) func() (move.Depot, error) {
		return byURL("redis://ann:se%20cret@" + newRedisTwin(t, "se cret", false, nil).addr + "/3")
	}},
	{name: "redis", make: realRedis},
	{name: "mysql twin", folds: true, make: func(t *testing.T) func() (move.Depot, error) {
		db := sql.OpenDB(&mysqlTwin{})
		return func() (move.Depot, error) { return move.OpenTable(db) }
	}},
	{name: "mariadb", folds: true, make: realMariaDB},
	{name: "mongodb", make: realMongo},
}

func inFolder(t *testing.T) func() (move.Depot, error) {
	return byURL(filepath.Join(t.TempDir(), "worlds"))
}

// freeAddr returns an address that nobody listens at.
func freeAddr(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// started starts a program, waits until it listens at an address, and ends it with the test.
func started(t *testing.T, addr, program string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		if err := c.Process.Kill(); err == nil {
			<-ended
		}
	})
	for {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", program, err, log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s", program)
	}
	return path
}

func realRedis(t *testing.T) func() (move.Depot, error) {
	program, addr := needs(t, "redis-server"), freeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	started(t, addr, program, "--port", port, "--save", "", "--requirepass", "pw", "--dir", t.TempDir())
	return byURL("redis://:pw@" + addr + "/2")
}

func realMariaDB(t *testing.T) func() (move.Depot, error) {
	program, install, addr, dir := needs(t, "mariadbd"), needs(t, "mariadb-install-db"), freeAddr(t), t.TempDir()
	first := filepath.Join(dir, "first.sql")
	if err := os.WriteFile(first, []byte("CREATE DATABASE slime;\nCREATE USER 'asp'@'%' IDENTIFIED BY 'p w';\nGRANT ALL ON slime.* TO 'asp'@'%';\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	base := filepath.Dir(filepath.Dir(program)) // also one that is unpacked somewhere
	data := filepath.Join(dir, "data")
	if out, err := exec.CommandContext(t.Context(), install, "--no-defaults", "--basedir="+base, "--datadir="+data, "--skip-test-db", "--auth-root-authentication-method=normal", "--user=root").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, port, _ := net.SplitHostPort(addr)
	started(t, addr, program, "--no-defaults", "--basedir="+base, "--datadir="+data, "--port="+port, "--bind-address=127.0.0.1", "--socket="+filepath.Join(dir, "s"), "--user=root", "--init-file="+first)
	return byURL("mysql://asp:p%20w@" + addr + "/slime")
}

var databases atomic.Int64

func realMongo(t *testing.T) func() (move.Depot, error) {
	parts.Need(t, "ferret")
	f, err := parts.StartFerret(t.Context(), t.TempDir(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return byURL(fmt.Sprintf("%sdb%d#islands", f.URL(), databases.Add(1)))
}

// put puts a world at a place, and returns its sign.
func put(t *testing.T, p move.Depot, name string, w *move.Loaded, f move.Wanted, was string) (string, error) {
	t.Helper()
	m, err := p.Make(t.Context(), name, w, f)
	if err != nil {
		return "", err
	}
	defer m.Drop()
	return m.Put(t.Context(), was)
}

// holds checks that a place has a world with the sign and the content of w.
func holds(t *testing.T, p move.Depot, name, sign string, w *move.Loaded) {
	t.Helper()
	got, err := p.Open(t.Context(), name, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if got.Content == nil {
		if got.Content, err = got.Parts(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if why, err := move.Compare(t.Context(), w.Content, got.Content, map[string]int{"level.dat": 1}); err != nil || why != "" {
		t.Errorf("%s: %s (%v)", name, why, err)
	}
	if is, err := p.Sign(t.Context(), name); err != nil || is != sign || got.Sign != sign {
		t.Errorf("%s: Sign is %q (%v), Open says %q, want %q", name, is, err, got.Sign, sign)
	}
}

// TestPlaces is the contract of every place.
func TestPlaces(t *testing.T) {
	one, two := world(t, 1), world(t, 2)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			open := k.make(t)
			p, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { p.Close() }()
			if names, err := p.List(t.Context()); err != nil || len(names) > 0 {
				t.Fatalf("an empty place has %q (%v)", names, err)
			}
			sign, err := put(t, p, "Hub 1", one, k.form, "")
			if err != nil {
				t.Fatal(err)
			}
			holds(t, p, "Hub 1", sign, one)
			for _, was := range []string{"", strings.Repeat("7", len(sign))} {
				if _, err := put(t, p, "Hub 1", two, k.form, was); !errors.Is(err, move.ErrChanged) {
					t.Errorf("a world is replaced that has not the sign %q: %v", was, err)
				}
			}
			holds(t, p, "Hub 1", sign, one)
			second, err := put(t, p, "Hub 1", two, k.form, sign)
			if err != nil || second == sign {
				t.Fatalf("the sign is %q, was %q (%v)", second, sign, err)
			}
			holds(t, p, "Hub 1", second, two)

			for _, check := range []func(name string) error{
				func(name string) error { _, err := p.Sign(t.Context(), name); return err },
				func(name string) error { _, err := p.Open(t.Context(), name, port.Options{}); return err },
			} {
				if err := check("nobody"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a world that is not there: %v", err)
				}
			}

			names := []string{"Hub 1", "SkyWars Map", "Ünï", "a/b", "con:*?", "x.slime", strings.Repeat("long ", 12) + "name"}
			if !k.folds {
				names = append(names, "hub 1")
			} else if _, err := put(t, p, "hub 1", one, k.form, ""); err == nil || !strings.Contains(err.Error(), `for "Hub 1"`) {
				t.Errorf("a table that takes hub 1 for Hub 1: %v", err)
			}
			for _, name := range names[1:] {
				if sign, err := put(t, p, name, one, k.form, ""); err != nil {
					t.Errorf("%q: %v", name, err)
				} else {
					holds(t, p, name, sign, one)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if k.name == "mysql twin" {
				return // its database is closed
			}
			if p, err = open(); err != nil {
				t.Fatal(err)
			}
			slices.Sort(names)
			got, err := p.List(t.Context())
			if k.name == "store" { // this name is cut, and no move remembers it
				names, got = slices.DeleteFunc(names, isLong), slices.DeleteFunc(got, func(name string) bool { return name[0] == '-' })
			}
			if err != nil || !slices.Equal(got, names) {
				t.Errorf("there are %q (%v), want %q", got, err, names)
			}
			holds(t, p, "Hub 1", second, two)

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := p.List(ctx); err == nil && k.form.Format == "" {
				t.Error("a place answers a call that was cancelled")
			}
		})
	}
}

func isLong(name string) bool { return strings.HasPrefix(name, "long") }

// The layouts of older loaders are read, and a world stays in the layout in which it is.
func TestRedisLayouts(t *testing.T) {
	r := newRedisTwin(t, "", true, nil)
	p, err := move.Open(t.Context(), "redis://"+r.addr, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sign, err := put(t, p, "new", world(t, 1), move.Wanted{}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.values["aswm_world_data_old"], r.values["aswm_world_lock_old"] = r.values["aswm:world:data:new"], "\x00"
	r.values["aswm:world:data:unlisted"], r.values["aswm:world:lock:unlisted"] = r.values["aswm:world:data:new"], "x"
	if names, err := p.List(t.Context()); err != nil || !slices.Equal(names, []string{"new", "old", "unlisted"}) {
		t.Errorf("there are %q (%v)", names, err)
	}
	holds(t, p, "old", sign, world(t, 1))
	if _, err := put(t, p, "old", world(t, 2), move.Wanted{}, sign); err != nil {
		t.Fatal(err)
	}
	if _, newer := r.values["aswm:world:data:old"]; newer || r.set["old"] || r.values["aswm_world_data_old"] == r.values["aswm:world:data:new"] {
		t.Error("a world of the older layout was not written there")
	}
	if !r.set["new"] {
		t.Error("a new world is not in the list")
	}
}

func TestRedisTLS(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	r := newRedisTwin(t, "", true, &tls.Config{Certificates: s.TLS.Certificates})
	if p, err := move.Open(t.Context(), "rediss://"+r.addr, false); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody signed: %v, %v", p, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	closed, guarded, file := freeAddr(t), newRedisTwin(t, "pw", true, nil).addr, filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ url, want string }{
		{"redis://" + closed, "refused"},
		{"redis://" + guarded, "NOAUTH"},
		{"redis://:secret@" + guarded, "WRONGPASS"},
		{"mysql://ann:secret@" + closed + "/db", "refused"},
		{"mysql://ann:secret@" + closed + "/db#a`b", "want letters"},
		{"redis://ann:sec%ret@" + closed, "not a URL"},
		{file, "not a folder"},
		{filepath.Join(file, "below"), "file"},
	} {
		p, err := move.Open(t.Context(), tt.url, false)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, %v; want %q", tt.url, p, err, tt.want)
		}
	}
}

// An answer that is none of Redis is an error, and one that announces much takes no memory.
func TestRedisAnswers(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", "*99999999999\r\n", "$536870912\r\nx", "$-7\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "\r\n", ":x\r\n", strings.Repeat("+", 1<<20), ""} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if c, err := l.Accept(); err == nil {
				c.Write([]byte(answer))
				c.Close()
			}
		}()
		if p, err := move.Open(t.Context(), "redis://"+l.Addr().String(), false); err == nil {
			t.Errorf("%.30q makes %v", answer, p)
		}
		l.Close()
	}
}

// A place has one name, however it is written, without its password.
func TestPlaceName(t *testing.T) {
	addr := newRedisTwin(t, "pw", true, nil).addr
	for url, want := range map[string]string{
		"redis://:pw@" + addr:           "redis://" + addr,
		"redis://ann:pw@" + addr + "/":  "redis://" + addr,
		"redis://ann:pw@" + addr + "/0": "redis://" + addr,
		"redis://:pw@" + addr + "/12":   "redis://" + addr + "/12",
	} {
		p, err := move.Open(t.Context(), url, false)
		if err != nil || p.String() != want {
			t.Fatalf("%s is %v (%v), want %s", url, p, err, want)
		}
		p.Close()
	}
	if move.IsURL("redis:x") || move.IsURL("https://host") || move.IsURL("./redis://x") || !move.IsURL("mongodb+srv://h") {
		t.Error("IsURL")
	}
}

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"Hub 1": "Hub 1", "Ünï": "Ünï", "a/b": "-a.2fb", "..": "-.2e.2e", "x.slime": "x.slime", "-.hub": "--.2ehub", "end ": "-end.20", "": "-",
	} {
		if got := move.FileName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// A folder that was put aside comes back if nothing took its place.
func TestFolderHeals(t *testing.T) {
	dir := t.TempDir()
	p, err := move.Open(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	sign, err := put(t, p, "hub", world(t, 1), move.Wanted{Format: port.Anvil}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "hub"), filepath.Join(dir, move.Aside+"hub")); err != nil {
		t.Fatal(err)
	}
	if p, err = move.Open(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	holds(t, p, "hub", sign, world(t, 1))
	if err := os.Mkdir(filepath.Join(dir, move.Aside+"hub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err = move.Open(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("there are %v", list)
	}
}

// Folders have worlds of several formats. One that a game has open is not replaced, and one that cairn does not write is left.
func TestFolderOfWorlds(t *testing.T) {
	dir := t.TempDir()
	p, err := move.Open(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	one, two := world(t, 1), world(t, 2)
	for name, format := range map[string]string{"anvil": port.Anvil, "polar": "polar", "slime": port.Slime} {
		if _, err := put(t, p, name, one, move.Wanted{Format: format}, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, other := range []string{"notes.txt", ".hidden.slime", "readme"} {
		if err := os.WriteFile(filepath.Join(dir, other), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "bedrock"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"level.dat": "\x08\x00\x00\x00\x04\x00\x00\x00\x0a\x00\x00\x00", "db/CURRENT": "MANIFEST-000001\n"} {
		path := filepath.Join(dir, "bedrock", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(data), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	names, err := p.List(t.Context())
	if want := []string{"anvil", "bedrock", "polar", "slime"}; err != nil || !slices.Equal(names, want) {
		t.Fatalf("there are %q (%v)", names, err)
	}
	for _, name := range names {
		sign, err := p.Sign(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = put(t, p, name, two, move.Wanted{}, sign)
		if name == "bedrock" != (err != nil) {
			t.Errorf("%s is replaced: %v", name, err)
		}
		if name == "anvil" {
			if _, err := put(t, p, name, two, move.Wanted{Format: port.Slime}, sign); err == nil {
				t.Error("a folder becomes a file beside it")
			}
		}
	}
	alone, err := move.Open(t.Context(), filepath.Join(dir, "anvil"), false)
	if err != nil {
		t.Fatal(err)
	}
	if names, err := alone.List(t.Context()); err != nil || !slices.Equal(names, []string{"anvil"}) {
		t.Errorf("a world is a place of %q (%v)", names, err)
	}
	if _, err := put(t, alone, "more", one, move.Wanted{}, ""); err == nil {
		t.Error("a world was written into a world")
	}
}
