package octree

import (
	"cmp"
	"math"
	"slices"
)

// Ray is the positions Origin + t*Direction for t from 0 to Max. Direction has any
// length but 0. Max may be infinite. Other rays than these find nothing.
type Ray struct {
	Origin, Direction Vec
	Max               float64
}

// Hit is an object that a ray meets. T says where the ray enters the object, as a
// multiple of Direction; it is 0 if the ray begins in it.
type Hit struct {
	ID ID
	T  float64
}

func (a Hit) compare(b Hit) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.ID, b.ID)) }

func (r *Ray) valid() bool {
	return At(r.Origin).Valid() && At(r.Direction).Valid() && r.Direction != Vec{} && r.Max >= 0
}

// Enter returns where the ray enters b, as a multiple of Direction, and whether it does.
func (r Ray) Enter(b Box) (t float64, ok bool) {
	if !r.valid() {
		return 0, false
	}
	return r.enter(&b)
}

// enter divides where a multiplication by the inverse would give NaN for a ray on a border.
func (r *Ray) enter(b *Box) (float64, bool) {
	from, to := 0.0, r.Max
	from, to = slab(from, to, r.Origin.X, r.Direction.X, b.Min.X, b.Max.X)
	from, to = slab(from, to, r.Origin.Y, r.Direction.Y, b.Min.Y, b.Max.Y)
	from, to = slab(from, to, r.Origin.Z, r.Direction.Z, b.Min.Z, b.Max.Z)
	return from, from <= to
}

// slab cuts the part from..to of a ray to what lies in lo..hi on one axis.
func slab(from, to, origin, direction, lo, hi float64) (float64, float64) {
	if direction < 0 {
		lo, hi = hi, lo
	} else if direction == 0 {
		if origin < lo || origin > hi {
			return from, math.Inf(-1)
		}
		return from, to
	}
	if t := (lo - origin) / direction; t > from {
		from = t
	}
	if t := (hi - origin) / direction; t < to {
		to = t
	}
	return from, to
}

// First returns the object that a ray meets first: of several that it meets at once, the
// one with the lowest ID. It reports false if the ray meets none.
func (t *Tree) First(r Ray) (Hit, bool) {
	best := Hit{T: math.Inf(1)}
	if r.valid() {
		t.first(0, &r, &best)
	}
	return best, best.ID != 0
}

func (t *Tree) first(n uint32, r *Ray, best *Hit) {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if at, ok := r.enter(&k.boxes[i]); ok {
				if hit := (Hit{k.ids[i], at}); best.ID == 0 || hit.compare(*best) < 0 {
					*best = hit
				}
			}
		}
	}
	if nd.below == 0 {
		return
	}
	var order ordered
	for c := nd.children; c < nd.children+8; c++ {
		if child := &t.nodes[c]; !child.empty() {
			if at, ok := r.enter(&child.box); ok && at <= best.T {
				order.add(c, at)
			}
		}
	}
	for _, o := range order.nodes[:order.n] {
		if o.key > best.T {
			return
		}
		t.first(o.node, r, best)
	}
}

// AppendHits appends all objects that a ray meets to dst, in the order in which the ray
// enters them, and returns the longer slice. It allocates only if dst is too short. Objects that
// it enters at once are in the order of their IDs.
func (t *Tree) AppendHits(dst []Hit, r Ray) []Hit {
	if !r.valid() {
		return dst
	}
	n := len(dst)
	dst = t.appendHits(dst, 0, &r)
	slices.SortFunc(dst[n:], Hit.compare)
	return dst
}

func (t *Tree) appendHits(dst []Hit, n uint32, r *Ray) []Hit {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if at, ok := r.enter(&k.boxes[i]); ok {
				dst = append(dst, Hit{k.ids[i], at})
			}
		}
	}
	if nd.below == 0 {
		return dst
	}
	for c := nd.children; c < nd.children+8; c++ {
		if child := &t.nodes[c]; !child.empty() {
			if _, ok := r.enter(&child.box); ok {
				dst = t.appendHits(dst, c, r)
			}
		}
	}
	return dst
}
