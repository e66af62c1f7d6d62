package region_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

// cellsOf lists the cells of r one by one.
func cellsOf(r region.Region) map[geom.Point]bool {
	b, out := r.Bounds(), make(map[geom.Point]bool)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				if p := (geom.Point{X: x, Y: y, Z: z}); r.Contains(p) {
					out[p] = true
				}
			}
		}
	}
	return out
}

// drawSet draws a region and the map of its cells.
func drawSet(t *rapid.T, depth int) (region.Region, map[geom.Point]bool) {
	kind := rapid.IntRange(0, 7).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	var r region.Region
	switch kind {
	case 0, 1:
		at := point(t, "min", 24)
		r = geom.Box{Min: at, Max: at.Add(point(t, "size", 34))}
	case 2:
		r = region.Ball{Center: point(t, "center", 24), Radius: rapid.Float64Range(-1, 12).Draw(t, "radius")}
	case 3:
		r = region.Cylinder{Base: point(t, "base", 24), Radius: rapid.Float64Range(-1, 12).Draw(t, "radius"), Height: rapid.IntRange(0, 30).Draw(t, "height")}
	case 4:
		p, err := region.NewPrism(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) region.Corner {
			g := rapid.IntRange(-24, 24)
			return region.Corner{X: g.Draw(t, "x"), Z: g.Draw(t, "z")}
		}), 3, 6).Draw(t, "corners"), -9, rapid.IntRange(0, 9).Draw(t, "ceiling"))
		if err != nil {
			p = region.Prism{}
		}
		r = p
	case 5:
		var u region.Union
		cells := make(map[geom.Point]bool)
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			s, in := drawSet(t, depth-1)
			u = append(u, s)
			for p := range in {
				cells[p] = true
			}
		}
		return u, cells
	case 6:
		var n region.Intersection
		cells := make(map[geom.Point]bool)
		for i := range rapid.IntRange(0, 3).Draw(t, "parts") {
			s, in := drawSet(t, depth-1)
			n = append(n, s)
			if i == 0 {
				cells = in
			}
			for p := range cells {
				if !in[p] {
					delete(cells, p)
				}
			}
		}
		return n, cells
	case 7:
		from, cells := drawSet(t, depth-1)
		without, out := drawSet(t, depth-1)
		for p := range out {
			delete(cells, p)
		}
		return region.Difference{From: from, Without: without}, cells
	}
	if rapid.Bool().Draw(t, "plain") {
		r = plain{r}
	}
	return r, cellsOf(r)
}

// TestSets compares combinations of regions with maps of cells.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, cells := drawSet(t, 3)
		checkRegion(t, r, func(p geom.Point) bool { return cells[p] })
	})
}

// TestSetsAreWhole covers chunks that no single part of a union holds.
func TestSetsAreWhole(t *testing.T) {
	box := func(x0, x1 int) geom.Box {
		return geom.Box{Min: geom.Point{X: x0, Y: -32, Z: -32}, Max: geom.Point{X: x1, Y: 64, Z: 64}}
	}
	r := region.Difference{From: region.Union{box(-40, 5), box(5, 64)}, Without: region.Intersection{box(-40, 0), box(-9, 64)}}
	cells := cellsOf(r)
	checkRegion(t, r, func(p geom.Point) bool { return cells[p] })
	for pos, cover := range region.Chunks(r) {
		if want := pos.X >= 0; (cover == region.Whole) != want {
			t.Errorf("chunk %v is covered %d", pos, cover)
		}
	}
}

// BenchmarkSetChunks finds the chunks of an arena with holes, where almost all chunks are
// sure without a look at their rows.
func BenchmarkSetChunks(b *testing.B) {
	r := region.Difference{
		From: region.Union{
			geom.Box{Max: geom.Point{X: 384, Y: 384, Z: 384}},
			region.Cylinder{Base: geom.Point{X: 384, Z: 384}, Radius: 100, Height: 384},
		},
		Without: region.Ball{Center: geom.Point{X: 100, Y: 100, Z: 100}, Radius: 40},
	}
	b.ReportAllocs()
	for b.Loop() {
		for range region.Chunks(r) {
		}
	}
}
