package region

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
)

// Corner is a point where four cells meet, seen from above: the corner of least x and z
// of the cell at (X, Z).
type Corner struct{ X, Z int }

// Prism is the cells above a polygon. Make one with NewPrism; the zero value has
// no cells.
type Prism struct {
	corners []Corner
	bounds  geom.Box
}

// NewPrism returns the cells from height y0 to below y1 whose centres lie in a polygon.
// The edges of the polygon join the corners in their order, and the last corner to the
// first. The polygon need not be convex, and it may cross itself: a cell is inside if a
// ray from it crosses an odd number of edges. A centre on an edge belongs to the side of
// greater x, so that prisms with a common edge share no cell and leave no cell out. The
// prism keeps a copy of corners.
//
// It fails if there are fewer than 3 corners, if all corners lie on one line, or if y0 is
// not below y1. The error wraps geom.ErrOutOfRange if a corner or a height is out of range.
func NewPrism(corners []Corner, y0, y1 int) (Prism, error) {
	if len(corners) < 3 {
		return Prism{}, fmt.Errorf("region: prism: %d corners, want at least 3", len(corners))
	}
	if y0 >= y1 {
		return Prism{}, fmt.Errorf("region: prism: floor %d is not below ceiling %d", y0, y1)
	}
	first := geom.Point{X: corners[0].X, Y: y0, Z: corners[0].Z}
	b := geom.Box{Min: first, Max: geom.Point{X: first.X, Y: y1, Z: first.Z}}
	for _, c := range corners {
		b.Min.X, b.Max.X = min(b.Min.X, c.X), max(b.Max.X, c.X)
		b.Min.Z, b.Max.Z = min(b.Min.Z, c.Z), max(b.Max.Z, c.Z)
	}
	if b.Intersect(space) != b {
		return Prism{}, fmt.Errorf("region: prism of %v: %w", b, geom.ErrOutOfRange)
	}
	if !hasArea(corners) {
		return Prism{}, fmt.Errorf("region: prism: %d corners on one line", len(corners))
	}
	return Prism{slices.Clone(corners), b}, nil
}

func hasArea(corners []Corner) bool {
	a, b := corners[0], corners[0]
	for _, c := range corners {
		if b == a {
			b = c
		}
		if (b.X-a.X)*(c.Z-a.Z) != (b.Z-a.Z)*(c.X-a.X) {
			return true
		}
	}
	return false
}

// Bounds returns the least box that holds the corners, from floor to ceiling.
func (p Prism) Bounds() geom.Box { return p.bounds }

// Contains reports whether q is a cell of the prism. It looks at every edge.
func (p Prism) Contains(q geom.Point) bool {
	if !p.bounds.Contains(q) {
		return false
	}
	in := false
	for i := range p.corners {
		if x, ok := p.crossing(i, q.Z); ok && x <= q.X {
			in = !in
		}
	}
	return in
}

// Spans yields as many runs as the row has; it looks at every edge.
func (p Prism) Spans(y, z int, yield func(x0, x1 int) bool) {
	b := p.bounds
	if y < b.Min.Y || y >= b.Max.Y || z < b.Min.Z || z >= b.Max.Z {
		return
	}
	var few [16]int
	at := few[:0]
	for i := range p.corners {
		if x, ok := p.crossing(i, z); ok {
			at = append(at, x)
		}
	}
	slices.Sort(at)
	for i := 0; i < len(at); {
		x0, x1 := at[i], at[i+1]
		for i += 2; i < len(at) && at[i] == x1; i += 2 {
			x1 = at[i+1]
		}
		if x0 < x1 && !yield(x0, x1) {
			return
		}
	}
}

// edge returns the ends of the edge that begins at corner i.
func (p Prism) edge(i int) (a, b Corner) {
	return p.corners[i], p.corners[(i+1)%len(p.corners)]
}

// crossing returns the first cell of row z whose centre is not left of the edge
// that begins at corner i, and whether the edge crosses the centres of the row.
// All numbers stay below 1<<56.
func (p Prism) crossing(i, z int) (x int, ok bool) {
	a, b := p.edge(i)
	if a.Z > b.Z {
		a, b = b, a
	}
	if z < a.Z || z >= b.Z {
		return 0, false
	}
	height := b.Z - a.Z
	return a.X - geom.FloorDiv(height-(2*(z-a.Z)+1)*(b.X-a.X), 2*height), true
}

// cover looks for an edge within the box: without one it is all in or all out.
func (p Prism) cover(c geom.Box) (Cover, bool) {
	for i := range p.corners {
		if p.meets(i, c) {
			return Partly, false
		}
	}
	if p.Contains(c.Min) {
		return Whole, true
	}
	return none, true
}

// meets reports whether the edge that begins at corner i may touch the footprint
// of c: neither is beside the other, and the footprint is not to one side.
func (p Prism) meets(i int, c geom.Box) bool {
	a, b := p.edge(i)
	if max(a.X, b.X) < c.Min.X || min(a.X, b.X) > c.Max.X || max(a.Z, b.Z) < c.Min.Z || min(a.Z, b.Z) > c.Max.Z {
		return false
	}
	left, right := false, false
	for _, q := range [4]Corner{{c.Min.X, c.Min.Z}, {c.Max.X, c.Min.Z}, {c.Min.X, c.Max.Z}, {c.Max.X, c.Max.Z}} {
		side := (b.X-a.X)*(q.Z-a.Z) - (b.Z-a.Z)*(q.X-a.X)
		left, right = left || side >= 0, right || side <= 0
	}
	return left && right
}

func (p Prism) upright() {}
