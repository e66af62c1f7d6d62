package octree

import (
	"fmt"
	"math"
	"slices"
)

// Age brings the clock of changes to its end.
func (t *Tree) Age() { t.clock, t.aged = math.MaxUint32-2, false }

// Same compares the memory of a view with that of its tree.
func (t *Tree) Same(v *Frozen) error {
	switch {
	case !slices.Equal(v.slots, t.slots):
		return fmt.Errorf("slots of the view: got %v, want %v", v.slots, t.slots)
	case !slices.Equal(v.nodes, t.nodes):
		return fmt.Errorf("nodes of the view: got %v, want %v", v.nodes, t.nodes)
	case !slices.Equal(v.buckets, t.buckets):
		return fmt.Errorf("buckets of the view: got %v, want %v", v.buckets, t.buckets)
	case !slices.Equal(v.solid, t.solid) || !slices.Equal(v.rects, t.rects) || !slices.Equal(v.solid32, t.solid32) || !slices.Equal(v.rects32, t.rects32):
		return fmt.Errorf("boxes of the view are not those of the tree")
	case v.size != t.size || v.home != t.home || v.reach != t.reach:
		return fmt.Errorf("view: got %d objects, %v, want %d, %v", v.size, v.home, t.size, t.home)
	}
	return nil
}

// Check returns the first broken invariant of a tree.
func (t *Tree) Check() error {
	seen, strays := 0, 0
	buckets := make(map[uint32]bool)
	nodes := 0
	var walk func(n uint32) (int, error)
	walk = func(n uint32) (int, error) {
		nd := &t.nodes[n]
		nodes++
		own := 0
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			switch {
			case buckets[h]:
				return 0, fmt.Errorf("bucket %d is in two lists", h)
			case k.n == 0 || k.n > bucketItems || h != nd.head && k.n < bucketItems:
				return 0, fmt.Errorf("bucket %d has %d objects", h, k.n)
			}
			buckets[h] = true
			for i := range k.n {
				b := t.at(h*bucketItems + i)
				if item, ok := t.lookup(k.ids[i]); !ok || item != h*bucketItems+i || k.node != n {
					return 0, fmt.Errorf("object %v is not where its slot says", k.ids[i])
				}
				if box := t.box(nd); !box.contains(&b) {
					return 0, fmt.Errorf("node %d has an object %v", n, b)
				}
				if n == 0 && t.stray(&b) {
					strays++
				}
			}
			for i := range uint32(bucketItems) {
				want := bucket{}
				if i < k.n {
					b := t.at(h*bucketItems + i)
					t.setLanes(&want, i, nd, &b)
				} else {
					want.lanes[0][i] = noObject
				}
				for l := range lanes {
					if (i < k.n || l == 0) && k.lanes[l][i] != want.lanes[l][i] {
						return 0, fmt.Errorf("bucket %d, object %d, lane %d: got %d, want %d", h, i, l, k.lanes[l][i], want.lanes[l][i])
					}
				}
			}
			own += int(k.n)
		}
		seen += own
		below := 0
		if c := nd.children; c != none {
			for i := range t.fan {
				if child := &t.nodes[c+i]; child.parent != n || child.depth != nd.depth+1 {
					return 0, fmt.Errorf("node %d has parent %d, want %d", c+i, child.parent, n)
				}
				b, err := walk(c + i)
				if err != nil {
					return 0, err
				}
				if nd.filled>>i&1 == 1 != (b > 0) {
					return 0, fmt.Errorf("node %d has filled %08b, and %d objects in child %d", n, nd.filled, b, i)
				}
				if nd.changed < t.nodes[c+i].changed || nd.changed < nd.touched {
					return 0, fmt.Errorf("node %d changed at %d, its child %d at %d", n, nd.changed, i, t.nodes[c+i].changed)
				}
				if outer, inner := t.box(nd), t.box(&t.nodes[c+i]); !outer.contains(&inner) {
					return 0, fmt.Errorf("node %d has %v, its child %d %v", n, outer, i, inner)
				}
				if t.box(&t.nodes[c+i]) != t.childBox(nd, i) {
					return 0, fmt.Errorf("node %d: the box of child %d is not what it is from above", n, i)
				}
				below += b
			}
			if below < t.opts.SplitAbove/2 {
				return 0, fmt.Errorf("node %d has children for %d objects", n, below)
			}
		} else if nd.filled != 0 {
			return 0, fmt.Errorf("node %d has filled %08b and no children", n, nd.filled)
		} else if own >= int(nd.splitAt) {
			return 0, fmt.Errorf("node %d has %d objects and should have split at %d", n, own, nd.splitAt)
		}
		if own != int(nd.own) || below != int(nd.below) {
			return 0, fmt.Errorf("node %d counts %d and %d, has %d and %d", n, nd.own, nd.below, own, below)
		}
		return own + below, nil
	}
	if _, err := walk(0); err != nil {
		return err
	}
	for h := t.freeBucket; h != none; h = t.buckets[h].next {
		if buckets[h] {
			return fmt.Errorf("bucket %d is free and in use", h)
		}
		buckets[h] = true
	}
	for c := t.freeBlock; c != none; c = t.nodes[c].parent {
		nodes += int(t.fan)
	}
	if seen != t.size || strays != t.strays || len(buckets) != len(t.buckets) || nodes != len(t.nodes) {
		return fmt.Errorf("%d of %d objects, %d of %d strays, %d of %d buckets, %d of %d nodes",
			seen, t.size, strays, t.strays, len(buckets), len(t.buckets), nodes, len(t.nodes))
	}
	return nil
}
