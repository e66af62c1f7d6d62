package world_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
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
