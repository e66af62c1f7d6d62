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
	ID ObjectID
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

// cast is a ray on its way through a tree.
type cast struct {
	*Ray
	inverse Vec  // 1/Direction; 0 for 0
	blind   bool // the numbers of the ray are so far from 1 that it looks into all nodes
}

// rounded is more than what the positions of a ray round, as a part of them.
const rounded = 0x1p-46

func castOf(r *Ray) cast {
	q := cast{Ray: r}
	for _, axis := range [3]struct {
		origin, direction float64
		inverse           *float64
	}{{r.Origin.X, r.Direction.X, &q.inverse.X}, {r.Origin.Y, r.Direction.Y, &q.inverse.Y}, {r.Origin.Z, r.Direction.Z, &q.inverse.Z}} {
		if d := math.Abs(axis.direction); d > 0 {
			*axis.inverse = 1 / axis.direction
			q.blind = q.blind || d < 0x1p-400 || d > 0x1p400
		}
		q.blind = q.blind || math.Abs(axis.origin) > 0x1p500
	}
	return q
}

// blind reports whether a ray looks into all nodes: also in a tree so small that the
// multiples of Direction at its nodes are not exact.
func (t *index) blind(q *cast) bool { return q.blind || t.edge < 0x1p-500 }

// aimRay sets c to the coarse box of the part of a ray from one multiple of Direction to
// another in a node.
func (t *index) aimRay(nd *node, q *cast, from, to float64, c *coarse) {
	part := everything
	if !t.blind(q) && nd.depth != 0 && to <= math.MaxFloat64 {
		part.Min.X, part.Max.X = stretch(q.Origin.X, q.Direction.X, from, to)
		part.Min.Y, part.Max.Y = stretch(q.Origin.Y, q.Direction.Y, from, to)
		part.Min.Z, part.Max.Z = stretch(q.Origin.Z, q.Direction.Z, from, to)
	}
	p := t.probeOf(part)
	t.aim(nd, &p, c)
}

// stretch returns where a part of a ray lies on one axis.
func stretch(origin, direction, from, to float64) (low, high float64) {
	low, high = origin+direction*from, origin+direction*to
	slack := (math.Abs(origin) + max(math.Abs(low), math.Abs(high))) * rounded
	if slack > math.MaxFloat64 {
		return math.Inf(-1), math.Inf(1)
	}
	return min(low, high) - slack, max(low, high) + slack
}

// enterChildren puts the children of a node that a ray may meet up to a multiple of
// Direction in order.
func (t *index) enterChildren(nd *node, q *cast, most float64, order *ordered) {
	var from, to [3][2]float64
	blind := t.blind(q)
	h, r := t.half[(nd.depth+1)%levels], t.reach[(nd.depth+1)%levels]
	for axis, a := range [3][3]float64{
		{nd.middle.X, q.Origin.X, q.inverse.X}, {nd.middle.Y, q.Origin.Y, q.inverse.Y}, {nd.middle.Z, q.Origin.Z, q.inverse.Z},
	} {
		for side, middle := range [2]float64{a[0] - h, a[0] + h} {
			low, high := middle-r-a[1], middle+r-a[1]
			switch {
			case a[2] > 0:
				from[axis][side], to[axis][side] = low*a[2], high*a[2]
			case a[2] < 0:
				from[axis][side], to[axis][side] = high*a[2], low*a[2]
			case low <= 0 && high >= 0:
				to[axis][side] = math.Inf(1)
			default:
				to[axis][side] = -1
			}
		}
	}
	for filled := nd.filled; filled != 0; filled &= filled - 1 {
		o := first(filled)
		x, y, z := o&1, o>>1&1, o>>2&1
		start := max(from[0][x], from[1][y], from[2][z], 0) * (1 - rounded)
		end := min(to[0][x], to[1][y], to[2][z]) * (1 + rounded)
		if blind {
			start, end = 0, math.Inf(1)
		}
		if start <= min(end, most) {
			order.add(nd.children+o, start, end)
		}
	}
}

// First returns the object that a ray meets first: of several that it meets at once, the
// one with the lowest ID. It reports false if the ray meets none.
func (t *index) First(r Ray) (Hit, bool) {
	best := Hit{T: math.Inf(1)}
	if r.valid() {
		q := castOf(&r)
		t.first(0, &q, 0, r.Max, &best)
	}
	return best, best.ID != 0
}

func (t *index) first(n uint32, q *cast, from, to float64, best *Hit) {
	nd := &t.nodes[n]
	if nd.head != none {
		var c coarse
		t.aimRay(nd, q, from, min(to, best.T), &c)
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			for found := k.scan(&c); found != 0; found &= found - 1 {
				i := place(found)
				b := t.at(h*bucketItems + i)
				if at, ok := q.enter(&b); ok {
					if hit := (Hit{k.ids[i], at}); best.ID == 0 || hit.compare(*best) < 0 {
						*best = hit
					}
				}
			}
		}
	}
	if nd.below == 0 {
		return
	}
	var order ordered
	t.enterChildren(nd, q, min(q.Max, best.T), &order)
	for i := range order.n {
		o := &order.nodes[i%8]
		if o.key > best.T {
			return
		}
		t.first(o.node, q, o.key, min(o.end, q.Max), best)
	}
}

// AppendHits appends all objects that a ray meets to dst, in the order in which the ray
// enters them, and returns the longer slice. It allocates only if dst is too short. Objects that
// it enters at once are in the order of their IDs.
func (t *index) AppendHits(dst []Hit, r Ray) []Hit {
	if !r.valid() {
		return dst
	}
	n, q := len(dst), castOf(&r)
	dst = t.appendHits(dst, 0, &q, 0, r.Max)
	slices.SortFunc(dst[n:], Hit.compare)
	return dst
}

func (t *index) appendHits(dst []Hit, n uint32, q *cast, from, to float64) []Hit {
	nd := &t.nodes[n]
	if nd.head != none {
		var c coarse
		t.aimRay(nd, q, from, to, &c)
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			for found := k.scan(&c); found != 0; found &= found - 1 {
				i := place(found)
				b := t.at(h*bucketItems + i)
				if at, ok := q.enter(&b); ok {
					dst = append(dst, Hit{k.ids[i], at})
				}
			}
		}
	}
	if nd.below == 0 {
		return dst
	}
	var order ordered
	t.enterChildren(nd, q, q.Max, &order)
	for i := range order.n {
		o := &order.nodes[i%8]
		dst = t.appendHits(dst, o.node, q, o.key, min(o.end, q.Max))
	}
	return dst
}
