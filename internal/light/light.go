// Package light computes data that follows from cells: height maps, sky light and
// block light. It learns the rules from existing maps and light, so it needs no
// table of blocks and fits every version of every game. If there is no light to
// learn from, Guess uses names. It stores nothing; stone keeps rules and light.
package light

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Rule says how one kind of height map follows from cells. A column's number is the
// height just above the topmost cell that counts, minus Base, or 0 if no cell
// counts.
type Rule struct {
	Map   string       // name of the voxel.Map
	Base  int32        // height in cells that the map stores as 0
	Cells []voxel.Cell // the cells that count, ascending; never the empty cell
}

// Floor is a chunk of a tower.
type Floor struct {
	Y     int32 // in chunks
	Chunk *voxel.Chunk
}

// A Tower is the chunks over one footprint of 32x32 cells, topmost first. Missing
// chunks are empty.
type Tower []Floor

// Sort puts the highest floor first.
func (t Tower) Sort() {
	if len(t) > 1 {
		sort.Slice(t, func(i, j int) bool { return t[i].Y > t[j].Y })
	}
}

// Towers returns the tower at a chunk's x and z.
type Towers func(x, z int32) Tower

// maxRules is the most rules that a HeightMapper applies.
const maxRules = 16

// MaxNames is the most bytes of the names of learned rules.
const MaxNames = 1 << 14

// HeightMapper applies rules to columns. Goroutines must not share it.
type HeightMapper struct {
	rules  []Rule
	counts []uint16 // by cell: bit i set if the cell counts for rule i

	ctx  context.Context // nil: never ends
	most int             // work since Until; 0: no bound
	work int

	tower Tower                     // the last tower
	all   [][voxel.SliceCells]int32 // its heights by rule; nil before the first
	seek  seek                      // of the current tower
}

// NewHeightMapper returns a HeightMapper for up to 16 rules. It ignores further ones.
func NewHeightMapper(rules []Rule) *HeightMapper {
	h := &HeightMapper{rules: rules[:min(len(rules), maxRules)]}
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

// Clone returns a HeightMapper of the same rules. It costs the same for any number of cells, and another
// goroutine may use it.
func (h *HeightMapper) Clone() *HeightMapper { return &HeightMapper{rules: h.rules, counts: h.counts} }

// Until bounds later calls of Column: they return false soon after ctx ends, and once their
// Work is more than most. 0 sets no bound.
func (h *HeightMapper) Until(ctx context.Context, most int) { h.ctx, h.most, h.work = ctx, most, 0 }

// Work returns the steps since Until: one for each run of a row of cells that was looked at.
func (h *HeightMapper) Work() int { return h.work }

func (h *HeightMapper) ended() bool {
	return h.most > 0 && h.work > h.most || h.ctx != nil && h.ctx.Err() != nil
}

func (h *HeightMapper) of(c voxel.Cell) uint16 {
	if int(c) >= len(h.counts) {
		return 0
	}
	return h.counts[c]
}

// seek is the heights of a tower that are still unknown.
type seek struct {
	open [geom.ChunkEdge][maxRules]uint32 // by z and rule: bit x set for each cell without a height
	want [geom.ChunkEdge]uint16           // by z: the rules with such cells
	rows uint32                           // the rows with such cells
}

func (s *seek) start(rules int) {
	for z := range s.open {
		for i := range rules {
			s.open[z][i] = ^uint32(0)
		}
		s.want[z] = uint16(1)<<rules - 1
	}
	s.rows = ^uint32(0)
}

// Column sets maps[i] to the map of the column by rule i, index z*16+x. Four columns
// of a tower, one after another, cost hardly more than one. It returns false after the end of
// Until.
func (h *HeightMapper) Column(pos geom.ColumnPos, t Tower, maps [][256]int32) bool {
	if (h.all == nil || !slices.Equal(t, h.tower)) && !h.find(t) {
		h.all = nil
		return false
	}
	x, z := int(pos.X&1)*16, int(pos.Z&1)*16
	for i := range h.rules {
		for row := range 16 {
			copy(maps[i][row*16:][:16], h.all[i][(z+row)*geom.ChunkEdge+x:])
		}
	}
	return true
}

// find applies the rules to a tower, and reports whether it came to the end.
func (h *HeightMapper) find(t Tower) bool {
	h.tower = append(h.tower[:0], t...)
	if h.all == nil {
		h.all = make([][voxel.SliceCells]int32, len(h.rules))
	}
	clear(h.all)
	s := &h.seek
	s.start(len(h.rules))
	if len(h.rules) == 0 {
		return true
	}
	for _, f := range t {
		if h.ended() {
			return false
		}
		for y := geom.ChunkEdge - 1; y >= 0 && s.rows != 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && h.of(cell) == 0 {
				continue
			}
			rows := s.rows
			if y < geom.ChunkEdge-1 { // a row like the one above adds no heights
				rows &= f.Chunk.Changed(y + 1)
			}
			for ; rows != 0; rows &= rows - 1 {
				h.row(f, y, bits.TrailingZeros32(rows))
			}
		}
	}
	return true
}

// row records the heights that a row decides.
func (h *HeightMapper) row(f Floor, y, z int) {
	var buf [64]voxel.Cell
	s := &h.seek
	height := f.Y*geom.ChunkEdge + int32(y) + 1
	starts, cells := f.Chunk.Runs(y, z, &buf)
	h.work += len(cells)
	m := uint64(starts) | 1<<geom.ChunkEdge
	for _, v := range cells {
		x := m & -m
		m ^= x
		run := uint32(m&-m - x)
		for hit := h.of(v) & s.want[z]; hit != 0; hit &= hit - 1 {
			r := bits.TrailingZeros16(hit)
			found := run & s.open[z][r]
			if s.open[z][r] &^= found; s.open[z][r] == 0 {
				s.want[z] &^= 1 << r
			}
			for ; found != 0; found &= found - 1 {
				h.all[r][z*geom.ChunkEdge+bits.TrailingZeros32(found)] = height - h.rules[r].Base
			}
		}
	}
	if s.want[z] == 0 {
		s.rows &^= 1 << z
	}
}

// Cell returns by rule what Column computes for cell at, z*16+x, of the column.
func (h *HeightMapper) Cell(pos geom.ColumnPos, at int, t Tower) (heights [maxRules]int32) {
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
