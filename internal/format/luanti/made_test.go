package luanti_test

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/luanti"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zlib"
)

// made makes a map block of a version with something of everything.
func made(version byte) []byte {
	be := binary.BigEndian
	nodes := make([]byte, 16384)
	for i := range 4096 {
		be.PutUint16(nodes[2*i:], uint16(i%3))
		nodes[8192+i], nodes[12288+i] = byte(i*7), byte(i*11)
	}
	str := func(b []byte, s string) []byte { return append(be.AppendUint16(b, uint16(len(s))), s...) }
	names := []byte{0, 0, 0, 9, 0, 0, 3}
	for id, name := range []string{"air", "default:stone", "ignore"} {
		names = str(be.AppendUint16(names, uint16(id)), name)
	}
	meta := []byte{1, 0, 2}
	if version >= 28 {
		meta[0] = 2
	}
	for i, inventory := range []string{"EndInventory\n", "List main 1\nItem x EndInventory\nEndInventoryList\nEndInventory\n"} {
		meta = be.AppendUint32(be.AppendUint16(meta, uint16(5+i)), uint32(2*i))
		for _, v := range []string{"text", "\xff"}[:2*i] {
			meta = str(meta, v[:1])
			meta = append(be.AppendUint32(meta, uint32(len(v))), v...)
			if version >= 28 {
				meta = append(meta, byte(len(v)&1))
			}
		}
		meta = append(meta, inventory...)
	}
	meta = bytes.ReplaceAll(meta, []byte("\x00\x01\xff"), []byte("\x00\x01k")) // a key is text
	statics := []byte{0, 0, 2}
	for _, pos := range [][3]int32{{15_000, -15_000, 4_999}, {-2_000_000_000, 900_000, 5}} {
		statics = append(statics, 7)
		for _, v := range pos {
			statics = be.AppendUint32(statics, uint32(v))
		}
		statics = str(statics, "an \x00 object \xfe")
	}
	timers := []byte{10, 0, 3}
	for _, node := range []uint16{6, 4095, 6} {
		timers = be.AppendUint32(be.AppendUint32(be.AppendUint16(timers, node), 1500), uint32(node))
	}
	var b []byte
	b = append(b, 9) // flags
	if version >= 27 {
		b = append(b, 0xF0, 0x0F)
	}
	if version == 29 {
		b = append(append(append(b, names...), 2, 2), nodes...)
		b = append(append(append(b, meta...), statics...), timers...)
		return append([]byte{29}, zstdOf(b)...)
	}
	b = append(append(append(b, 2, 2), zlibOf(nodes)...), zlibOf(meta)...)
	b = append(append(append(b, statics...), names...), timers...)
	return append([]byte{version}, b...)
}

func zlibOf(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

// world writes map blocks, by x, y and z, into a new folder.
func world(t testing.TB, xyz bool, blocks map[[3]int][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "map.sqlite"))
	must(err)
	defer db.Close()
	schema := "CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)"
	if xyz {
		schema = "CREATE TABLE blocks (x INTEGER, y INTEGER, z INTEGER, data BLOB NOT NULL, PRIMARY KEY (x, z, y))"
	}
	_, err = db.Exec(schema)
	must(err)
	for p, data := range blocks {
		if xyz {
			_, err = db.Exec("INSERT INTO blocks VALUES (?, ?, ?, ?)", p[0], p[1], p[2], data)
		} else {
			_, err = db.Exec("INSERT INTO blocks VALUES (?, ?)", p[2]<<24+p[1]<<12+p[0], data)
		}
		must(err)
	}
	return dir
}

// places has map blocks at both ends of all axes, and one beside another in its chunk.
var places = [][3]int{{0, 0, 0}, {1, 0, 1}, {-1, -1, -1}, {-2048, 127, 2047}, {2047, 128, -2048}, {0, -129, 0}, {0, -2048, 0}, {0, 2047, 0}}

func TestRoundTrip(t *testing.T) {
	for _, xyz := range []bool{false, true} {
		for version := byte(25); version <= 29; version++ {
			t.Run(fmt.Sprint(version, xyz), func(t *testing.T) {
				blocks := map[[3]int][]byte{}
				for i, p := range places {
					blocks[p] = made(version)
					if i == 3 {
						blocks[p] = made(25) // another version than the world's
					}
				}
				from := world(t, xyz, blocks)
				must(os.WriteFile(filepath.Join(from, "world.mt"), []byte("backend = sqlite3\nworld_name = Isle\n"), 0o644))
				must(os.WriteFile(filepath.Join(from, "map.sqlite-journal"), nil, 0o644))
				w := load(t, from)
				if w.Head.Version != int(version) || w.Head.Properties["name"] != "Isle" {
					t.Errorf("head %v", w.Head)
				}
				to, lost := write(t, w.Source(), 0)
				got, files := stored(t, to)
				want, _ := stored(t, from)
				if len(lost) > 0 || len(got) != len(places) || len(want) != len(got) || len(files) != 1 {
					t.Fatalf("lost %v; %d map blocks, want %d; files %v", lost, len(got), len(want), files)
				}
				for pos := range want {
					if a, b := twin(want[pos]), twin(got[pos]); a != b {
						t.Errorf("map block %s is %.600q\nwant %.600q", pos, b, a)
					}
				}
			})
		}
	}
}

// TestCells looks at what a map block becomes.
func TestCells(t *testing.T) {
	d := load(t, world(t, false, map[[3]int][]byte{{1, -1, 0}: made(29)})).Dimensions[0]
	at := geom.Point{X: 16 + 3, Y: -16 + 2, Z: 1} // node 256 + 32 + 3
	const node = 256 + 32 + 3
	names := d.Volume(voxel.Block).Names
	for volume, want := range map[string]int{"day": node * 7 & 15, "night": node * 7 >> 4 & 15, "param2": node * 11 & 255} {
		in := at.InChunk()
		if c := d.Volume(volume).Chunks[at.Chunk()].Cell(in.X, in.Y, in.Z); int(c) != want {
			t.Errorf("%s is %d, want %d", volume, c, want)
		}
	}
	in := at.InChunk()
	if name := names[d.Volume(voxel.Block).Chunks[at.Chunk()].Cell(in.X, in.Y, in.Z)]; name != []string{"air", "default:stone", "ignore"}[node%3] {
		t.Errorf("block is %s", name)
	}
	if len(d.Columns) != 1 || len(d.Columns[0].Sections) != 1 || len(d.Columns[0].Objects(voxel.BlockEntities)) != 5 || len(d.Columns[0].Objects(voxel.Entities)) != 2 {
		t.Errorf("columns %v", d.Columns)
	}
}

// usual is a map block in which all is as usual: of it nothing but cells is kept.
func TestUsualCostsNothing(t *testing.T) {
	b := append([]byte{0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 1, 0, 0, 0, 3, 'a', 'i', 'r', 2, 2}, make([]byte, 16384)...)
	b = append(b, 0, 0, 0, 0, 10, 0, 0)
	d := load(t, world(t, false, map[[3]int][]byte{{0, 0, 0}: append([]byte{29}, zstdOf(b)...)})).Dimensions[0]
	if c := d.Columns[0]; len(c.Sections) != 1 || c.Sections[0].Tags != nil || len(c.Parts)+len(c.Lists) > 0 {
		t.Errorf("column %v", c)
	}
}

// TestLosses: a version that has no place for something.
func TestLosses(t *testing.T) {
	w := load(t, world(t, false, map[[3]int][]byte{{0, 0, 0}: made(29)}))
	for version, want := range map[int]string{25: "map[how far light is in map blocks:1 that metadata is private:1]", 27: "map[that metadata is private:1]", 28: "map[]"} {
		to, lost := write(t, w.Source(), version)
		if got := fmt.Sprint(lost); got != want {
			t.Errorf("version %d: lost %s, want %s", version, got, want)
		}
		blocks, _ := stored(t, to)
		if got := blocks["0"]; int(got[0]) != version || !strings.Contains(twin(got), `"t"="text"`) {
			t.Errorf("version %d: %.300q", version, twin(got))
		}
	}
}

// TestForeign: a world of another game.
func TestForeign(t *testing.T) {
	names, err := format.NamesOf([]string{"air", "minecraft:stone"})
	must(err)
	dir := t.TempDir()
	out, err := luanti.Kind().CreateFolder(dir, format.WriteOptions{Head: format.Head{Format: "anvil", Version: 3}})
	must(err)
	d := format.BlockDimension("overworld", "")
	d.Volume(voxel.Block).Names = names
	must(out.Dimension(d))
	must(out.Column(&format.Column{
		Column: voxel.Column{Sections: []voxel.Section{{Y: 4, Has: voxel.HasBlock | voxel.HasSky, Tags: []byte{0}}}, Parts: []voxel.Part{{Name: "chunk", Data: []byte{10, 0, 0, 0}}},
			Lists: []voxel.List{{Name: voxel.BlockEntities, Objects: []voxel.Object{{At: geom.Point{Y: 64}, Payload: []byte{0}}}}}},
		Cells: []format.Cells{{Block: []voxel.Cell{1}, Sky: make([]byte, 2048)}},
	}))
	must(out.Chunk("sky", geom.ChunkPos{}, voxel.Uniform(3)))
	must(out.File(format.FileOf("map.sqlite", []byte("x"))))
	must(out.Close())
	if got, want := fmt.Sprint(out.Lost()), "map[chunks of the volume sky:1 file map.sqlite, whose name the map has:1 objects of the list block_entities:1 part chunk:1 sections with light:1 tags of sections:1]"; got != want {
		t.Errorf("lost %s\nwant %s", got, want)
	}
	blocks, files := stored(t, dir)
	if got := twin(blocks[fmt.Sprint(4<<12)]); len(files["world.mt"]) == 0 || !strings.Contains(got, `["minecraft:stone"]`) {
		t.Errorf("files %v, map block %.200q", files, got)
	}
}

// TestNoColumns: a world of chunks alone.
func TestNoColumns(t *testing.T) {
	dir := t.TempDir()
	out, err := luanti.Kind().CreateFolder(dir, format.WriteOptions{})
	must(err)
	names, err := format.NamesOf([]string{"air", "stone"})
	must(err)
	must(out.Dimension(&format.Dimension{Name: "d", Volumes: []*format.NamedVolume{
		{Volume: voxel.BlockVolumes()[0], Names: names}, {Volume: voxel.Volume{Name: "param2", Schema: voxel.Level, Scale: 1}},
	}}))
	var draft [32768]voxel.Cell
	draft[20<<10|3<<5|4] = 1
	must(out.Chunk(voxel.Block, geom.ChunkPos{X: -1, Y: 1}, voxel.FromFlat(&draft)))
	must(out.Chunk("param2", geom.ChunkPos{X: -1, Y: 5}, voxel.FromFlat(&draft)))
	must(out.Close())
	blocks, _ := stored(t, dir)
	if len(blocks) != 2 || blocks[fmt.Sprint(3<<12-2)] == nil || blocks[fmt.Sprint(11<<12-2)] == nil {
		t.Errorf("map blocks %v", blocks)
	}
}

func TestOpen(t *testing.T) {
	dir := world(t, false, map[[3]int][]byte{{0, 0, 0}: made(29)})
	data, err := os.ReadFile(filepath.Join(dir, "map.sqlite"))
	must(err)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	f, err := z.Create("isle/map.sqlite")
	must(err)
	f.Write(data)
	z.Close()
	zipped, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	must(err)
	k := luanti.Kind()
	if !k.Detect(data) || k.Detect([]byte("SQLite format 3\x00 without")) || !k.DetectFS(os.DirFS(dir)) {
		t.Error("not detected as it should be")
	}
	one, err := os.Open(filepath.Join(dir, "map.sqlite"))
	must(err)
	defer one.Close()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, open := range map[string]func() (format.Source, error){
		"zip": func() (format.Source, error) { return k.OpenFS(zipped, format.ReadOptions{}) },
		"bytes": func() (format.Source, error) {
			return k.Open(bytes.NewReader(data), int64(len(data)), format.ReadOptions{})
		},
		"file": func() (format.Source, error) { return k.Open(one, int64(len(data)), format.ReadOptions{}) },
	} {
		t.Run(name, func(t *testing.T) {
			src, err := open()
			must(err)
			if w := loadSource(t, src); len(w.Dimensions[0].Columns) != 1 {
				t.Error("no columns")
			}
			must(src.Close())
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("%v stays", left)
			}
		})
	}
}

// TestUntouched: reading leaves nothing beside a map, also one with a log.
func TestUntouched(t *testing.T) {
	dir := world(t, false, map[[3]int][]byte{{0, 0, 0}: made(29)})
	db, err := sql.Open("sqlite", filepath.Join(dir, "map.sqlite"))
	must(err)
	_, err = db.Exec("PRAGMA journal_mode = wal")
	must(err)
	must(db.Close())
	before, err := os.ReadFile(filepath.Join(dir, "map.sqlite"))
	must(err)
	load(t, dir)
	after, err := os.ReadFile(filepath.Join(dir, "map.sqlite"))
	must(err)
	if list, _ := os.ReadDir(dir); len(list) != 1 || !bytes.Equal(before, after) {
		t.Errorf("files %v", list)
	}
	must(os.WriteFile(filepath.Join(dir, "map.sqlite-wal"), []byte("x"), 0o644))
	if _, err := luanti.Kind().OpenFolder(dir, format.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "map.sqlite-wal lies beside it") {
		t.Errorf("%v", err)
	}
}

func TestRefused(t *testing.T) {
	exec := func(statements ...string) func(dir string) {
		return func(dir string) {
			db, err := sql.Open("sqlite", filepath.Join(dir, "map.sqlite"))
			must(err)
			defer db.Close()
			for _, s := range statements {
				_, err := db.Exec(s)
				must(err)
			}
		}
	}
	for _, tt := range []struct {
		name string
		make func(dir string)
		want string
	}{
		{"another backend", func(dir string) {
			must(os.WriteFile(filepath.Join(dir, "world.mt"), []byte("gameid = x\nbackend = leveldb\n"), 0o644))
		}, `the backend "leveldb"`},
		{"no map", func(dir string) { must(os.WriteFile(filepath.Join(dir, "world.mt"), nil, 0o644)) }, "no chunk is in it"},
		{"nothing", func(string) {}, format.ErrNoWorld.Error()},
		{"no database", func(dir string) { must(os.WriteFile(filepath.Join(dir, "map.sqlite"), make([]byte, 5000), 0o644)) }, "file is not a database"},
		{"short", func(dir string) { must(os.WriteFile(filepath.Join(dir, "map.sqlite"), []byte("SQLite"), 0o644)) }, "shorter than its header"},
		{"another table", exec("CREATE TABLE nodes (pos INT PRIMARY KEY, data BLOB)"), "no table of map blocks"},
		{"a view", exec("CREATE VIEW blocks AS SELECT 1 AS pos, 2 AS data"), "no table of map blocks"},
		{"made up", exec("CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB AS (zeroblob(1000000000)))"), "no table of map blocks"},
		{"no index", exec("CREATE TABLE blocks (pos INT, data BLOB)"), "no index"},
		{"other columns", exec("CREATE TABLE blocks (pos INT PRIMARY KEY, bytes BLOB)"), "no such column"},
		{"no number", exec("CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)", "INSERT INTO blocks VALUES ('here', x'00')"), "no rows"},
		{"too far", exec("CREATE TABLE blocks (pos INT PRIMARY KEY, data BLOB)", "INSERT INTO blocks VALUES (34359738368, x'00')"), "where none can be"},
		{"twice", exec("CREATE TABLE blocks (pos INT, data BLOB)", "CREATE INDEX i ON blocks (pos)", "INSERT INTO blocks VALUES (1, x'00'), (1, x'00')"), "comes twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(dir)
			src, err := luanti.Kind().OpenFolder(dir, format.ReadOptions{})
			if err == nil {
				err = src.Read(context.Background(), sink{})
				src.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if k := luanti.Kind(); k.DetectFS(fstest.MapFS{"level.dat": {}}) {
		t.Error("a world of another game")
	}
}

// TestDamage: what cannot be read is named, and with Salvage it is given back.
func TestDamage(t *testing.T) {
	nameless, err := unzstd.DecodeAll(made(29)[1:], nil)
	must(err)
	nameless[bytes.Index(nameless, []byte{2, 2, 0, 0, 0, 1})+7] = 77 // the id of node 2
	bad := map[[3]int][]byte{{0, 0, 0}: made(29), {9, 9, 9}: append([]byte{29}, zstdOf(nameless)...), {0, 1, 0}: []byte("\x18 of another version"), {0, 300, 0}: made(29)[:99], {0, 301, 0}: made(29), {5, 5, 5}: {}}
	dir := world(t, false, bad)
	src, err := luanti.Kind().OpenFolder(dir, format.ReadOptions{})
	must(err)
	var damage *format.DamageError
	if err := src.Read(context.Background(), convert.NewLoader(src.Head())); !errors.As(err, &damage) || len(damage.Columns) != 4 || !strings.Contains(damage.Columns[3].Err.Error()+damage.Columns[2].Err.Error(), "node 2 has the id 77") || !strings.Contains(err.Error(), "map block (0,1,0): header at byte 0: version 24") {
		t.Errorf("%v", err)
	}
	src, err = luanti.Kind().OpenFolder(dir, format.ReadOptions{Salvage: true})
	must(err)
	to, lost := write(t, loadSource(t, src).Source(), 0)
	if _, damaged := src.(format.Reporter).Remarks(); len(damaged) != 4 || len(lost) > 0 {
		t.Errorf("damaged %q, lost %v", damaged, lost)
	}
	must(src.Close())
	got, _ := stored(t, to)
	if len(got) != len(bad) {
		t.Errorf("%d map blocks, want %d", len(got), len(bad))
	}
	for p, data := range bad {
		if pos := fmt.Sprint(p[2]<<24 + p[1]<<12 + p[0]); !bytes.Equal(data, made(29)) && !bytes.Equal(got[pos], data) {
			t.Errorf("map block %v is %q, want %q", p, got[pos], data)
		}
	}
}

// TestTruncated cuts map blocks at each length, and lengthens them.
func TestTruncated(t *testing.T) {
	for version := byte(25); version <= 29; version++ {
		whole := made(version)
		if err := luanti.Decode(whole); err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			var corrupt *format.CorruptError
			if err := luanti.Decode(whole[:n]); !errors.As(err, &corrupt) || corrupt.Part == "" {
				t.Errorf("version %d cut at %d of %d: %v", version, n, len(whole), err)
			}
		}
		if err := luanti.Decode(append(whole, 0)); err == nil {
			t.Errorf("version %d with a byte more", version)
		}
	}
}

// TestBombs: bytes that unpack to far more are refused without being unpacked.
func TestBombs(t *testing.T) {
	const size = 64 << 20
	for name, b := range map[string][]byte{"zstd": append([]byte{29}, zstdOf(make([]byte, size))...), "zlib": append([]byte{28, 0, 0, 0, 2, 2}, zlibOf(make([]byte, size))...)} {
		if allocs := testing.Benchmark(func(b2 *testing.B) {
			b2.ReportAllocs()
			for b2.Loop() {
				if luanti.Decode(b) == nil {
					t.Errorf("%s is read", name)
				}
			}
		}); allocs.AllocedBytesPerOp() > 48<<20 {
			t.Errorf("%s takes %d bytes", name, allocs.AllocedBytesPerOp())
		}
	}
}

// TestMutations changes bytes of map blocks: what is read is written with the same content.
func TestMutations(t *testing.T) {
	random, read := rand.New(rand.NewPCG(3, 4)), 0
	for i := range 3000 {
		version := byte(25 + i%5)
		b := made(version)[1:]
		if version == 29 {
			var err error
			b, err = unzstd.DecodeAll(b, nil)
			must(err)
		}
		for range 1 + random.IntN(3) {
			at := random.IntN(len(b))
			if version == 29 && random.IntN(2) > 0 { // not in the nodes, which may be anything
				at = (at%300 + len(b) - 250) % len(b)
			}
			b[at] = byte(random.IntN(256)) >> random.IntN(8)
		}
		if version == 29 {
			b = zstdOf(b)
		}
		b = append([]byte{version}, b...)
		if again, err := luanti.Recode(b); err == nil {
			if read++; twin(b) != twin(again) {
				t.Errorf("%q became %q", b, again)
			}
		}
	}
	if read < 100 {
		t.Errorf("%d were read", read)
	}
}

func FuzzBlock(f *testing.F) {
	for version := byte(25); version <= 29; version++ {
		f.Add(version, made(version)[1:])
	}
	f.Fuzz(func(t *testing.T, version byte, b []byte) {
		if version == 29 {
			b = zstdOf(b) // else it would be a fuzz of zstd
		}
		b = append([]byte{version}, b...)
		again, err := luanti.Recode(b)
		if err != nil {
			return
		}
		if a, c := twin(b), twin(again); a != c {
			t.Errorf("%q became %q", a, c)
		}
	})
}

// TestKey: a key that a name of NBT cannot hold is damage, and nothing else.
func TestKey(t *testing.T) {
	b, err := unzstd.DecodeAll(made(29)[1:], nil)
	must(err)
	for key, bad := range map[byte]bool{'k': false, 'x': false, 0xFF: true} {
		err := luanti.Decode(append([]byte{29}, zstdOf(bytes.Replace(b, []byte("\x00\x01k"), []byte{0, 1, key}, 1))...))
		if bad != (err != nil) {
			t.Errorf("key %q: %v", key, err)
		}
	}
}
