package picture

import (
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/voxel"
)

// tint is the volume whose lowest layer has the colours of grass, in worlds of Hytale.
const tint = "tint"

// fluids says how cells of the liquid look.
type fluids struct {
	land  Land
	table *Looks
	seen  map[voxel.Cell]sight
}

// sight returns how a cell looks: by its name, or as water if it has none.
func (f *fluids) sight(c voxel.Cell) sight {
	g, ok := f.seen[c]
	if !ok {
		if f.seen == nil {
			f.seen = map[voxel.Cell]sight{}
		}
		if g = sightOf(f.table.family(f.land.Name(liquid, c))); g.unknown || g.look == unseen {
			g = sightOf(f.table.family("water"))
		}
		f.seen[c] = g
	}
	return g
}

// tints are the colours of columns.
type tints struct {
	land Land
	seen map[voxel.Cell][3]float32
}

// of returns the colour of a tint, or rgb if it has none.
func (t *tints) of(c voxel.Cell, rgb [3]float32) [3]float32 {
	if c == voxel.Empty {
		return rgb
	}
	known, ok := t.seen[c]
	if !ok {
		v, err := strconv.ParseUint(strings.TrimPrefix(t.land.Name(tint, c), "#"), 16, 32)
		if known = ([3]float32{float32(v >> 16 & 0xFF), float32(v >> 8 & 0xFF), float32(v & 0xFF)}); err != nil {
			known = rgb
		}
		if t.seen == nil {
			t.seen = map[voxel.Cell][3]float32{}
		}
		t.seen[c] = known
	}
	return known
}
