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
	seek   seek     // of the column under way
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

// seek is what is left to find of the heights of a column.
type seek struct {
	open [16][maxRules]uint16 // by z and rule: bit x set for each cell without a height yet
	want [16]uint16           // by z: rules that have such cells
	rows uint32               // rows that have
}

func (s *seek) start(rules int) {
	for z := range s.open {
		for i := range rules {
			s.open[z][i] = 1<<16 - 1
		}
		s.want[z] = uint16(1)<<rules - 1
	}
	s.rows = 1<<16 - 1
}

// Column sets maps[i] to what rule i says of the column, index z*16+x.
func (h *Heights) Column(pos geom.ColumnPos, t Tower, maps [][256]int32) {
	for i := range h.rules {
		maps[i] = [256]int32{}
	}
	if len(h.rules) == 0 {
		return
	}
	s := &h.seek
	s.start(len(h.rules))
	z0 := int(pos.Z&1) * 16
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && s.rows != 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && h.of(cell) == 0 {
				continue
			}
			rows := s.rows
			if y < geom.ChunkEdge-1 { // a row like the one above it says nothing new
				rows &= f.Chunk.Changed(y+1) >> z0
			}
			for ; rows != 0; rows &= rows - 1 {
				h.row(pos, f, y, bits.TrailingZeros32(rows), maps)
			}
		}
	}
}

// row notes the heights that row z of a column settles.
func (h *Heights) row(pos geom.ColumnPos, f Floor, y, z int, maps [][256]int32) {
	var buf [64]voxel.Cell
	s, x0 := &h.seek, int(pos.X&1)*16
	height := f.Y*geom.ChunkEdge + int32(y) + 1
	row, starts := f.Chunk.Runs(y, int(pos.Z&1)*16+z, &buf)
	for m := uint64(starts) | 1<<geom.ChunkEdge; m != 1<<geom.ChunkEdge; {
		x := bits.TrailingZeros64(m)
		m &= m - 1
		run := uint16(uint32(m&-m-1<<x) >> x0)
		if run == 0 {
			continue
		}
		for hit := h.of(row[x]) & s.want[z]; hit != 0; hit &= hit - 1 {
			r := bits.TrailingZeros16(hit)
			found := run & s.open[z][r]
			if s.open[z][r] &^= found; s.open[z][r] == 0 {
				s.want[z] &^= 1 << r
			}
			for ; found != 0; found &= found - 1 {
				maps[r][z*16+bits.TrailingZeros16(found)] = height - h.rules[r].Base
			}
		}
	}
	if s.want[z] == 0 {
		s.rows &^= 1 << z
	}
}
