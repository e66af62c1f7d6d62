package grid_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// hills is a land of 1024x128x1024 cells in three forms: ours, a map of flat
// chunks, and one flat array.
type hills struct {
	view  *grid.View
	m     map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell
	plain []voxel.Cell
}

const hillsX, hillsY, hillsZ = 1024, 128, 1024

func plainAt(p geom.Point) int { return (p.Y*hillsZ+p.Z)*hillsX + p.X }

func makeHills() *hills {
	h := &hills{m: map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell{}, plain: make([]voxel.Cell, hillsX*hillsY*hillsZ)}
	for z := range hillsZ {
		for x := range hillsX {
			fx, fz := float64(x), float64(z)
			top := 50 + 22*math.Sin(fx/67)*math.Cos(fz/83) + 9*math.Sin(fx/19+fz/23)
			for y := range int(top) {
				h.plain[plainAt(at(x, y, z))] = voxel.TerrainCell(uint8(1+(y+x/200)/20), 255)
			}
			h.plain[plainAt(at(x, int(top), z))] = voxel.TerrainCell(9, uint8(top*256))
		}
	}
	seq := func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for pos := range region.Chunks(box(0, 0, 0, hillsX, hillsY, hillsZ)) {
			flat := new([voxel.ChunkCells]voxel.Cell)
			i := 0
			each(pos.Box(), func(p geom.Point) { flat[i] = h.plain[plainAt(p)]; i++ })
			h.m[pos] = flat
			if !yield(pos, voxel.FromFlat(flat)) {
				return
			}
		}
	}
	h.view = grid.Build(grid.Options{Schema: voxel.Terrain}, seq)
	return h
}

func (h *hills) mapCell(p geom.Point) voxel.Cell {
	c := h.m[p.Chunk()]
	if c == nil {
		return 0
	}
	q := p.InChunk()
	return c[(q.Y*32+q.Z)*32+q.X]
}

// mapBox is ReadBox for the map, chunk by chunk.
func (h *hills) mapBox(b geom.Box, dst []voxel.Cell) {
	size := b.Size()
	lo, hi := b.Min.Chunk(), b.Max.Sub(at(1, 1, 1)).Chunk()
	count := at(int(hi.X-lo.X)+1, int(hi.Y-lo.Y)+1, int(hi.Z-lo.Z)+1)
	for i := range count.X * count.Y * count.Z {
		pos := pos(lo.X+int32(i%count.X), lo.Y+int32(i/count.X%count.Y), lo.Z+int32(i/count.X/count.Y))
		c, in := h.m[pos], b.Intersect(pos.Box())
		n := in.Size().X
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for z := in.Min.Z; z < in.Max.Z; z++ {
				row := dst[((y-b.Min.Y)*size.Z+z-b.Min.Z)*size.X+in.Min.X-b.Min.X:][:n]
				if c == nil {
					clear(row)
				} else {
					copy(row, c[(y&31*32+z&31)*32+in.Min.X&31:])
				}
			}
		}
	}
}

// plainBox is ReadBox for the flat array.
func (h *hills) plainBox(b geom.Box, dst []voxel.Cell) {
	n := b.Max.X - b.Min.X
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			copy(dst[:n], h.plain[plainAt(at(b.Min.X, y, z)):])
			dst = dst[n:]
		}
	}
}

func BenchmarkCell(b *testing.B) {
	h := makeHills()
	r := rand.New(rand.NewPCG(1, 1))
	random := make([]geom.Point, 1<<14)
	near := make([]geom.Point, 1<<14)
	p := at(500, 60, 500)
	for i := range random {
		random[i] = at(r.IntN(hillsX), r.IntN(hillsY), r.IntN(hillsZ))
		p = at((p.X+r.IntN(3)-1)&1023, (p.Y+r.IntN(3)-1)&127, (p.Z+r.IntN(3)-1)&1023)
		near[i] = p
	}
	var sum voxel.Cell
	for name, points := range map[string][]geom.Point{"random": random, "near": near} {
		for form, read := range map[string]func() func(geom.Point) voxel.Cell{
			"view": func() func(geom.Point) voxel.Cell {
				return func(p geom.Point) voxel.Cell { c, _ := h.view.Cell(p); return c }
			},
			"cursor": func() func(geom.Point) voxel.Cell {
				k := h.view.Cursor()
				return func(p geom.Point) voxel.Cell { c, _ := k.Cell(p); return c }
			},
			"map": func() func(geom.Point) voxel.Cell { return h.mapCell },
			"plain": func() func(geom.Point) voxel.Cell {
				return func(p geom.Point) voxel.Cell { return h.plain[plainAt(p)] }
			},
		} {
			b.Run(name+"/"+form, func(b *testing.B) {
				f := read()
				for i := 0; b.Loop(); i++ {
					sum += f(points[i&(1<<14-1)])
				}
			})
		}
	}
}

func BenchmarkReadBox(b *testing.B) {
	h := makeHills()
	for _, edge := range []int{4, 8, 16, 32, 64} {
		r := rand.New(rand.NewPCG(1, 1))
		boxes := make([]geom.Box, 1024)
		for i := range boxes {
			p := at(r.IntN(hillsX-edge), r.IntN(hillsY-edge), r.IntN(hillsZ-edge))
			boxes[i] = geom.Box{Min: p, Max: p.Add(at(edge, edge, edge))}
		}
		dst := make([]voxel.Cell, edge*edge*edge)
		for form, read := range map[string]func(geom.Box){
			"view":  func(k geom.Box) { h.view.ReadBox(k, 0, dst) },
			"map":   func(k geom.Box) { h.mapBox(k, dst) },
			"plain": func(k geom.Box) { h.plainBox(k, dst) },
		} {
			b.Run(fmt.Sprintf("%d/%s", edge, form), func(b *testing.B) {
				b.SetBytes(int64(2 * len(dst)))
				for i := 0; b.Loop(); i++ {
					read(boxes[i&1023])
				}
			})
		}
	}
}

func BenchmarkRows(b *testing.B) {
	h := makeHills()
	all := box(0, 0, 0, hillsX, hillsY, hillsZ)
	sum := voxel.Cell(0)
	const rows = hillsX / 32 * hillsY * hillsZ
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			h.view.Rows(all, func(_ geom.Point, cells []voxel.Cell) bool { sum += cells[0] + cells[len(cells)-1]; return true })
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	})
	b.Run("skipping", func(b *testing.B) {
		var buf [64]voxel.Cell
		for b.Loop() {
			for _, c := range h.view.Chunks() {
				for y := range voxel.ChunkEdge {
					if v, ok := c.SliceUniform(y); ok {
						sum += v
						continue
					}
					for z := range voxel.ChunkEdge {
						row := c.Row(y, z, &buf)
						sum += row[0] + row[31]
					}
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	})
	b.Run("map", func(b *testing.B) {
		for b.Loop() {
			for _, c := range h.m {
				for i := 0; i < len(c); i += 32 {
					sum += c[i] + c[i+31]
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
	})
}

func BenchmarkUpdate(b *testing.B) {
	h := makeHills()
	g := grid.Hold(h.view)
	r := rand.New(rand.NewPCG(1, 1))
	point := func() geom.Point { return at(r.IntN(hillsX), r.IntN(hillsY), r.IntN(hillsZ)) }
	do := func(f func(d *grid.Draft)) {
		if _, err := g.Update(func(d *grid.Draft) error { f(d); return nil }); err != nil {
			b.Fatal(err)
		}
	}
	for _, k := range []struct {
		name string
		f    func(d *grid.Draft)
	}{
		{"one cell", func(d *grid.Draft) { d.Set(point(), voxel.TerrainCell(3, 9)) }},
		{"100 cells", func(d *grid.Draft) {
			for range 100 {
				d.Set(point(), voxel.TerrainCell(3, 9))
			}
		}},
		{"ball of 12", func(d *grid.Draft) {
			d.Fill(region.Ball{Center: point(), Radius: 12}, voxel.TerrainCell(uint8(r.IntN(5)), 9))
		}},
		{"box of 100", func(d *grid.Draft) {
			p := point()
			d.Fill(geom.Box{Min: p, Max: p.Add(at(100, 100, 100))}, voxel.TerrainCell(uint8(r.IntN(5)), 9))
		}},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do(k.f)
			}
		})
	}
}

// BenchmarkSet writes single cells of a land, each published: anywhere, and in a chunk that is in
// use; and a thousand of a chunk.
func BenchmarkSet(b *testing.B) {
	h := makeHills()
	for _, k := range []struct {
		name string
		n    int
		used bool
	}{{"one", 1, false}, {"one in use", 1, true}, {"1000 of a chunk", 1000, false}} {
		b.Run(k.name, func(b *testing.B) {
			g := grid.Hold(h.view)
			r := rand.New(rand.NewPCG(1, 1))
			m := 0
			b.ReportAllocs()
			for b.Loop() {
				p := at(r.IntN(hillsX), r.IntN(hillsY), r.IntN(hillsZ))
				high := 32
				if k.used {
					high = 8
					p = at(64, 32, 64)
				}
				m++
				if _, err := g.Update(func(d *grid.Draft) error {
					for range k.n {
						d.Set(at(p.X&^31|r.IntN(32), p.Y&^31|r.IntN(high), p.Z&^31|r.IntN(32)), voxel.TerrainCell(uint8(3+m%60), 9))
					}
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.n), "ns/cell")
		})
	}
}

func BenchmarkRaycast(b *testing.B) {
	h := makeHills()
	r := rand.New(rand.NewPCG(1, 1))
	type ray struct{ from, dir [3]float64 }
	for _, k := range []struct {
		name  string
		y, dy float64 // where rays begin, and how they fall
		reach float64
		first bool // the first hit is enough
	}{
		{"onto the land", 90, -0.3, 500, true},
		{"over the land", 120, 0, 500, true},
		{"through the land", 40, 0, 100, false},
	} {
		rays := make([]ray, 1<<10)
		for i := range rays {
			rays[i] = ray{[3]float64{r.Float64() * hillsX, k.y, r.Float64() * hillsZ}, [3]float64{r.Float64()*2 - 1, r.Float64() * k.dy, r.Float64()*2 - 1}}
		}
		hits := 0
		yield := func(grid.Hit) bool { hits++; return !k.first }
		b.Run(k.name+"/view", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if err := h.view.Raycast(rays[i&1023].from, rays[i&1023].dir, k.reach, yield); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(k.name+"/cell by cell", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				slowRay(h.view, rays[i&1023].from, rays[i&1023].dir, k.reach, yield)
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	v := grid.Build(grid.Options{}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		one := voxel.Uniform(1)
		for pos := range region.Chunks(box(-2560, -96, -2560, 2560, 96, 2560)) {
			if !yield(pos, one) {
				return
			}
		}
	})
	for b.Loop() {
		grid.Build(grid.Options{}, v.Chunks())
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	w := grid.Build(grid.Options{}, v.Chunks())
	b.ReportMetric(float64(live()-before)/float64(w.Len()), "B/chunk")
	runtime.KeepAlive(v)
	b.ReportMetric(float64(w.Len()), "chunks")
}

func BenchmarkLevels(b *testing.B) {
	g := grid.Hold(makeHills().view)
	cells := make([]voxel.Cell, 1)
	read := func() { g.View().ReadBox(box(0, 0, 0, 1, 1, 1), 4, cells) }
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			g.View().Sub(geom.Root.Box()).ReadBox(box(0, 0, 0, 1, 1, 1), 4, cells)
		}
	})
	read()
	n := 0
	b.Run("mend", func(b *testing.B) {
		for b.Loop() {
			n++
			if _, err := g.Update(func(d *grid.Draft) error {
				d.Set(at(n*7&1023, n&63, n*5&1023), voxel.TerrainCell(uint8(1+n>>6&31), 7))
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			read()
		}
	})
}
