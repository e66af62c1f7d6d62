package layout

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/octree"
)

// Build adds many objects at once and returns their IDs in the order of the boxes. An
// error adds none.
//
// Inserting one object after another builds a tree from the top down. In an empty tree
// whose objects lie in the smallest node, Build works from the bottom up: it sorts objects
// by the Morton codes of their smallest cells, makes those cells nodes, and takes nodes
// away again whose parent can hold their objects. In other trees it inserts in that order.
func (t *Tree) Build(boxes []octree.Box) ([]octree.ObjectID, error) {
	if len(boxes) == 0 {
		return nil, nil
	}
	if t.size+len(boxes) > maxObjects {
		return nil, fmt.Errorf("layout: build: %w", ErrFull)
	}
	all := boxes[0]
	for i, b := range boxes {
		if !b.Valid() {
			return nil, fmt.Errorf("layout: build: box %d %v: not finite, or Min above Max", i, b)
		}
		all.Min = octree.Vec{X: min(all.Min.X, b.Min.X), Y: min(all.Min.Y, b.Min.Y), Z: min(all.Min.Z, b.Min.Z)}
		all.Max = octree.Vec{X: max(all.Max.X, b.Max.X), Y: max(all.Max.Y, b.Max.Y), Z: max(all.Max.Z, b.Max.Z)}
	}
	empty := t.size == 0
	if err := t.admit(all); err != nil {
		return nil, fmt.Errorf("layout: build: %w", err)
	}
	ids := make([]octree.ObjectID, len(boxes))
	sorted := make([]sortable, len(boxes))
	for i, b := range boxes {
		ids[i] = t.newID(b)
		sorted[i] = t.sortable(ids[i], &b)
	}
	slices.SortFunc(sorted, func(a, b sortable) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.depth, b.depth), cmp.Compare(a.id.Index(), b.id.Index()))
	})
	if empty && t.opts.Objects == Enclosing && t.opts.Storage != Full {
		t.emit(t.raise(sorted), sorted)
		return ids, nil
	}
	for _, s := range sorted {
		t.place(t.rootCursor(), s.id, &t.slots[s.id.Index()].box)
	}
	return ids, nil
}

// sortable is an object with the octants on the way to its smallest cell, the first in
// the highest bits, so that the order of keys and depths is that of a walk.
type sortable struct {
	key   uint64
	depth int
	id    octree.ObjectID
}

func (t *Tree) sortable(id octree.ObjectID, b *octree.Box) sortable {
	s := sortable{id: id}
	for c := t.top; c.half > t.lowest && (t.opts.Storage == Full || t.divides(c)); s.depth++ {
		o := t.octant(c, b)
		c = c.child(o)
		if box := t.box(c); !contains(&box, b) {
			break
		}
		s.key |= uint64(o) << t.shift(s.depth)
	}
	return s
}

// shift is where a key has the octant from a depth to the next.
func (t *Tree) shift(depth int) int { return 64 - t.opts.dimensions()*(depth+1) }

// run is a node to be, and the objects that it and what is below it hold: those of sorted
// from lo on. The first of them are its own.
type run struct {
	depth, lo, own int
}

// raise returns the nodes for objects in the order of a walk. It decides about a node
// when it knows all that is below it.
func (t *Tree) raise(sorted []sortable) []run {
	runs := []run{{}}
	var open [maxLevels + 1]int // the nodes on the way down to the present object
	depth := 0
	shut := func(to, end int) { // leaves nodes that are complete
		for ; depth > to; depth-- {
			t.absorb(&runs, open[depth], sorted, end)
		}
	}
	for i, s := range sorted {
		common := 0
		if i > 0 {
			for most := min(depth, s.depth); common < most && (s.key^sorted[i-1].key)>>t.shift(common) == 0; common++ {
			}
		}
		shut(common, i)
		for ; depth < s.depth; depth++ {
			open[depth+1] = len(runs)
			runs = append(runs, run{depth: depth + 1, lo: i})
		}
		runs[open[depth]].own++
	}
	shut(0, len(sorted))
	t.absorb(&runs, 0, sorted, len(sorted))
	return runs
}

// absorb makes the last subtree one leaf, unless it needs children.
func (t *Tree) absorb(runs *[]run, at int, sorted []sortable, end int) {
	r := &(*runs)[at]
	if end-r.lo-r.own > t.opts.SplitAbove {
		of := func(s sortable) octree.Vec { return center(&t.slots[s.id.Index()].box) }
		here := of(sorted[r.lo])
		if slices.ContainsFunc(sorted[r.lo:end], func(s sortable) bool { return of(s) != here }) {
			return
		}
	}
	r.own = end - r.lo
	*runs = (*runs)[:at+1]
}

// emit makes the nodes, each after its parent.
func (t *Tree) emit(runs []run, sorted []sortable) {
	var path [maxLevels + 1]cursor
	path[0] = t.rootCursor()
	for i, r := range runs {
		c := t.again(path[r.depth])
		if r.depth > 0 {
			octant := uint8(sorted[r.lo].key >> t.shift(r.depth-1) & (1<<t.opts.dimensions() - 1))
			c = t.grown(t.again(path[r.depth-1]), octant)
		}
		if i+1 < len(runs) && runs[i+1].depth > r.depth {
			parent, octant := t.parentOf(c)
			c.ref = t.nodes.open(c, parent, octant)
		}
		path[r.depth] = c
		for _, s := range sorted[r.lo : r.lo+r.own] {
			t.add(c, s.id, &t.slots[s.id.Index()].box)
		}
	}
}
