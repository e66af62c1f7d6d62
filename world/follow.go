package world

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// follow recomputes what follows from blocks in the columns whose blocks were
// replaced: height maps that have a rule; light is marked stale.
func (d *DimensionTx) follow(blocks *volume, replaced []grid.Replaced) {
	before := d.before(blocks)
	heights := light.NewHeights(d.d.rules)
	columns := touched(blocks.Default, replaced)
	dark := newUnlit(blocks.Default, replaced, columns, d.lit)
	if d.tx.relights && d.d.hasLight() {
		d.tx.unlit[d.d.name] = dark
	}
	for _, pos := range columns {
		c := d.Column(pos)
		if d.tx.err != nil {
			return
		}
		if c == nil {
			delete(dark.columns, pos) // one that is put there says itself what is stale
			continue
		}
		edited := *c
		if _, stale := dark.columns[pos]; stale {
			dark.columns[pos] = dark.columns[pos] && c.Stale == 0
			edited.Stale = voxel.HasSky | voxel.HasLight
		}
		if len(d.d.rules) > 0 && len(c.Maps) > 0 {
			maps, err := d.recompute(heights, c, before, blocks.cells)
			if err != nil {
				d.tx.fail(fmt.Errorf("world: height maps of column %v of %q: %w", pos, d.d.name, err))
				return
			}
			edited.Maps = maps
		}
		d.put(pos, &edited, parts{column: true})
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

// recompute returns the column's maps: where a rule says another number than
// before, that; elsewhere, what the game said.
func (d *DimensionTx) recompute(h *light.Heights, c *voxel.Column, before, now *grid.View) ([]voxel.Map, error) {
	tower, err := towerOf(now, c.Pos)
	if err != nil {
		return nil, err
	}
	said, had := make([][256]int32, len(d.d.rules)), make([][256]int32, len(d.d.rules))
	h.Column(c.Pos, tower, said)
	old, err := towerOf(before, c.Pos)
	known := err == nil
	if known {
		h.Column(c.Pos, old, had)
	}
	maps := slices.Clone(c.Maps)
	for i := range maps {
		j := slices.IndexFunc(d.d.rules, func(r light.Rule) bool { return r.Map == maps[i].Name })
		if j < 0 {
			continue
		}
		for at, height := range said[j] {
			if !known || height != had[j][at] {
				maps[i].Values[at] = height
			}
		}
	}
	return maps, nil
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

// touched returns the columns that have a cell in what was replaced, in
// ascending order.
func touched(def voxel.Cell, replaced []grid.Replaced) []geom.ColumnPos {
	seen := make(map[geom.ColumnPos]bool)
	var out []geom.ColumnPos
	for _, r := range replaced {
		old, new := filled(r.Old, def), filled(r.New, def)
		corner := columnOf(r.Pos.Min())
		for i := range int32(4) {
			pos := geom.ColumnPos{X: corner.X + i&1, Z: corner.Z + i>>1}
			if !seen[pos] && (r.Unknown || differs(old, new, int(i&1)*geom.ColumnEdge, int(i>>1)*geom.ColumnEdge)) {
				seen[pos] = true
				out = append(out, pos)
			}
		}
	}
	slices.SortFunc(out, geom.ColumnPos.Compare)
	return out
}

// differs reports whether two chunks differ in the column whose least cell in
// them is x, z.
func differs(c, d *voxel.Chunk, x, z int) bool {
	var a, b [64]voxel.Cell
	for y := range voxel.ChunkEdge {
		for row := range geom.ColumnEdge {
			if !slices.Equal(c.Row(y, z+row, &a)[x:x+geom.ColumnEdge], d.Row(y, z+row, &b)[x:x+geom.ColumnEdge]) {
				return true
			}
		}
	}
	return false
}

// filled returns c, or a chunk of def if c is nil.
func filled(c *voxel.Chunk, def voxel.Cell) *voxel.Chunk {
	if c == nil {
		return voxel.Uniform(def)
	}
	return c
}
