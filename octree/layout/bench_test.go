package layout_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

const movers = 40000

// crowd is 40,000 movers in 4096x512x4096 with radii from 0.5 to 30, in two places each.
type crowd struct{ boxes, moved []octree.Box }

func makeCrowd() *crowd {
	c, random := &crowd{}, rand.New(rand.NewPCG(1, 2))
	span := func(low, high, r float64) float64 { return low + r + random.Float64()*(high-low-2*r) }
	for range movers {
		r := 0.5 + random.Float64()*29.5
		at := octree.Vec{X: span(0, 4096, r), Y: span(0, 512, r), Z: span(0, 4096, r)}
		c.boxes = append(c.boxes, octree.Around(at, r))
		step := func(v, high float64) float64 { return max(r, min(high-r, v+random.Float64()*2-1)) }
		c.moved = append(c.moved, octree.Around(octree.Vec{X: step(at.X, 4096), Y: step(at.Y, 512), Z: step(at.Z, 4096)}, r))
	}
	return c
}

// BenchmarkLayouts measures each layout on the same objects: one step from a node to a
// child, one from a leaf to a neighbour, one node of a walk, and insert, move and a ball.
func BenchmarkLayouts(b *testing.B) {
	c := makeCrowd()
	for _, k := range layout.All() {
		o := k.Options
		o.Root, o.Loose = box(0, 0, 0, 4096, 4096, 4096), 2.0
		o.Fixed = true
		o.MaxDepth = 5
		if o.Storage != layout.Full {
			o.SplitAbove, o.MaxDepth = 16, 7
		}
		b.Run(k.Name, func(b *testing.B) {
			tree := mustNew(b, o)
			ids, err := tree.Build(c.boxes)
			if err != nil {
				b.Fatal(err)
			}
			random := rand.New(rand.NewPCG(3, 4))
			b.Run("down", func(b *testing.B) { benchDown(b, tree) })
			b.Run("neighbour", func(b *testing.B) { benchNeighbour(b, tree) })
			b.Run("walk", func(b *testing.B) { benchWalk(b, tree) })
			b.Run("ball of 64", func(b *testing.B) {
				found := 0
				for b.Loop() {
					at := octree.Vec{X: random.Float64() * 4096, Y: random.Float64() * 512, Z: random.Float64() * 4096}
					tree.Ball(at, 64, func(octree.ObjectID, octree.Box) bool { found++; return true })
				}
				b.ReportMetric(float64(found)/float64(b.N), "found/op")
			})
			b.Run("move", func(b *testing.B) {
				for n := 0; b.Loop(); n++ {
					boxes := c.boxes
					if n/movers%2 == 0 {
						boxes = c.moved
					}
					if err := tree.Move(ids[n%movers], boxes[n%movers]); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("insert", func(b *testing.B) {
				tree := mustNew(b, o)
				for n := 0; b.Loop(); n++ {
					if n%movers == 0 {
						tree.Clear()
					}
					if _, err := tree.Insert(c.boxes[n%movers]); err != nil {
						b.Fatal(err)
					}
				}
				s := tree.Stats()
				b.ReportMetric(float64(s.NodeBytes)/float64(s.Nodes), "B/node")
			})
		})
	}
}

// benchDown goes from the root to leaves at random.
func benchDown(b *testing.B, tree *layout.Tree) {
	random := rand.New(rand.NewPCG(5, 6))
	n := tree.Root()
	steps := 0
	for b.Loop() {
		k, ok := n.Child(int(random.Uint32() & 7))
		if ok {
			steps++
		} else if n.Leaf() {
			k = tree.Root()
		} else {
			k = n
		}
		n = k
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

// benchNeighbour asks leaves for the node beside them in each direction.
func benchNeighbour(b *testing.B, tree *layout.Tree) {
	var leaves []layout.Node
	tree.Walk(func(n layout.Node) octree.Step {
		if n.Leaf() {
			leaves = append(leaves, n)
		}
		return octree.Enter
	})
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
	for i := 0; b.Loop(); i++ {
		d := i % 26
		if d >= 13 {
			d++
		}
		leaves[i%len(leaves)].Neighbour(layout.Direction{X: d%3 - 1, Y: d/3%3 - 1, Z: d/9 - 1})
	}
}

func benchWalk(b *testing.B, tree *layout.Tree) {
	nodes := 0
	for b.Loop() {
		tree.Walk(func(layout.Node) octree.Step { nodes++; return octree.Enter })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(nodes), "ns/node")
}
