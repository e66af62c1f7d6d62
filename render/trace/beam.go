package trace

import (
	"math"
	"math/bits"
)

// beamEdge is the edge of the squares of pixels whose rays go through empty space together.
const beamEdge = 8

// clearOf returns how far the rays of a square of pixels get before there may be matter: r is the one in its middle.
// Around the beam's axis it goes through cubes of the tree that are as wide as the beam, or wider, and empty.
func (p *path) clearOf(r *ray) (t float64) {
	tr := p.trees[0]
	from := r.from.sub(vec{float64(tr.origin.X), float64(tr.origin.Y), float64(tr.origin.Z)})
	// The corners of the square are beamEdge/2*sqrt(2) pixels from its middle.
	width, spread := r.width*beamEdge*0.75, r.spread*beamEdge*0.75
	for range 200 {
		at, radius := from.along(r.dir, t), width+t*spread
		least := uint(max(2, math.Ilogb(2.5*radius)+1))
		ahead := 0.0
		for k := least + 3; k >= least && ahead == 0; k-- {
			ahead = p.ahead(tr, &at, &r.dir, radius, spread, k)
		}
		if ahead == 0 {
			return t
		}
		t += ahead
		if p.gone(r, t, width+t*spread, spread) {
			return math.Inf(1)
		}
	}
	return t
}

// gone reports whether a beam has left the land for good.
func (p *path) gone(r *ray, t, radius, spread float64) bool {
	at := r.from.along(r.dir, t)
	for i, d := range r.dir {
		if at[i]-radius > p.high[i] && d >= spread || at[i]+radius < p.low[i] && -d >= spread {
			return true
		}
	}
	return false
}

// ahead returns how far a ball at a place can move before it leaves the cubes of 1<<k cells that it touches, if
// they are empty; else 0.
func (p *path) ahead(tr *tree, at, dir *vec, radius, spread float64, k uint) (far float64) {
	edge := float64(uint64(1) << k)
	far = edge
	var low, high [3]int64
	for i, d := range dir {
		least, most := at[i]-radius, at[i]+radius
		if d > 0 { // so that the next side of a cube is not too near
			most += edge / 8
		} else {
			least -= edge / 8
		}
		low[i], high[i] = int64(math.Floor(least/edge)), int64(math.Floor(most/edge))
		far = min(far, (float64(high[i]+1)*edge-at[i]-radius)/(max(d, 0)+spread+1e-12), (at[i]-radius-float64(low[i])*edge)/(max(-d, 0)+spread+1e-12))
	}
	for x := low[0]; x <= high[0]; x++ {
		for y := low[1]; y <= high[1]; y++ {
			for z := low[2]; z <= high[2]; z++ {
				if !p.empty(tr, x<<k, y<<k, z<<k, k) {
					return 0
				}
			}
		}
	}
	return far
}

// empty reports whether nothing is in a cube of 1<<k cells at a place that is a multiple of that; k is at least 2.
func (p *path) empty(tr *tree, x, y, z int64, k uint) bool {
	most := int64(1) << tr.bits
	if k >= tr.bits { // it is the tree, or more than it
		edge := int64(1) << k
		return x >= most || y >= most || z >= most || x+edge <= 0 || y+edge <= 0 || z+edge <= 0
	}
	if x < 0 || y < 0 || z < 0 || x >= most || y >= most || z >= most {
		return true
	}
	cx, cy, cz := uint32(x), uint32(y), uint32(z)
	at, shift := uint32(0), tr.bits
	for _, level := range tr.levels {
		shift -= digitBits
		b := &level[at]
		n := digit(cx, cy, cz, shift)
		switch {
		case k == shift+1:
			return b.mask>>(n&^7)&0xFF == 0
		case b.mask>>n&1 == 0:
			return true
		case k == shift:
			return false
		}
		at = b.first + uint32(bits.OnesCount64(b.mask&(1<<n-1)))
	}
	n := p.node(tr, at)
	if n == nil {
		return true
	}
	size, ok := n.clear(cx, cy, cz, 0, k)
	return !ok && size >= k
}
