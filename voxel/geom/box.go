package geom

import "fmt"

// Box is the cells p with Min <= p < Max in each coordinate. It is empty if Max is
// not above Min in some coordinate.
type Box struct{ Min, Max Point }

// Empty reports whether b holds no cell.
func (b Box) Empty() bool {
	return b.Max.X <= b.Min.X || b.Max.Y <= b.Min.Y || b.Max.Z <= b.Min.Z
}

// Size returns the edge lengths of b in cells, all 0 if b is empty.
func (b Box) Size() Point {
	if b.Empty() {
		return Point{}
	}
	return b.Max.Sub(b.Min)
}

// Cells returns the number of cells in b.
func (b Box) Cells() int {
	s := b.Size()
	return s.X * s.Y * s.Z
}

// Contains reports whether p is a cell of b.
func (b Box) Contains(p Point) bool {
	return p.X >= b.Min.X && p.X < b.Max.X && p.Y >= b.Min.Y && p.Y < b.Max.Y && p.Z >= b.Min.Z && p.Z < b.Max.Z
}

// Intersect returns the cells common to b and c.
func (b Box) Intersect(c Box) Box {
	return Box{
		Point{max(b.Min.X, c.Min.X), max(b.Min.Y, c.Min.Y), max(b.Min.Z, c.Min.Z)},
		Point{min(b.Max.X, c.Max.X), min(b.Max.Y, c.Max.Y), min(b.Max.Z, c.Max.Z)},
	}
}

// Union returns the least box that holds b and c. An empty box adds nothing.
func (b Box) Union(c Box) Box {
	switch {
	case b.Empty():
		return c
	case c.Empty():
		return b
	}
	return Box{
		Point{min(b.Min.X, c.Min.X), min(b.Min.Y, c.Min.Y), min(b.Min.Z, c.Min.Z)},
		Point{max(b.Max.X, c.Max.X), max(b.Max.Y, c.Max.Y), max(b.Max.Z, c.Max.Z)},
	}
}

// Add returns b moved by p.
func (b Box) Add(p Point) Box { return Box{b.Min.Add(p), b.Max.Add(p)} }

// Scale returns b with all coordinates times n.
func (b Box) Scale(n int) Box {
	return Box{Point{b.Min.X * n, b.Min.Y * n, b.Min.Z * n}, Point{b.Max.X * n, b.Max.Y * n, b.Max.Z * n}}
}

// Over returns the cells n times as wide that have a part of b.
func (b Box) Over(n int) Box {
	if b.Empty() {
		return Box{}
	}
	last := b.Max.Sub(Point{1, 1, 1}).Over(n)
	return Box{b.Min.Over(n), last.Add(Point{1, 1, 1})}
}

// space is all cells in range.
var space = Root.Box()

// Bounds returns the part of b that is in range. With Contains and Spans it makes a Box a
// Region of package region.
func (b Box) Bounds() Box { return b.Intersect(space) }

// Spans calls yield with the run of cells x0 <= x < x1 that the row (y, z) has in range, if
// it has one.
func (b Box) Spans(y, z int, yield func(x0, x1 int) bool) {
	in := b.Bounds()
	if in.Contains(Point{in.Min.X, y, z}) {
		yield(in.Min.X, in.Max.X)
	}
}

func (b Box) String() string { return fmt.Sprintf("[%v %v)", b.Min, b.Max) }
