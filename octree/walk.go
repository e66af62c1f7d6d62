package octree

// Step says how a walk goes on after a node.
type Step int

// The steps of a walk: to what is below the node, past it, to the end.
const (
	Enter Step = iota
	Skip
	Stop
)

// Walk calls visit for the root and then for the nodes below each node, in the order of
// their octants: x first, then y, then z. A node has its eight children (four in a flat
// tree) or none, and some of them may be empty.
func (t *index) Walk(visit func(Node) Step) { t.walk(0, visit) }

func (t *index) walk(n uint32, visit func(Node) Step) bool {
	switch visit(Node{t, n}) {
	case Skip:
		return true
	case Stop:
		return false
	}
	if c := t.nodes[n].children; c != none {
		for o := range t.fan {
			if !t.walk(c+o, visit) {
				return false
			}
		}
	}
	return true
}

// Node is a node of a tree. It is valid until the tree changes. Nodes may be compared.
type Node struct {
	t *index
	n uint32
}

// Root returns the root of the tree.
func (t *index) Root() Node { return Node{t, 0} }

func (n Node) node() *node { return &n.t.nodes[n.n] }

// Cell returns the part of the bounds that the node stands for. Cells of one depth have
// one size and do not overlap but at their borders. The cell of the root is the bounds;
// a tree that has none yet has one node, and its cell is everything.
func (n Node) Cell() Box {
	if n.t.edge == 0 {
		return everything
	}
	nd := n.node()
	b := Around(nd.middle, n.t.half[nd.depth%levels])
	if n.t.fan == 4 {
		b.Min.Z, b.Max.Z = 0, 0
	}
	return b
}

// Loose returns the box that holds all objects in and below the node: for the root,
// everything.
func (n Node) Loose() Box {
	b := n.t.box(n.node())
	if n.t.fan == 4 && n.n != 0 {
		b.Min.Z, b.Max.Z = 0, 0
	}
	return b
}

// Depth returns how many nodes lie above the node.
func (n Node) Depth() int { return int(n.node().depth) }

// Leaf reports whether the node has no children.
func (n Node) Leaf() bool { return n.node().children == none }

// Objects calls yield for each object in the node itself.
func (n Node) Objects(yield func(ObjectID, Box) bool) { n.t.own(n.n, yield) }
