// Package light computes what follows from cells: height maps, by a rule that
// is learned from the maps themselves, so that it needs no table of blocks and
// fits every version of every game.
//
// The package stores nothing and knows no block names. Sky and block light are
// not computed yet.
package light

import (
	"maps"
	"slices"

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

// Column sets maps[i] to what rule i says of the column, index z*16+x.
func (h *Heights) Column(pos geom.ColumnPos, t Tower, maps [][256]int32) {
	var open [256]uint16 // rules without a height yet
	all := uint16(1)<<len(h.rules) - 1
	for i := range open {
		open[i] = all
	}
	for i := range h.rules {
		maps[i] = [256]int32{}
	}
	left := 256
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && left > 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && h.of(cell) == 0 {
				continue
			}
			left -= h.slice(pos, f, y, &open, maps)
		}
	}
}

// slice notes the heights that slice y of a floor settles and returns how many
// cells of the column have all of theirs now.
func (h *Heights) slice(pos geom.ColumnPos, f Floor, y int, open *[256]uint16, maps [][256]int32) (done int) {
	var buf [64]voxel.Cell
	x0, z0 := int(pos.X&1)*16, int(pos.Z&1)*16
	height := f.Y*geom.ChunkEdge + int32(y) + 1
	for z := range 16 {
		for x, c := range f.Chunk.Row(y, z0+z, &buf)[x0 : x0+16] {
			i := z*16 + x
			hit := h.of(c) & open[i]
			if hit == 0 {
				continue
			}
			for r := range h.rules {
				if hit>>r&1 != 0 {
					maps[r][i] = height - h.rules[r].Base
				}
			}
			if open[i] &^= hit; open[i] == 0 {
				done++
			}
		}
	}
	return done
}

// Learn returns a rule for each kind of map of columns that follows from cells
// well enough to be worth one, sorted by name. Which cells count is put to the
// vote: one votes for itself where a map's height lies on it, and against where
// it lies above. Columns without the map have no say.
func Learn(columns []voxel.Column, towers Towers) (rules []Rule) {
	kinds := map[string]*votes{}
	for i := range columns {
		c := &columns[i]
		var t Tower
		for m := range c.Maps {
			v := kinds[c.Maps[m].Name]
			if v == nil {
				v = &votes{bases: map[int32]int{}}
				kinds[c.Maps[m].Name] = v
			}
			if t == nil {
				t = towers(c.Pos.X>>1, c.Pos.Z>>1)
			}
			v.base(c.Pos, t, &c.Maps[m])
		}
	}
	for i := range columns {
		c := &columns[i]
		for m := range c.Maps {
			kinds[c.Maps[m].Name].count(c.Pos, towers(c.Pos.X>>1, c.Pos.Z>>1), &c.Maps[m])
		}
	}
	var before []voxel.Cell
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if r := kinds[name].rule(name, before); len(r.Cells) > 0 {
			rules = append(rules, r)
			before = r.Cells
		}
	}
	return rules
}

// votes are what the maps of one name say.
type votes struct {
	bases     map[int32]int // how often the topmost cell lies so far above the map's number
	bestBase  int32
	decided   bool
	heights   int   // that are not 0
	on, above []int // by cell
}

// base notes how far the topmost cells of the column lie above its numbers.
func (v *votes) base(pos geom.ColumnPos, t Tower, m *voxel.Map) {
	scan(pos, t, func(i int, y int32, c voxel.Cell) bool {
		if m.Values[i] > 0 {
			v.bases[y+1-m.Values[i]]++
		}
		return false
	})
}

// scan calls visit for the cells of a column from the top down that are not
// empty, until it returns false for that x and z (index z*16+x).
func scan(pos geom.ColumnPos, t Tower, visit func(i int, y int32, c voxel.Cell) bool) {
	var done [256]bool
	var buf [64]voxel.Cell
	x0, z0, left := int(pos.X&1)*16, int(pos.Z&1)*16, 256
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && left > 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && cell == voxel.Empty {
				continue
			}
			for z := range 16 {
				for x, c := range f.Chunk.Row(y, z0+z, &buf)[x0 : x0+16] {
					if i := z*16 + x; c != voxel.Empty && !done[i] && !visit(i, f.Y*geom.ChunkEdge+int32(y), c) {
						done[i] = true
						left--
					}
				}
			}
		}
	}
}

// count lets the cells of a column vote, once the base is known.
func (v *votes) count(pos geom.ColumnPos, t Tower, m *voxel.Map) {
	if !v.decided {
		v.decided = true
		most := 0
		for b, n := range v.bases {
			if n > most || n == most && b < v.bestBase {
				v.bestBase, most = b, n
			}
		}
	}
	for _, n := range m.Values {
		if n > 0 {
			v.heights++
		}
	}
	scan(pos, t, func(i int, y int32, c voxel.Cell) bool {
		switch top := m.Values[i] - 1 + v.bestBase; {
		case m.Values[i] <= 0 || y > top:
			v.above = vote(v.above, c)
			return true
		case y == top:
			v.on = vote(v.on, c)
		}
		return false
	})
}

func vote(by []int, c voxel.Cell) []int {
	if int(c) >= len(by) {
		by = append(by, make([]int, int(c)+1-len(by))...)
	}
	by[c]++
	return by
}

// rule returns what the vote decided; no cells if it explains less than half of
// the heights, as of a map that holds no heights. A cell that nobody voted on
// counts if it does in the rule before, which makes rules alike.
func (v *votes) rule(name string, before []voxel.Cell) Rule {
	r := Rule{Map: name, Base: v.bestBase}
	right, all := 0, 0
	tally := func(by []int, c int) int {
		if c < len(by) {
			return by[c]
		}
		return 0
	}
	for c := 1; c < max(len(v.on), len(v.above), len(before)+1); c++ {
		on, above := tally(v.on, c), tally(v.above, c)
		_, counted := slices.BinarySearch(before, voxel.Cell(c))
		if on > above || on+above == 0 && counted {
			r.Cells = append(r.Cells, voxel.Cell(c))
			right += on
		}
		all += on
	}
	if right*2 < max(all, v.heights) {
		r.Cells = nil
	}
	return r
}
