package voxel_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// flat is the slow obvious twin of a chunk.
type flat = [voxel.ChunkCells]voxel.Cell

func at(x, y, z int) int { return (y*32+z)*32 + x }

// content is a kind of chunk to test with.
type content struct {
	name string
	make func(r *rand.Rand) *flat
}

func fillBy(cell func(x, y, z int) voxel.Cell) *flat {
	f := new(flat)
	for i := range f {
		f[i] = cell(i&31, i>>10, i>>5&31)
	}
	return f
}

func contents() []content {
	return []content{
		{"air", func(r *rand.Rand) *flat { return new(flat) }},
		{"solid", func(r *rand.Rand) *flat { return fillBy(func(x, y, z int) voxel.Cell { return voxel.MaxCell }) }},
		{"layer", func(r *rand.Rand) *flat {
			at := r.IntN(32)
			return fillBy(func(x, y, z int) voxel.Cell { return voxel.Cell(bit(y == at)) * 7 })
		}},
		{"hills", hills},
		{"few runs", func(r *rand.Rand) *flat { return runs(r, 12, 5) }},
		{"noise of 2", func(r *rand.Rand) *flat { return noise(r, 2) }},
		{"noise of 40", func(r *rand.Rand) *flat { return noise(r, 40) }},
		{"noise of 300", func(r *rand.Rand) *flat { return noise(r, 300) }},
		{"noise of all", func(r *rand.Rand) *flat { return noise(r, 1<<15) }},
		{"lone cells", func(r *rand.Rand) *flat {
			f := noise(r, 1)
			for range r.IntN(40) {
				f[r.IntN(len(f))] = voxel.Cell(r.IntN(1 << 15))
			}
			return f
		}},
		{"tower", func(r *rand.Rand) *flat {
			f := runs(r, 3, 300)
			for y := 1; y < 32; y++ {
				copy(f[y*1024:][:1024], f[:1024])
				f[y*1024+r.IntN(1024)] = 3
			}
			return f
		}},
		{"distinct cells in short rows", func(r *rand.Rand) *flat { return runs(r, 3, 1<<15) }},
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hills is ground with a surface of changing fullness, some of it caves.
func hills(r *rand.Rand) *flat {
	base, slope := r.IntN(24), r.IntN(16)
	return fillBy(func(x, y, z int) voxel.Cell {
		h := base*16 + slope*x/2 + z*3
		switch {
		case y*16 > h+15 || r.IntN(400) == 0:
			return voxel.Empty
		case y*16 > h:
			return voxel.TerrainCell(2, uint8((h%16)*16))
		}
		return voxel.TerrainCell(1, 255)
	})
}

// runs is rows of up to n runs of cells below k.
func runs(r *rand.Rand, n, k int) *flat {
	f := new(flat)
	for row := 0; row < len(f); row += 32 {
		for range r.IntN(n) {
			v := voxel.Cell(r.IntN(k))
			for x := r.IntN(32); x < 32; x++ {
				f[row+x] = v
			}
		}
	}
	return f
}

func noise(r *rand.Rand, k int) *flat {
	f := new(flat)
	for i := range f {
		f[i] = voxel.Cell(r.IntN(k))
	}
	return f
}

// each runs f for several chunks of every kind.
func each(t *testing.T, f func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk)) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for _, k := range contents() {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range rounds {
				want := k.make(r)
				f(t, r, want, voxel.FromFlat(want))
			}
		})
	}
}

func mustEqual(t *testing.T, c *voxel.Chunk, want *flat) {
	t.Helper()
	got := new(flat)
	c.Flat(got)
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("cell (%d,%d,%d) is %d, want %d", i&31, i>>10, i>>5&31, got[i], want[i])
		}
	}
}

func TestReads(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		mustEqual(t, c, want)
		var buf [64]voxel.Cell
		for i, v := range want {
			x, y, z := i&31, i>>10, i>>5&31
			if got := c.Cell(x, y, z); got != v {
				t.Fatalf("Cell(%d,%d,%d) is %d, want %d", x, y, z, got, v)
			}
			if row := c.Row(y, z, &buf); len(row) != 32 || row[x] != v {
				t.Fatalf("Row(%d,%d) is %d, want %d at %d", y, z, row, v, x)
			}
		}
	})
}

func TestReadBox(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		for range 20 {
			b := randomBox(r)
			got := make([]voxel.Cell, b.Cells())
			c.ReadBox(b, got)
			i := 0
			eachIn(b, func(x, y, z int) {
				if got[i] != want[at(x, y, z)] {
					t.Fatalf("box %v: cell (%d,%d,%d) is %d, want %d", b, x, y, z, got[i], want[at(x, y, z)])
				}
				i++
			})
		}
	})
}

func randomBox(r *rand.Rand) geom.Box {
	p := geom.Point{X: r.IntN(33), Y: r.IntN(33), Z: r.IntN(33)}
	return geom.Box{Min: p, Max: geom.Point{X: p.X + r.IntN(33-p.X), Y: p.Y + r.IntN(33-p.Y), Z: p.Z + r.IntN(33-p.Z)}}
}

func eachIn(b geom.Box, f func(x, y, z int)) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				f(x, y, z)
			}
		}
	}
}

func TestUniform(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		all := true
		for y := range 32 {
			one := true
			for i := range 1024 {
				one = one && want[y*1024+i] == want[y*1024]
				all = all && want[y*1024+i] == want[0]
			}
			if v, ok := c.SliceUniform(y); ok != one || ok && v != want[y*1024] {
				t.Fatalf("slice %d: %d %v, want %d %v", y, v, ok, want[y*1024], one)
			}
		}
		if v, ok := c.Uniform(); ok != all || ok && v != want[0] {
			t.Fatalf("%d %v, want %d %v", v, ok, want[0], all)
		}
	})
}

func TestChanged(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		for y := range 32 {
			m := uint32(0)
			for z := range 32 {
				if y == 0 || [32]voxel.Cell(want[at(0, y, z):]) != [32]voxel.Cell(want[at(0, y-1, z):]) {
					m |= 1 << z
				}
			}
			if got := c.Changed(y); got != m {
				t.Fatalf("slice %d: %032b, want %032b", y, got, m)
			}
		}
	})
}

func TestCounts(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		var got, counts [1 << 15]int
		for _, v := range want {
			counts[v]++
		}
		c.AddCounts(got[:])
		if got != counts {
			t.Error("AddCounts differs from counting cells")
		}
		if got, want := c.CountNonEmpty(), 32768-counts[0]; got != want {
			t.Errorf("%d cells are not empty, want %d", got, want)
		}
	})
}

// Equal cells must give the same form however they came in, for Equal relies on it.
func TestOneForm(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		var b voxel.ChunkBuilder
		for y := range 32 {
			b.Slice((*[1024]voxel.Cell)(want[y*1024:]), c.Changed(y)|r.Uint32()&r.Uint32())
		}
		d := b.Chunk()
		if !c.Equal(d) || c.Bytes() != d.Bytes() {
			t.Errorf("built %d bytes, packed %d, or not equal", d.Bytes(), c.Bytes())
		}
		other := *want
		i := r.IntN(len(other))
		other[i] ^= 1
		if c.Equal(b.FromFlat(&other)) {
			t.Errorf("equal though cell %d differs", i)
		}
	})
}

func TestTranslate(t *testing.T) {
	tables := map[string]func(v int) int{
		"permuted":  func(v int) int { return v ^ 0x155 },
		"two merge": func(v int) int { return v &^ 1 },
		"all merge": func(v int) int { return 9 },
	}
	for name, f := range tables {
		t.Run(name, func(t *testing.T) {
			table := make([]voxel.Cell, 1<<15)
			for v := range table {
				table[v] = voxel.Cell(f(v))
			}
			each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
				got := c.Translate(table)
				for i, v := range want {
					want[i] = table[v]
				}
				mustEqual(t, got, want)
				if !got.Equal(voxel.FromFlat(want)) {
					t.Error("not the form that FromFlat gives")
				}
			})
		})
	}
}

// The two extreme cases of the terrain article, section "Memory format, take two".
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const flatBytes = 2 * voxel.ChunkCells
	tests := []struct {
		name  string
		cells *flat
		most  int
	}{
		{"uniform", new(flat), 107},
		{"one layer", fillBy(func(x, y, z int) voxel.Cell { return voxel.Cell(bit(y == 9)) }), 107},
		{"slanted layer", fillBy(func(x, y, z int) voxel.Cell { return voxel.Cell(bit(y == z)) }), flatBytes/32 + 107},
		{"worst", noise(r, 1<<15), flatBytes + 2048},
		{"noise of 300", noise(r, 300), flatBytes + 2048},
		{"noise of 40", noise(r, 40), flatBytes * 2 / 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := voxel.FromFlat(tt.cells).Bytes(); got > tt.most {
				t.Errorf("%d bytes, want at most %d", got, tt.most)
			}
		})
	}
}

func TestReadsDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	c := voxel.FromFlat(runs(r, 12, 5))
	var buf [64]voxel.Cell
	dst := make([]voxel.Cell, voxel.ChunkCells)
	sum := 0
	n := testing.AllocsPerRun(10, func() {
		for i := range 1024 {
			sum += int(c.Row(i>>5, i&31, &buf)[3]) + int(c.Cell(i&31, i>>5, 4))
		}
		c.ReadBox(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, dst)
		c.Flat((*flat)(dst))
		sum += c.CountNonEmpty() + bits.OnesCount32(c.Changed(5))
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A box without cells, even one turned inside out, is no work and no panic.
func TestEmptyBox(t *testing.T) {
	c := voxel.FromFlat(hills(rand.New(rand.NewPCG(1, 1))))
	d := c.Edit()
	for _, b := range []geom.Box{
		{},
		{Min: geom.Point{X: 9, Y: 1, Z: 1}, Max: geom.Point{X: 3, Y: 8, Z: 8}},
		{Min: geom.Point{X: 32, Y: 32, Z: 32}, Max: geom.Point{X: 32, Y: 32, Z: 32}},
	} {
		c.ReadBox(b, nil)
		d.Fill(b, 5)
		d.WriteBox(b, nil)
	}
	if d.Publish(new(voxel.ChunkBuilder)) != c {
		t.Error("writing no cell made another chunk")
	}
}

func TestBuilderPanics(t *testing.T) {
	tests := map[string]func(b *voxel.ChunkBuilder){
		"too few slices": func(b *voxel.ChunkBuilder) { b.Chunk() },
		"too many slices": func(b *voxel.ChunkBuilder) {
			for range 33 {
				b.Slice(new([1024]voxel.Cell), 0)
			}
		},
		"level 0": func(b *voxel.ChunkBuilder) { voxel.Uniform(0).Mip(&voxel.Rule{}, 0) },
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(new(voxel.ChunkBuilder))
		})
	}
}
