package layout

import "unsafe"

// fullNode knows nothing but its objects.
type fullNode struct{ objects *bucket }

// full has the root at 0 and the children of i at i<<bits+1 to i<<bits+1<<bits.
type full struct {
	nodes  []fullNode
	bits   int
	leaves uint64 // the first node without children
}

func newFull(o *Options) *full {
	l := &full{bits: o.dimensions()}
	level := uint64(1)
	for range o.MaxDepth {
		l.leaves += level
		level <<= l.bits
	}
	l.nodes = make([]fullNode, l.leaves+level)
	return l
}

func (l *full) ref(i uint64) ref { return ref{unsafe.Pointer(&l.nodes[i]), i} }

func (l *full) reset(cell) { clear(l.nodes) }
func (l *full) root() ref  { return l.ref(0) }

func (l *full) look(n ref) (*bucket, uint8) {
	objects := (*fullNode)(n.p).objects
	if n.code >= l.leaves {
		return objects, 0
	}
	return objects, uint8(1<<(1<<l.bits) - 1)
}

func (l *full) child(n ref, octant uint8, _ ref) ref {
	if n.code >= l.leaves {
		return ref{}
	}
	return l.ref(n.code<<l.bits + 1 + uint64(octant))
}

func (l *full) parent(n ref) (ref, bool) { return l.ref((n.code - 1) >> l.bits), true }
func (l *full) hang(n ref, b *bucket)    { (*fullNode)(n.p).objects = b }
func (l *full) again(n ref) ref          { return n }

func (l *full) kept(ref) cell                   { panic("layout: full keeps no boxes") }
func (l *full) open(n, _ cursor, _ uint8) ref   { return n.ref }
func (l *full) shut(n, _ cursor, _ uint8) ref   { return n.ref }
func (l *full) grow(n ref, o uint8, _ cell) ref { return l.child(n, o, ref{}) }
func (l *full) wilt(ref, uint8)                 {}
func (l *full) lift(uint8, cell)                { panic("layout: the root of full is fixed") }
func (l *full) sink(uint8)                      { panic("layout: the root of full is fixed") }
func (l *full) measure() (int, uintptr, uintptr, int64) {
	size := unsafe.Sizeof(fullNode{})
	return len(l.nodes), size, size, int64(cap(l.nodes)) * int64(size)
}
