package octree

import "math"

const (
	maxDepth = 32
	// bucketItems is a power of two, so that a number of bucket and position is cheap.
	bucketItems = 8
)

// node is a cell of the tree. An object lies in the deepest node on the way to its
// center that contains its box, until it moves out of the node. A node takes one line of
// the processor's cache, and a query reads no child that it does not enter.
type node struct {
	middle   Vec    // of the cell. Depth and middle give the loose box
	children uint32 // the first of a block, or none. The bits of a child are x = 1, y = 2, z = 4
	own      int32  // objects in the node
	below    int32  // objects in all nodes below it
	head     uint32 // the first bucket, or none. All buckets but the first are full
	parent   uint32
	splitAt  int32  // so many own objects make a node without children try to split
	changed  uint32 // the clock when something in or below the node changed last
	touched  uint32 // the same of the own objects
	depth    uint8
	filled   uint8 // a bit for each child that is not empty
}

// bucket holds objects of one node. It takes two lines of the cache.
type bucket struct {
	lanes [lanes][bucketItems]uint8 // the coarse boxes
	n     uint32
	next  uint32 // in the node, or on the free list
	node  uint32
	ids   [bucketItems]ObjectID
}

var (
	everything = Box{Vec{math.Inf(-1), math.Inf(-1), math.Inf(-1)}, Vec{math.Inf(1), math.Inf(1), math.Inf(1)}}
	nowhere    = Box{everything.Max, everything.Min}
)

// attach puts an object that is in no node where it belongs.
func (t *Tree) attach(id ObjectID, b Box) {
	n := uint32(0)
	if !t.stray(&b) {
		for c := t.childFor(&t.nodes[n], &b); c != none; c = t.childFor(&t.nodes[n], &b) {
			t.enter(n, c)
			n = c
		}
	}
	t.add(n, id, &b)
	t.touch(n)
	switch {
	case t.strays > t.expect && t.strays > t.opts.SplitAbove && t.strays > t.size/256:
		t.rebuild(t.entries())
	case t.nodes[n].own >= t.nodes[n].splitAt:
		t.split(n)
	}
}

// detach takes an object out of its node, and takes children from nodes that no longer
// need them.
func (t *Tree) detach(item uint32) {
	m := t.buckets[item/bucketItems].node
	if m == 0 {
		if old := t.at(item); t.stray(&old) {
			t.strays--
		}
	}
	t.touch(m)
	t.drop(m, item)
	for c, n := m, t.nodes[m].parent; n != none; c, n = n, t.nodes[n].parent {
		t.node(n).below--
		if t.nodes[c].empty() {
			t.nodes[n].filled &^= 1 << (c - t.nodes[n].children)
		}
		if int(t.nodes[n].below) < t.opts.SplitAbove/2 {
			t.merge(n)
		}
	}
}

// enter counts an object that goes from n to its child c or below.
func (t *Tree) enter(n, c uint32) {
	nd := t.node(n)
	nd.below++
	nd.filled |= 1 << (c - nd.children)
}

// add puts an object into the first bucket of a node.
func (t *Tree) add(n uint32, id ObjectID, b *Box) {
	h := t.nodes[n].head
	if h == none || t.buckets[h].n == bucketItems {
		h = t.newBucket(n)
	}
	k := t.bucket(h)
	k.ids[k.n%bucketItems] = id
	item := h*bucketItems + k.n
	k.n++
	t.slot(uint32(id)).item = item
	nd := t.node(n)
	t.put(nd, item, b)
	nd.own++
	if n == 0 && t.stray(b) {
		t.strays++
	}
}

// put sets the box of an item of a node.
func (t *Tree) put(n *node, item uint32, b *Box) {
	t.set(item, b)
	t.setLanes(t.bucket(item/bucketItems), item, n, b)
}

// drop fills the place of an object with the last one of the node's first bucket.
func (t *Tree) drop(n, item uint32) {
	h := t.nodes[n].head
	last := t.bucket(h)
	last.n--
	from := h*bucketItems + last.n
	if from != item {
		k, b := t.bucket(item/bucketItems), t.at(from)
		t.set(item, &b)
		k.ids[item%bucketItems] = last.ids[from%bucketItems]
		for l := range lanes {
			k.lanes[l][item%bucketItems] = last.lanes[l][from%bucketItems]
		}
		t.slot(uint32(k.ids[item%bucketItems])).item = item
	}
	last.lanes[0][from%bucketItems] = noObject
	nd := t.node(n)
	nd.own--
	if last.n == 0 {
		nd.head = last.next
		t.freeBuckets(h)
	}
}

func (t *Tree) newBucket(n uint32) uint32 {
	h := t.freeBucket
	if h == none {
		h = uint32(len(t.buckets))
		t.buckets = resized(t.buckets, len(t.buckets)+1)
		t.boxes.resize(len(t.buckets) * bucketItems)
	} else {
		t.freeBucket = t.buckets[h].next
	}
	k, nd := t.bucket(h), t.node(n)
	k.n, k.next, k.node = 0, nd.head, n
	for i := range k.lanes[0] {
		k.lanes[0][i] = noObject
	}
	nd.head = h
	return h
}

func (t *Tree) freeBuckets(h uint32) {
	t.bucket(h).next, t.freeBucket = t.freeBucket, h
}

// splitAt returns when a node without children tries to split next, if so many of its
// own objects fit children now. The tries get rare as objects that do not fit get many.
func (t *Tree) splitAt(own, fits int) int32 {
	return int32(own + max(t.opts.SplitAbove+1-fits, own/8))
}

// box returns the loose box of a node, which contains all objects in and below it.
func (t *index) box(n *node) Box {
	if n.depth == 0 {
		return everything
	}
	return t.around(n.middle, t.reach[n.depth%levels])
}

// octant returns which child of a cell with that middle a box belongs to. Branches on
// the signs would be ones that the processor cannot predict.
func octant(middle Vec, b *Box) uint32 {
	c := b.center()
	return uint32(^math.Float64bits(c.X-middle.X)>>63 | ^math.Float64bits(c.Y-middle.Y)>>63<<1 | ^math.Float64bits(c.Z-middle.Z)>>63<<2)
}

// noChild is the octant of an object that fits no child.
const noChild = 8

// fit returns the octant of the child of n that should take b, or noChild.
func (t *index) fit(n *node, b *Box) uint32 {
	o := octant(n.middle, b)
	m, r := t.childMiddle(n, o), t.reach[(n.depth+1)%levels]
	signs := math.Float64bits(b.Min.X-(m.X-r)) | math.Float64bits(b.Min.Y-(m.Y-r)) | math.Float64bits(b.Min.Z-(m.Z-r)) |
		math.Float64bits(m.X+r-b.Max.X) | math.Float64bits(m.Y+r-b.Max.Y) | math.Float64bits(m.Z+r-b.Max.Z)
	if int64(signs) < 0 {
		return noChild
	}
	return o
}

// childFor returns the child of n that should take b, or none.
func (t *index) childFor(n *node, b *Box) uint32 {
	if n.children == none {
		return none
	}
	if o := t.fit(n, b); o != noChild {
		return n.children + o
	}
	return none
}

// childMiddle returns the middle of a child of n.
func (t *index) childMiddle(n *node, octant uint32) Vec {
	half := math.Float64bits(t.half[(n.depth+1)%levels])
	side := func(bit uint32) float64 { return math.Float64frombits(half | uint64(^octant>>bit&1)<<63) }
	return Vec{n.middle.X + side(0), n.middle.Y + side(1), n.middle.Z + side(2)}
}

// childBox returns the loose box of a child of n. It has the numbers that box has for the child.
func (t *index) childBox(n *node, octant uint32) Box {
	return t.around(t.childMiddle(n, octant), t.reach[(n.depth+1)%levels])
}

// around returns the box around a middle. It has no height in a flat tree.
func (t *index) around(middle Vec, reach float64) Box {
	b := Around(middle, reach)
	if t.fan == 4 {
		b.Min.Z, b.Max.Z = 0, 0
	}
	return b
}

// split gives a node children if enough of its objects fit them.
func (t *Tree) split(n uint32) {
	parent := t.nodes[n]
	if parent.children != none || int(parent.depth) >= t.opts.MaxDepth || !t.fine(&parent) {
		t.node(n).splitAt = math.MaxInt32
		return
	}
	fits := 0
	for h := parent.head; h != none; h = t.buckets[h].next {
		for i := range t.buckets[h].n {
			if b := t.at(h*bucketItems + i); t.fit(&parent, &b) != noChild {
				fits++
			}
		}
	}
	if fits <= t.opts.SplitAbove {
		t.node(n).splitAt = t.splitAt(int(parent.own), fits)
		return
	}
	c := t.newChildren(n)
	t.spread(n, n)
	for o := range t.fan {
		if t.nodes[c+o].own >= t.nodes[c+o].splitAt {
			t.split(c + o)
		}
	}
}

// fine reports whether the numbers near a node are precise enough for coarse boxes in its
// children: what they round is less than a quarter of a step.
func (t *Tree) fine(n *node) bool {
	m := max(math.Abs(n.middle.X), math.Abs(n.middle.Y), math.Abs(n.middle.Z)) + t.reach[n.depth]
	return t.reach[n.depth+1] > 0x1p-1000 && m*0x1p-45 < t.reach[n.depth+1]
}

// spread moves the own objects of a node to n, or to the children of n that they fit.
func (t *Tree) spread(from, n uint32) {
	source := t.node(from)
	h := source.head
	source.head, source.own = none, 0
	if from == 0 {
		t.strays = 0
	}
	for h != none {
		for i := range t.buckets[h].n {
			id, b := t.buckets[h].ids[i], t.at(h*bucketItems+i)
			c := t.childFor(&t.nodes[n], &b)
			if c == none {
				c = n
			} else {
				t.enter(n, c)
			}
			t.add(c, id, &b)
		}
		next := t.buckets[h].next
		t.freeBuckets(h)
		h = next
	}
}

// merge takes the children from a node and moves their objects into it. A node that has
// children needs them, so few objects below n means that its children have none.
func (t *Tree) merge(n uint32) {
	nd := t.node(n)
	c, fits := nd.children, int(nd.below)
	nd.children, nd.below, nd.filled, nd.touched = none, 0, 0, nd.changed
	for o := range t.fan {
		t.spread(c+o, n)
	}
	nd.splitAt = t.splitAt(int(nd.own), fits)
	t.node(c).parent, t.freeBlock = t.freeBlock, c
}

func (t *Tree) newBlock() uint32 {
	c := t.freeBlock
	if c != none {
		t.freeBlock = t.nodes[c].parent
		return c
	}
	c = uint32(len(t.nodes))
	t.nodes = resized(t.nodes, len(t.nodes)+int(t.fan))
	return c
}
