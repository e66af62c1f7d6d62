package masks

import (
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// coarse is the cells of a volume with a scale above 1 that lie in a region of blocks
// completely.
type coarse struct {
	of    region.Region
	scale int
}

// Scaled returns the cells of a volume that lie in a region of blocks completely.
func Scaled(r region.Region, scale int) region.Region {
	switch b, box := r.(geom.Box); {
	case scale == 1 || box && b == world.Everywhere:
		return r
	case box:
		return coarse{r, scale}.Bounds()
	}
	return coarse{r, scale}
}

func (c coarse) Bounds() geom.Box {
	b := c.of.Bounds()
	up := func(n int) int { return -geom.FloorDiv(-n, c.scale) }
	down := func(n int) int { return geom.FloorDiv(n, c.scale) }
	return geom.Box{
		Min: geom.Point{X: up(b.Min.X), Y: up(b.Min.Y), Z: up(b.Min.Z)},
		Max: geom.Point{X: down(b.Max.X), Y: down(b.Max.Y), Z: down(b.Max.Z)},
	}
}

func (c coarse) Contains(p geom.Point) (in bool) {
	c.Spans(p.Y, p.Z, func(x0, x1 int) bool {
		in = in || x0 <= p.X && p.X < x1
		return !in
	})
	return in
}

// Spans yields the runs that all rows of blocks of the row have in common.
func (c coarse) Spans(y, z int, yield func(x0, x1 int) bool) {
	runs := c.blocks(y*c.scale, z*c.scale)
	for i := 1; i < c.scale*c.scale && len(runs) > 0; i++ {
		runs = common(runs, c.blocks(y*c.scale+i/c.scale, z*c.scale+i%c.scale))
	}
	end := 0
	for i, r := range runs {
		x0, x1 := -geom.FloorDiv(-r[0], c.scale), geom.FloorDiv(r[1], c.scale)
		if i > 0 {
			x0 = max(x0, end)
		}
		if x0 < x1 {
			if !yield(x0, x1) {
				return
			}
			end = x1
		}
	}
}

// blocks returns the runs of a row of blocks.
func (c coarse) blocks(y, z int) (runs [][2]int) {
	c.of.Spans(y, z, func(x0, x1 int) bool {
		runs = append(runs, [2]int{x0, x1})
		return true
	})
	return runs
}

// common returns what two lists of ascending runs have in common.
func common(a, b [][2]int) (out [][2]int) {
	for len(a) > 0 && len(b) > 0 {
		if x0, x1 := max(a[0][0], b[0][0]), min(a[0][1], b[0][1]); x0 < x1 {
			out = append(out, [2]int{x0, x1})
		}
		if a[0][1] < b[0][1] {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
