package world_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// What games call air is the empty cell of a world made here, so that nothing stands where
// it was set. A world that has it as another cell keeps it.
func TestNamedAir(t *testing.T) {
	for _, tt := range []struct {
		names []string
		air   voxel.Cell // of "minecraft:air"
	}{
		{nil, 0},
		{[]string{"air", "stone"}, 0},
		{[]string{"minecraft:air", "stone"}, 0},
		{[]string{"air", "minecraft:air"}, 1},
		{[]string{"stone", "dirt"}, 3},
	} {
		w := create(t, newStore(), "a", world.Options{})
		block := voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}
		at := geom.Point{X: 1, Y: 2, Z: 3}
		update(t, w, func(tx *world.Tx) {
			v := tx.AddDimension("d", []voxel.Volume{block}, map[string][]string{voxel.Block: tt.names}).Volume(voxel.Block)
			v.Set(at, v.Named("rock"))
			v.Set(at, v.Named("minecraft:air"))
		})
		v := w.View().Dimension("d").Volume(voxel.Block)
		named, ok := v.Named("minecraft:air")
		if cell, _ := v.Cell(at); cell != tt.air || named != tt.air || !ok {
			t.Errorf("names %q: got cell %d, named %d, %v", tt.names, cell, named, ok)
		}
		closeWorld(t, w)
	}
}

// TestAirByOtherNames: air has one cell, whatever the world calls it, by an update and by Replace.
func TestAirByOtherNames(t *testing.T) {
	block := voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}
	at := geom.Point{X: 1, Y: 2, Z: 3}
	make := func(names ...string) *world.World {
		w := create(t, newStore(), "a", world.Options{Whole: true})
		update(t, w, func(tx *world.Tx) {
			v := tx.AddDimension("d", []voxel.Volume{block}, map[string][]string{voxel.Block: names}).Volume(voxel.Block)
			v.Set(at, v.Named("rock"))
		})
		return w
	}
	for _, here := range []string{"air", "minecraft:air"} {
		for _, there := range []string{"air", "minecraft:air", "legacy:0/0"} {
			w := make(here)
			update(t, w, func(tx *world.Tx) {
				v := tx.Dimension("d").Volume(voxel.Block)
				v.Set(at, v.Named(there))
			})
			v := w.View().Dimension("d").Volume(voxel.Block)
			if c, _ := v.Cell(at); c != voxel.Empty || len(v.Names()) != 2 {
				t.Errorf("%s in a world of %s: cell %d of %q", there, here, c, v.Names())
			}
			closeWorld(t, w)

			w = make(here)
			from := make("air", "own:thing")
			update(t, from, func(tx *world.Tx) {
				v := tx.Dimension("d").Volume(voxel.Block)
				v.Set(at, v.Named(there))
				v.Set(at.Add(geom.Point{X: 1}), v.Named("rock"))
			})
			commit(t, from)
			s, err := from.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Replace(ctx, s); err != nil {
				t.Fatal(err)
			}
			s.Close()
			v = w.View().Dimension("d").Volume(voxel.Block)
			c, _ := v.Cell(at)
			rock, _ := v.Cell(at.Add(geom.Point{X: 1}))
			if c != voxel.Empty || v.CellName(rock) != "rock" {
				t.Errorf("%s replaced in a world of %s: cell %d, beside it %q", there, here, c, v.CellName(rock))
			}
			closeWorld(t, w)
			closeWorld(t, from)
		}
	}
}
