package convert_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
)

// realWorlds returns the folders of real Anvil worlds, a few of them if short.
func realWorlds(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	dirs, err := filepath.Glob(filepath.Join(root, "anvil", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no worlds in %s: %v", root, err)
	}
	if !testing.Short() {
		return dirs
	}
	few := dirs[:0]
	for i := 0; i < len(dirs); i += 20 {
		few = append(few, dirs[i])
	}
	return few
}

// TestWorldsThroughStone brings every real world into a stone and back into a
// folder: every chunk comes back tag by tag and cell by cell, every other file
// byte by byte.
func TestWorldsThroughStone(t *testing.T) {
	for _, dir := range realWorlds(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) { throughStone(t, dir) })
	}
}

// TestMadeWorldsThroughStone does the same with worlds that need no files here.
func TestMadeWorldsThroughStone(t *testing.T) {
	for _, tt := range madeWorlds() {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			mustExport(t, tt.src, dir)
			throughStone(t, dir)
		})
	}
}

type madeWorld struct {
	name string
	src  format.Source
}

func madeWorlds() (worlds []madeWorld) {
	for _, o := range []terrain.Options{{Size: 6}, {Size: 6, Version: terrain.Modern, Seed: 1}} {
		worlds = append(worlds,
			madeWorld{fmt.Sprint("island ", o.Version), terrain.Island(o)},
			madeWorld{fmt.Sprint("arena ", o.Version), terrain.Arena(o)},
			madeWorld{fmt.Sprint("plots ", o.Version), terrain.Plots(o)},
			madeWorld{fmt.Sprint("survival ", o.Version), terrain.Survival(o)})
	}
	return worlds
}

func throughStone(t *testing.T, dir string) {
	src, err := anvil.Open(dir, anvil.Options{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := mustStone(t, mustLoad(t, src))
	if err := r.Check(context.Background()); err != nil {
		t.Errorf("check: %v", err)
	}
	w, err := convert.FromStone(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	mustExport(t, w.Source(), out)
	compareFolders(t, dir, out)
}

func mustLoad(t testing.TB, src format.Source) *convert.World {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustWrite(t testing.TB, w *convert.World) []byte {
	t.Helper()
	var b bytes.Buffer
	_, size, err := convert.WriteStone(context.Background(), w, &b, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(b.Len()) {
		t.Fatalf("a stone of %d bytes is said to have %d", b.Len(), size)
	}
	return b.Bytes()
}

func mustStone(t testing.TB, w *convert.World) *stone.Reader {
	t.Helper()
	return mustOpen(t, mustWrite(t, w))
}

func mustOpen(t testing.TB, b []byte) *stone.Reader {
	t.Helper()
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustExport(t testing.TB, src format.Source, dir string) {
	t.Helper()
	s, err := anvil.Create(dir, anvil.WriteOptions{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Read(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if lost := s.Lost(); len(lost) > 0 {
		t.Errorf("lost on export: %v", lost)
	}
}

var regionName = regexp.MustCompile(`(^|/)(region|entities|poi)/r\.-?\d+\.-?\d+\.mca$`)

func compareFolders(t *testing.T, a, b string) {
	t.Helper()
	want, got := listFiles(t, a), listFiles(t, b)
	for name := range got {
		if !want[name] {
			t.Errorf("%s: only in the copy", name)
		}
	}
	numbers := plain{}
	for name := range want {
		switch {
		case !got[name]:
			t.Errorf("%s: missing in the copy", name)
		case regionName.MatchString(name):
			compareRegions(t, numbers, filepath.Join(a, name), filepath.Join(b, name))
		default:
			if !bytes.Equal(mustRead(t, a, name), mustRead(t, b, name)) {
				t.Errorf("%s: differs", name)
			}
		}
	}
}

// listFiles returns the slash paths of all files but the game's lock.
func listFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Base(name) != "session.lock" {
			out[name] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustRead(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
