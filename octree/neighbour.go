package octree

// Direction says where a neighbour lies, by -1, 0 or 1 on each axis. One number that is
// not 0 is a face, two are an edge, three a corner.
type Direction struct{ X, Y, Z int }

// wholeEdge is the edge of the root in the smallest cells that a tree can have.
const wholeEdge = 1 << maxDepth

// spot is where a cell lies among the smallest cells.
type spot struct {
	min  [3]int64
	edge int64
}

func (s *spot) child(octant uint32) spot {
	c := spot{s.min, s.edge / 2}
	for axis := range c.min {
		c.min[axis] += int64(octant>>axis&1) * c.edge
	}
	return c
}

// spot finds a node from below, so that nothing is rounded.
func (t *index) spot(n uint32) spot {
	s := spot{edge: wholeEdge >> t.nodes[n].depth}
	for edge := s.edge; n != 0; n, edge = t.nodes[n].parent, edge*2 {
		octant := (n - 1) % t.fan
		for axis := range s.min {
			s.min[axis] += int64(octant>>axis&1) * edge
		}
	}
	return s
}

// direction returns where s lies beside r, and whether it touches it.
func (r *spot) direction(s *spot) (d Direction, touches bool) {
	for axis, side := range [3]*int{&d.X, &d.Y, &d.Z} {
		switch {
		case s.min[axis] > r.min[axis]+r.edge || s.min[axis]+s.edge < r.min[axis]:
			return d, false
		case s.min[axis] == r.min[axis]+r.edge:
			*side = 1
		case s.min[axis]+s.edge == r.min[axis]:
			*side = -1
		}
	}
	return d, true
}

// Neighbours calls yield for each leaf whose cell touches the cell of the node from
// outside: in 26 directions, in 8 of a flat tree, larger, equal or smaller. A leaf that
// lies in several directions comes once, with the one of its largest contact: a face, then
// an edge, then a corner. Empty leaves are leaves, too.
func (n Node) Neighbours(yield func(Node, Direction) bool) {
	r := n.t.spot(n.n)
	n.t.neighbours(0, spot{edge: wholeEdge}, n.n, &r, yield)
}

// neighbours finds the neighbours of node of, at r, in and below node n, at s.
func (t *index) neighbours(n uint32, s spot, of uint32, r *spot, yield func(Node, Direction) bool) bool {
	d, touches := r.direction(&s)
	if !touches || n == of {
		return true
	}
	c := t.nodes[n].children
	if c == none {
		return yield(Node{t, n}, d)
	}
	for o := range t.fan {
		if !t.neighbours(c+o, s.child(o), of, r, yield) {
			return false
		}
	}
	return true
}

// Neighbour returns the neighbour in one direction if that has the size of the node: a
// leaf or what is above smaller leaves. Otherwise it returns the larger leaf there. It
// reports false at the bounds, and for a direction that is none.
func (n Node) Neighbour(d Direction) (Node, bool) {
	s := n.t.spot(n.n)
	at := s.min
	for axis, side := range [3]int{d.X, d.Y, d.Z} {
		at[axis] += int64(side) * s.edge
		if side < -1 || side > 1 || at[axis] < 0 || at[axis] >= wholeEdge || n.t.fan == 4 && axis == 2 && side != 0 {
			return Node{}, false
		}
	}
	m := uint32(0)
	for edge := int64(wholeEdge / 2); edge >= s.edge && n.t.nodes[m].children != none; edge /= 2 {
		octant := uint32(0)
		for axis := range at {
			if at[axis]&edge != 0 {
				octant |= 1 << axis
			}
		}
		m = n.t.nodes[m].children + octant
	}
	return Node{n.t, m}, d != Direction{}
}
