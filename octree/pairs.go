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
			if !t.meet(h, i, k.ids[i], &k.boxes[i], false, yield) || !t.meetAll(k.next, k.ids[i], &k.boxes[i], false, yield) {
				return false
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for c := nd.children; c < nd.children+8; c++ {
		if !t.ownWith(n, t, c, false, yield) || !t.within(c, yield) {
			return false
		}
		for d := nd.children; d < c; d++ {
			if !t.between(c, t, d, yield) {
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
	if a.empty() || b.empty() || !a.box.overlaps(&b.box) {
		return true
	}
	if !t.ownWith(n, u, m, false, yield) {
		return false
	}
	if a.below == 0 {
		return true
	}
	for c := a.children; c < a.children+8; c++ {
		if !u.ownWith(m, t, c, true, yield) {
			return false
		}
		if b.below == 0 {
			continue
		}
		for d := b.children; d < b.children+8; d++ {
			if !t.between(c, u, d, yield) {
				return false
			}
		}
	}
	return true
}

// ownWith finds the pairs of the own objects of node n of t and what is in and below
// node m of u. It yields the object of u first if swapped.
func (t *Tree) ownWith(n uint32, u *Tree, m uint32, swapped bool, yield func(a, b ID) bool) bool {
	other := &u.nodes[m]
	if other.empty() || !t.nodes[n].box.overlaps(&other.box) {
		return true
	}
	for h := t.nodes[n].head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range k.n {
			if b := &k.boxes[i]; b.overlaps(&other.box) && !u.meetBelow(m, k.ids[i], b, swapped, yield) {
				return false
			}
		}
	}
	return true
}

// meetBelow finds what is in and below a node and overlaps a box.
func (t *Tree) meetBelow(n uint32, id ID, b *Box, swapped bool, yield func(a, b ID) bool) bool {
	nd := &t.nodes[n]
	if !t.meetAll(nd.head, id, b, swapped, yield) {
		return false
	}
	if nd.below == 0 {
		return true
	}
	for c := nd.children; c < nd.children+8; c++ {
		child := &t.nodes[c]
		if !child.empty() && child.box.overlaps(b) && !t.meetBelow(c, id, b, swapped, yield) {
			return false
		}
	}
	return true
}

// meetAll finds what overlaps a box in a list of buckets.
func (t *Tree) meetAll(h uint32, id ID, b *Box, swapped bool, yield func(a, b ID) bool) bool {
	for ; h != none; h = t.buckets[h].next {
		if !t.meet(h, t.buckets[h].n, id, b, swapped, yield) {
			return false
		}
	}
	return true
}

// meet finds what overlaps a box among the first n objects of a bucket.
func (t *Tree) meet(h, n uint32, id ID, b *Box, swapped bool, yield func(a, b ID) bool) bool {
	k := &t.buckets[h]
	for i := range min(n, bucketItems) {
		if !k.boxes[i].overlaps(b) {
			continue
		}
		first, second := id, k.ids[i]
		if swapped {
			first, second = second, first
		}
		if !yield(first, second) {
			return false
		}
	}
	return true
}
