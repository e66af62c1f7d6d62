package picture

import (
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/voxel"
)

// tint is the volume whose lowest layer has the colours of grass, in worlds of Hytale.
const tint = "tint"

// hues says how cells of the liquid look, and which colours tints of columns have.
type hues struct {
	land  Land
	table *Looks
	wet   map[voxel.Cell]sight
	tints map[voxel.Cell][3]float32
}

func newHues(land Land, table *Looks) hues {
	return hues{land, table, map[voxel.Cell]sight{}, map[voxel.Cell][3]float32{}}
}

// fluid returns how a cell of the liquid looks: by its name, or as water if it has none.
func (h *hues) fluid(c voxel.Cell) sight {
	g, ok := h.wet[c]
	if !ok {
		if g = sightOf(h.table.family(h.land.Name(liquid, c))); g.unknown || g.look == unseen {
			g = sightOf(h.table.family("water"))
		}
		h.wet[c] = g
	}
	return g
}

// tinted returns the colour of a tint, or rgb if it has none.
func (h *hues) tinted(c voxel.Cell, rgb [3]float32) [3]float32 {
	if c == voxel.Empty {
		return rgb
	}
	known, ok := h.tints[c]
	if !ok {
		v, err := strconv.ParseUint(strings.TrimPrefix(h.land.Name(tint, c), "#"), 16, 32)
		if err != nil {
			return rgb
		}
		known = [3]float32{float32(v >> 16 & 0xFF), float32(v >> 8 & 0xFF), float32(v & 0xFF)}
		h.tints[c] = known
	}
	return known
}
