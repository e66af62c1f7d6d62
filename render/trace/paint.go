package trace

import (
	"math"

	"github.com/cairnvoxel/cairn/render/picture"
)

// Painter gives the colours of the sides of blocks to one goroutine. n is the number of the cell in the names
// of the land, in a terrain of the material. face counts as mesh.Face does. s goes to the right and t down
// from the top left of the side, 0 to 1, and width is how wide the ray is there. The colour is linear; cover is
// how much of it is there, 0 in a hole. ok is false for a block that has a plain colour.
type Painter func(n, face int, s, t, width float64) (colour [3]float64, cover float64, ok bool)

// solid is the cover from which on a place of a side is not a hole.
const solid = 0.5

// painted reports whether the place that a ray met is there: whether it is not a hole. It gives an opaque one
// its colour.
func (p *path) painted(r *ray, h *hit) bool {
	h.opaque, h.albedo = h.look.medium == 0, h.look.albedo
	if p.paint == nil || h.out || h.level > 0 || h.look.kind == picture.Opaque {
		return true
	}
	colour, cover, ok := p.paintAt(r, h)
	switch {
	case !ok:
	case cover >= solid:
		h.opaque, h.albedo = true, colour
	default:
		return h.look.kind != picture.CutOut
	}
	return true
}

// dye gives a hit its colour.
func (p *path) dye(r *ray, h *hit) {
	if p.paint == nil || h.look.kind != picture.Opaque {
		return
	}
	if colour, _, ok := p.paintAt(r, h); ok {
		h.albedo = colour
	}
}

// paintAt returns the colour of the texture where a ray met a block.
func (p *path) paintAt(r *ray, h *hit) (colour vec, cover float64, ok bool) {
	face, s, t := sideOf(h.at, h.normal)
	width := r.width + h.t*r.spread
	c, cover, ok := p.paint(h.look.number, face, s, t, width)
	return c, cover, ok
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
