package convert_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestWorldsThroughStone brings real worlds into a stone and back into a
// folder: every chunk comes back tag by tag and cell by cell, every other file
// byte by byte.
func TestWorldsThroughStone(t *testing.T) {
	for _, dir := range anviltest.Sample(t, "anvil") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			throughStone(t, dir)
		})
	}
}

// TestMadeWorldsThroughStone does the same with worlds that need no files here.
func TestMadeWorldsThroughStone(t *testing.T) {
	for _, tt := range someWorlds() {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			mustExport(t, tt.src, dir)
			if err := throughStone(t, dir).Check(context.Background()); err != nil {
				t.Errorf("check: %v", err)
			}
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

// someWorlds are madeWorlds; in "./test" an old island, a new arena, a new land.
func someWorlds() []madeWorld {
	all := madeWorlds()
	if long.Part() {
		return all
	}
	return []madeWorld{all[0], all[5], all[7]}
}

// throughStone brings the world in dir through stones of both ends of effort. One is
// brought into a folder and returned; what comes from the other is equal byte by byte.
func throughStone(t *testing.T, dir string) *stone.Reader {
	t.Helper()
	src, err := anvil.Open(dir, anvil.Options{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	w := mustLoad(t, src)
	quick, strongest := mustOpen(t, mustWriteBy(t, w, stone.Quick)), mustOpen(t, mustWriteBy(t, w, stone.Best))
	w = mustFromStone(t, strongest)
	if d := mustDiff(t, mustFromStone(t, quick), w); !d.Same() {
		t.Errorf("written quickly, and as small as can be: %+v", d)
	}
	out := t.TempDir()
	mustExport(t, w.Source(), out)
	anviltest.Compare(t, dir, out)
	return strongest
}

func mustLoad(t testing.TB, src format.Source) *convert.Loaded {
	t.Helper()
	w, err := convert.Load(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustWrite(t testing.TB, w *convert.Loaded) []byte {
	t.Helper()
	return mustWriteBy(t, w, stone.Quick)
}

func mustWriteBy(t testing.TB, w *convert.Loaded, e stone.Effort) []byte {
	t.Helper()
	var b bytes.Buffer
	_, size, err := convert.WriteStone(context.Background(), w, &b, stone.Options{Effort: e})
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(b.Len()) {
		t.Fatalf("a stone of %d bytes is said to have %d", b.Len(), size)
	}
	return b.Bytes()
}

func mustStone(t testing.TB, w *convert.Loaded) *stone.Reader {
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
	s, err := anvil.Create(dir, anvil.FolderOptions{Level: 1})
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

// island returns a made world, each column with a part.
func island(t testing.TB) *convert.Loaded {
	t.Helper()
	w := mustLoad(t, terrain.Island(terrain.Options{Size: 6, Version: terrain.Modern}))
	for i := range w.Dimensions[0].Columns {
		w.Dimensions[0].Columns[i].Parts = []voxel.Part{{Name: voxel.PartChunk, Stamp: 7, Data: []byte("data")}}
	}
	return w
}

// set changes one cell of a volume.
func set(d *convert.LoadedDimension, volume string, p geom.Point, c voxel.Cell) {
	v := d.Volume(volume)
	old := v.Chunks[p.Chunk()]
	if old == nil {
		old = voxel.Uniform(v.Default)
	}
	draft, in := old.Edit(), p.InChunk()
	draft.Set(in.X, in.Y, in.Z, c)
	v.Chunks[p.Chunk()] = draft.Publish(new(voxel.ChunkBuilder))
}

func fileOf(path, content string) format.File {
	return format.File{Path: path, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
