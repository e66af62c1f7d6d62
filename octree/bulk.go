package octree

import (
	"fmt"
	"math"
	"slices"
)

// InsertAll adds an object for each box and appends their IDs to ids, in the order of the
// boxes. If a box is not valid, or the tree has not the room, no object is added. Into a
// tree with fewer objects than boxes it goes several times as fast as Insert: it builds
// all nodes anew, from the root down, and allocates.
func (t *Tree) InsertAll(ids []ObjectID, boxes []Box) ([]ObjectID, error) {
	if err := t.room(boxes); err != nil {
		return ids, err
	}
	first := len(ids)
	ids = t.newIDs(ids, len(boxes))
	t.place(ids[first:], boxes)
	return ids, nil
}

// room returns an error if there is none for some boxes.
func (t *Tree) room(boxes []Box) error {
	for i := range boxes {
		if !boxes[i].Valid() || !t.form.takes(&boxes[i]) {
			return fmt.Errorf("octree: insert box %d of %d: %w", i, len(boxes), t.form.fault(boxes[i]))
		}
	}
	if t.size+len(boxes) > maxObjects || len(t.slots)+len(boxes) > maxSlots {
		return fmt.Errorf("octree: insert %d boxes: %w", len(boxes), ErrFull)
	}
	return nil
}

// newIDs appends the IDs of n objects that are in no node yet.
func (t *Tree) newIDs(ids []ObjectID, n int) []ObjectID {
	ids = slices.Grow(ids, n)
	for ; n > 0 && t.freeSlot != none; n-- {
		ids = append(ids, t.newID())
	}
	first := len(t.slots)
	t.slots = resized(t.slots, first+n)
	t.size += n
	for i := range n {
		t.slots[first+i] = slot{generation: 1}
		ids = append(ids, 1<<32|ObjectID(first+i))
	}
	return ids
}

// place puts new objects, which the size already counts, into nodes.
func (t *Tree) place(ids []ObjectID, boxes []Box) {
	old := t.size - len(ids)
	switch {
	case len(ids) < old || len(ids) <= t.opts.SplitAbove:
		for i, id := range ids {
			t.attach(id, boxes[i])
		}
	case old == 0:
		t.rebuild(entries{ids, boxes})
	default:
		all := t.entries()
		t.rebuild(entries{append(all.ids, ids...), append(all.boxes, boxes...)})
	}
}

// MoveAll gives each object the box at its index. It does what Move does for each in
// turn and stops at the first error: moved says how many objects have
// moved, and the object at that index is the wrong one. There are as many boxes as IDs.
func (t *Tree) MoveAll(ids []ObjectID, boxes []Box) (moved int, err error) {
	if len(ids) != len(boxes) {
		return 0, fmt.Errorf("octree: move %d objects: %d boxes", len(ids), len(boxes))
	}
	for i, id := range ids {
		if err := t.Move(id, boxes[i]); err != nil {
			return i, err
		}
	}
	return len(ids), nil
}

// entries is objects on their way into nodes.
type entries struct {
	ids   []ObjectID
	boxes []Box
}

// entries returns all objects.
func (t *index) entries() entries {
	list := entries{make([]ObjectID, 0, t.size), make([]Box, 0, t.size)}
	t.All(func(id ObjectID, b Box) bool {
		list.ids, list.boxes = append(list.ids, id), append(list.boxes, b)
		return true
	})
	return list
}

// Rebuild fits the bounds of the tree to its objects and builds its nodes anew. The tree
// does it by itself when too many objects have left the bounds. A program calls it to
// give memory back. It allocates.
func (t *Tree) Rebuild() {
	t.rebuild(t.entries())
	t.trim()
	t.slots = trimmed(t.slots)
}

// trim gives back the memory that nodes and buckets do not use, and the views that nobody holds.
func (t *Tree) trim() {
	if t.track != nil {
		t.track.pool = new(pool)
	}
	t.nodes, t.buckets = trimmed(t.nodes), trimmed(t.buckets)
	t.boxes.trim()
}

// newChildren gives a node empty children and returns the first.
func (t *Tree) newChildren(n uint32) uint32 {
	c, parent := t.newBlock(), t.nodes[n]
	for o := range t.fan {
		*t.node(c + o) = node{middle: t.childMiddle(&parent, o), children: none, parent: n, head: none,
			splitAt: t.splitAt(0, 0), changed: parent.touched, touched: parent.touched, depth: parent.depth + 1}
	}
	nd := t.node(n)
	nd.children, nd.splitAt = c, math.MaxInt32
	return c
}
