package octree_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
)

// grove is a tree with leaves of many sizes.
func grove(t testing.TB, seed uint64, o octree.Options) *octree.Tree {
	tree := mustNew(t, o)
	random := rand.New(rand.NewPCG(seed, 15))
	for range 50 + random.IntN(700) {
		spread := math.Ldexp(1024, -random.IntN(8))
		b := octree.At(octree.Vec{X: random.Float64() * spread, Y: random.Float64() * spread, Z: random.Float64() * spread})
		if o.Flat {
			b.Min.Z, b.Max.Z = 0, 0
		}
		if _, err := tree.Insert(b); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

var groves = map[string]octree.Options{
	"octree":   {SplitAbove: 4},
	"quadtree": {SplitAbove: 3, Flat: true, Loose: 2},
	"shallow":  {SplitAbove: 2, MaxDepth: 3},
	"one node": {SplitAbove: 1000},
}

// TestWalk compares a walk with what the nodes say, and with the objects of the tree.
func TestWalk(t *testing.T) {
	for name, o := range groves {
		t.Run(name, func(t *testing.T) {
			tree := grove(t, 1, o)
			nodes, deepest, seen := 0, 0, 0
			var path []octree.Node // to the node before
			tree.Walk(func(n octree.Node) octree.Step {
				nodes++
				deepest = max(deepest, n.Depth())
				path = append(path[:n.Depth()], n)
				if n.Depth() > 0 {
					parent := path[n.Depth()-1]
					if !parent.Cell().Contains(n.Cell()) || !parent.Loose().Contains(n.Loose()) || parent.Leaf() {
						t.Fatalf("the parent of %v has %v", n.Cell(), parent.Cell())
					}
				}
				n.Objects(func(id octree.ObjectID, b octree.Box) bool {
					seen++
					if got, _ := tree.Get(id); got != b || !n.Loose().Contains(b) {
						t.Fatalf("%v lies at %v, in %v", id, got, n.Loose())
					}
					return true
				})
				return octree.Enter
			})
			if s := tree.Stats(); nodes != s.Nodes || deepest != s.Depth || seen != tree.Len() {
				t.Errorf("got %d nodes to depth %d with %d objects, want %+v, %d", nodes, deepest, seen, s, tree.Len())
			}
			skipped := 0
			tree.Walk(func(n octree.Node) octree.Step {
				skipped++
				if n.Depth() == 1 {
					return octree.Skip
				}
				return octree.Enter
			})
			if skipped > 9 {
				t.Errorf("a walk that skips what is below depth 1 visited %d nodes", skipped)
			}
			stopped := 0
			tree.Walk(func(octree.Node) octree.Step { stopped++; return octree.Stop })
			if stopped != 1 {
				t.Errorf("a walk that stops at once visited %d nodes", stopped)
			}
		})
	}
}
