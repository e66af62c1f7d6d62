package undo

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Undone is the result of taking back a step.
type Undone struct {
	Name    string // of the step, or the message of the commit
	Cells   int    // restored cells; derived light does not count
	Columns int    // restored columns; each list of objects counts by itself
	// Skipped and SkippedColumns count what was left alone. There the World no longer held
	// what the step wrote, or it is derived light whose blocks the step did not change.
	Skipped, SkippedColumns int
	Conflicts               []Conflict // where cells were left alone, sorted
	// Unknown counts the chunks and columns that the step replaced while they were not loaded.
	// Their old content is not known, and they were left alone.
	Unknown int
	// Forgotten says that what was replaced takes more than Options.Bytes, as where others
	// have built in the same chunks: an Undo cannot be repeated, nor a Redo taken back.
	Forgotten bool
	Change    *world.Change // what the update replaced
}

// Conflict says where cells of a volume were left alone.
type Conflict struct {
	Dimension, Volume string
	Box               geom.Box // the least box around them, in cells of the volume
	Cells             int
}

// taking is a step that is being taken back.
type taking struct {
	*step
	tx    *world.Tx
	exact bool
	// left are the cells that an update found changed by others: a bit for each cell of a chunk.
	left map[volumeName]map[geom.ChunkPos]*[voxel.ChunkCells / 32]uint32
	// counted are the volumes whose cells count.
	counted map[volumeName]bool
	// parts are those of columns that were restored, and those that were left.
	restored, kept map[part]bool
}

// part is a column without its lists, or one of these.
type part struct {
	dimension string
	pos       geom.ColumnPos
	list      string
}

type volumeName struct{ dimension, volume string }

// takeBack restores in one update what w still holds of the step. commit is the commit that
// made the step, or zero.
func (s *step) takeBack(ctx context.Context, w *world.World, commit history.ID) (Undone, error) {
	held, err := s.load(ctx, w)
	defer held.release()
	if err != nil {
		return Undone{}, err
	}
	var t *taking
	change, err := w.Update(func(tx *world.Tx) error {
		t = &taking{step: s, tx: tx, exact: s.exact(w, commit), left: make(map[volumeName]map[geom.ChunkPos]*[voxel.ChunkCells / 32]uint32), counted: make(map[volumeName]bool), restored: make(map[part]bool), kept: make(map[part]bool)}
		for i := range s.updates {
			t.update(&s.updates[len(s.updates)-1-i])
		}
		return nil
	})
	if err != nil {
		return Undone{}, err
	}
	return t.report(change), nil
}

// update takes back one update.
func (t *taking) update(u *update) {
	kept := u.owned()
	for i := range u.volumes {
		if d := t.tx.Dimension(u.volumes[i].dimension); d != nil {
			d.AnyHeight() // it was there
		}
	}
	for i := range u.volumes {
		if v := &u.volumes[i]; derivesFromBlocks(t.tx, v) {
			t.light(v)
		} else {
			t.volume(v, kept)
			t.counted[v.volumeName] = true
		}
	}
	for i := range u.columns {
		c := &u.columns[i]
		d := t.tx.Dimension(c.dimension)
		if d == nil {
			t.kept[part{c.dimension, c.pos, ""}] = true
			continue
		}
		c.takeBack(d, !t.exact && d.Volume(voxel.Block) != nil, kept, func(list string, done bool) {
			if done {
				t.restored[part{c.dimension, c.pos, list}] = true
			} else {
				t.kept[part{c.dimension, c.pos, list}] = true
			}
		})
	}
}

// owned returns the cells that the objects of an update belong to: none was left alone so far.
func (u *update) owned() map[owned]bool {
	cells := make(map[owned]bool)
	for i := range u.columns {
		for _, l := range u.columns[i].lists {
			volume := voxel.Owner(l.name)
			for _, o := range l.old {
				if volume != "" && o.Place != voxel.Nowhere {
					cells[owned{volumeName{u.columns[i].dimension, volume}, o.At}] = false
				}
			}
		}
	}
	return cells
}

// volume takes back the cells of a volume, and notes in kept which of these were left alone.
func (t *taking) volume(v *volume, kept map[owned]bool) {
	in := volumeOf(t.tx, v)
	if in == nil {
		t.leave(v)
		return
	}
	cells := v.cellsIn(in)
	for i := range v.chunks {
		c := &v.chunks[i]
		c.takeBack(in, cells, func(at int) {
			t.leaveCell(v, c.pos, at)
			if cell := (owned{v.volumeName, c.point(uint16(at))}); len(kept) > 0 {
				if _, is := kept[cell]; is {
					kept[cell] = true
				}
			}
		})
	}
}

// leave leaves all cells of a volume alone.
func (t *taking) leave(v *volume) {
	for i := range v.chunks {
		for one := range v.chunks[i].all {
			t.leaveCell(v, v.chunks[i].pos, int(one.at))
		}
	}
}

func (t *taking) leaveCell(v *volume, pos geom.ChunkPos, at int) {
	in := t.left[v.volumeName]
	if in == nil {
		in = make(map[geom.ChunkPos]*[voxel.ChunkCells / 32]uint32)
		t.left[v.volumeName] = in
	}
	if in[pos] == nil {
		in[pos] = new([voxel.ChunkCells / 32]uint32)
	}
	in[pos][at/32] |= 1 << (at % 32)
}

// report says what the update did. A cell that one update left alone and another restored is not left.
func (t *taking) report(change *world.Change) Undone {
	r := Undone{Name: t.name, Unknown: t.unknown, SkippedColumns: len(t.kept), Change: change}
	for i := range change.Volumes {
		v := &change.Volumes[i]
		name := volumeName{v.Dimension, v.Volume}
		if t.counted[name] {
			r.Cells += v.Cells()
		}
		for _, c := range v.Chunks {
			if left := t.left[name][c.Pos]; left != nil {
				restored := chunk{pos: c.Pos, old: c.Old.Or(v.Default), new: c.New.Or(v.Default)}
				for one := range restored.all {
					left[one.at/32] &^= 1 << (one.at % 32)
				}
			}
		}
	}
	for _, c := range change.Columns {
		now, _ := replacedColumn(c, false)
		if now.own && t.restored[part{c.Dimension, c.Pos, ""}] {
			r.Columns++
		}
		for _, l := range now.lists {
			if t.restored[part{c.Dimension, c.Pos, l.name}] {
				r.Columns++
			}
		}
	}
	for name, chunks := range t.left {
		place := Conflict{Dimension: name.dimension, Volume: name.volume}
		for pos, left := range chunks {
			for i, m := range left {
				for ; m != 0; m &= m - 1 {
					p := (&chunk{pos: pos}).point(uint16(i*32 + bits.TrailingZeros32(m)))
					place.Box = place.Box.Union(geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})})
					place.Cells++
				}
			}
		}
		if place.Cells > 0 {
			r.Skipped += place.Cells
			r.Conflicts = append(r.Conflicts, place)
		}
	}
	slices.SortFunc(r.Conflicts, func(a, b Conflict) int {
		return cmp.Or(strings.Compare(a.Dimension, b.Dimension), strings.Compare(a.Volume, b.Volume))
	})
	return r
}

// volumeOf returns the volume if it exists and its cells mean the same, but for the names of a
// palette.
func volumeOf(tx *world.Tx, v *volume) *world.VolumeTx {
	if d := tx.Dimension(v.dimension); d != nil {
		if in := d.Volume(v.volume); in != nil && in.Schema == v.schema && in.Scale == v.scale && (v.schema == voxel.Palette || alike(v.names, in.Names())) {
			return in
		}
	}
	return nil
}

// takeBack restores the cells that v still holds, and calls keep for the others. table says what
// the cells are in v; nil leaves them as they are.
func (c *chunk) takeBack(v *world.VolumeTx, table []voxel.Cell, keep func(at int)) {
	now, ok := v.Chunk(c.pos)
	switch {
	case !ok: // the update fails
	case c.runs == nil:
		old, new := c.old, c.new
		if table != nil {
			old, new = old.Translate(table), new.Translate(table)
		}
		v.SetChunk(c.pos, takeback.Cells(old, new, now.Or(v.Default), keep))
	default:
		for one := range c.all {
			if table != nil {
				one.old, one.new = table[one.old], table[one.new]
			}
			if is, _ := v.Cell(c.point(one.at)); is == one.new {
				v.Set(c.point(one.at), one.old)
			} else {
				keep(int(one.at))
			}
		}
	}
}

// cellsIn returns what the cells of v are in a volume whose names are in another order: the World has gone
// back to a version without some of them. Names that it lacks are added. nil: they are the same.
func (v *volume) cellsIn(in *world.VolumeTx) []voxel.Cell {
	if v.schema != voxel.Palette || len(v.names) <= len(in.Names()) && alike(v.names, in.Names()) {
		return nil
	}
	used := make([]bool, len(v.names))
	for i := range v.chunks {
		for one := range v.chunks[i].all {
			used[one.old], used[one.new] = true, true
		}
	}
	cells := make([]voxel.Cell, len(v.names))
	for c, name := range v.names {
		if used[c] {
			cells[c] = in.Named(name)
		}
	}
	return cells
}
