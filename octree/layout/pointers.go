package layout

import "unsafe"

// pointerNode has a pointer to each child.
type pointerNode[K kids, P link, B room] struct {
	head[P, B]
	children K
}

type pointers[K kids, P link, B room] struct {
	linked[P, B]
	top *pointerNode[K, P, B]
	n   int
}

func (l *pointers[K, P, B]) at(n ref) *pointerNode[K, P, B] { return (*pointerNode[K, P, B])(n.p) }

func (l *pointers[K, P, B]) make(c cell, parent unsafe.Pointer) *pointerNode[K, P, B] {
	n := &pointerNode[K, P, B]{}
	l.linked.init(&n.head, c, parent)
	l.n++
	return n
}

func (l *pointers[K, P, B]) reset(c cell) {
	l.n = 0
	l.top = l.make(c, nil)
}

func (l *pointers[K, P, B]) root() ref { return ref{p: unsafe.Pointer(l.top)} }

func (l *pointers[K, P, B]) look(n ref) (*bucket, uint8) {
	node := l.at(n)
	return node.objects, present(&node.children)
}

func (l *pointers[K, P, B]) child(n ref, octant uint8, _ ref) ref {
	return ref{p: l.at(n).children[octant]}
}

func (l *pointers[K, P, B]) shut(n, _ cursor, _ uint8) ref {
	for i := 0; i < len(l.at(n.ref).children); i++ {
		l.wilt(n.ref, uint8(i))
	}
	return n.ref
}

func (l *pointers[K, P, B]) grow(n ref, octant uint8, c cell) ref {
	k := unsafe.Pointer(l.make(c, n.p))
	l.at(n).children[octant] = k
	return ref{p: k}
}

func (l *pointers[K, P, B]) wilt(n ref, octant uint8) {
	if k := &l.at(n).children[octant]; *k != nil {
		*k = nil
		l.n--
	}
}

func (l *pointers[K, P, B]) lift(octant uint8, c cell) {
	old := l.top
	l.top = l.make(c, nil)
	l.top.children[octant] = unsafe.Pointer(old)
	old.tie(unsafe.Pointer(l.top))
}

func (l *pointers[K, P, B]) sink(octant uint8) {
	top := l.top
	for i := 0; i < len(top.children); i++ {
		if i != int(octant) {
			l.wilt(l.root(), uint8(i))
		}
	}
	l.n--
	l.top = (*pointerNode[K, P, B])(top.children[octant])
	l.top.tie(nil)
}

func (l *pointers[K, P, B]) measure() (int, uintptr, uintptr, int64) {
	size := unsafe.Sizeof(*l.top)
	return l.n, size, size, int64(l.n) * sizeClass(size)
}
