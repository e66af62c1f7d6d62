package gallery_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/gallery"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// island makes a world.
func island(t *testing.T, seed uint64) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(t.Context(), terrain.Island(terrain.Options{Seed: seed, Size: 4, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func stoneOf(t *testing.T, w *convert.Loaded) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, _, err := convert.WriteStone(t.Context(), w, &out, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// saves makes a folder with worlds of several kinds and other files.
func saves(t *testing.T) (dir string, made *convert.Loaded) {
	t.Helper()
	dir, made = t.TempDir(), island(t, 1)
	put(t, filepath.Join(dir, "Hub World!.cairn"), stoneOf(t, made))
	put(t, filepath.Join(dir, "hub-world.cairn"), stoneOf(t, island(t, 2)))
	put(t, filepath.Join(dir, "broken.cairn"), stoneOf(t, made)[:200])
	put(t, filepath.Join(dir, "notes.txt"), []byte("not a world"))
	put(t, filepath.Join(dir, "pack.zip"), []byte("PK\x03\x04 not a zip"))
	put(t, filepath.Join(dir, "old", "hut.mcstructure"), []byte("\x0a\x00\x00\x03\x0e\x00format_version\x01"))
	put(t, filepath.Join(dir, "hub.bp"), []byte("\x0a\xe5\xbb\x36"))
	put(t, filepath.Join(dir, "__MACOSX", "._a.cairn"), []byte("x"))
	put(t, filepath.Join(dir, "lin", "level.dat"), []byte{1})
	put(t, filepath.Join(dir, "lin", "region3d", "0.-1.0.3dr"), []byte{1})
	err := os.MkdirAll(filepath.Join(dir, "old", "A &World&"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	sink, err := anvil.Create(filepath.Join(dir, "old", "A &World&"), anvil.FolderOptions{})
	if err == nil {
		err = made.Source().Read(t.Context(), sink)
	}
	if err == nil {
		err = sink.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, made
}

func open(t *testing.T, path string, o gallery.Options) *gallery.Gallery {
	t.Helper()
	g, err := gallery.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// content reads a world of a store.
func content(t *testing.T, st history.Store, name string) *convert.Loaded {
	t.Helper()
	h, err := st.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := world.OpenSnapshot(t.Context(), st, name, h.Commit, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w, err := convert.FromContent(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFolder: the worlds of a folder have names, and are what the files hold. Nothing is written
// beside them, and nothing stays.
func TestFolder(t *testing.T) {
	dir, made := saves(t)
	before := listing(t, dir)
	temp := t.TempDir()
	var mu sync.Mutex
	var told []string
	g, err := gallery.Open(t.Context(), dir, gallery.Options{Temp: temp, Memory: 64 << 20, Tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	const hub, old = "-.hub.20.world.21", "old/-.a.20.26.world.26" // "Hub World!" and "A &World&"
	want := []string{hub, "broken", "hub-world", old}
	if got := g.Names(); !slices.Equal(got, want) {
		t.Fatalf("names %q, want %q", got, want)
	}
	passed := []string{"passed over: hub.bp: unknown format: a blueprint of Axiom, which cairn does not read", "passed over: " + filepath.Join("old", "hut.mcstructure") + ": unknown format: a structure of Bedrock Edition, which cairn does not read",
		"passed over: pack.zip: zip: cut short, or no zip: 14 bytes without the list of files at their end"}
	told = slices.DeleteFunc(told, func(text string) bool {
		return strings.HasPrefix(text, "passed over: lin: anvil: open: chunks in Cubic Chunks' format, which cairn does not read: 1 file in overworld")
	})
	if !slices.Equal(told, passed) {
		t.Errorf("before a world is asked for: %q, want %q", told, passed)
	}
	told = nil
	st := gallery.ReadOnly(g)
	if got, err := st.List(t.Context(), "", "broken", 1); err != nil || !slices.Equal(got, []string{"hub-world"}) {
		t.Errorf("list: %q, %v", got, err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := st.Head(t.Context(), old); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(told) != 2 || !strings.HasPrefix(told[1], "read "+old+" in ") {
		t.Errorf("told %q", told)
	}
	for _, name := range []string{hub, old} {
		d, err := diff.Worlds(t.Context(), made.Content(), content(t, st, name).Content(), diff.Options{Exact: true})
		if err != nil || d.Cells != 0 || d.Objects != 0 {
			t.Errorf("%s differs from what was made: %+v, %v", name, d, err)
		}
	}
	if d, err := diff.Worlds(t.Context(), made.Content(), content(t, st, "hub-world").Content(), diff.Options{Exact: true}); err != nil || d.Cells == 0 {
		t.Errorf("the other world is the same: %v", err)
	}
	if err := g.Ready(t.Context(), "broken"); err == nil || strings.Contains(err.Error(), "panic") {
		t.Errorf("broken: %v", err)
	}
	var refusal *wire.Error
	if _, err := st.Head(t.Context(), "broken"); !errors.As(err, &refusal) || refusal.Code != wire.Unsupported {
		t.Errorf("broken: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if left := listing(t, temp); len(left) != 1 {
		t.Errorf("temporary files stay: %q", left)
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder was %q, is %q", before, after)
	}
}

func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		out = append(out, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNameOf: worlds of different paths have different names that show the paths.
func TestNameOf(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range []struct{ path, want string }{
		{"hub", "hub"},
		{"Hub", "-.hub"},
		{"hub.cairn", "hub.cairn"},
		{"hub.zip", "hub.zip"},
		{"hub.cairn", "hub.cairn-2"}, // a second time
		{"a/SkyWars Map 1", "a/-.sky.wars.20.map.201"},
		{"1/2/3/4/5/6/7/8/9/10", "-1.2f2.2f3/4/5/6/7/8/9/10"},
	} {
		if got := gallery.NameOf(c.path, taken); got != c.want || history.CheckName(got) != nil {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}

// TestOne: a single world is opened whatever its folder is called.
func TestOne(t *testing.T) {
	dir, _ := saves(t)
	for path, want := range map[string]string{"hub-world.cairn": "hub-world", "old/A &World&": "-.a.20.26.world.26", "old": "-.a.20.26.world.26"} {
		if got := open(t, filepath.Join(dir, path), gallery.Options{}).Names(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"none": "no such file", "notes.txt": "unknown format", ".": ""} {
		g, err := gallery.Open(t.Context(), filepath.Join(dir, path), gallery.Options{})
		if want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if err == nil {
			g.Close()
		}
	}
	if _, err := gallery.Open(t.Context(), t.TempDir(), gallery.Options{}); err == nil || !strings.Contains(err.Error(), "no world") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestStone: a stone is shown from its file, with the name of its bytes.
func TestStone(t *testing.T) {
	dir, made := saves(t)
	g := open(t, filepath.Join(dir, "Hub World!.cairn"), gallery.Options{Temp: filepath.Join(dir, "no such folder")})
	log, err := g.Log(t.Context(), g.Names()[0], history.ID{}, 9)
	if err != nil || len(log) != 1 || log[0].Stones[0].ID != sha256.Sum256(stoneOf(t, made)) {
		t.Errorf("the log is %v: %v", log, err)
	}
}

// TestReadOnly: every change is refused with the same code, and changes nothing.
func TestReadOnly(t *testing.T) {
	dir, _ := saves(t)
	st := gallery.ReadOnly(open(t, filepath.Join(dir, "hub-world.cairn"), gallery.Options{}))
	ctx := t.Context()
	h, err := st.Head(ctx, "hub-world")
	if err != nil {
		t.Fatal(err)
	}
	lease := func(_ history.Lease, err error) error { return err }
	for name, err := range map[string]error{
		"create": st.Create(ctx, "a"), "rename": st.Rename(ctx, "hub-world", "b", 0), "delete": st.Delete(ctx, "hub-world", 0),
		"undelete": st.Undelete(ctx, "a"), "fork": st.Fork(ctx, "hub-world", h.Commit, "b"), "release": st.Release(ctx, "hub-world", 1),
		"pack": st.PutPack(ctx, "hub-world", history.Pack{}, history.Stone{}), "lease": lease(st.Lease(ctx, "hub-world", "me", time.Hour)),
		"renew":  lease(st.Renew(ctx, "hub-world", 1, time.Hour)),
		"commit": func() error { _, err := st.Commit(ctx, "hub-world", h, history.Commit{Parent: h.Commit}); return err }(),
		"purge":  func() error { _, err := st.Purge(ctx, "hub-world", 0); return err }(), "collect": func() error { _, err := st.Collect(ctx, history.Policy{}); return err }(),
	} {
		if code, _ := wire.CodeOf(err); code != wire.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, f := range map[error]func() error{
		history.ErrNoWorld:  func() error { _, err := st.Head(ctx, "none"); return err },
		history.ErrName:     func() error { _, err := st.Head(ctx, "No Name"); return err },
		history.ErrNoCommit: func() error { _, err := st.Stack(ctx, "hub-world", history.ID{1}); return err },
		history.ErrGone:     func() error { _, err := st.Open(ctx, "hub-world", stone.ID{1}); return err },
	} {
		if err := f(); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if now, err := st.Head(ctx, "hub-world"); err != nil || now != h || !history.Packs(st) {
		t.Errorf("the head was %v, is %v: %v", h, now, err)
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := gallery.Open(ended, dir, gallery.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
