package trace

import (
	"image/color"
	"math"
	"strings"

	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
)

// look is how light meets cells of a number.
type look struct {
	number int // of the cell or the material
	kind   picture.Opacity
	albedo vec // what comes back of red, green and blue, linear
	// medium numbers what one sees through: between cells of one medium there is no side. 0 is air
	// and what is opaque.
	medium   uint16
	absorb   vec     // of red, green and blue in a block of the medium
	tint     vec     // what a side lets through
	scatter  float64 // how often light is scattered in a block of the medium
	glow     vec     // what comes back of it
	mirrors  bool
	emission vec
}

// see fills the looks of a land.
func (l *land) see() {
	table := picture.NewLooks()
	media := map[string]uint16{}
	l.media = []*look{{}}
	schema := voxel.Palette
	n := len(l.from.Names())
	if l.from.Terrain() {
		schema, n = voxel.Terrain, 64
	}
	l.rule.Schema = schema
	l.looks = make([]look, n+1) // the last is of cells without a name
	for i := range l.looks {
		name := l.from.Name(l.from.Matter(), cellOfNumber(schema, i))
		k := &l.looks[i]
		*k = lookOf(i, table.Look(schema, i, name))
		if k.kind == picture.Transparent {
			l.medium(k, media, picture.Block(name))
		}
	}
	l.blank()
	l.seeFluids(table, media)
}

// seeFluids fills the looks of the liquid: water, or if its cells have names, those of fluids.
func (l *land) seeFluids(table *picture.Looks, media map[string]uint16) {
	l.wet.Schema, l.water = voxel.Level, make([]look, 1)
	if l.liquid && !strings.HasPrefix(l.from.Name(liquidVolume, 1), "material ") {
		l.wet.Schema, l.water = voxel.Palette, make([]look, maxFluids)
	}
	for i := range l.water {
		name := "water"
		if l.wet.Schema == voxel.Palette {
			name = l.from.Name(liquidVolume, voxel.Cell(max(i, 1)))
		}
		k := &l.water[i]
		if *k = lookOf(0, table.Look(l.wet.Schema, 1, name)); k.kind != picture.Opaque {
			l.medium(k, media, strings.ToLower(name))
		}
	}
}

// maxFluids bounds the fluids that have looks of their own.
const maxFluids = 64

// blank makes the table that leaves out the cells that rays do not meet: air, and what does not fill its
// cell.
func (l *land) blank() {
	for i := range l.looks {
		if l.looks[i].kind != picture.Nothing || i == 0 || l.rule.Schema == voxel.Terrain {
			continue
		}
		if l.left == nil {
			l.left = make([]voxel.Cell, voxel.MaxCell+1)
			for v := range l.left {
				l.left[v] = voxel.Cell(v)
			}
		}
		l.left[i] = voxel.Empty
	}
}

func cellOfNumber(s voxel.Schema, n int) voxel.Cell {
	if s == voxel.Terrain {
		return voxel.TerrainCell(uint8(min(n, 63)), 255)
	}
	return voxel.Cell(n)
}

func lookOf(n int, of picture.Look) look {
	return look{number: n, kind: of.Kind, albedo: linear(of.Colour)}
}

// medium makes a look that of a medium. Blocks that differ in their properties alone are one medium.
func (l *land) medium(k *look, media map[string]uint16, name string) {
	name, _, _ = strings.Cut(name, "[")
	name = strings.TrimPrefix(name, "minecraft:")
	if media[name] == 0 {
		media[name] = uint16(len(l.media))
		l.media = append(l.media, k)
	}
	k.medium, k.tint = media[name], vec{1, 1, 1}
	if strings.Contains(name, "water") {
		k.mirrors = true
		for i := range k.absorb {
			k.absorb[i] = 0.25 * (1.05 - k.albedo[i])
			k.glow[i] = 0.95 * math.Sqrt(k.albedo[i]/max(k.albedo[0], k.albedo[1], k.albedo[2], 0.01))
		}
		k.scatter = 0.08 // so that deep water is blue, not black
		return
	}
	for i := range k.tint {
		k.tint[i] = 0.5 + 0.5*k.albedo[i]
	}
}

// linear returns a colour of sRGB as linear light.
func linear(c color.RGBA) vec { return vec{curve[c.R], curve[c.G], curve[c.B]} }

var curve = func() (t [256]float64) {
	for i := range t {
		v := float64(i) / 255
		if t[i] = v / 12.92; v > 0.04045 {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
}()
