package lod

import (
	"math"

	"github.com/cairnvoxel/cairn/octree"
)

func (p *Plan) inBounds(k Key) bool { return !k.Box().Intersect(p.o.Bounds).Empty() }

// distance returns how far a cube is from where the viewer will be, 0 if that is in it.
func (p *Plan) distance(k Key) float64 {
	edge := float64(int(Edge) << k.Level)
	dx := outside(p.ahead.X, float64(k.X)*edge, edge)
	dy := outside(p.ahead.Y, float64(k.Y)*edge, edge)
	dz := outside(p.ahead.Z, float64(k.Z)*edge, edge)
	return math.Sqrt(dx*dx + dy*dy + dz*dz)
}

// outside returns how far v is from low..low+edge.
func outside(v, low, edge float64) float64 {
	if v < low {
		return low - v
	}
	if v > low+edge {
		return v - low - edge
	}
	return 0
}

func sub(a, b octree.Vec) octree.Vec { return octree.Vec{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z} }

func scaled(v octree.Vec, by float64) octree.Vec {
	return octree.Vec{X: v.X * by, Y: v.Y * by, Z: v.Z * by}
}

func dot(a, b octree.Vec) float64 { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

func length(v octree.Vec) float64 { return math.Sqrt(dot(v, v)) }
