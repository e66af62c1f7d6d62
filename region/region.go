// Package region is sets of space: boxes, balls, cylinders and polygon prisms of
// cells, read row by row, cut into chunks, counted and split.
//
// A region holds only cells within range of geom; what a shape has beyond is cut
// off. Regions are values that do not change: any number of goroutines may ask
// one. Shapes are made of cells: a cell is in or out by its centre.
//
// The package knows nothing of what fills the space, and keeps no list of cells:
// a region takes no more memory than the numbers that say what it is.
package region

import (
	"math"

	"github.com/cairnvoxel/cairn/geom"
)

// Region is a set of cells. Others may implement it; it must not change while
// it is asked.
type Region interface {
	// Bounds returns a box that holds every cell; it may be larger than it must.
	Bounds() geom.Box
	// Contains reports whether p is a cell of the region.
	Contains(p geom.Point) bool
	// Spans calls yield with the runs of cells x0 <= x < x1 of the row (y, z),
	// ascending, none empty, no two touching, until yield returns false.
	Spans(y, z int, yield func(x0, x1 int) bool)
}

// space is all cells within range.
var space = geom.Root.Box()

// Box is the cells of a box; one that is empty or inside out has none.
type Box geom.Box

func (b Box) box() geom.Box { return geom.Box(b).Intersect(space) }

// Bounds returns the box.
func (b Box) Bounds() geom.Box { return b.box() }

// Contains reports whether p is a cell of the box.
func (b Box) Contains(p geom.Point) bool { return b.box().Contains(p) }

// Spans yields at most one run.
func (b Box) Spans(y, z int, yield func(x0, x1 int) bool) {
	in := b.box()
	if in.Contains(geom.Point{X: in.Min.X, Y: y, Z: z}) {
		yield(in.Min.X, in.Max.X)
	}
}

func (b Box) cover(geom.Box) (Cover, bool) { return Whole, true }

func (b Box) upright() {}

// upright is a region whose rows are the same at every height within Bounds.
type upright interface{ upright() }

// Count returns the number of cells of r, or math.MaxInt if there are more. It
// asks a box, a cylinder or a prism for the rows of one slice, other regions for
// every row of their bounds.
func Count(r Region) int {
	b := r.Bounds()
	if b.Empty() {
		return 0
	}
	height := 1
	if _, ok := r.(upright); ok {
		height, b.Max.Y = b.Max.Y-b.Min.Y, b.Min.Y+1
	}
	n := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			r.Spans(y, z, func(x0, x1 int) bool {
				n += x1 - x0
				return true
			})
		}
		if n < 0 || n > math.MaxInt/height {
			return math.MaxInt
		}
	}
	return n * height
}
