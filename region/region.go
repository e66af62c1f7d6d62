// Package region has sets of cells: boxes, balls, cylinders, prisms over polygons, and their unions, intersections and
// differences.
//
// A Region can be asked for its bounds, whether it holds a cell, and its cells row by
// row. Everything in cairn that fills, searches or loads a part of space takes one:
// VolumeTx.Fill of package world, brushes, the regions of an arena. Chunks lists the
// chunks that a region touches, Count counts its cells, and Boxes cuts it into boxes for
// work that is done in pieces. Parse reads a region from a text for the command line.
//
// A cell belongs to a shape if its centre does. Regions hold only cells within the range
// of package geom; what a shape has beyond is cut off. They are values that do not change,
// so any number of goroutines may ask one, and they keep no list of cells.
//
// A Mask says which cells of a region an operation may touch, by what is there now.
//
// A Polygon is a shape without height. Split cuts it by a line, Towers between chunks; both are exact.
// The pictures are in docs/POLYGONS.md.
package region

import (
	"math"

	"github.com/cairnvoxel/cairn/geom"
)

// Region is a set of cells. Other packages may implement it. It must not change while
// it is in use.
type Region interface {
	// Bounds returns a box that holds every cell. It may be larger than the least one.
	Bounds() geom.Box
	// Contains reports whether p is a cell of the region.
	Contains(p geom.Point) bool
	// Spans calls yield with the runs of cells x0 <= x < x1 of the row (y, z), until
	// yield returns false. Runs ascend, none is empty, and no two touch.
	Spans(y, z int, yield func(x0, x1 int) bool)
}

// space is all cells within range.
var space = geom.Root.Box()

// Box is the cells of a box. A box that is empty or inside out has none.
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

// Count returns the number of cells of r, or math.MaxInt if there are more. It reads
// the rows of one slice of a box, a cylinder or a prism, and every row of other regions.
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
