package layout

import (
	"unsafe"
)

// nodes is what a layout must do. Everything else is written over it. Any call of grow,
// wilt, open, shut, lift, sink and reset may move nodes: then again finds a node that is
// still there. A ref that came out of the layout since the last such call is fresh, and
// all calls but again want fresh refs.
type nodes interface {
	// reset makes a tree of one node without objects.
	reset(root cell)
	root() ref
	// look returns the objects of a node, and which children it may have. A node with none
	// has no children.
	look(n ref) (*bucket, uint8)
	// child returns a child, or the zero ref. prev is a child with a lower octant, or none;
	// it can shorten the search.
	child(n ref, octant uint8, prev ref) ref
	// parent returns the parent of a node that is not the root, and whether the layout can.
	parent(n ref) (ref, bool)
	// kept returns the cell of a node, if the layout keeps it.
	kept(n ref) cell
	hang(n ref, objects *bucket)
	again(n ref) ref

	// open lets a node have children; what is below it is not yet there, or empty. shut
	// takes all children away, which are without children and objects. The node is a child
	// of parent, or the root if that is none. Both return where the node is then.
	open(n, parent cursor, octant uint8) ref
	shut(n, parent cursor, octant uint8) ref
	// grow makes a child that is not there. wilt takes one away that has no children and
	// no objects, if the layout can have one child less.
	grow(n ref, octant uint8, c cell) ref
	wilt(n ref, octant uint8)
	// lift puts a new root above the root, which becomes that child. sink makes that child
	// the root; the others are without children and objects.
	lift(octant uint8, root cell)
	sink(octant uint8)

	// measure returns how many nodes there are, the size of each type, and what is allocated.
	measure() (nodes int, inner, leaf uintptr, bytes int64)
}

// coded is what layouts with locational codes do besides.
type coded interface {
	// find returns the node with a code, or the zero ref.
	find(code uint64) ref
	// beside returns the code of the cell of the same size one step away on each axis. It
	// must lie in the root.
	beside(code uint64, d Direction) uint64
	// above returns which child the root after n more is of the next one, if codes are virtual.
	above(n int) (octant uint8, virtual bool)
	// changed returns how many codes a new root has changed.
	changed() int
}

// link is room for a pointer to the parent, or for nothing.
type link interface {
	[0]unsafe.Pointer | [1]unsafe.Pointer
}

// head is the beginning of all nodes with pointers. The order of the fields keeps absent
// ones from taking room.
type head[P link, B room] struct {
	parent  P
	box     B
	objects *bucket
}

// linked does what all layouts with pointers do alike. Their nodes do not move.
type linked[P link, B room] struct{ form }

func (l *linked[P, B]) head(n ref) *head[P, B] { return (*head[P, B])(n.p) }

func (l *linked[P, B]) init(n *head[P, B], c cell, parent unsafe.Pointer) {
	if l.boxes != Computed {
		keep(&n.box, l.form, c)
	}
	n.tie(parent)
}

func (n *head[P, B]) tie(parent unsafe.Pointer) {
	for i := 0; i < len(n.parent); i++ {
		n.parent[i] = parent
	}
}

func (l *linked[P, B]) parent(n ref) (ref, bool) {
	room := l.head(n).parent
	if i := len(room); i > 0 {
		return ref{p: room[i-1]}, true
	}
	return ref{}, false
}

func (l *linked[P, B]) kept(n ref) cell               { return kept(&l.head(n).box, l.form) }
func (l *linked[P, B]) hang(n ref, b *bucket)         { l.head(n).objects = b }
func (l *linked[P, B]) again(n ref) ref               { return n }
func (l *linked[P, B]) open(n, _ cursor, _ uint8) ref { return n.ref }

// kids is pointers to the children in three or two dimensions.
type kids interface {
	[4]unsafe.Pointer | [8]unsafe.Pointer
}

// present returns which pointers are there.
func present[K kids](room *K) (set uint8) {
	for i := 0; i < len(*room); i++ {
		if (*room)[i] != nil {
			set |= 1 << i
		}
	}
	return set
}

// newNodes returns the layout that the options ask for.
func newNodes(o *Options) nodes {
	f := form{o.Boxes, o.Flat}
	switch f.floats() {
	case 3:
		return withRoom[[3]float32](o, f)
	case 4:
		return withRoom[[4]float32](o, f)
	case 6:
		return withRoom[[6]float32](o, f)
	}
	return withRoom[[0]float32](o, f)
}

func withRoom[B room](o *Options, f form) nodes {
	switch {
	case o.Storage == Full:
		return newFull(o)
	case o.Storage.linear() && o.Codes == 32 && o.Mask:
		return newLinear[uint32, [1]uint8, B](o, f)
	case o.Storage.linear() && o.Codes == 32:
		return newLinear[uint32, [0]uint8, B](o, f)
	case o.Storage.linear() && o.Mask:
		return newLinear[uint64, [1]uint8, B](o, f)
	case o.Storage.linear():
		return newLinear[uint64, [0]uint8, B](o, f)
	case o.Parents:
		return withLink[[1]unsafe.Pointer, B](o, f)
	}
	return withLink[[0]unsafe.Pointer, B](o, f)
}

func withLink[P link, B room](o *Options, f form) nodes {
	if o.Storage == Siblings {
		if f.boxes == Computed {
			return &siblings[P, B, [1]uint8]{linked: linked[P, B]{f}}
		}
		return &siblings[P, B, [0]uint8]{linked: linked[P, B]{f}}
	}
	if o.Flat {
		return withKids[[4]unsafe.Pointer, P, B](o, f)
	}
	return withKids[[8]unsafe.Pointer, P, B](o, f)
}

func withKids[K kids, P link, B room](o *Options, f form) nodes {
	switch o.Storage {
	case InnerLeaf:
		return &innerLeaf[K, P, B]{linked: linked[P, B]{f}}
	case Block:
		return &blocks[K, P, B]{linked: linked[P, B]{f}}
	}
	return &pointers[K, P, B]{linked: linked[P, B]{f}}
}

// sizeClass returns what the allocator takes for a value of that size.
func sizeClass(bytes uintptr) int64 { return int64(cap(append([]byte(nil), make([]byte, bytes)...))) }
