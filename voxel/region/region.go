// Package region has sets of cells: balls, cylinders, prisms over polygons, and unions, intersections and
// differences of them and of boxes. A geom.Box is a Region.
//
// A Region can be asked for its bounds, whether it holds a cell, and its cells row by
// row. Everything in cairn that fills, searches or loads a part of space takes one:
// VolumeTx.Fill of package world, brushes, the regions of an arena. Chunks lists the
// chunks that a region touches, Count counts its cells, and Boxes cuts it into boxes for
// work that is done in pieces. Parse reads a region from a text for the command line.
//
// A cell belongs to a shape if its centre does. Regions hold only cells within the range
// of package geom: what a shape has beyond is cut off from its spans. They are values that do not change,
// so any number of goroutines may ask one, and they keep no list of cells.
//
// A Mask says which cells of a region an operation may touch, by what is there now.
//
// A Polygon is a shape without height. Split cuts it by a line, Towers between chunks; both are exact.
// The pictures are in docs/lab/POLYGONS.md.
package region

import (
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Region is a set of cells. Other packages may implement it. It must not change while
// it is in use.
type Region interface {
	// Bounds returns a box that holds every cell. It may be larger than the least one.
	Bounds() geom.Box
	// Contains reports whether p, a cell within range, is one of the region.
	Contains(p geom.Point) bool
	// Spans calls yield with the runs of cells x0 <= x < x1 of the row (y, z), until
	// yield returns false. Runs ascend, none is empty, and no two touch.
	Spans(y, z int, yield func(x0, x1 int) bool)
}

// space is all cells within range.
var space = geom.Root.Box()

// isUpright reports whether the rows of a region are the same at every height within its bounds.
func isUpright(r Region) bool {
	switch r.(type) {
	case geom.Box, Cylinder, Prism:
		return true
	}
	return false
}

// Count returns the number of cells of r, or math.MaxInt if there are more. It reads each row
// once of those that are the same: one of a box, those of one slice of a cylinder or a prism, and of
// sets of these as few as their borders allow.
func Count(r Region) int {
	b := r.Bounds()
	if b.Empty() {
		return 0
	}
	ys := borders(r, func(p geom.Point) int { return p.Y }, isUpright)
	zs := borders(r, func(p geom.Point) int { return p.Z }, func(r Region) bool { _, ok := r.(geom.Box); return ok })
	n := 0
	for y := b.Min.Y; y < b.Max.Y && n < math.MaxInt; {
		above := after(ys, y, b.Max.Y)
		for z := b.Min.Z; z < b.Max.Z && n < math.MaxInt; {
			behind := after(zs, z, b.Max.Z)
			same := (above - y) * (behind - z)
			r.Spans(y, z, func(x0, x1 int) bool {
				if x1-x0 > (math.MaxInt-n)/same {
					n = math.MaxInt
				} else {
					n += (x1 - x0) * same
				}
				return n < math.MaxInt
			})
			z = behind
		}
		y = above
	}
	return n
}

// borders returns where the rows of r change along an axis, nil if that is not known. same says whether
// they are the same within the bounds of a region that is no set.
func borders(r Region, axis func(geom.Point) int, same func(Region) bool) (out []int) {
	var parts []Region
	switch r := r.(type) {
	case Union:
		parts = r
	case Intersection:
		parts = r
	case Difference:
		parts = []Region{r.From, r.Without}
	default:
		if b := r.Bounds(); same(r) {
			out = []int{axis(b.Min), axis(b.Max)}
		}
		return out
	}
	out = []int{}
	for _, p := range parts {
		more := borders(p, axis, same)
		if more == nil {
			return nil
		}
		out = append(out, more...)
	}
	slices.Sort(out)
	return out
}

// after returns the border behind v, at most end.
func after(borders []int, v, end int) int {
	if borders == nil {
		return v + 1
	}
	if i, _ := slices.BinarySearch(borders, v+1); i < len(borders) {
		end = min(end, borders[i])
	}
	return end
}
