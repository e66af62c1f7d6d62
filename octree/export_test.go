package octree

import "fmt"

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
			case k.node != n:
				return 0, fmt.Errorf("bucket %d of node %d says node %d", h, n, k.node)
			case k.n == 0 || k.n > bucketItems || h != nd.head && k.n < bucketItems:
				return 0, fmt.Errorf("bucket %d has %d objects", h, k.n)
			}
			buckets[h] = true
			for i := range k.n {
				if item, ok := t.lookup(k.ids[i]); !ok || item != h*bucketItems+i {
					return 0, fmt.Errorf("object %v is not where its slot says", k.ids[i])
				}
				if !nd.box.contains(&k.boxes[i]) {
					return 0, fmt.Errorf("node %v has an object %v", nd.box, k.boxes[i])
				}
				if n == 0 && t.stray(&k.boxes[i]) {
					strays++
				}
			}
			own += int(k.n)
		}
		seen += own
		below := 0
		if c := nd.children; c != none {
			for i := range uint32(8) {
				if child := &t.nodes[c+i]; child.parent != n || child.depth != nd.depth+1 {
					return 0, fmt.Errorf("node %d has parent %d, want %d", c+i, child.parent, n)
				}
				b, err := walk(c + i)
				if err != nil {
					return 0, err
				}
				below += b
			}
			if below < t.opts.SplitAbove/2 {
				return 0, fmt.Errorf("node %d has children for %d objects", n, below)
			}
		} else if own >= int(nd.splitAt) && nd.depth < uint8(t.opts.MaxDepth) {
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
		nodes += 8
	}
	if seen != t.size || strays != t.strays || len(buckets) != len(t.buckets) || nodes != len(t.nodes) {
		return fmt.Errorf("%d of %d objects, %d of %d strays, %d of %d buckets, %d of %d nodes",
			seen, t.size, strays, t.strays, len(buckets), len(t.buckets), nodes, len(t.nodes))
	}
	return nil
}
