package hytale_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/hytale"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// A second writer of the format, plain and slow, for worlds that no game has made.

type member struct {
	name  string
	value any // float64, string, doc, list, []byte, uuid, bool, int32, int64, nil, or raw
}
type doc []member
type list []any
type uuid [16]byte

// odd is a value of a type that NBT has not.
type odd struct {
	kind  byte
	value []byte
}

func (d doc) bytes() []byte {
	le := binary.LittleEndian
	out := make([]byte, 4)
	for _, m := range d {
		var kind byte
		var v []byte
		switch x := m.value.(type) {
		case float64:
			kind, v = 1, le.AppendUint64(nil, math.Float64bits(x))
		case string:
			kind, v = 2, append(append(le.AppendUint32(nil, uint32(len(x)+1)), x...), 0)
		case doc:
			kind, v = 3, x.bytes()
		case list:
			var members doc
			for i, e := range x {
				members = append(members, member{strconv.Itoa(i), e})
			}
			kind, v = 4, members.bytes()
		case []byte:
			kind, v = 5, append(append(le.AppendUint32(nil, uint32(len(x))), 0), x...)
		case uuid:
			kind, v = 5, append(append(le.AppendUint32(nil, 16), 4), x[:]...)
		case bool:
			kind, v = 8, []byte{0}
			if x {
				v[0] = 1
			}
		case int32:
			kind, v = 16, le.AppendUint32(nil, uint32(x))
		case int64:
			kind, v = 18, le.AppendUint64(nil, uint64(x))
		case odd:
			kind, v = x.kind, x.value
		default:
			panic(fmt.Sprintf("%T", x))
		}
		out = append(append(append(append(out, kind), m.name...), 0), v...)
	}
	out = append(out, 0)
	le.PutUint32(out, uint32(len(out)))
	return out
}

// madePalette appends a palette of values, in the order in which they come first, with ids from first in steps.
func madePalette[T comparable](dst []byte, kind, first, step int, cells []T, value func([]byte, T) []byte) []byte {
	be := binary.BigEndian
	dst = append(dst, byte(kind))
	if kind == 0 {
		return dst
	}
	ids, counts := map[T]int{}, map[T]int{}
	var order []T
	for _, c := range cells {
		if _, ok := ids[c]; !ok {
			ids[c] = first + step*len(order)
			order = append(order, c)
		}
		counts[c]++
	}
	dst = be.AppendUint16(dst, uint16(len(order)))
	for _, c := range order {
		if kind == 3 {
			dst = be.AppendUint16(dst, uint16(ids[c]))
		} else {
			dst = append(dst, byte(ids[c]))
		}
		dst = be.AppendUint16(value(dst, c), uint16(counts[c]))
	}
	at := len(dst)
	dst = append(dst, make([]byte, len(cells)<<kind>>2)...)
	for i, c := range cells {
		switch kind {
		case 1:
			dst[at+i/2] |= byte(ids[c] << (4 * (^i & 1)))
		case 2:
			dst[at+i] = byte(ids[c])
		case 3:
			be.PutUint16(dst[at+2*i:], uint16(ids[c]))
		}
	}
	return dst
}

func text(dst []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
}

// madeTree is the tree of light of cells.
func madeTree(cells []uint16) []byte {
	n := len(cells) / 8
	node, below := []byte{0}, []byte(nil)
	for i := range 8 {
		part := cells[i*n:][:n]
		same := true
		for _, c := range part {
			same = same && c == part[0]
		}
		if below = binary.BigEndian.AppendUint16(nil, part[0]); !same {
			node[0] |= 1 << i
			below = madeTree(part)
		}
		node = append(node, below...)
	}
	return node
}

// madeSection is a section as a game could have it.
type madeSection struct {
	kinds      [3]int // of the palettes
	first      int    // the first id, and steps of 2
	names      [32768]string
	fillers    [32768]int16
	rotations  [32768]uint8
	ticks      []uint64
	light      [2][]uint16
	fluids     [32768]string
	fluidKind  int
	levels     bool
	support    bool
	unordinary func([]byte) []byte // changes the data
}

func (s *madeSection) doc() doc {
	be := binary.BigEndian
	step := 1
	if s.first > 0 {
		step = 2
	}
	data := be.AppendUint32(nil, 11)
	data = madePalette(data, s.kinds[0], s.first, step, s.names[:], text)
	if s.kinds[0] != 0 {
		data = be.AppendUint16(be.AppendUint16(data, uint16(len(s.ticks))), uint16(len(s.ticks)))
		for _, t := range s.ticks {
			data = be.AppendUint64(data, t)
		}
	}
	data = madePalette(data, s.kinds[1], 0, 1, s.fillers[:], func(b []byte, v int16) []byte { return be.AppendUint16(b, uint16(v)) })
	data = madePalette(data, s.kinds[2], 0, 1, s.rotations[:], func(b []byte, v uint8) []byte { return append(b, v) })
	for i, l := range s.light {
		data = be.AppendUint16(data, uint16(i+s.first))
		if l == nil {
			data = append(data, 0)
			continue
		}
		tree := madeTree(l)
		data = append(be.AppendUint32(append(data, 1), uint32(len(tree))), tree...)
	}
	data = be.AppendUint16(be.AppendUint16(data, 7), uint16(s.first))
	if s.unordinary != nil {
		data = s.unordinary(data)
	}
	fluid := madePalette(nil, s.fluidKind, 0, 1, s.fluids[:], text)
	if s.levels {
		fluid = append(append(fluid, 1), bytes.Repeat([]byte{0x81, 0x70}, 8192)...)
	} else {
		fluid = append(fluid, 0)
	}
	physics := []byte{0}
	if s.support {
		physics = append([]byte{1}, bytes.Repeat([]byte{0x10, 0x32}, 8192)...)
	}
	return doc{{"Components", doc{{"Fluid", doc{{"Data", fluid}}}, {"ChunkSection", doc{}}, {"BlockPhysics", doc{{"Data", physics}}}, {"Block", doc{{"Version", int32(6)}, {"Data", data}}}}}}
}

func plainSection() *madeSection {
	s := &madeSection{}
	for i := range s.names {
		s.names[i], s.fluids[i] = "Empty", "Empty"
	}
	return s
}

// richSection has everything.
func richSection(r *rand.Rand) *madeSection {
	s := plainSection()
	s.kinds, s.first, s.fluidKind, s.levels, s.support = [3]int{2, 1, 1}, 3, 1, true, true
	s.light[0], s.light[1] = make([]uint16, 32768), make([]uint16, 32768)
	for i := range s.names {
		switch n := r.IntN(40); {
		case n < 20:
			s.names[i] = []string{"Rock_Stone", "Soil_Dirt"}[n&1]
		case n < 30:
			s.names[i] = "Block_" + strconv.Itoa(n)
		}
		if r.IntN(9) == 0 {
			s.rotations[i] = uint8(r.IntN(9))
		}
		if r.IntN(9) == 0 {
			s.fillers[i] = int16(r.IntN(5)) - 2
		}
		if i>>10 < 4 {
			s.fluids[i] = "Water_Source"
		}
		s.light[1][i] = 0xF000
		if i < 3000 {
			s.light[0][i] = uint16(i / 7)
		}
	}
	s.ticks = []uint64{1, 1 << 63}
	return s
}

// madeChunk returns the document of a chunk.
func madeChunk(sections ...*madeSection) doc {
	var all list
	for _, s := range sections {
		all = append(all, s.doc())
	}
	le, be := binary.LittleEndian, binary.BigEndian
	maps := le.AppendUint16([]byte{1}, 2)
	maps = le.AppendUint16(le.AppendUint16(maps, 5), 300)
	packed := make([]byte, 1280)
	for i := range 1024 {
		if i%3 == 0 {
			packed[i*10/8] |= 1 << (i * 10 % 8)
		}
	}
	maps = append(le.AppendUint32(maps, 1280), packed...)
	maps = le.AppendUint32(le.AppendUint32(le.AppendUint16(maps, 2), 0), 0xFF5A992B)
	maps = append(le.AppendUint32(maps, 1280), packed...)
	env := text(be.AppendUint32(be.AppendUint32(nil, 2), 7), "Env_A")
	env = text(be.AppendUint32(env, 9), "Env_B")
	for i := range 1024 {
		if i%100 == 5 {
			env = be.AppendUint32(be.AppendUint32(be.AppendUint32(be.AppendUint32(env, 1), uint32(i)), 7), 9)
		} else {
			env = be.AppendUint32(be.AppendUint32(env, 0), 7)
		}
	}
	entity := func(x, y, z float64, more ...member) doc {
		return doc{{"Components", append(doc{{"Transform", doc{{"Position", doc{{"X", x}, {"Y", y}, {"Z", z}}}}}, {"UUID", doc{{"UUID", uuid{1, 2, 3}}}}}, more...)}}
	}
	return doc{{"Components", doc{
		{"BlockComponentChunk", doc{{"BlockComponents", doc{
			{"91596", doc{{"Components", doc{{"ItemContainerBlock", doc{{"Capacity", int32(18)}}}}}}},
			{"17", doc{}},
		}}}},
		{"ChunkColumn", doc{{"Sections", all}}},
		{"BlockHealthChunk", doc{{"Data", []byte{2, 0, 0, 0, 0, 0, 0, 0, 0}}, {"LastRepairGameTime", "0001-01-01"}}},
		{"EnvironmentChunk", doc{{"Data", env}}},
		{"BlockChunk", doc{{"Version", int32(3)}, {"Data", maps}}},
		{"EntityChunk", doc{{"Entities", list{
			entity(31.5, 70, 31.5, member{"Nameplate", doc{{"Text", "naïve 𐍈"}}}), entity(0.5, 80.25, 0.5), entity(-900, 5, 3), doc{{"Components", doc{}}},
		}}}},
		{"Unknown", doc{
			{"", odd{0x0A, nil}}, {"When", odd{9, make([]byte, 8)}}, {"Mixed", list{int32(1), "a"}}, {"None", list{}}, {"Nested", list{list{int64(5)}, list{}}},
			{"Bad", odd{2, []byte{2, 0, 0, 0, 0xFF, 0}}}, {"Yes", true}, {"Maybe", odd{8, []byte{2}}}, {"$bson", []byte{1}}, {"Short", odd{5, []byte{1, 0, 0, 0, 4, 9}}},
			{"Marked", doc{{"$bson", []byte{1, 2}}, {"x", int32(1)}}}, {"Twice", int32(1)}, {"Twice", int32(2)},
		}},
	}}}
}

// madeRegion returns a region file with documents by number of their blob, in segments from the last to the first.
func madeRegion(t testing.TB, docs map[int][]byte) []byte {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	be := binary.BigEndian
	out := append(make([]byte, 0, 1<<20), "HytaleIndexedStorage"...)
	out = be.AppendUint32(be.AppendUint32(be.AppendUint32(out, 1), 1024), 4096)
	out = append(out, make([]byte, 4*1024+4096)...) // and a free segment
	for i := range 1024 {
		if d, ok := docs[i]; ok {
			out = append(out, make([]byte, (4096-(len(out)-32)%4096)%4096)...)
			be.PutUint32(out[32+4*i:], uint32((len(out)-32-4096)/4096+1))
			packed := enc.EncodeAll(d, nil)
			out = append(be.AppendUint32(be.AppendUint32(out, uint32(len(d))), uint32(len(packed))), packed...)
		}
	}
	return out
}

// open reads a single region file.
func open(b []byte) (*convert.Loaded, error) {
	src, err := hytale.Kind().Open(bytes.NewReader(b), int64(len(b)), format.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	l := convert.NewLoader(src.Head())
	if err := src.Read(context.Background(), l); err != nil {
		return nil, err
	}
	return l.World(), nil
}

// written returns the documents of a world that is written, by region file and number.
func written(t *testing.T, w *convert.Loaded) (map[string][]byte, map[string]int) {
	dir, lost := write(t, w.Source())
	docs, _ := documents(t, dir)
	return docs, lost
}

func TestMadeWorld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	short := plainSection()
	short.kinds[0], short.first = 3, 500
	for i := range short.names {
		short.names[i] = "Block_" + strconv.Itoa(i%300)
	}
	whole := plainSection()
	whole.kinds[0] = 1
	for i := range whole.names {
		whole.names[i] = "Rock_Stone"
	}
	listed := plainSection() // empty, but with a palette
	listed.kinds = [3]int{2, 1, 1}
	listed.fluidKind = 1
	twice := plainSection() // a palette with a name that comes twice
	twice.kinds[0] = 1
	for i := range twice.names {
		twice.names[i] = []string{"Rock_Aaa", "Rock_Bbb"}[i&1]
	}
	twice.unordinary = func(b []byte) []byte { return bytes.Replace(b, []byte("Rock_Bbb"), []byte("Rock_Aaa"), 1) }
	uncut := plainSection() // a tree of light that could be smaller
	uncut.light[0] = make([]uint16, 32768)
	uncut.unordinary = func(b []byte) []byte {
		flat := make([]byte, 17)
		small := append([]byte{1}, make([]byte, 17+14)...)
		i := bytes.Index(b, append([]byte{0, 0, 0, 17}, flat...))
		return append(append(append(bytes.Clone(b[:i]), 0, 0, 0, byte(len(small))), small...), b[i+21:]...)
	}
	rich := richSection(r)
	dark := plainSection() // local light, and no global light
	dark.light[0] = make([]uint16, 32768)
	dark.light[0][77] = 0x1234
	docs := map[int][]byte{
		0: madeChunk(rich, plainSection(), short, whole, dark).bytes(), 33: madeChunk(listed, twice, uncut).bytes(), 1023: madeChunk().bytes(),
	}
	w, err := open(madeRegion(t, docs))
	if err != nil {
		t.Fatal(err)
	}
	got, lost := written(t, w)
	if len(lost) > 0 || len(got) != len(docs) {
		t.Errorf("%d chunks, want %d; lost %v", len(got), len(docs), lost)
	}
	for i, want := range docs {
		name := fmt.Sprintf("/chunks/0.0.region.bin#%s/%s", string(rune('0'+i/32)), string(rune('0'+i%32)))
		if !bytes.Equal(got[name], want) {
			t.Errorf("chunk %d differs: %d bytes, want %d", i, len(got[name]), len(want))
		}
	}
	d := w.Dimensions[0]
	block, fluid, level, red := d.Volume(voxel.Block), d.Volume("fluid"), d.Volume("fluid_level"), d.Volume("local_red")
	for i := range rich.names {
		x, y, z := i&31, i>>10, i>>5&31
		want := rich.names[i]
		var props []string
		if f := rich.fillers[i]; f != 0 {
			props = append(props, fmt.Sprintf("filler=%d", f))
		}
		if p := rich.rotations[i]; p != 0 {
			props = append(props, fmt.Sprintf("rotation=%d", p))
		}
		if len(props) > 0 {
			want += "[" + strings.Join(props, ",") + "]"
		} else if want == "Empty" {
			want = format.Air
		}
		at := geom.ChunkPos{}
		if got := block.Names[block.Chunks[at].Cell(x, y, z)]; got != want {
			t.Fatalf("block (%d,%d,%d) is %q, want %q", x, y, z, got, want)
		}
		if got := fluid.Names[fluid.Chunks[at].Cell(x, y, z)]; (got == "Water_Source") != (y < 4) {
			t.Fatalf("fluid (%d,%d,%d) is %q", x, y, z, got)
		}
		if got, want := level.Chunks[at].Cell(x, y, z), []voxel.Cell{1, 8, 0, 7}[i&3]; got != want {
			t.Fatalf("level (%d,%d,%d) is %d, want %d", x, y, z, got, want)
		}
		if got := red.Chunks[at].Cell(x, y, z); int(got) != int(rich.light[0][i]&15) {
			t.Fatalf("red light (%d,%d,%d) is %d", x, y, z, got)
		}
	}
	at := func(list string) (out []geom.Point) {
		for i := range d.Columns[:4] {
			for _, o := range d.Columns[i].Objects(list) {
				out = append(out, o.At)
			}
		}
		return out
	}
	if got, want := fmt.Sprint(at(voxel.BlockEntities)), "[(12,89,14) (17,0,0)]"; got != want {
		t.Errorf("block entities at %s, want %s", got, want)
	}
	if got := fmt.Sprint(at(voxel.Entities)); !strings.Contains(got, "(31,70,31)") || !strings.Contains(got, "(-900,5,3)") {
		t.Errorf("entities at %s", got)
	}
}

// TestManyNames reads a world in which blocks, fillers and rotations make more names than a volume has.
func TestManyNames(t *testing.T) {
	docs := map[int][]byte{}
	for chunk := range 5 {
		s := plainSection()
		s.kinds = [3]int{2, 2, 2}
		for i := range s.names {
			n := chunk<<15 | i
			s.names[i], s.rotations[i], s.fillers[i] = "Block_"+strconv.Itoa(n>>6&127), uint8(n&63), int16(n>>13+1)
		}
		docs[chunk] = doc{{"Components", doc{{"ChunkColumn", doc{{"Sections", list{s.doc()}}}}}}}.bytes()
	}
	w, err := open(madeRegion(t, docs))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Dimensions[0].Volume("rotation").Chunks); n == 0 {
		t.Error("all names fit")
	}
	got, _ := written(t, w)
	for i, want := range docs {
		if !bytes.Equal(got["/chunks/0.0.region.bin#0/"+string(rune('0'+i))], want) {
			t.Errorf("chunk %d differs", i)
		}
	}
}

// TestEdited writes a chunk whose blocks changed after it was read: what the game noted of palettes that are gone does not count.
func TestEdited(t *testing.T) {
	s := richSection(rand.New(rand.NewPCG(3, 4)))
	w, err := open(madeRegion(t, map[int][]byte{0: madeChunk(s).bytes()}))
	if err != nil {
		t.Fatal(err)
	}
	v := w.Dimensions[0].Volume(voxel.Block)
	v.Names = append(v.Names, "Wood_Stairs[rotation=3]")
	var cells [32768]voxel.Cell
	v.Chunks[geom.ChunkPos{}].Flat(&cells)
	for i := range cells {
		if v.Names[cells[i]] == "Rock_Stone" {
			cells[i] = 0
		}
	}
	cells[5] = voxel.Cell(len(v.Names) - 1)
	v.Chunks[geom.ChunkPos{}] = voxel.FromFlat(&cells)
	dir, lost := write(t, w.Source())
	if len(lost) > 0 {
		t.Error(lost)
	}
	back := load(t, dir).Dimensions[0].Volume(voxel.Block)
	var got [32768]voxel.Cell
	back.Chunks[geom.ChunkPos{}].Flat(&got)
	for i := range cells {
		if back.Names[got[i]] != v.Names[cells[i]] {
			t.Fatalf("cell %d is %q, want %q", i, back.Names[got[i]], v.Names[cells[i]])
		}
	}
}

// TestEditedHeights edits a chunk whose stored heights lie one block below a torch: where the block at the height goes, or stone comes above it, the
// height is that of the highest block.
func TestEditedHeights(t *testing.T) {
	s := plainSection()
	s.kinds = [3]int{1, 0, 0}
	for i := range s.names {
		switch y := i >> 10; {
		case y == 0:
			s.names[i] = "Rock_Stone"
		case y == 1 && i&1023 < 4:
			s.names[i] = "Torch"
		default:
			s.names[i] = "Empty"
		}
	}
	w, err := open(madeRegion(t, map[int][]byte{0: madeChunk(s).bytes()}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Dimensions[0].Columns {
		w.Dimensions[0].Columns[i].Maps, w.Dimensions[0].Columns[i].Parts = []voxel.Map{{Name: "height", Form: voxel.MapInts}}, nil
	}
	dir, _ := write(t, w.Source())
	w = load(t, dir)
	d := w.Dimensions[0]
	v := d.Volume(voxel.Block)
	var cells [32768]voxel.Cell
	v.Chunks[geom.ChunkPos{}].Flat(&cells)
	cells[1<<10|1] = cells[0] // stone in place of a torch
	cells[2], cells[1<<10|2] = 0, 0
	cells[3] = 0 // below a torch
	v.Chunks[geom.ChunkPos{}] = voxel.FromFlat(&cells)
	dir, _ = write(t, w.Source())
	for _, m := range load(t, dir).Dimensions[0].Columns[0].Maps {
		if m.Name == "height" && [5]int32(m.Values[:5]) == [5]int32{0, 1, 0, 1, 0} {
			return
		}
	}
	t.Errorf("heights are %v", load(t, dir).Dimensions[0].Columns[0].Maps)
}

// TestNew writes columns that came from no game, and reads them.
func TestNew(t *testing.T) {
	w := &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "made", Folder: "universe/worlds/made"}}}
	d := w.Dimensions[0]
	v := &convert.LoadedVolume{Volume: voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, Names: []string{format.Air, "Rock_Stone"}, Chunks: map[geom.ChunkPos]*voxel.Chunk{{X: -1, Y: 2, Z: 0}: voxel.Uniform(1)}}
	d.Volumes = append(d.Volumes, v)
	dir, lost := write(t, w.Source())
	if len(lost) > 0 {
		t.Error(lost)
	}
	back := load(t, dir).Dimensions[0]
	got := back.Volume(voxel.Block)
	if len(got.Chunks) != 1 || back.Folder != d.Folder || back.Name != d.Name || got.Names[got.Chunks[geom.ChunkPos{X: -1, Y: 2, Z: 0}].Cell(3, 4, 5)] != "Rock_Stone" {
		t.Errorf("%q has %d chunks of %q", back.Name, len(got.Chunks), got.Names)
	}
}

func TestRefused(t *testing.T) {
	blocks := plainSection().doc()
	old := doc{{"Components", doc{{"ChunkColumn", doc{{"Sections", list{doc{{"Components", doc{{"Block", doc{{"Version", int32(5)}, {"Data", []byte{1}}}}}}}}}}}}}}
	deep := doc{}
	for range 100 {
		deep = doc{{"a", deep}}
	}
	lying := madeRegion(t, map[int][]byte{0: madeChunk().bytes()})
	binary.BigEndian.PutUint32(lying[32+4096+4096:], 1<<31)
	short := bytes.Clone(lying)
	binary.BigEndian.PutUint32(short[32+4096+4096:], 5)
	version := bytes.Clone(lying)
	version[23] = 0
	for name, test := range map[string]struct {
		file []byte
		why  string
	}{
		"an old version of blocks": {madeRegion(t, map[int][]byte{0: old.bytes()}), "version 5"},
		"two of a field":           {madeRegion(t, map[int][]byte{0: doc{{"Components", doc{{"ChunkColumn", doc{{"Sections", list{blocks}}, {"Sections", list{blocks}}}}}}}.bytes()}), "two of a field"},
		"deep documents":           {madeRegion(t, map[int][]byte{0: deep.bytes()}), "more than 60"},
		"a frame that claims much": {lying, "the limit"},
		"a frame that claims less": {short, "blob"},
		"a version of the file":    {version, "version 0"},
		"no documents":             {madeRegion(t, nil), "no chunk"},
	} {
		_, err := open(test.file)
		if err == nil || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", name, err, test.why)
		}
		if corrupt := (*stone.CorruptError)(nil); name != "no documents" && !errors.As(err, &corrupt) {
			t.Errorf("%s: %v has no place", name, err)
		}
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "universe", "worlds", "a", "config.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(config), 0o755), os.WriteFile(config, []byte(`{"ChunkStorage":{"Type":"RocksDB"}}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := hytale.Kind().OpenFolder(dir, format.ReadOptions{}); err == nil || !strings.Contains(err.Error(), `"RocksDB"`) {
		t.Error(err)
	}
	beside := filepath.Join(dir, "universe", "worlds", "a")
	if err := errors.Join(os.WriteFile(config, nil, 0o644), os.MkdirAll(filepath.Join(beside, "chunks"), 0o755), os.WriteFile(filepath.Join(beside, "chunks", "-1.0.region.bin"), madeRegion(t, map[int][]byte{31: madeChunk().bytes()}), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, beside, filepath.Join(dir, "universe", "worlds")} {
		if d := load(t, at).Dimensions[0]; d.Columns[0].Pos != (geom.ColumnPos{X: -2}) {
			t.Errorf("%s: the first column is %v", at, d.Columns[0].Pos)
		}
	}
	if _, err := hytale.Kind().OpenFolder(t.TempDir(), format.ReadOptions{}); !errors.Is(err, format.ErrNoWorld) {
		t.Error(err)
	}
}

// TestTruncated reads a document and a file cut at every place, but of long stretches only some.
func TestTruncated(t *testing.T) {
	s := plainSection()
	s.kinds[0], s.light[0] = 1, make([]uint16, 32768)
	s.light[0][9] = 5
	full := madeChunk(s).bytes()
	step := func(i int) int { return 1 + i/600 }
	for n := 0; n < len(full); n += step(n) {
		if _, err := open(madeRegion(t, map[int][]byte{0: full[:n]})); err == nil {
			t.Fatalf("%d of %d bytes of a document are no error", n, len(full))
		}
	}
	// The fields of a chunk, cut within documents that are whole.
	for n := range 400 {
		cut := *s
		cut.unordinary = func(b []byte) []byte { return b[:max(0, len(b)-1-n)] }
		if _, err := open(madeRegion(t, map[int][]byte{0: madeChunk(&cut).bytes()})); err == nil {
			t.Fatalf("blocks without their last %d bytes are no error", n+1)
		}
	}
	file := madeRegion(t, map[int][]byte{0: full})
	for n := 0; n < len(file); n += 1 + n/100 {
		if _, err := open(file[:n]); err == nil {
			t.Fatalf("%d of %d bytes of a file are no error", n, len(file))
		}
	}
}

// TestSalvage keeps a chunk that cannot be read as it is.
func TestSalvage(t *testing.T) {
	bad := []byte("no document")
	file := madeRegion(t, map[int][]byte{3: bad, 4: madeChunk().bytes()})
	src, err := hytale.Kind().Open(bytes.NewReader(file), int64(len(file)), format.ReadOptions{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	l := convert.NewLoader(src.Head())
	if err := src.Read(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if _, damaged := src.(format.Reporter).Remarks(); len(damaged) != 1 {
		t.Errorf("damaged: %q", damaged)
	}
	got, _ := written(t, l.World())
	if len(got) != 2 || !bytes.Equal(got["/chunks/0.0.region.bin#0/3"], bad) {
		t.Errorf("%d chunks, and %q", len(got), got["/chunks/0.0.region.bin#0/3"])
	}
}

// TestOddFields gives back what stands in the place of a field and is of another type.
func TestOddFields(t *testing.T) {
	for i, v := range []any{
		odd{5, []byte{2, 0, 0, 0, 0x10, 7, 8}}, doc{}, doc{{"a", "b"}}, list{}, list{doc{}}, "text", 1.5, uuid{1}, odd{10, nil},
		odd{5, []byte{9, 0, 0, 0, 0x10, '$', 'b', 's', 'o', 'n', 0, 0, 0, 0}},
	} {
		for _, field := range []string{"Fluid", "Block", "BlockPhysics"} {
			section := doc{{"Components", doc{{field, doc{{"Data", v}}}}}}
			checkOdd(t, i, doc{{"Components", doc{{"ChunkColumn", doc{{"Sections", list{section}}}}}}})
		}
		for _, field := range []string{"BlockChunk", "EnvironmentChunk"} {
			checkOdd(t, i, doc{{"Components", doc{{field, doc{{"Data", v}}}}}})
		}
		if _, ok := v.(doc); !ok {
			checkOdd(t, i, doc{{"Components", doc{{"BlockComponentChunk", doc{{"BlockComponents", v}}}}}})
		}
		if _, ok := v.(list); !ok {
			checkOdd(t, i, doc{{"Components", doc{{"EntityChunk", doc{{"Entities", v}}}}}})
		}
	}
}

func checkOdd(t *testing.T, i int, d doc) {
	t.Helper()
	w, err := open(madeRegion(t, map[int][]byte{0: d.bytes()}))
	if err != nil {
		t.Errorf("%d: %v", i, err)
		return
	}
	if got, _ := written(t, w); !bytes.Equal(got["/chunks/0.0.region.bin#0/0"], d.bytes()) {
		t.Errorf("%d: %x comes back as %x", i, d.bytes(), got["/chunks/0.0.region.bin#0/0"])
	}
}

// FuzzChunk reads documents. One that is read comes back as it was.
func FuzzChunk(f *testing.F) {
	f.Add(madeChunk(plainSection()).bytes())
	f.Add(madeChunk(richSection(rand.New(rand.NewPCG(1, 2)))).bytes())
	f.Add(doc{{"Components", doc{{"ChunkColumn", doc{{"Sections", list{plainSection().doc(), plainSection().doc()}}}}}}}.bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := open(madeRegion(t, map[int][]byte{0: b}))
		if err != nil {
			return
		}
		if got, _ := written(t, w); !bytes.Equal(got["/chunks/0.0.region.bin#0/0"], b) {
			t.Fatalf("%x comes back as %x", b, got["/chunks/0.0.region.bin#0/0"])
		}
	})
}

// FuzzRegion reads files.
func FuzzRegion(f *testing.F) {
	f.Add(madeRegion(f, map[int][]byte{0: madeChunk().bytes(), 5: doc{}.bytes()}))
	f.Fuzz(func(_ *testing.T, b []byte) { open(b) })
}

// FuzzPart writes chunks whose part is arbitrary: that is an error or a document that can be read.
func FuzzPart(f *testing.F) {
	w, err := open(madeRegion(f, map[int][]byte{0: madeChunk(plainSection()).bytes()}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(w.Dimensions[0].Columns[0].Parts[0].Data)
	f.Fuzz(func(t *testing.T, b []byte) {
		w.Dimensions[0].Columns[0].Parts[0].Data = b
		dir := t.TempDir()
		out, err := hytale.Kind().CreateFolder(dir, format.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer out.Abort()
		if err := w.Source().Read(context.Background(), out); err != nil {
			return
		}
		out.Close()
	})
}
