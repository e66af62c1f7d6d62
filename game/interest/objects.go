package interest

import (
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/octree"
)

// A viewer keeps the objects that are near: those in its reach and pad around that. Until objects and
// viewer together have gone so far, only these can come or go. Each of them has the way that is to
// be gone before it can come or go, so a tick looks only at those that are due. Objects that jump, and
// those that are removed, are due at once.
const (
	pad       = 48.0
	jump      = 2.0     // cells in a tick
	mostJumps = 1024    // in a tick; after more all viewers look anew
	rounding  = 0.001   // of distances
	farthest  = 1 << 30 // beyond that, distances are less exact
)

// near is the objects that are near to a viewer.
type near struct {
	ids   []octree.ObjectID // in ascending order
	due   []float64         // how far the way must be before it is looked at
	next  float64           // the least of due
	era   uint64            // of the Set. 0: nobody looked
	at    octree.Vec
	reach float64 // without pad
	drift float64 // of the Set
}

// lookAtObjects brings what a viewer sees of objects to now.
func (s *Set) lookAtObjects(v *viewer, objects Objects) {
	n := &v.near
	if objects == nil || v.Objects == 0 {
		for _, id := range v.objects {
			s.lose(v, id)
		}
		v.objects, n.era = v.objects[:0], 0
		return
	}
	if reach := v.Objects + s.o.Slack; n.era != s.era || n.reach != reach || !(s.drift+v.way-n.drift < pad-rounding) {
		s.lookAround(v, objects, reach)
	}
	way := s.drift + v.way
	for _, id := range s.jumps {
		s.recall(n, id)
	}
	if n.next <= way && (v.Frustum == nil || v.moved || s.stirred) {
		s.lookAtDue(v, objects, way)
	}
	if s.o.Moves && s.stirred {
		for _, id := range v.objects {
			if i := id.Index(); s.moved[i>>6]>>(i&63)&1 != 0 {
				s.changes.ObjectsMoved = append(s.changes.ObjectsMoved, id)
			}
		}
	}
	if in := s.changes.ObjectsIn; len(in) > 0 {
		v.objects = append(v.objects, in...)
		slices.Sort(v.objects)
		for _, id := range in {
			s.watch(id, v.id)
		}
	}
}

// lookAround finds what is near anew.
func (s *Set) lookAround(v *viewer, objects Objects, reach float64) {
	n := &v.near
	n.ids, n.era, n.at, n.reach, n.drift, n.next = n.ids[:0], s.era, v.Position, reach, s.drift, 0
	v.way = 0
	if max(octree.At(n.at).Distance(octree.Vec{}), reach) > farthest {
		n.era = 0
	}
	s.now = n
	objects.Ball(v.Position, reach+pad, s.met)
	n.ids = append(n.ids, v.objects...) // some are no longer near
	slices.Sort(n.ids)
	n.ids = slices.Compact(n.ids)
	n.due = slices.Grow(n.due[:0], len(n.ids))[:len(n.ids)]
	clear(n.due)
}

// meet notes an object that is near.
func (s *Set) meet(id octree.ObjectID, _ octree.Box) bool {
	s.now.ids = append(s.now.ids, id)
	return true
}

// recall has an object looked at that jumped or was removed.
func (s *Set) recall(n *near, id octree.ObjectID) {
	i, there := slices.BinarySearch(n.ids, id)
	if !there {
		if l := &s.last[id.Index()]; l.id != id || l.box.Distance(n.at) > n.reach+pad {
			return
		}
		n.ids, n.due = slices.Insert(n.ids, i, id), slices.Insert(n.due, i, 0)
	}
	n.due[i], n.next = 0, 0
}

// lookAtDue looks at the objects that are due.
func (s *Set) lookAtDue(v *viewer, objects Objects, way float64) {
	n := &v.near
	next := math.Inf(1)
	for i, due := range n.due {
		if due <= way {
			due = s.lookAt(v, objects, n.ids[i], way)
			n.due[i] = due
		}
		if due < next { // min would ask for NaN, which takes longer than the rest
			next = due
		}
	}
	n.next = next
	if len(s.changes.ObjectsOut) > 0 {
		out := s.changes.ObjectsOut
		v.objects = slices.DeleteFunc(v.objects, func(id octree.ObjectID) bool {
			_, gone := slices.BinarySearch(out, id)
			return gone
		})
	}
}

// lookAt looks at one object, and returns when it is due again.
func (s *Set) lookAt(v *viewer, objects Objects, id octree.ObjectID, way float64) (due float64) {
	_, had := slices.BinarySearch(v.objects, id)
	b, ok := objects.Get(id)
	if !ok {
		if had {
			s.lose(v, id)
		}
		return math.Inf(1)
	}
	reach, gap := v.Objects, b.Distance(v.Position)
	if had {
		reach += s.o.Slack
	}
	sees := gap <= reach && (v.Frustum == nil || v.frustum.Sees(s.grown(b, had)))
	switch {
	case sees && !had:
		s.changes.ObjectsIn = append(s.changes.ObjectsIn, id)
		reach += s.o.Slack
	case had && !sees:
		s.lose(v, id)
		reach = v.Objects
	}
	if v.Frustum != nil && gap <= reach {
		return 0
	}
	return way + math.Abs(gap-reach) - rounding
}

// follow looks at the objects that changed since the last Tick: how far they went, who jumped, and who is
// no longer there.
func (s *Set) follow(objects Objects) {
	s.step, s.jumps = 0, s.jumps[:0]
	clear(s.moved)
	if s.stirred = objects.Changed(s.since, everything, s.note); !s.stirred {
		return
	}
	s.drift += s.step
	for i := range s.last {
		if l := &s.last[i]; l.id != 0 {
			if _, there := objects.Get(l.id); !there {
				s.jumps = append(s.jumps, l.id)
				l.id = 0
			}
		}
	}
	if len(s.jumps) > mostJumps {
		s.era++
		s.jumps = s.jumps[:0]
	}
}

// compare notes where an object went.
func (s *Set) compare(id octree.ObjectID, b octree.Box) bool {
	i := id.Index()
	if n := i + 1; n > len(s.last) {
		s.moved = append(s.moved, make([]uint64, (n+63)/64-len(s.moved))...)
		s.last = append(s.last, make([]last, n-len(s.last))...)
		s.watchers = append(s.watchers, make([][]ViewerID, n-len(s.watchers))...)
	}
	l := &s.last[i]
	far := math.Inf(1)
	switch {
	case l.id != id:
		if l.id != 0 {
			s.jumps = append(s.jumps, l.id) // it was removed
		}
	case l.box == b:
		return true
	default:
		s.moved[i>>6] |= 1 << (i & 63)
		far = distance(&l.box, &b)
	}
	l.id, l.box = id, b
	if !(far <= jump) {
		s.jumps = append(s.jumps, id)
	} else {
		s.step = max(s.step, far)
	}
	return true
}

// distance returns how far a position in a box goes at most when the box becomes another.
func distance(a, b *octree.Box) float64 {
	x := max(math.Abs(a.Min.X-b.Min.X), math.Abs(a.Max.X-b.Max.X))
	y := max(math.Abs(a.Min.Y-b.Min.Y), math.Abs(a.Max.Y-b.Max.Y))
	z := max(math.Abs(a.Min.Z-b.Min.Z), math.Abs(a.Max.Z-b.Max.Z))
	return math.Sqrt(x*x + y*y + z*z)
}

// lose reports that a viewer sees an object no longer.
func (s *Set) lose(v *viewer, id octree.ObjectID) {
	s.changes.ObjectsOut = append(s.changes.ObjectsOut, id)
	s.unwatch(id, v.id)
}

// watch notes that a viewer sees an object. The list of an index may have viewers of an object that
// had it before and whose turn has not come.
func (s *Set) watch(o octree.ObjectID, v ViewerID) {
	list := s.watchers[o.Index()]
	i, _ := slices.BinarySearch(list, v)
	s.watchers[o.Index()] = slices.Insert(list, i, v)
}

func (s *Set) unwatch(o octree.ObjectID, v ViewerID) {
	list := s.watchers[o.Index()]
	if i, ok := slices.BinarySearch(list, v); ok {
		s.watchers[o.Index()] = slices.Delete(list, i, i+1)
	}
}

// AppendWatchers appends to dst the viewers that see an object, as Tick last said, in ascending
// order, and returns the longer slice.
func (s *Set) AppendWatchers(dst []ViewerID, o octree.ObjectID) []ViewerID {
	if o.Index() >= len(s.watchers) {
		return dst
	}
	for _, id := range s.watchers[o.Index()] {
		if _, sees := slices.BinarySearch(s.viewers[id.Index()].objects, o); sees {
			dst = append(dst, id)
		}
	}
	return dst
}
