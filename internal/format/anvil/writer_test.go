package anvil_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// foreign returns a column as a format without chunks of tags would give it.
func foreign(d *format.Dimension, version int32) format.Column {
	blocks, biomes := d.Volume(voxel.Block).Names, d.Volume(voxel.Biome).Names
	name := "minecraft:stone"
	if version < 1451 {
		name = "legacy:1/0"
	}
	stone, _ := blocks.Cell(name)
	c := format.Column{Column: voxel.Column{Pos: geom.ColumnPos{X: 3, Z: -2}, Version: version}}
	c.Sections = []voxel.Section{{Y: 4, Has: voxel.HasBlock | voxel.HasSky}}
	cells := make([]voxel.Cell, 4096)
	cells[17] = stone
	c.Cells = []format.Cells{{Block: cells, Sky: bytes.Repeat([]byte{0xFF}, 2048)}}
	if version >= 2844 {
		plains, _ := biomes.Cell("minecraft:desert")
		c.Sections[0].Has |= voxel.HasBiome
		c.Cells[0].Biome = []voxel.Cell{plains}
	}
	c.Lists = []voxel.List{
		{Name: voxel.BlockEntities, Objects: []voxel.Object{{Place: voxel.Moved, At: geom.Point{X: 49, Y: 64, Z: -31}, Payload: nbt.AppendEnd(nbt.AppendString(nil, "id", "chest"))}}},
		{Name: voxel.Entities, Objects: []voxel.Object{{Payload: nbt.AppendEnd(nbt.AppendString(nil, "id", "pig"))}}},
	}
	return c
}

// TestForeign writes columns of other formats for each era of the game: the
// golden file shows which tags they get, and reading them gives the column back.
func TestForeign(t *testing.T) {
	var text []byte
	for _, version := range []int32{0, 1343, 1631, 1976, 2586, 2730, 2860, 3953} {
		s := &taker{dims: []*format.Dimension{format.BlockDimension("overworld", "")}}
		s.columns = []format.Column{foreign(s.dims[0], version)}
		dir := mustWrite(t, s, anvil.FolderOptions{LevelName: "made"})
		for _, name := range slices.Sorted(maps.Keys(anviltest.Files(t, dir))) {
			if name == "level.dat" {
				continue
			}
			_, v, err := nbt.Parse(docsOf(t, dir, name)[30<<5|3], nbt.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, fmt.Sprintf("%d %s\n", version, name)...)
			text = append(appendText(text, shortened(v), "\n"), '\n')
		}
		w, err := anvil.Open(dir, anvil.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p := w.Head().Properties; p["name"] != "made" {
			t.Errorf("%d: level.dat says %v", version, p)
		}
		again := &taker{keep: true}
		if err := w.Read(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		w.Close()
		c := again.columns[0]
		has := s.columns[0].Sections[0].Has
		if version < 1912 {
			has |= voxel.HasLight // the game wants it
		}
		if c.Layout != 0 || c.Version != version || len(c.Sections) != 1 || c.Sections[0].Has != has || len(c.Lists) != 2 {
			t.Errorf("%d: read again: %+v", version, c.Column)
		}
	}
	golden := filepath.Join("testdata", "foreign.txt")
	if *update {
		mustMkdir(t, "testdata")
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, _ := os.ReadFile(golden); !bytes.Equal(text, want) {
		t.Errorf("differs from %s (rewrite with -update):\n%s", golden, text)
	}
}

// appendText appends a value, with a line for each entry and each compound of a list.
func appendText(dst []byte, v nbt.Value, line string) []byte {
	switch v := v.(type) {
	case nbt.Entries:
		dst = append(dst, '{')
		for _, e := range v {
			dst = appendText(append(append(dst, line+"  "...), e.Name+": "...), e.Value, line+"  ")
		}
		return append(append(dst, line...), '}')
	case nbt.Items:
		dst = append(dst, '[')
		for _, x := range v.Values {
			dst = appendText(append(dst, line+"  "...), x, line+"  ")
		}
		return append(append(dst, line...), ']')
	}
	return fmt.Appendf(dst, "%T %#[1]v", v)
}

// shortened replaces arrays by their lengths.
func shortened(v nbt.Value) nbt.Value {
	switch v := v.(type) {
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	case []int64:
		return fmt.Sprintf("%d longs", len(v))
	case []int32:
		if len(v) >= 256 {
			return fmt.Sprintf("%d ints", len(v))
		}
	case nbt.Items:
		for i := range v.Values {
			v.Values[i] = shortened(v.Values[i])
		}
		if v.Elem == nbt.ByteArray || v.Elem == nbt.LongArray {
			v.Elem = nbt.String
		}
		return v
	case nbt.Entries:
		for i := range v {
			v[i].Value = shortened(v[i].Value)
		}
	}
	return v
}

// TestWriterRefuses: what cannot be written is an error that names it.
func TestWriterRefuses(t *testing.T) {
	dim := func() *format.Dimension { return format.BlockDimension("overworld", "") }
	for _, tt := range []struct {
		name  string
		write func(w *anvil.FolderWriter) error
		is    error
		want  string
	}{
		{"a column without a dimension", func(w *anvil.FolderWriter) error { return w.Column(&format.Column{}) }, nil, "before any dimension"},
		{"a chunk", func(w *anvil.FolderWriter) error { return w.Chunk("solid", geom.ChunkPos{}, nil) }, nil, "no columns"},
		{"a dimension twice", func(w *anvil.FolderWriter) error { return errors.Join(w.Dimension(dim()), w.Dimension(dim())) }, anvil.ErrTwice, ""},
		{"a folder outside", func(w *anvil.FolderWriter) error { return w.Dimension(format.BlockDimension("x", "../x")) }, nil, `"../x"`},
		{"a terrain", func(w *anvil.FolderWriter) error { return w.Dimension(&format.Dimension{Name: "x"}) }, nil, "no volumes of named"},
		{"a column twice", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			return errors.Join(w.Dimension(d), w.Column(&c), w.Column(&c))
		}, anvil.ErrTwice, "(3,-2)"},
		{"McRegion", func(w *anvil.FolderWriter) error {
			s := mustReadAll(t, folder(map[string][]byte{"region/r.0.0.mcr": region(map[int][]byte{0: stored(3, chunk(0))}, nil)}))
			return errors.Join(w.Dimension(s.dims[0]), w.Column(&s.columns[0]))
		}, anvil.ErrMcRegion, ""},
		{"names for numbers", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Version = 1343
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, block.ErrName, "minecraft:stone"},
		{"numbers for names", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 1343)
			c.Version = 2586
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, block.ErrName, "legacy:1/0"},
		{"biomes of sections too early", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2860)
			c.Version = 2586
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "biomes"},
		{"too few cells", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Cells[0].Block = c.Cells[0].Block[:100]
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "100 blocks, want 4096"},
		{"no cells", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Cells = nil
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "1 sections with 0"},
		{"a cell without a name", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Cells[0].Block[0] = 900
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "cell 900"},
		{"a map beyond its bits", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Maps = []voxel.Map{{Name: "WORLD_SURFACE", Form: 9}}
			c.Maps[0].Values[7] = 512
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "WORLD_SURFACE: entry 7 is 512"},
		{"a long name", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Cells[0].Block[0], _ = d.Volume(voxel.Block).Names.Cell(strings.Repeat("x", 70_000))
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "a name of more than"},
		{"a payload that is none", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Lists[0].Objects[0].Payload = []byte{99, 1}
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "do not fit together"},
		{"a part that is none", func(w *anvil.FolderWriter) error {
			d := dim()
			c := foreign(d, 2586)
			c.Parts = []voxel.Part{{Name: voxel.PartPOI, Data: []byte("no tags")}}
			return errors.Join(w.Dimension(d), w.Column(&c))
		}, nil, "poi of column (3,-2)"},
		{"a file twice", func(w *anvil.FolderWriter) error {
			f := format.File{Path: "a", Open: open([]byte{1})}
			return errors.Join(w.File(f), w.File(f))
		}, anvil.ErrTwice, `"a"`},
		{"a file that is a folder", func(w *anvil.FolderWriter) error {
			return errors.Join(w.File(format.File{Path: "a", Open: open(nil)}), w.File(format.File{Path: "a/b", Open: open(nil)}))
		}, nil, `"a/b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := mustMkdir(t, filepath.Join(t.TempDir(), "in"))
			w, err := anvil.Create(dir, anvil.FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			err = tt.write(w)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %v, %q", err, tt.is, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "..", "a")); err == nil {
				t.Error("wrote outside of its folder")
			}
		})
	}
}

// TestUncleanPaths leaves files out whose paths are not within the folder, by name.
func TestUncleanPaths(t *testing.T) {
	dir := mustMkdir(t, filepath.Join(t.TempDir(), "in"))
	w, err := anvil.Create(dir, anvil.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"../a", "/a", "a//b", `a\b`, ".", strings.Repeat("a", 256)}
	for _, p := range paths {
		if err := w.File(format.FileOf(p, []byte{1})); err != nil {
			t.Errorf("%q: %v", p, err)
		}
		if n := w.Lost()[fmt.Sprintf("file %q, whose path is not clean", p)]; n != 1 {
			t.Errorf("%q is lost %d times, want 1", p, n)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if got := anviltest.Files(t, filepath.Dir(dir)); len(got) > 0 {
		t.Errorf("wrote %v", slices.Sorted(maps.Keys(got)))
	}
}

// TestPlugins writes the data of plugins that a column of another format has where servers read it.
func TestPlugins(t *testing.T) {
	plugins := entry{Name: "ChunkBukkitValues", Value: compound("a:b", "c")}
	for _, tt := range []struct {
		version int32
		more    []entry
		lost    int
	}{{2586, nil, 0}, {3955, nil, 0}, {3955, []entry{{Name: "other", Value: int8(1)}}, 1}} {
		d := format.BlockDimension("overworld", "")
		c := foreign(d, tt.version)
		c.Pos = geom.ColumnPos{}
		c.Parts = []voxel.Part{{Name: "slime_extra", Data: document(append(entries{plugins}, tt.more...))}}
		dir := t.TempDir()
		w, err := anvil.Create(dir, anvil.FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Dimension(d), w.Column(&c), w.Close()); err != nil {
			t.Fatal(err)
		}
		if w.Lost()["slime_extra"] != tt.lost {
			t.Errorf("%d: lost %v, want %d", tt.version, w.Lost(), tt.lost)
		}
		_, root, err := nbt.Parse(docsOf(t, dir, "region/r.0.0.mca")[0], nbt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(root.(entries), func(e entry) bool { return e.Name == plugins.Name })
		if i < 0 || fmt.Sprint(root.(entries)[i].Value) != fmt.Sprint(plugins.Value) {
			t.Errorf("%d: no %s in %s", tt.version, plugins.Name, short(root))
		}
	}
}

// TestLost: what Anvil has no place for is counted.
func TestLost(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	c := foreign(d, 2586)
	c.Parts = []voxel.Part{{Name: "slime_extra", Data: []byte{1}}}
	c.Lists = append(c.Lists, voxel.List{Name: voxel.ProtoEntities, Objects: make([]voxel.Object, 2)})
	w, err := anvil.Create(t.TempDir(), anvil.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := errors.Join(w.Dimension(d), w.Column(&c)); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Lost(), map[string]int{"slime_extra": 1, voxel.ProtoEntities: 2}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestWriterFlush: regions that come piece by piece are whole in the end, with
// no dead space, and the same as if they came at once.
func TestWriterFlush(t *testing.T) {
	chunks, stamps := map[int][]byte{}, map[int]uint32{40: 9}
	for i := range 20 {
		chunks[i*17] = stored(3, document(compound("slot", int32(i), "more", bigChunk(i*700))))
		stamps[i*17] = uint32(i)
	}
	s := mustReadAll(t, folder(map[string][]byte{"region/r.0.0.mca": region(chunks, stamps), "region/r.1.0.mca": region(chunks, nil)}))
	at := mustWrite(t, s, anvil.FolderOptions{})
	var mixed taker
	mixed.dims = s.dims
	for i := range s.columns { // the two regions by turns
		mixed.columns = append(mixed.columns, s.columns[i*13%len(s.columns)])
	}
	pieces := mustWrite(t, &mixed, anvil.FolderOptions{PendingBytes: 1})
	for _, name := range []string{"region/r.0.0.mca", "region/r.1.0.mca"} {
		if !bytes.Equal(anviltest.Bytes(t, at, name), anviltest.Bytes(t, pieces, name)) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestWriterGivesWay: an empty region file of the source gives way to one that
// has chunks now.
func TestWriterGivesWay(t *testing.T) {
	for _, first := range []bool{true, false} {
		dir := t.TempDir()
		w, err := anvil.Create(dir, anvil.FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d := format.BlockDimension("overworld", "")
		c := foreign(d, 2586)
		file := func() {
			if err := w.File(format.File{Path: "region/r.0.-1.mca", Open: open(nil)}); err != nil {
				t.Error(err)
			}
		}
		if first {
			file()
		}
		if err := errors.Join(w.Dimension(d), w.Column(&c)); err != nil {
			t.Error(err)
		}
		if !first {
			file()
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if n := len(docsOf(t, dir, "region/r.0.-1.mca")); n != 1 {
			t.Errorf("file first %v: %d chunks", first, n)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	if _, err := anvil.Create(filepath.Join(t.TempDir(), "none"), anvil.FolderOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
	if _, err := anvil.Create(t.TempDir(), anvil.FolderOptions{Level: 12}); err == nil {
		t.Error("level 12: no error")
	}
}

// TestSystemPaths leaves out files whose names the system cannot have, and keeps them where it can.
func TestSystemPaths(t *testing.T) {
	names := []string{"data/aux.txt", "C:/x", "a:b", "end. /x", "fine.txt"}
	for _, system := range []string{"windows", "linux"} {
		dir := t.TempDir()
		w, err := anvil.Create(dir, anvil.FolderOptions{System: system})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := w.File(format.FileOf(name, []byte(name))); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lost := w.Lost()
		for i, name := range names {
			_, err := os.Stat(filepath.Join(dir, name))
			n, left := lost[fmt.Sprintf("file %q, whose name this system cannot have", name)], system == "windows" && i < 4
			if left != (err != nil) || left != (n == 1) {
				t.Errorf("%s: %q: %v, counted %d times as lost", system, name, err, n)
			}
		}
	}
}

// TestSameFile: a file that is another one here, as on a system that ignores case, does not replace it.
func TestSameFile(t *testing.T) {
	dir := put(t, t.TempDir(), map[string][]byte{"players/ann.dat": []byte("first")}) // as if it were players/Ann.dat
	w, err := anvil.Create(dir, anvil.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.File(format.FileOf("players/ann.dat", []byte("second"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "players/ann.dat")); string(got) != "first" || w.Lost()[`file "players/ann.dat", whose name another file has on this system`] != 1 {
		t.Errorf("it is %q, lost %v, %v", got, w.Lost(), err)
	}
}
