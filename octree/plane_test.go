package octree_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// TestPlane has planes whose normals are so short that products with them round to
// few numbers.
func TestPlane(t *testing.T) {
	long.Alone(t)
	r := rand.New(rand.NewPCG(3, 4))
	tree := mustNew(t, octree.Options{SplitAbove: 8})
	boxes := make(map[octree.ObjectID]octree.Box)
	for range 500 {
		b := octree.At(octree.Vec{X: r.Float64() * 16, Y: r.Float64() * 16, Z: r.Float64() * 16})
		id, err := tree.Insert(b)
		if err != nil {
			t.Fatal(err)
		}
		boxes[id] = b
	}
	for range 300 {
		s := math.Ldexp(1, -1074+r.IntN(12))
		v := func() float64 { return float64(r.IntN(5)-2) * s }
		p := octree.Plane{Normal: octree.Vec{X: v(), Y: v(), Z: v()}, Offset: -float64(r.IntN(17)) * s}
		for side := octree.Behind; side <= octree.Front; side++ {
			got := 0
			tree.Plane(p, side, func(octree.ObjectID, octree.Box) bool { got++; return true })
			if want := len(brute(boxes, func(_ octree.ObjectID, b octree.Box) bool { return p.Side(b) == side })); got != want {
				t.Fatalf("%v, side %d: got %d, want %d", p, side, got, want)
			}
		}
		f := octree.Frustum{p, {Normal: octree.Vec{X: v(), Y: v(), Z: v()}, Offset: float64(r.IntN(17)) * s}}
		got := 0
		tree.Frustum(f, func(octree.ObjectID, octree.Box) bool { got++; return true })
		if want := len(brute(boxes, func(_ octree.ObjectID, b octree.Box) bool { return f.Sees(b) })); got != want {
			t.Fatalf("%v: got %d, want %d", f, got, want)
		}
	}
}
