package light_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ground is a made-up land: what its cells are, and its towers.
type ground struct {
	flat   map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell
	towers map[[2]int32]light.Tower
}

func (g *ground) at(x, z int32) light.Tower { return g.towers[[2]int32{x, z}] }

// randomGround makes towers over the footprints -edge..edge-1, of chunks at a
// few of the heights from lo to hi (in chunks): uniform, layered, noise.
func randomGround(r *rand.Rand, edge, lo, hi int32, values int) *ground {
	g := &ground{map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell{}, map[[2]int32]light.Tower{}}
	for z := -edge; z < edge; z++ {
		for x := -edge; x < edge; x++ {
			var t light.Tower
			for y := hi; y >= lo; y-- {
				if r.IntN(3) == 0 {
					continue
				}
				f := randomChunk(r, values)
				g.flat[geom.ChunkPos{X: x, Y: y, Z: z}] = f
				t = append(t, light.Floor{Y: y, Chunk: voxel.FromFlat(f)})
			}
			g.towers[[2]int32{x, z}] = t
		}
	}
	return g
}

func randomChunk(r *rand.Rand, values int) *[voxel.ChunkCells]voxel.Cell {
	f := new([voxel.ChunkCells]voxel.Cell)
	switch r.IntN(3) {
	case 0:
		v := voxel.Cell(r.IntN(values))
		for i := range f {
			f[i] = v
		}
	case 1:
		for i := range f {
			f[i] = voxel.Cell(i >> 10 * 7 % values)
			if i>>10 > 20+i%11 {
				f[i] = 0
			}
		}
	case 2:
		for range 600 {
			f[r.IntN(len(f))] = voxel.Cell(r.IntN(values))
		}
	}
	return f
}

// slowHeight goes down a column cell by cell.
func (g *ground) slowHeight(x, z, lo, hi int, r light.Rule) int32 {
	for y := hi; y >= lo; y-- {
		p := geom.Point{X: x, Y: y, Z: z}
		in := p.InChunk()
		f := g.flat[p.Chunk()]
		if f != nil && slices.Contains(r.Cells, f[(in.Y*32+in.Z)*32+in.X]) {
			return int32(y+1) - r.Base
		}
	}
	return 0
}

// slowMaps returns the column's maps of all rules.
func (g *ground) slowMaps(pos geom.ColumnPos, lo, hi int, rules []light.Rule) (maps []voxel.Map) {
	for _, r := range rules {
		m := voxel.Map{Name: r.Map}
		for i := range m.Values {
			m.Values[i] = g.slowHeight(int(pos.X)*16+i%16, int(pos.Z)*16+i/16, lo, hi, r)
		}
		maps = append(maps, m)
	}
	return maps
}

// columnsOf returns the columns over the footprints -edge..edge-1.
func columnsOf(edge int32) (at []geom.ColumnPos) {
	for z := -2 * edge; z < 2*edge; z++ {
		for x := -2 * edge; x < 2*edge; x++ {
			at = append(at, geom.ColumnPos{X: x, Z: z})
		}
	}
	return at
}

func cells(list ...voxel.Cell) []voxel.Cell { return list }

func TestHeightsTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sixteen := make([]light.Rule, 16)
	for i := range sixteen {
		sixteen[i] = light.Rule{Map: fmt.Sprint(i), Base: int32(i - 8), Cells: cells(voxel.Cell(i+1), voxel.Cell(i+2))}
	}
	for _, tt := range []struct {
		name   string
		lo, hi int32
		rules  []light.Rule
	}{
		{"one rule", 0, 3, []light.Rule{{Map: "a", Cells: cells(1, 2, 3)}}},
		{"no rules", 0, 1, nil},
		{"below zero", -4, -1, []light.Rule{{Map: "a", Base: -64, Cells: cells(2, 5)}, {Map: "b", Base: -64, Cells: cells(1)}}},
		{"a rule without cells", -1, 1, []light.Rule{{Map: "a", Cells: nil}, {Map: "b", Cells: cells(4, 32000)}}},
		{"sixteen rules", -2, 2, sixteen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := randomGround(r, 1, tt.lo, tt.hi, 20)
			h := light.NewHeightMapper(tt.rules)
			maps := make([][256]int32, len(tt.rules)+1)
			for _, pos := range columnsOf(1) {
				for i := range maps {
					maps[i][77] = 1 << 20 // what is left of the column before
				}
				h.Column(pos, g.at(pos.X>>1, pos.Z>>1), maps)
				for i, m := range g.slowMaps(pos, int(tt.lo)*32, int(tt.hi)*32+31, tt.rules) {
					if maps[i] != m.Values {
						t.Fatalf("column %v, rule %d: heights differ", pos, i)
					}
				}
				if maps[len(tt.rules)][77] != 1<<20 {
					t.Fatal("a map without a rule was written")
				}
			}
		})
	}
}

func TestHeightsFirstSixteenRules(t *testing.T) {
	rules := make([]light.Rule, 17)
	for i := range rules {
		rules[i] = light.Rule{Map: fmt.Sprint(i), Cells: cells(1)}
	}
	maps := make([][256]int32, 17)
	maps[16][0] = 5
	light.NewHeightMapper(rules).Column(geom.ColumnPos{}, light.Tower{{Chunk: voxel.Uniform(1)}}, maps)
	if maps[15][0] != 32 || maps[16][0] != 5 {
		t.Errorf("the 16th rule gives %d, the 17th %d, want 32 and 5 as it was", maps[15][0], maps[16][0])
	}
}

func TestHeightsAllocate(t *testing.T) {
	g := randomGround(rand.New(rand.NewPCG(3, 4)), 1, 0, 3, 9)
	h := light.NewHeightMapper([]light.Rule{{Map: "a", Cells: cells(1, 4)}})
	maps := make([][256]int32, 1)
	tower := g.at(0, 0)
	if n := testing.AllocsPerRun(10, func() { h.Column(geom.ColumnPos{}, tower, maps) }); n != 0 {
		t.Errorf("Column allocates %v times", n)
	}
}

// land makes columns with maps by known rules.
func land(seed uint64, lo, hi int32, rules []light.Rule) ([]voxel.Column, *ground) {
	g := randomGround(rand.New(rand.NewPCG(seed, 6)), 2, lo, hi, 12)
	var columns []voxel.Column
	for _, pos := range columnsOf(2) {
		columns = append(columns, voxel.Column{Pos: pos, Maps: g.slowMaps(pos, int(lo)*32, int(hi)*32+31, rules)})
	}
	return columns, g
}

// TestLearn gives Learn maps that follow from known rules: what it learns must
// say the same, whatever its cells are.
func TestLearn(t *testing.T) {
	all := cells(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	for _, tt := range []struct {
		name   string
		lo, hi int32
		rules  []light.Rule
	}{
		{"all cells", 0, 4, []light.Rule{{Map: "WORLD_SURFACE", Cells: all}}},
		{"from -64", -2, 3, []light.Rule{{Map: "WORLD_SURFACE", Base: -64, Cells: all}}},
		{"some cells", 0, 4, []light.Rule{{Map: "MOTION_BLOCKING", Cells: cells(2, 3, 5, 7, 11)}, {Map: "WORLD_SURFACE", Cells: all}}},
		{"some cells from -64", -2, 1, []light.Rule{
			{Map: "HeightMap", Base: -64, Cells: cells(1, 2, 3, 4, 5, 6)},
			{Map: "MOTION_BLOCKING", Base: -64, Cells: cells(1, 3, 5, 7, 9, 11)},
			{Map: "WORLD_SURFACE", Base: -64, Cells: all},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			columns, g := land(5, tt.lo, tt.hi, tt.rules)
			got := light.Learn(columns, g.at)
			if len(got) != len(tt.rules) {
				t.Fatalf("%d rules, want %d", len(got), len(tt.rules))
			}
			if again := light.Learn(columns, g.at); !reflect.DeepEqual(got, again) {
				t.Error("other rules the second time")
			}
			checkRules(t, got, tt.rules, columns, g)
		})
	}
}

// checkRules compares what rules say with the columns' maps: nine in ten
// numbers must be right.
func checkRules(t *testing.T, got, want []light.Rule, columns []voxel.Column, g *ground) {
	t.Helper()
	h, maps := light.NewHeightMapper(got), make([][256]int32, len(got))
	right, all := make([]int, len(got)), 0
	for i := range columns {
		c := &columns[i]
		h.Column(c.Pos, g.at(c.Pos.X>>1, c.Pos.Z>>1), maps)
		for m := range c.Maps {
			if got[m].Map != c.Maps[m].Name && i == 0 {
				t.Fatalf("rule %d is of %q, want %q", m, got[m].Map, c.Maps[m].Name)
			}
			for n, v := range c.Maps[m].Values {
				if v == maps[m][n] {
					right[m]++
				}
			}
		}
		all += 256
	}
	for m, r := range got {
		if r.Base != want[m].Base || !slices.IsSorted(r.Cells) || slices.Contains(r.Cells, voxel.Empty) {
			t.Errorf("%s: base %d, cells %v, want base %d", r.Map, r.Base, r.Cells, want[m].Base)
		}
		if right[m]*10 < all*9 {
			t.Errorf("%s: %d of %d heights right, by %v for %v", r.Map, right[m], all, r.Cells, want[m].Cells)
		}
	}
}

// TestLearnNothing gives Learn what holds no heights.
func TestLearnNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	columns, g := land(9, 0, 3, nil)
	fill := func(name string, value func(i int) int32) (out []voxel.Column) {
		for _, c := range columns {
			m := voxel.Map{Name: name}
			for i := range m.Values {
				m.Values[i] = value(i)
			}
			c.Maps = []voxel.Map{m}
			out = append(out, c)
		}
		return out
	}
	for _, tt := range []struct {
		name    string
		columns []voxel.Column
	}{
		{"no columns", nil},
		{"no maps", columns},
		{"zeros", fill("HeightMap", func(int) int32 { return 0 })},
		{"below", fill("HeightMap", func(int) int32 { return -5 })},
		{"biomes", fill("Biomes", func(i int) int32 { return int32(i/16%3*100 + r.IntN(2)) })},
		{"noise", fill("Biomes", func(int) int32 { return int32(r.Uint32()) })},
		{"the greatest", fill("HeightMap", func(int) int32 { return 1<<31 - 1 })},
		{"the least", fill("HeightMap", func(int) int32 { return -1 << 31 })},
	} {
		if got := light.Learn(tt.columns, g.at); len(got) != 0 {
			t.Errorf("%s: learned %d rules, the first %+v", tt.name, len(got), got[0])
		}
	}
	none := func(x, z int32) light.Tower { return nil }
	if got := light.Learn(fill("HeightMap", func(int) int32 { return 9 }), none); len(got) != 0 {
		t.Errorf("no cells: learned %+v", got)
	}
}

// TestLearnSome has some columns that lack a map or have another.
func TestLearnSome(t *testing.T) {
	columns, g := land(10, 0, 3, []light.Rule{{Map: "HeightMap", Cells: cells(1, 2, 3, 4, 5, 6, 7, 8)}, {Map: "MOTION_BLOCKING", Cells: cells(1, 2, 3)}})
	for i := range columns {
		if i%3 > 0 {
			columns[i].Maps = columns[i].Maps[i%3-1 : i%3]
		}
	}
	var names []string
	for _, r := range light.Learn(columns, g.at) {
		names = append(names, r.Map)
	}
	if !slices.Equal(names, []string{"HeightMap", "MOTION_BLOCKING"}) {
		t.Errorf("learned %v, want both", names)
	}
}

// TestLearnOnlyHeightMaps gives Learn biomes, and what a mod keeps, as numbers that blocks explain by chance.
func TestLearnOnlyHeightMaps(t *testing.T) {
	columns, g := land(11, 0, 1, []light.Rule{{Map: "Biomes", Cells: cells(1, 2, 3)}, {Map: "mod:damp", Cells: cells(1)}})
	if got := light.Learn(columns, g.at); len(got) != 0 {
		t.Errorf("learned %+v", got)
	}
}

func BenchmarkColumn(b *testing.B) {
	g := randomGround(rand.New(rand.NewPCG(12, 13)), 1, 0, 7, 9)
	h := light.NewHeightMapper([]light.Rule{{Map: "a", Cells: cells(1, 4)}, {Map: "b", Cells: cells(3)}})
	maps := make([][256]int32, 2)
	tower := g.at(0, 0)
	b.ReportAllocs()
	for b.Loop() {
		h.Column(geom.ColumnPos{}, tower, maps)
	}
}
