package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/octree"
)

// Nearest fills buf with the objects nearest to p and returns the part of buf that it
// filled: fewer than len(buf) if the tree has fewer. The nearest comes first; of objects
// at one distance, the one with the lower ID.
func (t *Tree) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	s := search{at: p, found: buf[:0:len(buf)]}
	if at := octree.At(p); len(buf) > 0 && ordered(&at) {
		t.nearest(t.rootCursor(), &s)
	}
	return s.found
}

// search has found objects, the nearest first.
type search struct {
	at    octree.Vec
	found []octree.Near
}

// offer keeps a if it is nearer than the farthest that is kept.
func (s *search) offer(a octree.Near) {
	less := func(b octree.Near) bool { return a.Distance < b.Distance || a.Distance == b.Distance && a.ID < b.ID }
	i := len(s.found)
	switch {
	case i < cap(s.found):
		s.found = append(s.found, a)
	case less(s.found[i-1]):
		i--
	default:
		return
	}
	for ; i > 0 && less(s.found[i-1]); i-- {
		s.found[i] = s.found[i-1]
	}
	s.found[i] = a
}

// beyond reports whether nothing at that distance can be among the nearest.
func (s *search) beyond(distance float64) bool {
	return len(s.found) == cap(s.found) && distance > s.found[len(s.found)-1].Distance
}

func (t *Tree) nearest(c cursor, s *search) {
	head, set := t.nodes.look(c.ref)
	for k := head; k != nil; k = k.next {
		for i := range min(k.n, bucketItems) {
			if d := k.boxes[i].Distance(s.at); !s.beyond(d) {
				t.nearer(k.ids[i], d, s)
			}
		}
	}
	var order ordering
	for prev := (ref{}); set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		prev = k.ref
		if d := t.box(k.cell).Distance(s.at); !s.beyond(d) {
			order.add(k, d)
		}
	}
	for _, o := range order.nodes[:order.n] {
		if s.beyond(o.key) {
			return
		}
		t.nearest(o.cursor, s)
	}
}

// nearer offers an object, once if it lies in several leaves.
func (t *Tree) nearer(id octree.ObjectID, d float64, s *search) {
	if slot := &t.slots[uint32(id)]; slot.refs > 1 {
		d = slot.box.Distance(s.at)
		if slices.ContainsFunc(s.found, func(n octree.Near) bool { return n.ID == id }) {
			return
		}
	}
	s.offer(octree.Near{ID: id, Distance: d})
}

// ordering is the children of a node by rising key.
type ordering struct {
	nodes [8]struct {
		cursor
		key float64
	}
	n int
}

func (o *ordering) add(c cursor, key float64) {
	i := o.n
	for ; i > 0 && o.nodes[i-1].key > key; i-- {
		o.nodes[i] = o.nodes[i-1]
	}
	o.nodes[i].cursor, o.nodes[i].key = c, key
	o.n++
}

func compareHits(a, b octree.Hit) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.ID, b.ID)) }

func castable(r *octree.Ray) bool {
	return octree.At(r.Origin).Valid() && octree.At(r.Direction).Valid() && r.Direction != octree.Vec{} && r.Max >= 0
}

// First returns the object that a ray meets first: of several that it meets at once, the
// one with the lowest ID. It reports false if the ray meets none.
func (t *Tree) First(r octree.Ray) (octree.Hit, bool) {
	best := octree.Hit{T: math.Inf(1)}
	if castable(&r) {
		t.first(t.rootCursor(), &r, &best)
	}
	return best, best.ID != 0
}

func (t *Tree) first(c cursor, r *octree.Ray, best *octree.Hit) {
	head, set := t.nodes.look(c.ref)
	for k := head; k != nil; k = k.next {
		for i := range min(k.n, bucketItems) {
			b := &k.boxes[i]
			if t.opts.Objects == Split {
				b = &t.slots[uint32(k.ids[i])].box
			}
			if at, ok := r.Enter(*b); ok {
				if hit := (octree.Hit{ID: k.ids[i], T: at}); best.ID == 0 || compareHits(hit, *best) < 0 {
					*best = hit
				}
			}
		}
	}
	var order ordering
	for prev := (ref{}); set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		prev = k.ref
		if at, ok := r.Enter(t.box(k.cell)); ok && at <= best.T {
			order.add(k, at)
		}
	}
	for _, o := range order.nodes[:order.n] {
		if o.key > best.T {
			return
		}
		t.first(o.cursor, r, best)
	}
}

// AppendHits appends all objects that a ray meets to dst, in the order in which the ray
// enters them, and returns the longer slice. It allocates only if dst is too short.
// Objects that it enters at once are in the order of their IDs.
func (t *Tree) AppendHits(dst []octree.Hit, r octree.Ray) []octree.Hit {
	if !castable(&r) {
		return dst
	}
	n := len(dst)
	t.run(&query{what: onRay, around: everything, ray: &r, yield: func(id octree.ObjectID, b octree.Box) bool {
		at, _ := r.Enter(b)
		dst = append(dst, octree.Hit{ID: id, T: at})
		return true
	}})
	slices.SortFunc(dst[n:], compareHits)
	return dst
}
