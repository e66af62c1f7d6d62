package octree_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// TestDepthBound holds the tree to the depth that follows from the smallest distance d of
// two points. A node that has children holds two points. They lie in its cell, of edge
// s/2^depth for a root of edge s, so d is at most sqrt(3)*s/2^depth. That bounds the depth
// by log2(s/d)+log2(sqrt(3)). Points that have moved may lie anywhere in the loose box.
func TestDepthBound(t *testing.T) {
	long.Alone(t)
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 18))
		opts := octree.Options{SplitAbove: 2, MaxDepth: 32, Loose: 1.25 + random.Float64()}
		flat := seed%3 == 0
		opts.Flat = flat
		tree := mustNew(t, opts)
		spread := math.Ldexp(1, -random.IntN(12))
		point := func() octree.Box {
			cluster := float64(random.IntN(4)) * 100
			v := octree.Vec{X: cluster + random.Float64()*spread, Y: random.Float64() * spread, Z: random.Float64() * spread}
			if flat {
				v.Z = 0
			}
			return octree.At(v)
		}
		var ids []octree.ObjectID
		for range 200 {
			id, err := tree.Insert(point())
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		checkDepth(t, tree, ids, 1)
		for _, id := range ids {
			if err := tree.Move(id, point()); err != nil {
				t.Fatal(err)
			}
		}
		checkDepth(t, tree, ids, opts.Loose)
		tree.Rebuild()
		checkDepth(t, tree, ids, 1)
	}
}

// checkDepth looks at the nodes with children. A point lies within so many cells of its node.
func checkDepth(t *testing.T, tree *octree.Tree, ids []octree.ObjectID, cells float64) {
	t.Helper()
	least := math.Inf(1)
	for i, id := range ids {
		b, _ := tree.Get(id)
		for _, other := range ids[:i] {
			c, _ := tree.Get(other)
			least = min(least, c.Distance(b.Min))
		}
	}
	cell := tree.Root().Cell()
	most := math.Log2(cells*(cell.Max.X-cell.Min.X)/least) + math.Log2(math.Sqrt(3))
	deepest := 0
	tree.Walk(func(n octree.Node) octree.Step {
		if !n.Leaf() {
			deepest = max(deepest, n.Depth())
		}
		return octree.Enter
	})
	if float64(deepest) > most {
		t.Errorf("points at least %g apart: a node at depth %d has children, want at most %g", least, deepest, most)
	}
	if deepest < 3 {
		t.Errorf("only %d deep", deepest)
	}
}
