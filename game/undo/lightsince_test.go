package undo_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// edit is blocks of one name in a box.
type edit struct {
	block string
	in    geom.Box
}

func at(x, y, z int) geom.Box { return one(geom.Point{X: x, Y: y, Z: z}) }

func (e edit) update(t *testing.T, w *world.World) {
	t.Helper()
	defer mustLoad(t, w).Release()
	mustUpdate(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Fill(e.in, v.Named(e.block))
	})
}

func (e edit) commit(t *testing.T, w *world.World) history.ID {
	t.Helper()
	e.update(t, w)
	return mustCommit(t, w, e.block)
}

// shown returns the light of blocks in the sections that columns list it of, where there is any.
func shown(t *testing.T, w *world.World) map[geom.Point][4096]voxel.Cell {
	t.Helper()
	defer mustLoad(t, w).Release()
	d := w.View().Dimension(earth)
	out := make(map[geom.Point][4096]voxel.Cell)
	for _, c := range d.Columns(world.Everywhere) {
		for _, s := range c.Sections {
			var cells [4096]voxel.Cell
			corner := c.Pos.Min(int(s.Y) * 16)
			if s.Has&voxel.HasLight == 0 {
				continue
			}
			d.Volume(voxel.Light).ReadBox(cubeBox(corner), 0, cells[:])
			if cells != [4096]voxel.Cell{} {
				out[corner] = cells
			}
		}
	}
	return out
}

// mustShow wants all light of one world listed in another too, and the same.
func mustShow(t *testing.T, name string, got, want *world.World) {
	t.Helper()
	has := shown(t, got)
	for corner, cells := range shown(t, want) {
		if has[corner] != cells {
			t.Errorf("%s: light at %v is not what is left gives", name, corner)
		}
	}
}

func cubeBox(p geom.Point) geom.Box {
	return geom.Box{Min: p, Max: p.Add(geom.Point{X: 16, Y: 16, Z: 16})}
}

// What came after a commit keeps its light when that is reverted.
func TestRevertLightOfBefore(t *testing.T) {
	long.Alone(t)
	flat := func(y int) geom.Box {
		return geom.Box{Min: geom.Point{X: 8, Y: y, Z: 8}, Max: geom.Point{X: 56, Y: y + 1, Z: 56}}
	}
	for _, tt := range []struct {
		name          string
		first, second edit
	}{
		{"as bright", edit{"glowstone", at(20, 20, 20)}, edit{"torch", at(21, 20, 20)}},
		{"in the dark", edit{"stone", flat(30)}, edit{"stone", flat(20)}},
		{"above the column", edit{"glowstone", at(20, 52, 20)}, edit{"glowstone", at(20, 84, 20)}},
		{"above the column and near", edit{"stone", at(20, 52, 20)}, edit{"glowstone", at(21, 66, 20)}},
	} {
		for _, committed := range []bool{true, false} {
			only, w := litWorld(t), litWorld(t)
			tt.second.commit(t, only)
			want, _ := lit(t, only)
			first := tt.first.commit(t, w)
			if tt.second.update(t, w); committed {
				mustCommit(t, w, "second")
			}
			mustRevert(t, w, first)
			if _, stale := lit(t, w); stale == 0 {
				t.Errorf("%s, %v: light that has to be computed is not stale", tt.name, committed)
			}
			mustCommit(t, w, "reverted")
			if got, stale := lit(t, w); got != want || stale != 0 {
				t.Errorf("%s, %v: the light is not that of what is left, %d columns stale", tt.name, committed, stale)
			}
			mustShow(t, tt.name, w, only)
		}
	}
}

// A column beside the blocks of a commit goes on listing what came after.
func TestRevertLightBeside(t *testing.T) {
	make := func() *world.World {
		w := litWorld(t)
		held := mustLoad(t, w)
		defer held.Release()
		mustUpdate(t, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			c := *d.Column(geom.ColumnPos{X: 2, Z: 1})
			c.Sections = []voxel.Section{{Y: 0, Has: voxel.HasBlock | voxel.HasSky | voxel.HasLight}, {Y: 1, Has: voxel.HasBlock | voxel.HasSky}}
			d.SetColumn(c)
		})
		mustCommit(t, w, "made")
		return w
	}
	torch := edit{"torch", at(34, 24, 24)}
	only, w := make(), make()
	torch.commit(t, only)
	first := edit{"glowstone", at(30, 24, 24)}.commit(t, w)
	torch.commit(t, w)
	mustRevert(t, w, first)
	mustCommit(t, w, "reverted")
	mustShow(t, "beside", w, only)
}

// Where a commit made a column, what its lamps lit beside it goes dark without it.
func TestRevertLightOfNewColumn(t *testing.T) {
	torch := edit{"torch", at(40, 20, 20)}
	only, w := litWorld(t), litWorld(t)
	torch.commit(t, only)
	pos := geom.ColumnPos{X: 4, Z: 1}
	mustUpdate(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).SetColumn(voxel.Column{Pos: pos, Version: 7, Sections: []voxel.Section{{Y: 1, Has: voxel.HasBlock | voxel.HasSky | voxel.HasLight}}})
	})
	first := edit{"glowstone", at(64, 20, 20)}.commit(t, w)
	torch.commit(t, w)
	mustRevert(t, w, first)
	mustCommit(t, w, "reverted")
	want, _ := lit(t, only)
	if got, stale := lit(t, w); got != want || stale != 0 {
		t.Errorf("the light is not that of what is left, %d columns stale", stale)
	}
	held := mustLoad(t, w)
	defer held.Release()
	c, _ := w.View().Dimension(earth).Column(pos)
	if c == nil || c.Version != 7 {
		t.Fatalf("the column is %+v", c)
	}
	for _, s := range c.Sections {
		if s.Has&^(voxel.HasSky|voxel.HasLight) != 0 {
			t.Errorf("the column has section %+v", s)
		}
	}
}

// A commit that computed stale light late leaves it when it is reverted, with its
// blocks or without.
func TestRevertOfLateLight(t *testing.T) {
	p := geom.Point{X: 20, Y: 20, Z: 20}
	for _, also := range []bool{false, true} {
		w := create(t, world.Options{Manual: true}, voxel.BlockVolumes()...)
		pos := geom.ColumnPos{X: 1, Z: 1}
		column := voxel.Column{Pos: pos, Sections: []voxel.Section{{Y: 1, Has: voxel.HasBlock | voxel.HasLight}}}
		mustUpdate(t, w, func(tx *world.Tx) { tx.Dimension(earth).SetColumn(column) })
		edit{"torch", one(p)}.commit(t, w)
		held := mustLoad(t, w)
		mustUpdate(t, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			d.Lit()
			d.Volume(voxel.Light).Set(p, 14)
			if also {
				v := d.Volume(voxel.Block)
				v.Set(geom.Point{X: 30, Y: 30, Z: 30}, v.Named("stone"))
			}
			d.SetColumn(column)
		})
		held.Release()
		late := mustCommit(t, w, "lit")
		r := mustRevert(t, w, late)
		defer mustLoad(t, w).Release()
		if got := cellAt(t, w, voxel.Light, p); got != 14 {
			t.Errorf("blocks %v: the light of a torch is %d", also, got)
		}
		if also && (r.Cells != 1 || r.Skipped != 0) || !also && (r.Cells != 0 || r.Skipped != 1) {
			t.Errorf("blocks %v: got %+v", also, r)
		}
	}
}

// Light that a game wrote by itself goes back from the newest version alone.
func TestRevertOfLightAlone(t *testing.T) {
	for _, newest := range []bool{true, false} {
		w := litWorld(t)
		held := mustLoad(t, w)
		defer held.Release()
		p := geom.Point{X: 20, Y: 20, Z: 20}
		mustUpdate(t, w, func(tx *world.Tx) { tx.Dimension(earth).Volume(voxel.Light).Set(p, 9) })
		id, want := mustCommit(t, w, "light"), voxel.Cell(0)
		if !newest {
			edit{"torch", at(50, 20, 50)}.commit(t, w)
			want = 9
		}
		r := mustRevert(t, w, id)
		if got := cellAt(t, w, voxel.Light, p); got != want || r.Cells+r.Skipped != 1 || (r.Cells == 1) != newest {
			t.Errorf("newest %v: the light is %d, %+v", newest, got, r)
		}
	}
}

// A column that comes back lists light of which nobody knows whether it is right.
func TestUndoColumnIsStale(t *testing.T) {
	w := litWorld(t)
	h := undo.New(w, undo.Options{})
	pos := geom.ColumnPos{X: 1, Z: 1}
	held := mustLoad(t, w)
	defer held.Release()
	change(t, h, "ann", func(d *world.DimensionTx) { d.RemoveColumn(pos) })
	mustCommit(t, w, "removed")
	edit{"stone", at(20, 20, 20)}.update(t, w)
	mustUndo(t, h, "ann")
	mustCommit(t, w, "undone")
	c, _ := w.View().Dimension(earth).Column(pos)
	if c == nil || c.Stale != voxel.HasSky|voxel.HasLight {
		t.Errorf("got %+v", c)
	}
}
