package layout

import (
	"fmt"

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
