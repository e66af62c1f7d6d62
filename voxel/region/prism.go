package region

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Corner is a point where four cells meet, seen from above: the corner of least x and z
// of the cell at (X, Z).
type Corner struct{ X, Z int }

// Prism is the cells above a polygon. Make one with NewPrism; the zero value has
// no cells.
type Prism struct {
	corners []Corner // of NewPrism; nil if the polygon has a vertex that is none
	edges   []edge   // by the least z
	tops    []int32  // by edge: the greatest z of the edges below it in the tree, see near
	bounds  geom.Box
}

// edge is a piece of a line.
type edge struct {
	line       [2]place // two points of the line
	low, high  place    // the least box of integers that holds the edge
	first, end int32    // the rows whose centres it crosses: first <= z < end
}

// place is a Corner within range.
type place struct{ x, z int32 }

func placeOf(c Corner) place { return place{int32(c.X), int32(c.Z)} }

// NewPrism returns the cells from height y0 to below y1 whose centres lie in a polygon.
// The edges of the polygon join the corners in their order, and the last corner to the
// first. The polygon need not be convex, and it may cross itself: a cell is inside if a
// ray from it crosses an odd number of edges. A centre on an edge belongs to the side of
// greater x, so that prisms with a common edge share no cell and leave no cell out. The
// prism keeps a copy of corners.
//
// A last corner that repeats the first, as in rings of other tools, does not count. It fails if
// there are fewer than 3 corners, if all corners lie on one line, or if y0 is
// not below y1. The error wraps geom.ErrOutOfRange if a corner or a height is out of range.
func NewPrism(corners []Corner, y0, y1 int) (Prism, error) {
	corners = unclosed(corners)
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
	edges := make([]edge, len(corners))
	for i, c := range corners {
		edges[i] = edgeBetween(placeOf(c), placeOf(corners[(i+1)%len(corners)]))
	}
	return newPrism(slices.Clone(corners), edges, b), nil
}

// Prism returns the cells from height y0 to below y1 whose centres lie in the polygon, as
// NewPrism does. The prisms of the parts of a polygon have together each cell of its prism, and
// none twice. It fails as NewPrism does, and with an error that wraps geom.ErrOutOfRange if the
// points of a line that has cut p are out of range.
func (p Polygon) Prism(y0, y1 int) (Prism, error) {
	edges, b, err := p.edges()
	if err != nil {
		return Prism{}, fmt.Errorf("region: prism: %w", err)
	}
	var corners []Corner
	for _, v := range p.vertices {
		if v.cut == nil {
			corners = append(corners, v.at)
		}
	}
	if len(corners) == len(edges) {
		return NewPrism(corners, y0, y1)
	}
	if y0 >= y1 {
		return Prism{}, fmt.Errorf("region: prism: floor %d is not below ceiling %d", y0, y1)
	}
	b.Min.Y, b.Max.Y = y0, y1
	if b.Intersect(space) != b {
		return Prism{}, fmt.Errorf("region: prism of %v: %w", b, geom.ErrOutOfRange)
	}
	return newPrism(nil, edges, b), nil
}

// edges returns the edges of p and the least x and z that all lie in.
func (p Polygon) edges() ([]edge, geom.Box, error) {
	b := geom.Box{Min: space.Max, Max: space.Min}
	edges := make([]edge, len(p.vertices))
	for i, v := range p.vertices {
		w := p.vertices[(i+1)%len(p.vertices)]
		line := v.support(w)
		for _, c := range [2]Corner{line.from, line.to()} {
			if c.X != min(max(c.X, space.Min.X), space.Max.X) || c.Z != min(max(c.Z, space.Min.Z), space.Max.Z) {
				return nil, b, fmt.Errorf("an edge on a line through (%d,%d): %w", c.X, c.Z, geom.ErrOutOfRange)
			}
		}
		e := edgeBetween(placeOf(line.from), placeOf(line.to()))
		if v.along != nil {
			e.clip(v, w)
		}
		b.Min.X, b.Max.X = min(b.Min.X, int(e.low.x)), max(b.Max.X, int(e.high.x))
		b.Min.Z, b.Max.Z = min(b.Min.Z, int(e.low.z)), max(b.Max.Z, int(e.high.z))
		edges[i] = e
	}
	return edges, b, nil
}

func newPrism(corners []Corner, edges []edge, b geom.Box) Prism {
	slices.SortFunc(edges, func(e, f edge) int { return cmp.Compare(e.low.z, f.low.z) })
	p := Prism{corners, edges, make([]int32, len(edges)), b}
	p.index(0, len(edges))
	return p
}

func edgeBetween(a, b place) edge {
	low, high := place{min(a.x, b.x), min(a.z, b.z)}, place{max(a.x, b.x), max(a.z, b.z)}
	return edge{[2]place{a, b}, low, high, low.z, high.z}
}

// clip makes e the piece of its line between two vertices.
func (e *edge) clip(v, w Vertex) {
	vx, vz := v.doubled()
	wx, wz := w.doubled()
	e.low = place{int32(min(vx.floor, wx.floor) >> 1), int32(min(vz.floor, wz.floor) >> 1)}
	e.high = place{int32((max(vx.ceiling, wx.ceiling) + 1) >> 1), int32((max(vz.ceiling, wz.ceiling) + 1) >> 1)}
	e.first, e.end = int32(min(vz.ceiling, wz.ceiling)>>1), int32(max(vz.ceiling, wz.ceiling)>>1)
}

// index fills tops for the subtree of the edges from i to below j.
func (p *Prism) index(i, j int) int32 {
	if i == j {
		return math.MinInt32
	}
	k := (i + j) / 2
	p.tops[k] = max(p.edges[k].high.z, p.index(i, k), p.index(k+1, j))
	return p.tops[k]
}

// near calls visit with the edges that have a z from low to high, until visit returns false. The edges
// are a balanced tree: the middle one is the root, those before and behind it are the subtrees.
func (p *Prism) near(i, j int, low, high int32, visit func(*edge) bool) bool {
	for i < j {
		k := (i + j) / 2
		if p.tops[k] < low {
			return true
		}
		if !p.near(i, k, low, high, visit) {
			return false
		}
		e := &p.edges[k]
		if e.low.z > high {
			return true
		}
		if e.high.z >= low && !visit(e) {
			return false
		}
		i = k + 1
	}
	return true
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

// Contains reports whether q is a cell of the prism. It looks at the edges near its row.
func (p Prism) Contains(q geom.Point) bool {
	if !p.bounds.Contains(q) {
		return false
	}
	in := false
	p.near(0, len(p.edges), int32(q.Z), int32(q.Z), func(e *edge) bool {
		in = in != (e.crosses(q.Z) && e.crossing(q.Z) <= q.X)
		return true
	})
	return in
}

// Spans yields as many runs as the row has; it looks at the edges near the row.
func (p Prism) Spans(y, z int, yield func(x0, x1 int) bool) {
	b := p.bounds
	if y < b.Min.Y || y >= b.Max.Y || z < b.Min.Z || z >= b.Max.Z {
		return
	}
	var few [16]int
	at := few[:0]
	p.near(0, len(p.edges), int32(z), int32(z), func(e *edge) bool {
		if e.crosses(z) {
			at = append(at, e.crossing(z))
		}
		return true
	})
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

func (e *edge) crosses(z int) bool { return z >= int(e.first) && z < int(e.end) }

// crossing returns the first cell of row z whose centre is not left of the edge, which
// crosses the centres of the row. All numbers stay below 1<<56.
func (e *edge) crossing(z int) (x int) {
	a, b := e.line[0], e.line[1]
	if a.z > b.z {
		a, b = b, a
	}
	height := int(b.z) - int(a.z)
	return int(a.x) - geom.FloorDiv(height-(2*(z-int(a.z))+1)*(int(b.x)-int(a.x)), 2*height)
}

// cover looks for an edge within the box: without one it is all in or all out.
func (p Prism) cover(c geom.Box) (Cover, bool) {
	if !p.near(0, len(p.edges), int32(c.Min.Z), int32(c.Max.Z), func(e *edge) bool { return !e.meets(c) }) {
		return Partly, false
	}
	if p.Contains(c.Min) {
		return Whole, true
	}
	return none, true
}

// meets reports whether the edge may touch the footprint of c: neither is beside the
// other, and the footprint is not to one side.
func (e *edge) meets(c geom.Box) bool {
	if int(e.high.x) < c.Min.X || int(e.low.x) > c.Max.X || int(e.high.z) < c.Min.Z || int(e.low.z) > c.Max.Z {
		return false
	}
	a, b := e.line[0], e.line[1]
	left, right := false, false
	for _, q := range [4]Corner{{c.Min.X, c.Min.Z}, {c.Max.X, c.Min.Z}, {c.Min.X, c.Max.Z}, {c.Max.X, c.Max.Z}} {
		side := int(b.x-a.x)*(q.Z-int(a.z)) - int(b.z-a.z)*(q.X-int(a.x))
		left, right = left || side >= 0, right || side <= 0
	}
	return left && right
}
