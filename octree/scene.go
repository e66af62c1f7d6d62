package octree

import (
	"fmt"
	"io/fs"
	"sync/atomic"
	"unsafe"
)

// Scene is two trees with one set of queries: what stands still and what moves. Moves
// change only the second, and views copy only what moves if nothing else changes. An
// object can go from one to the other and keeps its ID. NewScene makes a Scene.
type Scene struct {
	both
	still, moving Tree // with one array of slots, which the second extends
	newest        atomic.Pointer[SceneView]
}

// inScene is the mask of the items of what stands still.
const inScene = 1 << 31

// NewScene returns an empty scene of two trees with the same options.
func NewScene(o Options) (*Scene, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	s := new(Scene)
	s.still.begin(o)
	s.moving.begin(o)
	s.still.mask = inScene
	s.both = both{&s.still.index, &s.moving.index}
	return s, nil
}

// share gives both trees the same slots.
func (s *Scene) share() { s.still.slots = s.moving.slots }

// Insert adds an object that stands still or moves. The errors are those of Tree.Insert.
func (s *Scene) Insert(b Box, still bool) (ID, error) {
	if err := s.moving.room(b, s.Len()); err != nil {
		return 0, err
	}
	id := s.moving.newID()
	s.share()
	if !still {
		s.moving.attach(id, b)
		return id, nil
	}
	s.moving.size--
	s.still.size++
	s.still.attach(id, b)
	return id, nil
}

// InsertAll adds an object for each box, as Tree.InsertAll does.
func (s *Scene) InsertAll(ids []ID, boxes []Box, still bool) ([]ID, error) {
	if err := s.moving.roomFor(boxes, s.Len()); err != nil {
		return ids, err
	}
	first, t := len(ids), &s.moving
	ids = s.moving.newIDs(ids, len(boxes))
	s.share()
	if still {
		t = &s.still
		s.moving.size -= len(boxes)
		s.still.size += len(boxes)
	}
	t.place(ids[first:], boxes)
	return ids, nil
}

// of returns the tree that an object is in, if it is in the scene.
func (s *Scene) of(id ID) *Tree {
	if i := uint32(id); uint(i) < uint(len(s.moving.slots)) && s.moving.slots[i].item&inScene != 0 {
		return &s.still
	}
	return &s.moving
}

// Move gives an object a new box. It stays in its tree. The errors are those of Tree.Move.
func (s *Scene) Move(id ID, b Box) error { return s.of(id).Move(id, b) }

// MoveAll gives each object the box at its index, as Tree.MoveAll does.
func (s *Scene) MoveAll(ids []ID, boxes []Box) (moved int, err error) { return moveAll(s, ids, boxes) }

// Still reports whether an object stands still. It reports false for one that is not there.
func (s *Scene) Still(id ID) bool {
	_, ok := s.still.lookup(id)
	return ok && s.of(id) == &s.still
}

// SetStill moves an object to the tree of what stands still, or to the other. The error
// is fs.ErrNotExist if the scene does not have the object.
func (s *Scene) SetStill(id ID, still bool) error {
	from, to := s.of(id), &s.moving
	if still {
		to = &s.still
	}
	item, ok := from.lookup(id)
	if !ok {
		return fmt.Errorf("octree: set still %v: %w", id, fs.ErrNotExist)
	}
	if from == to {
		return nil
	}
	b := from.at(item)
	from.detach(item)
	from.size--
	to.size++
	to.attach(id, b)
	return nil
}

// Remove takes an object out and reports whether the scene had it.
func (s *Scene) Remove(id ID) bool {
	t := s.of(id)
	item, ok := t.lookup(id)
	if ok {
		t.detach(item)
		t.size--
		s.moving.slot(uint32(id)).generation++
		s.moving.release(uint32(id))
	}
	return ok
}

// Clear removes all objects and keeps the memory. No ID from before is valid after it.
func (s *Scene) Clear() {
	s.moving.Clear()
	s.still.clear()
}

// Rebuild builds both trees anew, as Tree.Rebuild does.
func (s *Scene) Rebuild() {
	s.moving.Rebuild()
	s.share()
	s.still.rebuild(s.still.entries())
	s.still.trim()
}

// Moment returns the present moment, as Tree.Moment does.
func (s *Scene) Moment() Moment {
	if !s.still.aged || !s.moving.aged { // both clocks go on together
		s.still.aged, s.moving.aged = false, false
	}
	s.still.Moment()
	return s.moving.Moment()
}

// Stats counts the nodes of both trees.
func (s *Scene) Stats() Stats {
	a, b := s.still.Stats(), s.moving.Stats()
	return Stats{a.Nodes + b.Nodes, max(a.Depth, b.Depth), a.Bytes + b.Bytes - memory(s.still.slots) + int64(unsafe.Sizeof(*s)-2*unsafe.Sizeof(s.still))}
}

// Publish makes a view of the scene as it is now, as Tree.Publish does. It allocates the
// SceneView, not the copies.
func (s *Scene) Publish() {
	moment, old := s.Moment(), s.newest.Load()
	v := &SceneView{moment: moment}
	if old == nil {
		s.moving.track = newTracker(&s.moving)
		s.still.track = s.moving.track.beside(&s.still)
		v.still, v.moving = s.still.view(nil, moment), s.moving.view(nil, moment)
	} else if v.still, v.moving = s.still.view(old.still, moment), s.moving.view(old.moving, moment); v.still == old.still && v.moving == old.moving {
		v.still.Release()
		v.moving.Release()
		return
	}
	v.both = both{&v.still.index, &v.moving.index}
	v.held.Store(1)
	s.newest.Store(v)
	if old != nil {
		old.Release()
	}
}

// View returns the view that was published last, or nil, as Tree.View does.
func (s *Scene) View() *SceneView {
	for {
		v := s.newest.Load()
		if v == nil || v.hold() {
			return v
		}
	}
}

// SceneView is a scene as it was at one moment. What is said of View holds for it.
type SceneView struct {
	both
	holders
	still, moving *Frozen
	moment        Moment
}

// Release gives a view back. Each caller of Scene.View may call it once.
func (v *SceneView) Release() {
	if v.drop() {
		v.still.Release()
		v.moving.Release()
	}
}

// Moment returns the moment of the view.
func (v *SceneView) Moment() Moment { return v.moment }
