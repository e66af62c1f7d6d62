package litematic_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/litematic"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func tag(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

func list(elem nbt.Type, values ...nbt.Value) nbt.Items { return nbt.Items{Elem: elem, Values: values} }

func xyz(name string, x, y, z int32) nbt.Entry {
	return tag(name, nbt.Entries{tag("x", x), tag("y", y), tag("z", z)})
}

// with returns entries with some replaced, added, or removed if nil.
func with(all nbt.Entries, others ...nbt.Entry) nbt.Entries {
	all = slices.Clone(all)
	for _, o := range others {
		all = slices.DeleteFunc(all, func(e nbt.Entry) bool { return e.Name == o.Name })
		if o.Value != nil {
			all = append(all, o)
		}
	}
	return all
}

// palette is air, stone, stairs, glass and one that no block has: entries of 3 bits straddle.
var palette = list(nbt.Compound,
	nbt.Entries{tag("Name", "minecraft:air")}, nbt.Entries{tag("Name", "minecraft:stone")},
	nbt.Entries{tag("Name", "minecraft:oak_stairs"), tag("Properties", nbt.Entries{tag("facing", "east")})},
	nbt.Entries{tag("Name", "minecraft:glass")}, nbt.Entries{tag("Name", "minecraft:dirt"), tag("Properties", nbt.Entries{})})

// pack is the slow twin of the packed arrays: bit for bit.
func pack(cells []int, bits int) []int64 {
	out := make([]int64, (len(cells)*bits+63)/64)
	for i, c := range cells {
		for b := range bits {
			out[(i*bits+b)/64] |= int64(c>>b&1) << ((i*bits + b) % 64)
		}
	}
	return out
}

// region returns a region of states of the palette.
func region(pos, size [3]int32, cells []int, others ...nbt.Entry) nbt.Entries {
	return with(nbt.Entries{xyz("Position", pos[0], pos[1], pos[2]), xyz("Size", size[0], size[1], size[2]), tag("BlockStatePalette", palette),
		tag("BlockStates", pack(cells, 3)), tag("TileEntities", nbt.Items{}), tag("Entities", nbt.Items{}), tag("PendingBlockTicks", nbt.Items{}), tag("PendingFluidTicks", nbt.Items{})}, others...)
}

// some returns n states, none of them air if full.
func some(n int, full bool) (cells []int) {
	for i := range n {
		if c := (i*i + i/3) % 4; full && c == 0 {
			cells = append(cells, 3)
		} else {
			cells = append(cells, c)
		}
	}
	return cells
}

func solid(cells []int) (n int32) {
	for _, c := range cells {
		if c > 0 {
			n++
		}
	}
	return n
}

// meta returns metadata.
func meta(regions, blocks, volume int32, size [3]int32) nbt.Entry {
	return tag("Metadata", nbt.Entries{tag("Name", "tower"), tag("Author", "me"), tag("TimeCreated", int64(77)), tag("Software", "x"), tag("PreviewImageData", []int32{1, 2}),
		tag("RegionCount", regions), tag("TotalBlocks", blocks), tag("TotalVolume", volume), xyz("EnclosingSize", size[0], size[1], size[2])})
}

var tick = list(nbt.Compound, nbt.Entries{tag("Block", "minecraft:stone"), tag("Priority", int32(0)), tag("Time", int32(3)), tag("x", int32(0)), tag("y", int32(1)), tag("z", int32(0))})

// single returns a file of one region of 4x3x7 blocks whose edges are negative along x and z.
func single(others ...nbt.Entry) []byte {
	cells := some(84, false)
	chest := nbt.Entries{tag("id", "minecraft:chest"), tag("x", int32(3)), tag("y", int32(2)), tag("z", int32(6))}
	pig := nbt.Entries{tag("id", "minecraft:pig"), tag("Pos", list(nbt.Double, -2.5, 1.0, -6.0))}
	r := region([3]int32{10, 20, 30}, [3]int32{-4, 3, -7}, cells, tag("TileEntities", list(nbt.Compound, chest)), tag("Entities", list(nbt.Compound, pig)),
		tag("PendingBlockTicks", tick), tag("Odd", int8(3)))
	return nbt.Append(nil, "", with(nbt.Entries{tag("Version", int32(6)), tag("SubVersion", int32(1)), tag("MinecraftDataVersion", int32(3465)), tag("Kept", "yes"),
		meta(1, solid(cells), 84, [3]int32{4, 3, 7}), tag("Regions", nbt.Entries{tag("main", r)})}, others...))
}

// several returns a file of three regions: the second covers a part of the first, the third lies apart.
func several() []byte {
	a, b, c := some(4*4*4, true), some(3*2*3, true), some(2*2*2, false)
	return nbt.Append(nil, "", nbt.Entries{tag("Version", int32(5)), tag("MinecraftDataVersion", int32(2586)),
		meta(3, solid(a)+solid(b)+solid(c), 64+18+8, [3]int32{14, 4, 5}), tag("Regions", nbt.Entries{
			tag("a", region([3]int32{0, 0, 0}, [3]int32{4, 4, 4}, a)),
			tag("b", region([3]int32{4, 2, 4}, [3]int32{-3, 2, -3}, b, tag("PendingBlockTicks", tick))),
			tag("c", region([3]int32{12, 0, 0}, [3]int32{2, 2, 2}, c)),
		})})
}

func read(b []byte) (*clip.Clip, error) {
	return litematic.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

// write returns the document of a clip, and what is lost.
func write(t *testing.T, c *clip.Clip, version int) ([]byte, map[string]int) {
	t.Helper()
	var out bytes.Buffer
	lost, err := litematic.Write(&out, c, clip.WriteOptions{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return inflate(t, out.Bytes()), lost
}

func inflate(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func at(c *clip.Clip, x, y, z int) string {
	cell, _ := c.Block.View.Cell(geom.Point{X: x, Y: y, Z: z}.Add(c.Block.At))
	return c.Block.Names[cell]
}

// TestSame writes what it read: regions, their palettes, what later regions cover, ticks and unknown tags.
func TestSame(t *testing.T) {
	for name, doc := range map[string][]byte{"one": single(), "several": several(), "none": nbt.Append(nil, "", nbt.Entries{tag("Version", int32(6)), tag("SubVersion", int32(1)), meta(0, 0, 0, [3]int32{}), tag("Regions", nbt.Entries{})})} {
		c, err := read(doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, lost := write(t, c, 0)
		if path, same := nbt.Equal(doc, got); !same || len(lost) > 0 || len(c.Lost) > 0 {
			t.Errorf("%s: the documents differ at %q, lost %v, %v", name, path, lost, c.Lost)
		}
	}
}

func TestCells(t *testing.T) {
	c, err := read(single())
	if err != nil {
		t.Fatal(err)
	}
	if c.Offset != (geom.Point{X: 7, Y: 20, Z: 24}) || c.Size != (geom.Point{X: 4, Y: 3, Z: 7}) || c.Version != 3465 || c.FormatVersion != 6 {
		t.Errorf("offset %v, size %v, data version %d, version %d", c.Offset, c.Size, c.Version, c.FormatVersion)
	}
	names := []string{"air", "minecraft:stone", "minecraft:oak_stairs[facing=east]", "minecraft:glass"}
	for i, want := range some(84, false) {
		if got := at(c, i%4, i/28, i/4%7); got != names[want] {
			t.Fatalf("cell %d: %s, want %s", i, got, names[want])
		}
	}
	if o := c.List(voxel.BlockEntities); len(o) != 1 || o[0].At != (geom.Point{X: 3, Y: 2, Z: 6}) {
		t.Errorf("block entities %v", o)
	}
	// Position is 10,20,30, so the pig is at 7.5, 21, 24.
	if o := c.List(voxel.Entities); len(o) != 1 || o[0].At != (geom.Point{X: 0, Y: 1, Z: 0}) {
		t.Errorf("entities %v", o)
	}
}

// TestCovered: the later of two regions is seen, gaps are void, and an edit of what is seen goes to it.
func TestCovered(t *testing.T) {
	c, err := read(several())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"air", "minecraft:stone", "minecraft:oak_stairs[facing=east]", "minecraft:glass"}
	if got := at(c, 2, 2, 2); got != names[some(18, true)[0]] {
		t.Errorf("the least corner of the second region is %s", got)
	}
	if got := at(c, 8, 0, 0); got != clip.Void {
		t.Errorf("between the regions is %s", got)
	}
	d := c.Block.View.Edit()
	d.Set(geom.Point{X: 3, Y: 3, Z: 3}, voxel.Cell(slices.Index(c.Block.Names, "minecraft:stone")))
	d.Set(geom.Point{X: 2, Y: 2, Z: 2}, voxel.Cell(slices.Index(c.Block.Names, "air")))
	c.Block.View, _ = d.Publish()
	doc, lost := write(t, c, 0)
	_, root, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	regions := root.(nbt.Entries).Get("Regions").(nbt.Entries)
	a, b := some(64, true), some(18, true)
	b[0], b[1+3*1+9] = 0, 1
	for i, want := range [][]int{a, b} {
		if got := regions[i].Value.(nbt.Entries).Get("BlockStates").([]int64); !slices.Equal(got, pack(want, 3)) {
			t.Errorf("region %d has other blocks", i)
		}
	}
	d.Set(geom.Point{X: 8}, 0) // outside of the regions
	c.Block.View, _ = d.Publish()
	doc, lost = write(t, c, 0)
	if lost["regions, since blocks lie outside of them"] != 3 || lost["tag PendingBlockTicks of regions"] != 1 || len(lost) != 2 {
		t.Errorf("lost %v", lost)
	}
	again, err := read(doc)
	if err != nil {
		t.Fatal(err)
	}
	again.Tags = c.Tags
	if d := clip.Difference(c, again); d != "" {
		t.Error(d)
	}
}

// TestVersions writes each version.
func TestVersions(t *testing.T) {
	c, err := read(single())
	if err != nil {
		t.Fatal(err)
	}
	for version := 4; version <= 7; version++ {
		doc, lost := write(t, c, version)
		_, root, err := nbt.Parse(doc, nbt.Limits{})
		if err != nil || len(lost) > 0 {
			t.Fatal(err, lost)
		}
		if got := root.(nbt.Entries).Get("Version"); got != int32(version) {
			t.Errorf("version %v, want %d", got, version)
		}
		if got := root.(nbt.Entries).Get("SubVersion"); (got != nil) != (version >= 6) {
			t.Errorf("version %d: SubVersion %v", version, got)
		}
	}
	for _, version := range []int{3, 8} {
		if _, err := litematic.Write(io.Discard, c, clip.WriteOptions{Version: version}); err == nil {
			t.Errorf("version %d is written", version)
		}
	}
	if doc, _ := write(t, &clip.Clip{Size: c.Size, Block: c.Block, Version: 3837}, 0); !bytes.Contains(doc, append([]byte("Version"), 0, 0, 0, 7)) {
		t.Error("1.20.5 is not written as version 7")
	}
}

func TestRefused(t *testing.T) {
	one := func(others ...nbt.Entry) nbt.Entry {
		return tag("Regions", nbt.Entries{tag("main", region([3]int32{0, 0, 0}, [3]int32{2, 2, 2}, some(8, true), others...))})
	}
	var many nbt.Entries
	for i := range 5000 {
		many = append(many, tag(fmt.Sprint(i), nbt.Entries{}))
	}
	for _, tt := range []struct {
		name    string
		file    []byte
		want    string
		corrupt bool
	}{
		{"no version", single(tag("Version", nil)), "Version", true},
		{"an old version", single(tag("Version", int32(3))), "version 3", false},
		{"a later version", single(tag("Version", int32(8))), "version 8", false},
		{"no regions", single(tag("Regions", nil)), "Regions", true},
		{"regions that are a list", single(tag("Regions", nbt.Items{})), "Regions", true},
		{"a region that is a number", single(tag("Regions", nbt.Entries{tag("a", int8(1))})), "Regions", true},
		{"many regions", single(tag("Regions", many)), "more than 1024", true},
		{"no position", single(one(tag("Position", nil))), "no Position", true},
		{"a position of two", single(one(tag("Position", nbt.Entries{tag("x", int32(1)), tag("y", int32(1))}))), "not three ints", true},
		{"no size", single(one(tag("Size", nil))), "Size", true},
		{"an edge of nothing", single(one(xyz("Size", 2, 0, 2))), "Size", true},
		{"a great size", single(one(xyz("Size", 1000, 1000, 1000))), "1000 x 1000 x 1000", true},
		{"a size beyond all", single(one(xyz("Size", -1<<31, -1<<31, -1<<31))), "2147483648", true},
		{"no palette", single(one(tag("BlockStatePalette", nil))), "no palette", true},
		{"an empty palette", single(one(tag("BlockStatePalette", nbt.Items{}))), "no palette", true},
		{"a palette of numbers", single(one(tag("BlockStatePalette", list(nbt.Int, int32(1))))), "BlockStatePalette", true},
		{"no cells", single(one(tag("BlockStates", nil))), "BlockStates", true},
		{"few cells", single(one(tag("BlockStates", []int64{}))), "BlockStates", true},
		{"many cells", single(one(tag("BlockStates", []int64{0, 0}))), "BlockStates", true},
		{"a state beyond the palette", single(one(tag("BlockStates", []int64{7}))), "palette of 5", true},
		{"regions far apart", single(tag("Regions", nbt.Entries{tag("a", region([3]int32{0, 0, 0}, [3]int32{2, 2, 2}, some(8, true))), tag("b", region([3]int32{60000, 0, 60000}, [3]int32{2, 2, 2}, some(8, true)))})), "a box of", true},
		{"entities that are numbers", single(one(tag("Entities", list(nbt.Int, int32(1))))), "Entities", true},
	} {
		_, err := read(tt.file)
		var corrupt *format.CorruptError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &corrupt) != tt.corrupt {
			t.Errorf("%s: %v, want %q, a CorruptError: %v", tt.name, err, tt.want, tt.corrupt)
		}
	}
}

// TestLarge reads a box of many cells of one state. It is small in memory.
func TestLarge(t *testing.T) {
	doc := single(tag("Regions", nbt.Entries{tag("main", region([3]int32{}, [3]int32{1000, 100, 1000}, nil, tag("BlockStates", make([]int64, 1000*100*1000*3/64))))}))
	c, err := litematic.Read(bytes.NewReader(doc), int64(len(doc)), clip.ReadOptions{MaxBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Counts(&c.Block)[0]; n != 1000*100*1000 {
		t.Errorf("%d cells of air", n)
	}
}

func TestTruncated(t *testing.T) {
	for _, doc := range [][]byte{single(), several()} {
		for n := range doc {
			if _, err := read(doc[:n]); err == nil {
				t.Fatalf("%d of %d bytes: no error", n, len(doc))
			}
		}
	}
}

func TestDetect(t *testing.T) {
	for name, tt := range map[string]struct {
		doc  nbt.Entries
		want bool
	}{
		"regions first":  {nbt.Entries{tag("Regions", nbt.Entries{})}, true},
		"version first":  {nbt.Entries{tag("MinecraftDataVersion", int32(1)), tag("Odd", int8(1))}, true},
		"a map template": {nbt.Entries{tag("regions", nbt.Items{}), tag("chunks", nbt.Items{})}, false},
		"level.dat":      {nbt.Entries{tag("Data", nbt.Entries{tag("DataVersion", int32(1))})}, false},
	} {
		if got := litematic.Detect(nbt.Append(nil, "", tt.doc)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRealFiles reads the schematics below CAIRN_WORLDS and writes the same documents, but for the
// number TotalVolume, which some programs get wrong.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "litematic", "*", "*.litematic"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := read(raw)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		got, lost := write(t, c, 0)
		if where, same := nbt.Equal(normal(t, inflate(t, raw)), normal(t, got)); !same || len(lost)+len(c.Lost) > 0 {
			t.Errorf("%s: the documents differ at %q, lost %v, %v", filepath.Base(path), where, lost, c.Lost)
		}
	}
}

// normal returns a document without TotalVolume, and its empty lists without a type.
func normal(t *testing.T, doc []byte) []byte {
	t.Helper()
	name, root, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var clean func(v nbt.Value) nbt.Value
	clean = func(v nbt.Value) nbt.Value {
		switch v := v.(type) {
		case nbt.Items:
			if len(v.Values) == 0 {
				return nbt.Items{}
			}
			for i := range v.Values {
				v.Values[i] = clean(v.Values[i])
			}
			return v
		case nbt.Entries:
			v = with(v, tag("TotalVolume", nil))
			for i := range v {
				v[i].Value = clean(v[i].Value)
			}
			return v
		}
		return v
	}
	return nbt.Append(nil, name, clean(root))
}

func FuzzRegions(f *testing.F) {
	f.Add(single())
	f.Add(several())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := litematic.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{MaxBytes: 64 << 20})
		if err != nil || c.Area()*c.Size.Y > 1<<20 {
			return
		}
		var out bytes.Buffer
		if lost, err := litematic.Write(&out, c, clip.WriteOptions{}); err != nil || len(lost) > 0 {
			if err == nil || errors.Is(err, format.ErrHolds) {
				return
			}
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := read(out.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if d := clip.Difference(c, again); d != "" {
			t.Fatalf("written and read: %s", d)
		}
		if _, err := document.Fields(c.Tags); err != nil {
			t.Fatal(err)
		}
	})
}
