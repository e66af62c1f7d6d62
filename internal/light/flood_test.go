package light_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// someMatters are clear, air-like, leaves, water, walls, lamps, slabs.
func someMatters() light.Matters {
	return light.Matters{0, 0, 1, 3, light.Opaque, light.Opaque | 15<<4, 14 << 4, 1<<(8+light.Below) | 7<<4, 1<<(8+light.West) | 1<<(8+light.Above), 5 | 1<<(8+light.North) | 3<<4}
}

// slow is the light of a box of cells.
type slow struct {
	from, to geom.Point
	matter   []light.Matter
	level    []int8
}

func (s *slow) index(p geom.Point) (int, bool) {
	n, at := s.to.Sub(s.from), p.Sub(s.from)
	in := at.X >= 0 && at.Y >= 0 && at.Z >= 0 && at.X < n.X && at.Y < n.Y && at.Z < n.Z
	return (at.Y*n.Z+at.Z)*n.X + at.X, in
}

// each calls f for each cell, from the top down, or from the last one back.
func (s *slow) each(back bool, f func(p geom.Point, i int)) {
	n := s.to.Sub(s.from)
	for i := range len(s.level) {
		if back {
			i = len(s.level) - 1 - i
		}
		p := s.from.Add(geom.Point{X: i % n.X, Y: n.Y - 1 - i/n.X/n.Z, Z: i / n.X % n.Z})
		j, _ := s.index(p)
		f(p, j)
	}
}

func shut(v light.Matter, f light.CellFace) bool { return v>>(8+f)&1 != 0 }

// slowLight relaxes the light of a box until nothing changes. Above and around it
// is nothing.
func (g *ground) slowLight(kind light.Channel, m light.Matters, from, to geom.Point) *slow {
	n := to.Sub(from)
	s := &slow{from, to, make([]light.Matter, n.X*n.Y*n.Z), make([]int8, n.X*n.Y*n.Z)}
	s.each(false, func(p geom.Point, i int) {
		f := g.flat[p.Chunk()]
		if f == nil {
			return
		}
		in := p.InChunk()
		if c := int(f[(in.Y*32+in.Z)*32+in.X]); c >= len(m) {
			s.matter[i] = light.Opaque
		} else if c != 0 {
			s.matter[i] = m[c]
		}
	})
	s.each(false, func(p geom.Point, i int) {
		v := s.matter[i]
		if kind == light.Block {
			s.level[i] = int8(v >> 4 & 15)
			return
		}
		up, ok := s.index(geom.Point{X: p.X, Y: p.Y + 1, Z: p.Z})
		open := !ok || s.level[up] == 15 && !shut(s.matter[up], light.Below)
		if open && v&15 == 0 && !shut(v, light.Above) {
			s.level[i] = 15
		}
	})
	steps := [light.Sides]geom.Point{{X: -1}, {X: 1}, {Y: -1}, {Y: 1}, {Z: -1}, {Z: 1}}
	for changed, back := true, false; changed; back = !back {
		changed = false
		s.each(back, func(p geom.Point, i int) {
			v := s.matter[i]
			lost := max(1, int8(v&15))
			for f, step := range steps {
				j, ok := s.index(p.Add(step))
				if !ok || s.level[j]-lost <= s.level[i] || shut(v, light.CellFace(f)) || shut(s.matter[j], light.CellFace(f)^1) {
					continue
				}
				s.level[i], changed = s.level[j]-lost, true
			}
		})
	}
	return s
}

// randomLand is a land of a few things in much air.
func randomLand(r *rand.Rand, values int) *ground {
	g := &ground{map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell{}, map[[2]int32]light.Tower{}}
	for z := int32(-1); z < 2; z++ {
		for x := int32(-1); x < 2; x++ {
			var t light.Tower
			for y := int32(1); y >= -1; y-- {
				if r.IntN(4) == 0 {
					continue
				}
				f := new([voxel.ChunkCells]voxel.Cell)
				for range r.IntN(12) {
					v := voxel.Cell(r.IntN(values))
					x0, y0, z0 := r.IntN(32), r.IntN(32), r.IntN(32)
					x1, y1, z1 := min(32, x0+1+r.IntN(20)), min(32, y0+1+r.IntN(4)), min(32, z0+1+r.IntN(20))
					for y := y0; y < y1; y++ {
						for z := z0; z < z1; z++ {
							for x := x0; x < x1; x++ {
								f[(y*32+z)*32+x] = v
							}
						}
					}
				}
				g.flat[geom.ChunkPos{X: x, Y: y, Z: z}] = f
				t = append(t, light.Floor{Y: y, Chunk: voxel.FromFlat(f)})
			}
			g.towers[[2]int32{x, z}] = t
		}
	}
	return g
}

// TestFlood compares floods of boxes, each computed by itself, to the twin.
func TestFlood(t *testing.T) {
	m := someMatters()
	var f light.Flood
	f.Use(m)
	for seed := range uint64(long.By(1, 2, 2)) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomLand(r, len(m)+1)
		for _, kind := range []light.Channel{light.Sky, light.Block} {
			want := g.slowLight(kind, m, geom.Point{X: -48, Y: -66, Z: -48}, geom.Point{X: 112, Y: 80, Z: 112})
			for _, box := range [][2]geom.ChunkPos{
				{{X: -1, Y: -1, Z: -1}, {X: 3, Y: 2, Z: 2}},
				{{X: 0, Y: 0, Z: 0}, {X: 1, Y: 1, Z: 1}},
				{{X: 0, Y: -2, Z: -1}, {X: 2, Y: 2, Z: 1}},
			} {
				if !f.Fill(kind, box[0], box[1], g.at) {
					t.Fatal("too large")
				}
				compareFlood(t, &f, box, want)
			}
		}
	}
}

func compareFlood(t *testing.T, f *light.Flood, box [2]geom.ChunkPos, want *slow) {
	t.Helper()
	var got [32]uint8
	wrong := 0
	for cy := box[0].Y; cy < box[1].Y; cy++ {
		for cz := box[0].Z; cz < box[1].Z; cz++ {
			for cx := box[0].X; cx < box[1].X; cx++ {
				pos := geom.ChunkPos{X: cx, Y: cy, Z: cz}
				for i := range voxel.SliceCells {
					y, z := i/32, i%32
					f.Row(pos, y, z, &got)
					for x, l := range got {
						p := geom.Point{X: int(cx)*32 + x, Y: int(cy)*32 + y, Z: int(cz)*32 + z}
						if at, _ := want.index(p); int8(l) != want.level[at] {
							if wrong++; wrong < 5 {
								t.Errorf("%v: got %d, want %d", p, l, want.level[at])
							}
						}
					}
				}
				checkChanged(t, f, pos)
			}
		}
	}
	if wrong > 0 {
		t.Fatalf("%v: %d cells differ", box, wrong)
	}
}

// checkChanged compares what is said to have changed to the light.
func checkChanged(t *testing.T, f *light.Flood, pos geom.ChunkPos) {
	t.Helper()
	var here, below [32]uint8
	for y := range 32 {
		rows := f.Changed(pos, y)
		for z := range 32 {
			f.Row(pos, y, z, &here)
			if y > 0 {
				f.Row(pos, y-1, z, &below)
			}
			if rows>>z&1 == 0 && (y == 0 || here != below) {
				t.Fatalf("chunk %v, y %d, z %d: changed, and not said", pos, y, z)
			}
		}
	}
}

// flatLight returns the light of a chunk.
func flatLight(f *light.Flood, pos geom.ChunkPos) *[voxel.ChunkCells]voxel.Cell {
	cells := new([voxel.ChunkCells]voxel.Cell)
	var row [32]uint8
	for i := range voxel.SliceCells {
		f.Row(pos, i/32, i%32, &row)
		for x, l := range row {
			cells[i*32+x] = voxel.Cell(l)
		}
	}
	return cells
}

// TestLearnMatters learns from light what made it.
func TestLearnMatters(t *testing.T) {
	want := someMatters()[:9]
	r := rand.New(rand.NewPCG(3, 9))
	g := randomLand(r, len(want))
	var f light.Flood
	f.Use(want)
	box := [2]geom.ChunkPos{{X: -1, Y: -1, Z: -1}, {X: 2, Y: 2, Z: 2}}
	lit := map[light.Channel]map[geom.ChunkPos]*voxel.Chunk{}
	for _, kind := range []light.Channel{light.Sky, light.Block} {
		lit[kind] = map[geom.ChunkPos]*voxel.Chunk{}
		f.Fill(kind, box[0], box[1], g.at)
		for pos := range g.flat {
			lit[kind][pos] = voxel.FromFlat(flatLight(&f, pos))
		}
	}
	got := light.Matters(nil).Learn(func(yield func(light.Lit) bool) {
		for z := int32(-1); z < 2; z++ {
			for x := int32(-1); x < 2; x++ {
				for _, floor := range g.at(x, z) {
					pos := geom.ChunkPos{X: x, Y: floor.Y, Z: z}
					if !yield(light.Lit{Blocks: floor.Chunk, Sky: lit[light.Sky][pos], Light: lit[light.Block][pos]}) {
						return
					}
				}
			}
		}
	})
	f.Use(got)
	for kind, chunks := range lit {
		f.Fill(kind, box[0], box[1], g.at)
		wrong := 0
		for pos, c := range chunks {
			for i, l := range flatLight(&f, pos) {
				if c.Cell(i%32, i/1024, i/32%32) != l {
					wrong++
				}
			}
		}
		if all := len(chunks) * voxel.ChunkCells; wrong*500 > all {
			t.Errorf("kind %d: %d of %d cells differ by what was learned, %b", kind, wrong, all, got)
		}
	}
}

// TestFloodTooLarge asks for more cells than are computed.
func TestFloodTooLarge(t *testing.T) {
	var f light.Flood
	f.Use(someMatters())
	stone := voxel.Uniform(4)
	towers := func(x, z int32) light.Tower {
		if x != 0 || z != 0 {
			return nil
		}
		return light.Tower{{Y: 1 << 20, Chunk: stone}, {Y: -1 << 20, Chunk: stone}}
	}
	if f.Fill(light.Sky, geom.ChunkPos{}, geom.ChunkPos{X: 1, Y: 1, Z: 1}, towers) {
		t.Error("2^26 cells high, and computed")
	}
}

// asked is a context that ends when it was asked so many times.
type asked struct {
	context.Context
	left int
}

func (a *asked) Err() error {
	if a.left--; a.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestFloodEnds ends floods at every point where they look whether to, and by their work; the next
// one is right all the same.
func TestFloodEnds(t *testing.T) {
	g := randomLand(rand.New(rand.NewPCG(5, 6)), len(someMatters()))
	from, to := geom.ChunkPos{Y: -1}, geom.ChunkPos{X: 1, Y: 2, Z: 1}
	for _, kind := range []light.Channel{light.Sky, light.Block} {
		var whole, f light.Flood
		whole.Use(someMatters())
		f.Use(someMatters())
		if !whole.Fill(kind, from, to, g.at) {
			t.Fatal("no flood")
		}
		ctx := &asked{context.Background(), 0}
		for left := 0; ; left++ {
			ctx.left = left
			f.Until(ctx, 0)
			if f.Fill(kind, from, to, g.at) {
				break
			}
			if f.Until(context.Background(), 0); !f.Fill(kind, from, to, g.at) || *flatLight(&f, from) != *flatLight(&whole, from) {
				t.Fatalf("kind %d: another flood after one that ended at %d", kind, left)
			}
		}
		fresh := light.Flood{}
		fresh.Use(someMatters())
		if fresh.Until(context.Background(), whole.Work()/2); fresh.Fill(kind, from, to, g.at) {
			t.Errorf("kind %d: %d steps, %d are allowed", kind, fresh.Work(), whole.Work()/2)
		}
	}
}
