package octree

import (
	"fmt"
	"math"
)

// InsertAll adds an object for each box and appends their IDs to ids, in the order of the
// boxes. If a box is not valid, or the tree has not the room, no object is added. Into a
// tree with fewer objects than boxes it goes several times as fast as Insert: it builds
// all nodes anew, from the root down, and allocates.
func (t *Tree) InsertAll(ids []ID, boxes []Box) ([]ID, error) {
	for i := range boxes {
		if !boxes[i].Valid() || !t.form.takes(&boxes[i]) {
			return ids, fmt.Errorf("octree: insert box %d of %d: %w", i, len(boxes), t.form.fault(boxes[i]))
		}
	}
	if t.size+len(boxes) > maxObjects || len(t.slots)+len(boxes) > maxSlots {
		return ids, fmt.Errorf("octree: insert %d boxes: %w", len(boxes), ErrFull)
	}
	few := len(boxes) < t.size || len(boxes) <= t.opts.SplitAbove
	var list []entry
	if !few {
		list = t.entries(len(boxes))
	}
	for i := range boxes {
		id := t.newID()
		ids = append(ids, id)
		if few {
			t.attach(id, boxes[i])
		} else {
			list = append(list, entry{id, boxes[i]})
		}
	}
	if !few {
		t.rebuild(list)
	}
	return ids, nil
}

// MoveAll gives each object the box at its index. It does what Move does for each in
// turn, in less time, and stops at the first error: moved says how many objects have
// moved, and the object at that index is the wrong one. There are as many boxes as IDs.
func (t *Tree) MoveAll(ids []ID, boxes []Box) (moved int, err error) {
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

// entry is an object on its way into nodes.
type entry struct {
	id  ID
	box Box
}

// entries returns all objects, with room for more.
func (t *index) entries(more int) []entry {
	list := make([]entry, 0, t.size+more)
	t.All(func(id ID, b Box) bool {
		list = append(list, entry{id, b})
		return true
	})
	return list
}

// Rebuild fits the bounds of the tree to its objects and builds its nodes anew. The tree
// does it by itself when too many objects have left the bounds. A program calls it to
// give memory back. It allocates.
func (t *Tree) Rebuild() {
	t.rebuild(t.entries(0))
	t.trim()
	t.slots = trimmed(t.slots)
}

// trim gives back the memory that nodes and buckets do not use.
func (t *Tree) trim() {
	t.nodes, t.buckets = trimmed(t.nodes), trimmed(t.buckets)
	t.boxes.trim()
}

// rebuild puts a list of all objects into new nodes within new bounds.
func (t *Tree) rebuild(list []entry) {
	t.settle(list)
	t.reset()
	usual := len(list) / bucketItems * 5 / 4
	t.buckets = resized(t.buckets, usual)[:0]
	t.boxes.resize(usual * bucketItems)
	t.boxes.resize(0)
	b := builder{t, make([]uint8, len(list))}
	b.build(0, list, make([]entry, len(list)))
	t.expect = 2 * t.strays
}

// builder makes nodes from the root down.
type builder struct {
	*Tree
	octants []uint8
}

// build puts a list into an empty node. It uses scratch, which is as long, and changes both.
func (t *builder) build(n uint32, list, scratch []entry) {
	nd := t.nodes[n]
	var ends [noChild + 1]int
	if len(list) > t.opts.SplitAbove && int(nd.depth) < t.opts.MaxDepth && t.edge > 0 && t.fine(&nd) {
		for i := range list {
			o := t.fit(&nd, &list[i].box)
			if n == 0 && t.stray(&list[i].box) {
				o = noChild
			}
			t.octants[i] = uint8(o)
			ends[o]++
		}
	}
	fits := 0
	for _, count := range ends[:noChild] {
		fits += count
	}
	if fits <= t.opts.SplitAbove {
		for i := range list {
			t.add(n, list[i].id, &list[i].box)
		}
		t.node(n).splitAt = t.splitAt(len(list), fits)
		return
	}
	for o := 1; o <= noChild; o++ {
		ends[o] += ends[o-1]
	}
	for i := len(list) - 1; i >= 0; i-- {
		o := t.octants[i]
		ends[o]--
		scratch[ends[o]] = list[i]
	}
	for i := range scratch[fits:] {
		t.add(n, scratch[fits+i].id, &scratch[fits+i].box)
	}
	c := t.newChildren(n)
	t.node(n).below = int32(fits)
	for o := range t.fan {
		if from, to := ends[o], ends[o+1]; from < to {
			t.nodes[n].filled |= 1 << o
			t.build(c+o, scratch[from:to], list[from:to])
		}
	}
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
