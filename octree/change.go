package octree

import "math"

// Moment is a point in time between changes of one tree. The zero Moment is before all.
type Moment uint64

// Moment returns the present moment, to ask Changed later what changed since. For
// goroutines it is a change of the tree.
func (t *Tree) Moment() Moment {
	if !t.aged {
		t.aged = true
		t.clock++
		if t.clock == math.MaxUint32 {
			t.epoch, t.clock = t.epoch+1, 1
			for n := range t.nodes {
				nd := t.node(uint32(n))
				nd.changed, nd.touched = 1, 1
			}
		}
	}
	return Moment(t.epoch)<<32 | Moment(t.clock)
}

// touch notes a change of a node's own objects. Above a node that has the present clock
// all nodes have it.
func (t *Tree) touch(n uint32) {
	t.aged = false
	t.node(n).touched = t.clock
	for ; n != none && t.nodes[n].changed != t.clock; n = t.nodes[n].parent {
		t.node(n).changed = t.clock
	}
}

// Changed reports whether objects that overlap q, or did, may have been inserted, moved
// or removed since a moment, and calls yield for those that overlap q now and may have
// changed. It counts by nodes: everything in a node changes with one of its objects, and
// the whole tree changes by Clear and when it gets new bounds. It does not enter nodes
// where nothing changed.
func (t *index) Changed(since Moment, q Box, yield func(ObjectID, Box) bool) bool {
	if !q.ordered() {
		return false
	}
	c := changes{since: t.since(since), query: t.probeOf(q), yield: yield}
	t.changed(0, &c)
	return c.found
}

// since returns the clock of a moment, or 0 if the clock began anew after it.
func (t *index) since(m Moment) uint32 {
	if uint32(m>>32) != t.epoch {
		return 0
	}
	return uint32(m)
}

type changes struct {
	since uint32
	query probe
	yield func(ObjectID, Box) bool
	found bool
}

func (t *index) changed(n uint32, c *changes) bool {
	nd := &t.nodes[n]
	if nd.changed < c.since {
		return true
	}
	var q coarse
	met := t.aim(nd, &c.query, &q)
	if nd.touched >= c.since {
		c.found = true
		for h := nd.head; h != none; h = t.buckets[h].next {
			k := &t.buckets[h]
			for found := k.scan(&q); found != 0; found &= found - 1 {
				i := place(found)
				if b := t.at(h*bucketItems + i); c.query.overlaps(&b) && !c.yield(k.ids[i], b) {
					return false
				}
			}
		}
	}
	if nd.children == none {
		return true
	}
	for ; met != 0; met &= met - 1 {
		if !t.changed(nd.children+first(met), c) {
			return false
		}
	}
	return true
}
