package edit_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestFillOfVersions: a Fill takes the data version of its columns, also if only others are in memory.
func TestFillOfVersions(t *testing.T) {
	st := memory.New(memory.Options{})
	w, err := world.Create(t.Context(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("d", voxel.BlockVolumes(), nil)
		for x, version := range map[int32]int32{0: 3955, 100: 2230} {
			d.SetColumn(voxel.Column{Pos: geom.ColumnPos{X: x}, Version: version})
			d.SetBlock(geom.Point{X: int(x) * 16}, "minecraft:stone")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(t.Context(), st, "w", world.Options{}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	block := func(x int) geom.Box { return geom.Box{Min: geom.Point{X: x}, Max: geom.Point{X: x + 1, Y: 1, Z: 1}} }
	if _, err := w.Load(t.Context(), "d", block(0)); err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]string{1600: "minecraft:cauldron[level=0]", 0: "minecraft:cauldron"} {
		if _, err := edit.Do(t.Context(), &edit.Arena{World: w}, &edit.Fill{Region: block(x), Name: "cauldron"}); err != nil {
			t.Fatal(err)
		}
		h, err := w.Load(t.Context(), "d", block(x))
		if err != nil {
			t.Fatal(err)
		}
		v := w.View().Dimension("d").Volume(voxel.Block)
		if c, _ := v.Cell(geom.Point{X: x}); v.CellName(c) != want {
			t.Errorf("at %d: %q, want %q", x, v.CellName(c), want)
		}
		h.Release()
	}
}
