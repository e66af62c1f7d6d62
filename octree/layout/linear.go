package layout

import (
	"math/bits"
	"slices"
	"unsafe"
)

// linearNode has its locational code: a bit that is set, then the octants from the root
// down to it. The order of the fields keeps absent ones from taking room.
type linearNode[C uint32 | uint64, M maskRoom, B room] struct {
	objects *bucket
	box     B
	mask    M
	code    C // 0 in a place of the hash table that is free
}

// maskRoom is room for which children exist, or for nothing.
type maskRoom interface{ [0]uint8 | [1]uint8 }

// linear keeps nodes in an array, in the order of a walk, or in a hash table with linear
// probing. Both move nodes when some come and go.
type linear[C uint32 | uint64, M maskRoom, B room] struct {
	form
	sorted  bool
	bits    int // of an octant
	levels  int
	first   uint64 // the code of the first root
	top     uint64 // the code of the root: 1, unless codes are virtual
	nodes   []linearNode[C, M, B]
	n       int
	shift   int // from a hash to a place
	rekeyed int // codes that a new root changed
}

func newLinear[C uint32 | uint64, M maskRoom, B room](o *Options, f form) *linear[C, M, B] {
	l := &linear[C, M, B]{form: f, sorted: o.Storage == Sorted, bits: o.dimensions(), levels: o.levels(), first: 1}
	if o.Virtual { // the first root lies in the middle, in octants that alternate
		for i := range o.levels() - o.MaxDepth {
			l.first = l.first<<l.bits | (1<<l.bits-1)*uint64(i%2)
		}
	}
	return l
}

// depth returns how many octants a code has.
func (l *linear[C, M, B]) depth(code uint64) int { return (bits.Len64(code) - 1) / l.bits }

// compare puts codes in the order of a walk: by their octants, and a code that begins
// another before it. By their numbers alone all codes of a level would come before all
// longer ones, because of the bit in front.
func compare(a, b uint64) int {
	x, y := bits.LeadingZeros64(a), bits.LeadingZeros64(b)
	switch a, b := a<<x, b<<y; {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return y - x
}

// search returns where a code is in the array, or would be, not before from. It looks
// near from first, because children are near their parents.
func (l *linear[C, M, B]) search(code uint64, from int) (int, bool) {
	step, end := 1, from
	for end < len(l.nodes) && compare(uint64(l.nodes[end].code), code) < 0 {
		from, end, step = end+1, end+step, step*2
	}
	end = min(end, len(l.nodes))
	for from < end {
		if mid := int(uint(from+end) / 2); compare(uint64(l.nodes[mid].code), code) < 0 {
			from = mid + 1
		} else {
			end = mid
		}
	}
	return from, from < len(l.nodes) && uint64(l.nodes[from].code) == code
}

// place is where the search for a code in the hash table begins.
func (l *linear[C, M, B]) place(code uint64) int {
	return int(code * 0x9E3779B97F4A7C15 >> l.shift)
}

func (l *linear[C, M, B]) ref(i int) ref {
	return ref{unsafe.Pointer(&l.nodes[i]), uint64(l.nodes[i].code)}
}

func (l *linear[C, M, B]) find(code uint64) ref {
	if l.sorted {
		if i, ok := l.search(code, 0); ok {
			return l.ref(i)
		}
		return ref{}
	}
	for i := l.place(code); l.nodes[i].code != 0; i = (i + 1) & (len(l.nodes) - 1) {
		if uint64(l.nodes[i].code) == code {
			return l.ref(i)
		}
	}
	return ref{}
}

// add makes a node.
func (l *linear[C, M, B]) add(code uint64, c cell) {
	var n linearNode[C, M, B]
	n.code = C(code)
	if l.boxes != Computed {
		keep(&n.box, l.form, c)
	}
	l.put(n)
}

func (l *linear[C, M, B]) put(n linearNode[C, M, B]) {
	l.n++
	if l.sorted {
		i := len(l.nodes)
		if i > 0 && compare(uint64(l.nodes[i-1].code), uint64(n.code)) > 0 {
			i, _ = l.search(uint64(n.code), 0)
		}
		l.nodes = slices.Insert(l.nodes, i, n)
		return
	}
	if l.n > len(l.nodes)/4*3 {
		l.resize(len(l.nodes) * 2)
	}
	i := l.place(uint64(n.code))
	for l.nodes[i].code != 0 {
		i = (i + 1) & (len(l.nodes) - 1)
	}
	l.nodes[i] = n
}

func (l *linear[C, M, B]) resize(places int) {
	old, n := l.nodes, l.n
	l.nodes, l.n, l.shift = make([]linearNode[C, M, B], places), 0, 65-bits.Len(uint(places))
	for _, node := range old {
		if node.code != 0 {
			l.put(node)
		}
	}
	l.n = n
}

// drop takes a node away. In the hash table the nodes behind it move up.
func (l *linear[C, M, B]) drop(code uint64) {
	n := l.find(code)
	if n.none() {
		return
	}
	l.n--
	i := int((uintptr(n.p) - uintptr(unsafe.Pointer(&l.nodes[0]))) / unsafe.Sizeof(l.nodes[0]))
	if l.sorted {
		l.nodes = slices.Delete(l.nodes, i, i+1)
		return
	}
	end := len(l.nodes) - 1
	for k := (i + 1) & end; l.nodes[k].code != 0; k = (k + 1) & end {
		if home := l.place(uint64(l.nodes[k].code)); (k-home)&end >= (k-i)&end {
			l.nodes[i] = l.nodes[k]
			i = k
		}
	}
	l.nodes[i] = linearNode[C, M, B]{}
}

func (l *linear[C, M, B]) at(n ref) *linearNode[C, M, B] { return (*linearNode[C, M, B])(n.p) }

func (l *linear[C, M, B]) reset(c cell) {
	l.nodes, l.n, l.top, l.shift = l.nodes[:0], 0, l.first, 64-4
	if !l.sorted {
		l.nodes = make([]linearNode[C, M, B], 16)
	}
	l.add(l.top, c)
}

func (l *linear[C, M, B]) root() ref { return l.find(l.top) }

func (l *linear[C, M, B]) look(n ref) (*bucket, uint8) {
	node := l.at(n)
	if i := len(node.mask); i > 0 {
		return node.objects, node.mask[i-1]
	}
	all := uint8(1<<(1<<l.bits) - 1)
	switch {
	case l.depth(n.code) >= l.levels:
		all = 0
	case l.sorted: // the next node is the first child, if there is one
		last := unsafe.Pointer(&l.nodes[len(l.nodes)-1])
		if n.p == last {
			all = 0
			break
		}
		next := uint64((*linearNode[C, M, B])(unsafe.Add(n.p, unsafe.Sizeof(*node))).code)
		if next>>l.bits != n.code {
			all = 0
		}
	}
	return node.objects, all
}

func (l *linear[C, M, B]) child(n ref, octant uint8, prev ref) ref {
	code := n.code<<l.bits | uint64(octant)
	if !l.sorted {
		return l.find(code)
	}
	if prev.none() {
		prev = n
	}
	from := int((uintptr(prev.p) - uintptr(unsafe.Pointer(&l.nodes[0]))) / unsafe.Sizeof(l.nodes[0]))
	if i, ok := l.search(code, from+1); ok {
		return l.ref(i)
	}
	return ref{}
}

func (l *linear[C, M, B]) parent(n ref) (ref, bool) { return l.find(n.code >> l.bits), true }
func (l *linear[C, M, B]) kept(n ref) cell          { return kept(&l.at(n).box, l.form) }
func (l *linear[C, M, B]) hang(n ref, b *bucket)    { l.at(n).objects = b }
func (l *linear[C, M, B]) again(n ref) ref          { return l.find(n.code) }

func (l *linear[C, M, B]) open(n, _ cursor, _ uint8) ref { return n.ref }

func (l *linear[C, M, B]) shut(n, _ cursor, _ uint8) ref {
	for o := range uint64(1) << l.bits {
		l.drop(n.code<<l.bits | o)
	}
	fresh := l.find(n.code)
	l.setMask(fresh, 0)
	return fresh
}

func (l *linear[C, M, B]) setMask(n ref, mask uint8) {
	node := l.at(n)
	for i := 0; i < len(node.mask); i++ {
		node.mask[i] = mask
	}
}

func (l *linear[C, M, B]) maskOf(n ref) uint8 {
	_, mask := l.look(n)
	return mask
}

func (l *linear[C, M, B]) grow(n ref, octant uint8, c cell) ref {
	l.setMask(n, l.maskOf(n)|1<<octant)
	code := n.code<<l.bits | uint64(octant)
	l.add(code, c)
	return l.find(code)
}

func (l *linear[C, M, B]) wilt(n ref, octant uint8) {
	l.setMask(n, l.maskOf(n)&^(1<<octant))
	l.drop(n.code<<l.bits | uint64(octant))
}

func (l *linear[C, M, B]) lift(octant uint8, c cell) {
	if l.first != 1 {
		l.top >>= l.bits
	} else {
		l.rekey(func(code uint64) uint64 {
			end := uint64(1) << (l.depth(code) * l.bits)
			return end<<l.bits | uint64(octant)*end | code&(end-1)
		})
	}
	l.add(l.top, c)
	l.setMask(l.root(), 1<<octant)
}

func (l *linear[C, M, B]) sink(octant uint8) {
	for o := range uint64(1) << l.bits {
		if o != uint64(octant) {
			l.drop(l.top<<l.bits | o)
		}
	}
	l.drop(l.top)
	if l.first != 1 {
		l.top = l.top<<l.bits | uint64(octant)
		return
	}
	l.rekey(func(code uint64) uint64 {
		end := uint64(1) << ((l.depth(code) - 1) * l.bits)
		return end | code&(end-1)
	})
}

// rekey changes all codes. The order of a walk stays, but a hash table is built anew, and
// the objects learn where their nodes are.
func (l *linear[C, M, B]) rekey(change func(uint64) uint64) {
	for i := range l.nodes {
		n := &l.nodes[i]
		if n.code == 0 {
			continue
		}
		n.code = C(change(uint64(n.code)))
		for b := n.objects; b != nil; b = b.next {
			b.at.code = uint64(n.code)
		}
	}
	l.rekeyed += l.n
	if !l.sorted {
		l.resize(len(l.nodes))
	}
}

// beside adds to the bits of one axis at a time.
func (l *linear[C, M, B]) beside(code uint64, d Direction) uint64 {
	depth := l.depth(code)
	end := uint64(1) << (depth * l.bits)
	for axis, step := range [3]int{d.X, d.Y, d.Z} {
		if axis == l.bits {
			break
		}
		var mask uint64
		for i := range depth {
			mask |= 1 << (i*l.bits + axis)
		}
		one := uint64(1) << axis
		switch step {
		case 1:
			code = code&^mask | ((code|^mask)+one)&mask
		case -1:
			code = code&^mask | (code&mask-one)&mask
		}
	}
	return end | code&(end-1)
}

func (l *linear[C, M, B]) measure() (int, uintptr, uintptr, int64) {
	size := unsafe.Sizeof(linearNode[C, M, B]{})
	return l.n, size, size, int64(cap(l.nodes)) * int64(size)
}

func (l *linear[C, M, B]) changed() int { return l.rekeyed }

func (l *linear[C, M, B]) above(n int) (octant uint8, virtual bool) {
	return uint8(l.top >> (n * l.bits) & (1<<l.bits - 1)), l.first != 1
}
