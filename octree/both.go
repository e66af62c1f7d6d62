package octree

import (
	"math"
	"slices"
)

// both is two indexes with the queries of one. Their objects are under different IDs.
type both struct{ still, moving *index }

// Len returns the number of objects.
func (s *both) Len() int { return s.still.size + s.moving.size }

// Get returns the box of an object, and whether the scene has it.
func (s *both) Get(id ID) (Box, bool) {
	// A view has the slots of the last change of each tree.
	if b, ok := s.moving.Get(id); ok {
		return b, true
	}
	return s.still.Get(id)
}

// All is Tree.All.
func (s *both) All(yield func(ID, Box) bool) {
	if s.still.all(0, yield) {
		s.moving.all(0, yield)
	}
}

// Point is Tree.Point.
func (s *both) Point(p Vec, yield func(ID, Box) bool) { s.Overlapping(At(p), yield) }

// Overlapping is Tree.Overlapping.
func (s *both) Overlapping(q Box, yield func(ID, Box) bool) {
	more := true
	s.still.Overlapping(q, func(id ID, b Box) bool { more = yield(id, b); return more })
	if more {
		s.moving.Overlapping(q, yield)
	}
}

// Inside is Tree.Inside.
func (s *both) Inside(q Box, yield func(ID, Box) bool) {
	s.Overlapping(q, func(id ID, b Box) bool { return !q.contains(&b) || yield(id, b) })
}

// Ball is Tree.Ball.
func (s *both) Ball(center Vec, radius float64, yield func(ID, Box) bool) {
	more := true
	s.still.Ball(center, radius, func(id ID, b Box) bool { more = yield(id, b); return more })
	if more {
		s.moving.Ball(center, radius, yield)
	}
}

// Nearest is Tree.Nearest.
func (s *both) Nearest(p Vec, buf []Near) []Near {
	q, ok := searchFor(p, buf)
	if ok {
		s.moving.nearest(0, &q)
		s.still.nearest(0, &q)
	}
	return q.sorted()
}

// First is Tree.First.
func (s *both) First(r Ray) (Hit, bool) {
	best := Hit{T: math.Inf(1)}
	if r.valid() {
		q := castOf(&r)
		s.moving.first(0, &q, 0, r.Max, &best)
		s.still.first(0, &q, 0, r.Max, &best)
	}
	return best, best.ID != 0
}

// AppendHits is Tree.AppendHits.
func (s *both) AppendHits(dst []Hit, r Ray) []Hit {
	n := len(dst)
	dst = s.moving.AppendHits(s.still.AppendHits(dst, r), r)
	slices.SortFunc(dst[n:], Hit.compare)
	return dst
}

// Plane is Tree.Plane.
func (s *both) Plane(p Plane, side Side, yield func(ID, Box) bool) {
	more := true
	s.still.Plane(p, side, func(id ID, b Box) bool { more = yield(id, b); return more })
	if more {
		s.moving.Plane(p, side, yield)
	}
}

// Frustum is Tree.Frustum.
func (s *both) Frustum(f Frustum, yield func(ID, Box) bool) {
	more := true
	s.still.Frustum(f, func(id ID, b Box) bool { more = yield(id, b); return more })
	if more {
		s.moving.Frustum(f, yield)
	}
}

// Pairs is Tree.Pairs.
func (s *both) Pairs(yield func(a, b ID) bool) {
	if s.still.within(0, yield) {
		s.MovingPairs(yield)
	}
}

// MovingPairs calls yield once for each two objects that overlap and do not both stand still.
func (s *both) MovingPairs(yield func(a, b ID) bool) {
	if s.moving.within(0, yield) {
		s.moving.between(0, s.still, 0, yield)
	}
}

// PairsWith is Tree.PairsWith.
func (s *both) PairsWith(u Index, yield func(a, b ID) bool) {
	if s.still.pairsWith(u, yield) {
		s.moving.pairsWith(u, yield)
	}
}

// Changed is Tree.Changed, for moments of the scene.
func (s *both) Changed(since Moment, q Box, yield func(ID, Box) bool) bool {
	more := true
	changed := s.still.Changed(since, q, func(id ID, b Box) bool { more = yield(id, b); return more })
	return more && s.moving.Changed(since, q, yield) || changed
}

func (s *both) read() [2]*index { return [2]*index{s.still, s.moving} }
