package layout

import (
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/octree"
)

// rootCursor returns the root.
func (t *Tree) rootCursor() cursor { return cursor{t.nodes.root(), t.top} }

// again returns a cursor whose ref is fresh.
func (t *Tree) again(c cursor) cursor { return cursor{t.nodes.again(c.ref), c.cell} }

// kid returns a child of c, or one without a ref.
func (t *Tree) kid(c cursor, octant uint8, prev ref) cursor {
	r := t.nodes.child(c.ref, octant, prev)
	if r.none() || t.opts.Boxes == Computed {
		return cursor{r, c.child(octant)}
	}
	return cursor{r, t.nodes.kept(r)}
}

// toward returns in which child of c a smaller cell lies.
func (t *Tree) toward(c, k cell) uint8 { return c.toward(k) & uint8(1<<t.opts.dimensions()-1) }

// position returns which child of its parent a cell is that is not the root.
func (t *Tree) position(c cell) uint8 {
	bit := func(at, top float32) uint8 { return uint8(int32((at-top+t.top.half)/(2*c.half)) & 1) }
	o := bit(c.x, t.top.x) | bit(c.y, t.top.y)<<1
	if !t.opts.Flat {
		o |= bit(c.z, t.top.z) << 2
	}
	return o
}

// up returns the parent of a node that is not the root. A layout that cannot find it is
// searched from the root.
func (t *Tree) up(c cursor) cursor {
	p := c.above(t.position(c.cell))
	if r, ok := t.nodes.parent(c.ref); ok {
		return cursor{r, p}
	}
	return t.down(t.rootCursor(), p)
}

// down returns the deepest node from c toward a cell below it, at most as deep as the cell.
func (t *Tree) down(c cursor, to cell) cursor {
	for c.half > to.half {
		k := t.kid(c, t.toward(c.cell, to), ref{})
		if k.none() {
			break
		}
		c = k
	}
	return c
}

// leaf reports whether a node has no children.
func (t *Tree) leaf(n ref) bool {
	_, set := t.nodes.look(n)
	if set == 0 {
		return true
	}
	for ; set != 0; set &= set - 1 {
		if !t.nodes.child(n, first(set), ref{}).none() {
			return false
		}
	}
	return true
}

// list returns the first bucket of a node.
func (t *Tree) list(n ref) *bucket {
	b, _ := t.nodes.look(n)
	return b
}

// held returns how many objects a node holds itself.
func (t *Tree) held(n ref) int {
	if b := t.list(n); b != nil {
		return int(b.total)
	}
	return 0
}

// add puts an object into a node.
func (t *Tree) add(c cursor, id octree.ObjectID, b *octree.Box) {
	head := t.list(c.ref)
	if head == nil || head.n == bucketItems {
		k := t.spare
		if k == nil {
			k = &bucket{}
			t.buckets++
		} else {
			t.spare = k.next
		}
		k.next, k.at, k.n, k.total = head, t.lasting(c), 0, 0
		if head != nil {
			k.total = head.total
		}
		t.nodes.hang(c.ref, k)
		head = k
	}
	head.boxes[head.n], head.ids[head.n] = *b, id
	s := &t.slots[uint32(id)]
	s.in, s.place = head, head.n
	s.refs++
	head.n++
	head.total++
}

// drop takes an object out of a bucket of a node, and fills its place from the first one.
func (t *Tree) drop(n ref, k *bucket, i uint32) {
	t.slots[uint32(k.ids[i])].refs--
	head := t.list(n)
	head.n--
	head.total--
	if last := head.n; head != k || last != i {
		id := head.ids[last]
		k.boxes[i], k.ids[i] = head.boxes[last], id
		if s := &t.slots[uint32(id)]; s.in == head && s.place == last {
			s.in, s.place = k, i
		}
	}
	if head.n == 0 {
		if head.next != nil {
			head.next.total = head.total
		}
		t.nodes.hang(n, head.next)
		t.free(head)
	}
}

// free puts a bucket on the free list. It must not keep a node alive.
func (t *Tree) free(k *bucket) {
	k.at.ref = ref{}
	k.next, t.spare = t.spare, k
}

// rehome tells the objects of a node where it is.
func (t *Tree) rehome(c cursor) {
	for k := t.list(c.ref); k != nil; k = k.next {
		k.at = t.lasting(c)
	}
}

// lasting returns what a bucket keeps of a cursor. A linear layout finds nodes by their
// codes, and a pointer to where one was would keep an old array alive.
func (t *Tree) lasting(c cursor) cursor {
	if t.opts.Storage.linear() {
		c.p = nil
	}
	return c
}

// stays gives an object its new box if it should stay in its node, and reports whether.
func (t *Tree) stays(id octree.ObjectID, s *slot, b *octree.Box) bool {
	c := s.in.at
	if box := t.box(c.cell); !contains(&box, b) {
		return false
	}
	c = t.again(c)
	head, set := t.nodes.look(c.ref)
	if set != 0 {
		if box := t.box(c.child(t.octant(c.cell, b))); contains(&box, b) && !t.leaf(c.ref) {
			return false
		}
	}
	s.box, s.in.boxes[s.place] = *b, *b
	if t.crowded(int(head.total), id) {
		t.split(c)
	}
	return true
}

// place puts an object in no node where it belongs, in or below c.
func (t *Tree) place(c cursor, id octree.ObjectID, b *octree.Box) {
	if t.opts.Objects != Enclosing {
		t.pad.X = max(t.pad.X, b.Max.X-b.Min.X)
		t.pad.Y = max(t.pad.Y, b.Max.Y-b.Min.Y)
		t.pad.Z = max(t.pad.Z, b.Max.Z-b.Min.Z)
		t.spread(c, id, b)
		return
	}
	for {
		o := t.octant(c.cell, b)
		_, set := t.nodes.look(c.ref)
		if set == 0 {
			break
		}
		if box := t.box(c.child(o)); !contains(&box, b) {
			break
		}
		k := t.kid(c, o, ref{})
		if k.none() {
			if t.leaf(c.ref) {
				break
			}
			k.ref = t.nodes.grow(c.ref, o, k.cell)
		}
		c = k
	}
	t.add(c, id, b)
	if t.crowded(t.held(c.ref), id) {
		t.split(c)
	}
}

// spread puts an object into all leaves below c that it touches.
func (t *Tree) spread(c cursor, id octree.ObjectID, b *octree.Box) {
	if t.leaf(c.ref) {
		part := t.part(c.cell, b)
		t.add(c, id, &part)
		if t.crowded(t.held(c.ref), id) {
			t.split(c)
		}
		return
	}
	for set := t.touched(c.cell, b); set != 0; set &= set - 1 {
		c = t.again(c)
		t.spread(t.grown(c, first(set)), id, b)
	}
}

// grown returns a child and makes it if it is not there.
func (t *Tree) grown(c cursor, octant uint8) cursor {
	k := t.kid(c, octant, ref{})
	if k.none() {
		k.ref = t.nodes.grow(c.ref, octant, k.cell)
	}
	return k
}

// part returns what a leaf keeps of the box of an object.
func (t *Tree) part(c cell, b *octree.Box) octree.Box {
	if t.opts.Objects != Split {
		return *b
	}
	box := t.tight(c)
	return clip(b, &box)
}

// crowded reports whether a leaf that holds n objects, among them id, should try to split.
// A crowd that may be impossible to split does not try each time: as it grows it tries a
// few times until it has doubled, and while its objects move, for one of them.
func (t *Tree) crowded(n int, id octree.ObjectID) bool {
	return n > t.opts.SplitAbove && (n%(1<<max(0, bits.Len(uint(n))-4)) == 0 || id.Index()%n == 0)
}

// split gives children to a leaf that holds too many objects, if that separates them.
func (t *Tree) split(c cursor) {
	if t.opts.Storage == Full || c.half <= t.lowest || !t.leaf(c.ref) || !t.divides(c.cell) || !t.separates(c) {
		return
	}
	parent, octant := t.parentOf(c)
	moving := t.list(c.ref)
	t.nodes.hang(c.ref, nil)
	c.ref = t.nodes.open(c, parent, octant)
	for k := moving; k != nil; {
		for i := range k.n {
			id := k.ids[i]
			s := &t.slots[uint32(id)]
			s.refs--
			t.deal(c, id, &s.box)
			c = t.again(c)
		}
		next := k.next
		t.free(k)
		k = next
	}
	for o := range uint8(1 << t.opts.dimensions()) {
		if k := t.kid(c, o, ref{}); !k.none() && t.held(k.ref) > t.opts.SplitAbove {
			t.split(k)
			c = t.again(c)
		}
	}
}

// deal puts an object of a node that has just got children into them, without splitting.
func (t *Tree) deal(c cursor, id octree.ObjectID, b *octree.Box) {
	if t.opts.Objects != Enclosing {
		for set := t.touched(c.cell, b); set != 0; set &= set - 1 {
			k := t.grown(t.again(c), first(set))
			part := t.part(k.cell, b)
			t.add(k, id, &part)
		}
		return
	}
	o := t.octant(c.cell, b)
	if box := t.box(c.child(o)); contains(&box, b) {
		c = t.grown(c, o)
	}
	t.add(c, id, b)
}

// parentOf returns the parent of a node and which child the node is; nothing for the root.
func (t *Tree) parentOf(c cursor) (parent cursor, octant uint8) {
	if c.half == t.top.half {
		return cursor{}, 0
	}
	return t.up(c), t.position(c.cell)
}

// divides reports whether a cell is large enough to have children: for the options, and
// for the precision of its coordinates.
func (t *Tree) divides(c cell) bool {
	b, m := t.tight(c), t.middle(c)
	edge := max(b.Max.X/2-b.Min.X/2, b.Max.Y/2-b.Min.Y/2)
	if !t.opts.Flat {
		edge = max(edge, b.Max.Z/2-b.Min.Z/2)
	}
	return edge >= t.opts.MinSize && b.Min.X < m.X && m.X < b.Max.X && b.Min.Y < m.Y && m.Y < b.Max.Y &&
		(t.opts.Flat || b.Min.Z < m.Z && m.Z < b.Max.Z)
}

// separates reports whether children of a leaf would separate its objects. Objects in one
// node are separated if enough fit the children and not all have one center. Objects in
// all leaves are separated if they do not all touch the same children; those that all
// lie in one child may be separated below it.
func (t *Tree) separates(c cursor) bool {
	head := t.list(c.ref)
	if t.opts.Objects == Enclosing {
		fits, differ, at := 0, false, center(&head.boxes[0])
		for k := head; k != nil; k = k.next {
			for i := range k.n {
				b := &k.boxes[i]
				if box := t.box(c.child(t.octant(c.cell, b))); contains(&box, b) {
					fits++
				}
				differ = differ || center(b) != at
			}
		}
		return differ && fits > t.opts.SplitAbove
	}
	cell := t.tight(c.cell)
	in := clip(&head.boxes[0], &cell)
	set, same, alike, refs := t.touched(c.cell, &in), true, true, 0
	for k := head; k != nil; k = k.next {
		for i := range k.n {
			b := clip(&k.boxes[i], &cell)
			other := t.touched(c.cell, &b)
			same, alike = same && other == set, alike && b == in
			for ; other != 0; other &= other - 1 {
				refs++
			}
		}
	}
	return refs <= 2*int(head.total) && !alike && (!same || set&(set-1) == 0)
}

// takeOut takes an object out of all nodes that have it.
func (t *Tree) takeOut(id octree.ObjectID, s *slot) {
	if t.opts.Objects != Enclosing {
		t.gather(t.rootCursor(), id, &s.box)
		return
	}
	c := t.again(s.in.at)
	t.drop(c.ref, s.in, s.place)
	t.tidy(c)
}

// gather takes an object out of all leaves below c that it touches.
func (t *Tree) gather(c cursor, id octree.ObjectID, b *octree.Box) {
	if t.leaf(c.ref) {
		for k := t.list(c.ref); k != nil; k = k.next {
			for i := range k.n {
				if k.ids[i] == id {
					t.drop(c.ref, k, i)
					return
				}
			}
		}
		return
	}
	for set := t.touched(c.cell, b); set != 0; set &= set - 1 {
		c = t.again(c)
		if k := t.kid(c, first(set), ref{}); !k.none() {
			t.gather(k, id, b)
			t.prune(t.again(c), first(set))
		}
	}
	t.merge(t.again(c))
}

// tidy takes nodes away that are no longer needed since c lost an object.
func (t *Tree) tidy(c cursor) {
	for c.half < t.top.half && t.held(c.ref) <= t.opts.SplitAbove/2 && t.leaf(c.ref) {
		o := t.position(c.cell)
		c = t.up(c)
		if p, ok := t.merge(c); ok {
			c = p
			continue
		}
		t.prune(c, o)
		return
	}
}

// prune takes a child away that is empty.
func (t *Tree) prune(c cursor, octant uint8) {
	if k := t.kid(c, octant, ref{}); !k.none() && t.held(k.ref) == 0 && t.leaf(k.ref) {
		t.nodes.wilt(c.ref, octant)
	}
}

// merge takes the children of c away if they are leaves with few objects, which c gets.
func (t *Tree) merge(c cursor) (cursor, bool) {
	_, set := t.nodes.look(c.ref)
	if set == 0 || t.opts.Storage == Full {
		return c, false
	}
	few, prev := 0, ref{}
	var children [8]cursor
	n := 0
	for ; set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		if few += t.held(k.ref); few > t.opts.SplitAbove/2 {
			return c, false
		}
		prev, children[n] = k.ref, k
		n++
	}
	for _, k := range children[:n] {
		if !t.leaf(k.ref) {
			return c, false
		}
	}
	var lists [8]*bucket
	for i, k := range children[:n] {
		lists[i] = t.list(k.ref)
		t.nodes.hang(k.ref, nil)
	}
	parent, octant := t.parentOf(c)
	c.ref = t.nodes.shut(c, parent, octant)
	t.rehome(c)
	for _, k := range lists[:n] {
		for k != nil {
			for i := range k.n {
				s := &t.slots[uint32(k.ids[i])]
				if s.refs--; !t.has(c, k.ids[i]) {
					part := t.part(c.cell, &s.box)
					t.add(c, k.ids[i], &part)
				}
			}
			next := k.next
			t.free(k)
			k = next
		}
	}
	return c, true
}

// has reports whether a node holds an object, which only matters if several may.
func (t *Tree) has(c cursor, id octree.ObjectID) bool {
	if t.opts.Objects == Enclosing {
		return false
	}
	for k := t.list(c.ref); k != nil; k = k.next {
		for i := range k.n {
			if k.ids[i] == id {
				return true
			}
		}
	}
	return false
}

// relocate moves an object out of its node: up until a node contains it, then down.
func (t *Tree) relocate(id octree.ObjectID, s *slot, b octree.Box) {
	if t.opts.Objects != Enclosing {
		t.gather(t.rootCursor(), id, &s.box)
		s.box = b
		t.place(t.rootCursor(), id, &b)
		t.shrink()
		return
	}
	from := t.again(s.in.at)
	t.drop(from.ref, s.in, s.place)
	s.box = b
	to := from
	for to.half < t.top.half {
		if box := t.box(to.cell); contains(&box, &b) {
			break
		}
		to = t.up(to)
	}
	t.place(to, id, &b)
	if s.in.at.cell != from.cell {
		t.tidy(t.again(from))
	}
	t.shrink()
}

// expand lets the root grow toward a box until it contains it.
func (t *Tree) expand(b *octree.Box) error {
	top, octants := t.top, [maxLevels]uint8{}
	n := 0
	for ; ; n++ {
		if t.encloses(top, b) {
			break
		}
		if top.half >= t.widest {
			return ErrOutside
		}
		octants[n] = t.outward(top, b, n)
		top = top.above(octants[n])
	}
	for _, o := range octants[:n] {
		old := t.top
		t.top = old.above(o)
		t.nodes.lift(o, t.top)
		t.rehome(cursor{t.nodes.child(t.nodes.root(), o, ref{}), old})
		t.prune(t.rootCursor(), o)
	}
	return nil
}

// encloses reports whether the root's box would contain b if it were that cell's. A root
// that may grow leaves out its upper borders if objects lie in leaves, because they belong
// to cells that it does not have yet.
func (t *Tree) encloses(c cell, b *octree.Box) bool {
	box := t.box(c)
	if t.opts.Flat {
		box.Min.Z, box.Max.Z = b.Min.Z, math.Inf(1)
	}
	open := t.opts.Objects != Enclosing && !t.opts.Fixed
	return contains(&box, b) && !(open && (b.Max.X == box.Max.X || b.Max.Y == box.Max.Y || b.Max.Z == box.Max.Z))
}

// outward returns which child the root should be of a new root after n others. The new
// center lies on the side of the object, unless virtual codes say where it is.
func (t *Tree) outward(c cell, b *octree.Box, n int) uint8 {
	if t.codes != nil {
		if o, virtual := t.codes.above(n); virtual {
			return o
		}
	}
	return ^t.octant(c, b) & uint8(1<<t.opts.dimensions()-1)
}

// toFirst returns the cell below the root that contains the first root's.
func (t *Tree) toFirst() cell { return t.top.child(t.toward(t.top, t.base)) }

// shrink makes a child the root as long as it is the only one that is not empty, and
// contains the first root.
func (t *Tree) shrink() {
	if t.size == 0 && t.top != t.base {
		t.restart()
		return
	}
	for t.top.half > 1 && t.list(t.nodes.root()) == nil {
		root := t.rootCursor()
		_, set := t.nodes.look(root.ref)
		only, n := cursor{}, 0
		var octant uint8
		for ; set != 0 && n < 2; set &= set - 1 {
			if k := t.kid(root, first(set), ref{}); !k.none() && (t.held(k.ref) > 0 || !t.leaf(k.ref)) {
				only, octant = k, first(set)
				n++
			}
		}
		if n != 1 || only.cell != t.toFirst() {
			return
		}
		t.top = only.cell
		t.nodes.sink(octant)
		t.rehome(t.rootCursor())
	}
}
