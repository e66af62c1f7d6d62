package octree

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"unsafe"
)

// maxObjects keeps an item's number below 32 bits, even if each bucket had one item.
const maxObjects = 1 << 28

// ErrFull says that a tree has no room for one more object.
var ErrFull = errors.New("octree: a tree holds at most 268435456 objects")

// Tree is an index of boxes. New makes one.
type Tree struct {
	opts Options

	slots    []slot // by ID.Index
	freeSlot uint32 // the first free slot, or none
	size     int

	nodes     []node // nodes[0] is the root; then blocks of eight children
	freeBlock uint32 // the first node of the first free block, or none

	buckets    []bucket
	freeBucket uint32

	home   Box     // the root's cell: the bounds. The root's box is everything
	edge   float64 // of home
	strays int     // objects with their center out of bounds
	expect int     // strays that do not yet call for new bounds
}

// slot says where an object lies. A living object has an odd generation.
type slot struct {
	item       uint32 // bucket and position; in a free slot, the next free one
	generation uint32
}

// none ends lists.
const none = ^uint32(0)

// New returns an empty tree. An error names the option that is out of range.
func New(o Options) (*Tree, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	t := &Tree{opts: o}
	t.Clear()
	return t, nil
}

// Clear removes all objects and keeps the memory. No ID from before is valid after it.
func (t *Tree) Clear() {
	t.freeSlot = none
	for i := range t.slots {
		t.slots[i].generation += t.slots[i].generation & 1
		t.release(uint32(i))
	}
	t.size, t.home, t.edge, t.expect = 0, nowhere, 0, 0
	t.reset()
}

// reset takes all objects and children from the root.
func (t *Tree) reset() {
	t.nodes = append(t.nodes[:0], node{box: everything, children: none, parent: none, head: none, splitAt: t.splitAt(0, 0)})
	t.buckets = t.buckets[:0]
	t.freeBlock, t.freeBucket, t.strays = none, none, 0
}

// release puts a slot on the free list, unless its generations are used up.
func (t *Tree) release(i uint32) {
	if t.slots[i].generation != 0 {
		t.slots[i].item, t.freeSlot = t.freeSlot, i
	}
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.size }

// Insert adds an object. A box that is not valid is an error, and so is a full tree (ErrFull).
func (t *Tree) Insert(b Box) (ID, error) {
	if !b.Valid() {
		return 0, fmt.Errorf("octree: insert: %w", boxFault(b))
	}
	if t.size == maxObjects || len(t.slots) == int(none) {
		return 0, fmt.Errorf("octree: insert: %w", ErrFull)
	}
	i := t.freeSlot
	if i == none {
		i = uint32(len(t.slots))
		t.slots = append(t.slots, slot{})
	} else {
		t.freeSlot = t.slots[i].item
	}
	t.slots[i].generation++
	t.size++
	id := ID(t.slots[i].generation)<<32 | ID(i)
	t.attach(id, b)
	return id, nil
}

func boxFault(b Box) error { return fmt.Errorf("box %v: not finite, or Min above Max", b) }

// lookup returns the number of id's item.
func (t *Tree) lookup(id ID) (item uint32, ok bool) {
	i := uint32(id)
	if int(i) >= len(t.slots) || t.slots[i].generation != id.generation() || id.generation()&1 == 0 {
		return 0, false
	}
	return t.slots[i].item, true
}

// Get returns the box of an object, and whether the tree has it.
func (t *Tree) Get(id ID) (Box, bool) {
	item, ok := t.lookup(id)
	if !ok {
		return Box{}, false
	}
	return t.buckets[item/bucketItems].boxes[item%bucketItems], true
}

// Move gives an object a new box, of any size. The error is fs.ErrNotExist if the tree
// does not have the object. A box that is not valid is an error and changes nothing.
func (t *Tree) Move(id ID, b Box) error {
	item, ok := t.lookup(id)
	if !ok || !b.Valid() {
		return moveFault(id, b, ok)
	}
	k := &t.buckets[item/bucketItems]
	if n := &t.nodes[k.node]; k.node != 0 && n.children == none && int(n.own) <= t.opts.SplitAbove && n.box.contains(&b) {
		k.boxes[item%bucketItems] = b
		return nil
	}
	t.relocate(id, item, b)
	return nil
}

func moveFault(id ID, b Box, ok bool) error {
	if !ok {
		return fmt.Errorf("octree: move %v: %w", id, fs.ErrNotExist)
	}
	return fmt.Errorf("octree: move %v: %w", id, boxFault(b))
}

// relocate moves an object that leaves its node or may fit a child of it. Objects that
// got smaller may let a crowded node split, so each move brings its next try nearer.
func (t *Tree) relocate(id ID, item uint32, b Box) {
	k := &t.buckets[item/bucketItems]
	n := &t.nodes[k.node]
	stays := n.box.contains(&b) && t.childFor(k.node, &b) == none
	if k.node == 0 {
		stays = stays && t.stray(&b) == t.stray(&k.boxes[item%bucketItems])
	}
	if !stays {
		t.detach(item)
		t.attach(id, b)
		return
	}
	k.boxes[item%bucketItems] = b
	if n.splitAt == math.MaxInt32 {
		return
	}
	if n.splitAt--; n.own >= n.splitAt {
		t.split(k.node)
	}
}

// Remove takes an object out and reports whether the tree had it.
func (t *Tree) Remove(id ID) bool {
	item, ok := t.lookup(id)
	if !ok {
		return false
	}
	t.detach(item)
	t.size--
	t.slots[uint32(id)].generation++
	t.release(uint32(id))
	return true
}

// Stats says what a tree takes.
type Stats struct {
	Nodes int   // in use, with the root
	Depth int   // of the deepest node
	Bytes int64 // of memory, with what is kept for later
}

// Stats counts the nodes of the tree.
func (t *Tree) Stats() Stats {
	s := Stats{Bytes: int64(unsafe.Sizeof(*t)) + int64(cap(t.slots))*int64(unsafe.Sizeof(slot{})) +
		int64(cap(t.nodes))*int64(unsafe.Sizeof(node{})) + int64(cap(t.buckets))*int64(unsafe.Sizeof(bucket{}))}
	t.count(0, &s)
	return s
}

func (t *Tree) count(n uint32, s *Stats) {
	s.Nodes++
	s.Depth = max(s.Depth, int(t.nodes[n].depth))
	if c := t.nodes[n].children; c != none {
		for i := range uint32(8) {
			t.count(c+i, s)
		}
	}
}
