package region

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// reach bounds radii, heights and the coordinates of centers so that squares of
// distances fit an int. It is 16 times as far as space goes.
const reach = 1 << 29

// Ball is the cells whose centres are at most Radius from the centre of the cell Center.
// A radius of 0 is one cell. A radius that is negative or NaN gives no cells.
type Ball struct {
	Center geom.Point
	Radius float64 // in cells; at most 1<<29 counts
}

// Bounds returns the least box that holds the ball within space.
func (b Ball) Bounds() geom.Box {
	d, ok := disc{b.Center, b.Radius}.square()
	if !ok || far(b.Center.Y) {
		return geom.Box{}
	}
	r := root(d)
	return around(b.Center, geom.Point{X: r, Y: r, Z: r}).Intersect(space)
}

// Contains reports whether p is a cell of the ball.
func (b Ball) Contains(p geom.Point) bool {
	d, ok := disc{b.Center, b.Radius}.square()
	return ok && !far(b.Center.Y) && space.Contains(p) && length2(p.Sub(b.Center)) <= d
}

// Spans yields at most one run.
func (b Ball) Spans(y, z int, yield func(x0, x1 int) bool) {
	in := b.Bounds()
	if !in.Contains(geom.Point{X: in.Min.X, Y: y, Z: z}) {
		return
	}
	disc{b.Center, b.Radius}.span(in, y-b.Center.Y, z, yield)
}

func (b Ball) cover(c geom.Box) (Cover, bool) {
	d, _ := disc{b.Center, b.Radius}.square()
	near, wide := distances(b.Center, c)
	return between(length2(near), d, length2(wide)), true
}

// Cylinder is the cells whose centres are at most Radius from the upright axis through
// the centre of the cell Base, from the height of Base up. A radius that is negative or
// NaN, or a height below 1, gives no cells.
type Cylinder struct {
	Base   geom.Point
	Radius float64 // in cells; at most 1<<29 counts
	Height int     // in cells; at most 1<<29 counts
}

// Bounds returns the least box that holds the cylinder within space.
func (c Cylinder) Bounds() geom.Box {
	d, ok := disc{c.Base, c.Radius}.square()
	if !ok || far(c.Base.Y) || c.Height < 1 {
		return geom.Box{}
	}
	r := root(d)
	b := around(c.Base, geom.Point{X: r, Z: r})
	b.Max.Y = c.Base.Y + min(c.Height, reach)
	return b.Intersect(space)
}

// Contains reports whether p is a cell of the cylinder.
func (c Cylinder) Contains(p geom.Point) bool {
	if !c.Bounds().Contains(p) {
		return false
	}
	d, _ := disc{c.Base, c.Radius}.square()
	return length2(geom.Point{X: p.X - c.Base.X, Z: p.Z - c.Base.Z}) <= d
}

// Spans yields at most one run.
func (c Cylinder) Spans(y, z int, yield func(x0, x1 int) bool) {
	in := c.Bounds()
	if !in.Contains(geom.Point{X: in.Min.X, Y: y, Z: z}) {
		return
	}
	disc{c.Base, c.Radius}.span(in, 0, z, yield)
}

func (c Cylinder) cover(b geom.Box) (Cover, bool) {
	d, _ := disc{c.Base, c.Radius}.square()
	near, wide := distances(c.Base, b)
	near.Y, wide.Y = 0, 0
	return between(length2(near), d, length2(wide)), true
}

// disc is the cells of a slice around a centre, whose y does not count.
type disc struct {
	center geom.Point
	radius float64
}

// square returns the greatest square of a distance within the disc, and whether
// there is any.
func (d disc) square() (int, bool) {
	if far(d.center.X) || far(d.center.Z) || !(d.radius >= 0) {
		return 0, false
	}
	r := min(d.radius, reach)
	n := int(r * r)
	for ; math.Sqrt(float64(n)) > r; n-- {
	}
	for r < 1<<26 && math.Sqrt(float64(n+1)) <= r { // distances are rounded roots
		n++
	}
	return n, true
}

// span yields the cells of row z that are within the radius of a centre dy away
// from the row's slice, cut to the bounds in.
func (d disc) span(in geom.Box, dy, z int, yield func(x0, x1 int) bool) {
	square, _ := d.square()
	dz := z - d.center.Z
	rest := square - dy*dy - dz*dz
	if rest < 0 {
		return
	}
	r := root(rest)
	if x0, x1 := max(in.Min.X, d.center.X-r), min(in.Max.X, d.center.X+r+1); x0 < x1 {
		yield(x0, x1)
	}
}

func far(v int) bool { return v < -reach || v > reach }

// root returns the greatest integer whose square is at most n; n is at most
// reach squared.
func root(n int) int {
	r := int(math.Sqrt(float64(n)))
	for r*r > n {
		r--
	}
	for (r+1)*(r+1) <= n {
		r++
	}
	return r
}

func length2(p geom.Point) int { return p.X*p.X + p.Y*p.Y + p.Z*p.Z }

// around returns the box of the cells at most d away from p in each coordinate.
func around(p, d geom.Point) geom.Box {
	return geom.Box{Min: p.Sub(d), Max: p.Add(d).Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

// distances returns how far, in each coordinate, the nearest and the farthest
// cell of b are from p.
func distances(p geom.Point, b geom.Box) (near, wide geom.Point) {
	near.X, wide.X = distance(p.X, b.Min.X, b.Max.X)
	near.Y, wide.Y = distance(p.Y, b.Min.Y, b.Max.Y)
	near.Z, wide.Z = distance(p.Z, b.Min.Z, b.Max.Z)
	return near, wide
}

func distance(p, lo, hi int) (near, wide int) {
	below, above := lo-p, p-(hi-1)
	return max(0, below, above), max(-below, -above)
}

// between says how a shape of the given reach covers cells from near to wide.
func between(near, reach, wide int) Cover {
	switch {
	case near > reach:
		return none
	case wide <= reach:
		return Whole
	}
	return Partly
}
