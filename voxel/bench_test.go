package voxel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Every benchmark has the same loop over flat arrays beside it and runs over a
// few chunks, which caches hold, and over 4096, which none does. Loops are plain
// functions: what a closure costs would hide what a read costs.
const (
	nearChunks = 4
	farChunks  = 4096
)

// level is the same terrain as flat arrays and as chunks.
type level struct {
	name   string
	flats  []*flat
	chunks []*voxel.Chunk
}

var farLevel = sync.OnceValue(func() level {
	l := level{name: "far"}
	var b voxel.ChunkBuilder
	for i := range farChunks {
		f := terrainAt(i&31, i>>10, i>>5&31)
		l.flats = append(l.flats, f)
		l.chunks = append(l.chunks, b.FromFlat(f))
	}
	return l
})

// levels returns the near one, the far one, and the maps if there are any.
func levels() []level {
	far := farLevel()
	near := level{name: "near"}
	for i := range nearChunks {
		at := 1024 + i*33
		near.flats = append(near.flats, far.flats[at])
		near.chunks = append(near.chunks, far.chunks[at])
	}
	if maps := mapLevel(); len(maps.chunks) > 0 {
		return []level{near, far, maps}
	}
	return []level{near, far}
}

// terrainAt is hills with soil, caves and veins: 4 chunks high.
func terrainAt(cx, cy, cz int) *flat {
	r := rand.New(rand.NewPCG(uint64(cx<<16|cz), uint64(cy)))
	f := new(flat)
	for z := range 32 {
		for x := range 32 {
			h := height(float64(cx*32+x), float64(cz*32+z)) - float64(cy*32)
			for y := 0; y < 32 && float64(y) < h; y++ {
				depth := h - float64(y)
				f[at(x, y, z)] = voxel.TerrainCell(3, 255)
				switch {
				case depth < 1:
					f[at(x, y, z)] = voxel.TerrainCell(1, uint8(depth*255))
				case depth < 4:
					f[at(x, y, z)] = voxel.TerrainCell(2, 255)
				}
			}
		}
	}
	for range r.IntN(4) {
		caveAt(f, r.IntN(32), r.IntN(32), r.IntN(32), 2+r.IntN(3))
	}
	return f
}

func height(x, z float64) float64 {
	h := 64 + 30*math.Sin(x/97)*math.Cos(z/83) + 12*math.Sin(x/31+z/47) + 3*math.Sin(x/7)*math.Sin(z/9)
	return h + math.Abs(math.Sin(x*12.9898+z*78.233))
}

func caveAt(f *flat, cx, cy, cz, radius int) {
	eachIn(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, func(x, y, z int) {
		if dx, dy, dz := x-cx, y-cy, z-cz; dx*dx+dy*dy+dz*dz < radius*radius {
			f[at(x, y, z)] = voxel.Empty
		}
	})
}

// measure runs pass, which does n pieces of work, as often as b asks.
func measure(b *testing.B, name string, n int, pass func() int) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		sum := 0
		for b.Loop() {
			sum += pass()
		}
		sink = sum
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/each")
		b.ReportMetric(0, "ns/op")
	})
}

var sink int

// sumRow is the work done on a row: the same machine code for either form,
// because where the loop happens to lie in memory makes a factor of two.
//
//go:noinline
func sumRow(row []voxel.Cell) (sum int) {
	for _, v := range row {
		sum += int(v)
	}
	return sum
}

func sumFlat(flats []*flat) (sum int) {
	for _, f := range flats {
		for i := 0; i < len(f); i += 32 {
			sum += sumRow(f[i : i+32])
		}
	}
	return sum
}

func sumRows(chunks []*voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for _, c := range chunks {
		for y := range 32 {
			for z := range 32 {
				sum += sumRow(c.Row(y, z, &buf))
			}
		}
	}
	return sum
}

func sumSkip(chunks []*voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for _, c := range chunks {
		for y := range 32 {
			if v, ok := c.SliceUniform(y); ok {
				sum += int(v) * voxel.SliceCells
				continue
			}
			for z := range 32 {
				sum += sumRow(c.Row(y, z, &buf))
			}
		}
	}
	return sum
}

// endsFlat and endsRows touch a row's first and last cell only.
func endsFlat(flats []*flat) (sum int) {
	for _, f := range flats {
		for i := 0; i < len(f); i += 32 {
			sum += int(f[i]) + int(f[i+31])
		}
	}
	return sum
}

func endsRows(chunks []*voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for _, c := range chunks {
		for y := range 32 {
			for z := range 32 {
				row := c.Row(y, z, &buf)
				sum += int(row[0]) + int(row[31])
			}
		}
	}
	return sum
}

func BenchmarkScan(b *testing.B) {
	for _, l := range levels() {
		rows := len(l.chunks) * 1024
		measure(b, l.name+"/sum/flat", rows, func() int { return sumFlat(l.flats) })
		measure(b, l.name+"/sum/row", rows, func() int { return sumRows(l.chunks) })
		measure(b, l.name+"/sum/skip", rows, func() int { return sumSkip(l.chunks) })
		measure(b, l.name+"/ends/flat", rows, func() int { return endsFlat(l.flats) })
		measure(b, l.name+"/ends/row", rows, func() int { return endsRows(l.chunks) })
	}
}

const randomReads = 1 << 16

// places returns where random reads go, so that drawing them costs no time.
func places(chunks int) []uint32 {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([]uint32, randomReads)
	for i := range out {
		out[i] = r.Uint32N(uint32(chunks * voxel.ChunkCells))
	}
	return out
}

func cellsFlat(flats []*flat, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(flats[p>>15][p&0x7FFF])
	}
	return sum
}

func cellsChunk(chunks []*voxel.Chunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(chunks[p>>15].Cell(int(p&31), int(p>>10&31), int(p>>5&31)))
	}
	return sum
}

func rowsFlat(flats []*flat, at []uint32) (sum int) {
	for _, p := range at {
		sum += sumRow(flats[p>>15][p&0x7FE0:][:32])
	}
	return sum
}

func rowsChunk(chunks []*voxel.Chunk, at []uint32) (sum int) {
	var buf [64]voxel.Cell
	for _, p := range at {
		sum += sumRow(chunks[p>>15].Row(int(p>>10&31), int(p>>5&31), &buf))
	}
	return sum
}

func BenchmarkRandom(b *testing.B) {
	for _, l := range levels() {
		at := places(len(l.chunks))
		measure(b, l.name+"/cell/flat", randomReads, func() int { return cellsFlat(l.flats, at) })
		measure(b, l.name+"/cell/chunk", randomReads, func() int { return cellsChunk(l.chunks, at) })
		measure(b, l.name+"/row/flat", randomReads, func() int { return rowsFlat(l.flats, at) })
		measure(b, l.name+"/row/chunk", randomReads, func() int { return rowsChunk(l.chunks, at) })
	}
}

func boxesFlat(flats []*flat, at []uint32, edge int, dst []voxel.Cell) int {
	for _, p := range at {
		b := boxAt(p, edge)
		f, to := flats[p>>15], dst
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for z := b.Min.Z; z < b.Max.Z; z++ {
				copy(to[:edge], f[(y*32+z)*32+b.Min.X:])
				to = to[edge:]
			}
		}
	}
	return int(dst[0])
}

func boxesChunk(chunks []*voxel.Chunk, at []uint32, edge int, dst []voxel.Cell) int {
	for _, p := range at {
		chunks[p>>15].ReadBox(boxAt(p, edge), dst)
	}
	return int(dst[0])
}

func boxAt(p uint32, edge int) geom.Box {
	n := uint32(33 - edge)
	min := geom.Point{X: int(p & 31 * n >> 5), Y: int(p >> 10 & 31 * n >> 5), Z: int(p >> 5 & 31 * n >> 5)}
	return geom.Box{Min: min, Max: min.Add(geom.Point{X: edge, Y: edge, Z: edge})}
}

func BenchmarkBox(b *testing.B) {
	dst := make([]voxel.Cell, voxel.ChunkCells)
	for _, l := range levels() {
		at := places(len(l.chunks))[:1<<10]
		for _, edge := range []int{4, 8, 16, 32} {
			name := fmt.Sprintf("%s/%d/", l.name, edge)
			measure(b, name+"flat", len(at), func() int { return boxesFlat(l.flats, at, edge, dst) })
			measure(b, name+"chunk", len(at), func() int { return boxesChunk(l.chunks, at, edge, dst) })
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	l := farLevel()
	at := places(len(l.chunks))[:1<<10]
	var builder voxel.ChunkBuilder
	measure(b, "one/flat", len(at), func() int {
		for _, p := range at {
			f := *l.flats[p>>15]
			f[p&0x7FFF]++
			sink = int(f[0])
		}
		return 0
	})
	for _, writes := range []int{1, 16, 256, 4096} {
		measure(b, fmt.Sprintf("%d/draft", writes), len(at), func() (sum int) {
			for i, p := range at {
				d := l.chunks[p>>15].Edit()
				for k := range writes {
					q := at[(i+k*7)%len(at)]
					d.Set(int(q&31), int(q>>10&31), int(q>>5&31), voxel.Cell(3))
				}
				sum += d.Publish(&builder).Bytes()
			}
			return sum
		})
	}
}

func BenchmarkPack(b *testing.B) {
	var builder voxel.ChunkBuilder
	table := make([]voxel.Cell, 1<<15)
	for v := range table {
		table[v] = voxel.Cell(v ^ 1)
	}
	dst := new(flat)
	for _, l := range levels() {
		n := len(l.chunks)
		measure(b, l.name+"/copy", n, func() int {
			for _, f := range l.flats {
				*dst = *f
			}
			return 0
		})
		measure(b, l.name+"/pack", n, func() (sum int) {
			for _, f := range l.flats {
				sum += builder.FromFlat(f).Bytes()
			}
			return sum
		})
		measure(b, l.name+"/flat", n, func() int {
			for _, c := range l.chunks {
				c.Flat(dst)
			}
			return 0
		})
		measure(b, l.name+"/translate", n, func() (sum int) {
			for _, c := range l.chunks {
				sum += c.Translate(table).Bytes()
			}
			return sum
		})
	}
}

func BenchmarkMips(b *testing.B) {
	rules := [2]*voxel.Rule{{Schema: voxel.Terrain}, {Schema: voxel.Terrain, Empties: []voxel.Cell{1}}}
	for _, l := range levels() {
		i := 0
		measure(b, l.name, len(l.chunks), func() (sum int) {
			i++
			for _, c := range l.chunks {
				sum += int(c.Mip(rules[i&1], 3).Cell(0, 0, 0))
			}
			return sum
		})
	}
}

// BenchmarkMemory reports bytes per cell that is not empty.
func BenchmarkMemory(b *testing.B) {
	rule := &voxel.Rule{Schema: voxel.Terrain}
	for _, l := range levels()[1:] {
		b.Run(l.name, func(b *testing.B) {
			chunks, mips, cells := 0, 0, 0
			for _, c := range l.chunks {
				c.Mip(rule, 1)
				chunks, mips, cells = chunks+c.Bytes(), mips+c.MipBytes(), cells+c.CountNonEmpty()
			}
			for b.Loop() {
			}
			b.ReportMetric(float64(len(l.flats)*2*voxel.ChunkCells)/float64(cells), "flat-B/cell")
			b.ReportMetric(float64(chunks)/float64(cells), "B/cell")
			b.ReportMetric(float64(mips)/float64(cells), "mip-B/cell")
			b.ReportMetric(0, "ns/op")
		})
	}
}
