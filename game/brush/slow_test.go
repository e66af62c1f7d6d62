package brush_test

import (
	"math"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// slow is the twin of a brush: it says what becomes of one cell, from all that was
// there before.
type slow func(f field, p geom.Point) voxel.Cell

func full(rule *voxel.Rule, c voxel.Cell) int {
	if rule.Empty(c) {
		return 0
	}
	if rule.Schema == voxel.Terrain {
		return int(math.Round(float64(256 * c.Occupancy())))
	}
	return 256
}

// made returns what c is with n 256ths of matter.
func made(rule *voxel.Rule, c voxel.Cell, n int) voxel.Cell {
	if rule.Schema == voxel.Terrain && n > 0 {
		return voxel.TerrainCell(c.Material(), uint8(min(n, 256)-1))
	}
	if rule.Schema != voxel.Terrain && n >= 128 {
		return c
	}
	return 0
}

// shape is a shape and the cells whose centres are in it.
type shape struct {
	brush.Shape
	cells region.Region
}

func in(s shape, p geom.Point) bool { return s.cells.Contains(p) }

func slowAdd(s shape, cell voxel.Cell) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		if f.rule.Schema == voxel.Terrain {
			if n := s.Covers(p) * full(f.rule, cell) / 256; n > 0 && n >= full(f.rule, c) {
				return made(f.rule, cell, n)
			}
			return c
		}
		if in(s, p) {
			return cell
		}
		return c
	}
}

func slowSubtract(s shape) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		if f.rule.Schema == voxel.Terrain {
			return made(f.rule, c, min(full(f.rule, c), 256-s.Covers(p)))
		}
		if in(s, p) {
			return 0
		}
		return c
	}
}

func slowPaint(s shape, cell voxel.Cell) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		if !in(s, p) || f.rule.Empty(c) {
			return c
		}
		return made(f.rule, cell, full(f.rule, c))
	}
}

func slowFlatten(s shape, height float64, cell voxel.Cell) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		want := int(math.Round(256 * min(max(height-float64(p.Y), 0), 1)))
		if f.rule.Schema != voxel.Terrain {
			want = want / 128 * 128
		}
		has := full(f.rule, c)
		switch {
		case !in(s, p):
			return c
		case has > want:
			return made(f.rule, c, want)
		case want > has && has == 0 && cell != 0 && made(f.rule, cell, want) != 0:
			return made(f.rule, cell, want)
		case want > has && has > 0 && cell != 0:
			return made(f.rule, c, want)
		}
		return c
	}
}

func slowSea(s shape, height float64, cell voxel.Cell) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		want := int(math.Round(256 * min(max(height-float64(p.Y), 0), 1)))
		switch {
		case !in(s, p), full(f.rule, c) > 0, want == 0:
			return c
		case f.rule.Schema == voxel.Level:
			return voxel.Cell(int(cell) * want / 256)
		case made(f.rule, cell, want) == 0:
			return c
		}
		return made(f.rule, cell, want)
	}
}

// moved returns the twin of a brush that says how full a cell is to be.
func moved(s shape, want func(f field, p geom.Point) int) slow {
	return func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		if !in(s, p) {
			return c
		}
		n, has := min(max(want(f, p), 0), 256), full(f.rule, c)
		switch {
		case n == has:
			return c
		case has > 0:
			return made(f.rule, c, n)
		}
		counts := map[voxel.Cell]int{}
		box(p, 1, func(q geom.Point) {
			if v := f.at(q); full(f.rule, v) > 0 {
				if f.rule.Schema == voxel.Terrain {
					v = voxel.TerrainCell(v.Material(), 0)
				}
				counts[v]++
			}
		})
		best := voxel.Cell(0)
		for v, n := range counts {
			if n > counts[best] || n == counts[best] && v < best {
				best = v
			}
		}
		if to := made(f.rule, best, n); to != 0 {
			return to
		}
		return c
	}
}

func box(p geom.Point, by int, f func(geom.Point)) {
	for y := -by; y <= by; y++ {
		for z := -by; z <= by; z++ {
			for x := -by; x <= by; x++ {
				f(p.Add(geom.Point{X: x, Y: y, Z: z}))
			}
		}
	}
}

var faces = []geom.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {Z: 1}, {Z: -1}}

func slowSmooth(s shape) slow {
	return moved(s, func(f field, p geom.Point) int {
		sum := 0
		box(p, 1, func(q geom.Point) { sum += full(f.rule, f.at(q)) })
		mean := float64(sum) / 27
		return int(math.Floor(128 + 3*(mean-128) + 1e-9))
	})
}

func slowErode(s shape, by int) slow {
	return moved(s, func(f field, p geom.Point) int {
		least := 256
		for _, d := range faces {
			least = min(least, full(f.rule, f.at(p.Add(d))))
		}
		return full(f.rule, f.at(p)) - max(0, by-least)
	})
}

func slowGrow(s shape, by int) slow {
	return moved(s, func(f field, p geom.Point) int {
		most := 0
		for _, d := range faces {
			most = max(most, full(f.rule, f.at(p.Add(d))))
		}
		return full(f.rule, f.at(p)) + max(0, by-(256-most))
	})
}
