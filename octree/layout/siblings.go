package layout

import "unsafe"

// siblingNode is in the list of its parent's children, in the order of octants. It knows
// its octant by its box, or by a byte if it keeps no box.
type siblingNode[P link, B room, O octantRoom] struct {
	head[P, B]
	octant O
	next   *siblingNode[P, B, O]
	first  *siblingNode[P, B, O]
}

// octantRoom is room for an octant, or for nothing.
type octantRoom interface{ [0]uint8 | [1]uint8 }

type siblings[P link, B room, O octantRoom] struct {
	linked[P, B]
	top *siblingNode[P, B, O]
	n   int
}

func (l *siblings[P, B, O]) at(n ref) *siblingNode[P, B, O] { return (*siblingNode[P, B, O])(n.p) }

func (l *siblings[P, B, O]) make(c cell, octant uint8, parent unsafe.Pointer) *siblingNode[P, B, O] {
	n := &siblingNode[P, B, O]{}
	l.mark(n, octant)
	l.linked.init(&n.head, c, parent)
	l.n++
	return n
}

func (l *siblings[P, B, O]) mark(n *siblingNode[P, B, O], octant uint8) {
	for i := 0; i < len(n.octant); i++ {
		n.octant[i] = octant
	}
}

// octantOf returns which child of n k is.
func (l *siblings[P, B, O]) octantOf(n, k *siblingNode[P, B, O]) uint8 {
	if i := len(k.octant); i > 0 {
		return k.octant[i-1]
	}
	o := kept(&n.box, l.form).toward(kept(&k.box, l.form))
	if l.flat {
		o &= 3
	}
	return o
}

func (l *siblings[P, B, O]) reset(c cell) {
	l.n = 0
	l.top = l.make(c, 0, nil)
}

func (l *siblings[P, B, O]) root() ref { return ref{p: unsafe.Pointer(l.top)} }

func (l *siblings[P, B, O]) look(n ref) (*bucket, uint8) {
	node := l.at(n)
	switch {
	case node.first == nil:
		return node.objects, 0
	case l.flat:
		return node.objects, 0b1111
	}
	return node.objects, 0b11111111
}

func (l *siblings[P, B, O]) child(n ref, octant uint8, prev ref) ref {
	node := l.at(n)
	k := node.first
	if !prev.none() {
		k = l.at(prev).next
	}
	for ; k != nil; k = k.next {
		if o := l.octantOf(node, k); o == octant {
			return ref{p: unsafe.Pointer(k)}
		} else if o > octant {
			break
		}
	}
	return ref{}
}

func (l *siblings[P, B, O]) shut(n, _ cursor, _ uint8) ref {
	node := l.at(n.ref)
	for ; node.first != nil; node.first = node.first.next {
		l.n--
	}
	return n.ref
}

// place returns the link where a child is, or would be.
func (l *siblings[P, B, O]) place(n *siblingNode[P, B, O], octant uint8) **siblingNode[P, B, O] {
	at := &n.first
	for *at != nil && l.octantOf(n, *at) < octant {
		at = &(*at).next
	}
	return at
}

func (l *siblings[P, B, O]) grow(n ref, octant uint8, c cell) ref {
	k, at := l.make(c, octant, n.p), l.place(l.at(n), octant)
	k.next, *at = *at, k
	return ref{p: unsafe.Pointer(k)}
}

func (l *siblings[P, B, O]) wilt(n ref, octant uint8) {
	if at := l.place(l.at(n), octant); *at != nil && l.octantOf(l.at(n), *at) == octant {
		*at = (*at).next
		l.n--
	}
}

func (l *siblings[P, B, O]) lift(octant uint8, c cell) {
	old := l.top
	l.top = l.make(c, 0, nil)
	l.top.first = old
	l.mark(old, octant)
	old.tie(unsafe.Pointer(l.top))
}

func (l *siblings[P, B, O]) sink(octant uint8) {
	top := *l.place(l.top, octant)
	l.shut(cursor{ref: l.root()}, cursor{}, 0)
	l.top = top
	l.top.next = nil
	l.top.tie(nil)
}

func (l *siblings[P, B, O]) measure() (int, uintptr, uintptr, int64) {
	size := unsafe.Sizeof(*l.top)
	return l.n, size, size, int64(l.n) * sizeClass(size)
}
