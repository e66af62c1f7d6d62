// Package lod decides which cubes of a world at which level of detail a viewer needs next, and which
// it may forget. A cube has 16 cells an edge, and a cube of level L covers 16<<L blocks an edge.
//
// Begin with New. Then, in each tick: Plan.Look says where the viewer is. Plan.AppendForget returns
// the cubes that it needs no longer, and Plan.AppendNext the ones that it needs next, in order.
// Plan.Have says that it has a cube.
//
// The viewer shows a cube until it has the eight cubes below it, so a Plan asks for a cube after its
// parent and keeps the parents of what is shown. A cube is split when it is nearer than its level
// allows. The distance alone decides, so the levels of cubes that touch differ by at most one as soon
// as all are there. A cube that was split stays so until it is an eighth farther away: a viewer that
// walks to and fro loads nothing twice.
//
// If a viewer has too little room it sees less detail, then less far: cubes are split nearer and nearer to it, those
// of fine levels at last not at all, and once all that it has is of the top level, it loses the farthest of
// that. What is near never has a hole.
//
// A cube that is empty has nothing below it, because no mip hides matter (voxel.Downsample).
//
// The package has no clock, no network and no cells. A server has one Plan for each viewer, and a client may
// have its own. A Plan costs what changes: a viewer that stands still costs a few nanoseconds.
package lod

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	// minDetail is the least detail for which levels of touching cubes differ by at most one:
	// (1-slack)*detail must be at least the square root of 3.
	minDetail = 2
	maxDetail = 64
	// slack is how much farther than where it is split a cube must be to be merged again.
	slack = 1.0 / 8
	// forgetful is after how many blocks a viewer tries again what did not fit.
	forgetful = 64
	// leastCubes is more than four times the eight cubes of the top level that touch a viewer.
	leastCubes = 64
)

// Options of a Plan. Bounds must not be empty.
type Options struct {
	// Bounds are the blocks where there may be something. Cubes outside are never asked for.
	Bounds geom.Box
	// Top is the level of the coarsest cubes, at most MaxLevel.
	Top int
	// Ahead is for how many seconds of the viewer's movement a Plan looks ahead. Default 1;
	// negative is 0.
	Ahead float64
	// MaxCubes bounds the cubes that a Plan keeps note of, about 24 bytes each, and as much again to find those of the
	// top level. A viewer that asks for more sees less detail, then less far. Default 65,536, at least 64.
	MaxCubes int
}

// Eye is a viewer at one moment. Positions and distances are in blocks.
type Eye struct {
	Position octree.Vec
	// Direction is where it looks, of any length. The zero vector looks everywhere.
	Direction octree.Vec
	// Velocity is in blocks a second.
	Velocity octree.Vec
	// PixelsPerRadian is the height of its picture in pixels by the height of its field of view
	// in radians. Default 1,000.
	PixelsPerRadian float64
	// MaxError is how many pixels wide a cell of a far level may be. Default 12.
	MaxError float64
	// Radius is how far it sees.
	Radius float64
	// Memory bounds the bytes of the cubes that it has. 0 is no bound. If they do not fit,
	// the viewer sees less detail, then less far.
	Memory int
}

// Check returns an error if a number of e is not finite or out of range.
func (e *Eye) Check() error {
	for _, v := range []struct {
		what      string
		value, to float64
	}{
		{"position", greatest(e.Position), 1 << 30},
		{"direction", greatest(e.Direction), 1 << 30},
		{"velocity", greatest(e.Velocity), 1 << 30},
		{"pixels per radian", e.PixelsPerRadian, 1 << 30},
		{"error in pixels", e.MaxError, 1 << 30},
		{"radius", e.Radius, 1 << 30},
		{"memory", float64(e.Memory), math.Inf(1)},
	} {
		if !(v.value >= 0 && v.value <= v.to) {
			return fmt.Errorf("lod: %s of the viewer is out of range: %g", v.what, v.value)
		}
	}
	return nil
}

// greatest returns the greatest coordinate of v without its sign, or NaN.
func greatest(v octree.Vec) float64 { return max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) }

// detail returns how many edges of a cube away it is split.
func (e *Eye) detail() float64 {
	pixels, allowed := e.PixelsPerRadian, e.MaxError
	if pixels == 0 {
		pixels = 1000
	}
	if allowed == 0 {
		allowed = 12
	}
	return min(max(pixels/(allowed*Edge), minDetail), maxDetail)
}

// Cube is what a Plan notes of a cube that the viewer has.
type Cube struct {
	// Version is a number for the content; 0 is a cube that is empty.
	Version uint64
	// Bytes is the memory that it takes.
	Bytes int
	// Empty has a bit for each octant that is empty. Nobody asks for those children, and the viewer
	// need not be told of them: the cells of the cube show it.
	Empty uint8
	// Solid says that the cube has only opaque cells. What is below it comes late.
	Solid bool
}
