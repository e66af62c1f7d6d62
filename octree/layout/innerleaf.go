package layout

import "unsafe"

// leafNode has no room for children. It is also the beginning of each innerNode, so that
// a node tells by leaf which of both it is.
type leafNode[P link, B room] struct {
	head[P, B]
	leaf bool
}

type innerNode[K kids, P link, B room] struct {
	leafNode[P, B]
	children K
}

type innerLeaf[K kids, P link, B room] struct {
	linked[P, B]
	top            unsafe.Pointer
	inners, leaves int
}

func (l *innerLeaf[K, P, B]) at(n ref) *leafNode[P, B] { return (*leafNode[P, B])(n.p) }

func (l *innerLeaf[K, P, B]) children(n ref) *K { return &(*innerNode[K, P, B])(n.p).children }

func (l *innerLeaf[K, P, B]) make(c cell, parent unsafe.Pointer) *leafNode[P, B] {
	n := &leafNode[P, B]{leaf: true}
	l.linked.init(&n.head, c, parent)
	l.leaves++
	return n
}

func (l *innerLeaf[K, P, B]) reset(c cell) {
	l.inners, l.leaves = 0, 0
	l.top = unsafe.Pointer(l.make(c, nil))
}

func (l *innerLeaf[K, P, B]) root() ref { return ref{p: l.top} }

func (l *innerLeaf[K, P, B]) look(n ref) (*bucket, uint8) {
	node := l.at(n)
	if node.leaf {
		return node.objects, 0
	}
	return node.objects, present(l.children(n))
}

func (l *innerLeaf[K, P, B]) child(n ref, octant uint8, _ ref) ref {
	if l.at(n).leaf {
		return ref{}
	}
	return ref{p: (*l.children(n))[octant]}
}

// swap puts another node in the place of a node.
func (l *innerLeaf[K, P, B]) swap(parent cursor, octant uint8, now unsafe.Pointer) ref {
	if parent.none() {
		l.top = now
	} else {
		(*l.children(parent.ref))[octant] = now
	}
	return ref{p: now}
}

func (l *innerLeaf[K, P, B]) open(n, parent cursor, octant uint8) ref {
	if !l.at(n.ref).leaf {
		return n.ref
	}
	inner := &innerNode[K, P, B]{leafNode: *l.at(n.ref)}
	inner.leaf = false
	l.inners, l.leaves = l.inners+1, l.leaves-1
	return l.swap(parent, octant, unsafe.Pointer(inner))
}

func (l *innerLeaf[K, P, B]) shut(n, parent cursor, octant uint8) ref {
	if l.at(n.ref).leaf {
		return n.ref
	}
	children := l.children(n.ref)
	for i := 0; i < len(*children); i++ {
		l.wilt(n.ref, uint8(i))
	}
	leaf := *l.at(n.ref)
	leaf.leaf = true
	l.inners, l.leaves = l.inners-1, l.leaves+1
	return l.swap(parent, octant, unsafe.Pointer(&leaf))
}

func (l *innerLeaf[K, P, B]) grow(n ref, octant uint8, c cell) ref {
	k := unsafe.Pointer(l.make(c, n.p))
	(*l.children(n))[octant] = k
	return ref{p: k}
}

// wilt may take away an inner node that has lost its children.
func (l *innerLeaf[K, P, B]) wilt(n ref, octant uint8) {
	k := &(*l.children(n))[octant]
	if *k == nil {
		return
	}
	if l.at(ref{p: *k}).leaf {
		l.leaves--
	} else {
		l.inners--
	}
	*k = nil
}

func (l *innerLeaf[K, P, B]) lift(octant uint8, c cell) {
	old := l.top
	top := &innerNode[K, P, B]{leafNode: *l.make(c, nil)}
	top.leaf = false
	l.inners, l.leaves = l.inners+1, l.leaves-1
	top.children[octant] = old
	l.top = unsafe.Pointer(top)
	l.at(ref{p: old}).tie(l.top)
}

func (l *innerLeaf[K, P, B]) sink(octant uint8) {
	children := l.children(l.root())
	for i := 0; i < len(*children); i++ {
		if i != int(octant) {
			l.wilt(l.root(), uint8(i))
		}
	}
	l.inners--
	l.top = (*children)[octant]
	l.at(l.root()).tie(nil)
}

func (l *innerLeaf[K, P, B]) measure() (int, uintptr, uintptr, int64) {
	inner, leaf := unsafe.Sizeof(innerNode[K, P, B]{}), unsafe.Sizeof(leafNode[P, B]{})
	return l.inners + l.leaves, inner, leaf, int64(l.inners)*sizeClass(inner) + int64(l.leaves)*sizeClass(leaf)
}
