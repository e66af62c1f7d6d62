package octree

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"unsafe"
)

const (
	// maxObjects keeps the number of an item below 32 bits, even if each bucket has one.
	maxObjects = 1 << 28
	// maxSlots is more than maxObjects, because a slot whose generations are used up stays empty.
	maxSlots = 1 << 30
)

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

	home   Box                   // the root's cell: the bounds. The root's box is everything
	edge   float64               // of home
	half   [maxDepth + 2]float64 // half the edge of a cell at a depth
	reach  [maxDepth + 2]float64 // the same of a loose box
	strays int                   // objects with their center out of bounds
	expect int                   // strays that do not yet call for new bounds

	epoch uint32 // how often clock began anew
	clock uint32
	aged  bool // nothing changed since the clock went on

	calm int32 // a node with more objects may have to split when they move within it
}

// slot says where an object lies. A living object has an odd generation.
type slot struct {
	item       uint32 // bucket and position; in a free slot, the next free one
	generation uint32
	node       uint32
}

// none ends lists.
const none = ^uint32(0)

// New returns an empty tree. An error names the option that is out of range.
func New(o Options) (*Tree, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	t := &Tree{opts: o, calm: int32(o.SplitAbove)}
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
	t.nodes = append(t.nodes[:0], node{middle: t.home.center(), children: none, parent: none, head: none,
		splitAt: t.splitAt(0, 0), changed: t.clock, touched: t.clock})
	t.buckets = t.buckets[:0]
	t.freeBlock, t.freeBucket, t.strays, t.aged = none, none, 0, false
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
	if t.size == maxObjects || len(t.slots) == maxSlots {
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
	if uint(i) >= uint(len(t.slots)) || t.slots[i].generation != id.generation() || id.generation()&1 == 0 {
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
	i := uint32(id)
	if uint(i) >= uint(len(t.slots)) || t.slots[i].generation != id.generation() || id.generation()&1 == 0 || !b.ordered() {
		return t.moveFault(id, b)
	}
	// A box within the box of a node is finite.
	s := &t.slots[i]
	n := &t.nodes[s.node]
	if box := Around(n.middle, t.reach[n.depth]); n.touched == t.clock && n.own <= t.calm && n.children == none && s.node != 0 && box.contains(&b) {
		t.buckets[s.item/bucketItems].boxes[s.item%bucketItems] = b
		return nil
	}
	if !b.Valid() {
		return t.moveFault(id, b)
	}
	t.relocate(id, *s, b)
	return nil
}

func (t *Tree) moveFault(id ID, b Box) error {
	if _, ok := t.lookup(id); !ok {
		return fmt.Errorf("octree: move %v: %w", id, fs.ErrNotExist)
	}
	return fmt.Errorf("octree: move %v: %w", id, boxFault(b))
}

// relocate moves an object that leaves its node, may fit a child of it, or is the first
// to move there since the clock went on. Objects that got smaller may let a crowded node
// split, so each move brings its next try nearer.
func (t *Tree) relocate(id ID, s slot, b Box) {
	n, old := &t.nodes[s.node], &t.buckets[s.item/bucketItems].boxes[s.item%bucketItems]
	if box := t.box(n); !box.contains(&b) || t.childFor(s.node, &b) != none || s.node == 0 && t.stray(&b) != t.stray(old) {
		t.detach(s)
		t.attach(id, b)
		return
	}
	*old = b
	t.touch(s.node)
	if n.splitAt == math.MaxInt32 || n.own <= t.calm {
		return
	}
	if n.splitAt--; n.own >= n.splitAt {
		t.split(s.node)
	}
}

// Remove takes an object out and reports whether the tree had it.
func (t *Tree) Remove(id ID) bool {
	if _, ok := t.lookup(id); !ok {
		return false
	}
	t.detach(t.slots[uint32(id)])
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
