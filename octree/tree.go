package octree

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync/atomic"
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
	index
	opts Options

	freeSlot   uint32 // the first free slot, or none
	freeBlock  uint32 // the first node of the first free block, or none
	freeBucket uint32

	track  *tracker // nil until the first view
	newest atomic.Pointer[Frozen]

	strays int  // objects with their center out of bounds
	expect int  // strays that do not yet call for new bounds
	aged   bool // nothing changed since the clock went on
}

// levels is more than a depth can be, and a power of two.
const levels = 64

// index is what queries read of a tree.
type index struct {
	boxes
	slots   []slot   // by ObjectID.Index
	nodes   []node   // nodes[0] is the root; then blocks of children
	buckets []bucket // items 8i to 8i+7 lie in bucket i
	size    int
	fan     uint32 // children of a block

	home  Box             // the root's cell: the bounds. The root's box is everything
	clip  Box             // holds all frames
	edge  float64         // of home
	half  [levels]float64 // half the edge of a cell at a depth
	reach [levels]float64 // the same of a loose box
	grain [levels]float64 // steps of a coarse box for each unit, or 0 at depths that no node can have
	sides [lanes][mostStep + 1]uint8

	epoch uint32 // how often clock began anew
	clock uint32
	calm  int32 // a node with more objects may have to split when they move within it
}

// slot says where an object lies. A living object has an odd generation.
type slot struct {
	item       uint32 // in a free slot, the next free one
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
	t := new(Tree)
	t.begin(o)
	return t, nil
}

// begin makes an empty tree.
func (t *Tree) begin(o Options) {
	t.opts, t.calm, t.boxes.form, t.fan = o, int32(o.SplitAbove), o.form(), 8
	if o.Flat {
		t.fan = 4
	}
	t.setSides(o.Loose)
	t.Clear()
}

// Clear removes all objects and keeps the memory. No ID from before is valid after it.
func (t *Tree) Clear() {
	t.freeSlot = none
	for i := range uint32(len(t.slots)) {
		t.slot(i).generation += t.slots[i].generation & 1
		t.release(i)
	}
	t.size, t.expect = 0, 0
	t.bound(nowhere)
	t.reset()
}

// reset takes all objects and children from the root.
func (t *Tree) reset() {
	t.nodes = resized(t.nodes[:0], 1)
	*t.node(0) = node{middle: t.middle(), children: none, parent: none, head: none,
		splitAt: t.splitAt(0, 0), changed: t.clock, touched: t.clock}
	t.buckets = t.buckets[:0]
	t.boxes.resize(0)
	t.freeBlock, t.freeBucket, t.strays, t.aged = none, none, 0, false
}

// release puts a slot on the free list, unless its generations are used up.
func (t *Tree) release(i uint32) {
	if t.slots[i].generation != 0 {
		t.slot(i).item, t.freeSlot = t.freeSlot, i
	}
}

// Len returns the number of objects.
func (t *index) Len() int { return t.size }

// Insert adds an object. A box that is not valid is an error, and so is a full tree (ErrFull).
func (t *Tree) Insert(b Box) (ObjectID, error) {
	if !b.Valid() || !t.form.takes(&b) {
		return 0, fmt.Errorf("octree: insert: %w", t.form.fault(b))
	}
	if t.size == maxObjects || len(t.slots) == maxSlots {
		return 0, fmt.Errorf("octree: insert: %w", ErrFull)
	}
	id := t.newID()
	t.attach(id, b)
	return id, nil
}

// newID takes a slot for an object that is in no node yet.
func (t *Tree) newID() ObjectID {
	i := t.freeSlot
	if i == none {
		i = uint32(len(t.slots))
		t.slots = resized(t.slots, len(t.slots)+1)
		*t.slot(i) = slot{}
	} else {
		t.freeSlot = t.slots[i].item
	}
	s := t.slot(i)
	s.generation++
	t.size++
	return ObjectID(s.generation)<<32 | ObjectID(i)
}

// lookup returns the number of id's item.
func (t *index) lookup(id ObjectID) (item uint32, ok bool) {
	i := uint32(id)
	if uint(i) >= uint(len(t.slots)) || t.slots[i].generation != id.generation() || id.generation()&1 == 0 {
		return 0, false
	}
	return t.slots[i].item, true
}

// Get returns the box of an object, and whether the tree has it.
func (t *index) Get(id ObjectID) (Box, bool) {
	item, ok := t.lookup(id)
	if !ok {
		return Box{}, false
	}
	return t.at(item), true
}

// Move gives an object a new box, of any size. The error is fs.ErrNotExist if the tree
// does not have the object. A box that is not valid is an error and changes nothing.
func (t *Tree) Move(id ObjectID, b Box) error {
	i := uint32(id)
	if uint(i) >= uint(len(t.slots)) || t.slots[i].generation != id.generation() || id.generation()&1 == 0 || !b.ordered() {
		return t.moveFault(id, b)
	}
	item := t.slots[i].item
	k := &t.buckets[item/bucketItems]
	n := &t.nodes[k.node]
	// A box within the box of a node is finite.
	if n.touched == t.clock && n.own <= t.calm && n.children == none && n.depth != 0 && t.form == 0 && t.slide(n, k, item, &b) {
		return nil
	}
	if !b.Valid() || !t.form.takes(&b) {
		return t.moveFault(id, b)
	}
	t.relocate(id, item, b)
	return nil
}

// slide moves an object within its node, below the root, and reports whether it can.
func (t *Tree) slide(n *node, k *bucket, item uint32, b *Box) bool {
	r, g := t.reach[n.depth%levels], t.grain[n.depth%levels]
	x, y, z := b.Min.X-(n.middle.X-r), b.Min.Y-(n.middle.Y-r), b.Min.Z-(n.middle.Z-r)
	u, v, w := n.middle.X+r-b.Max.X, n.middle.Y+r-b.Max.Y, n.middle.Z+r-b.Max.Z
	signs := math.Float64bits(x) | math.Float64bits(y) | math.Float64bits(z) |
		math.Float64bits(u) | math.Float64bits(v) | math.Float64bits(w)
	if int64(signs) < 0 {
		return false
	}
	if t.track != nil {
		t.track.buckets.mark(item / bucketItems)
	}
	k.setLanes(item, x*g, y*g, z*g, u*g, v*g, w*g)
	t.set(item, b)
	return true
}

func (t *Tree) moveFault(id ObjectID, b Box) error {
	if _, ok := t.lookup(id); !ok {
		return fmt.Errorf("octree: move %v: %w", id, fs.ErrNotExist)
	}
	return fmt.Errorf("octree: move %v: %w", id, t.form.fault(b))
}

// relocate moves an object that leaves its node, may fit a child of it, or is the first
// to move there since the clock went on. Objects that got smaller may let a crowded node
// split, so each move brings its next try nearer.
func (t *Tree) relocate(id ObjectID, item uint32, b Box) {
	m := t.buckets[item/bucketItems].node
	n, old := t.node(m), t.at(item)
	if box := t.box(n); !box.contains(&b) || t.childFor(n, &b) != none || m == 0 && t.stray(&b) != t.stray(&old) {
		t.detach(item)
		t.attach(id, b)
		return
	}
	t.put(n, item, &b)
	t.touch(m)
	if n.splitAt == math.MaxInt32 || n.own <= t.calm {
		return
	}
	if n.splitAt--; n.own >= n.splitAt {
		t.split(m)
	}
}

// Remove takes an object out and reports whether the tree had it.
func (t *Tree) Remove(id ObjectID) bool {
	item, ok := t.lookup(id)
	if !ok {
		return false
	}
	t.detach(item)
	t.size--
	t.slot(uint32(id)).generation++
	t.release(uint32(id))
	return true
}

// Stats says what a tree takes.
type Stats struct {
	Nodes int   // in use, with the root
	Depth int   // of the deepest node
	Bytes int64 // of memory, with what is kept for later, without views
}

// Stats counts the nodes of the tree.
func (t *index) Stats() Stats {
	s := Stats{Bytes: int64(unsafe.Sizeof(Tree{})) + memory(t.slots) + memory(t.nodes) + memory(t.buckets) + t.boxes.bytes()}
	t.count(0, &s)
	return s
}

func (t *index) count(n uint32, s *Stats) {
	s.Nodes++
	s.Depth = max(s.Depth, int(t.nodes[n].depth))
	if c := t.nodes[n].children; c != none {
		for i := range t.fan {
			t.count(c+i, s)
		}
	}
}
