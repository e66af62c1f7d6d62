package edit

import (
	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// objectsTx changes objects that blocks own, in an update that changes blocks.
type objectsTx struct {
	d    *world.DimensionTx
	sink Sink
	err  error
}

// change makes a list of a column what f makes of it. f does not change what it is given. Where
// there is no column, objects make one of that version.
func (t *objectsTx) change(list string, pos geom.ColumnPos, version int32, f func(now []voxel.Object) []voxel.Object) {
	c := t.d.Column(pos)
	now := c.Objects(list)
	next := f(now)
	if t.err != nil || takeback.Same(now, next) {
		return
	}
	if c == nil {
		c = &voxel.Column{Pos: pos, Version: version}
	}
	out := *c
	out.Lists = withList(out.Lists, list, next)
	if t.sink != nil {
		if t.err = t.sink.Column(pos, &out); t.err != nil {
			return
		}
	}
	writeColumn(t.d, t.d.Column(pos), &out)
}

// cellAt returns the cell of a chunk at a place in it.
func cellAt(c *voxel.Chunk, p geom.Point) voxel.Cell {
	q := p.InChunk()
	return c.Cell(q.X, q.Y, q.Z)
}

func not(f func(voxel.Object) bool) func(voxel.Object) bool {
	return func(o voxel.Object) bool { return !f(o) }
}
