package region

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Side is where a part lies of a line.
type Side int8

// The sides of a Line.
const (
	Left  Side = 1
	Right Side = -1
)

func (s Side) String() string {
	if s == Left {
		return "left"
	}
	return "right"
}

// PolygonPart is a piece of a polygon on one side of a line.
type PolygonPart struct {
	Polygon Polygon
	Side    Side
}

// errNotSimple is what Split finds out about a polygon that was trusted.
var errNotSimple = errors.New("region: split: the polygon is not simple")

// Split cuts a polygon by a line and returns the parts. Their areas add up to that of p, exactly,
// and each is a simple polygon that can be split again. An edge of a part is an edge of p, or a
// piece of one, or a bridge: a piece of the line inside p. Each bridge has a part on both of its
// sides, and both have the same vertices on it. A polygon that the line does not cut is the only
// part, unchanged.
//
// The parts come in the order in which they begin along the line, and each begins with its first
// vertex on the line. Of two that begin at one point the left one is first. Here the line goes to
// greater x, or to greater z if x does not change: the direction of l decides only what is left
// and right.
//
// It takes time in proportion to the number of vertices, and to m log m for m points of p on the
// line. It fails if the points of l are the same, with an error that wraps geom.ErrOutOfRange if
// they are beyond MaxCorner, and if it finds that p is not simple.
func Split(p Polygon, l Line) ([]PolygonPart, error) {
	for _, c := range [2]Corner{l.A, l.B} {
		if max(int64(c.X), int64(c.Z)) > MaxCorner || min(int64(c.X), int64(c.Z)) < -MaxCorner {
			return nil, fmt.Errorf("region: split by a line through (%d,%d): %w", c.X, c.Z, geom.ErrOutOfRange)
		}
	}
	if l.A == l.B {
		return nil, fmt.Errorf("region: split by a line: both points are (%d,%d)", l.A.X, l.A.Z)
	}
	if len(p.vertices) == 0 {
		return nil, nil
	}
	left := Left
	if l.B.before(l.A) {
		l.A, l.B, left = l.B, l.A, Right
	}
	s := splitter{ring: p.vertices, line: through(l.A, l.B), left: left}
	var room [8]event
	s.events = room[:0]
	if whole := s.meet(); whole != 0 {
		return []PolygonPart{{p, whole * left}}, nil
	}
	if len(s.events) == 2 {
		return s.two(), nil
	}
	// A splitter that sorts is a variable of its own, so that the one above need not be on the heap.
	many := &splitter{ring: s.ring, line: s.line, along: s.along, left: s.left, events: slices.Clone(s.events)}
	if err := many.pair(); err != nil {
		return nil, err
	}
	return many.collect(), nil
}

// splitter cuts a ring of vertices by a line.
type splitter struct {
	ring   []Vertex
	line   ray
	along  *ray    // the same for edges of parts
	left   Side    // what the caller calls the left side of line
	events []event // in the order of the ring
	sorted []int32 // events in their order along the line
}

// event is a point where the ring meets the line: a vertex on the line or a crossing in an edge.
// The nine pairs of before and after are the nine configurations.
type event struct {
	vertex        Vertex
	index         int32 // of the vertex, or of the vertex where the edge begins
	crosses       bool  // the point is within an edge
	before, after Side  // where the ring comes from and goes to: Left, Right, or 0 along the line
	rank          int32 // in the order along the line
	link          int32 // if before is a side, the event where the part on this side goes on
	done          bool  // the part on the side of before is collected
	across        ray   // a line through the point that goes from right to left
}

// meet finds the events. If the ring is on one side of the line it returns that side instead.
func (s *splitter) meet() Side {
	n := len(s.ring)
	cuts, on, met := 0, 0, [3]bool{}
	last := Side(s.line.side(s.ring[n-1]))
	var few [64]Side
	sides := few[:0]
	for _, v := range s.ring {
		here := Side(s.line.side(v))
		sides = append(sides, here)
		met[here+1] = true
		cuts += b2i(here*last < 0)
		on += b2i(here == 0)
		last = here
	}
	if !met[0] || !met[2] {
		if met[2] {
			return Left
		}
		return Right
	}
	room := make([]crossing, max(cuts, 1))
	room[0].line = s.line
	s.along = &room[0].line
	if cuts+on > cap(s.events) {
		s.events = make([]event, 0, cuts+on)
	}
	last = sides[n-1]
	for i, here := range sides {
		next := sides[(i+1)%n]
		switch v := s.ring[i]; {
		case here == 0:
			s.events = append(s.events, event{vertex: v, index: int32(i), before: last, after: next})
		case here*next < 0:
			c := &room[0]
			room = room[1:]
			*c = crossing{v.support(s.ring[(i+1)%n]), s.line}
			s.events = append(s.events, event{vertex: Vertex{cut: c, along: &c.edge}, index: int32(i), crosses: true, before: here, after: next})
		}
		last = here
	}
	return 0
}

// two splits a ring that meets the line twice, as every convex one does that is cut: no
// sorting is needed. At the first event along the line the ring goes from left to right.
func (s *splitter) two() []PolygonPart {
	a, b := 0, 1
	if s.events[0].before == Right {
		a, b = b, a
	}
	first, second := s.events[a].vertex, s.events[b].vertex
	n := len(s.ring) + 2
	right := s.chain(append(make([]Vertex, 0, n), first), a)
	first.along = s.along
	left := s.chain(append(make([]Vertex, 0, n), first, second), b)
	second.along = s.along
	return []PolygonPart{{Polygon{left}, s.left}, {Polygon{append(right, second)}, -s.left}}
}

// chain appends the vertices between an event and the next of the ring.
func (s *splitter) chain(out []Vertex, k int) []Vertex {
	e, f := &s.events[k], &s.events[(k+1)%len(s.events)]
	i, j := int(e.index)+1, int(f.index)
	if f.crosses {
		j++
	}
	if i > j {
		out = append(out, s.ring[i:]...)
		i = 0
	}
	out = append(out, s.ring[i:j]...)
	if f.crosses {
		out[len(out)-1].along = f.vertex.along
	}
	return out
}

// sort orders the events along the line.
func (s *splitter) sort() {
	s.sorted = make([]int32, len(s.events))
	for k := range s.events {
		s.sorted[k] = int32(k)
		s.events[k].across = s.transversal(&s.events[k])
	}
	slices.SortFunc(s.sorted, func(k, m int32) int { return s.order(&s.events[k], &s.events[m]) })
	for rank, k := range s.sorted {
		s.events[k].rank = int32(rank)
	}
}

// transversal returns a line through the point of e that goes from the right side of the
// line to the left: at a corner at a right angle, otherwise one of the two that cross there.
func (s *splitter) transversal(e *event) ray {
	if e.vertex.cut == nil {
		return ray{e.vertex.at, s.line.dz, -s.line.dx}
	}
	r := e.vertex.cut.edge
	turn := product(s.line.dz, r.dx).compare(product(s.line.dx, r.dz))
	if turn == 0 {
		r = e.vertex.cut.line
		turn = product(s.line.dz, r.dx).compare(product(s.line.dx, r.dz))
	}
	if turn < 0 {
		r = through(r.to(), r.from)
	}
	return r
}

// order compares two events along the line. What is right of a line across is ahead. Two
// edges that are cut do not cross, so at least one of them lies on one side of the other's line.
func (s *splitter) order(e, f *event) int {
	switch {
	case e == f:
		return 0
	case !f.crosses:
		return e.across.side(f.vertex)
	case !e.crosses:
		return -f.across.side(e.vertex)
	}
	if side := s.beside(e, f); side != 0 {
		return side
	}
	return -s.beside(f, e)
}

// beside returns on which side of e the edge of f lies, or 0 if it reaches to both.
func (s *splitter) beside(e, f *event) int {
	a := e.across.side(s.ring[f.index])
	b := e.across.side(s.ring[(int(f.index)+1)%len(s.ring)])
	if a*b < 0 {
		return 0
	}
	return a | b
}

// pair links the events. Along each side of the line the polygon is inside between two events
// where chains of this side begin or end, then outside up to the next two. A part on the left
// runs with the line, from the end of a chain to the beginning of one; a part on the right
// against it. At a vertex where a chain ends and another of the same side begins, the part goes
// on at once if it is outside before; otherwise one interval closes and the next opens.
func (s *splitter) pair() error {
	s.sort()
	left, right := int32(-1), int32(-1) // the events that opened the intervals
	for _, k := range s.sorted {
		e := &s.events[k]
		switch ends, begins, in := e.before == Left, e.after == Left, left >= 0; {
		case ends && begins && !in:
			e.link = k
		case (ends || begins) && begins != in:
			return errNotSimple
		default:
			if begins {
				s.events[left].link, left = k, -1
			}
			if ends {
				left = k
			}
		}
		switch ends, begins, in := e.before == Right, e.after == Right, right >= 0; {
		case ends && begins && !in:
			e.link = k
		case (ends || begins) && ends != in:
			return errNotSimple
		default:
			if ends {
				e.link, right = right, -1
			}
			if begins {
				right = k
			}
		}
	}
	if left >= 0 || right >= 0 {
		return errNotSimple
	}
	return nil
}

// collect goes round each part once, from its first event along the line.
func (s *splitter) collect() []PolygonPart {
	var parts []PolygonPart
	for _, k := range s.sorted {
		e := &s.events[k]
		if e.before == Left && !e.done {
			out := s.walk(nil, e.rank, s.events[e.link].rank, 1)
			parts = append(parts, PolygonPart{Polygon{s.round(out, e.link, 1)}, s.left})
		}
		if e.after == Right && !s.events[(int(k)+1)%len(s.events)].done {
			parts = append(parts, PolygonPart{Polygon{s.round([]Vertex{e.vertex}, k, -1)}, -s.left})
		}
	}
	return parts
}

// round appends the chains of a part and the ways along the line between them, from the chain
// that begins at the event first. On the left out begins with the way to first.
func (s *splitter) round(out []Vertex, first, step int32) []Vertex {
	for k := first; ; {
		out = s.chain(out, int(k))
		e := &s.events[(int(k)+1)%len(s.events)]
		e.done = true
		k = e.link
		if k == first && step > 0 {
			return out
		}
		out = s.walk(out, e.rank, s.events[k].rank, step)
		if k == first {
			return out[:len(out)-1]
		}
	}
}

// walk appends the vertices of the events of some ranks. From all but the last a bridge goes on.
func (s *splitter) walk(out []Vertex, from, to, step int32) []Vertex {
	for r := from; ; r += step {
		v := s.events[s.sorted[r]].vertex
		if r == to {
			return append(out, v)
		}
		v.along = s.along
		out = append(out, v)
	}
}
