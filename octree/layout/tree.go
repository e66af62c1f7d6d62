package layout

import (
	"fmt"
	"io/fs"
	"math"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
)

// Tree is an index of boxes in one of the layouts. New makes one.
type Tree struct {
	opts  Options
	nodes nodes
	codes coded // nodes, if they have codes
	size  int

	base, top cell // of the first root, and of the root
	widest    float32
	lowest    float32 // half of the smallest cell
	every     uint8   // all octants

	origin, unit octree.Vec // where a cell's numbers are
	low, high    float64    // the Z of all objects of a flat tree
	pad          octree.Vec // the longest edges of objects in leaves

	slots    []slot  // by ObjectID.Index
	freeSlot uint32  // the first free slot, or none
	spare    *bucket // free buckets
	buckets  int
}

// slot is what a tree knows of an object. A living object has an odd generation.
type slot struct {
	box        octree.Box
	in         *bucket // one of those that have it
	place      uint32  // in the bucket; in a free slot, the next free one
	refs       uint32  // how many buckets have it
	generation uint32
}

const none = ^uint32(0)

// bucketItems is how many objects of one node lie beside each other.
const bucketItems = 8

// bucket is a piece of the list of a node's objects. All buckets but the first are full.
type bucket struct {
	next  *bucket
	at    cursor // the node. Only code and cell stay true when nodes move
	n     uint32
	total uint32 // of the whole list, in its first bucket
	boxes [bucketItems]octree.Box
	ids   [bucketItems]octree.ObjectID
}

// New returns an empty tree. An error names the option that makes no sense.
func New(o Options) (*Tree, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	t := &Tree{opts: o, nodes: newNodes(&o), every: 0b11111111}
	t.codes, _ = t.nodes.(coded)
	t.base.half = 1
	if o.Flat {
		t.every, t.base.z = 0b1111, infinite
	}
	t.lowest = float32(math.Ldexp(1, -o.MaxDepth))
	t.widest = 1
	if !o.Fixed {
		t.widest = float32(math.Ldexp(1, o.levels()-o.MaxDepth))
	}
	t.origin.X, t.unit.X = span(o.Root.Min.X, o.Root.Max.X)
	t.origin.Y, t.unit.Y = span(o.Root.Min.Y, o.Root.Max.Y)
	t.origin.Z, t.unit.Z = span(o.Root.Min.Z, o.Root.Max.Z)
	t.Clear()
	return t, nil
}

// span returns the middle of lo..hi, and a half that reaches both ends in spite of rounding.
func span(lo, hi float64) (middle, half float64) {
	middle, half = lo/2+hi/2, hi/2-lo/2
	for middle-half > lo || middle+half < hi {
		half = math.Nextafter(half, math.Inf(1))
	}
	return middle, half
}

// Clear removes all objects, and makes the root what it was first. No ID from before is
// valid after it.
func (t *Tree) Clear() {
	t.freeSlot = none
	for i := range t.slots {
		s := &t.slots[i]
		s.generation += s.generation & 1
		s.in, s.refs = nil, 0
		t.release(uint32(i))
	}
	t.size, t.spare, t.buckets = 0, nil, 0
	t.restart()
}

// restart makes an empty tree's root what it was first.
func (t *Tree) restart() {
	t.top, t.low, t.high, t.pad = t.base, math.Inf(1), math.Inf(-1), octree.Vec{}
	t.nodes.reset(t.top)
}

// release puts a slot on the free list, unless its generations are used up.
func (t *Tree) release(i uint32) {
	if t.slots[i].generation != 0 {
		t.slots[i].place, t.freeSlot = t.freeSlot, i
	}
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.size }

// Options returns the options with all defaults in place.
func (t *Tree) Options() Options { return t.opts }

// Insert adds an object. A box that is not finite, or has a Min above its Max, is an
// error, and so are an object outside of the largest root (ErrOutside) and a full tree
// (ErrFull).
func (t *Tree) Insert(b octree.Box) (octree.ObjectID, error) {
	if err := t.admit(b); err != nil {
		return 0, fmt.Errorf("layout: insert: %w", err)
	}
	if t.size == maxObjects {
		return 0, fmt.Errorf("layout: insert: %w", ErrFull)
	}
	id := t.newID(b)
	t.place(cursor{t.nodes.root(), t.top}, id, &b)
	return id, nil
}

func (t *Tree) newID(b octree.Box) octree.ObjectID {
	i := t.freeSlot
	if i == none {
		i = uint32(len(t.slots))
		t.slots = append(t.slots, slot{})
	} else {
		t.freeSlot = t.slots[i].place
	}
	s := &t.slots[i]
	s.generation++
	s.box = b
	t.size++
	return octree.ObjectID(s.generation)<<32 | octree.ObjectID(i)
}

// admit makes the root large enough for b. An error changes nothing.
func (t *Tree) admit(b octree.Box) error {
	if !b.Valid() {
		return fmt.Errorf("box %v: not finite, or Min above Max", b)
	}
	if err := t.expand(&b); err != nil {
		return fmt.Errorf("box %v: %w", b, err)
	}
	if t.opts.Flat {
		t.low, t.high = min(t.low, b.Min.Z), max(t.high, b.Max.Z)
	}
	return nil
}

func (t *Tree) lookup(id octree.ObjectID) *slot {
	i, generation := uint32(id), uint32(id>>32)
	if uint(i) >= uint(len(t.slots)) || t.slots[i].generation != generation || generation&1 == 0 {
		return nil
	}
	return &t.slots[i]
}

// Get returns the box of an object, and whether the tree has it.
func (t *Tree) Get(id octree.ObjectID) (octree.Box, bool) {
	s := t.lookup(id)
	if s == nil {
		return octree.Box{}, false
	}
	return s.box, true
}

// Move gives an object a new box, of any size. The error is fs.ErrNotExist if the tree
// does not have the object. Errors are those of Insert else, and change nothing.
func (t *Tree) Move(id octree.ObjectID, b octree.Box) error {
	s := t.lookup(id)
	if s == nil {
		return fmt.Errorf("layout: move %v: %w", id, fs.ErrNotExist)
	}
	if t.opts.Objects == Enclosing && b.Valid() && t.stays(id, s, &b) {
		return nil
	}
	if err := t.admit(b); err != nil {
		return fmt.Errorf("layout: move %v: %w", id, err)
	}
	t.relocate(id, s, b)
	return nil
}

// Remove takes an object out and reports whether the tree had it.
func (t *Tree) Remove(id octree.ObjectID) bool {
	s := t.lookup(id)
	if s == nil {
		return false
	}
	t.takeOut(id, s)
	t.size--
	s.generation++
	t.release(uint32(id))
	t.shrink()
	return true
}

// Stats says what a tree takes.
type Stats struct {
	Nodes     int   // with the root
	Depth     int   // of the deepest node; the root has depth 0
	NodeSize  int   // bytes of a node: unsafe.Sizeof
	LeafSize  int   // the same of a node without children, if that is another type
	NodeBytes int64 // allocated for nodes
	Bytes     int64 // allocated in all
	Refs      int   // how often objects lie in nodes: above Len where some lie in several
	Rekeyed   int   // locational codes that changed because the root did, since New
}

// Stats counts the nodes of the tree.
func (t *Tree) Stats() Stats {
	nodes, inner, leaf, bytes := t.nodes.measure()
	s := Stats{Nodes: nodes, NodeSize: int(inner), LeafSize: int(leaf), NodeBytes: bytes}
	s.Bytes = s.NodeBytes + int64(cap(t.slots))*int64(unsafe.Sizeof(slot{})) +
		int64(t.buckets)*sizeClass(unsafe.Sizeof(bucket{})) + sizeClass(unsafe.Sizeof(*t))
	for i := range t.slots {
		s.Refs += int(t.slots[i].refs)
	}
	if t.codes != nil {
		s.Rekeyed = t.codes.changed()
	}
	t.Walk(func(n Node) octree.Step {
		s.Depth = max(s.Depth, n.Depth())
		return octree.Enter
	})
	return s
}
