package region

import (
	"fmt"
	"slices"
)

// PolygonError says that corners make no simple polygon. Edge i goes from corner i to the
// next one, the last to the first.
type PolygonError struct {
	Edge, Other int    // the two edges, by the index of the corner where they begin
	How         string // what they do: "cross", "touch", "overlap", or "begin at the same point"
}

func (e *PolygonError) Error() string {
	return fmt.Sprintf("region: polygon: edges %d and %d %s", e.Edge, e.Other, e.How)
}

// checkSimple sweeps a line over the corners from the least x, and at one x from the least z. It keeps the
// edges that the line meets in their order and compares those that become neighbours: the first two
// edges that meet anywhere are neighbours before they do.
func checkSimple(corners []Corner) error {
	order := make([]int32, len(corners))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		switch a, b := corners[i], corners[j]; {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return int(i - j)
	})
	for k, i := range order[1:] {
		if j := order[k]; corners[i] == corners[j] {
			return &PolygonError{int(j), int(i), "begin at the same point"}
		}
	}
	s := sweep{corners: corners, nodes: make([]node, 1), nodeOf: make([]int32, len(corners))}
	for _, v := range order {
		if err := s.pass(v); err != nil {
			return err
		}
	}
	return nil
}

// sweep is the edges that the sweeping line meets: a tree for search, whose nodes are also
// a list from below to above. In the tree a parent has the greater weight, and weights are
// as good as random, so it is balanced.
type sweep struct {
	corners []Corner
	nodes   []node  // nodes[0] is no node
	nodeOf  []int32 // by edge
	root    int32
	free    []int32
}

type node struct {
	edge                int32
	weight              uint32
	left, right, parent int32
	below, above        int32
}

// pass moves the line over the corner v.
func (s *sweep) pass(v int32) error {
	n := int32(len(s.corners))
	in, out := (v+n-1)%n, v
	a, b := s.corners[in], s.corners[(v+1)%n]
	at := s.corners[v]
	switch aFirst, bFirst := a.before(at), b.before(at); {
	case aFirst && bFirst:
		return s.end(in, out)
	case !aFirst && !bFirst:
		return s.begin(in, out, at)
	case bFirst:
		in, out = out, in
	}
	x := s.nodeOf[in]
	s.nodes[x].edge, s.nodeOf[out] = out, x
	if err := s.compare(s.nodes[x].below, x); err != nil {
		return err
	}
	return s.compare(x, s.nodes[x].above)
}

// begin adds the two edges e and f that begin at the point at.
func (s *sweep) begin(e, f int32, at Corner) error {
	switch side := s.ray(e).measure(s.high(f)).sign(); {
	case side == 0:
		return &PolygonError{int(min(e, f)), int(max(e, f)), "overlap"}
	case side < 0:
		e, f = f, e
	}
	var parent, below, above int32
	for x := s.root; x != 0; {
		parent = x
		switch side := s.ray(s.nodes[x].edge).measure(at).sign(); {
		case side == 0:
			return s.error(s.nodes[x].edge, e, "touch")
		case side > 0:
			below, x = x, s.nodes[x].right
		default:
			above, x = x, s.nodes[x].left
		}
	}
	lower := s.add(e, parent, below, above)
	if parent = lower; s.nodes[lower].right != 0 {
		parent = above
	}
	upper := s.add(f, parent, lower, above)
	if err := s.compare(below, lower); err != nil {
		return err
	}
	return s.compare(upper, above)
}

// end removes the edges e and f, which end at one point.
func (s *sweep) end(e, f int32) error {
	if s.ray(e).measure(s.low(f)).sign() == 0 {
		return s.error(e, f, "overlap")
	}
	lower, upper := s.nodeOf[e], s.nodeOf[f]
	if s.nodes[lower].above != upper {
		lower, upper = upper, lower
	}
	if between := s.nodes[lower].above; between != upper {
		panic("region: two edges end at a point, and an edge between them met neither before")
	}
	below, above := s.nodes[lower].below, s.nodes[upper].above
	s.remove(lower)
	s.remove(upper)
	return s.compare(below, above)
}

// compare returns an error if the edges of two neighbours meet elsewhere than at their common end.
func (s *sweep) compare(x, y int32) error {
	if x == 0 || y == 0 {
		return nil
	}
	e, f := s.nodes[x].edge, s.nodes[y].edge
	if n := int32(len(s.corners)); (e+1)%n == f || (f+1)%n == e {
		return nil
	}
	a, b, c, d := s.low(e), s.high(e), s.low(f), s.high(f)
	atC, atD := s.ray(e).measure(c).sign(), s.ray(e).measure(d).sign()
	atA, atB := s.ray(f).measure(a).sign(), s.ray(f).measure(b).sign()
	within := func(side int, p, low, high Corner) bool { return side == 0 && !p.before(low) && !high.before(p) }
	switch {
	case atC*atD < 0 && atA*atB < 0:
		return s.error(e, f, "cross")
	case atC == 0 && atD == 0 && !d.before(a) && !b.before(c):
		return s.error(e, f, "overlap")
	case within(atC, c, a, b) || within(atD, d, a, b) || within(atA, a, c, d) || within(atB, b, c, d):
		return s.error(e, f, "touch")
	}
	return nil
}

func (s *sweep) error(e, f int32, how string) error {
	return &PolygonError{int(min(e, f)), int(max(e, f)), how}
}

// low and high return the ends of an edge in the order of the sweep.
func (s *sweep) low(e int32) Corner {
	a, b := s.corners[e], s.corners[(int(e)+1)%len(s.corners)]
	if b.before(a) {
		return b
	}
	return a
}

func (s *sweep) high(e int32) Corner {
	a, b := s.corners[e], s.corners[(int(e)+1)%len(s.corners)]
	if b.before(a) {
		return a
	}
	return b
}

func (s *sweep) ray(e int32) ray { return through(s.low(e), s.high(e)) }

// add makes a node for an edge between two neighbours: a child of parent, which is one of them,
// or the root.
func (s *sweep) add(edge, parent, below, above int32) int32 {
	var x int32
	if k := len(s.free); k > 0 {
		x, s.free = s.free[k-1], s.free[:k-1]
	} else {
		x = int32(len(s.nodes))
		s.nodes = append(s.nodes, node{})
	}
	weight := uint32(edge) * 0x9E3779B1
	weight = (weight ^ weight>>15) * 0x85EBCA77
	s.nodes[x] = node{edge: edge, weight: weight ^ weight>>13, parent: parent, below: below, above: above}
	s.nodeOf[edge] = x
	switch {
	case parent == 0:
		s.root = x
	case parent == below:
		s.nodes[parent].right = x
	default:
		s.nodes[parent].left = x
	}
	if below != 0 {
		s.nodes[below].above = x
	}
	if above != 0 {
		s.nodes[above].below = x
	}
	s.raise(x)
	return x
}

// raise rotates x up to where its parent is heavier.
func (s *sweep) raise(x int32) {
	for p := s.nodes[x].parent; p != 0 && s.nodes[p].weight < s.nodes[x].weight; p = s.nodes[x].parent {
		s.rotate(x, p)
	}
}

// rotate makes x the parent of its parent p.
func (s *sweep) rotate(x, p int32) {
	child := &s.nodes[x].left
	place := &s.nodes[p].right
	if s.nodes[p].left == x {
		child, place = &s.nodes[x].right, &s.nodes[p].left
	}
	*place = *child
	if *child != 0 {
		s.nodes[*child].parent = p
	}
	*child = p
	s.replace(p, x)
	s.nodes[p].parent = x
}

// replace puts x, or nothing if it is 0, into the place of y below the parent of y.
func (s *sweep) replace(y, x int32) {
	g := s.nodes[y].parent
	switch {
	case g == 0:
		s.root = x
	case s.nodes[g].left == y:
		s.nodes[g].left = x
	default:
		s.nodes[g].right = x
	}
	if x != 0 {
		s.nodes[x].parent = g
	}
}

func (s *sweep) remove(x int32) {
	for s.nodes[x].left != 0 && s.nodes[x].right != 0 {
		child := s.nodes[x].left
		if s.nodes[child].weight < s.nodes[s.nodes[x].right].weight {
			child = s.nodes[x].right
		}
		s.rotate(child, x)
	}
	s.replace(x, s.nodes[x].left|s.nodes[x].right)
	if below := s.nodes[x].below; below != 0 {
		s.nodes[below].above = s.nodes[x].above
	}
	if above := s.nodes[x].above; above != 0 {
		s.nodes[above].below = s.nodes[x].below
	}
	s.free = append(s.free, x)
}
