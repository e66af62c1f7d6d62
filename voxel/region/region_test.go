package region_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

type run struct{ x0, x1 int }

func runs(r region.Region, y, z int) (out []run) {
	r.Spans(y, z, func(x0, x1 int) bool {
		out = append(out, run{x0, x1})
		return true
	})
	return out
}

// slowRuns asks for each cell from x0 to below x1.
func slowRuns(in func(geom.Point) bool, x0, x1, y, z int) (out []run) {
	for x := x0; x < x1; x++ {
		if !in(geom.Point{X: x, Y: y, Z: z}) {
			continue
		}
		if n := len(out); n > 0 && out[n-1].x1 == x {
			out[n-1].x1++
		} else {
			out = append(out, run{x, x + 1})
		}
	}
	return out
}

// plain hides what a region of this package knows beyond the interface.
type plain struct{ region.Region }

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// inRange is Contains for the cells that it may be asked for.
func inRange(r region.Region) func(geom.Point) bool {
	return func(p geom.Point) bool { return geom.Root.Box().Contains(p) && r.Contains(p) }
}

// checkRegion compares r with the cells that in says it has, which must be no
// more than 3 beyond its bounds.
func checkRegion(t fataler, r region.Region, in func(geom.Point) bool) {
	t.Helper()
	b, n := r.Bounds(), 0
	chunks := make(map[geom.ChunkPos]int)
	for y := b.Min.Y - 3; y < b.Max.Y+3; y++ {
		for z := b.Min.Z - 3; z < b.Max.Z+3; z++ {
			want := slowRuns(in, b.Min.X-3, b.Max.X+3, y, z)
			if got := runs(r, y, z); !slices.Equal(got, want) {
				t.Fatalf("%+v: row (%d,%d) is %v, want %v", r, y, z, got, want)
			}
			if got := slowRuns(inRange(r), b.Min.X-3, b.Max.X+3, y, z); !slices.Equal(got, want) {
				t.Fatalf("%+v: row (%d,%d) contains %v, want %v", r, y, z, got, want)
			}
			for _, s := range want {
				for x := s.x0; x < s.x1; x++ {
					p := geom.Point{X: x, Y: y, Z: z}
					if !b.Contains(p) {
						t.Fatalf("%+v: %v is not within bounds %v", r, p, b)
					}
					chunks[p.Chunk()]++
					n++
				}
			}
		}
	}
	for _, r := range []region.Region{r, plain{r}} {
		if got := region.Count(r); got != n {
			t.Fatalf("%+v: count %d, want %d", r, got, n)
		}
		checkChunks(t, r, chunks)
	}
	for _, n := range []int{-1, 1, 2, 5, 8, 1 << 40} {
		checkBoxes(t, r, chunks, n)
	}
}

// checkChunks compares Chunks with the number of cells per chunk.
func checkChunks(t fataler, r region.Region, want map[geom.ChunkPos]int) {
	t.Helper()
	last, n := geom.Code(0), 0
	for pos, cover := range region.Chunks(r) {
		code := geom.CodeOf(pos, 0)
		if code <= last {
			t.Fatalf("%+v: chunk %v after %v", r, pos, last)
		}
		last = code
		n++
		cells := want[pos]
		if cells == 0 || (cover == region.Whole) != (cells == 1<<15) || cover != region.Whole && cover != region.Partly {
			t.Fatalf("%+v: chunk %v of %d cells is covered %d", r, pos, cells, cover)
		}
	}
	if n != len(want) {
		t.Fatalf("%+v: %d chunks, want %d", r, n, len(want))
	}
}

func checkBoxes(t fataler, r region.Region, chunks map[geom.ChunkPos]int, n int) {
	t.Helper()
	left := make(map[geom.ChunkPos]bool)
	for _, b := range region.Boxes(r, n) {
		if b.Empty() || b.Intersect(r.Bounds()) != b {
			t.Fatalf("%+v: one of the boxes is %v, the bounds %v", r, b, r.Bounds())
		}
		count, used := 0, false
		for pos := range region.Chunks(b) {
			if left[pos] {
				t.Fatalf("%+v: chunk %v is in two boxes", r, pos)
			}
			if cut := pos.Box().Intersect(r.Bounds()); b.Intersect(cut) != cut {
				t.Fatalf("%+v: box %v has only a part of chunk %v", r, b, pos)
			}
			left[pos] = true
			used = used || chunks[pos] > 0
			count++
		}
		if count > max(n, 1) || !used {
			t.Fatalf("%+v: box %v of %d chunks, want at most %d; holds a cell: %v", r, b, count, n, used)
		}
	}
	for pos := range chunks {
		if !left[pos] {
			t.Fatalf("%+v: chunk %v is in no box of %d", r, pos, n)
		}
	}
}

func point(t *rapid.T, name string, far int) geom.Point {
	g := rapid.IntRange(-far, far)
	return geom.Point{X: g.Draw(t, name+".X"), Y: g.Draw(t, name+".Y"), Z: g.Draw(t, name+".Z")}
}

func TestBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := geom.Box{Min: point(t, "min", 40)}
		b.Max = b.Min.Add(point(t, "size", 40))
		checkRegion(t, b, b.Contains)
	})
}

func dist2(p, q geom.Point) float64 {
	x, y, z := float64(p.X-q.X), float64(p.Y-q.Y), float64(p.Z-q.Z)
	return x*x + y*y + z*z
}

func radius(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "whole") {
		return float64(rapid.IntRange(-1, 18).Draw(t, "radius"))
	}
	return rapid.Float64Range(-1, 18).Draw(t, "radius")
}

func TestBall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := region.Ball{Center: point(t, "center", 40), Radius: radius(t)}
		checkRegion(t, b, func(p geom.Point) bool { return b.Radius >= 0 && dist2(p, b.Center) <= b.Radius*b.Radius })
	})
}

func TestCylinder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := region.Cylinder{Base: point(t, "base", 40), Radius: radius(t), Height: rapid.IntRange(-2, 70).Draw(t, "height")}
		checkRegion(t, c, func(p geom.Point) bool {
			axis := geom.Point{X: c.Base.X, Y: p.Y, Z: c.Base.Z}
			return p.Y >= c.Base.Y && p.Y < c.Base.Y+c.Height && c.Radius >= 0 && dist2(p, axis) <= c.Radius*c.Radius
		})
	})
}

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		r      region.Region
		cells  int
		chunks int
		whole  int
	}{
		{"empty box", geom.Box{}, 0, 0, 0},
		{"box inside out", geom.Box{Min: geom.Point{X: 2, Y: 2}, Max: geom.Point{Z: 2}}, 0, 0, 0},
		{"a chunk", geom.ChunkPos{X: -1, Y: 3}.Box(), 1 << 15, 1, 1},
		{"box around a chunk", geom.Box{Min: geom.Point{X: -33, Y: -33, Z: -33}, Max: geom.Point{X: 1, Y: 1, Z: 1}}, 34 * 34 * 34, 27, 1},
		{"ball of one cell", region.Ball{}, 1, 1, 0},
		{"ball of seven cells", region.Ball{Radius: 1}, 7, 8 - 4, 0},
		{"ball of five across", region.Ball{Center: geom.Point{X: -16, Y: -16, Z: -16}, Radius: 2}, 33, 1, 0},
		{"ball of less than nothing", region.Ball{Radius: -1e-9}, 0, 0, 0},
		{"ball of no number", region.Ball{Radius: math.NaN()}, 0, 0, 0},
		{"ball far off", region.Ball{Center: geom.Point{X: math.MaxInt}, Radius: math.Inf(1)}, 0, 0, 0},
		{"ball around a chunk", region.Ball{Center: geom.Point{X: 16, Y: 16, Z: 16}, Radius: 27.8}, 89775, 20, 1},
		{"cylinder of no height", region.Cylinder{Radius: 2}, 0, 0, 0},
		{"cylinder of no number", region.Cylinder{Radius: math.NaN(), Height: 2}, 0, 0, 0},
		{"cylinder far off", region.Cylinder{Base: geom.Point{Y: math.MinInt}, Radius: 1, Height: math.MaxInt}, 0, 0, 0},
		{"pole", region.Cylinder{Base: geom.Point{Y: 1<<25 - 1<<16}, Height: math.MaxInt}, 1 << 16, 1 << 11, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chunks, whole := 0, 0
			for _, cover := range region.Chunks(tt.r) {
				chunks++
				if cover == region.Whole {
					whole++
				}
			}
			if got := region.Count(tt.r); got != tt.cells || chunks != tt.chunks || whole != tt.whole {
				t.Errorf("%d cells in %d chunks, %d whole; want %d, %d, %d", got, chunks, whole, tt.cells, tt.chunks, tt.whole)
			}
		})
	}
}

// TestEdgeOfSpace holds shapes that reach beyond to what is within range.
func TestEdgeOfSpace(t *testing.T) {
	const end = geom.MaxChunk * geom.ChunkEdge
	p := geom.Point{X: end - 1, Y: -end, Z: end - 1}
	prism, err := region.NewPrism([]region.Corner{{X: end - 3, Z: end - 3}, {X: end, Z: end - 3}, {X: end, Z: end}}, -end, 3-end)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []region.Region{
		geom.Box{Min: p.Sub(geom.Point{X: 2, Y: 2, Z: 2}), Max: p.Add(geom.Point{X: 9, Y: 9, Z: 9})},
		region.Ball{Center: p, Radius: 3},
		region.Ball{Center: p.Add(geom.Point{X: 2}), Radius: 3},
		region.Cylinder{Base: p.Sub(geom.Point{Y: 5}), Radius: 3, Height: 9},
		prism,
	} {
		if region.Count(r) == 0 {
			t.Errorf("%+v is empty", r)
		}
		checkRegion(t, r, inRange(r))
		for pos := range region.Chunks(r) {
			if err := pos.Check(); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		}
	}
	most := geom.Root.Box()
	most.Max.Z = most.Min.Z + 1<<11
	if got := region.Count(most); got != math.MaxInt {
		t.Errorf("1<<63 cells count %d", got)
	}
}

// TestHuge takes only the beginning of what would fill any memory.
func TestHuge(t *testing.T) {
	huge := []region.Region{
		geom.Root.Box(),
		region.Ball{Radius: 1e6},
		region.Ball{Radius: math.Inf(1)},
		region.Cylinder{Base: geom.Point{Y: -5e6}, Radius: 1e6, Height: 1e7},
		mustPrism(t, []region.Corner{{-3e7, -3e7}, {3e7, -2e7}, {1e7, 3e7}}, -1e6, 1e6),
	}
	if got := huge[2].Bounds(); got != geom.Root.Box() {
		t.Errorf("the bounds of everything are %v", got)
	}
	for _, r := range huge {
		t.Run(fmt.Sprintf("%T", r), func(t *testing.T) {
			allocs := testing.AllocsPerRun(1, func() {
				n := 0
				for range region.Chunks(r) {
					if n++; n == 10000 {
						return
					}
				}
				t.Errorf("%d chunks", n)
			})
			if allocs > 20000 {
				t.Errorf("%v allocations for 10000 chunks", allocs)
			}
			b := r.Bounds()
			if n := len(region.Boxes(r, 1<<50)); n > 1<<14 {
				t.Errorf("bounds %v split into %d boxes", b, n)
			}
		})
	}
	count := region.Count(region.Cylinder{Radius: 1e6, Height: 1e6})
	if d := float64(count)/(math.Pi*1e18) - 1; math.Abs(d) > 1e-6 {
		t.Errorf("a great cylinder counts %d", count)
	}
}

func TestSpansStop(t *testing.T) {
	comb := mustPrism(t, []region.Corner{{0, 0}, {2, 9}, {4, 0}, {6, 9}, {8, 0}, {8, 10}, {0, 10}}, 0, 1)
	if n := len(runs(comb, 0, 3)); n < 3 {
		t.Fatalf("%d runs", n)
	}
	n := 0
	comb.Spans(0, 3, func(int, int) bool {
		n++
		return n < 2
	})
	if n != 2 {
		t.Errorf("%d runs after a stop at 2", n)
	}
}

func mustPrism(t fataler, corners []region.Corner, y0, y1 int) region.Prism {
	t.Helper()
	p, err := region.NewPrism(corners, y0, y1)
	if err != nil {
		t.Fatalf("%v: %v", corners, err)
	}
	return p
}

func TestNewPrismRefuses(t *testing.T) {
	const end = geom.MaxChunk * geom.ChunkEdge
	ok := []region.Corner{{0, 0}, {5, 0}, {0, 5}}
	for _, tt := range []struct {
		name    string
		corners []region.Corner
		y0, y1  int
		beyond  bool
	}{
		{"nothing", nil, 0, 1, false},
		{"two corners", ok[:2], 0, 1, false},
		{"no height", ok, 4, 4, false},
		{"upside down", ok, 4, 3, false},
		{"one point", []region.Corner{{7, 7}, {7, 7}, {7, 7}}, 0, 1, false},
		{"one line", []region.Corner{{7, 7}, {7, 7}, {-1, -1}, {20, 20}}, 0, 1, false},
		{"x too great", []region.Corner{{0, 0}, {end + 1, 0}, {0, 5}}, 0, 1, true},
		{"x too small", []region.Corner{{0, 0}, {math.MinInt, 0}, {0, 5}}, 0, 1, true},
		{"z too great", []region.Corner{{0, 0}, {1, 0}, {0, math.MaxInt}}, 0, 1, true},
		{"z too small", []region.Corner{{0, 0}, {1, 0}, {0, -end - 1}}, 0, 1, true},
		{"floor too deep", ok, -end - 1, 0, true},
		{"ceiling too high", ok, 0, end + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := region.NewPrism(tt.corners, tt.y0, tt.y1)
			if err == nil || errors.Is(err, geom.ErrOutOfRange) != tt.beyond {
				t.Errorf("got %v", err)
			}
		})
	}
	if p := (region.Prism{}); region.Count(p) != 0 || p.Contains(geom.Point{}) {
		t.Error("the zero prism has cells")
	}
}

// TestCountOfBoxes counts boxes of which the rows could not be read one by one.
func TestCountOfBoxes(t *testing.T) {
	at := func(x, y, z int) geom.Point { return geom.Point{X: x, Y: y, Z: z} }
	const most = geom.MaxChunk * geom.ChunkEdge
	flat := geom.Box{Min: at(-most, 0, -most), Max: at(most, 1, most)}
	pole := geom.Box{Min: at(5, -most, 7), Max: at(6, most, 9)}
	for _, tt := range []struct {
		name  string
		r     region.Region
		cells int
	}{
		{"flat", flat, 4 * most * most},
		{"pole", pole, 4 * most},
		{"inside out", geom.Box{Min: at(0, 0, most), Max: at(9, 9, -most)}, 0},
		{"everything", geom.Root.Box(), math.MaxInt},
		{"one in a union", region.Union{flat}, 4 * most * most},
		{"union", region.Union{flat, pole}, 4*most*most + 4*most - 2},
		{"union of far boxes", region.Union{geom.Box{Max: at(1, 1, 1)}, geom.Box{Min: at(0, -most, 3-most), Max: at(2, 2-most, 5-most)}}, 9},
		{"intersection", region.Intersection{flat, pole}, 2},
		{"difference", region.Difference{From: pole, Without: flat}, 4*most - 2},
		{"union with nothing", region.Union{flat, region.Union{}}, 4 * most * most},
		{"hole of nothing", region.Difference{From: flat, Without: geom.Box{Min: at(9, 9, 9)}}, 4 * most * most},
		{"with a cylinder", region.Union{pole, region.Cylinder{Base: at(0, -most, 0), Radius: 1, Height: 2 * most}}, 4*most + 10*most},
	} {
		if got := region.Count(tt.r); got != tt.cells {
			t.Errorf("%s: %d cells, want %d", tt.name, got, tt.cells)
		}
	}
}

// TestBallAtDistance: a ball or a cylinder as large as the distance of a cell has the cell, though
// the distance is a rounded root.
func TestBallAtDistance(t *testing.T) {
	for x := range 60 {
		for z := range x + 1 {
			p := geom.Point{X: x, Z: z}
			d := math.Sqrt(float64(x*x + z*z))
			for _, of := range []func(radius float64) region.Region{
				func(r float64) region.Region { return region.Ball{Radius: r} },
				func(r float64) region.Region { return region.Cylinder{Radius: r, Height: 1} },
			} {
				r := of(d)
				in := false
				r.Spans(0, z, func(x0, x1 int) bool { in = x0 <= x && x < x1; return true })
				if less := of(math.Nextafter(d, -1)); !in || !r.Contains(p) || !r.Bounds().Contains(p) || less.Contains(p) {
					t.Fatalf("%T at %v, whose distance is %v", r, p, d)
				}
			}
		}
	}
	for _, radius := range []float64{1 << 25, 1<<26 - 1, 1 << 29} {
		if p := (geom.Point{X: min(int(radius), 1<<25-1)}); !(region.Ball{Radius: radius}).Contains(p) {
			t.Errorf("a ball of radius %v has not %v", radius, p)
		}
	}
}
