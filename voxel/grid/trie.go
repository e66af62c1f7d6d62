package grid

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	nodeBits = 9             // bits of a code: three each of x, y and z
	nodeKids = 1 << nodeBits // 8x8x8
)

// node is a cube of 8x8x8 smaller cubes. It keeps those that hold a chunk, in the
// order of codes. A chain of nodes with one kid each is left out, so a search must
// compare prefixes. Nodes in a View never change.
type node struct {
	mask    [nodeKids / 64]uint64
	rank    [nodeKids / 64]uint16 // kids before each word of mask
	prefix  geom.Code             // of the cube
	shift   uint8                 // of a code to the index of a kid; 0: kids are chunks
	missing bool                  // a chunk is NotLoaded
	count   int                   // chunks
	kids    []*node
	chunks  []*voxel.Chunk
}

// find returns the chunk in the map, or nil.
func (n *node) find(code geom.Code) *voxel.Chunk {
	for n != nil && code>>((n.shift+nodeBits)&63) == n.prefix {
		k, ok := n.place(int(code >> (n.shift & 63) % nodeKids))
		if !ok {
			return nil
		}
		if n.shift == 0 {
			return n.chunks[k]
		}
		n = n.kids[k]
	}
	return nil
}

// place returns how many kids come before index i, and whether i is set.
func (n *node) place(i int) (int, bool) {
	w, b := n.mask[i>>6&7], uint64(1)<<(i&63)
	return int(n.rank[i>>6&7]) + bits.OnesCount64(w&(b-1)), w&b != 0
}

// number returns the index of n's kid that covers the code. n must cover it.
func (n *node) number(code geom.Code) int { return int(code >> n.shift % nodeKids) }

// covers reports whether the code lies in n's cube.
func (n *node) covers(code geom.Code) bool { return code>>(n.shift+nodeBits) == n.prefix }

// low returns the least code in n's cube.
func (n *node) low() geom.Code { return n.prefix << (n.shift + nodeBits) }

// set marks kid i as set or not.
func (n *node) set(i int, there bool) {
	b := uint64(1) << (i & 63)
	n.mask[i>>6] &^= b
	if there {
		n.mask[i>>6] |= b
	}
}

// seal completes a node whose mask and kids are ready. It returns nil for an empty
// node, and the kid for a node with a lone node as kid.
func (n *node) seal() *node {
	sum := 0
	for i, w := range n.mask {
		n.rank[i] = uint16(sum)
		sum += bits.OnesCount64(w)
	}
	switch {
	case sum == 0:
		return nil
	case sum == 1 && n.shift > 0:
		return n.kids[0]
	}
	n.count = len(n.chunks)
	for _, k := range n.kids {
		n.count += k.count
		n.missing = n.missing || k.missing
	}
	n.missing = n.missing || slices.Contains(n.chunks, NotLoaded)
	return n
}

// cube is 4x4x4 places: the code of level 2, and which of them are meant.
type cube struct {
	code geom.Code
	mask uint64
}

// notLoaded is what nodes share whose chunks are all NotLoaded.
var notLoaded = slices.Repeat([]*voxel.Chunk{NotLoaded}, nodeKids)

// unloaded returns a node in which the chunks of cubes, which ascend, are NotLoaded.
func unloaded(cubes []cube) *node {
	if len(cubes) == 0 {
		return nil
	}
	const low = 6 // of a code of a place in a cube
	m := &node{shift: shiftFor(cubes[0].code<<low, cubes[len(cubes)-1].code<<low|1<<low-1)}
	m.prefix = cubes[0].code << low >> (m.shift + nodeBits)
	n := 0
	for len(cubes) > 0 {
		if m.shift == 0 {
			n += bits.OnesCount64(cubes[0].mask)
			m.mask[cubes[0].code%(nodeKids/64)] = cubes[0].mask
			cubes = cubes[1:]
			continue
		}
		i, end := m.number(cubes[0].code<<low), 1
		for end < len(cubes) && m.number(cubes[end].code<<low) == i {
			end++
		}
		if kid := unloaded(cubes[:end]); kid != nil {
			m.kids = append(m.kids, kid)
			m.set(i, true)
		}
		cubes = cubes[end:]
	}
	m.chunks = notLoaded[:n:n]
	return m.seal()
}

// change is a new chunk at a place; nil removes it.
type change struct {
	code  geom.Code
	chunk *voxel.Chunk
}

// merge returns n with the changes, which have ascending, distinct codes. It copies
// each node once.
func (n *node) merge(changes []change) *node {
	if len(changes) == 0 {
		return n
	}
	lo, hi := changes[0].code, changes[len(changes)-1].code
	if n != nil {
		if n.covers(lo) && n.covers(hi) {
			return n.with(changes)
		}
		lo, hi = min(lo, n.low()), max(hi, n.low())
	}
	m := &node{shift: shiftFor(lo, hi)}
	m.prefix = lo >> (m.shift + nodeBits)
	if m.shift == 0 {
		return m.with(changes)
	}
	if n != nil {
		m.kids = []*node{n}
		m.set(m.number(n.low()), true)
		for i := m.number(n.low())>>6 + 1; i < len(m.rank); i++ {
			m.rank[i] = 1
		}
	}
	return m.with(changes)
}

// shiftFor returns the shift of the least node that covers both codes.
func shiftFor(a, b geom.Code) uint8 {
	n := bits.Len64(uint64(a ^ b))
	return uint8(max(n-1, 0) / nodeBits * nodeBits)
}

// with is merge where n covers all changes.
func (n *node) with(changes []change) *node {
	m := &node{mask: n.mask, prefix: n.prefix, shift: n.shift}
	if n.shift == 0 {
		m.chunks = n.mergeChunks(m, changes)
	} else {
		m.kids = n.mergeKids(m, changes)
	}
	return m.seal()
}

func (n *node) mergeChunks(m *node, changes []change) []*voxel.Chunk {
	out := make([]*voxel.Chunk, 0, min(nodeKids, len(n.chunks)+len(changes)))
	from := 0
	for _, c := range changes {
		i := n.number(c.code)
		k, there := n.place(i)
		out = append(out, n.chunks[from:k]...)
		from = k
		if there {
			from++
		}
		if c.chunk != nil {
			out = append(out, c.chunk)
		}
		m.set(i, c.chunk != nil)
	}
	return append(out, n.chunks[from:]...)
}

func (n *node) mergeKids(m *node, changes []change) []*node {
	groups := 0
	for i := range changes {
		if i == 0 || n.number(changes[i].code) != n.number(changes[i-1].code) {
			groups++
		}
	}
	out := make([]*node, 0, min(nodeKids, len(n.kids)+groups))
	from := 0
	for len(changes) > 0 {
		i, end := n.number(changes[0].code), 1
		for end < len(changes) && n.number(changes[end].code) == i {
			end++
		}
		k, there := n.place(i)
		out = append(out, n.kids[from:k]...)
		from = k
		var kid *node
		if there {
			kid = n.kids[k]
			from++
		}
		if kid = kid.merge(changes[:end]); kid != nil {
			out = append(out, kid)
		}
		m.set(i, kid != nil)
		changes = changes[end:]
	}
	return append(out, n.kids[from:]...)
}
