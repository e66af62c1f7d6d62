package bedrock_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/bedrock"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var (
	air    = state("minecraft:air", nil)
	stone  = state("minecraft:stone", nil)
	stairs = state("minecraft:oak_stairs", tags{}.int("weirdo_direction", 2).byte("upside_down_bit", 1))
	logs   = state("minecraft:oak_log", tags{}.text("pillar_axis", "y"))
	water  = state("minecraft:water", tags{}.int("liquid_depth", 0))
)

// mark is 1 at one place and 0 elsewhere.
func mark(x, y, z int) int {
	if x == 3 && y == 1 && z == 5 {
		return 1
	}
	return 0
}

var heights = string(binary.LittleEndian.AppendUint16(make([]byte, 510), 0xFFFE))

// sample is a world with each kind of key.
func sample() map[string]string {
	actor := func(x float32) string {
		b := tags{}.text("identifier", "minecraft:cow").head(9, "Pos")
		b = append(b, 5, 3, 0, 0, 0)
		for _, v := range []float32{x, 65.9, -0.5} {
			b, _ = binary.Append(b, le, v)
		}
		return b.root()
	}
	return map[string]string{
		key(0, -1, 2, 0x2c):       "\x28",
		key(0, -1, 2, 0x2f, 0xfc): "\x09\x01\xfc" + stored(0, nil, stone),
		key(0, -1, 2, 0x2f, 1):    "\x09\x02\x01" + stored(2, mark, air, stairs, logs) + stored(1, mark, air, water),
		key(0, -1, 2, 0x2b):       heights + "\x01\x05\x00\x00\x00" + "\xff" + stored(1, mark, "\x05\x00\x00\x00", "\x06\x00\x00\x00"),
		key(0, -1, 2, 0x31):       tags{}.text("id", "Chest").int("x", -15).int("y", 17).int("z", 34).root() + tags{}.text("id", "Odd").int("x", 1).root(),
		key(0, -1, 2, 0x32):       actor(-0.5),
		key(0, -1, 2, 0x33):       "ticks",
		key(0, -1, 2, 0x7f):       "what is to come",
		"digp" + key(0, -1, 2):    "00000001",
		"actorprefix00000001":     actor(-16),
		"actorprefixlonelyxx":     actor(7),
		key(1, 0, 0, 0x2f, 0):     "\x08\x01" + stored(16, mark, air, stone),
		key(2, 0, 0, 0x2d):        heights + strings.Repeat("\x09", 256) + "rest",
		key(1000, 0, 0, 0x36):     "\x02\x00\x00\x00",
		key(0, 1<<24, 0, 0x36):    "beyond",
		"~local_player":           tags{}.root(),
		"map_-12345":              "a map",
		"scoreboard":              "s",
	}
}

// TestWorld: each key of a database is in cells, maps, objects, parts or files.
func TestWorld(t *testing.T) {
	w := mustTake(t, world(puts(sample())...))
	var names []string
	for _, d := range w.dims {
		names = append(names, d.Name+" "+d.Folder)
	}
	if got := strings.Join(names, ","); got != "overworld ,the_nether DIM-1,the_end DIM1,bedrock:1000 dimensions/bedrock/1000" {
		t.Errorf("dimensions %s", got)
	}
	c := w.columns["overworld(-1,2)"]
	if len(c.Sections) != 4 {
		t.Fatalf("sections %+v", c.Sections)
	}
	at := map[int8]int{}
	for i, s := range c.Sections {
		at[s.Y] = i
	}
	for _, tt := range []struct {
		y             int8
		x, cellY, z   int
		block, biomes string
	}{
		{-4, 9, 9, 9, "minecraft:stone", "bedrock:5"}, {1, 3, 1, 5, "minecraft:oak_stairs[upside_down_bit=true,weirdo_direction=2]", ""}, {1, 5, 1, 3, format.Air, ""},
	} {
		if got := w.cell(c, at[tt.y], tt.x, tt.cellY, tt.z); got != tt.block {
			t.Errorf("section %d: %s at %d,%d,%d, want %s", tt.y, got, tt.x, tt.cellY, tt.z, tt.block)
		}
	}
	biomes := w.dims[0].Volume(voxel.Biome).Names
	for y, want := range map[int8]string{-4: "bedrock:5", -3: "bedrock:5", -2: "bedrock:5"} {
		if got := biomes.Name(c.Cells[at[y]].Biome[0]); got != want {
			t.Errorf("biome of section %d is %s, want %s", y, got, want)
		}
	}
	fine, layer := w.chunks["overworld biome_block(-1,-1,1)"], w.chunks["overworld layer(-1,0,1)"]
	if len(w.chunks) != 2 || fine == nil || layer == nil {
		t.Fatalf("chunks %v", w.chunks)
	}
	if got := w.dims[0].Volume("layer").Names.Name(layer.Cell(16+3, 16+1, 5)); got != "minecraft:water[liquid_depth=0]" || layer.Cell(16+5, 17, 3) != 0 {
		t.Errorf("the second layer has %s", got)
	}
	if got := w.dims[0].Volume("biome_block").Names.Name(fine.Cell(16+3, 1, 5)); got != "bedrock:6" {
		t.Errorf("a biome within 4 blocks is %s", got)
	}
	if len(c.Maps) != 1 || c.Maps[0].Name != "bedrock_height" || c.Maps[0].Values[255] != -2 {
		t.Errorf("maps %v", c.Maps)
	}
	if got := c.Objects(voxel.BlockEntities); len(got) != 2 || got[0].Place != voxel.Moved || got[0].At != (geom.Point{X: -15, Y: 17, Z: 34}) ||
		!bytes.Equal(got[0].Payload, nbt.AppendEnd(nbt.AppendString(nil, "id", "Chest"))) || got[1].Place != voxel.Nowhere {
		t.Errorf("block entities %+v", got)
	}
	if got := c.Objects(voxel.Entities); len(got) != 2 || got[0].Place != voxel.Indexed || got[0].At != (geom.Point{X: -1, Y: 65, Z: -1}) || got[1].At.X != -16 {
		t.Errorf("entities %+v", got)
	}
	checkPart(t, c, map[string]string{"2c": "\x28", "33": "ticks", "7f": "what is to come", "digp": "00000001"}, []int32{18100737})
	checkPart(t, w.columns["the_end(0,0)"], map[string]string{"2d": "rest"}, nil)
	checkPart(t, w.columns["bedrock:1000(0,0)"], map[string]string{"36": "\x02\x00\x00\x00"}, nil)
	if m := w.columns["the_end(0,0)"].Maps; len(m) != 2 || m[1].Values[7] != 9 {
		t.Errorf("the maps of 2D data: %v", m)
	}
	want := map[string]string{
		"level.dat": "facts", "levelname.txt": "Made\n", "db.keys/~local_player": tags{}.root(), "db.keys/map_-12345": "a map", "db.keys/scoreboard": "s",
		"db.keys/actorprefixlonelyxx": sample()["actorprefixlonelyxx"], "db.keys/%00%00%00%01%00%00%00%006": "beyond",
	}
	if fmt.Sprint(w.files) != fmt.Sprint(want) {
		t.Errorf("files %q, want %q", w.files, want)
	}
}

func checkPart(t *testing.T, c *format.Column, want map[string]string, versions []int32) {
	t.Helper()
	if len(c.Parts) != 1 || c.Parts[0].Name != "bedrock" || c.Parts[0].Damaged {
		t.Fatalf("parts %+v", c.Parts)
	}
	r := nbt.NewReader(c.Parts[0].Data, nbt.Limits{})
	r.Root()
	got, n := map[string]string{}, 0
	for tag, name := r.Next(); tag != nbt.End; tag, name = r.Next() {
		if string(name) == "versions" {
			n = len(r.Raw(tag))/4 - 1
			continue
		}
		got[string(name)] = string(r.Raw(tag)[4:])
	}
	if r.Err() != nil || r.Rest() != 0 || fmt.Sprint(got) != fmt.Sprint(want) || n != len(versions) {
		t.Errorf("the part has %q and %d versions, %v; want %q", got, n, r.Err(), want)
	}
}

// TestOrder: the columns of a footprint follow each other.
func TestOrder(t *testing.T) {
	keys := map[string]string{}
	for x := -3; x < 3; x++ {
		for z := -3; z < 3; z++ {
			keys[key(0, x, z, 0x2c)] = "v"
		}
	}
	w := mustTake(t, world(puts(keys)...))
	seen, last := map[geom.ColumnPos]bool{}, geom.ColumnPos{X: 99}
	for _, pos := range w.order {
		square := geom.ColumnPos{X: pos.X >> 1, Z: pos.Z >> 1}
		if square != last && seen[square] {
			t.Fatalf("%v comes when others have come since the first of its square", pos)
		}
		seen[square], last = true, square
	}
	if len(w.order) != 36 {
		t.Errorf("%d columns", len(w.order))
	}
}

// nibbles packs numbers of 4 bits by a cell's place in the game's order.
func nibbles(cell func(x, y, z int) int) string {
	out := make([]byte, 2048)
	for i := range 4096 {
		out[i/2] |= byte(cell(i>>8, i&15, i>>4&15)) << (i % 2 * 4)
	}
	return string(out)
}

func ids() string {
	out := make([]byte, 4096)
	out[3<<8|5<<4|1] = 53
	return string(out)
}

// terrain is a chunk of Pocket Edition with a block at 3,17,5.
func terrain() string {
	out := make([]byte, 32768*5/2)
	out[3<<11|5<<7|17] = 53
	out[32768+(3<<11|5<<7|17)/2] = 0x20
	out[32768*2+(3<<11|5<<7|17)/2] = 0x70
	return string(out) + "heights and colours"
}

// TestVersions reads the block at 3,1,5 of a sub-chunk of each version.
func TestVersions(t *testing.T) {
	old := tags{}.text("name", "minecraft:wool").short("val", 14).root()
	oldAir := tags{}.text("name", "minecraft:air").short("val", 0).root()
	odd := tags{}.text("name", "minecraft:wool").in("states", tags{}.text("a", "1")).int("version", 18100737).root()
	type row struct{ name, value, want string }
	rows := []row{
		{"1", "\x01" + stored(1, mark, oldAir, old), "minecraft:wool[val=14]"},
		{"8", "\x08\x01" + stored(1, mark, air, logs), "minecraft:oak_log[pillar_axis=y]"},
		{"8 without layers", "\x08\x00", ""},
		{"9", "\x09\x01\x01" + stored(1, mark, air, stone), "minecraft:stone"},
		{"a text that could be a number", "\x08\x01" + stored(1, mark, air, odd), "nbt:"},
		{"3 layers", "\x08\x03" + stored(1, mark, air, stone) + stored(0, nil, air) + stored(0, nil, water), "minecraft:stone"},
	}
	for _, v := range []byte{0, 2, 3, 4, 5, 6, 7} {
		value := string(v) + ids() + nibbles(func(x, y, z int) int { return 2 * mark(x, y, z) })
		rows = append(rows, row{fmt.Sprint(v), value, "bedrock:53[data=2]"},
			row{fmt.Sprint(v, " with light"), value + strings.Repeat("\xff", 2048) + nibbles(func(x, y, z int) int { return 7 * mark(x, y, z) }), "bedrock:53[data=2]"})
	}
	for _, bits := range []int{1, 2, 3, 4, 5, 6, 8, 16} {
		rows = append(rows, row{fmt.Sprint(bits, " bits"), "\x08\x01" + stored(bits, mark, air, stone), "minecraft:stone"})
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			w := mustTake(t, world(change{key: key(0, 0, 0, 0x2f, 1), value: tt.value}))
			c := w.columns["overworld(0,0)"]
			if tt.want == "" {
				if len(c.Sections) != 1 || c.Sections[0].Has != 0 {
					t.Errorf("sections %+v", c.Sections)
				}
				return
			}
			if got := w.cell(c, 0, 3, 1, 5); got != tt.want && (tt.want != "nbt:" || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("the block is %s, want %s", got, tt.want)
			}
			if got := w.cell(c, 0, 5, 1, 3); got != format.Air {
				t.Errorf("another block is %s", got)
			}
			if light := c.Cells[0].Light; light != nil && light[(1<<8|5<<4|3)/2] != 0x70 {
				t.Errorf("the light of the block is in another place")
			}
			if strings.Contains(tt.name, "light") != (c.Sections[0].Has&voxel.HasLight != 0) {
				t.Errorf("the section has %b", c.Sections[0].Has)
			}
			if tt.name == "3 layers" {
				checkPart(t, c, map[string]string{"2f/1": tt.value}, []int32{18100737})
			}
		})
	}
	w := mustTake(t, world(change{key: key(0, 0, 0, 0x30), value: terrain()}))
	c := w.columns["overworld(0,0)"]
	if got := w.cell(c, 1, 3, 1, 5); len(c.Sections) != 8 || got != "bedrock:53[data=2]" || c.Cells[1].Light[(1<<8|5<<4|3)/2] != 0x70 {
		t.Errorf("%d sections of a terrain, the block is %s", len(c.Sections), got)
	}
	checkPart(t, c, map[string]string{"30": "heights and colours"}, nil)
}

// TestTruncated: a value that ends too early is damage, and so is one byte too many in a sub-chunk.
func TestTruncated(t *testing.T) {
	damaged := func(k, value string) {
		t.Helper()
		_, _, err := take(world(change{key: k, value: value}), format.ReadOptions{})
		if damage := (*format.DamageError)(nil); !errors.As(err, &damage) || damage.Columns[0].File != "db" {
			t.Errorf("%q of %d bytes: %v", k, len(value), err)
		}
	}
	for k, value := range map[string]string{
		key(0, 0, 0, 0x2f, 1): "\x09\x02\x01" + stored(2, mark, air, stairs, logs) + stored(0, nil, water),
		key(0, 0, 0, 0x2f, 2): "\x07" + ids() + nibbles(mark),
		key(0, 0, 0, 0x2f, 3): "\x07" + ids() + nibbles(mark) + nibbles(mark) + nibbles(mark),
		key(0, 0, 0, 0x31):    tags{}.text("id", "x").int("x", 1).in("deep", tags{}.byte("b", 1)).root(),
		key(0, 0, 0, 0x2d):    heights + strings.Repeat("a", 256),
		key(0, 0, 0, 0x30):    terrain()[:81920],
		key(0, 0, 0, 0x2b):    heights + stored(1, mark, "\x05\x00\x00\x00", "\x06\x00\x00\x00"),
	} {
		mustTake(t, world(change{key: k, value: value}))
		step := 1
		if len(value) > 20000 {
			step = 997
		}
		for n := 0; n < len(value); n += step {
			if whole := k == key(0, 0, 0, 0x2f, 3) && (n == 6145 || n == 8193) || n == 0 && k == key(0, 0, 0, 0x31) || n == 512 && k == key(0, 0, 0, 0x2b); !whole {
				damaged(k, value[:n])
			}
		}
		if k[8] == 0x2f {
			damaged(k, value+"x")
		}
	}
	for name, value := range map[string]string{
		"a version to come":        "\x0a\x01",
		"a palette of the network": "\x08\x01\x01",
		"bits that no game has":    "\x08\x01\x0e" + strings.Repeat("\x00", 9000),
		"no palette":               "\x08\x01\x02" + strings.Repeat("\x00", 516),
		"a cell beyond":            "\x08\x01" + stored(1, mark, air),
		"another height":           "\x09\x01\x02" + stored(0, nil, air),
		"many layers":              "\x08\x11" + strings.Repeat(stored(0, nil, air), 17),
		"a root with a name":       "\x08\x01" + stored(0, nil, string(tags{}.in("x", nil))),
		"deep tags":                "\x08\x01" + stored(0, nil, strings.Repeat("\x0a\x00\x00", 600)),
	} {
		t.Run(name, func(t *testing.T) { damaged(key(0, 0, 0, 0x2f, 1), value) })
	}
	damaged(key(0, 0, 0, 0x2b), heights+"\xff")
	damaged("digp"+key(0, 0, 0), "1234567")
}

// TestSalvage: a chunk that cannot be read is passed on as it is stored.
func TestSalvage(t *testing.T) {
	fsys := world(change{key: key(0, 0, 0, 0x2f, 1), value: "\x63"}, change{key: key(0, 0, 0, 0x2c), value: "v"}, change{key: key(0, 1, 0, 0x2c), value: "v"})
	w, _, err := take(fsys, format.ReadOptions{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	c := w.columns["overworld(0,0)"]
	if len(w.columns) != 2 || !c.Parts[0].Damaged || !bytes.Contains(c.Parts[0].Data, []byte("2f/1\x00\x00\x00\x01\x63")) || !bytes.Contains(c.Parts[0].Data, []byte("2c\x00\x00\x00\x01v")) {
		t.Errorf("%d columns, the part is %+v", len(w.columns), c.Parts)
	}
}

// TestMixedVersions: versions of names are kept, and it is counted where it is not known of which.
func TestMixedVersions(t *testing.T) {
	older := tags{}.text("name", "minecraft:dirt").in("states", nil).int("version", 1).root()
	w, lost, err := take(world(change{key: key(0, 0, 0, 0x2f, 1), value: "\x08\x01" + stored(1, mark, air, older)}), format.ReadOptions{})
	if err != nil || len(lost) != 1 || lost["which version of names each state has, in chunks with several"] != 1 {
		t.Fatalf("%v, lost %v", err, lost)
	}
	checkPart(t, w.columns["overworld(0,0)"], map[string]string{}, []int32{1, 18100737})
}

// TestActors: entities are kept once, and those that are missing are counted.
func TestActors(t *testing.T) {
	_, lost, err := take(world(
		change{key: "digp" + key(0, 0, 0), value: "00000001" + "00000002"}, change{key: "digp" + key(0, 1, 0), value: "00000001"},
		change{key: "actorprefix00000001", value: tags{}.root()},
	), format.ReadOptions{})
	want := map[string]int{"entities that are listed twice, kept where they come first": 1, "entities that a chunk lists and the database lacks": 1}
	if err != nil || fmt.Sprint(lost) != fmt.Sprint(want) {
		t.Errorf("lost %v, %v; want %v", lost, err, want)
	}
}

// TestTexts: texts become those of Java, where both forms can hold them.
func TestTexts(t *testing.T) {
	for _, text := range []string{"", "plain", "é", "\xff", "😀", "a\x00b"} {
		w := mustTake(t, world(change{key: key(0, 0, 0, 0x31), value: tags{}.text("t", text).root()}))
		want := nbt.AppendEnd(nbt.AppendString(nil, "t", text))
		if text == "\xff" {
			want = nbt.AppendEnd(append(nbt.AppendHeader(nil, nbt.String, "t"), 0, 1, 0xff))
		}
		if got := w.columns["overworld(0,0)"].Lists[0].Objects[0].Payload; !bytes.Equal(got, want) {
			t.Errorf("%q is % x, want % x", text, got, want)
		}
	}
	if _, _, err := take(world(change{key: key(0, 0, 0, 0x31), value: tags{}.text("t", strings.Repeat("\x00", 40000)).root()}), format.ReadOptions{}); err == nil {
		t.Error("a text that Java cannot hold is read")
	}
}

// TestFolders finds the world in a folder, and no other.
func TestFolders(t *testing.T) {
	below := func(dir string, add ...string) fstest.MapFS {
		out := fstest.MapFS{}
		for name, f := range world(change{key: key(0, 0, 0, 0x2c), value: "v"}) {
			out[dir+name] = f
		}
		for _, name := range add {
			out[name] = &fstest.MapFile{Data: []byte("x")}
		}
		return out
	}
	for _, tt := range []struct {
		name string
		fsys fstest.MapFS
		ok   bool
		lost string
	}{
		{"at the root", below(""), true, "map[]"},
		{"in a folder", below("My World/"), true, "map[]"},
		{"beside others", below("My World/", "readme.txt"), true, "map[files and folders beside the world's folder:1]"},
		{"a server of Java", below("", "region/r.0.0.mca"), false, ""},
		{"no database", fstest.MapFS{"level.dat": {}}, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := bedrock.Kind().DetectFS(tt.fsys); got != tt.ok {
				t.Errorf("detected: %v", got)
			}
			_, lost, err := take(tt.fsys, format.ReadOptions{})
			if tt.ok && (err != nil || fmt.Sprint(lost) != tt.lost) || !tt.ok && !errors.Is(err, format.ErrNoWorld) {
				t.Errorf("%v, lost %v", err, lost)
			}
		})
	}
	two := below("a/")
	for name, f := range below("b/") {
		two[name] = f
	}
	if _, _, err := take(two, format.ReadOptions{}); !errors.Is(err, format.ErrNoWorld) {
		t.Errorf("two worlds: %v", err)
	}
	if _, _, err := take(world(), format.ReadOptions{}); !errors.Is(err, format.ErrNothing) {
		t.Errorf("a world without chunks: %v", err)
	}
}

// TestLevelDB reads a world that the game's own LevelDB wrote, from testdata/make.py, and writes nothing into its folder.
func TestLevelDB(t *testing.T) {
	z, err := zip.OpenReader("testdata/leveldb.mcworld")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	before, _ := fs.Glob(os.DirFS(dir), "*/*")
	for name, open := range map[string]func() (format.Source, error){
		"folder": func() (format.Source, error) { return bedrock.Kind().OpenFolder(dir, format.ReadOptions{}) },
		"zip":    func() (format.Source, error) { return bedrock.Kind().OpenFS(z, format.ReadOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.Head(); got.Format != "bedrock" || got.Properties["name"] != "Made" {
				t.Errorf("head %+v", got)
			}
			w := newTaker()
			if err := s.Read(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			c := w.columns["overworld(-1,0)"]
			if len(w.columns) != 12 || len(w.dims) != 3 || len(c.Objects(voxel.Entities)) != 1 || len(c.Objects(voxel.BlockEntities)) != 1 || c.Objects(voxel.Entities)[0].At != (geom.Point{X: -16, Y: 17, Z: 3}) {
				t.Errorf("%d columns, %d dimensions, %+v", len(w.columns), len(w.dims), c.Lists)
			}
			i := slices.IndexFunc(c.Sections, func(s voxel.Section) bool { return s.Y == 1 })
			if got := w.cell(c, i, 3, 1, 5); got != "minecraft:oak_stairs[upside_down_bit=true,weirdo_direction=2]" {
				t.Errorf("the block is %s", got)
			}
			if _, gone := w.files["db.keys/gone"]; gone || len(w.files) != 5 {
				t.Errorf("files %q", w.files)
			}
		})
	}
	if after, _ := fs.Glob(os.DirFS(dir), "*/*"); !slices.Equal(before, after) {
		t.Errorf("the folder had %q and has %q", before, after)
	}
}
