package octree

// Pairs calls yield once for each two objects that overlap.
func (t *Tree) Pairs(yield func(a, b ID) bool) { t.within(0, yield) }

// PairsWith calls yield once for each object a of t and b of u that overlap. u is
// another tree.
func (t *Tree) PairsWith(u *Tree, yield func(a, b ID) bool) { t.between(0, u, 0, yield) }

// within finds the pairs of what is in and below a node.
func (t *Tree) within(n uint32, yield func(a, b ID) bool) bool {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range k.n {
			p := probeOf(k.boxes[i])
			if !t.meet(h, 1<<i-1, k.ids[i], &p, false, yield) || !t.meetAll(k.next, k.ids[i], &p, false, yield) {
				return false
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for filled := nd.filled; filled != 0; filled &= filled - 1 {
		c := nd.children + first(filled)
		if !t.ownWith(n, t, c, false, yield) || !t.within(c, yield) {
			return false
		}
		for others := filled & (filled - 1); others != 0; others &= others - 1 {
			if !t.between(c, t, nd.children+first(others), yield) {
				return false
			}
		}
	}
	return true
}

// between finds the pairs of what is in and below node n of t and what is in and below
// node m of u.
func (t *Tree) between(n uint32, u *Tree, m uint32, yield func(a, b ID) bool) bool {
	a, b := &t.nodes[n], &u.nodes[m]
	if a.empty() || b.empty() {
		return true
	}
	boxA, boxB := t.box(a), u.box(b)
	if !boxA.overlaps(&boxB) {
		return true
	}
	if !t.ownWith(n, u, m, false, yield) {
		return false
	}
	if a.below == 0 {
		return true
	}
	others := u.met(b, b.filled, &boxA)
	for met := t.met(a, a.filled, &boxB); met != 0; met &= met - 1 {
		c := a.children + first(met)
		if !u.ownWith(m, t, c, true, yield) {
			return false
		}
		for met := others; met != 0; met &= met - 1 {
			if !t.between(c, u, b.children+first(met), yield) {
				return false
			}
		}
	}
	return true
}

// ownWith finds the pairs of the own objects of node n of t and what is in and below
// node m of u. It yields the object of u first if swapped.
func (t *Tree) ownWith(n uint32, u *Tree, m uint32, swapped bool, yield func(a, b ID) bool) bool {
	other := u.box(&u.nodes[m])
	for h := t.nodes[n].head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range k.n {
			if !k.boxes[i].overlaps(&other) {
				continue
			}
			p := probeOf(k.boxes[i])
			if !u.meetBelow(m, k.ids[i], &p, swapped, yield) {
				return false
			}
		}
	}
	return true
}

// meetBelow finds what is in and below a node and overlaps the box of an object.
func (t *Tree) meetBelow(n uint32, id ID, p *probe, swapped bool, yield func(a, b ID) bool) bool {
	nd := &t.nodes[n]
	if !t.meetAll(nd.head, id, p, swapped, yield) {
		return false
	}
	if nd.below == 0 {
		return true
	}
	for met := t.met(nd, nd.filled, (*Box)(p)); met != 0; met &= met - 1 {
		if !t.meetBelow(nd.children+first(met), id, p, swapped, yield) {
			return false
		}
	}
	return true
}

// meetAll finds what overlaps a box in a list of buckets.
func (t *Tree) meetAll(h uint32, id ID, p *probe, swapped bool, yield func(a, b ID) bool) bool {
	for ; h != none; h = t.buckets[h].next {
		if !t.meet(h, 1<<bucketItems-1, id, p, swapped, yield) {
			return false
		}
	}
	return true
}

// meet finds what overlaps a box among some objects of a bucket.
func (t *Tree) meet(h uint32, among uint8, id ID, p *probe, swapped bool, yield func(a, b ID) bool) bool {
	k := &t.buckets[h]
	for met := p.scan(k) & among; met != 0; met &= met - 1 {
		a, b := id, k.ids[first(met)]
		if swapped {
			a, b = b, a
		}
		if !yield(a, b) {
			return false
		}
	}
	return true
}
