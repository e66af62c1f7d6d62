package brush

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Whole is how much of a cell is covered by a shape that holds all of it.
const Whole = 256

// Shape is a set of cells with a rim of cells that it covers in part. The functions below
// make shapes; the zero Shape is empty. A Shape does not change, and any number of goroutines
// may use it.
type Shape struct {
	cells region.Region // the cells whose centres are in it
	outer region.Region // holds all cells that it covers at all
	core  region.Region // cells that it covers entirely, perhaps not all of them
	// row computes how much the shape covers of the cells of outer that start at p
	// and continue along x. nil: the shape has no rim.
	row func(p geom.Point, covered []int)
}

// FromRegion returns the shape of a region, without a rim.
func FromRegion(r region.Region) Shape { return Shape{cells: r, outer: r, core: r} }

// Box returns the cells of a box.
func Box(b geom.Box) Shape { return FromRegion(b) }

// Ball returns a ball around the centre of a cell; the radius is in cells.
func Ball(center geom.Point, radius float64) Shape {
	return Shape{
		cells: region.Ball{Center: center, Radius: radius},
		outer: region.Ball{Center: center, Radius: radius + .5},
		core:  region.Ball{Center: center, Radius: radius - .5},
		row: func(p geom.Point, covered []int) {
			d := p.Sub(center)
			within(radius, d.X, d.Y*d.Y+d.Z*d.Z, covered)
		},
	}
}

// Cylinder returns an upright cylinder. Its axis goes through the centre of the cell base,
// and its height counts from the floor of that cell.
func Cylinder(base geom.Point, radius float64, height int) Shape {
	return Shape{
		cells: region.Cylinder{Base: base, Radius: radius, Height: height},
		outer: region.Cylinder{Base: base, Radius: radius + .5, Height: height},
		core:  region.Cylinder{Base: base, Radius: radius - .5, Height: height},
		row: func(p geom.Point, covered []int) {
			d := p.Sub(base)
			within(radius, d.X, d.Z*d.Z, covered)
		},
	}
}

// within computes how much of the cells of a row lies within a radius. d is the
// distance of the first cell along the row, and rest the square of the distance
// across it.
func within(radius float64, d, rest int, covered []int) {
	for i := range covered {
		far := math.Sqrt(float64((d+i)*(d+i) + rest))
		covered[i] = share(radius + .5 - far)
	}
}

// share converts a part of a cell, 0 to 1, to a part of Whole.
func share(v float64) int {
	if !(v > 0) {
		return 0
	}
	return int(Whole*min(v, 1) + .5)
}

// fine is how many parts each edge of a cell is cut into to measure its coverage by
// a polygon.
const fine = 4

// Prism returns the space over a polygon, from height y0 to below y1.
// region.NewPrism describes the corners.
func Prism(corners []region.Corner, y0, y1 int) (Shape, error) {
	cells, err := region.NewPrism(corners, y0, y1)
	if err != nil {
		return Shape{}, err
	}
	parts := make([]region.Corner, len(corners))
	origin := corners[0]
	for i, c := range corners {
		parts[i] = region.Corner{X: (c.X - origin.X) * fine, Z: (c.Z - origin.Z) * fine}
	}
	cut, err := region.NewPrism(parts, 0, 1)
	if err != nil {
		return Shape{}, err
	}
	row := func(p geom.Point, covered []int) {
		clear(covered)
		for i := range fine {
			cut.Spans(0, (p.Z-origin.Z)*fine+i, func(x0, x1 int) bool {
				addParts(covered, x0-(p.X-origin.X)*fine, x1-(p.X-origin.X)*fine)
				return true
			})
		}
	}
	return Shape{cells: cells, outer: cells.Bounds(), row: row}, nil
}

// addParts adds the parts x0 to x1 of a row to the coverage of their cells.
func addParts(covered []int, x0, x1 int) {
	for x := max(x0, 0); x < min(x1, len(covered)*fine); x++ {
		covered[x/fine] += Whole / fine / fine
	}
}

// Bounds returns a box of all cells that the shape covers at all.
func (s Shape) Bounds() geom.Box {
	if s.outer == nil {
		return geom.Box{}
	}
	return s.outer.Bounds()
}

// Covers returns how much of a cell the shape covers: 0 to Whole.
func (s Shape) Covers(p geom.Point) int {
	if !s.Bounds().Contains(p) {
		return 0
	}
	var one [1]int
	s.cover(p, one[:])
	return one[0]
}

// cover is row, but works for shapes without a rim too. The cells must lie in
// Bounds.
func (s Shape) cover(p geom.Point, covered []int) {
	if s.row != nil {
		s.row(p, covered)
		return
	}
	clear(covered)
	s.cells.Spans(p.Y, p.Z, func(x0, x1 int) bool {
		for x := max(x0, p.X); x < min(x1, p.X+len(covered)); x++ {
			covered[x-p.X] = Whole
		}
		return true
	})
}

// region returns the cells whose centres are in the shape.
func (s Shape) region() region.Region {
	if s.cells == nil {
		return geom.Box{}
	}
	return s.cells
}
