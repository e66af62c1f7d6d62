package trace

import (
	"math"

	"github.com/cairnvoxel/cairn/render/picture"
)

// Painter gives colours and the light of a sky to one goroutine. All light is linear. A nil function is left
// out; Sky and Draw are there together.
type Painter struct {
	// Side gives the colour of a place on a side of a block. n is the number of the cell in the names of the
	// land, in a terrain of the material. face counts as mesh.Face does. s goes to the right and t down from
	// the top left of the side, 0 to 1, and width is how wide the ray is there. cover is how much of the
	// place is there, 0 in a hole. ok is false for a block that has a plain colour.
	Side func(n, face int, s, t, width float64) (colour [3]float64, cover float64, ok bool)
	// Sky gives the light that comes from a direction, whose length is 1.
	Sky func(dir [3]float64) [3]float64
	// Draw chooses a direction, best one that much light comes from, by two numbers from 0 to 1. chance is
	// how likely it is to choose this one, for each steradian.
	Draw func(u, v float64) (dir, light [3]float64, chance float64)
}

// frame is the cover from which on a place of glass is not glass.
const frame = 0.9

// painted reports whether the place that a ray met is there: whether it is not a hole. It gives one that is not
// Opaque its colour. Liquids stay what they are.
func (p *path) painted(r *ray, h *hit) bool {
	k := h.look
	h.opaque, h.albedo = k.medium == 0, k.albedo
	if p.paint.Side == nil || k.kind == picture.Opaque || k.mirrors {
		return true
	}
	colour, cover, ok := p.paintAt(r, h)
	switch {
	case !ok:
	case k.kind == picture.Transparent:
		if cover >= frame {
			h.opaque, h.albedo = true, colour
		}
	case h.level > 0 || cover > chanceAt(h.at):
		h.albedo = colour
	default:
		return false
	}
	return true
}

// chanceAt returns a number from 0 to 1 that a place alone decides: of a texture that is seen from afar, which is partly
// there, as many rays meet something as there is of it.
func chanceAt(at vec) float64 {
	n := uint32(0)
	for _, v := range at {
		b := math.Float64bits(v)
		n = hash(n ^ uint32(b) ^ uint32(b>>32))
	}
	return unit(n)
}

// dye gives a hit its colour.
func (p *path) dye(r *ray, h *hit) {
	if p.paint.Side == nil || h.look.kind != picture.Opaque {
		return
	}
	if colour, _, ok := p.paintAt(r, h); ok {
		h.albedo = colour
	}
}

// paintAt returns the colour of the texture where a ray met a block.
func (p *path) paintAt(r *ray, h *hit) (colour vec, cover float64, ok bool) {
	face, s, t := sideOf(h.at, h.normal)
	if r.rough {
		m := p.meanOf(h.look.number, face)
		return m.colour, m.cover, m.ok
	}
	width := r.width + h.t*r.spread
	c, cover, ok := p.paint.Side(h.look.number, face, s, t, width)
	return c, cover, ok
}

// mean is the colour of a side as it is from afar.
type mean struct {
	known, ok bool
	colour    vec
	cover     float64
}

func (p *path) meanOf(n, face int) *mean {
	const sides = 6
	if p.means == nil {
		p.means = make([]mean, sides*(len(p.looks)+1))
	}
	m := &p.means[sides*n+face]
	if !m.known {
		c, cover, ok := p.paint.Side(n, face, 0.5, 0.5, 1)
		*m = mean{true, ok, c, cover}
	}
	return m
}

// sideOf returns the side of a block that looks to a direction most, and where on it a place is.
func sideOf(at, normal vec) (face int, s, t float64) {
	axis := 0
	for i := 1; i < 3; i++ {
		if math.Abs(normal[i]) > math.Abs(normal[axis]) {
			axis = i
		}
	}
	face = 2 * axis
	if normal[axis] > 0 {
		face++
	}
	var f vec
	for i := range f {
		f[i] = at[i] - math.Floor(at[i])
	}
	switch face {
	case 0: // west
		return face, f[2], 1 - f[1]
	case 1: // east
		return face, 1 - f[2], 1 - f[1]
	case 2: // down
		return face, f[0], 1 - f[2]
	case 3: // up
		return face, f[0], f[2]
	case 4: // north
		return face, 1 - f[0], 1 - f[1]
	}
	return face, f[0], 1 - f[1]
}
