package layout

import (
	"fmt"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
)

// SizeClass is what the allocator takes for a value of that size.
var SizeClass = sizeClass

// Check returns the first broken invariant of a tree.
func (t *Tree) Check() error {
	refs := make(map[octree.ObjectID]int)
	nodes, buckets := 0, 0
	var walk func(c cursor, want cell) (bool, error)
	walk = func(c cursor, want cell) (empty bool, err error) {
		nodes++
		empty = true
		if c.cell != want {
			return false, fmt.Errorf("a node has the cell %v, want %v", c.cell, want)
		}
		if again := t.nodes.again(c.ref); again != c.ref {
			return false, fmt.Errorf("node %v is found again as %v", c.ref, again)
		}
		box := t.box(c.cell)
		head, set := t.nodes.look(c.ref)
		leaf := t.leaf(c.ref)
		n := uint32(0)
		for k := head; k != nil; k = k.next {
			empty = false
			buckets++
			if k.n == 0 || k.n > bucketItems || k != head && k.n < bucketItems {
				return false, fmt.Errorf("a bucket has %d objects", k.n)
			}
			if at := t.nodes.again(k.at.ref); at != c.ref || k.at.cell != c.cell || k.at.p != nil == t.opts.Storage.linear() {
				return false, fmt.Errorf("a bucket is at %v, not at %v", k.at, c)
			}
			n += k.n
			for i := range k.n {
				id := k.ids[i]
				s := t.lookup(id)
				refs[id]++
				switch {
				case s == nil:
					return false, fmt.Errorf("node %v has %v, which is gone", c, id)
				case t.opts.Objects == Enclosing && (!contains(&box, &s.box) || k.boxes[i] != s.box || s.in != k || s.place != i):
					return false, fmt.Errorf("node %v with box %v has %v with box %v, %v", c, box, id, k.boxes[i], s.box)
				case t.opts.Objects != Enclosing && (!leaf || k.boxes[i] != t.part(c.cell, &s.box) || !overlaps(&box, &s.box)):
					return false, fmt.Errorf("node %v, leaf %v, with box %v has %v with box %v, %v", c, leaf, box, id, k.boxes[i], s.box)
				}
			}
		}
		if head != nil && head.total != n {
			return false, fmt.Errorf("node %v counts %d objects, has %d", c, head.total, n)
		}
		for o := range uint8(8) {
			if set>>o&1 == 0 {
				continue
			}
			k := t.kid(c, o, ref{})
			if k.none() {
				if t.opts.Mask {
					return false, fmt.Errorf("node %v has no child %d, but its mask %08b has", c, o, set)
				}
				continue
			}
			if up := t.up(k); up.ref != c.ref || t.position(k.cell) != o {
				return false, fmt.Errorf("child %d of %v has the parent %v and is %d", o, c, up, t.position(k.cell))
			}
			none, err := walk(k, c.child(o))
			if err != nil {
				return false, err
			}
			switch {
			case !none:
				empty = false
			case t.opts.Storage != Block && t.opts.Storage != Full:
				return false, fmt.Errorf("child %d of %v is empty", o, c)
			}
		}
		return empty, nil
	}
	empty, err := walk(t.rootCursor(), t.top)
	if err != nil {
		return err
	}
	if empty && t.opts.Storage != Full && nodes != 1 {
		return fmt.Errorf("an empty tree has %d nodes", nodes)
	}
	for k := t.spare; k != nil; k = k.next {
		buckets++
	}
	if n, _, _, _ := t.nodes.measure(); n != nodes || buckets != t.buckets {
		return fmt.Errorf("counts %d of %d nodes and %d of %d buckets", n, nodes, t.buckets, buckets)
	}
	living := 0
	for i := range t.slots {
		s := &t.slots[i]
		if s.generation&1 == 0 {
			continue
		}
		living++
		id := octree.ObjectID(s.generation)<<32 | octree.ObjectID(i)
		if refs[id] != int(s.refs) || s.refs == 0 {
			return fmt.Errorf("%v is in %d nodes, counts %d", id, refs[id], s.refs)
		}
	}
	if living != t.size || len(refs) != t.size {
		return fmt.Errorf("%d objects of %d, %d in nodes", living, t.size, len(refs))
	}
	return nil
}

// Size is what a node takes with the fields that the literature gives it: vectors of
// three 32-bit numbers and a pointer to the objects.
type Size struct {
	Name    string
	Article int // bytes in the literature, where fields follow each other without gaps
	Go      int // unsafe.Sizeof, with the gaps that alignment needs
	Class   int // what Go's allocator takes for one of them; in arrays Go holds
}

// Sizes lists the nodes of all layouts. They are the types that trees with these options
// use. 92 is what the literature says where its fields are 96 bytes.
func Sizes() []Size {
	row := func(name string, article int, bytes uintptr) Size {
		return Size{name, article, int(bytes), int(sizeClass(bytes))}
	}
	type (
		up      = [1]unsafe.Pointer
		free    = [0]unsafe.Pointer
		eight   = [8]unsafe.Pointer
		box     = [6]float32
		nothing = [0]float32
	)
	return []Size{
		row("pointers, parent", 104, unsafe.Sizeof(pointerNode[eight, up, box]{})),
		row("pointers", 92, unsafe.Sizeof(pointerNode[eight, free, box]{})),
		row("inner-leaf, parent: inner", 105, unsafe.Sizeof(innerNode[eight, up, box]{})),
		row("inner-leaf, parent: leaf", 41, unsafe.Sizeof(leafNode[up, box]{})),
		row("block, parent", 49, unsafe.Sizeof(blockNode[up, box]{})),
		row("block", 40, unsafe.Sizeof(blockNode[free, box]{})),
		row("siblings, parent", 56, unsafe.Sizeof(siblingNode[up, box, [0]uint8]{})),
		row("siblings", 48, unsafe.Sizeof(siblingNode[free, box, [0]uint8]{})),
		row("linear, 32 bits, mask", 13, unsafe.Sizeof(linearNode[uint32, [1]uint8, nothing]{})),
		row("linear, 64 bits, mask", 17, unsafe.Sizeof(linearNode[uint64, [1]uint8, nothing]{})),
		row("linear, 64 bits", 16, unsafe.Sizeof(linearNode[uint64, [0]uint8, nothing]{})),
		row("full", 8, unsafe.Sizeof(fullNode{})),
	}
}
