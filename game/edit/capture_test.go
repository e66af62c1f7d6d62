package edit_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// two returns a world with one volume of blocks without height maps: stone in chunk 0 and
// dirt in chunk 1. Nothing of it is in memory.
func two(t *testing.T) (history.Store, *world.World) {
	t.Helper()
	ctx := context.Background()
	st := memory.New(memory.Options{})
	w, err := world.Create(ctx, st, "two", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("d", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, {Name: "other", Schema: voxel.Palette, Scale: 1}},
			map[string][]string{voxel.Block: {"air", "stone", "dirt"}, "other": {"air", "dirt", "stone"}})
		d.Volume(voxel.Block).SetChunk(geom.ChunkPos{}, voxel.Uniform(1))
		d.Volume(voxel.Block).SetChunk(geom.ChunkPos{X: 1}, voxel.Uniform(2))
		d.SetColumn(voxel.Column{Pos: geom.ColumnPos{}, Version: 1})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, "made"); err != nil {
		t.Fatal(err)
	}
	return st, w
}

// put sets the cell at the origin, and the version of the column there.
func put(t *testing.T, w *world.World, c voxel.Cell) {
	t.Helper()
	h, err := w.Load(context.Background(), "d", geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("d")
		d.Volume(voxel.Block).Set(geom.Point{}, c)
		column := *d.Column(geom.ColumnPos{})
		column.Version = int32(c)
		d.SetColumn(column)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// got returns what put set.
func got(t *testing.T, w *world.World) (voxel.Cell, voxel.Cell) {
	t.Helper()
	h, err := w.Load(context.Background(), "d", world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	d := w.View().Dimension("d")
	cell, _ := d.Volume(voxel.Block).Cell(geom.Point{})
	column, _ := d.Column(geom.ColumnPos{})
	return cell, voxel.Cell(column.Version)
}

// TestCaptureLeftMemory restores captures whose chunks, or those of the world, left memory in
// between.
func TestCaptureLeftMemory(t *testing.T) {
	ctx := context.Background()
	for _, k := range []struct {
		name          string
		before, after func(t *testing.T, w *world.World)
		cell, now     voxel.Cell
	}{
		{name: "committed afterwards",
			after: func(t *testing.T, w *world.World) { put(t, w, 2); commit(t, w) }, cell: 1, now: 2},
		{name: "captured before a commit",
			before: func(t *testing.T, w *world.World) { put(t, w, 2) },
			after:  func(t *testing.T, w *world.World) { commit(t, w); put(t, w, 0); commit(t, w) }, cell: 2, now: 0},
		{name: "captured before the world went back",
			before: func(t *testing.T, w *world.World) { put(t, w, 2) },
			after: func(t *testing.T, w *world.World) {
				if _, err := w.Restore(ctx, w.Head(), "back"); err != nil {
					t.Fatal(err)
				}
			}, cell: 2, now: 1},
		{name: "packed afterwards",
			after: func(t *testing.T, w *world.World) {
				put(t, w, 2)
				commit(t, w)
				put(t, w, 0)
				commit(t, w)
				if err := w.Pack(ctx); err != nil {
					t.Fatal(err)
				}
			}, cell: 1, now: 0},
	} {
		t.Run(k.name, func(t *testing.T) {
			_, w := two(t)
			defer w.Close()
			if k.before != nil {
				k.before(t, w)
			}
			c, err := w.Capture()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			k.after(t, w)
			if cell, column := got(t, w); cell != k.now || column != k.now && k.now != 0 {
				t.Fatalf("before the restore: cell %d, column %d", cell, column)
			}
			q := edit.New(edit.Options{})
			defer q.Close()
			f := q.Add(&edit.Arena{World: w}, &edit.Restore{Capture: c, Columns: true}, 0)
			run(t, q, f)
			if cell, column := got(t, w); cell != k.cell || column != k.cell {
				t.Errorf("restored: cell %d, column %d; want %d", cell, column, k.cell)
			}
			run(t, q, q.Add(&edit.Arena{World: w}, f.Undo(), 0))
			if cell, column := got(t, w); cell != k.now || column != k.now {
				t.Errorf("undone: cell %d, column %d; want %d", cell, column, k.now)
			}
		})
	}
}

func commit(t *testing.T, w *world.World) {
	t.Helper()
	if _, err := w.Commit(context.Background(), "played"); err != nil {
		t.Fatal(err)
	}
}
