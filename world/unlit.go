package world

import (
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// unlit is the blocks of a dimension that were changed and whose light is still
// that of what was there.
type unlit struct {
	before map[geom.ChunkPos]*voxel.Chunk  // what was there, nil: the default alone
	lit    map[geom.ChunkPos]grid.Replaced // by updates that wrote the light too
	def    voxel.Cell                      // the default
	// columns has those whose light is stale, and whether it was good before.
	columns map[geom.ColumnPos]bool
	lost    map[geom.ColumnPos]bool // where nobody knows what was there
}

// newUnlit returns what an update left without light that replaced chunks of blocks,
// with cells in columns; if it is lit that is nothing.
func newUnlit(def voxel.Cell, replaced []grid.Replaced, columns []touchedColumn, lit bool) *unlit {
	u := &unlit{before: make(map[geom.ChunkPos]*voxel.Chunk), lit: make(map[geom.ChunkPos]grid.Replaced), def: def,
		columns: make(map[geom.ColumnPos]bool), lost: make(map[geom.ColumnPos]bool)}
	for _, r := range replaced {
		switch {
		case lit:
			u.lit[r.Pos] = r
		case r.Unknown:
			u.lose(r.Pos)
		default:
			u.before[r.Pos] = r.Old
		}
	}
	for _, c := range columns {
		u.columns[c.pos] = true
	}
	if lit {
		clear(u.columns)
	}
	return u
}

// lose notes that nobody knows what was in a chunk.
func (u *unlit) lose(pos geom.ChunkPos) {
	for _, at := range columnsOver(pos) {
		u.lost[at] = true
	}
}

// columnsOver returns the columns that have cells in a chunk.
func columnsOver(pos geom.ChunkPos) (out [4]geom.ColumnPos) {
	corner := columnOf(pos.Min())
	for i := range int32(4) {
		out[i] = geom.ColumnPos{X: corner.X + i&1, Z: corner.Z + i>>1}
	}
	return out
}

// light notes that a chunk of which something is unlit was replaced by one that has
// the light of what differs. The light is that of what is there now in those cells, and
// of what was there in all others. Where a cell was unlit and is written again, other
// than it was, what its light did around it may stay: the chunk is lost.
func (u *unlit) light(r grid.Replaced) {
	c, ok := u.before[r.Pos]
	if !ok {
		return
	}
	var before, old, now [voxel.ChunkCells]voxel.Cell
	filled(c, u.def).Flat(&before)
	filled(r.Old, u.def).Flat(&old)
	filled(r.New, u.def).Flat(&now)
	lost := r.Unknown
	for i, c := range now {
		if c != old[i] {
			lost = lost || before[i] != old[i] && before[i] != c
			before[i] = c
		}
	}
	if lost {
		delete(u.before, r.Pos)
		u.lose(r.Pos)
		return
	}
	u.before[r.Pos] = voxel.FromFlat(&before)
}

// add adds what came after u.
func (u *unlit) add(later *unlit) {
	for _, r := range later.lit {
		u.light(r)
	}
	for pos, c := range later.before {
		if _, ok := u.before[pos]; !ok {
			u.before[pos] = c
		}
	}
	for pos, good := range later.columns {
		if _, ok := u.columns[pos]; !ok {
			u.columns[pos] = good
		}
	}
	for pos := range later.lost {
		u.lost[pos] = true
	}
}

// hasLight reports whether the dimension has blocks and volumes for their light.
func (d *dimension) hasLight() bool {
	v := d.lightOf(voxel.Block)
	return v != nil && v.Schema == voxel.Palette && (d.lightOf(voxel.Sky) != nil || d.lightOf(voxel.Light) != nil)
}

// lightOf returns a volume of the dimension if light can be computed in it, or
// from it.
func (d *dimension) lightOf(name string) *volume {
	i := d.volume(name)
	if i < 0 || d.volumes[i].Scale != 1 || name != voxel.Block && d.volumes[i].Schema != voxel.Level {
		return nil
	}
	return d.volumes[i]
}

// maxUnlit is how many chunks are lit at once: beyond, nothing of what was there is
// kept, and the light stays stale.
const maxUnlit = 1024

// bound lets go of what is too much.
func (u *unlit) bound() {
	if len(u.before) <= maxUnlit {
		return
	}
	clear(u.before)
	for pos := range u.columns {
		u.columns[pos] = false
	}
}

// What follows needs mu.

// darken notes what a Tx that was done left without light.
func (w *World) darken(tx *Tx) {
	if tx.exact {
		w.forgetUnlit()
		return
	}
	for name, u := range tx.unlit {
		if w.unlit == nil {
			w.unlit = make(map[string]*unlit)
		}
		if have := w.unlit[name]; have != nil {
			have.add(u)
			u = have
		}
		w.unlit[name] = u
		u.bound()
		w.unlits++
	}
}

func (w *World) forgetUnlit() {
	w.unlit = nil
	w.unlits++
}
