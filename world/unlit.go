package world

import (
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// unlit is the blocks of a dimension that were changed and whose light is still
// that of what was there.
type unlit struct {
	before map[geom.ChunkPos]*voxel.Chunk // what was there, nil: the default alone
	lit    map[geom.ChunkPos]bool         // chunks that have the light of their blocks since
	// columns has those whose light is stale, and whether it was good before.
	columns map[geom.ColumnPos]bool
	lost    map[geom.ColumnPos]bool // where nobody knows what was there
}

// newUnlit returns what an update left without light that replaced chunks of blocks,
// with cells in columns; if it is lit that is nothing.
func newUnlit(replaced []grid.Replaced, columns []geom.ColumnPos, lit bool) *unlit {
	u := &unlit{before: make(map[geom.ChunkPos]*voxel.Chunk), lit: make(map[geom.ChunkPos]bool),
		columns: make(map[geom.ColumnPos]bool), lost: make(map[geom.ColumnPos]bool)}
	for _, r := range replaced {
		switch {
		case lit:
			u.lit[r.Pos] = true
		case r.Unknown:
			corner := columnOf(r.Pos.Min())
			for i := range int32(4) {
				u.lost[geom.ColumnPos{X: corner.X + i&1, Z: corner.Z + i>>1}] = true
			}
		default:
			u.before[r.Pos] = r.Old
		}
	}
	for _, pos := range columns {
		u.columns[pos] = true
	}
	if lit {
		clear(u.columns)
	}
	return u
}

// add adds what came after u.
func (u *unlit) add(later *unlit) {
	for pos := range later.lit {
		delete(u.before, pos)
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
