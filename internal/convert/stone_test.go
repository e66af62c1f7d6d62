package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func levelSource() format.Source {
	return terrain.Level{Seed: 9}.Source(geom.Box{Min: geom.Point{X: -64, Z: -64}, Max: geom.Point{X: 96, Y: 160, Z: 64}})
}

func mustFromStone(t testing.TB, r *stone.Reader) *convert.Loaded {
	t.Helper()
	w, err := convert.FromContent(context.Background(), r, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStoneRoundTrip brings made worlds into a stone and back, and through
// Source; nothing may differ, and the same world gives the same bytes.
func TestStoneRoundTrip(t *testing.T) {
	for _, tt := range append(someWorlds(), madeWorld{"level", levelSource()}) {
		t.Run(tt.name, func(t *testing.T) {
			w := mustLoad(t, tt.src)
			b := mustWrite(t, w)
			again := mustLoad(t, tt.src)
			if !bytes.Equal(b, mustWrite(t, again)) {
				t.Error("the same world gives other bytes")
			}
			back := mustFromStone(t, mustOpen(t, b))
			if d := mustDiff(t, mustLoad(t, tt.src), back); !d.Same() {
				t.Errorf("from the stone: %+v", d)
			}
			if !bytes.Equal(b, mustWrite(t, back)) {
				t.Error("the world from the stone gives other bytes")
			}
			strong := mustWriteBy(t, w, stone.Best)
			if d := mustDiff(t, back, mustFromStone(t, mustOpen(t, strong))); !d.Same() {
				t.Errorf("from the best stone: %+v", d)
			}
			if !bytes.Equal(strong, mustWriteBy(t, back, stone.Best)) {
				t.Error("the world from the stone gives other bytes with the strongest forms")
			}
			if d := mustDiff(t, back, mustLoad(t, back.Source())); !d.Same() {
				t.Errorf("through Source: %+v", d)
			}
			if d := mustDiff(t, back, mustFromStone(t, mustStone(t, mustLoad(t, back.Source())))); !d.Same() {
				t.Errorf("through Source and a stone: %+v", d)
			}
		})
	}
}

// TestStoneOrder has the same columns come in another order, which names and
// chunks follow.
func TestStoneOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	src, _ := randomWorld(r, square(5))
	src.files = []format.File{fileOf("b", "2"), fileOf("a", "1"), fileOf("a/c", "3")}
	want := mustWrite(t, mustLoad(t, src))
	for range 3 {
		r.Shuffle(len(src.columns[0]), func(i, j int) { swap(src.columns[0], i, j) })
		r.Shuffle(3, func(i, j int) { swap(src.files, i, j) })
		if !bytes.Equal(mustWrite(t, mustLoad(t, renamed(t, r, src))), want) {
			t.Fatal("another order gives other bytes")
		}
	}
}

// TestStoneSizes pins what made worlds take, to 2 %: height maps that no longer
// follow from blocks, or names that no longer sort, would show here.
func TestStoneSizes(t *testing.T) {
	for effort, pinned := range map[stone.Effort]int{stone.Quick: 266389, stone.Best: 125572} {
		total := 0
		for _, tt := range madeWorlds() {
			total += len(mustWriteBy(t, mustLoad(t, tt.src), effort))
		}
		if d := total - pinned; d*50 > pinned || d*50 < -pinned {
			t.Errorf("effort %d: %d bytes, pinned at %d", effort, total, pinned)
		}
	}
}

func swap[T any](s []T, i, j int) { s[i], s[j] = s[j], s[i] }

// renamed returns src with the same names by other cells.
func renamed(t *testing.T, r *rand.Rand, src *source) *source {
	t.Helper()
	d := format.BlockDimension(src.dims[0].Name, src.dims[0].Folder)
	out := *src
	out.dims, out.columns = []*format.Dimension{d}, [][]*format.Column{nil}
	tables := map[string][]voxel.Cell{}
	for _, name := range []string{voxel.Block, voxel.Biome} {
		old := src.dims[0].Volume(name).Names
		tables[name] = make([]voxel.Cell, old.Len())
		for _, c := range r.Perm(old.Len()) {
			cell, err := d.Volume(name).Names.Cell(old.Name(voxel.Cell(c)))
			if err != nil {
				t.Fatal(err)
			}
			tables[name][c] = cell
		}
	}
	through := func(cells []voxel.Cell, name string) (to []voxel.Cell) {
		for _, c := range cells {
			to = append(to, tables[name][c])
		}
		return to
	}
	for _, c := range src.columns[0] {
		n := *c
		n.Cells = slices.Clone(c.Cells)
		for i := range n.Cells {
			n.Cells[i].Block, n.Cells[i].Biome = through(c.Cells[i].Block, voxel.Block), through(c.Cells[i].Biome, voxel.Biome)
		}
		out.columns[0] = append(out.columns[0], &n)
	}
	return &out
}

func TestStoneSmallWorlds(t *testing.T) {
	block := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	for _, tt := range []struct {
		name string
		w    *convert.Loaded
	}{
		{"nothing", &convert.Loaded{}},
		{"a format", &convert.Loaded{Head: format.Head{Format: "slime", Version: 13}}},
		{"a dimension of nothing", &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Folder: "f"}, {Name: "e"}}}},
		{"a volume without names", &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Volumes: []*convert.LoadedVolume{block}}}}},
		{"a column without anything", &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Columns: make([]voxel.Column, 1)}}}},
		{"an empty file", &convert.Loaded{Files: []format.File{fileOf("a", "")}}},
		{"properties of convert's own names", &convert.Loaded{Head: format.Head{Format: "slime", Version: 7, Properties: map[string]string{
			"format": "mine", "'format": "quoted", "''format.version": "x", "format.version": "8", "'": "'", "formats": "",
		}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			back := mustFromStone(t, mustStone(t, tt.w))
			if d := mustDiff(t, tt.w, back); !d.Same() {
				t.Errorf("%+v", d)
			}
			if back.Head.Format != tt.w.Head.Format || back.Head.Version != tt.w.Head.Version || len(back.Head.Properties) != len(tt.w.Head.Properties) {
				t.Errorf("head %+v, want %+v", back.Head, tt.w.Head)
			}
			if d := mustDiff(t, tt.w, mustLoad(t, back.Source())); !d.Same() {
				t.Errorf("through Source: %+v", d)
			}
			for i, d := range back.Dimensions {
				if d.Folder != tt.w.Dimensions[i].Folder {
					t.Errorf("folder %q", d.Folder)
				}
			}
		})
	}
}

// TestStoneDefault has a volume whose default is a name that no cell has and
// that sorts last.
func TestStoneDefault(t *testing.T) {
	v := &convert.LoadedVolume{Volume: voxel.Volume{Name: "v", Schema: voxel.Palette, Scale: 1, Default: 1}, Names: []string{"air", "z", "unused", "a"}, Chunks: one(3)}
	w := &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "d", Volumes: []*convert.LoadedVolume{v}}}}
	got := mustFromStone(t, mustStone(t, w)).Dimensions[0].Volumes[0]
	if fmt.Sprint(got.Names) != "[air a z]" || got.Names[got.Default] != "z" {
		t.Errorf("names %v, default %d", got.Names, got.Default)
	}
	if cell := got.Chunks[geom.ChunkPos{}].Cell(1, 2, 3); got.Names[cell] != "a" {
		t.Errorf("the chunk is of %q", got.Names[cell])
	}
}

// TestStoneManyMaps has more kinds of height maps than a stone has rules.
func TestStoneManyMaps(t *testing.T) {
	src, _ := randomWorld(rand.New(rand.NewPCG(3, 4)), square(1))
	for _, c := range src.columns[0] {
		c.Sections, c.Cells = []voxel.Section{{Has: voxel.HasBlock}}, []format.Cells{{Block: []voxel.Cell{1}}}
		c.Maps = nil
		for i := range 20 {
			m := voxel.Map{Name: fmt.Sprint("map ", i)}
			for n := range m.Values {
				m.Values[n] = 16
			}
			c.Maps = append(c.Maps, m)
		}
	}
	if _, err := src.dims[0].Volume(voxel.Block).Names.Cell("stone"); err != nil {
		t.Fatal(err)
	}
	w := mustLoad(t, src)
	if d := mustDiff(t, w, mustFromStone(t, mustStone(t, w))); !d.Same() {
		t.Errorf("%+v", d)
	}
}

// TestStoneFiles has files that are not as long as they say, or fail.
func TestStoneFiles(t *testing.T) {
	wrong := errors.New("wrong")
	lying := func(size int64) format.File {
		f := fileOf("a", "content")
		f.Size = size
		return f
	}
	for _, tt := range []struct {
		name  string
		files []format.File
		ok    bool
	}{
		{"as it says", []format.File{lying(7)}, true},
		{"longer", []format.File{lying(6)}, false},
		{"shorter", []format.File{lying(8)}, false},
		{"much shorter", []format.File{lying(1 << 40)}, false},
		{"negative", []format.File{lying(-1)}, false},
		{"of nothing", []format.File{lying(0)}, false},
		{"twice", []format.File{lying(7), lying(7)}, false},
		{"not to be opened", []format.File{{Path: "a", Open: func() (io.ReadCloser, error) { return nil, wrong }}}, false},
		{"not to be read", []format.File{{Path: "a", Size: 1, Open: func() (io.ReadCloser, error) { return io.NopCloser(failing{wrong}), nil }}}, false},
	} {
		_, _, err := convert.WriteStone(context.Background(), &convert.Loaded{Files: tt.files}, io.Discard, stone.Options{})
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
		if strings.HasPrefix(tt.name, "not") && !errors.Is(err, wrong) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestStoneWriteError has a disk that is full after ever more bytes.
func TestStoneWriteError(t *testing.T) {
	w := island(t)
	full := errors.New("full")
	for room := 0; room < len(mustWrite(t, w)); room += 4000 {
		if _, _, err := convert.WriteStone(context.Background(), w, &disk{room, full}, stone.Options{Effort: stone.Quick}); !errors.Is(err, full) {
			t.Fatalf("full after %d bytes: %v", room, err)
		}
	}
}

type disk struct {
	room int
	err  error
}

func (d *disk) Write(b []byte) (int, error) {
	if d.room -= len(b); d.room < 0 {
		return 0, d.err
	}
	return len(b), nil
}

// countdown is a context that is cancelled after it was asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels everything that takes a context ever later: it ends with
// that error until it ends well.
func TestCancel(t *testing.T) {
	w := island(t)
	w.Files = append(w.Files, fileOf("zz", "1"))
	level := mustLoad(t, levelSource())
	r := mustStone(t, w)
	for _, tt := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"Load", func(ctx context.Context) error { _, err := convert.Load(ctx, w.Source()); return err }},
		{"Load of chunks", func(ctx context.Context) error { _, err := convert.Load(ctx, level.Source()); return err }},
		{"WriteStone", func(ctx context.Context) error {
			_, _, err := convert.WriteStone(ctx, w, io.Discard, stone.Options{Effort: stone.Quick})
			return err
		}},
		{"FromStone", func(ctx context.Context) error { _, err := convert.FromContent(ctx, r, 0); return err }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := 0; ; n += 1 + n/2 {
				err := tt.run(&countdown{context.Background(), n})
				if err == nil {
					if n < 10 {
						t.Errorf("asked only %d times", n)
					}
					return
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestFromStoneBounded has a stone that says in few bytes that there are more
// chunks than can be held.
func TestFromStoneBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes a million chunks")
	}
	var b bytes.Buffer
	s := stone.NewWriter(&b, stone.Options{Effort: stone.Quick})
	s.Dimension("d", "")
	s.Volume(voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, nil)
	full, pos := voxel.Uniform(1), geom.CodeOf(geom.ChunkPos{}, 0)
	for i := range geom.Code(1<<20 + 64) {
		s.Chunk(0, (pos + i).Pos(), full)
	}
	if _, _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := convert.FromContent(context.Background(), mustOpen(t, b.Bytes()), 0); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

// A world of no game keeps no format.
func TestStoneOfNoGame(t *testing.T) {
	w := convert.NewLoader(format.Head{Properties: map[string]string{"rules": "none"}}).World()
	got := mustOpen(t, mustWrite(t, w)).About().Properties
	if len(got) != 1 || got[0].Key != "rules" || got[0].Value != "none" {
		t.Errorf("properties %v", got)
	}
}
