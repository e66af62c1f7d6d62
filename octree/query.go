package octree

import (
	"math"
	"math/bits"
)

// Point calls yield for each object that contains p.
func (t *index) Point(p Vec, yield func(ObjectID, Box) bool) { t.Overlapping(At(p), yield) }

// All calls yield for each object.
func (t *index) All(yield func(ObjectID, Box) bool) { t.all(0, yield) }

func (t *index) all(n uint32, yield func(ObjectID, Box) bool) bool {
	if !t.own(n, yield) {
		return false
	}
	nd := &t.nodes[n]
	for filled := nd.filled; filled != 0; filled &= filled - 1 {
		if !t.all(nd.children+first(filled), yield) {
			return false
		}
	}
	return true
}

// own calls yield for each object in a node.
func (t *index) own(n uint32, yield func(ObjectID, Box) bool) bool {
	for h := t.nodes[n].head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if !yield(k.ids[i], t.at(h*bucketItems+i)) {
				return false
			}
		}
	}
	return true
}

// first returns the lowest octant of a set.
func first(octants uint8) uint32 { return uint32(bits.TrailingZeros8(octants)) }

// empty reports whether no object lies in or below a node.
func (n *node) empty() bool { return n.own+n.below == 0 }

// Overlapping calls yield for each object that shares a position with q. A box with a
// Min above its Max finds nothing.
func (t *index) Overlapping(q Box, yield func(ObjectID, Box) bool) {
	if q.ordered() {
		p := t.probeOf(q)
		t.overlapping(0, &p, yield)
	}
}

func (t *index) overlapping(n uint32, q *probe, yield func(ObjectID, Box) bool) bool {
	nd := &t.nodes[n]
	var c coarse
	met := t.aim(nd, q, &c) & nd.filled
	for h := nd.head; h != none; {
		k := &t.buckets[h]
		for found := k.scan(&c); found != 0; found &= found - 1 {
			i := place(found)
			if b := t.at(h*bucketItems + i); q.overlaps(&b) && !yield(k.ids[i], b) {
				return false
			}
		}
		h = k.next
	}
	if met == 0 {
		return true
	}
	wide := 2*t.reach[(nd.depth+1)%levels] <= q.Max.X-q.Min.X
	for ; met != 0; met &= met - 1 {
		o := first(met)
		if wide {
			if box := t.childBox(nd, o); q.contains(&box) {
				if !t.all(nd.children+o, yield) {
					return false
				}
				continue
			}
		}
		if !t.overlapping(nd.children+o, q, yield) {
			return false
		}
	}
	return true
}

// Inside calls yield for each object that lies in q as a whole.
func (t *index) Inside(q Box, yield func(ObjectID, Box) bool) {
	t.Overlapping(q, func(id ObjectID, b Box) bool { return !q.contains(&b) || yield(id, b) })
}

// Ball calls yield for each object whose Box.Distance from center is at most radius.
// A ball of radius 0 is a point.
func (t *index) Ball(center Vec, radius float64, yield func(ObjectID, Box) bool) {
	if !(radius >= 0) {
		return
	}
	s := scaleFor(radius)
	q := ball{center: center, radius: radius, scale: s, square: squareOf(radius * s)}
	if radius < 0x1p-1022 { // distances like that are rounded once more
		q.square = -1
	}
	const slack = 0x1p-50 // more than what touches may round
	wide := Around(center, radius)
	for _, side := range [3]struct {
		at        float64
		low, high *float64
	}{{center.X, &wide.Min.X, &wide.Max.X}, {center.Y, &wide.Min.Y, &wide.Max.Y}, {center.Z, &wide.Min.Z, &wide.Max.Z}} {
		more := (math.Abs(side.at) + radius) * slack
		*side.low -= more
		*side.high += more
	}
	if !wide.ordered() {
		return
	}
	q.around = t.probeOf(wide)
	t.ball(0, &q, yield)
}

// ball is a ball with a factor for distances that keeps their squares within range.
type ball struct {
	center Vec
	radius float64
	scale  float64
	square float64 // of the scaled radius, see squareOf. -1: squares do not tell
	around probe   // a box that holds the ball, for a first cheap look
}

// scaleFor returns a power of two that brings lengths like v to where their squares are exact enough.
func scaleFor(v float64) float64 {
	switch {
	case v < 0x1p-500:
		return 0x1p600
	case v > 0x1p500:
		return 0x1p-600
	}
	return 1
}

// squareOf returns the greatest number whose root is v, as distances are rounded roots.
func squareOf(v float64) float64 {
	s := v * v
	for range 8 { // it is a few steps away at most
		next := math.Nextafter(s, math.Inf(1))
		if math.Sqrt(next) > v {
			break
		}
		s = next
	}
	return s
}

// touches reports whether b has a position in the ball.
func (q *ball) touches(b *Box) bool {
	if q.square < 0 {
		return b.distance(q.center) <= q.radius
	}
	x := gap(b.Min.X, b.Max.X, q.center.X) * q.scale
	y := gap(b.Min.Y, b.Max.Y, q.center.Y) * q.scale
	z := gap(b.Min.Z, b.Max.Z, q.center.Z) * q.scale
	return x*x+y*y+z*z <= q.square
}

// contains reports whether all of b is in the ball.
func (q *ball) contains(b *Box) bool {
	x := max(q.center.X-b.Min.X, b.Max.X-q.center.X) * q.scale
	y := max(q.center.Y-b.Min.Y, b.Max.Y-q.center.Y) * q.scale
	z := max(q.center.Z-b.Min.Z, b.Max.Z-q.center.Z) * q.scale
	return x*x+y*y+z*z <= q.square
}

// gap returns the distance of v from lo..hi on one axis.
func gap(lo, hi, v float64) float64 { return max(lo-v, v-hi, 0) }

func (t *index) ball(n uint32, q *ball, yield func(ObjectID, Box) bool) bool {
	nd := &t.nodes[n]
	var c coarse
	met := t.aim(nd, &q.around, &c) & nd.filled
	for h := nd.head; h != none; {
		k := &t.buckets[h]
		for found := k.scan(&c); found != 0; found &= found - 1 {
			i := place(found)
			if b := t.at(h*bucketItems + i); q.touches(&b) && !yield(k.ids[i], b) {
				return false
			}
		}
		h = k.next
	}
	if met == 0 {
		return true
	}
	wide := t.reach[(nd.depth+1)%levels] <= q.radius
	for ; met != 0; met &= met - 1 {
		o := first(met)
		if wide {
			box := t.childBox(nd, o)
			if !q.touches(&box) {
				continue
			}
			if q.contains(&box) {
				if !t.all(nd.children+o, yield) {
					return false
				}
				continue
			}
		}
		if !t.ball(nd.children+o, q, yield) {
			return false
		}
	}
	return true
}

// Distance returns the distance of p from the nearest position of b.
func (b Box) Distance(p Vec) float64 { return b.distance(p) }

func (b *Box) distance(p Vec) float64 { return b.root(b.square(p), p) }

// square returns the square of the distance, if that has the range.
func (b *Box) square(p Vec) float64 {
	x, y, z := gap(b.Min.X, b.Max.X, p.X), gap(b.Min.Y, b.Max.Y, p.Y), gap(b.Min.Z, b.Max.Z, p.Z)
	return x*x + y*y + z*z
}

// root returns the distance whose square is given.
func (b *Box) root(square float64, p Vec) float64 {
	if square > 0x1p-900 && square < 0x1p900 {
		return math.Sqrt(square)
	}
	x, y, z := gap(b.Min.X, b.Max.X, p.X), gap(b.Min.Y, b.Max.Y, p.Y), gap(b.Min.Z, b.Max.Z, p.Z)
	s := scaleFor(max(x, y, z))
	x, y, z = x*s, y*s, z*s
	return math.Sqrt(x*x+y*y+z*z) / s
}
