package layout

import (
	"math"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
)

// what says which objects a query finds.
type what uint8

const (
	overlapping what = iota
	inside
	inBall
	onSide
	inFrustum
	onRay
)

// query finds objects. One visit of the tree serves all of them but those that look for
// the nearest first.
type query struct {
	what
	around  octree.Box // nothing outside of it is found
	center  octree.Vec
	radius  float64
	plane   octree.Plane
	side    octree.Side
	frustum *octree.Frustum
	ray     *octree.Ray
	yield   func(octree.ObjectID, octree.Box) bool
}

var everything = octree.Box{
	Min: octree.Vec{X: math.Inf(-1), Y: math.Inf(-1), Z: math.Inf(-1)},
	Max: octree.Vec{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)},
}

// enters reports whether a query may find objects in a box.
func (q *query) enters(b *octree.Box) bool {
	if !overlaps(&q.around, b) {
		return false
	}
	switch q.what {
	case inBall:
		return b.Distance(q.center) <= q.radius
	case onSide:
		s := q.plane.Side(*b)
		return s == octree.Crossing || s == q.side
	case inFrustum:
		return q.frustum.Sees(*b)
	case onRay:
		_, ok := q.ray.Enter(*b)
		return ok
	}
	return true
}

// finds reports whether a query finds an object with that box.
func (q *query) finds(b *octree.Box) bool {
	switch q.what {
	case inside:
		return contains(&q.around, b)
	case onSide:
		return q.plane.Side(*b) == q.side
	}
	return q.enters(b)
}

// visit asks a query about the objects in and below c.
func (t *Tree) visit(c cursor, q *query) bool {
	head, set := t.nodes.look(c.ref)
	if head != nil && !t.ask(c, head, q) {
		return false
	}
	if set == 0 {
		return true
	}
	computed := t.opts.Boxes == Computed
	if computed { // which children to enter is known without a look at them
		set = t.met(c.cell, set, &q.around)
	}
	closer := !computed || q.what > inBall || q.what == inBall && float64(c.half)*t.unit.X < 2*q.radius
	for prev := (ref{}); set != 0; set &= set - 1 {
		k := cursor{cell: c.child(first(set))}
		if !computed {
			if k = t.kid(c, first(set), prev); k.none() {
				continue
			}
			prev = k.ref
		}
		if closer {
			if box := t.cellBox(k.cell, q); !q.enters(&box) {
				continue
			}
		}
		if computed {
			if k.ref = t.nodes.child(c.ref, first(set), prev); k.none() {
				continue
			}
			prev = k.ref
		}
		if !t.visit(k, q) {
			return false
		}
	}
	return true
}

// met returns those of some children of c whose boxes overlap b. It has the numbers that
// box has for the children, and each of the six half spaces of a cell has four children.
func (t *Tree) met(c cell, set uint8, b *octree.Box) uint8 {
	h := float64(c.half) / 2
	r := h * t.opts.Loose
	apart := func(at, origin, unit, lo, hi float64) bool {
		return hi < origin+float64((at-r)*unit) || lo > origin+float64((at+r)*unit)
	}
	x, y, z := float64(c.x), float64(c.y), float64(c.z)
	set &= side(apart(x-h, t.origin.X, t.unit.X, b.Min.X, b.Max.X), apart(x+h, t.origin.X, t.unit.X, b.Min.X, b.Max.X), lowX)
	set &= side(apart(y-h, t.origin.Y, t.unit.Y, b.Min.Y, b.Max.Y), apart(y+h, t.origin.Y, t.unit.Y, b.Min.Y, b.Max.Y), lowY)
	if !t.opts.Flat {
		set &= side(apart(z-h, t.origin.Z, t.unit.Z, b.Min.Z, b.Max.Z), apart(z+h, t.origin.Z, t.unit.Z, b.Min.Z, b.Max.Z), lowZ)
	}
	return set
}

// cellBox returns what a query must enter to find all objects in and below a node. A
// frustum may see an object none of whose cells it sees, because Frustum.Sees is not
// exact, so it looks at more than the cell if objects lie in several leaves.
func (t *Tree) cellBox(c cell, q *query) octree.Box {
	b := t.box(c)
	if q.what == inFrustum && t.opts.Objects != Enclosing {
		b.Min = octree.Vec{X: b.Min.X - t.pad.X, Y: b.Min.Y - t.pad.Y, Z: b.Min.Z - t.pad.Z}
		b.Max = octree.Vec{X: b.Max.X + t.pad.X, Y: b.Max.Y + t.pad.Y, Z: b.Max.Z + t.pad.Z}
	}
	return b
}

// ask asks a query about the objects of a node.
func (t *Tree) ask(c cursor, k *bucket, q *query) bool {
	for ; k != nil; k = k.next {
		for i := range min(k.n, bucketItems) {
			b := &k.boxes[i]
			if !overlaps(&q.around, b) {
				continue
			}
			if t.opts.Objects != Enclosing {
				if b = t.once(c, k.ids[i], b, q); b == nil {
					continue
				}
			}
			if q.what != overlapping && !q.finds(b) {
				continue
			}
			if !q.yield(k.ids[i], *b) {
				return false
			}
		}
	}
	return true
}

// once returns the whole box of an object that lies in a leaf, or nil if a query enters
// another leaf earlier that has the object too.
func (t *Tree) once(c cursor, id octree.ObjectID, part *octree.Box, q *query) *octree.Box {
	s := &t.slots[uint32(id)]
	if s.refs == 1 {
		return &s.box
	}
	if t.opts.Objects == Split && q.what != inFrustum && !q.enters(part) {
		return nil
	}
	if t.earliest(t.rootCursor(), &s.box, q) != c.p {
		return nil
	}
	return &s.box
}

// Point calls yield for each object that contains p.
func (t *Tree) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

// All calls yield for each object.
func (t *Tree) All(yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.slots {
		s := &t.slots[i]
		if s.generation&1 == 1 && !yield(octree.ObjectID(s.generation)<<32|octree.ObjectID(i), s.box) {
			return
		}
	}
}

func (t *Tree) run(q *query) { t.visit(t.rootCursor(), q) }

// ordered reports whether b is a box that can hold something. A NaN is not ordered.
func ordered(b *octree.Box) bool {
	return b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y && b.Min.Z <= b.Max.Z
}

// Overlapping calls yield for each object that shares a position with b. A box with a
// Min above its Max finds nothing.
func (t *Tree) Overlapping(b octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	if ordered(&b) {
		t.run(&query{what: overlapping, around: b, yield: yield})
	}
}

// Inside calls yield for each object that lies in b as a whole.
func (t *Tree) Inside(b octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	if ordered(&b) {
		t.run(&query{what: inside, around: b, yield: yield})
	}
}

// Ball calls yield for each object whose octree.Box.Distance from center is at most radius.
// A ball of radius 0 is a point.
func (t *Tree) Ball(center octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	const slack = 0x1p-50 // more than what Distance may round
	around := octree.Around(center, radius)
	wider := func(at float64, low, high *float64) {
		more := (math.Abs(at) + radius) * slack
		*low, *high = *low-more, *high+more
	}
	wider(center.X, &around.Min.X, &around.Max.X)
	wider(center.Y, &around.Min.Y, &around.Max.Y)
	wider(center.Z, &around.Min.Z, &around.Max.Z)
	if !(radius >= 0) || !ordered(&around) {
		return
	}
	t.run(&query{what: inBall, around: around, center: center, radius: radius, yield: yield})
}

// Plane calls yield for each object on one side of p.
func (t *Tree) Plane(p octree.Plane, side octree.Side, yield func(octree.ObjectID, octree.Box) bool) {
	if sound(&p) {
		t.run(&query{what: onSide, around: everything, plane: p, side: side, yield: yield})
	}
}

// sound reports whether p has no NaN.
func sound(p *octree.Plane) bool {
	n := octree.At(p.Normal)
	return ordered(&n) && !math.IsNaN(p.Offset)
}

// Frustum calls yield for each object that f sees.
func (t *Tree) Frustum(f octree.Frustum, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range f {
		if !sound(&f[i]) {
			return
		}
	}
	t.run(&query{what: inFrustum, around: everything, frustum: &f, yield: yield})
}

// Pairs calls yield once for each two objects that overlap.
func (t *Tree) Pairs(yield func(a, b octree.ObjectID) bool) {
	t.All(func(a octree.ObjectID, box octree.Box) bool {
		more := true
		t.Overlapping(box, func(b octree.ObjectID, _ octree.Box) bool {
			more = b <= a || yield(a, b)
			return more
		})
		return more
	})
}

// PairsWith calls yield once for each object a of t and b of u that overlap. u is
// another tree.
func (t *Tree) PairsWith(u *Tree, yield func(a, b octree.ObjectID) bool) {
	t.All(func(a octree.ObjectID, box octree.Box) bool {
		more := true
		u.Overlapping(box, func(b octree.ObjectID, _ octree.Box) bool {
			more = yield(a, b)
			return more
		})
		return more
	})
}

// earliest returns the first leaf below c, in the order of a walk, that a query enters and
// that has an object with that box.
func (t *Tree) earliest(c cursor, b *octree.Box, q *query) unsafe.Pointer {
	if t.leaf(c.ref) {
		if t.opts.Objects == Split && q.what != inFrustum {
			if part := t.part(c.cell, b); !q.enters(&part) {
				return nil
			}
		}
		return c.p
	}
	prev := ref{}
	for set := t.touched(c.cell, b); set != 0; set &= set - 1 {
		k := t.kid(c, first(set), prev)
		if k.none() {
			continue
		}
		prev = k.ref
		if box := t.cellBox(k.cell, q); !q.enters(&box) {
			continue
		}
		if leaf := t.earliest(k, b, q); leaf != nil {
			return leaf
		}
	}
	return nil
}
