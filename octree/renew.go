package octree

import "slices"

// Renewal builds the nodes of a tree anew while the tree is in use. A tree whose objects
// have moved far is smaller and a little faster after it. All IDs stay as they are.
type Renewal struct {
	of   *Tree
	from *Frozen
	tree *Tree
}

// Renew begins a renewal with a copy of the tree. It belongs to the goroutine that changes
// the tree. A change costs a little more from then on.
func (t *Tree) Renew() *Renewal { return &Renewal{of: t, from: t.copy()} }

// Build builds the new nodes. Any one goroutine may call it, while others use the tree
// and one changes it.
func (r *Renewal) Build() {
	if r.tree != nil || r.of == nil {
		return
	}
	t := new(Tree)
	t.begin(r.of.opts)
	t.slots, t.size = slices.Clone(r.from.slots), r.from.size
	t.rebuild(r.from.entries())
	t.trim()
	r.tree = t
}

// Finish gives the tree its new nodes, with what changed since Renew, in the time of what
// changed. It belongs to the goroutine that changes the tree, after Build has returned.
// For Changed the whole tree changes.
func (r *Renewal) Finish() {
	t := r.of
	if t == nil {
		return
	}
	r.Build()
	r.catchUp()
	n := r.tree
	n.epoch, n.clock = t.epoch, t.clock
	for i := range n.nodes {
		n.nodes[i].changed, n.nodes[i].touched = t.clock, t.clock
	}
	t.index = n.index
	t.freeBlock, t.freeBucket, t.strays, t.expect, t.aged = n.freeBlock, n.freeBucket, n.strays, n.expect, false
	t.track.everything(t)
	r.from.Release()
	*r = Renewal{}
}

// catchUp makes the changes in the new tree that the old one had since the copy.
func (r *Renewal) catchUp() {
	t, n, k := r.of, r.tree, r.of.track
	for range len(t.slots) - len(n.slots) {
		n.slots = append(n.slots, slot{})
	}
	k.slots.stale(r.from.copied, len(t.slots), func(from, to int) {
		for i := from; i < to; i++ {
			now, was := t.slots[i], n.slots[i]
			if now.generation == was.generation && now.generation&1 == 1 {
				continue
			}
			if was.generation&1 == 1 {
				n.detach(was.item)
				n.size--
			}
			n.slots[i] = now
			if now.generation&1 == 1 {
				n.size++
				n.attach(ObjectID(now.generation)<<32|ObjectID(i), t.at(now.item))
			}
		}
	})
	k.buckets.stale(r.from.copied, len(t.buckets), func(from, to int) {
		for item := uint32(from) * bucketItems; item < uint32(to)*bucketItems; item++ {
			id := t.buckets[item/bucketItems].ids[item%bucketItems]
			if in, ok := t.lookup(id); !ok || in != item {
				continue // a free place
			}
			mine, _ := n.lookup(id)
			if b := t.at(item); n.at(mine) != b {
				n.relocate(id, mine, b)
			}
		}
	})
}
