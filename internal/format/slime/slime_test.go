package slime_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// collected is a world with names instead of cells, so that worlds of two
// sources compare.
type collected struct {
	dim     *format.Dimension
	columns map[geom.ColumnPos]*format.Column
	order   []geom.ColumnPos
	files   map[string][]byte
}

func (w *collected) Dimension(d *format.Dimension) error {
	if w.dim != nil {
		return fmt.Errorf("dimension %q after %q", d.Name, w.dim.Name)
	}
	w.dim = d
	return nil
}

func (w *collected) Column(c *format.Column) error {
	if w.columns[c.Pos] != nil {
		return fmt.Errorf("column %v twice", c.Pos)
	}
	w.columns[c.Pos] = cloneColumn(c)
	w.order = append(w.order, c.Pos)
	return nil
}

func (w *collected) Chunk(volume string, pos geom.ChunkPos, _ *voxel.Chunk) error {
	return fmt.Errorf("chunk %v of %s", pos, volume)
}

func (w *collected) File(f format.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	w.files[f.Path], err = io.ReadAll(r)
	return err
}

// write hands the world on to a writer, in the order it came.
func (w *collected) write(s format.Sink) error {
	if err := s.Dimension(w.dim); err != nil {
		return err
	}
	for _, p := range w.order {
		if err := s.Column(w.columns[p]); err != nil {
			return err
		}
	}
	for path, doc := range w.files {
		f := format.FileOf(path, doc)
		if err := s.File(f); err != nil {
			return err
		}
	}
	return nil
}

func cloneColumn(c *format.Column) *format.Column {
	out := *c
	out.Sections, out.Maps = slices.Clone(c.Sections), slices.Clone(c.Maps)
	out.Lists, out.Parts = slices.Clone(c.Lists), slices.Clone(c.Parts)
	out.Biomes, out.Cells = slices.Clone(c.Biomes), slices.Clone(c.Cells)
	for i, a := range out.Cells {
		out.Cells[i] = format.Cells{Block: slices.Clone(a.Block), Biome: slices.Clone(a.Biome),
			Sky: slices.Clone(a.Sky), Light: slices.Clone(a.Light)}
	}
	for i, l := range out.Lists {
		objects := slices.Clone(l.Objects)
		for j := range objects {
			objects[j].Payload = slices.Clone(objects[j].Payload)
		}
		out.Lists[i].Objects = objects
	}
	for i, p := range out.Parts {
		out.Parts[i].Data = slices.Clone(p.Data)
	}
	return &out
}

// read reads a whole file from memory.
func read(file []byte) (*collected, *slime.Container, error) {
	w, err := slime.New(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	out := &collected{columns: map[geom.ColumnPos]*format.Column{}, files: map[string][]byte{}}
	return out, w, w.Read(context.Background(), out)
}

func mustRead(t *testing.T, file []byte) (*collected, *slime.Container) {
	t.Helper()
	world, w, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	return world, w
}

func mustWrite(t *testing.T, world *collected, o slime.ContainerOptions) ([]byte, slime.Losses) {
	t.Helper()
	var out bytes.Buffer
	w, err := slime.Create(&out, o)
	if err == nil {
		err = world.write(w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w.Lost()
}

// describe tells all that a column holds, in lines that compare.
func describe(d *format.Dimension, c *format.Column) []string {
	blocks, biomes := d.Volume(voxel.Block).Names, d.Volume(voxel.Biome).Names
	out := []string{fmt.Sprintf("version %d layout %d", c.Version, c.Layout)}
	line := func(f string, args ...any) { out = append(out, fmt.Sprintf(f, args...)) }
	for i, s := range c.Sections {
		a := c.Cells[i]
		line("section %d has %04b tags %x", s.Y, s.Has, s.Tags)
		line("blocks %s", runs(blocks, a.Block, 4096))
		line("biomes %s", runs(biomes, a.Biome, 64))
		line("sky %d bytes %08x, light %d bytes %08x", len(a.Sky), crc32.ChecksumIEEE(a.Sky), len(a.Light), crc32.ChecksumIEEE(a.Light))
	}
	for _, m := range c.Maps {
		line("map %s form %x %v", m.Name, m.Form, m.Values)
	}
	line("column biomes %s", runs(biomes, c.Biomes, 1024))
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			line("%s: %d %v %x", l.Name, o.Place, o.At, o.Payload)
		}
	}
	for _, p := range c.Parts {
		line("part %s stamp %d damaged %v %x", p.Name, p.Stamp, p.Damaged, p.Data)
	}
	return out
}

// runs spells n cells by name, one cell standing for all.
func runs(names *format.Names, cells []voxel.Cell, n int) string {
	var b strings.Builder
	for i := 0; i < n && len(cells) > 0; {
		c := cells[min(i, len(cells)-1)]
		j := i
		for j < n && cells[min(j, len(cells)-1)] == c {
			j++
		}
		fmt.Fprintf(&b, "%d*%s ", j-i, names.Name(c))
		i = j
	}
	return b.String()
}

func sameColumns(t *testing.T, got, want *collected) {
	t.Helper()
	sameBy(t, got, want, describe)
}

func sameBy(t *testing.T, got, want *collected, describe func(*format.Dimension, *format.Column) []string) {
	t.Helper()
	if len(got.columns) != len(want.columns) {
		t.Errorf("%d columns, want %d", len(got.columns), len(want.columns))
	}
	for p, w := range want.columns {
		g := got.columns[p]
		if g == nil {
			t.Errorf("column %v is gone", p)
			continue
		}
		a, b := describe(got.dim, g), describe(want.dim, w)
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Errorf("column %v: %.300s\nwant %.300s", p, at(a, i), at(b, i))
				break
			}
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// worldFiles returns the Slime files of the set of real worlds.
func worldFiles(t *testing.T) []string {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "slime", "*", "*.slime"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Slime files below %s: %v", dir, err)
	}
	return files
}

func TestRealFiles(t *testing.T) {
	for _, path := range worldFiles(t) {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !slime.Detect(file[:2]) {
				t.Error("not detected")
			}
			world, w := mustRead(t, file)
			if len(world.columns) == 0 {
				t.Error("no columns")
			}
			if len(w.Stats().Dropped) > 0 {
				t.Errorf("dropped %v", w.Stats().Dropped)
			}
			t.Log(w.Head(), w.Stats())
		})
	}
}
