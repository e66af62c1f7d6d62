package layout

import "unsafe"

// blockNode has one pointer to all its children, which are allocated together. Like the
// literature's it says by a flag whether it is a leaf, though children would tell.
type blockNode[P link, B room] struct {
	head[P, B]
	children unsafe.Pointer // of 8 or 4 nodes
	leaf     bool
}

// blocks has K for the number of children alone.
type blocks[K kids, P link, B room] struct {
	linked[P, B]
	top *blockNode[P, B]
	n   int
}

func (l *blocks[K, P, B]) at(n ref) *blockNode[P, B] { return (*blockNode[P, B])(n.p) }

// each is how many children a node has.
func (l *blocks[K, P, B]) each() int {
	var k K
	return len(k)
}

func (l *blocks[K, P, B]) init(n *blockNode[P, B], c cell, parent unsafe.Pointer) {
	n.leaf = true
	l.linked.init(&n.head, c, parent)
	l.n++
}

func (l *blocks[K, P, B]) reset(c cell) {
	l.n, l.top = 0, &blockNode[P, B]{}
	l.init(l.top, c, nil)
}

func (l *blocks[K, P, B]) root() ref { return ref{p: unsafe.Pointer(l.top)} }

func (l *blocks[K, P, B]) look(n ref) (*bucket, uint8) {
	node := l.at(n)
	if node.leaf {
		return node.objects, 0
	}
	return node.objects, uint8(1<<l.each() - 1)
}

func (l *blocks[K, P, B]) child(n ref, octant uint8, _ ref) ref {
	node := l.at(n)
	if node.leaf {
		return ref{}
	}
	return ref{p: unsafe.Add(node.children, uintptr(octant)*unsafe.Sizeof(*node))}
}

func (l *blocks[K, P, B]) open(n, _ cursor, _ uint8) ref {
	node := l.at(n.ref)
	if !node.leaf {
		return n.ref
	}
	node.leaf = false
	if l.each() == 4 {
		node.children = unsafe.Pointer(new([4]blockNode[P, B]))
	} else {
		node.children = unsafe.Pointer(new([8]blockNode[P, B]))
	}
	for o := range uint8(l.each()) {
		l.init(l.at(l.child(n.ref, o, ref{})), n.child(o), n.p)
	}
	return n.ref
}

func (l *blocks[K, P, B]) shut(n, _ cursor, _ uint8) ref {
	if node := l.at(n.ref); !node.leaf {
		node.children, node.leaf = nil, true
		l.n -= l.each()
	}
	return n.ref
}

func (l *blocks[K, P, B]) grow(n ref, octant uint8, _ cell) ref { return l.child(n, octant, ref{}) }

// wilt does nothing: a block has all its children.
func (l *blocks[K, P, B]) wilt(ref, uint8) {}

func (l *blocks[K, P, B]) lift(octant uint8, c cell) {
	old, n := l.top, l.n
	l.reset(c)
	l.open(cursor{l.root(), c}, cursor{}, 0)
	l.n = n + l.each()
	k := l.child(l.root(), octant, ref{})
	*l.at(k) = *old
	l.adopt(k, unsafe.Pointer(l.top))
}

// adopt tells a node that has moved its parent, and its children the node.
func (l *blocks[K, P, B]) adopt(n ref, parent unsafe.Pointer) {
	node := l.at(n)
	node.tie(parent)
	for o := range uint8(l.each()) {
		if !node.leaf {
			l.at(l.child(n, o, ref{})).tie(n.p)
		}
	}
}

// sink copies the child, because its block would stay for it.
func (l *blocks[K, P, B]) sink(octant uint8) {
	top := *l.at(l.child(l.root(), octant, ref{}))
	l.top = &top
	l.n -= l.each()
	l.adopt(l.root(), nil)
}

func (l *blocks[K, P, B]) measure() (int, uintptr, uintptr, int64) {
	size, each := unsafe.Sizeof(*l.top), l.each()
	return l.n, size, size, sizeClass(size) + int64((l.n-1)/each)*sizeClass(size*uintptr(each))
}
