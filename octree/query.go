package octree

import "math"

// Point calls yield for each object that contains p.
func (t *Tree) Point(p Vec, yield func(ID, Box) bool) { t.Overlapping(At(p), yield) }

// All calls yield for each object.
func (t *Tree) All(yield func(ID, Box) bool) { t.all(0, yield) }

func (t *Tree) all(n uint32, yield func(ID, Box) bool) bool {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if !yield(k.ids[i], k.boxes[i]) {
				return false
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for c := nd.children; c < nd.children+8; c++ {
		if !t.all(c, yield) {
			return false
		}
	}
	return true
}

// empty reports whether no object lies in or below a node.
func (n *node) empty() bool { return n.own+n.below == 0 }

// Overlapping calls yield for each object that shares a position with q. A box with a
// Min above its Max finds nothing.
func (t *Tree) Overlapping(q Box, yield func(ID, Box) bool) {
	if q.ordered() {
		t.overlapping(0, &q, yield)
	}
}

func (t *Tree) overlapping(n uint32, q *Box, yield func(ID, Box) bool) bool {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if b := &k.boxes[i]; b.overlaps(q) && !yield(k.ids[i], *b) {
				return false
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for c := nd.children; c < nd.children+8; c++ {
		child := &t.nodes[c]
		if child.empty() || !child.box.overlaps(q) {
			continue
		}
		if q.contains(&child.box) {
			if !t.all(c, yield) {
				return false
			}
		} else if !t.overlapping(c, q, yield) {
			return false
		}
	}
	return true
}

// Inside calls yield for each object that lies in q as a whole.
func (t *Tree) Inside(q Box, yield func(ID, Box) bool) {
	t.Overlapping(q, func(id ID, b Box) bool { return !q.contains(&b) || yield(id, b) })
}

// Ball calls yield for each object that has a position at most radius from center.
// A ball of radius 0 is a point.
func (t *Tree) Ball(center Vec, radius float64, yield func(ID, Box) bool) {
	if !(radius >= 0) {
		return
	}
	s := scaleFor(radius)
	q := ball{center: center, scale: s, square: radius * s * (radius * s)}
	const slack = 0x1p-50 // more than the rounding of touches
	q.around = Around(center, radius)
	q.around.Min.X -= (math.Abs(center.X) + radius) * slack
	q.around.Min.Y -= (math.Abs(center.Y) + radius) * slack
	q.around.Min.Z -= (math.Abs(center.Z) + radius) * slack
	q.around.Max.X += (math.Abs(center.X) + radius) * slack
	q.around.Max.Y += (math.Abs(center.Y) + radius) * slack
	q.around.Max.Z += (math.Abs(center.Z) + radius) * slack
	t.ball(0, &q, yield)
}

// ball is a ball with a factor for distances that keeps their squares within range.
type ball struct {
	center Vec
	scale  float64
	square float64 // of the scaled radius
	around Box     // a box of the ball, for a first cheap look
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

// touches reports whether b has a position in the ball.
func (q *ball) touches(b *Box) bool {
	return q.around.overlaps(b) && q.near(b)
}

func (q *ball) near(b *Box) bool {
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

func (t *Tree) ball(n uint32, q *ball, yield func(ID, Box) bool) bool {
	nd := &t.nodes[n]
	for h := nd.head; h != none; h = t.buckets[h].next {
		k := &t.buckets[h]
		for i := range min(k.n, bucketItems) {
			if b := &k.boxes[i]; q.touches(b) && !yield(k.ids[i], *b) {
				return false
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for c := nd.children; c < nd.children+8; c++ {
		child := &t.nodes[c]
		if child.empty() || !q.touches(&child.box) {
			continue
		}
		if q.contains(&child.box) {
			if !t.all(c, yield) {
				return false
			}
		} else if !t.ball(c, q, yield) {
			return false
		}
	}
	return true
}

// Distance returns the distance of p from the nearest position of b.
func (b Box) Distance(p Vec) float64 { return b.distance(p) }

func (b *Box) distance(p Vec) float64 {
	x, y, z := gap(b.Min.X, b.Max.X, p.X), gap(b.Min.Y, b.Max.Y, p.Y), gap(b.Min.Z, b.Max.Z, p.Z)
	s := scaleFor(max(x, y, z))
	if s == 1 {
		return math.Sqrt(x*x + y*y + z*z)
	}
	x, y, z = x*s, y*s, z*s
	return math.Sqrt(x*x+y*y+z*z) / s
}
