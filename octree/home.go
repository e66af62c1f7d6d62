package octree

import (
	"math"
	"slices"
)

// Rebuild fits the bounds of the tree to its objects and builds its nodes anew. The tree
// does it by itself when more than one object in eight has left the bounds. A program
// calls it to give memory back. It allocates.
func (t *Tree) Rebuild() {
	t.settle()
	nodes, buckets := t.nodes, t.buckets
	t.nodes, t.buckets = nil, nil
	t.reset()
	t.expect = math.MaxInt
	for n := range nodes {
		for h := nodes[n].head; h != none; h = buckets[h].next {
			for i := range buckets[h].n {
				t.attach(buckets[h].ids[i], buckets[h].boxes[i])
			}
		}
	}
	t.expect = 2 * t.strays
}

// settle chooses the bounds by a sample of the objects: the middle 15/16 of the centers
// on each axis and half as much on both sides, but no more than the whole sample takes.
// So a few objects far away do not make the cells too large for the others.
func (t *Tree) settle() {
	const most = 512
	var samples [4][most]float64 // x, y and z of centers, and the longest edges
	stride, seen, n := 1+t.size/most, 0, 0
	for _, s := range t.slots {
		if s.generation&1 == 0 {
			continue
		}
		if seen%stride == 0 {
			b := &t.buckets[s.item/bucketItems].boxes[s.item%bucketItems]
			c := b.center()
			edge := max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z)
			for i, v := range [4]float64{c.X, c.Y, c.Z, edge} {
				samples[i][n] = max(-math.MaxFloat64/8, min(v, math.MaxFloat64/8))
			}
			n++
		}
		seen++
	}
	if n == 0 {
		t.home, t.edge = nowhere, 0
		return
	}
	var low [3]float64
	t.edge = 0
	for i := range samples {
		s := samples[i][:n]
		slices.Sort(s)
		cut := n / 32
		lo, hi := s[cut], s[n-1-cut]
		if i == 3 {
			t.edge = max(t.edge, hi)
			break
		}
		pad := (hi - lo) / 2
		low[i] = max(lo-pad, s[0])
		t.edge = max(t.edge, min(hi+pad, s[n-1])-low[i])
	}
	if t.edge == 0 {
		t.edge = 1
	}
	half := t.edge / 2
	t.home = Around(Vec{low[0] + half, low[1] + half, low[2] + half}, half*t.opts.Loose)
}
