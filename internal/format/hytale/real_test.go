package hytale_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// realWorld returns the save in the folder of real worlds.
func realWorld(t testing.TB) string {
	worlds := os.Getenv("CAIRN_WORLDS")
	if worlds == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	dir := filepath.Join(worlds, "hytale", "heart")
	if _, err := os.Stat(dir); err != nil {
		t.Skip(err)
	}
	return dir
}

// documents returns the documents of all chunks below a folder, by region file and number, read without the package.
func documents(t *testing.T, dir string) (docs map[string][]byte, files map[string][]byte) {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	docs, files = map[string][]byte{}, map[string][]byte{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, dir))
		if !strings.HasSuffix(path, ".region.bin") {
			files[name] = b
			return nil
		}
		for i := range 1024 {
			first := int(binary.BigEndian.Uint32(b[32+4*i:]))
			if first == 0 {
				continue
			}
			blob := b[32+4096+(first-1)*4096:]
			doc, err := dec.DecodeAll(blob[8:8+binary.BigEndian.Uint32(blob[4:])], nil)
			if err != nil {
				return err
			}
			docs[name+"#"+string(rune('0'+i/32))+"/"+string(rune('0'+i%32))] = doc
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs, files
}

// load reads a folder into memory.
func load(t testing.TB, dir string) *convert.Loaded {
	t.Helper()
	src, err := hytale.Kind().OpenFolder(dir, format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	l := convert.NewLoader(src.Head())
	if err := src.Read(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	return l.World()
}

// write writes a world to a new folder.
func write(t *testing.T, src format.Source) (dir string, lost map[string]int) {
	t.Helper()
	dir = t.TempDir()
	w, err := hytale.Kind().CreateFolder(dir, format.WriteOptions{Head: src.Head()})
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Read(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, w.Lost()
}

func TestRealWorld(t *testing.T) {
	from := realWorld(t)
	want, wantFiles := documents(t, from)
	to, lost := write(t, load(t, from).Source())
	if len(lost) > 0 {
		t.Errorf("lost %v", lost)
	}
	got, gotFiles := documents(t, to)
	if len(got) != len(want) || len(want) == 0 || len(gotFiles) != len(wantFiles) {
		t.Fatalf("%d chunks and %d files, want %d and %d", len(got), len(gotFiles), len(want), len(wantFiles))
	}
	for name, doc := range want {
		if !bytes.Equal(got[name], doc) {
			t.Errorf("%s differs: %d bytes, want %d", name, len(got[name]), len(doc))
		}
	}
	for name, b := range wantFiles {
		if !bytes.Equal(gotFiles[name], b) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestRealOrder checks the order of half bytes, which exports do not show: heights are those of the highest blocks, nearly no fluid is in a block,
// each has a level, and what has a support is a block.
func TestRealOrder(t *testing.T) {
	d := load(t, realWorld(t)).Dimensions[0]
	maps := 0
	for _, c := range d.Columns {
		maps += len(c.Maps)
	}
	if maps != 72 {
		t.Errorf("%d columns have heights that do not follow from blocks, want 72", maps)
	}
	// both returns how many cells have one volume, and how many of them have the other.
	both := func(volume, other string) (n, with int) {
		for pos, c := range d.Volume(volume).Chunks {
			var a, b [32768]voxel.Cell
			c.Flat(&a)
			if c := d.Volume(other).Chunks[pos]; c != nil {
				c.Flat(&b)
			}
			for i := range a {
				if a[i] != 0 {
					if n++; b[i] != 0 {
						with++
					}
				}
			}
		}
		return n, with
	}
	for _, c := range []struct {
		volume, other string
		n, with       int
	}{{"fluid", voxel.Block, 4992, 48}, {"fluid", "fluid_level", 4992, 4992}, {"support", voxel.Block, 1250, 1227}} {
		if n, with := both(c.volume, c.other); n != c.n || with != c.with {
			t.Errorf("%d cells of %s, %d of them with %s; want %d, %d", n, c.volume, with, c.other, c.n, c.with)
		}
	}
}

// sink takes everything and keeps nothing.
type sink struct{}

func (sink) Dimension(*format.Dimension) error               { return nil }
func (sink) Column(*format.Column) error                     { return nil }
func (sink) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return nil }
func (sink) File(format.File) error                          { return nil }

// BenchmarkRead reads the real world; bytes are those of its documents.
func BenchmarkRead(b *testing.B) {
	dir := realWorld(b)
	src, err := hytale.Kind().OpenFolder(dir, format.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	b.SetBytes(206171340)
	for b.Loop() {
		if err := src.Read(b.Context(), sink{}); err != nil {
			b.Fatal(err)
		}
	}
}
