package stone_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// maker makes specs at random, with more of what is odd than worlds have.
type maker struct {
	*rand.Rand
	pool []*voxel.Chunk // chunks of the volume under way that come again
}

func newMaker(seed uint64) *maker {
	return &maker{Rand: rand.New(rand.NewPCG(seed, seed*seed+1))}
}

func (m *maker) one(in int) bool { return m.IntN(in) == 0 }

func (m *maker) bytes(most int) []byte {
	b := make([]byte, m.IntN(most+1))
	for i := range b {
		b[i] = byte(m.IntN(4))
	}
	return b
}

// payload makes the payload of a compound, or some bytes.
func (m *maker) payload(most int) []byte {
	if m.one(3) {
		return m.bytes(most)
	}
	b := nbt.AppendString(nil, "id", "minecraft:chest")
	if m.one(2) {
		b = nbt.AppendInt(b, "made up", m.Int32())
	}
	n := m.IntN(4)
	b = nbt.AppendList(b, "Items", nbt.Compound, n)
	for i := range n {
		b = nbt.AppendByte(nbt.AppendString(b, "id", fmt.Sprintf("minecraft:thing%d", m.IntN(9))), "Slot", int8(i))
		b = nbt.AppendEnd(b)
	}
	return nbt.AppendEnd(b)
}

// document makes a document, or some bytes.
func (m *maker) document() []byte {
	if m.one(3) {
		return m.bytes(50)
	}
	return append(nbt.AppendCompound(nil, ""), nbt.AppendEnd(nbt.AppendLong(nil, "LastUpdate", m.Int64N(100)))...)
}

func (m *maker) spec() stonetest.Spec {
	var s stonetest.Spec
	for i := range m.IntN(4) {
		s.Properties = append(s.Properties, stone.Property{Key: fmt.Sprintf("key%d", i), Value: string(m.bytes(9))})
	}
	for i := range m.IntN(4) {
		s.Dimensions = append(s.Dimensions, m.dimension(fmt.Sprintf("dim%d", i)))
	}
	for i := range m.IntN(4) {
		f := stonetest.FileSpec{Path: fmt.Sprintf("data/%d", i), Data: m.bytes(99)}
		if m.one(3) {
			f.Data, f.Gone = nil, true
		}
		s.Files = append(s.Files, f)
	}
	return s
}

func (m *maker) dimension(name string) stonetest.DimensionSpec {
	d := stonetest.DimensionSpec{Name: name, Folder: string(m.bytes(3))}
	for i, v := range []voxel.Volume{
		{Name: voxel.Block, Schema: voxel.Palette, Scale: 1},
		{Name: voxel.Biome, Schema: voxel.Palette, Scale: 4, Default: 1},
		{Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15},
		{Name: "solid", Schema: voxel.Terrain, Scale: 255, Default: voxel.TerrainCell(63, 255)},
	} {
		if m.one(3) {
			continue
		}
		var names []string
		switch v.Schema {
		case voxel.Palette:
			for n := range 2 + m.IntN(300) {
				names = append(names, fmt.Sprintf("name:of_%d_%05d", i, n))
			}
			names[0] = "zero"
		case voxel.Terrain:
			names = []string{"", "rock", "grass"}
		}
		d.Volumes = append(d.Volumes, m.volume(v, names))
	}
	if m.one(2) {
		d.Rules = m.rules()
	}
	d.Columns = m.columns(d)
	if m.one(2) {
		m.unsay(&d)
	}
	return d
}

func (m *maker) volume(v voxel.Volume, names []string) stonetest.VolumeSpec {
	s := stonetest.VolumeSpec{Volume: v, Names: names}
	m.pool = nil
	for _, level := range []int{0, 3, 7, geom.MaxDepth - 2} {
		l := stonetest.LevelSpec{Level: level}
		for _, pos := range m.positions(level) {
			l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: m.chunk(v.Schema, len(names))})
		}
		if len(l.Chunks) > 0 && (level == 0 || m.one(2)) {
			s.Levels = append(s.Levels, l)
		}
	}
	return s
}

// positions returns places in ascending order: scattered, in whole cubes, in
// towers and at the edges of space.
func (m *maker) positions(level int) []geom.ChunkPos {
	set := map[geom.ChunkPos]bool{}
	edge := int32(geom.MaxChunk >> level)
	put := func(x, y, z int32) {
		in := func(v int32) int32 { return max(-edge, min(v, edge-1)) }
		set[geom.ChunkPos{X: in(x), Y: in(y), Z: in(z)}] = true
	}
	for range m.IntN(12) {
		put(m.Int32N(20)-10, m.Int32N(6)-3, m.Int32N(20)-10)
	}
	for range m.IntN(3) {
		x, y, z := 4*m.Int32N(3)-4, 4*m.Int32N(3)-4, 4*m.Int32N(3)-4
		for i := range int32(64) {
			put(x+i&3, y+i>>4, z+i>>2&3)
		}
	}
	if m.one(3) {
		put(-edge, -edge, -edge)
		put(edge, edge, edge)
		put(edge, -edge, edge)
	}
	code := func(p geom.ChunkPos) geom.Code { return geom.CodeOf(p, level) }
	return slices.SortedFunc(maps.Keys(set), func(a, b geom.ChunkPos) int { return code(a).Compare(code(b)) })
}

func (m *maker) cell(s voxel.Schema, names int) voxel.Cell {
	switch s {
	case voxel.Terrain:
		return voxel.TerrainCell(uint8(m.IntN(64)), uint8(m.IntN(256)))
	case voxel.Level:
		return voxel.Cell(m.IntN(256))
	}
	return voxel.Cell(m.IntN(names))
}

// chunk returns nil, or a chunk that is uniform, layered, spotted, noise, or
// was there before.
func (m *maker) chunk(s voxel.Schema, names int) *voxel.Chunk {
	var cells [voxel.ChunkCells]voxel.Cell
	a, b := m.cell(s, names), m.cell(s, names)
	switch m.IntN(12) {
	case 0:
		return nil
	case 1, 2, 3:
		return voxel.Uniform(m.cell(s, min(names, 2)))
	case 4, 5, 6:
		if len(m.pool) > 0 {
			return m.pool[m.IntN(len(m.pool))]
		}
		fallthrough
	case 7, 8:
		top := m.IntN(32)
		for i := range cells {
			if cells[i] = a; i/voxel.SliceCells > top+i%3 {
				cells[i] = b
			}
		}
	case 9:
		for i := range cells[:len(cells)>>m.IntN(10)] {
			cells[i] = m.cell(s, names)
		}
	default:
		for range 1 + m.IntN(40) {
			cells[m.IntN(len(cells))] = a
		}
	}
	c := voxel.FromFlat(&cells)
	m.pool = append(m.pool, c)
	return c
}

func (m *maker) rules() []light.Rule {
	rules := []light.Rule{{Map: "height", Base: -64}, {Map: "floor", Base: 7}}
	for i := range rules {
		for c := voxel.Cell(1); c < 40; c++ {
			if !m.one(4) {
				rules[i].Cells = append(rules[i].Cells, c)
			}
		}
	}
	return rules
}

func (m *maker) columns(d stonetest.DimensionSpec) (columns []voxel.Column) {
	set := map[geom.ColumnPos]bool{}
	for range m.IntN(60) {
		set[geom.ColumnPos{X: m.Int32N(30) - 15, Z: m.Int32N(30) - 15}] = true
	}
	if m.one(3) {
		const edge = 2 * geom.MaxChunk
		set[geom.ColumnPos{X: -edge, Z: edge - 1}] = true
		set[geom.ColumnPos{X: edge - 1, Z: -edge}] = true
	}
	h := light.NewHeightMapper(d.Rules)
	for _, pos := range slices.SortedFunc(maps.Keys(set), geom.ColumnPos.Compare) {
		c := m.column(pos)
		said := make([][256]int32, len(d.Rules))
		h.Column(pos, tower(d, pos), said)
		for i := range said {
			if m.one(3) { // not quite as the rule says
				said[i][m.IntN(256)] += m.Int32N(9)
			}
			c.Maps = append(c.Maps, voxel.Map{Name: d.Rules[i].Map, Form: 9, Values: said[i]})
		}
		columns = append(columns, c)
	}
	return columns
}

// unsay keeps some columns' lists alone and lets others be gone.
func (m *maker) unsay(d *stonetest.DimensionSpec) {
	d.Columns = slices.DeleteFunc(d.Columns, func(c voxel.Column) bool {
		switch {
		case m.one(4):
			d.Gone = append(d.Gone, c.Pos)
			return true
		case m.one(4) && len(c.Lists) > 0:
			d.Lists = append(d.Lists, stonetest.ListsSpec{Pos: c.Pos, Lists: c.Lists})
			return true
		}
		return false
	})
	if len(d.Columns) == 0 {
		d.Columns = nil
	}
}

// tower is the slow twin of what Spec.Write and the Reader look up.
func tower(d stonetest.DimensionSpec, pos geom.ColumnPos) (t light.Tower) {
	for _, v := range d.Volumes {
		for _, l := range v.Levels {
			for _, c := range l.Chunks {
				if v.Name == voxel.Block && l.Level == 0 && c.Chunk != nil && c.Pos.X == pos.X>>1 && c.Pos.Z == pos.Z>>1 {
					t = append(t, light.Floor{Y: c.Pos.Y, Chunk: c.Chunk})
				}
			}
		}
	}
	slices.SortFunc(t, func(a, b light.Floor) int { return int(b.Y - a.Y) })
	return t
}

func (m *maker) column(pos geom.ColumnPos) voxel.Column {
	c := voxel.Column{Pos: pos, Version: m.Int32() - m.Int32(), Layout: uint16(m.IntN(1 << 16)), Whole: voxel.Has(m.IntN(256)), Stale: voxel.Has(m.IntN(16))}
	for range m.IntN(5) {
		s := voxel.Section{Y: int8(m.IntN(256) - 128), Has: voxel.Has(m.IntN(256))}
		if m.one(2) {
			s.Tags = m.payload(20)
		}
		c.Sections = append(c.Sections, s)
	}
	for i := range m.IntN(4) {
		c.Maps = append(c.Maps, m.heightMap(fmt.Sprintf("map%d", i)))
	}
	if len(c.Maps) > 0 && m.one(2) {
		again := c.Maps[0]
		again.Values[m.IntN(256)] += m.Int32N(2)
		c.Maps = slices.Insert(c.Maps, 1, again)
	}
	for _, name := range []string{"a", "bees", "c"} {
		if m.one(2) {
			c.Lists = append(c.Lists, voxel.List{Name: name, Objects: m.objects()})
		}
	}
	for range m.IntN(3) {
		c.Parts = append(c.Parts, voxel.Part{Name: string(m.bytes(1)), Stamp: m.Uint32() >> m.IntN(33), Damaged: m.one(3), Data: m.document()})
	}
	return c
}

func (m *maker) heightMap(name string) voxel.Map {
	h := voxel.Map{Name: name, Form: uint8(m.IntN(256))}
	spread := []int32{1, 3, 1 << 30}[m.IntN(3)]
	for i := range h.Values {
		h.Values[i] = int32(i/16) + m.Int32N(spread)*(1-2*m.Int32N(2))
	}
	return h
}

func (m *maker) objects() (list []voxel.Object) {
	for range m.IntN(5) {
		o := voxel.Object{Place: voxel.Place(m.IntN(3)), Payload: m.payload(30)}
		if o.Place != voxel.Nowhere {
			o.At = geom.Point{X: m.IntN(1<<30) - 1<<29, Y: m.IntN(600) - 300, Z: m.IntN(99)}
		}
		list = append(list, o)
	}
	return list
}

func mustWrite(t testing.TB, s stonetest.Spec, o stone.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustOpen(t testing.TB, b []byte) *stone.Reader {
	t.Helper()
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustReadSpec(t testing.TB, r *stone.Reader) stonetest.Spec {
	t.Helper()
	s, err := readSpec(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustEqual compares specs part by part, so that a failure says where.
func mustEqual(t testing.TB, got, want stonetest.Spec) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	for i := range min(len(got.Dimensions), len(want.Dimensions)) {
		g, w := got.Dimensions[i], want.Dimensions[i]
		for j := range min(len(g.Columns), len(w.Columns)) {
			if !reflect.DeepEqual(g.Columns[j], w.Columns[j]) {
				t.Fatalf("dimension %d: column\n%+v\nwant\n%+v", i, g.Columns[j], w.Columns[j])
			}
		}
		for j := range min(len(g.Volumes), len(w.Volumes)) {
			if !reflect.DeepEqual(g.Volumes[j], w.Volumes[j]) {
				t.Fatalf("dimension %d: volume %q\n%+v\nwant\n%+v", i, w.Volumes[j].Name, g.Volumes[j], w.Volumes[j])
			}
		}
	}
	t.Fatalf("got\n%+v\nwant\n%+v", got, want)
}

// few is how many of n cases are tried: all, but a twelfth under -short, as with the race
// detector, to which more of what one goroutine does alone says nothing.
func few(n int) int {
	if testing.Short() {
		return max(1, n/12)
	}
	return n
}

// unitAlone skips a slow test of what one goroutine does where the race detector looks
// for what several do.
func unitAlone(t *testing.T) {
	t.Helper()
	long.Alone(t)
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(few(long.By(6, 10, 20))) {
		s := newMaker(seed).spec()
		o := stone.Options{PageChunks: []int{0, 1, 8, 64, 512}[seed%5], Effort: stone.Effort(seed / 5 % 2)}
		t.Run(fmt.Sprintf("seed %d %+v", seed, o), func(t *testing.T) {
			b := mustWrite(t, s, o)
			if !bytes.Equal(b, mustWrite(t, s, o)) {
				t.Error("the same content gives other bytes")
			}
			r := mustOpen(t, b)
			if err := r.Check(context.Background()); err != nil {
				t.Fatal(err)
			}
			mustEqual(t, mustReadSpec(t, r), s)
		})
	}
}
