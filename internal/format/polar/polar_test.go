package polar_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/polar"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// taker is a Sink that passes on, and keeps text about each column if it is asked to.
type taker struct {
	to      format.Writer
	dim     *format.Dimension
	columns map[geom.ColumnPos]string
	check   func(d *format.Dimension, c *format.Column)
	files   map[string]string
}

func (s *taker) Dimension(d *format.Dimension) error {
	s.dim, s.columns, s.files = d, map[geom.ColumnPos]string{}, map[string]string{}
	if s.to != nil {
		return s.to.Dimension(d)
	}
	return nil
}

func (s *taker) Chunk(string, geom.ChunkPos, *voxel.Chunk) error { return errors.New("a chunk") }

func (s *taker) Column(c *format.Column) error {
	s.columns[c.Pos] = text(s.dim, c)
	if s.check != nil {
		s.check(s.dim, c)
	}
	if s.to != nil {
		return s.to.Column(c)
	}
	return nil
}

func (s *taker) File(f format.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	s.files[f.Path] = string(b)
	if s.to != nil && err == nil {
		return s.to.File(f)
	}
	return err
}

// text tells all that a column holds, by name, but for sections with nothing.
func text(d *format.Dimension, c *format.Column) string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Pos, c.Version)
	for i, s := range c.Sections {
		if s.Has == 0 {
			continue
		}
		a := &c.Cells[i]
		fmt.Fprintln(&b, s.Y, s.Has, names(d, voxel.Block, a.Block), names(d, voxel.Biome, a.Biome), crc32.ChecksumIEEE(a.Light), crc32.ChecksumIEEE(a.Sky))
	}
	fmt.Fprintln(&b, c.Maps, c.Lists, c.Parts)
	return b.String()
}

// names tells cells by name: the name of all, or the names and a sum of which is where.
func names(d *format.Dimension, volume string, cells []voxel.Cell) string {
	var list []string
	place := map[voxel.Cell]uint16{}
	if len(cells) == 1 {
		return d.Volume(volume).Names.Name(cells[0])
	}
	var at []byte
	for _, c := range cells {
		if _, ok := place[c]; !ok {
			place[c] = uint16(len(list))
			list = append(list, d.Volume(volume).Names.Name(c))
		}
		at = append(at, byte(place[c]), byte(place[c]>>8))
	}
	if len(list) == 1 {
		return list[0]
	}
	return fmt.Sprint(list, crc32.ChecksumIEEE(at))
}

func opened(t testing.TB, file []byte) format.Source {
	t.Helper()
	f, err := polar.Kind().Open(bytes.NewReader(file), int64(len(file)), format.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// again reads a file, and returns the file that is written of it.
func again(t testing.TB, file []byte, o format.WriteOptions) (s *taker, out []byte, lost map[string]int) {
	t.Helper()
	f := opened(t, file)
	o.Head = f.Head()
	var b bytes.Buffer
	w, err := polar.Kind().Create(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	s = &taker{to: w}
	if err := errors.Join(f.Read(context.Background(), s), w.Close()); err != nil {
		t.Fatal(err)
	}
	if lost, _ := f.(format.Reporter).Remarks(); len(lost) > 0 {
		t.Errorf("reading lost %v", lost)
	}
	return s, b.Bytes(), w.Lost()
}

// TestVersions reads what the twin writes in every version, compares it with what the twin was given, and holds the writer
// to the twin's bytes.
func TestVersions(t *testing.T) {
	for version := 1; version <= 7; version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			p := made(version)
			file := p.file()
			if !polar.Kind().Detect(file) {
				t.Error("not detected")
			}
			s, out, lost := again(t, file, format.WriteOptions{})
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			if !bytes.Equal(out, file) {
				t.Error("the writer and its twin differ")
			}
			s.check = func(d *format.Dimension, c *format.Column) { compare(t, p, d, c) }
			s.to = nil
			if err := opened(t, file).Read(context.Background(), s); err != nil {
				t.Fatal(err)
			}
			if len(s.columns) != len(p.chunks) || s.files[polar.UserPath] != string(p.user) {
				t.Errorf("%d columns, files %q", len(s.columns), s.files)
			}
			p.packed = false
			plain, _, _ := again(t, p.file(), format.WriteOptions{})
			if !reflect.DeepEqual(plain.columns, s.columns) {
				t.Error("without compression it is another world")
			}
		})
	}
}

// compare holds a column to what the twin was given.
func compare(t *testing.T, p *world, d *format.Dimension, c *format.Column) {
	t.Helper()
	for _, k := range p.chunks {
		if k.x != c.Pos.X || k.z != c.Pos.Z {
			continue
		}
		for i, s := range k.sections {
			if c.Sections[i].Y != int8(p.low+i) {
				t.Fatalf("section %d is at %d", i, c.Sections[i].Y)
			}
			if s.blocks == nil {
				if c.Sections[i].Has != 0 {
					t.Errorf("an empty section has %v", c.Sections[i].Has)
				}
				continue
			}
			a := c.Cells[i]
			for j, name := range s.blocks {
				if got := d.Volume(voxel.Block).Names.Name(a.Block[min(j, len(a.Block)-1)]); got != strings.TrimPrefix(name, "minecraft:") {
					t.Fatalf("block %d of section %d: %s, want %s", j, i, got, name)
				}
			}
			for j, name := range s.biomes {
				if got := d.Volume(voxel.Biome).Names.Name(a.Biome[min(j, len(a.Biome)-1)]); got != name {
					t.Fatalf("biome %d of section %d: %s, want %s", j, i, got, name)
				}
			}
			if !bytes.Equal(a.Light, s.light) || !bytes.Equal(a.Sky, s.sky) || (a.Light == nil) != (s.light == nil) {
				t.Errorf("section %d: other light", i)
			}
		}
		objects := c.Objects(voxel.BlockEntities)
		if len(objects) != len(k.tiles) || len(c.Maps) != len(k.heights) {
			t.Fatalf("%d block entities, %d maps", len(objects), len(c.Maps))
		}
		for i, o := range k.tiles {
			if want := c.Pos.Min(0).Add(geom.Point{X: o.x, Y: o.y, Z: o.z}); objects[i].At != want {
				t.Errorf("a block entity at %v, want %v", objects[i].At, want)
			}
			want := append([]byte{}, 0)
			if o.tags != nil {
				want = o.tags
			}
			if o.id != "" {
				want = append(nbt.AppendString(nil, "id", o.id), want...)
			}
			if !bytes.Equal(objects[i].Payload, want) {
				t.Errorf("block entity % x, want % x", objects[i].Payload, want)
			}
		}
		for _, m := range c.Maps {
			bit := map[string]int{"MOTION_BLOCKING": 0, "OCEAN_FLOOR_WG": 3}[m.Name]
			fmt.Sscanf(m.Name, "polar:%d", &bit)
			for j, v := range k.heights[bit] {
				if m.Values[j] != int32(v) {
					t.Fatalf("height map %s: %d is %d, want %d", m.Name, j, m.Values[j], v)
				}
			}
		}
		return
	}
	t.Errorf("column %v is not in the world", c.Pos)
}

// TestNames: a namespace may lack, properties come in any order, and odd names come back.
func TestNames(t *testing.T) {
	p := made(7)
	p.chunks = p.chunks[:1]
	p.chunks[0].sections = p.chunks[0].sections[:1]
	p.high = p.low
	s := &p.chunks[0].sections[0]
	for text, want := range map[string][2]string{
		"air":                      {"air", "minecraft:air"},
		"stone":                    {"minecraft:stone", "minecraft:stone"},
		"oak_stairs[half=top,a=b]": {"minecraft:oak_stairs[a=b,half=top]", "minecraft:oak_stairs[a=b,half=top]"},
		"x:y[]":                    {"x:y", "x:y"},
		"x:größe[ä=ö]":             {"", "x:größe[ä=ö]"},
		"x:y[a=b":                  {"", "x:y[a=b"},
		"x:y[a]":                   {"", "x:y[a]"},
		"x:\xff":                   {"", "error"},
	} {
		for i := range s.blocks {
			s.blocks[i] = text
		}
		file := p.file()
		if want[1] == "error" {
			var corrupt *format.CorruptError
			if err := opened(t, file).Read(context.Background(), &taker{}); !errors.As(err, &corrupt) {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		got, out, _ := again(t, file, format.WriteOptions{})
		if list := got.dim.Volume(voxel.Block).Names.List(); want[0] != "" && list[len(list)-1] != want[0] {
			t.Errorf("%q is %q", text, list)
		}
		for i := range s.blocks {
			s.blocks[i] = want[1]
		}
		if !bytes.Equal(out, p.file()) {
			t.Errorf("%q is not written as %q", text, want[1])
		}
	}
}

// TestOlder: older versions lose by name what a later one holds.
func TestOlder(t *testing.T) {
	file := made(7).file()
	for version, want := range map[int][]string{
		6: nil, 5: {"data version"}, 4: {"data version", "file .polar/user.bin"}, 3: {"data version", "file .polar/user.bin"},
		2: {"data version", "file .polar/user.bin", "part polar_user"},
		1: {"data version", "file .polar/user.bin", "part polar_user", "sections with one kind of light, which got the other"},
	} {
		_, out, lost := again(t, file, format.WriteOptions{Version: version})
		for _, name := range want {
			if lost[name] == 0 {
				t.Errorf("version %d does not lose %s", version, name)
			}
		}
		if len(lost) != len(want) {
			t.Errorf("version %d lost %v, want %v", version, lost, want)
		}
		if got := opened(t, out).Head().Version; got != version {
			t.Errorf("version %d was written as %d", version, got)
		}
	}
}

// TestRefused: what Polar cannot hold.
func TestRefused(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	stone, _ := d.Volume(voxel.Block).Names.Cell("minecraft:stone")
	number, _ := d.Volume(voxel.Block).Names.Cell("legacy:1/0")
	column := func(x, version int32, c voxel.Cell) *format.Column {
		return &format.Column{Column: voxel.Column{Pos: geom.ColumnPos{X: x}, Version: version, Sections: []voxel.Section{{Has: voxel.HasBlock}}}, Cells: []format.Cells{{Block: []voxel.Cell{c}}}}
	}
	for name, columns := range map[string][]*format.Column{
		"1.17": {column(0, 2730, stone)}, "two versions": {column(0, 3955, stone), column(1, 3953, stone)}, "a number": {column(0, 3955, number)},
	} {
		w, err := polar.Kind().Create(io.Discard, format.WriteOptions{})
		if err == nil {
			err = w.Dimension(d)
		}
		for _, c := range columns {
			err = errors.Join(err, w.Column(c))
		}
		if !errors.Is(err, format.ErrHolds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := polar.Kind().Create(io.Discard, format.WriteOptions{Version: 8}); err == nil {
		t.Error("version 8 was written")
	}
}

func wantCorrupt(t *testing.T, what string, file []byte) {
	t.Helper()
	f, err := polar.Kind().Open(bytes.NewReader(file), int64(len(file)), format.ReadOptions{})
	if err == nil {
		err = f.Read(context.Background(), &taker{})
	}
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestTruncated: every truncation is an error with its place, of the file and of what it packs.
func TestTruncated(t *testing.T) {
	for _, version := range []int{1, 4, 7} {
		p := made(version)
		file := p.file()
		for n := 0; n < len(file); n += 1 + n/50 {
			wantCorrupt(t, fmt.Sprintf("version %d, %d bytes", version, n), file[:n])
		}
		p.packed = false
		p.chunks = p.chunks[3:]
		plain := p.file()
		head := bytes.IndexByte(plain[5:], byte(256+p.low)) // the content begins with the lowest section
		for n := head; n < len(plain); n += 1 + n/50 {
			wantCorrupt(t, fmt.Sprintf("version %d, content of %d bytes", version, n), plain[:n])
		}
	}
}

// TestLies: a file that claims much is refused before anything is allocated.
func TestLies(t *testing.T) {
	for name, file := range map[string]string{
		"another magic": "Polx\x00\x07", "version 0": "Polr\x00\x00\x01\x01", "version 8": "Polr\x00\x08\x01\x01\x01",
		"compression 2": "Polr\x00\x05\x02\x01", "two gigabytes": "Polr\x00\x05\x01\xff\xff\xff\xff\x07", "negative": "Polr\x00\x05\x01\xff\xff\xff\xff\x0f",
		"no end": "Polr\x00\x05\x01\xff\xff\xff\xff\xff\xff", "a frame that is none": "Polr\x00\x05\x01\x04abcd",
		"sections upside down": "Polr\x00\x05\x00\x04\x05\x04\x00\x00", "chunks that are not there": "Polr\x00\x05\x00\x08\x00\x00\x00\xff\xff\xff\xff\x03",
		"bytes left over": "Polr\x00\x05\x00\x05\x00\x00\x00\x00\x00",
		"a chunk twice":   "Polr\x00\x05\x00\x18\x00\x00\x00\x02" + strings.Repeat("\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", 2),
	} {
		wantCorrupt(t, name, []byte(file))
	}
}

// TestOrder: columns that lie near each other follow each other, and a damaged file passes none on.
func TestOrder(t *testing.T) {
	p := made(7)
	for i, at := range []int32{0, 9, 1, 8} {
		p.chunks[i].x, p.chunks[i].z = at, at
	}
	var got []int32
	s := &taker{check: func(_ *format.Dimension, c *format.Column) { got = append(got, c.Pos.X) }}
	if err := opened(t, p.file()).Read(t.Context(), s); err != nil || !slices.Equal(got, []int32{0, 1, 8, 9}) {
		t.Errorf("columns %v, %v", got, err)
	}
	p.chunks, got = append(p.chunks, p.chunks[0]), nil
	if err := opened(t, p.file()).Read(t.Context(), s); err == nil || len(got) > 0 {
		t.Errorf("a chunk that comes twice at the end: columns %v, %v", got, err)
	}
}

// TestMany: there are not many columns in a few bytes.
func TestMany(t *testing.T) {
	p := &world{version: 7, packed: true, chunks: slices.Repeat([]chunk{{sections: []section{{}}}}, 1<<17)}
	if err := opened(t, p.file()).Read(t.Context(), &taker{}); err == nil || !strings.Contains(err.Error(), "131072 things") {
		t.Error(err)
	}
}

// files returns the real files.
func files(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	list, err := filepath.Glob(filepath.Join(root, "polar", "*", "*.polar"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no files: %v", err)
	}
	return list
}

// TestWorlds: every real file comes back equal from its version and from the latest, and becomes an Anvil world.
func TestWorlds(t *testing.T) {
	for _, name := range files(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(file) > 200<<10 && !long.Part() {
				t.Skip("large: ./test all reads it")
			}
			want, out, lost := again(t, file, format.WriteOptions{})
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			back, _, lost := again(t, out, format.WriteOptions{Version: 7})
			if len(lost) > 0 || !reflect.DeepEqual(back.columns, want.columns) || !reflect.DeepEqual(back.files, want.files) {
				t.Errorf("another world came back, lost %v", lost)
			}
			if len(want.columns) > 1000 { // mostly air; one of them is enough in Polar
				return
			}
			w, err := anvil.Kind().CreateFolder(t.TempDir(), format.WriteOptions{Name: "x"})
			if err == nil {
				err = errors.Join(opened(t, file).Read(context.Background(), w), w.Close())
			}
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d bytes, again %d, %d columns", len(file), len(out), len(want.columns))
		})
	}
}

func FuzzPolar(f *testing.F) {
	for version := 1; version <= 7; version++ {
		p := made(version)
		p.packed = false
		p.chunks = p.chunks[3:]
		for i := range p.chunks[0].sections {
			if i != 1 {
				p.chunks[0].sections[i] = section{}
			}
		}
		f.Add(p.file())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		src, err := polar.Kind().Open(bytes.NewReader(file), int64(len(file)), format.ReadOptions{})
		if err != nil {
			return
		}
		var b bytes.Buffer
		w, err := polar.Kind().Create(&b, format.WriteOptions{Head: src.Head()})
		if err != nil {
			t.Fatal(err)
		}
		first := &taker{to: w}
		if err := errors.Join(src.Read(context.Background(), first), w.Close()); err != nil {
			return
		}
		second := &taker{}
		if err := opened(t, b.Bytes()).Read(context.Background(), second); err != nil {
			t.Fatal(err)
		}
		for pos, text := range second.columns {
			if w.Lost()["block entities without a place in their column"] == 0 && text != first.columns[pos] {
				t.Fatalf("column %v: %.500s\nwant %.500s", pos, text, first.columns[pos])
			}
		}
	})
}
