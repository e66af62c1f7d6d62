package interest

import (
	"slices"

	"github.com/cairnvoxel/cairn/octree"
)

// lookAtObjects brings what a viewer sees of objects to now.
func (s *Set) lookAtObjects(v *viewer, objects Objects) {
	if objects == nil || v.Objects == 0 {
		for _, id := range v.objects {
			s.lose(v, id)
		}
		v.objects = v.objects[:0]
		return
	}
	reach := v.Objects + s.o.Slack
	if !v.moved && !objects.Changed(s.since, octree.Around(v.Position, reach), stop) {
		return
	}
	for i, id := range v.objects {
		s.room(id)
		s.mark[id.Index()] = uint32(i)
	}
	s.now = v
	s.kept = slices.Grow(s.kept[:0], len(v.objects))[:len(v.objects)]
	clear(s.kept)
	objects.Ball(v.Position, reach, s.met)

	stay := v.objects[:0]
	for i, id := range v.objects {
		switch {
		case !s.kept[i]:
			s.lose(v, id)
			continue
		case s.o.Moves && s.last[id.Index()].moved == s.tick:
			s.changes.ObjectsMoved = append(s.changes.ObjectsMoved, id)
		}
		stay = append(stay, id)
	}
	in := s.changes.ObjectsIn
	slices.Sort(in)
	v.objects = merge(stay, in)
	for _, id := range in {
		s.watch(id, v.id)
	}
}

func stop(octree.ID, octree.Box) bool { return false }

// merge adds some IDs to others. Both are in ascending order.
func merge(to, more []octree.ID) []octree.ID {
	i, j := len(to)-1, len(more)-1
	to = append(to, more...)
	for k := len(to) - 1; j >= 0; k-- {
		if i >= 0 && to[i] > more[j] {
			to[k] = to[i]
			i--
		} else {
			to[k] = more[j]
			j--
		}
	}
	return to
}

// meet looks at an object that is near to the viewer whose turn it is.
func (s *Set) meet(id octree.ID, b octree.Box) bool {
	v := s.now
	s.room(id)
	if i := s.mark[id.Index()]; int(i) < len(v.objects) && v.objects[i] == id {
		s.kept[i] = v.Frustum == nil || v.frustum.Sees(s.grown(b, true))
		return true
	}
	if b.Distance(v.Position) <= v.Objects && (v.Frustum == nil || v.frustum.Sees(b)) {
		s.changes.ObjectsIn = append(s.changes.ObjectsIn, id)
	}
	return true
}

// room makes room for an object in what is kept by index.
func (s *Set) room(id octree.ID) {
	if n := id.Index() + 1; n > len(s.mark) {
		s.mark = append(s.mark, make([]uint32, n-len(s.mark))...)
		s.watchers = append(s.watchers, make([][]ID, n-len(s.watchers))...)
	}
}

// lose reports that a viewer sees an object no longer.
func (s *Set) lose(v *viewer, id octree.ID) {
	s.changes.ObjectsOut = append(s.changes.ObjectsOut, id)
	s.unwatch(id, v.id)
}

// compare notes whether an object moved.
func (s *Set) compare(id octree.ID, b octree.Box) bool {
	i := id.Index()
	if n := i + 1; n > len(s.last) {
		s.last = append(s.last, make([]last, n-len(s.last))...)
	}
	l := &s.last[i]
	if l.id != id {
		l.moved = 0
	} else if l.box != b {
		l.moved = s.tick
	}
	l.id, l.box = id, b
	return true
}

// watch notes that a viewer sees an object. The list of an index may have viewers of an object that
// had it before and whose turn has not come.
func (s *Set) watch(o octree.ID, v ID) {
	list := s.watchers[o.Index()]
	i, _ := slices.BinarySearch(list, v)
	s.watchers[o.Index()] = slices.Insert(list, i, v)
}

func (s *Set) unwatch(o octree.ID, v ID) {
	list := s.watchers[o.Index()]
	if i, ok := slices.BinarySearch(list, v); ok {
		s.watchers[o.Index()] = slices.Delete(list, i, i+1)
	}
}

// AppendWatchers appends to dst the viewers that see an object, as Tick last said, in ascending
// order, and returns the longer slice.
func (s *Set) AppendWatchers(dst []ID, o octree.ID) []ID {
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
