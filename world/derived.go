package world

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/relight"
	"github.com/cairnvoxel/cairn/voxel"
)

// derive does what follows from blocks in the columns whose blocks were replaced: it
// recomputes height maps that have a rule, marks light stale, and removes what replaced
// blocks owned.
func (d *DimensionTx) derive(blocks *volume, replaced []grid.Replaced) {
	before := d.before(blocks)
	// Each remembers the last tower, and the columns of one follow each other.
	heights := [2]*light.Heights{light.NewHeights(d.d.rules), light.NewHeights(d.d.rules)}
	columns := relight.Touched(blocks.Default, replaced)
	pending := relight.NewPending(blocks.Default, replaced, columns, d.lit)
	if d.tx.relights && d.d.hasLight() {
		d.tx.pending[d.d.name] = pending
	}
	for i := range columns {
		pos := columns[i].Pos
		c := d.Column(pos)
		if d.tx.err != nil {
			return
		}
		stale := pending.Stale(pos, c)
		if c == nil {
			continue
		}
		if c = d.disown(c, before, blocks); d.tx.err != nil {
			return
		}
		edited := *c
		if stale {
			edited.Stale = voxel.HasSky | voxel.HasLight
		}
		changed := edited.Stale != c.Stale
		if len(d.d.rules) > 0 && len(c.Maps) > 0 {
			maps, err := d.recompute(heights, c, &columns[i].Cells, before, blocks.cells)
			if err != nil {
				d.tx.fail(fmt.Errorf("world: height maps of column %v of %q: %w", pos, d.d.name, err))
				return
			}
			if maps != nil {
				edited.Maps, changed = maps, true
			}
		}
		if changed {
			d.put(pos, &edited, parts{column: true})
		}
	}
}

// before returns the cells of a volume as the Tx found them.
func (d *DimensionTx) before(v *volume) *grid.View {
	if i := d.tx.base.dimension(d.d.name); i >= 0 {
		if j := d.tx.base.dimensions[i].volume(v.Name); j >= 0 {
			return d.tx.base.dimensions[i].volumes[j].cells
		}
	}
	return grid.New(v.options(nil))
}

// recompute returns the column's maps, nil if they stay: where a rule says another
// number than before, that; elsewhere, what the game said. Bit x of cells[z] is set
// where a cell was replaced.
func (d *DimensionTx) recompute(heights [2]*light.Heights, c *voxel.Column, cells *[geom.ColumnEdge]uint16, before, now *grid.View) ([]voxel.Map, error) {
	tower, err := towerOf(now, c.Pos)
	if err != nil {
		d.tx.absent = append(d.tx.absent, absent{d.d.name, voxel.Block, columnBox(c.Pos)})
		return nil, err
	}
	n := 0
	for _, row := range cells {
		n += bits.OnesCount16(row)
	}
	maps := edition{maps: c.Maps, rules: d.d.rules}
	old, err := towerOf(before, c.Pos)
	if err == nil && n <= relight.FewCells { // sooner looked at one by one than all
		for z, row := range cells {
			for ; row != 0; row &= row - 1 {
				at := z*geom.ColumnEdge + bits.TrailingZeros16(row)
				said, had := heights[0].Cell(c.Pos, at, tower), heights[1].Cell(c.Pos, at, old)
				for i, height := range said {
					if height != had[i] {
						maps.set(i, at, height)
					}
				}
			}
		}
		return maps.own, nil
	}
	said, had := make([][256]int32, len(d.d.rules)), make([][256]int32, len(d.d.rules))
	heights[0].Column(c.Pos, tower, said)
	known := err == nil
	if known {
		heights[1].Column(c.Pos, old, had)
	}
	for i := range said {
		for at, height := range said[i] {
			if !known || height != had[i][at] {
				maps.set(i, at, height)
			}
		}
	}
	return maps.own, nil
}

// edition is maps of a column being changed.
type edition struct {
	maps, own []voxel.Map // own: nil as long as all stays
	rules     []light.Rule
}

// set sets the number at a cell of the maps that follow from a rule: the first of
// their name.
func (e *edition) set(rule, at int, height int32) {
	name := e.rules[rule].Map
	if slices.ContainsFunc(e.rules[:rule], func(r light.Rule) bool { return r.Map == name }) {
		return
	}
	for i := range e.maps {
		if e.maps[i].Name != name || e.maps[i].Values[at] == height {
			continue
		}
		if e.own == nil {
			e.own = slices.Clone(e.maps)
			e.maps = e.own
		}
		e.own[i].Values[at] = height
	}
}

// towerOf returns the chunks over the footprint that holds a column.
func towerOf(v *grid.View, pos geom.ColumnPos) (light.Tower, error) {
	foot := pos.Chunk(0).Box()
	foot.Min.Y, foot.Max.Y = Everywhere.Min.Y, Everywhere.Max.Y
	var t light.Tower
	for at, c := range v.ChunksIn(foot) {
		if c == nil {
			return nil, fmt.Errorf("chunk %v: %w", at, ErrNotLoaded)
		}
		t = append(t, light.Floor{Y: at.Y, Chunk: c})
	}
	slices.SortFunc(t, func(a, b light.Floor) int { return int(b.Y) - int(a.Y) })
	return t, nil
}

// filled returns c, or a chunk of def if c is nil.
func filled(c *voxel.Chunk, def voxel.Cell) *voxel.Chunk {
	if c == nil {
		return voxel.Uniform(def)
	}
	return c
}
