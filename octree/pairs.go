package octree

// Pairs calls yield once for each two objects that overlap.
func (t *index) Pairs(yield func(a, b ObjectID) bool) { t.within(0, yield) }

// PairsWith calls yield once for each object a of t and b of u that overlap.
func (t *index) PairsWith(u Index, yield func(a, b ObjectID) bool) { t.between(0, u.read(), 0, yield) }

// Index is what has queries: a Tree or a Frozen.
type Index interface{ read() *index }

func (t *index) read() *index { return t }

// within finds the pairs of what is in and below a node.
func (t *index) within(n uint32, yield func(a, b ObjectID) bool) bool {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range k.n {
			p := t.probeOf(t.at(h*bucketItems + i))
			var c coarse
			t.aim(nd, &p, &c)
			m := meeting{t, k.ids[i], p, false, yield}
			if !m.among(h, &c, highs>>(8*(bucketItems-i))) || !m.list(k.next, &c) {
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
func (t *index) between(n uint32, u *index, m uint32, yield func(a, b ObjectID) bool) bool {
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
	pA, pB := u.probeOf(boxA), t.probeOf(boxB)
	var c coarse
	others := u.aim(b, &pA, &c) & b.filled
	for met := t.aim(a, &pB, &c) & a.filled; met != 0; met &= met - 1 {
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
func (t *index) ownWith(n uint32, u *index, m uint32, swapped bool, yield func(a, b ObjectID) bool) bool {
	other := t.probeOf(u.box(&u.nodes[m]))
	var c coarse
	t.aim(&t.nodes[n], &other, &c)
	for h := t.nodes[n].head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for met := k.scan(&c); met != 0; met &= met - 1 {
			i := place(met)
			b := t.at(h*bucketItems + i)
			if !b.overlaps(&other.Box) {
				continue
			}
			m1 := meeting{u, k.ids[i], u.probeOf(b), swapped, yield}
			if !m1.below(m) {
				return false
			}
		}
	}
	return true
}

// meeting finds the objects of a tree that overlap one object.
type meeting struct {
	in      *index
	id      ObjectID
	probe   probe
	swapped bool // the objects of the tree come first
	yield   func(a, b ObjectID) bool
}

// below finds them in and below a node.
func (m *meeting) below(n uint32) bool {
	nd := &m.in.nodes[n]
	var c coarse
	met := m.in.aim(nd, &m.probe, &c) & nd.filled
	if !m.list(nd.head, &c) {
		return false
	}
	for ; met != 0; met &= met - 1 {
		if !m.below(nd.children + first(met)) {
			return false
		}
	}
	return true
}

// list finds them in a list of buckets.
func (m *meeting) list(h uint32, c *coarse) bool {
	for ; h != none; h = m.in.buckets[h].next {
		if !m.among(h, c, highs) {
			return false
		}
	}
	return true
}

// among finds them among some objects of a bucket.
func (m *meeting) among(h uint32, c *coarse, some uint64) bool {
	k := &m.in.buckets[h]
	for met := k.scan(c) & some; met != 0; met &= met - 1 {
		i := place(met)
		if other := m.in.at(h*bucketItems + i); !m.probe.overlaps(&other) {
			continue
		}
		a, b := m.id, k.ids[i]
		if m.swapped {
			a, b = b, a
		}
		if !m.yield(a, b) {
			return false
		}
	}
	return true
}
