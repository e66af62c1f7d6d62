package undo_test

import (
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// litWorld is a world of air that computes light, with a column of light.
func litWorld(t *testing.T) *world.World {
	t.Helper()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "w", world.Options{Relight: true, Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	mustUpdate(t, w, func(tx *world.Tx) {
		d := tx.AddDimension(earth, voxel.BlockVolumes(), nil)
		for i := range int32(16) {
			c := voxel.Column{Pos: geom.ColumnPos{X: i & 3, Z: i >> 2}}
			for y := range int8(3) {
				c.Sections = append(c.Sections, voxel.Section{Y: y, Has: voxel.HasBlock | voxel.HasSky | voxel.HasLight})
			}
			d.SetColumn(c)
		}
	})
	mustCommit(t, w, "made")
	return w
}

func put(t *testing.T, w *world.World, p geom.Point, block string) history.ID {
	t.Helper()
	defer mustLoad(t, w).Release()
	mustUpdate(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Set(p, v.Named(block))
	})
	return mustCommit(t, w, "put "+block)
}

// lit returns all light of the world as text, and how many columns have stale
// light.
func lit(t *testing.T, w *world.World) (s string, stale int) {
	t.Helper()
	defer mustLoad(t, w).Release()
	d := w.View().Dimension(earth)
	cells := make([]voxel.Cell, 64*48*64)
	for _, name := range []string{voxel.Sky, voxel.Light} {
		d.Volume(name).ReadBox(geom.Box{Max: geom.Point{X: 64, Y: 48, Z: 64}}, 0, cells)
		s += fmt.Sprint(cells)
	}
	for _, c := range d.Columns(world.Everywhere) {
		if c.Stale != 0 {
			stale++
		}
	}
	return s, stale
}

// Reverting a commit gives the light that was, to the cell and before any commit
// where nothing came in between; else the light of what is there then.
func TestRevertLight(t *testing.T) {
	long.Alone(t)
	a, b := geom.Point{X: 20, Y: 20, Z: 20}, geom.Point{X: 27, Y: 20, Z: 20}
	w := litWorld(t)
	dark, _ := lit(t, w)
	one := put(t, w, a, "torch")
	light, _ := lit(t, w)
	if light == dark {
		t.Fatal("a torch gives no light")
	}
	mustRevert(t, w, one)
	if got, stale := lit(t, w); got != dark || stale != 0 {
		t.Errorf("reverted: the light is not what it was, %d columns stale", stale)
	}
	mustCommit(t, w, "reverted")
	if got, stale := lit(t, w); got != dark || stale != 0 {
		t.Errorf("committed: the light is not what it was, %d columns stale", stale)
	}

	only := litWorld(t)
	put(t, only, b, "torch")
	want, _ := lit(t, only)
	one = put(t, w, a, "torch")
	put(t, w, b, "torch")
	mustRevert(t, w, one)
	if _, stale := lit(t, w); stale == 0 {
		t.Error("light that has to be computed is not stale")
	}
	mustCommit(t, w, "reverted")
	if got, stale := lit(t, w); got != want || stale != 0 {
		t.Errorf("the light is not that of the torch left, %d columns stale", stale)
	}
}

// Steps of a History are blocks alone; their light follows with the next commit.
func TestUndoLight(t *testing.T) {
	w := litWorld(t)
	dark, _ := lit(t, w)
	h := undo.New(w, undo.Options{})
	for _, committed := range []bool{false, true} {
		held := mustLoad(t, w)
		_, err := h.Update(ctx, "ann", "torch", func(tx *world.Tx) error {
			v := tx.Dimension(earth).Volume(voxel.Block)
			v.Set(geom.Point{X: 20, Y: 20, Z: 20}, v.Named("torch"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		held.Release()
		if committed {
			mustCommit(t, w, "torch")
			if got, stale := lit(t, w); got == dark || stale != 0 {
				t.Errorf("a torch gives no light, %d columns stale", stale)
			}
		}
		if r := mustUndo(t, h, "ann"); r.Cells != 1 || r.Skipped != 0 {
			t.Errorf("got %+v", r)
		}
		mustCommit(t, w, "undone")
		if got, stale := lit(t, w); got != dark || stale != 0 {
			t.Errorf("undone: the light is not what it was, %d columns stale", stale)
		}
	}
}
