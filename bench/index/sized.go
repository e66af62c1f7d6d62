package index

import (
	"io/fs"
	"math"

	"github.com/cairnvoxel/cairn/octree"
)

// sized is a hashed loose octree in which the size of an object alone decides how deep it lies: in the smallest cells
// that are not smaller than it, down to a least edge. It is what not to do: small objects get cells of their own, and
// queries walk over as many nodes.
//
// A node knows how many objects are below it, so a walk ends where there are none. A blind one looks for all eight
// children of each node, as one does without a mask of children.
type sized struct {
	least float64 // edge of the smallest cells
	blind bool
	depth int // of them. The root has the edge least<<depth and begins at 0
	nodes map[uint64]*sizedNode
	boxes []octree.Box
	codes []uint64
}

type sizedNode struct {
	below   int // objects in it and below
	objects []int32
}

const sizedEdge = 4096

func newSized(least float64, blind bool) *sized {
	return &sized{least: least, blind: blind, depth: int(math.Log2(sizedEdge / least)), nodes: map[uint64]*sizedNode{}}
}

// code returns the locational code of where a box belongs.
func (t *sized) code(b *octree.Box) uint64 {
	edge, depth := t.least, t.depth
	for depth > 0 && edge < max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z) {
		edge, depth = 2*edge, depth-1
	}
	c := middle(b)
	place := func(v float64) uint64 { return uint64(max(0, min(v/edge, float64(int(1)<<depth-1)))) }
	x, y, z := place(c.X), place(c.Y), place(c.Z)
	code := uint64(1)
	for i := depth - 1; i >= 0; i-- {
		code = code<<3 | x>>i&1 | y>>i&1<<1 | z>>i&1<<2
	}
	return code
}

func (t *sized) put(i int32, code uint64) {
	for c := code; c > 0; c >>= 3 {
		n := t.nodes[c]
		if n == nil {
			n = new(sizedNode)
			t.nodes[c] = n
		}
		if n.below++; c == code {
			n.objects = append(n.objects, i)
		}
	}
}

func (t *sized) take(i int32, code uint64) {
	n := t.nodes[code]
	for j, x := range n.objects {
		if x == i {
			n.objects[j] = n.objects[len(n.objects)-1]
			n.objects = n.objects[:len(n.objects)-1]
			break
		}
	}
	for c := code; c > 0; c >>= 3 {
		if n := t.nodes[c]; n.below == 1 {
			delete(t.nodes, c)
		} else {
			n.below--
		}
	}
}

func (t *sized) Insert(b octree.Box) (octree.ObjectID, error) {
	i, code := int32(len(t.boxes)), t.code(&b)
	t.boxes, t.codes = append(t.boxes, b), append(t.codes, code)
	t.put(i, code)
	return octree.ObjectID(i), nil
}

func (t *sized) Move(id octree.ObjectID, b octree.Box) error {
	i := id.Index()
	if i >= len(t.boxes) {
		return fs.ErrNotExist
	}
	t.boxes[i] = b
	if code := t.code(&b); code != t.codes[i] {
		t.take(int32(i), t.codes[i])
		t.put(int32(i), code)
		t.codes[i] = code
	}
	return nil
}

func (t *sized) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.visit(1, octree.Vec{}, sizedEdge, &q, func(i int32) bool {
		return !q.Overlaps(t.boxes[i]) || yield(octree.ObjectID(i), t.boxes[i])
	})
}

func (t *sized) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	q := octree.Around(c, radius)
	t.visit(1, octree.Vec{}, sizedEdge, &q, func(i int32) bool {
		return squared(&t.boxes[i], c) > radius*radius || yield(octree.ObjectID(i), t.boxes[i])
	})
}

// visit calls yield for all objects of the nodes whose loose boxes overlap q. A loose box has twice the edge of the
// cell, and cells at the border hold all that lies beyond.
func (t *sized) visit(code uint64, at octree.Vec, edge float64, q *octree.Box, yield func(int32) bool) bool {
	n := t.nodes[code]
	if n == nil {
		return true
	}
	if meets := func(lo, from, to float64) bool {
		return (from <= lo+1.5*edge || lo+edge >= sizedEdge) && (to >= lo-edge/2 || lo <= 0)
	}; !meets(at.X, q.Min.X, q.Max.X) || !meets(at.Y, q.Min.Y, q.Max.Y) || !meets(at.Z, q.Min.Z, q.Max.Z) {
		return true
	}
	for _, i := range n.objects {
		if !yield(i) {
			return false
		}
	}
	if !t.blind && n.below == len(n.objects) || edge <= t.least {
		return true
	}
	half := edge / 2
	for o := range uint64(8) {
		child := at
		child.X += half * float64(o&1)
		child.Y += half * float64(o>>1&1)
		child.Z += half * float64(o>>2&1)
		if !t.visit(code<<3|o, child, half, q, yield) {
			return false
		}
	}
	return true
}
