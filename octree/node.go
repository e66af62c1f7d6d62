package octree

import "math"

const (
	maxDepth = 32
	// bucketItems is a power of two, so that a number of bucket and position is cheap.
	bucketItems = 8
)

// node is a cell of the tree. An object lies in the deepest node on the way to its
// center that contains its box, until it moves out of the node.
type node struct {
	box      Box    // the loose box: it contains all objects in and below the node
	children uint32 // the first of eight, or none. The bits of a child are x = 1, y = 2, z = 4
	parent   uint32
	head     uint32 // the first bucket, or none. All buckets but the first are full
	own      int32  // objects in the node
	below    int32  // objects in all nodes below it
	splitAt  int32  // so many own objects make a node without children try to split
	depth    uint8
}

// bucket holds objects of one node.
type bucket struct {
	boxes [bucketItems]Box
	ids   [bucketItems]ID
	n     uint32
	node  uint32
	next  uint32 // in the node, or on the free list
}

var (
	everything = Box{Vec{math.Inf(-1), math.Inf(-1), math.Inf(-1)}, Vec{math.Inf(1), math.Inf(1), math.Inf(1)}}
	nowhere    = Box{everything.Max, everything.Min}
)

// attach puts an object that is in no node where it belongs.
func (t *Tree) attach(id ID, b Box) {
	n := uint32(0)
	if !t.stray(&b) {
		for c := t.childFor(n, &b); c != none; c = t.childFor(n, &b) {
			t.nodes[n].below++
			n = c
		}
	}
	t.add(n, id, b)
	switch {
	case t.strays > t.expect && t.strays > t.opts.SplitAbove && t.strays > t.size/256:
		t.Rebuild()
	case t.nodes[n].own >= t.nodes[n].splitAt:
		t.split(n)
	}
}

// detach takes an object out of its node, and takes children from nodes that no longer
// need them.
func (t *Tree) detach(item uint32) {
	n := t.buckets[item/bucketItems].node
	if n == 0 && t.stray(&t.buckets[item/bucketItems].boxes[item%bucketItems]) {
		t.strays--
	}
	t.drop(n, item)
	for n = t.nodes[n].parent; n != none; n = t.nodes[n].parent {
		t.nodes[n].below--
		if int(t.nodes[n].below) < t.opts.SplitAbove/2 {
			t.merge(n)
		}
	}
}

// add puts an object into the first bucket of a node.
func (t *Tree) add(n uint32, id ID, b Box) {
	h := t.nodes[n].head
	if h == none || t.buckets[h].n == bucketItems {
		h = t.newBucket(n)
	}
	k := &t.buckets[h]
	k.boxes[k.n%bucketItems], k.ids[k.n%bucketItems] = b, id
	t.slots[uint32(id)].item = h*bucketItems + k.n
	k.n++
	t.nodes[n].own++
	if n == 0 && t.stray(&b) {
		t.strays++
	}
}

// drop fills the place of an object with the last one of the node's first bucket.
func (t *Tree) drop(n, item uint32) {
	h := t.nodes[n].head
	last := &t.buckets[h]
	last.n--
	if from := h*bucketItems + last.n; from != item {
		k := &t.buckets[item/bucketItems]
		k.boxes[item%bucketItems] = last.boxes[last.n%bucketItems]
		k.ids[item%bucketItems] = last.ids[last.n%bucketItems]
		t.slots[uint32(k.ids[item%bucketItems])].item = item
	}
	t.nodes[n].own--
	if last.n == 0 {
		t.nodes[n].head = last.next
		t.freeBuckets(h)
	}
}

func (t *Tree) newBucket(n uint32) uint32 {
	h := t.freeBucket
	if h == none {
		h = uint32(len(t.buckets))
		t.buckets = append(t.buckets, bucket{})
	} else {
		t.freeBucket = t.buckets[h].next
	}
	k := &t.buckets[h]
	k.n, k.node, k.next = 0, n, t.nodes[n].head
	t.nodes[n].head = h
	return h
}

func (t *Tree) freeBuckets(h uint32) {
	t.buckets[h].next, t.freeBucket = t.freeBucket, h
}

// splitAt returns when a node without children tries to split next, if so many of its
// own objects fit children now. The tries get rare as objects that do not fit get many.
func (t *Tree) splitAt(own, fits int) int32 {
	return int32(own + max(t.opts.SplitAbove+1-fits, own/8))
}

// cell returns the middle of a node's cell.
func (t *Tree) cell(n uint32) Vec {
	if n == 0 {
		return t.home.center()
	}
	return t.nodes[n].box.center()
}

// octant returns which child of a cell with that middle a box belongs to.
func octant(middle Vec, b *Box) (o uint32) {
	c := b.center()
	if c.X >= middle.X {
		o = 1
	}
	if c.Y >= middle.Y {
		o |= 2
	}
	if c.Z >= middle.Z {
		o |= 4
	}
	return o
}

// childFor returns the child of n that should take b, or none.
func (t *Tree) childFor(n uint32, b *Box) uint32 {
	c := t.nodes[n].children
	if c == none {
		return none
	}
	c += octant(t.cell(n), b)
	if !t.nodes[c].box.contains(b) {
		return none
	}
	return c
}

// childBox returns the loose box of a child at a depth.
func (t *Tree) childBox(middle Vec, octant uint32, depth uint8) Box {
	half := math.Ldexp(t.edge, -1-int(depth))
	side := func(v float64, bit uint32) float64 {
		if octant&bit != 0 {
			return v + half
		}
		return v - half
	}
	return Around(Vec{side(middle.X, 1), side(middle.Y, 2), side(middle.Z, 4)}, half*t.opts.Loose)
}

// split gives a node children if enough of its objects fit them.
func (t *Tree) split(n uint32) {
	if t.nodes[n].children != none || int(t.nodes[n].depth) >= t.opts.MaxDepth || t.edge == 0 {
		t.nodes[n].splitAt = math.MaxInt32
		return
	}
	depth, middle := t.nodes[n].depth+1, t.cell(n)
	var boxes [8]Box
	for o := range boxes {
		boxes[o] = t.childBox(middle, uint32(o), depth)
	}
	fits := 0
	for h := t.nodes[n].head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range k.n {
			if b := &k.boxes[i]; boxes[octant(middle, b)].contains(b) {
				fits++
			}
		}
	}
	if fits <= t.opts.SplitAbove {
		t.nodes[n].splitAt = t.splitAt(int(t.nodes[n].own), fits)
		return
	}
	c := t.newBlock()
	for o := range boxes {
		t.nodes[c+uint32(o)] = node{box: boxes[o], children: none, parent: n, head: none, splitAt: t.splitAt(0, 0), depth: depth}
	}
	t.nodes[n].children, t.nodes[n].splitAt = c, math.MaxInt32
	t.spread(n, n)
	for o := range uint32(8) {
		if t.nodes[c+o].own >= t.nodes[c+o].splitAt {
			t.split(c + o)
		}
	}
}

// spread moves the own objects of a node to n, or to the children of n that they fit.
func (t *Tree) spread(from, n uint32) {
	h := t.nodes[from].head
	t.nodes[from].head, t.nodes[from].own = none, 0
	if from == 0 {
		t.strays = 0
	}
	for h != none {
		for i := range t.buckets[h].n {
			id, b := t.buckets[h].ids[i], t.buckets[h].boxes[i]
			c := t.childFor(n, &b)
			if c == none {
				c = n
			} else {
				t.nodes[n].below++
			}
			t.add(c, id, b)
		}
		next := t.buckets[h].next
		t.freeBuckets(h)
		h = next
	}
}

// merge takes the children from a node and moves their objects into it. A node that has
// children needs them, so few objects below n means that its children have none.
func (t *Tree) merge(n uint32) {
	c, fits := t.nodes[n].children, int(t.nodes[n].below)
	t.nodes[n].children, t.nodes[n].below = none, 0
	for o := range uint32(8) {
		t.spread(c+o, n)
	}
	t.nodes[n].splitAt = t.splitAt(int(t.nodes[n].own), fits)
	t.nodes[c].parent, t.freeBlock = t.freeBlock, c
}

func (t *Tree) newBlock() uint32 {
	c := t.freeBlock
	if c != none {
		t.freeBlock = t.nodes[c].parent
		return c
	}
	c = uint32(len(t.nodes))
	var block [8]node
	t.nodes = append(t.nodes, block[:]...)
	return c
}
