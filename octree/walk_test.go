package octree_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
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
			below := make(map[octree.Node]int)
			tree.Walk(func(n octree.Node) octree.Step {
				nodes++
				deepest = max(deepest, n.Depth())
				path = append(path[:n.Depth()], n)
				if parent, ok := n.Parent(); ok != (n.Depth() > 0) || ok && parent != path[n.Depth()-1] {
					t.Fatalf("the parent of a node at depth %d: got %v, %v", n.Depth(), parent, ok)
				} else if ok && (!parent.Cell().Contains(n.Cell()) || !parent.Loose().Contains(n.Loose()) || parent.Leaf()) {
					t.Fatalf("the parent of %v has %v", n.Cell(), parent.Cell())
				}
				own := 0
				n.Objects(func(id octree.ID, b octree.Box) bool {
					own++
					if got, _ := tree.Get(id); got != b || !n.Loose().Contains(b) {
						t.Fatalf("%v lies at %v, in %v", id, got, n.Loose())
					}
					return true
				})
				if own != n.Own() || n.Leaf() && n.Below() != 0 {
					t.Fatalf("a node says %d and %d, has %d objects", n.Own(), n.Below(), own)
				}
				for _, above := range path[:n.Depth()] {
					below[above] += own
				}
				seen += own
				return octree.Enter
			})
			for n, want := range below {
				if n.Below() != want {
					t.Errorf("below %v: got %d, want %d", n.Cell(), n.Below(), want)
				}
			}
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

// beside returns where b lies beside a, and whether it touches it from outside.
func beside(a, b octree.Box) (octree.Direction, bool) {
	axis := func(aMin, aMax, bMin, bMax float64) (int, bool) {
		switch {
		case bMin > aMax || bMax < aMin:
			return 0, false
		case bMin == aMax && aMin < aMax:
			return 1, true
		case bMax == aMin && aMin < aMax:
			return -1, true
		}
		return 0, true
	}
	x, ok := axis(a.Min.X, a.Max.X, b.Min.X, b.Max.X)
	y, okY := axis(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y)
	z, okZ := axis(a.Min.Z, a.Max.Z, b.Min.Z, b.Max.Z)
	d := octree.Direction{X: x, Y: y, Z: z}
	return d, ok && okY && okZ && d != octree.Direction{}
}

// TestNeighbours compares the neighbours of all nodes with a look at all leaves.
func TestNeighbours(t *testing.T) {
	long.Alone(t)
	for name, o := range groves {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(long.By(2, 4, 4)) {
				tree := grove(t, seed, o)
				var nodes []octree.Node
				tree.Walk(func(n octree.Node) octree.Step { nodes = append(nodes, n); return octree.Enter })
				directions := make(map[octree.Direction]bool)
				for i, n := range nodes {
					if len(nodes) > 1000 && i%(len(nodes)/300) != 0 {
						continue
					}
					got := make(map[octree.Node]octree.Direction)
					n.Neighbours(func(m octree.Node, d octree.Direction) bool {
						if _, again := got[m]; again {
							t.Fatalf("%v is twice beside %v", m.Cell(), n.Cell())
						}
						got[m], directions[d] = d, true
						return true
					})
					for _, m := range nodes {
						d, ok := beside(n.Cell(), m.Cell())
						if found, is := got[m]; is != (ok && m.Leaf()) || is && found != d {
							t.Fatalf("%v beside %v: got %v, %v, want %v, %v", m.Cell(), n.Cell(), found, is, d, ok)
						}
					}
					checkNeighbour(t, n, nodes, o.Flat)
				}
				if want := map[bool]int{false: 26, true: 8}[o.Flat]; len(directions) != want && len(nodes) > 100 {
					t.Errorf("%d directions, want %d", len(directions), want)
				}
			}
		})
	}
}

// checkNeighbour compares Neighbour with the smallest node that is not smaller and
// contains the cell beside the node.
func checkNeighbour(t *testing.T, n octree.Node, nodes []octree.Node, flat bool) {
	t.Helper()
	cell := n.Cell()
	edge := cell.Max.X - cell.Min.X
	for x := -1; x <= 1; x++ {
		for y := -1; y <= 1; y++ {
			for z := -1; z <= 1; z++ {
				d := octree.Direction{X: x, Y: y, Z: z}
				by := octree.Vec{X: float64(x) * edge, Y: float64(y) * edge, Z: float64(z) * edge}
				there := octree.Box{Min: octree.Vec{X: cell.Min.X + by.X, Y: cell.Min.Y + by.Y, Z: cell.Min.Z + by.Z},
					Max: octree.Vec{X: cell.Max.X + by.X, Y: cell.Max.Y + by.Y, Z: cell.Max.Z + by.Z}}
				var want octree.Node
				ok := false
				for _, m := range nodes {
					if m.Depth() <= n.Depth() && m.Cell().Contains(there) && (!ok || m.Depth() > want.Depth()) {
						want, ok = m, true
					}
				}
				if d == (octree.Direction{}) || n.Depth() == 0 || flat && z != 0 {
					ok = false
				}
				if got, is := n.Neighbour(d); is != ok || ok && got != want {
					t.Fatalf("beside %v at %v: got %v, want %v", cell, d, is, ok)
				}
			}
		}
	}
}

// TestNodeChanged looks which nodes say that they changed.
func TestNodeChanged(t *testing.T) {
	tree := grove(t, 2, octree.Options{SplitAbove: 4})
	changed := func(since octree.Moment) (n int) {
		tree.Walk(func(m octree.Node) octree.Step {
			if !m.Changed(since) {
				return octree.Skip
			}
			n++
			return octree.Enter
		})
		return n
	}
	before := tree.Moment()
	if n := changed(before); n != 0 {
		t.Errorf("nothing changed: got %d nodes", n)
	}
	if n := changed(0); n != tree.Stats().Nodes {
		t.Errorf("since the beginning: got %d of %d nodes", n, tree.Stats().Nodes)
	}
	id, err := tree.Insert(octree.At(vec(3, 3, 3)))
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Move(id, octree.At(vec(3, 3, 4))); err != nil {
		t.Fatal(err)
	}
	if n := changed(before); n == 0 || n > tree.Stats().Depth+9 {
		t.Errorf("an object came and moved: got %d nodes", n)
	}
}
