package world

import (
	"fmt"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// derive does what follows from blocks in the columns whose blocks were replaced: it
// recomputes height maps, marks light stale, and removes what replaced blocks owned.
func (d *DimensionTx) derive(blocks *volume, replaced []grid.Replaced) {
	before := d.before(blocks)
	heights := &heights{d: d, names: blocks.names.list, before: before, now: blocks.cells}
	columns := relight.Touched(blocks.Default, replaced)
	if err := d.checkPlaces(blocks, replaced, columns); err != nil {
		d.tx.fail(fmt.Errorf("world: %w", err))
		return
	}
	left := relight.NewLeft(blocks.Default, replaced, columns, d.lit)
	if d.tx.relights && d.d.hasLight() {
		if d.tx.left == nil {
			d.tx.left = make(map[string]*relight.Left)
		}
		d.tx.left[d.d.name] = left
	}
	for i := range columns {
		pos := columns[i].Pos
		c := d.Column(pos)
		if d.tx.err != nil {
			return
		}
		stale := left.Stale(i, c)
		if c == nil {
			continue
		}
		if c = d.disown(c, &columns[i], before, blocks); d.tx.err != nil {
			return
		}
		edited := *c
		if stale {
			edited.Stale = voxel.HasSky | voxel.HasLight
		}
		changed := edited.Stale != c.Stale
		if hasHeights(c) {
			maps, err := heights.recompute(c, &columns[i].Cells)
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
	t.Sort()
	return t, nil
}
