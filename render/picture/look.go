package picture

import (
	"image/color"
	"strings"

	"github.com/cairnvoxel/cairn/voxel"
)

// Opacity is what a block is to a surface. The numbers are those of mesh.Opacity and of streams.
type Opacity uint8

const (
	Nothing     Opacity = iota // air, and what does not fill its cell
	Opaque                     // hides what is behind it
	CutOut                     // has holes: leaves, bars
	Transparent                // one sees through it: water, glass
)

// Look is how a block looks where it is drawn as a cube.
type Look struct {
	Colour color.RGBA // sRGB, not premultiplied
	Kind   Opacity
}

// clearAlpha is how much a Transparent block covers of what is behind it.
const clearAlpha = 160

// Look returns how cells look in a volume of a schema: those with the number n and a name, or in
// a Terrain volume those of the material n. The number 0 is Nothing, and so is a block that does
// not fill its cell, unless it is a material. Cells of other schemas look like water, as in the
// volume of liquid beside a terrain.
func (t *Looks) Look(s voxel.Schema, n int, name string) Look {
	var f family
	switch s {
	case voxel.Palette:
		f = t.family(name)
	case voxel.Terrain:
		f = t.material(name, uint8(n))
	default:
		f = t.exact["water"]
	}
	l := Look{f.Colour, Opaque}
	switch {
	case n == 0 || !f.whole() && s != voxel.Terrain:
		l.Kind = Nothing
	case f.clear():
		l.Kind, l.Colour.A = Transparent, clearAlpha
	case strings.HasPrefix(f.Name, "leaves"), f.Name == "iron_bars":
		l.Kind = CutOut
	}
	return l
}
