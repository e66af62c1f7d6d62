package light

import (
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// sampled bounds the columns that vote. More are thinned out evenly.
const sampled = 128

// Learn returns rules for the height maps that follow from cells well enough,
// sorted by name. A vote decides which cells count: a cell gets a vote
// for where a map's height is on it, and against where it is above the height.
// Columns without the map do not vote.
func Learn(columns []voxel.Column, towers Towers) (rules []Rule) {
	kinds := map[string]*votes{}
	step := (len(columns) + sampled - 1) / sampled
	for i := 0; i < len(columns); i += max(1, step) {
		c := &columns[i]
		tops := topCells(c.Pos, towers(c.Pos.X>>1, c.Pos.Z>>1))
		for m := range c.Maps {
			v := kinds[c.Maps[m].Name]
			if v == nil && !IsHeightMap(c.Maps[m].Name) {
				continue
			}
			if v == nil {
				v = &votes{bases: map[int32]int{}}
				kinds[c.Maps[m].Name] = v
			}
			v.base(tops, &c.Maps[m])
		}
	}
	for _, v := range kinds {
		v.decide()
	}
	for i := 0; i < len(columns); i += max(1, step) {
		count(kinds, &columns[i], towers(columns[i].Pos.X>>1, columns[i].Pos.Z>>1))
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if r := kinds[name].rule(name); len(r.Cells) > 0 {
			rules = append(rules, r)
		}
	}
	return rules
}

// votes holds the votes on the maps of one name.
type votes struct {
	bases     map[int32]int // how often the topmost cell ends this far above the map's number
	bestBase  int32
	heights   int   // the number of heights that are not 0
	on, above []int // by cell
}

// base compares the tops of a column with its numbers and records the differences,
// for a few places.
func (v *votes) base(tops *[256]int32, m *voxel.Map) {
	for i := 0; i < 256; i += 17 {
		if m.Values[i] > 0 && tops[i] != noCell {
			v.bases[tops[i]-m.Values[i]]++
		}
	}
}

// decide chooses the base with the most votes, the lowest of equals.
func (v *votes) decide() {
	most := 0
	for b, n := range v.bases {
		if n > most || n == most && b < v.bestBase {
			v.bestBase, most = b, n
		}
	}
}

const noCell = -1 << 31

// topCells returns the height above the topmost cell that is not empty for each x
// and z (index z*16+x), or noCell.
func topCells(pos geom.ColumnPos, t Tower) *[256]int32 {
	var tops [256]int32
	for i := range tops {
		tops[i] = noCell
	}
	scan(pos, t, func(i int, y int32, _ voxel.Cell) bool {
		tops[i] = y + 1
		return false
	})
	return &tops
}

// scan calls visit with the cells of a column that are not empty, from the top down.
// It stops for an x and z (index z*16+x) when visit returns false.
func scan(pos geom.ColumnPos, t Tower, visit func(i int, y int32, c voxel.Cell) bool) {
	var open [256]bool // the places where the scan continues
	var rows [16]int   // by row, the number of such places
	left := 16         // rows with such places
	for z := range rows {
		rows[z] = 16
	}
	for i := range open {
		open[i] = true
	}
	var buf [64]voxel.Cell
	x0, z0 := int(pos.X&1)*16, int(pos.Z&1)*16
	for _, f := range t {
		for y := geom.ChunkEdge - 1; y >= 0 && left > 0; y-- {
			if cell, ok := f.Chunk.SliceUniform(y); ok && cell == voxel.Empty {
				continue
			}
			for z := range 16 {
				if rows[z] == 0 {
					continue
				}
				for x, c := range f.Chunk.Row(y, z0+z, &buf)[x0 : x0+16] {
					i := z*16 + x
					if c == voxel.Empty || !open[i] || visit(i, f.Y*geom.ChunkEdge+int32(y), c) {
						continue
					}
					open[i] = false
					if rows[z]--; rows[z] == 0 {
						left--
					}
				}
			}
		}
	}
}

// count adds the votes of a column on its maps.
func count(kinds map[string]*votes, c *voxel.Column, t Tower) {
	var all []*votes // of the column's maps that are voted on
	var values []*[256]int32
	for m := range c.Maps {
		v := kinds[c.Maps[m].Name]
		if v == nil {
			continue
		}
		all, values = append(all, v), append(values, &c.Maps[m].Values)
		for _, n := range c.Maps[m].Values {
			if n > 0 {
				v.heights++
			}
		}
	}
	scan(c.Pos, t, func(i int, y int32, cell voxel.Cell) (above bool) {
		for m, v := range all {
			switch top := values[m][i] - 1 + v.bestBase; {
			case values[m][i] <= 0 || y > top:
				v.above = vote(v.above, cell)
				above = true
			case y == top:
				v.on = vote(v.on, cell)
			}
		}
		return above
	})
}

func vote(by []int, c voxel.Cell) []int {
	if int(c) >= len(by) {
		by = append(by, make([]int, int(c)+1-len(by))...)
	}
	by[c]++
	return by
}

// rule returns the result of the vote. It has no cells if it explains less than half
// of the heights; the map then holds no heights.
func (v *votes) rule(name string) Rule {
	r := Rule{Map: name, Base: v.bestBase}
	right, all := 0, 0
	tally := func(by []int, c int) int {
		if c < len(by) {
			return by[c]
		}
		return 0
	}
	for c := 1; c < max(len(v.on), len(v.above)); c++ {
		on := tally(v.on, c)
		if on > tally(v.above, c) {
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
