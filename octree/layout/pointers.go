package layout

import "unsafe"

// pointerNode has a pointer to each child.
type pointerNode[K kids, P link, B room] struct {
	children K
	parent   P
	box      B
	objects  *bucket
}

type pointers[K kids, P link, B room] struct {
	form
	top *pointerNode[K, P, B]
	n   int
}

func (l *pointers[K, P, B]) at(n ref) *pointerNode[K, P, B] { return (*pointerNode[K, P, B])(n.p) }

func (l *pointers[K, P, B]) make(c cell, parent unsafe.Pointer) *pointerNode[K, P, B] {
	n := &pointerNode[K, P, B]{}
	if l.boxes != Computed {
		keep(&n.box, l.form, c)
	}
	tie(&n.parent, parent)
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

func (l *pointers[K, P, B]) parent(n ref) (ref, bool) { return tied(&l.at(n).parent) }
func (l *pointers[K, P, B]) kept(n ref) cell          { return kept(&l.at(n).box, l.form) }
func (l *pointers[K, P, B]) hang(n ref, b *bucket)    { l.at(n).objects = b }
func (l *pointers[K, P, B]) again(n ref) ref          { return n }

func (l *pointers[K, P, B]) open(n, _ cursor, _ uint8) ref { return n.ref }

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
	tie(&old.parent, unsafe.Pointer(l.top))
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
	tie(&l.top.parent, nil)
}

func (l *pointers[K, P, B]) size() (inner, leaf uintptr) {
	size := unsafe.Sizeof(*l.top)
	return size, size
}

func (l *pointers[K, P, B]) count() (int, int64) {
	return l.n, int64(l.n) * sizeClass(unsafe.Sizeof(*l.top))
}
