package object

import (
	"math"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Ray looks for cells and objects at once.
type Ray struct {
	From, Direction octree.Vec // Direction has any length but 0
	Reach           float64    // in cells; infinite is to the end of the range
}

// FirstHit is what a ray meets first. Both are there if it enters an object and a cell at the same
// distance, as with a chest and its block.
type FirstHit struct {
	Distance float64    // in cells
	Object   octree.Hit // its T is the distance too; its ID is 0 if the ray met no object there
	Cell     grid.Hit
	IsCell   bool // whether the ray met a cell there
}

// boxes are what a ray looks for objects in, such as an octree.Tree.
type boxes interface {
	First(octree.Ray) (octree.Hit, bool)
	AppendHits(dst []octree.Hit, r octree.Ray) []octree.Hit
}

// tree returns the ray for a tree, with a direction of length 1 that the grid computes too, so that
// distances are equal where borders are.
func (r Ray) tree() octree.Ray {
	d := r.Direction
	longest := max(math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z))
	if !(longest > 0) || math.IsInf(longest, 0) {
		return octree.Ray{}
	}
	d = octree.Vec{X: d.X / longest, Y: d.Y / longest, Z: d.Z / longest}
	length := math.Sqrt(d.X*d.X + d.Y*d.Y + d.Z*d.Z)
	return octree.Ray{Origin: r.From, Direction: octree.Vec{X: d.X / length, Y: d.Y / length, Z: d.Z / length}, Max: r.Reach}
}

// cell returns the first cell whose matter the ray meets, up to a distance.
func (r Ray) cell(cells *grid.View, reach float64) (hit grid.Hit, ok bool, err error) {
	const all = 4 * geom.MaxChunk * geom.ChunkEdge // is longer than any ray in range
	err = cells.Raycast([3]float64{r.From.X, r.From.Y, r.From.Z}, [3]float64{r.Direction.X, r.Direction.Y, r.Direction.Z},
		min(reach, all), func(h grid.Hit) bool {
			hit, ok = h, true
			return false
		})
	return hit, ok, err
}

// First returns what a ray meets first: the matter of a cell, or an object. It
// reports false if it meets neither. The error is that of grid.View.Raycast: a chunk before the
// first object is not loaded, or the ray is none.
func First(cells *grid.View, o boxes, r Ray) (FirstHit, bool, error) {
	thing, met := o.First(r.tree())
	reach := r.Reach
	if met {
		reach = thing.T
	}
	cell, ok, err := r.cell(cells, reach)
	if err != nil || !ok && !met {
		return FirstHit{}, false, err
	}
	switch {
	case !ok:
		return FirstHit{Distance: thing.T, Object: thing}, true, nil
	case !met || cell.Distance < thing.T:
		return FirstHit{Distance: cell.Distance, Cell: cell, IsCell: true}, true, nil
	}
	return FirstHit{Distance: thing.T, Object: thing, Cell: cell, IsCell: true}, true, nil
}

// AppendBefore appends to dst the objects that a ray enters before the matter of the first
// cell, or together with it, nearest first; their T are distances. It returns the longer
// slice, and the cell if the ray met one.
func AppendBefore(dst []octree.Hit, cells *grid.View, o boxes, r Ray) (hits []octree.Hit, cell grid.Hit, met bool, err error) {
	cell, met, err = r.cell(cells, r.Reach)
	if err != nil {
		return dst, cell, false, err
	}
	t := r.tree()
	if met {
		t.Max = cell.Distance
	}
	return o.AppendHits(dst, t), cell, met, nil
}
