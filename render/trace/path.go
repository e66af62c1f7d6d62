package trace

import (
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// path follows rays for one goroutine.
type path struct {
	*cells
	sky     sky
	bounces int
	paint   Painter
	walk    walk
	near    *hood // that of the cell that was entered
	hoods   [hoods]hood
	means   []mean // of sides, by number and face

	lampKnown bool // the last chunk of light is that of
	lampPos   geom.ChunkPos
	lampChunk *voxel.Chunk
}

// hit is where a ray meets something.
type hit struct {
	t      float64
	at     vec
	normal vec // to where the ray came from
	look   *look
	albedo vec
	level  int
	out    bool // the ray leaves the medium that it was in
	opaque bool
}

// find returns the first hit of a ray. medium is what the ray is in. Without a hit t is where the ray leaves the
// land.
func (p *path) find(r *ray, medium uint16) (h hit, ok bool) {
	t, end, axis := p.within(r)
	if r.clear > t {
		t, axis = r.clear, -1
	}
	for t < end {
		level := p.level(r.width + t*r.spread)
		until := end
		if r.spread > 0 && level < p.mostLevel() {
			until = min(end, max(t, (float64(int(2)<<level)-r.width)/r.spread)+1e-9*(1+t))
		}
		tr := p.trees[min(level/3, len(p.trees)-1)]
		if p.walk.begin(tr, r, t, until, axis) {
			if h, ok := p.along(r, level, until, medium); ok {
				return h, true
			}
			axis = p.walk.axis
		}
		t = until
	}
	return hit{t: max(end, 0)}, false
}

// within returns the part of a ray that lies in the land, and the axis of the side by which it enters; -1 if
// it begins there.
func (p *path) within(r *ray) (from, to float64, axis int) {
	to, axis = math.Inf(1), -1
	for i, d := range r.dir {
		low, high := p.low[i]-r.from[i], p.high[i]-r.from[i]
		switch {
		case d == 0:
			if low > 0 || high < 0 {
				return 0, 0, -1
			}
			continue
		case d < 0:
			low, high = high, low
		}
		if low/d > from {
			from, axis = low/d, i
		}
		to = min(to, high/d)
	}
	return from, to, axis
}

// level returns the level whose cells are about as wide.
func (p *path) level(width float64) int {
	if width < 2 {
		return 0
	}
	return min(math.Ilogb(width), p.mostLevel())
}

func (l *land) mostLevel() int {
	if len(l.trees) == 1 {
		return 3
	}
	return 3*len(l.trees) - 1
}

// along returns the first hit of a ray on its walk through cells of a level.
func (p *path) along(r *ray, level int, end float64, medium uint16) (hit, bool) {
	w := &p.walk
	shift := uint(level - w.tree.base)
	end /= float64(int(1) << w.tree.base)
	for w.t < end {
		if medium == 0 {
			if !w.next(p.cells, shift, end) {
				return hit{}, false
			}
		} else if !p.filled(shift) { // out of the medium
			return p.side(r, w.place(level), nil, true), true
		}
		at := w.place(level)
		cell, liquid := at.node.cell(p.land, shift, int(at.x&31), int(at.y&31), int(at.z&31))
		k := p.look(cell)
		if cell == voxel.Empty {
			k = p.fluid(liquid)
		}
		switch {
		case cell != voxel.Empty && p.rule.Schema == voxel.Terrain:
			if h, ok := p.smooth(r, &at, k, shift); ok {
				return h, true
			}
			if k := p.fluid(liquid); liquid != voxel.Empty && k.medium != medium {
				return p.side(r, at, k, false), true
			}
		case k.medium == 0 && at.axis < 0: // the ray begins in a block, and has to leave it
		case k.medium != medium || medium == 0:
			if h := p.side(r, at, k, false); p.painted(r, &h) {
				return h, true
			}
		}
		w.leave(shift)
	}
	return hit{}, false
}

// filled reports whether the cell of the walk has matter.
func (p *path) filled(level uint) bool {
	w := &p.walk
	if w.x|w.y|w.z >= uint32(1)<<w.tree.bits {
		return false
	}
	chunk, _, ok := w.tree.find(w.x, w.y, w.z, w.flip)
	if !ok {
		return false
	}
	if w.node = p.node(w.tree, chunk); w.node == nil {
		return false
	}
	w.chunkX, w.chunkY, w.chunkZ = w.x>>chunkBits, w.y>>chunkBits, w.z>>chunkBits
	_, ok = w.node.clear(w.x, w.y, w.z, w.flip, level)
	return ok
}

// mediumAt returns the medium that a place is in.
func (p *path) mediumAt(at vec) uint16 {
	tr := p.trees[0]
	c := cellAt(at).Sub(tr.origin)
	if most := 1 << tr.bits; c.X < 0 || c.Y < 0 || c.Z < 0 || c.X >= most || c.Y >= most || c.Z >= most {
		return 0
	}
	chunk, _, ok := tr.find(uint32(c.X), uint32(c.Y), uint32(c.Z), 0)
	if !ok {
		return 0
	}
	n := p.node(tr, chunk)
	if n == nil {
		return 0
	}
	matter, liquid := n.cell(p.land, 0, c.X&31, c.Y&31, c.Z&31)
	if matter == voxel.Empty && liquid != voxel.Empty {
		return p.fluid(liquid).medium
	}
	return p.look(matter).medium
}

// side returns a hit of the side by which a ray enters a cell.
func (p *path) side(r *ray, at place, k *look, out bool) hit {
	h := hit{t: at.t, at: r.from.along(r.dir, at.t), look: k, level: at.level, out: out}
	if at.axis >= 0 {
		h.normal[at.axis] = -math.Copysign(1, r.dir[at.axis])
	} else {
		h.normal = r.dir.scale(-1)
	}
	return h
}

// lift is how far above the side that it leaves a ray begins, in cells.
const lift = 1e-4

// radiance returns the light that comes along a ray.
func (p *path) radiance(r ray, medium uint16, s points) (light vec) {
	through := vec{1, 1, 1}
	bounce, dimension := 0, uint32(1)
	for range 64 + p.bounces { // besides, sides of glass and water
		h, ok := p.find(&r, medium)
		if p.err != nil {
			return light
		}
		if medium != 0 {
			u, _ := s.at(dimension | waterDimension)
			ok = p.cloud(&r, &h, medium, u) || ok
			through = p.dimmed(through, medium, h.t)
		}
		switch {
		case !ok && p.paint.Sky == nil:
			return added(light, through, p.sky.seen(r.dir))
		case !ok && bounce > 0: // the side that scattered the light had that of the sky already
			return light
		case !ok:
			return added(light, through, p.paint.Sky(r.dir))
		}
		dimension += 2
		if !h.opaque {
			u, _ := s.at(dimension)
			medium = p.cross(&r, &h, &through, medium, u)
			continue
		}
		start := h.at.along(h.normal, lift*float64(int(1)<<h.level))
		p.dye(&r, &h)
		scattered, shed := p.lit(&h, start)
		light = added(light, through, shed.add(h.look.emission))
		for i := range through {
			through[i] *= h.albedo[i]
		}
		u, v := s.at(dimension + 1)
		if bounce > 0 { // some paths end, the others have more weight
			chance := min(1, weightKept*max(through[0], through[1], through[2]))
			if u >= chance {
				return light
			}
			u, through = u/chance, through.scale(1/chance)
		}
		width := r.width + h.t*r.spread
		light = added(light, through, scattered.add(p.direct(&r, &h, start, width, medium, s, dimension)))
		if bounce == p.bounces {
			return added(light, through, p.sky.rest)
		}
		bounce++
		r = ray{from: start, dir: cosine(h.normal, u, v), width: width, spread: bounceSpread, rough: true}
	}
	return light
}

const (
	// weightKept is how much more than the light that is left of them paths are likely to go on: with 1 they
	// all had the same weight then, and pictures more noise.
	weightKept = 4
	// bounceSpread is how much wider a ray becomes on its way from a side that scatters light: the light
	// of many directions goes its way.
	bounceSpread = 0.05
	shadowSpread = 2 * sunRadius
)

func added(sum, part, light vec) vec {
	return vec{sum[0] + part[0]*light[0], sum[1] + part[1]*light[1], sum[2] + part[2]*light[2]}
}

// direct returns the light that the sun, and a sky that is painted, shed on a side, divided by pi.
func (p *path) direct(from *ray, h *hit, start vec, width float64, medium uint16, s points, dimension uint32) (light vec) {
	if p.sky.light != (vec{}) {
		u, v := s.at(dimension)
		to := p.sky.toSun(u, v)
		if cos := to.dot(h.normal); cos > 0 {
			light = p.reaching(ray{from: start, dir: to, width: width, spread: shadowSpread, rough: from.rough}, medium, p.sky.light.scale(cos/math.Pi))
		}
	}
	if p.paint.Draw != nil {
		u, v := s.at(dimension | skyDimension)
		to, from, chance := p.paint.Draw(u, v)
		if cos := vec(to).dot(h.normal); cos > 0 && chance > 0 {
			light = light.add(p.reaching(ray{from: start, dir: to, width: width, spread: bounceSpread, rough: true}, medium, vec(from).scale(cos/(math.Pi*chance))))
		}
	}
	return light
}

// These are added to dimensions of points: those of a painted sky and of water are apart.
const (
	skyDimension   = 1 << 16
	waterDimension = 2 << 16
)

// reaching returns what of light from the end of a ray reaches its start.
func (p *path) reaching(r ray, medium uint16, light vec) vec {
	through := vec{1, 1, 1}
	for range 16 {
		hit, ok := p.find(&r, medium)
		switch {
		case !ok:
			return added(vec{}, light, through)
		case medium != 0:
			through = p.dimmed(through, medium, hit.t)
		}
		switch {
		case hit.out:
			medium = 0
		case hit.opaque:
			return vec{}
		default:
			through = added(vec{}, through, hit.look.tint)
			medium = hit.look.medium
		}
		r.from, r.width = hit.at.along(r.dir, lift*float64(int(1)<<hit.level)), r.width+hit.t*r.spread
	}
	return vec{}
}

// dimmed returns what is left of light after a way through a medium.
func (p *path) dimmed(through vec, medium uint16, t float64) vec {
	k := p.media[medium]
	if k.absorb == (vec{}) {
		return through
	}
	for i := range through {
		through[i] *= math.Exp(-k.absorb[i] * t)
	}
	return through
}

// cloud has a ray meet what scatters light in a medium, if that comes before its hit. It is as a side that looks
// up.
func (p *path) cloud(r *ray, h *hit, medium uint16, u float64) bool {
	k := p.media[medium]
	if k.scatter == 0 {
		return false
	}
	t := -math.Log(1-u) / k.scatter
	if t >= h.t {
		return false
	}
	*h = hit{t: t, at: r.from.along(r.dir, t), normal: vec{0, 1, 0}, look: k, albedo: k.glow, opaque: true}
	return true
}

// cross takes a ray through the side of a medium, or has it thrown back.
func (p *path) cross(r *ray, h *hit, through *vec, medium uint16, u float64) uint16 {
	into := uint16(0)
	k := p.media[medium]
	if !h.out {
		into, k = h.look.medium, h.look
	}
	width := r.width + h.t*r.spread
	reach := lift * float64(int(1)<<h.level)
	if k.mirrors {
		cos := -r.dir.dot(h.normal)
		eta := 1 / waterIndex
		if h.out {
			eta = waterIndex
		}
		bent := 1 - eta*eta*(1-cos*cos)
		back, chance := 1., 1.
		if bent > 0 {
			back = fresnel(cos, math.Sqrt(bent), eta)
			chance = max(back, leastMirrored)
		}
		if u < chance {
			*through = through.scale(back / chance)
			*r = ray{h.at.along(h.normal, reach), r.dir.along(h.normal, 2*cos), width, r.spread, 0, r.rough}
			return medium
		}
		*through = through.scale((1 - back) / (1 - chance))
		r.dir = r.dir.scale(eta).along(h.normal, eta*cos-math.Sqrt(bent)).unit()
	}
	if !h.out {
		for i := range through {
			through[i] *= k.tint[i]
		}
	}
	*r = ray{h.at.along(r.dir, reach), r.dir, width, r.spread, 0, r.rough}
	return into
}

// leastMirrored is which part of the rays water throws back at least. Where it throws back less light these have
// less weight: few rays with all of it would be bright dots in dark water.
const leastMirrored = 0.25

// waterIndex is how much slower light is in water.
const waterIndex = 1.33

// fresnel returns which part of the light a side throws back. cos are those of the angles to the normal
// on both sides, eta the ratio of the speeds.
func fresnel(in, out, eta float64) float64 {
	a := (in*eta - out) / (in*eta + out)
	b := (in - eta*out) / (in + eta*out)
	return (a*a + b*b) / 2
}
