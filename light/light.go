// Package light computes what follows from cells: height maps, and sky and block
// light, by rules that are learned from the maps and from the light itself, so that
// they need no table of blocks and fit every version of every game. Where there is
// no light to learn from, Guess goes by names.
//
// The package stores nothing, and of names knows what Guess says.
package light

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Rule says how one kind of height map follows from cells: a column's number is
// the height of the cell above the topmost cell that counts, less Base; 0 if
// none counts.
type Rule struct {
	Map   string       // name of the voxel.Map
	Base  int32        // height in cells that is written as 0
	Cells []voxel.Cell // that count, ascending; never the empty cell
}

// Floor is a chunk of a tower.
type Floor struct {
	Y     int32 // in chunks
	Chunk *voxel.Chunk
}

// A Tower is the chunks over one footprint of 32x32 cells, topmost first.
// Heights that it lacks are empty.
type Tower []Floor

// Towers returns the tower at a chunk's x and z.
type Towers func(x, z int32) Tower

// maxRules is how many rules are applied at once.
const maxRules = 16

// Heights applies rules. Not safe for concurrent use.
type Heights struct {
	rules  []Rule
	counts []uint16 // by cell: bit i set if the cell counts for rule i
}

// NewHeights returns a Heights for at most 16 rules; further ones are ignored.
func NewHeights(rules []Rule) *Heights {
	h := &Heights{rules: rules[:min(len(rules), maxRules)]}
	for i, r := range h.rules {
		for _, c := range r.Cells {
			if int(c) >= len(h.counts) {
				h.counts = append(h.counts, make([]uint16, int(c)+1-len(h.counts))...)
			}
			h.counts[c] |= 1 << i
		}
	}
	return h
}

func (h *Heights) of(c voxel.Cell) uint16 {
	if int(c) >= len(h.counts) {
		return 0
	}
	return h.counts[c]
}

// search is a column whose heights are looked for from the top down.
type search struct {
	open [256]uint16 // rules without a height yet
	rows [16]int     // cells of a row that are open
	left int         // rows that have such cells
}

func (s *search) start(rules uint16) {
	for i := range s.open {
		s.open[i] = rules
	}
	for z := range s.rows {
		s.rows[z] = 16
	}
	s.left = 16
}

// found closes cell i for some rules.
func (s *search) found(i int, rules uint16) {
	if s.open[i] &^= rules; s.open[i] != 0 {
		return
	}
	if s.rows[i/16]--; s.rows[i/16] == 0 {
		s.left--
	}
}

// Column sets maps[i] to what rule i says of the column, index z*16+x.
func (h *Heights) Column(pos geom.ColumnPos, t Tower, maps [][256]int32) {
	var s search
	s.start(uint16(1)<<len(h.rules) - 1)
	for i := range h.rules {
		maps[i] = [256]int32{}
	}
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && s.left > 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && h.of(cell) == 0 {
				continue
			}
			h.slice(pos, f, y, &s, maps)
		}
	}
}

// slice notes the heights that slice y of a floor settles.
func (h *Heights) slice(pos geom.ColumnPos, f Floor, y int, s *search, maps [][256]int32) {
	var buf [64]voxel.Cell
	x0, z0 := int(pos.X&1)*16, int(pos.Z&1)*16
	height := f.Y*geom.ChunkEdge + int32(y) + 1
	for z := range 16 {
		if s.rows[z] == 0 {
			continue
		}
		for x, c := range f.Chunk.Row(y, z0+z, &buf)[x0 : x0+16] {
			i := z*16 + x
			hit := h.of(c) & s.open[i]
			if hit == 0 {
				continue
			}
			for r := range h.rules {
				if hit>>r&1 != 0 {
					maps[r][i] = height - h.rules[r].Base
				}
			}
			s.found(i, hit)
		}
	}
}

// Cell returns by rule what Column says of cell at, z*16+x, of the column.
func (h *Heights) Cell(pos geom.ColumnPos, at int, t Tower) (heights [maxRules]int32) {
	x, z := int(pos.X&1)*16+at&15, int(pos.Z&1)*16+at>>4
	open := uint16(1)<<len(h.rules) - 1
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && open != 0; y-- {
			hit := h.of(f.Chunk.Cell(x, y, z)) & open
			open &^= hit
			for ; hit != 0; hit &= hit - 1 {
				r := bits.TrailingZeros16(hit)
				heights[r] = f.Y*geom.ChunkEdge + int32(y) + 1 - h.rules[r].Base
			}
		}
	}
	return heights
}
