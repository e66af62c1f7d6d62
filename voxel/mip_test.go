package voxel_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

func rules() map[string]*voxel.Rule {
	return map[string]*voxel.Rule{
		"palette": {Schema: voxel.Palette},
		"caves":   {Schema: voxel.Palette, Empties: []voxel.Cell{1, 3}},
		"terrain": {Schema: voxel.Terrain},
		"level":   {Schema: voxel.Level},
	}
}

// slowDownsample says again what DESIGN says of a mip's cell, as plainly as can be.
func slowDownsample(r *voxel.Rule, cells [8]voxel.Cell) voxel.Cell {
	var matter []voxel.Cell
	votes := map[voxel.Cell]int{}
	sum := 0
	for _, v := range cells {
		if v == 0 || slices.Contains(r.Empties, v) {
			continue
		}
		matter = append(matter, v)
		sum += int(v&0xFF) + 1
		if r.Schema == voxel.Terrain {
			v >>= 8
		}
		votes[v]++
	}
	if len(matter) == 0 {
		return 0
	}
	var winner voxel.Cell
	for v, n := range votes {
		if n > votes[winner] || n == votes[winner] && v < winner {
			winner = v
		}
	}
	switch r.Schema {
	case voxel.Terrain:
		return winner<<8 | voxel.Cell(max(sum/8, 1)-1)
	case voxel.Level:
		return slices.Max(matter)
	}
	return winner
}

func TestDownsample(t *testing.T) {
	const full, half = 255, 127
	a, b := voxel.TerrainCell(1, full), voxel.TerrainCell(2, full)
	tests := []struct {
		name  string
		rule  voxel.Rule
		cells [8]voxel.Cell
		want  voxel.Cell
	}{
		{"air", voxel.Rule{}, [8]voxel.Cell{}, 0},
		{"one cell of eight", voxel.Rule{}, [8]voxel.Cell{5: 9}, 9},
		{"tie goes to the lower", voxel.Rule{}, [8]voxel.Cell{7, 4, 4, 7}, 4},
		{"most common", voxel.Rule{}, [8]voxel.Cell{7, 4, 4, 7, 7}, 7},
		{"other empties do not vote", voxel.Rule{Empties: []voxel.Cell{1}}, [8]voxel.Cell{1, 1, 1, 1, 1, 1, 1, 9}, 9},
		{"only other empties", voxel.Rule{Empties: []voxel.Cell{1}}, [8]voxel.Cell{1, 1, 1, 1, 1, 1, 1, 1}, 0},
		{"full", voxel.Rule{Schema: voxel.Terrain}, [8]voxel.Cell{a, a, a, a, a, a, a, a}, a},
		{"air counts as 0", voxel.Rule{Schema: voxel.Terrain}, [8]voxel.Cell{a, a, a, a}, voxel.TerrainCell(1, half)},
		{"lower material", voxel.Rule{Schema: voxel.Terrain}, [8]voxel.Cell{b, a, b, a}, voxel.TerrainCell(1, half)},
		{"never nothing", voxel.Rule{Schema: voxel.Terrain}, [8]voxel.Cell{voxel.TerrainCell(5, 0)}, voxel.TerrainCell(5, 0)},
		{"greatest", voxel.Rule{Schema: voxel.Level}, [8]voxel.Cell{1, 15, 3}, 15},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := voxel.Downsample(&tt.rule, tt.cells); got != tt.want {
				t.Errorf("%#x, want %#x", got, tt.want)
			}
		})
	}
}

func TestDownsampleAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			for range 2000 {
				var cells [8]voxel.Cell
				for i := range cells {
					cells[i] = voxel.Cell(r.IntN(5)) * voxel.Cell(1+r.IntN(2)*255)
					if rule.Schema == voxel.Terrain {
						cells[i] = voxel.TerrainCell(uint8(r.IntN(4)), uint8(r.IntN(256)))
					}
				}
				if got, want := voxel.Downsample(rule, cells), slowDownsample(rule, cells); got != want {
					t.Fatalf("%v gives %d, want %d", cells, got, want)
				}
			}
		})
	}
}

// slowMip halves an array of that edge.
func slowMip(rule *voxel.Rule, cells []voxel.Cell, edge int) []voxel.Cell {
	half := edge / 2
	out := make([]voxel.Cell, half*half*half)
	for i := range out {
		x, z, y := i%half, i/half%half, i/half/half
		var eight [8]voxel.Cell
		for o := range eight {
			eight[o] = cells[((2*y+o>>2)*edge+2*z+o>>1&1)*edge+2*x+o&1]
		}
		out[i] = voxel.Downsample(rule, eight)
	}
	return out
}

func mustHaveMips(t *testing.T, c *voxel.Chunk, rule *voxel.Rule, want []voxel.Cell) {
	t.Helper()
	var buf [64]voxel.Cell
	for level := 1; level <= 3; level++ {
		m := c.Mip(rule, level)
		want = slowMip(rule, want, 2*m.Edge())
		if m.Edge() != 32>>level {
			t.Fatalf("level %d has edge %d", level, m.Edge())
		}
		for i, v := range want {
			x, z, y := i%m.Edge(), i/m.Edge()%m.Edge(), i/m.Edge()/m.Edge()
			row := m.Row(y, z, &buf)
			if got := m.Cell(x, y, z); got != v || len(row) != m.Edge() || row[x] != v {
				t.Fatalf("level %d: cell (%d,%d,%d) is %d, %d of %d in its row, want %d", level, x, y, z, got, row[x], len(row), v)
			}
			if u, ok := m.SliceUniform(y); ok && u != v {
				t.Fatalf("level %d: slice %d is uniform %d, but has %d", level, y, u, v)
			}
		}
	}
}

func TestMips(t *testing.T) {
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
				mustHaveMips(t, c, rule, want[:])
				mustHaveMips(t, c, &voxel.Rule{Schema: voxel.Level, Empties: []voxel.Cell{2}}, want[:])
			})
		})
	}
}

// Where a mip is empty all below it is, after every write.
func TestMipsNeverHideMatter(t *testing.T) {
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 10))
			c, want := voxel.Uniform(voxel.Empty), new(flat)
			for range 60 {
				d := c.Edit()
				randomWrite(t, r, d, want, 1<<8)
				c = d.Publish(new(voxel.ChunkBuilder))
				for i, v := range want {
					for level := 1; level <= 3 && !rule.Empty(v); level++ {
						if m := c.Mip(rule, level); m.Cell(i&31>>level, i>>10>>level, i>>5&31>>level) == 0 {
							t.Fatalf("level %d is empty above cell %d, which is %d", level, i, v)
						}
					}
				}
			}
		})
	}
}

func TestMipsRacing(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	want := runs(r, 12, 5)
	c := voxel.FromFlat(want)
	rule := &voxel.Rule{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for level := 3; level > 0; level-- {
				c.Mip(rule, level).Cell(1, 2, 3)
			}
		})
	}
	all.Wait()
	mustHaveMips(t, c, rule, want[:])
}

func TestMipMemory(t *testing.T) {
	rule := &voxel.Rule{}
	u := voxel.Uniform(5)
	u.Mip(rule, 1)
	if u.MipBytes() != 0 {
		t.Errorf("mips of a uniform chunk take %d bytes", u.MipBytes())
	}
	c := voxel.FromFlat(hills(rand.New(rand.NewPCG(1, 1))))
	if c.MipBytes() != 0 {
		t.Errorf("mips nobody asked for take %d bytes", c.MipBytes())
	}
	c.Mip(rule, 3)
	if got := c.MipBytes(); got == 0 || got > c.Bytes()/2 {
		t.Errorf("mips take %d bytes of a chunk of %d", got, c.Bytes())
	}
}
