package world

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// disown removes the objects of a column whose blocks the Tx replaced by others, from the lists
// that blocks own, and returns the column as it is then. An object stays if its block is only in
// another state, or if it came with the Tx.
func (d *DimensionTx) disown(c *voxel.Column, where *relight.TouchedColumn, before *grid.View, blocks *volume) *voxel.Column {
	pos := c.Pos
	near := func(o voxel.Object) bool { return where.May(o.At) }
	for _, l := range c.Lists {
		if voxel.Owner(l.Name) != voxel.Block || blocks.Schema != voxel.Palette || !slices.ContainsFunc(l.Objects, near) {
			continue
		}
		var had map[geom.Point][]voxel.Object // before the Tx; made when it is needed
		stay := slices.DeleteFunc(slices.Clone(l.Objects), func(o voxel.Object) bool {
			if o.Place == voxel.Nowhere || !near(o) || d.given[o.At] || !d.replaced(o.At, before, blocks) {
				return false
			}
			if had == nil {
				had = make(map[geom.Point][]voxel.Object)
				if c := d.d.columns.at(pos); c != unloaded {
					for _, o := range c.Objects(l.Name) {
						had[o.At] = append(had[o.At], o)
					}
				}
			}
			return slices.ContainsFunc(had[o.At], func(was voxel.Object) bool { return was.Place == o.Place && bytes.Equal(was.Payload, o.Payload) })
		})
		if len(stay) < len(l.Objects) {
			d.SetObjects(l.Name, pos, stay)
			c = d.Column(pos)
		}
	}
	return c
}

// replaced reports whether a cell has another block than before.
func (d *DimensionTx) replaced(p geom.Point, before *grid.View, blocks *volume) bool {
	now, ok := blocks.cells.Cell(p)
	was, known := before.Cell(p)
	switch {
	case ok && known:
		return was != now && !sameBlock(blocks.names.list[was], blocks.names.list[now])
	case !ok || p.Check() != nil: // what is not in memory was not replaced
		return false
	case now == voxel.Empty:
		return true
	}
	d.tx.absent = append(d.tx.absent, absent{d.d.name, voxel.Block, p.Chunk().Box()})
	d.tx.fail(fmt.Errorf("world: block at %v of %q, which has an object: %w", p, d.d.name, ErrNotLoaded))
	return false
}

// sameBlock reports whether two names are of one block in perhaps another state: they are equal
// up to the properties, and those of numbers up to the data.
func sameBlock(a, b string) bool { return a == b || stateless(a) == stateless(b) }

func stateless(name string) string {
	end := "["
	if strings.HasPrefix(name, "legacy:") {
		end = "/"
	}
	name, _, _ = strings.Cut(name, end)
	return name
}
