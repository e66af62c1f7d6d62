package trace

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel"
)

// smooth returns where a ray meets the surface of a terrain within a cell that has matter: where the cells
// are half full, between their middles. If the ray is below the surface where it enters the cell, it met it in
// the cell before.
func (p *path) smooth(r *ray, at *place, k *look, shift uint) (hit, bool) {
	c := corner{at.x >> shift, at.y >> shift, at.z >> shift}
	size := float64(int(1) << at.level)
	from, leave := p.enter(r, at, c, shift)
	enter := at.t / size
	if p.fullness(from.along(r.dir, enter)) <= 0 {
		return p.crossing(r, from, enter, leave, k, at.level)
	}
	if at.axis < 0 || at.t == 0 { // it begins there
		return hit{}, false
	}
	if r.dir[at.axis] > 0 {
		c[at.axis]--
	} else {
		c[at.axis]++
	}
	from, _ = p.enter(r, at, c, shift)
	before := 0.0 // where the ray entered that cell
	for i, d := range r.dir {
		if d != 0 {
			before = max(before, min(-from[i]/d, (1-from[i])/d))
		}
	}
	if h, ok := p.crossing(r, from, before, enter, k, at.level); ok {
		return h, true
	}
	return p.surface(r, enter*size, from.along(r.dir, enter), k, at.level), true
}

// corner is a cell of a level, counted from the origin of a tree.
type corner [3]uint32

// hood is how full a cell and those around it are, less one half: at x + 3*y + 9*z.
type hood struct {
	tree  *tree
	level int
	at    corner
	full  [27]float32
}

// hoods is how many of the last ones a goroutine keeps: rays of one pixel meet the same cells.
const hoods = 1 << 10

// enter reads how full a cell and those around it are. It returns the start of the ray in the cell, which is 1
// wide, and where the ray leaves it.
func (p *path) enter(r *ray, at *place, c corner, shift uint) (from vec, leave float64) {
	p.near = &p.hoods[hash(c[0]^c[1]*0x9E3779B9^c[2]*0x85EBCA6B)%uint32(len(p.hoods))]
	if n := p.near; n.tree != at.tree || n.level != at.level || n.at != c {
		n.tree, n.level, n.at = at.tree, at.level, c
		for i := range n.full {
			x, y, z := c[0]+uint32(i%3)-1, c[1]+uint32(i/3%3)-1, c[2]+uint32(i/9)-1
			n.full[i] = p.fill(at, x<<shift, y<<shift, z<<shift, shift) - 0.5
		}
	}
	size, wide := float64(int(1)<<at.level), float64(int(1)<<at.tree.base)
	leave = math.Inf(1)
	for i, origin := range [3]int{at.tree.origin.X, at.tree.origin.Y, at.tree.origin.Z} {
		from[i] = (r.from[i] - float64(origin)*wide - float64(c[i])*size) / size
		if d := r.dir[i]; d != 0 {
			leave = min(leave, max(-from[i]/d, (1-from[i])/d))
		}
	}
	return from, leave
}

// crossing returns where a ray goes below the surface on a part of its way, in the cell that was entered.
func (p *path) crossing(r *ray, from vec, enter, leave float64, k *look, level int) (hit, bool) {
	const steps = 4
	low, before := enter, p.fullness(from.along(r.dir, enter))
	for i := 1; i <= steps; i++ {
		high := enter + (leave-enter)*float64(i)/steps
		after := p.fullness(from.along(r.dir, high))
		if after <= 0 || before > 0 {
			low, before = high, after
			continue
		}
		t := high
		for range 3 {
			t = low + (high-low)*before/(before-after)
			if f := p.fullness(from.along(r.dir, t)); f > 0 {
				high, after = t, f
			} else {
				low, before = t, f
			}
		}
		return p.surface(r, t*float64(int(1)<<level), from.along(r.dir, t), k, level), true
	}
	return hit{}, false
}

// surface returns the hit of a smooth surface at a place in the cell that was gathered.
func (p *path) surface(r *ray, t float64, u vec, k *look, level int) hit {
	const d = 1. / 8
	var n vec
	for i := range n {
		a, b := u, u
		a[i], b[i] = max(0, u[i]-d), min(1, u[i]+d)
		n[i] = (p.fullness(a) - p.fullness(b)) / (b[i] - a[i])
	}
	if length := n.dot(n); length > 0 {
		n = n.scale(1 / math.Sqrt(length))
	} else {
		n = r.dir.scale(-1)
	}
	if n.dot(r.dir) > 0 { // seen from below its own slope
		n = n.along(r.dir, -1.01*n.dot(r.dir)).unit()
	}
	return hit{t: t, at: r.from.along(r.dir, t), normal: n, look: k, albedo: k.albedo, level: level, opaque: true}
}

// fill returns how full a cell is, 0 to 1.
func (p *path) fill(at *place, x, y, z uint32, shift uint) float32 {
	n := at.node
	if ((x^at.x)|(y^at.y)|(z^at.z))>>chunkBits != 0 {
		if x|y|z >= uint32(1)<<at.tree.bits {
			return 0
		}
		chunk, _, ok := at.tree.find(x, y, z, 0)
		if !ok {
			return 0
		}
		if n = p.node(at.tree, chunk); n == nil {
			return 0
		}
	}
	c := cellOf(n.matter, &p.rule, shift, int(x&31), int(y&31), int(z&31))
	if c == voxel.Empty {
		return 0
	}
	return float32(c&0xFF+1) / 256
}

// fullness returns how full a place of the cell that was gathered is, less one half. The cell is 1 wide.
func (p *path) fullness(u vec) float64 {
	at := 0
	var f [3]float32
	for i, stride := range [3]int{1, 3, 9} {
		v := float32(u[i]) + 0.5
		if v >= 1 {
			v--
			at += stride
		}
		f[i] = v
	}
	n := p.near.full[at : at+14]
	a := n[0] + (n[1]-n[0])*f[0]
	b := n[3] + (n[4]-n[3])*f[0]
	c := n[9] + (n[10]-n[9])*f[0]
	d := n[12] + (n[13]-n[12])*f[0]
	a += (b - a) * f[1]
	c += (d - c) * f[1]
	return float64(a + (c-a)*f[2])
}
