package edit

import (
	"slices"

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
	if t.err != nil || voxel.SameObjects(now, next) {
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

// swapped is which objects of a list an operation took away, and which it brought.
type swapped struct{ gone, came []voxel.Object }

// addOwned adds which objects an update of the operation swapped together with their blocks.
func (r *replaced) addOwned(c *world.Change, a *Arena) {
	for _, col := range c.Columns {
		if col.Old == nil && !col.Unknown {
			r.addColumn(col.Pos, nil, col.New)
		}
		for _, list := range voxel.ListsOf(col.Old, col.New) {
			was, is := col.Old.Objects(list), col.New.Objects(list)
			if voxel.Owner(list) == voxel.Block && !voxel.SameObjects(was, is) {
				r.swap(a, col.Pos, list, was, is)
			}
		}
	}
}

// swap adds what differs of a list, in the chunks that are in memory, and remembers the blocks there.
func (r *replaced) swap(a *Arena, pos geom.ColumnPos, list string, was, is []voxel.Object) {
	v, err := a.volume(voxel.Block)
	if err != nil {
		return // it is gone, and there is nothing to give back
	}
	in := r.volume(voxel.Block)
	elsewhere := func(o voxel.Object) bool {
		at := o.At.Chunk()
		if _, had := in[at]; had {
			return false
		}
		c, ok := v.Chunk(at)
		if ok {
			in[at] = chunks{c, c}
		}
		return !ok
	}
	if r.owned == nil {
		r.owned = make(map[geom.ColumnPos]map[string]swapped)
	}
	if r.owned[pos] == nil {
		r.owned[pos] = make(map[string]swapped)
	}
	gone, came := slices.DeleteFunc(voxel.Without(was, is), elsewhere), slices.DeleteFunc(voxel.Without(is, was), elsewhere)
	s := r.owned[pos][list]
	r.owned[pos][list] = swapped{append(voxel.Without(s.gone, came), voxel.Without(gone, s.came)...), append(voxel.Without(s.came, gone), voxel.Without(came, s.gone)...)}
}

// giveBack gives back the objects that the operation swapped in a chunk where the blocks are what
// they were before it.
func (r *replaced) giveBack(in *objectsTx, pos geom.ChunkPos, before, is *voxel.Chunk) {
	back := func(o voxel.Object) bool { return o.At.Chunk() == pos && cellAt(before, o.At) == cellAt(is, o.At) }
	for _, at := range pos.Columns() {
		for list, s := range r.owned[at] {
			came, gone := slices.DeleteFunc(slices.Clone(s.came), not(back)), slices.DeleteFunc(slices.Clone(s.gone), not(back))
			in.change(list, at, 0, func(now []voxel.Object) []voxel.Object {
				now = voxel.Without(now, came)
				taken := placesOf(now)
				for _, o := range gone {
					if !taken[o.At] {
						now = append(now, o)
					}
				}
				return now
			})
		}
	}
}

func not(f func(voxel.Object) bool) func(voxel.Object) bool {
	return func(o voxel.Object) bool { return !f(o) }
}

// placesOf returns the cells that objects are in.
func placesOf(objects []voxel.Object) map[geom.Point]bool {
	out := make(map[geom.Point]bool)
	for _, o := range objects {
		if o.Place != voxel.Nowhere {
			out[o.At] = true
		}
	}
	return out
}
