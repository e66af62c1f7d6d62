package octree

import "math"

// Plane is the positions p with Normal·p + Offset = 0. Positions with a greater sum lie
// in front of it. The normal has any length.
type Plane struct {
	Normal Vec
	Offset float64
}

// Side is where an object lies at a plane.
type Side int

// The sides. An object that touches the plane crosses it.
const (
	Behind Side = iota - 1
	Crossing
	Front
)

// Side returns where b lies. It is Crossing if the sums have no order.
func (p Plane) Side(b Box) Side { return p.side(&b) }

func (p *Plane) side(b *Box) Side {
	switch near, far := p.ends(b); {
	case near > 0:
		return Front
	case far < 0:
		return Behind
	}
	return Crossing
}

// ends returns the sums of the plane for the corners of b that lie farthest behind it and farthest in
// front of it.
func (p *Plane) ends(b *Box) (near, far float64) {
	near, far = p.Offset, p.Offset
	near, far = along(near, far, p.Normal.X, b.Min.X, b.Max.X)
	near, far = along(near, far, p.Normal.Y, b.Min.Y, b.Max.Y)
	return along(near, far, p.Normal.Z, b.Min.Z, b.Max.Z)
}

// far returns the greater end.
func (p *Plane) far(b *Box) float64 {
	_, far := p.ends(b)
	return far
}

// trim takes from b what has no position in frame in front of p or on it. A little more
// than that stays, for what sums round.
func (p *Plane) trim(b, frame *Box) {
	n := [3]float64{p.Normal.X, p.Normal.Y, p.Normal.Z}
	lo, hi := [3]float64{frame.Min.X, frame.Min.Y, frame.Min.Z}, [3]float64{frame.Max.X, frame.Max.Y, frame.Max.Z}
	sum, size := p.Offset, math.Abs(p.Offset)
	var most [3]float64
	for i := range n {
		most[i] = max(n[i]*lo[i], n[i]*hi[i])
		sum += most[i]
		size += math.Abs(n[i]) * max(math.Abs(lo[i]), math.Abs(hi[i]))
	}
	for i, end := range [3][2]*float64{{&b.Min.X, &b.Max.X}, {&b.Min.Y, &b.Max.Y}, {&b.Min.Z, &b.Max.Z}} {
		at, slack := -(sum-most[i])/n[i], (size*rounded+0x1p-1070)/math.Abs(n[i]) // also for products that are 0 or nearly so
		switch {                                                                  // of what is NaN, none
		case n[i] > 0 && at-slack > *end[0]:
			*end[0] = min(at-slack, *end[1])
		case n[i] < 0 && at+slack < *end[1]:
			*end[1] = max(at+slack, *end[0])
		}
	}
}

func along(near, far, normal, lo, hi float64) (float64, float64) {
	if normal < 0 {
		lo, hi = hi, lo
	}
	return near + normal*lo, far + normal*hi
}

// Plane calls yield for each object on one side of p.
func (t *index) Plane(p Plane, side Side, yield func(ObjectID, Box) bool) {
	if p.ordered() {
		t.plane(0, &p, side, p.firm(), yield)
	}
}

// ordered reports whether p has no NaN.
func (p *Plane) ordered() bool {
	normal := At(p.Normal)
	return normal.ordered() && !math.IsNaN(p.Offset)
}

// firm reports whether all boxes within a box that does not cross p lie on its side. That
// is not so if the product of an infinite number and 0 is part of a sum.
func (p *Plane) firm() bool { return At(p.Normal).Valid() }

func (t *index) plane(n uint32, p *Plane, side Side, firm bool, yield func(ObjectID, Box) bool) bool {
	nd := &t.nodes[n]
	if nd.head != none {
		var c coarse
		around := t.probeOf(everything)
		if box := t.box(nd); n != 0 {
			around.near = box
			if side >= Crossing {
				p.trim(&around.near, &box)
			}
			if other := (Plane{Vec{-p.Normal.X, -p.Normal.Y, -p.Normal.Z}, -p.Offset}); side <= Crossing {
				other.trim(&around.near, &box)
			}
		}
		t.aim(nd, &around, &c)
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			for found := k.scan(&c); found != 0; found &= found - 1 {
				i := place(found)
				if b := t.at(h*bucketItems + i); p.side(&b) == side && !yield(k.ids[i], b) {
					return false
				}
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for filled := nd.filled; filled != 0; filled &= filled - 1 {
		o := first(filled)
		box := t.childBox(nd, o)
		switch s := p.side(&box); {
		case s != Crossing && s != side:
		case s != Crossing && firm:
			if !t.all(nd.children+o, yield) {
				return false
			}
		case !t.plane(nd.children+o, p, side, firm, yield):
			return false
		}
	}
	return true
}

// Frustum is what lies in front of six planes or crosses them, such as what a camera sees.
type Frustum [6]Plane

// Sees reports whether b lies behind none of the planes. Near an edge of the frustum
// that holds for some boxes outside of it, too.
func (f Frustum) Sees(b Box) bool {
	return f.meets(&b, 1<<len(f)-1)
}

// Frustum calls yield for each object that f sees.
func (t *index) Frustum(f Frustum, yield func(ObjectID, Box) bool) {
	firm := uint8(0)
	for i := range f {
		if !f[i].ordered() {
			return
		}
		if f[i].firm() {
			firm |= 1 << i
		}
	}
	t.frustum(0, &f, 1<<len(f)-1, firm, yield)
}

// behind reports whether b lies behind one of a set of planes. It also returns those
// that b does not lie in front of.
func (f *Frustum) behind(b *Box, planes uint8) (crossed uint8, behind bool) {
	for ; planes != 0; planes &= planes - 1 {
		i := first(planes)
		switch f[i].side(b) {
		case Behind:
			return 0, true
		case Crossing:
			crossed |= 1 << i
		}
	}
	return crossed, false
}

// meets reports whether b lies behind none of a set of planes.
func (f *Frustum) meets(b *Box, planes uint8) bool {
	for ; planes != 0; planes &= planes - 1 {
		if f[first(planes)].far(b) < 0 {
			return false
		}
	}
	return true
}

// frustum looks at a node in front of all but some planes.
func (t *index) frustum(n uint32, f *Frustum, planes, firm uint8, yield func(ObjectID, Box) bool) bool {
	if planes == 0 {
		return t.all(n, yield)
	}
	nd := &t.nodes[n]
	if nd.head != none {
		var c coarse
		around := t.probeOf(everything)
		if box := t.box(nd); n != 0 {
			around.near = box
			for p := planes; p != 0; p &= p - 1 {
				f[first(p)].trim(&around.near, &box)
			}
		}
		t.aim(nd, &around, &c)
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			for found := k.scan(&c); found != 0; found &= found - 1 {
				i := place(found)
				if b := t.at(h*bucketItems + i); f.meets(&b, planes) && !yield(k.ids[i], b) {
					return false
				}
			}
		}
	}
	if nd.below == 0 {
		return true
	}
	for filled := nd.filled; filled != 0; filled &= filled - 1 {
		o := first(filled)
		box := t.childBox(nd, o)
		crossed, behind := f.behind(&box, planes)
		if !behind && !t.frustum(nd.children+o, f, crossed|planes&^firm, firm, yield) {
			return false
		}
	}
	return true
}
