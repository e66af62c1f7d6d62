package layout

import "github.com/cairnvoxel/cairn/octree"

// Node is a node of a tree. It is valid until the tree changes.
type Node struct {
	tree *Tree
	at   cursor
}

// Root returns the root.
func (t *Tree) Root() Node { return Node{t, t.rootCursor()} }

// Depth returns how many levels a node lies below the root.
func (n Node) Depth() int { return n.tree.top.levelsTo(n.at.cell) }

// Cell returns the cell of a node, without looseness.
func (n Node) Cell() octree.Box { return n.tree.tight(n.at.cell) }

// Loose returns a box that contains all objects in and below a node, unless objects lie in
// all leaves that they touch.
func (n Node) Loose() octree.Box { return n.tree.box(n.at.cell) }

// Leaf reports whether a node has no children.
func (n Node) Leaf() bool { return n.tree.leaf(n.at.ref) }

// Own returns how many objects lie in the node itself.
func (n Node) Own() int { return n.tree.held(n.at.ref) }

// Objects calls yield for each object in the node itself, with the part of its box that
// the node has.
func (n Node) Objects(yield func(octree.ObjectID, octree.Box) bool) {
	for k := n.tree.list(n.at.ref); k != nil; k = k.next {
		for i := range k.n {
			if !yield(k.ids[i], k.boxes[i]) {
				return
			}
		}
	}
}

// Code returns the locational code of a node: a bit that is set, then the octants from
// the root down to the node. The layout need not have codes.
func (n Node) Code() uint64 {
	code, bits := uint64(0), n.tree.opts.dimensions()
	end, shift := uint64(1), 0
	for c := n.at.cell; c.half < n.tree.top.half; shift += bits {
		o := n.tree.position(c)
		code |= uint64(o) << shift
		c, end = c.above(o), end<<bits
	}
	return end | code
}

// Child returns a child, and whether it is there. The bits of an octant are x = 1, y = 2,
// z = 4.
func (n Node) Child(octant int) (Node, bool) {
	_, set := n.tree.nodes.look(n.at.ref)
	if octant < 0 || octant > 7 || set>>octant&1 == 0 {
		return Node{}, false
	}
	k := n.tree.kid(n.at, uint8(octant), ref{})
	return Node{n.tree, k}, !k.none()
}

// Parent returns the parent, and false for the root.
func (n Node) Parent() (Node, bool) {
	if n.at.half >= n.tree.top.half {
		return Node{}, false
	}
	return Node{n.tree, n.tree.up(n.at)}, true
}

// Walk calls f for each node, parents before children, and children by their octants.
func (t *Tree) Walk(f func(Node) octree.Step) { t.walk(t.rootCursor(), f) }

func (t *Tree) walk(c cursor, f func(Node) octree.Step) bool {
	switch f(Node{t, c}) {
	case octree.Skip:
		return true
	case octree.Stop:
		return false
	}
	_, set := t.nodes.look(c.ref)
	for prev := (ref{}); set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		if prev = k.ref; !t.walk(k, f) {
			return false
		}
	}
	return true
}

// Direction says where a neighbour lies, by -1, 0 or 1 on each axis. One number that is
// not 0 is a face, two are an edge, three a corner.
type Direction struct{ X, Y, Z int }

// valid reports whether there is such a direction. Z is 0 in a flat tree.
func valid(d Direction, flat bool) bool {
	one := func(v int) bool { return v >= -1 && v <= 1 }
	return one(d.X) && one(d.Y) && one(d.Z) && d != Direction{} && (!flat || d.Z == 0)
}

// Neighbour returns the node of the same size in a direction, or the larger leaf in its
// place. It reports false where there is no node: out of the root, and where a layout that
// makes nodes when they are needed has not needed one.
func (n Node) Neighbour(d Direction) (Node, bool) {
	t, c := n.tree, n.at
	if !valid(d, t.opts.Flat) {
		return Node{}, false
	}
	edge := 2 * c.half
	to := cell{c.x + float32(d.X)*edge, c.y + float32(d.Y)*edge, c.z + float32(d.Z)*edge, c.half}
	if !t.surrounds(t.top, to) {
		return Node{}, false
	}
	m := t.besides(c, to, d)
	if m.none() || m.half > to.half && !t.leaf(m.ref) {
		return Node{}, false
	}
	return Node{t, m}, true
}

// surrounds reports whether the center of a cell lies in another.
func (t *Tree) surrounds(c, k cell) bool {
	in := func(at, middle float32) bool { return at > middle-c.half && at < middle+c.half }
	return in(k.x, c.x) && in(k.y, c.y) && (t.opts.Flat || in(k.z, c.z))
}

// besides returns the deepest node on the way to a cell beside c, at most as deep as c. A
// linear layout computes the cell's code, and shortens it until there is a node. Others
// go up until both are below one node, and down from there.
func (t *Tree) besides(c cursor, to cell, d Direction) cursor {
	if t.codes != nil {
		code := t.codes.beside(c.code, d)
		m := cursor{t.codes.find(code), to}
		for m.none() {
			code >>= t.opts.dimensions()
			m = cursor{t.codes.find(code), m.above(t.position(m.cell))}
		}
		return m
	}
	if _, ok := t.nodes.parent(c.ref); !ok {
		return t.down(t.rootCursor(), to)
	}
	for !t.surrounds(c.cell, to) {
		c = t.up(c)
	}
	return t.down(c, to)
}

// facing finds the leaves below c on the side from which a direction comes.
func (t *Tree) facing(c cursor, d Direction, yield func(Node) bool) bool {
	leaf := true
	_, set := t.nodes.look(c.ref)
	for prev := (ref{}); set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		leaf, prev = false, k.ref
		o := first(set)
		if faces(o&1, d.X) && faces(o>>1&1, d.Y) && faces(o>>2, d.Z) && !t.facing(k, d, yield) {
			return false
		}
	}
	return !leaf || yield(Node{t, c})
}

// faces reports whether a half of a cell touches what lies against a direction.
func faces(high uint8, d int) bool { return d == 0 || (d < 0) == (high == 1) }

// Neighbours calls yield once for each leaf that touches a node, with the direction in
// which it does: over a face if it shares a part of a face, over an edge or a corner if it
// shares no more than that.
func (n Node) Neighbours(yield func(Node, Direction) bool) {
	deep := 1
	if n.tree.opts.Flat {
		deep = 0
	}
	for z := -deep; z <= deep; z++ {
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				d := Direction{X: x, Y: y, Z: z}
				m, ok := n.Neighbour(d)
				if !ok || m.at.half > n.at.half && !n.only(m, d) {
					continue
				}
				if !n.tree.facing(m.at, d, func(leaf Node) bool { return yield(leaf, d) }) {
					return
				}
			}
		}
	}
}

// only reports whether a larger leaf shares no more than a direction says: on the axes
// where the direction is not 0, it lies beside the node.
func (n Node) only(m Node, d Direction) bool {
	beside := func(a, b float32, d int) bool {
		return d == 0 || (b-a)*float32(d) == n.at.half+m.at.half
	}
	return beside(n.at.x, m.at.x, d.X) && beside(n.at.y, m.at.y, d.Y) && beside(n.at.z, m.at.z, d.Z)
}
