package octree

import (
	"math"
	"slices"
)

// settle chooses the bounds for the boxes of all objects: those of all centers, unless that is so much more than what
// most of a sample takes that the depth would not suffice. Then a few objects stay outside.
// An eighth of the edge stays free on each side, so objects that wander do not leave the
// bounds at once. The edge is a power of two, so bounds that grow do so only a few times,
// and they begin at a multiple of a cell, because worlds often do.
func (t *Tree) settle(list []Box) {
	const most, wide = 512, 512
	var samples [4][most]float64 // x, y and z of centers, and the longest edges
	least, greatest := everything.Max, everything.Min
	stride, n := 1+len(list)/most, 0
	for i := range list {
		b := &list[i]
		c := b.center()
		widen(&least.X, &greatest.X, c.X)
		widen(&least.Y, &greatest.Y, c.Y)
		widen(&least.Z, &greatest.Z, c.Z)
		if i%stride == 0 {
			edge := max(b.Max.X-b.Min.X, b.Max.Y-b.Min.Y, b.Max.Z-b.Min.Z)
			for axis, v := range [4]float64{c.X, c.Y, c.Z, edge} {
				samples[axis][n] = tame(v)
			}
			n++
		}
	}
	if n == 0 {
		t.bound(nowhere)
		return
	}
	for i := range samples {
		slices.Sort(samples[i][:n])
	}
	lo, hi := n/32, n-1-n/32
	common := samples[3][hi]
	for _, axis := range samples[:3] {
		common = max(common, axis[hi]-axis[lo])
	}
	edge := samples[3][hi]
	reach := math.Inf(1)
	if common > 0 {
		reach = common * wide
	}
	bound := func(least, greatest float64, axis *[most]float64) float64 {
		least = max(tame(least), axis[lo]-reach)
		edge = max(edge, min(tame(greatest), axis[hi]+reach)-least)
		return least
	}
	least = Vec{bound(least.X, greatest.X, &samples[0]), bound(least.Y, greatest.Y, &samples[1]), bound(least.Z, greatest.Z, &samples[2])}
	size := 1.0
	if edge > 0 {
		_, exponent := math.Frexp(edge / 3 * 4)
		size = max(math.Ldexp(1, exponent), 0x1p-1060)
	}
	cell := size / 64
	snap := func(v float64) float64 { return math.Floor((v-size/8)/cell) * cell }
	least = Vec{snap(least.X), snap(least.Y), snap(least.Z)}
	if t.form&flat != 0 {
		least.Z = 0 // so that 0 lies in the lower half of each cell
	}
	t.bound(Box{least, Vec{least.X + size, least.Y + size, least.Z + size}})
}

func widen(least, greatest *float64, v float64) {
	if v < *least {
		*least = v
	}
	if v > *greatest {
		*greatest = v
	}
}

// bound sets the bounds and what follows from them. The bounds are a cube, or nowhere.
func (t *Tree) bound(home Box) {
	t.home, t.edge = home, 0
	if home != nowhere {
		t.edge = home.Max.X - home.Min.X
	}
	for depth := range t.half {
		t.half[depth] = math.Ldexp(t.edge, -1-depth)
		t.reach[depth] = t.half[depth] * t.opts.Loose
		t.grain[depth] = steps / 2 / t.reach[depth]
		if t.grain[depth] > math.MaxFloat64 {
			t.grain[depth] = 0
		}
	}
	m, far := t.middle(), 3*t.edge
	t.clip = Around(m, far)
}

// middle returns the middle of the root's cell.
func (t *Tree) middle() Vec {
	if t.edge == 0 {
		return Vec{}
	}
	return t.home.center()
}

// stray reports whether the center of b is out of bounds.
func (t *Tree) stray(b *Box) bool {
	c := At(b.center())
	return !t.home.contains(&c)
}

// tame keeps a coordinate so far from the end of the range that sums stay finite.
func tame(v float64) float64 { return max(-math.MaxFloat64/64, min(v, math.MaxFloat64/64)) }
