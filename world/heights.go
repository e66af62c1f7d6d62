package world

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// heightRules says how the height maps of a dimension follow from its blocks. It never changes.
type heightRules struct {
	names int // how many cells it knows
	// sure are the rules of the blocks that count, by map. perhaps are the same with the blocks of which
	// nobody can say whether they count; there are none if there are no such blocks.
	sure, perhaps []light.Rule
	rules         *light.HeightMapper // all of them, to be cloned
	base          int32               // of columns that count from the bottom of the world
	based         bool                // base is known
}

// ground is the Base of the rules: below all cells, so that a height of 0 says that no cell counts.
const ground = -1 << 30

func hasHeights(c *voxel.Column) bool {
	return slices.ContainsFunc(c.Maps, func(m voxel.Map) bool { return light.IsHeightMap(m.Name) })
}

// learn returns rules for all names and for the height maps of a column too. learned are rules of
// which the cells count that the game's definition does not know.
func (r heightRules) learn(names []string, c *voxel.Column, learned []light.Rule) heightRules {
	is := func(name string) func(light.Rule) bool { return func(r light.Rule) bool { return r.Map == name } }
	for _, m := range c.Maps {
		if light.IsHeightMap(m.Name) && !slices.ContainsFunc(r.sure, is(m.Name)) {
			r.sure, r.perhaps, r.names = append(slices.Clip(r.sure), light.Rule{Map: m.Name, Base: ground}), nil, 0
		}
	}
	if len(names) == r.names {
		return r
	}
	out := heightRules{names: len(names), base: r.base, based: r.based}
	unknown := len(r.perhaps) > 0
	for i, sure := range r.sure {
		if r.names == 0 {
			sure.Cells = nil
		}
		perhaps := sure
		if len(r.perhaps) > 0 {
			perhaps = r.perhaps[i]
		}
		sure.Cells, perhaps.Cells = slices.Clip(sure.Cells), slices.Clip(perhaps.Cells)
		var votes []voxel.Cell
		if i := slices.IndexFunc(learned, is(sure.Map)); i >= 0 {
			votes = learned[i].Cells
		}
		for c := voxel.Cell(max(1, r.names)); int(c) < len(names); c++ {
			counts, known := light.Counts(sure.Map, names[c])
			if !known {
				_, counts = slices.BinarySearch(votes, c)
				known = counts
			}
			if counts {
				sure.Cells = append(sure.Cells, c)
			}
			if counts || !known {
				perhaps.Cells = append(perhaps.Cells, c)
			}
			unknown = unknown || !known
		}
		out.sure, out.perhaps = append(out.sure, sure), append(out.perhaps, perhaps)
	}
	if !unknown {
		out.perhaps = nil
	}
	out.rules = light.NewHeightMapper(slices.Concat(out.sure, out.perhaps))
	return out
}

// heights computes the height maps of columns again in which an update replaced blocks.
type heights struct {
	d           *DimensionTx
	names       []string // of the cells of now
	before, now *grid.View

	rules     *light.HeightMapper // of said and had
	said, had survey
}

// survey applies the rules to one column after another. It remembers the last tower, and the columns of one
// follow each other.
type survey struct {
	*light.HeightMapper
	maps [][256]int32 // by rule; nil before the first
}

// of returns the heights of a column by rule, until the next call.
func (h *heights) of(s *survey, pos geom.ColumnPos, t light.Tower) [][256]int32 {
	if s.HeightMapper == nil {
		s.HeightMapper = h.rules.Clone()
	}
	if s.maps == nil {
		s.maps = make([][256]int32, len(h.d.d.heights.sure)+len(h.d.d.heights.perhaps))
	}
	s.Column(pos, t, s.maps)
	return s.maps
}

// prepare makes the rules know the column.
func (h *heights) prepare(c *voxel.Column) {
	d := h.d.d
	if d.heights = d.heights.learn(h.names, c, d.rules); d.heights.rules != h.rules {
		h.rules, h.said, h.had = d.heights.rules, survey{}, survey{}
	}
}

// base returns the height that the column's maps store as 0. They follow from the blocks before, or of
// now if the update wrote them.
func (h *heights) base(c *voxel.Column, now light.Tower) int32 {
	lowest := int32(0)
	for i, s := range c.Sections {
		if s.Has&voxel.HasBlock != 0 && (i == 0 || int32(s.Y)*16 < lowest) {
			lowest = int32(s.Y) * 16
		}
	}
	r := &h.d.d.heights
	if c.Version < light.FromBottom {
		return min(0, lowest)
	}
	if !r.based {
		old, _ := towerOf(h.before, c.Pos) // nil: not in memory
		r.base, r.based = r.vote(c, h.of(&h.had, c.Pos, old))
	}
	if !r.based {
		r.base, r.based = r.vote(c, h.of(&h.had, c.Pos, now))
	}
	if r.based {
		return r.base
	}
	return lowest
}

// vote returns the base by which most of the column's maps are these heights.
func (r *heightRules) vote(c *voxel.Column, heights [][256]int32) (base int32, ok bool) {
	votes, all := make(map[int32]int), 0
	for i, rule := range r.sure {
		for _, m := range c.Maps {
			for at, height := range heights[i] {
				if m.Name == rule.Map && m.Values[at] > 0 && height > 0 {
					votes[height+ground-m.Values[at]]++
					all++
				}
			}
		}
	}
	for base, n := range votes {
		if 2*n > all && base%geom.ColumnEdge == 0 {
			return base, true
		}
	}
	return 0, false
}

// recompute returns the column's maps, nil if they stay: what the blocks say where cells were replaced,
// elsewhere what the game said. Bit x of cells[z] is set where a cell was replaced. Maps of
// which the blocks do not say all are left out, so that the game makes them.
func (h *heights) recompute(c *voxel.Column, cells *[geom.ColumnEdge]uint16) ([]voxel.Map, error) {
	if keepsBlocks(c) { // of which nobody knows the highest
		return slices.DeleteFunc(slices.Clone(c.Maps), func(m voxel.Map) bool { return light.IsHeightMap(m.Name) }), nil
	}
	tower, err := towerOf(h.now, c.Pos)
	if err != nil {
		h.d.tx.absent = append(h.d.tx.absent, absent{h.d.d.name, voxel.Block, columnBox(c.Pos)})
		return nil, err
	}
	n := 0
	for _, row := range cells {
		n += bits.OnesCount16(row)
	}
	h.prepare(c)
	e := h.edit(c, h.base(c, tower))
	if n <= relight.FewCells { // sooner looked at one by one than all
		for z, row := range cells {
			for ; row != 0; row &= row - 1 {
				at := z*geom.ColumnEdge + bits.TrailingZeros16(row)
				e.set(at, h.rules.Cell(c.Pos, at, tower))
			}
		}
		return e.result(), nil
	}
	old, err := towerOf(h.before, c.Pos)
	known := err == nil
	said := h.of(&h.said, c.Pos, tower)
	had := said
	if known {
		had = h.of(&h.had, c.Pos, old)
	}
	for at := range said[0] {
		touched := !known || cells[at/geom.ColumnEdge]>>(at%geom.ColumnEdge)&1 != 0
		var heights [16]int32
		for i := range said {
			heights[i] = said[i][at]
			touched = touched || said[i][at] != had[i][at]
		}
		if touched {
			e.set(at, heights)
		}
	}
	return e.result(), nil
}

// edition is maps of a column being changed.
type edition struct {
	maps    []voxel.Map
	rules   []int // by map; -1: it stays
	perhaps int   // from a rule to that with the blocks of which nobody can say whether they count
	base    int32
	given   bool   // by the update itself: what nobody can say stays
	own     bool   // maps are no other's
	out     []bool // by map: it is left out
}

func (h *heights) edit(c *voxel.Column, base int32) *edition {
	r := h.d.d.heights
	e := &edition{maps: c.Maps, base: base, perhaps: len(r.perhaps), out: make([]bool, len(c.Maps))}
	if len(r.perhaps) > 0 {
		was := h.d.d.columns.at(c.Pos)
		e.given = was == nil || !slices.Equal(was.Maps, c.Maps)
	}
	for i := range c.Maps {
		e.rules = append(e.rules, slices.IndexFunc(r.sure, func(r light.Rule) bool { return r.Map == c.Maps[i].Name }))
	}
	return e
}

// set sets the numbers of a cell by what the rules said.
func (e *edition) set(at int, said [16]int32) {
	for i, rule := range e.rules {
		if rule < 0 || e.out[i] {
			continue
		}
		height := int32(0)
		if said[rule] > 0 {
			height = max(0, said[rule]+ground-e.base)
		}
		unsaid := said[rule] != said[rule+e.perhaps]
		switch {
		case unsaid && e.given, e.maps[i].Values[at] == height && !unsaid:
			continue
		case unsaid, !e.maps[i].Holds(height):
			e.out[i] = true
			continue
		}
		if !e.own {
			e.maps, e.own = slices.Clone(e.maps), true
		}
		e.maps[i].Values[at] = height
	}
}

// result returns the maps, nil if they are as before.
func (e *edition) result() []voxel.Map {
	if !slices.Contains(e.out, true) {
		if !e.own {
			return nil
		}
		return e.maps
	}
	maps := []voxel.Map{} // not nil: it changed
	for i, m := range e.maps {
		if !e.out[i] {
			maps = append(maps, m)
		}
	}
	return maps
}
