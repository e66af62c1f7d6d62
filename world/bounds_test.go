package world_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// sections returns sections with blocks, from one height up to below another.
func sections(from, to int) (out []voxel.Section) {
	for y := from; y < to; y++ {
		out = append(out, voxel.Section{Y: int8(y), Has: voxel.HasBlock})
	}
	return out
}

// Blocks lie within the heights that the game of their column has.
func TestHeights(t *testing.T) {
	part := []voxel.Part{{Name: voxel.PartChunk, Data: []byte{10, 0, 0, 0}}}
	for _, tt := range []struct {
		name, dimension string
		column          voxel.Column
		low, high       int // equal: no bounds
	}{
		{"of no game", "overworld", voxel.Column{Sections: sections(0, 4)}, 0, 0},
		{"modern", "overworld", voxel.Column{Version: 3953, Sections: sections(-4, 20)}, -64, 320},
		{"made with few sections", "overworld", voxel.Column{Version: 3953, Sections: sections(0, 1)}, 0, 0},
		{"modern with one section", "overworld", voxel.Column{Version: 3953, Parts: part, Sections: sections(0, 1)}, -64, 320},
		{"modern without sections", "overworld", voxel.Column{Version: 3953, Parts: part}, -64, 320},
		{"light below and above", "overworld", voxel.Column{Version: 3953, Sections: append(sections(-4, 20), voxel.Section{Y: -5, Has: voxel.HasSky}, voxel.Section{Y: 20, Has: voxel.HasSky})}, -64, 320},
		{"a tall type of dimension", "overworld", voxel.Column{Version: 3953, Sections: sections(-127, 127)}, -2032, 2032},
		{"a flat type of dimension", "overworld", voxel.Column{Version: 3953, Sections: sections(0, 16)}, 0, 256},
		{"the nether", "the_nether", voxel.Column{Version: 3953, Parts: part, Sections: sections(0, 1)}, 0, 256},
		{"another dimension", "mod:moon", voxel.Column{Version: 3953, Parts: part, Sections: sections(2, 3)}, -64, 320},
		{"old", "overworld", voxel.Column{Version: 1343, Parts: part, Sections: sections(0, 1)}, 0, 256},
		{"old with more", "overworld", voxel.Column{Version: 2730, Parts: part, Sections: sections(-4, 1)}, -64, 256},
		{"without a version", "overworld", voxel.Column{Parts: part}, 0, 256},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := world.Create(ctx, newStore(), "a", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer closeWorld(t, w)
			update(t, w, func(tx *world.Tx) {
				tx.AddDimension(tt.dimension, voxel.BlockVolumes(), nil).SetColumn(tt.column)
			})
			bound := tt.low < tt.high
			for _, x := range []int{3, 99} { // in the column, and where no column is
				for _, y := range []int{tt.low - 1, tt.low, tt.high - 1, tt.high, 5000, -5000} {
					at := geom.Point{X: x, Y: y, Z: 3}
					for _, any := range []bool{false, true} {
						_, err := w.Update(func(tx *world.Tx) error {
							d := tx.Dimension(tt.dimension)
							if any {
								d.AnyHeight()
							}
							v := d.Volume(voxel.Block)
							v.Set(at, v.Named(fmt.Sprint("minecraft:stone", any)))
							return nil
						})
						var height *world.HeightError
						out := bound && !any && (y < tt.low || y >= tt.high)
						if errors.As(err, &height) != out || !out && err != nil || out && (height.At != at || height.Low != tt.low || height.High != tt.high) {
							t.Errorf("block at %v, any height %v: %v", at, any, err)
						}
					}
				}
			}
			_, err = w.Update(func(tx *world.Tx) error { // what lies beyond may go
				tx.Dimension(tt.dimension).Volume(voxel.Block).Fill(geom.Box{Min: geom.Point{Y: -6000}, Max: geom.Point{X: 128, Y: 6000, Z: 32}}, voxel.Empty)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Blocks where a dimension of a game has no column are counted, if the update asks for old columns.
func TestOldColumns(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version int32
		box     geom.Box
		cell    string
		columns int // that are new
		first   geom.ColumnPos
	}{
		{"in a column", 3953, geom.Box{Max: geom.Point{X: 16, Y: 40, Z: 16}}, "minecraft:stone", 0, geom.ColumnPos{}},
		{"beside", 3953, geom.Box{Min: geom.Point{X: 8}, Max: geom.Point{X: 33, Y: 40, Z: 16}}, "minecraft:stone", 2, geom.ColumnPos{X: 1}},
		{"far away", 3953, geom.Box{Min: geom.Point{X: -3000}, Max: geom.Point{X: -2999, Y: 1, Z: 1}}, "minecraft:stone", 1, geom.ColumnPos{X: -188}},
		{"air", 3953, geom.Box{Min: geom.Point{X: 8}, Max: geom.Point{X: 33, Y: 40, Z: 16}}, "air", 0, geom.ColumnPos{}},
		{"of no game", 0, geom.Box{Min: geom.Point{X: 8}, Max: geom.Point{X: 33, Y: 40, Z: 16}}, "minecraft:stone", 0, geom.ColumnPos{}},
	} {
		w := create(t, newStore(), "a", world.Options{Whole: true})
		update(t, w, func(tx *world.Tx) {
			tx.Dimension(earth).SetColumn(voxel.Column{Version: tt.version, Sections: sections(-4, 20)})
		})
		for _, old := range []bool{true, false} {
			_, err := w.Update(func(tx *world.Tx) error {
				d := tx.Dimension(earth)
				if old {
					d.OldColumns()
				}
				v := d.Volume(voxel.Block)
				v.Fill(tt.box, v.Named(tt.cell))
				return nil
			})
			var missing *world.ColumnsError
			if refused := old && tt.columns > 0; errors.As(err, &missing) != refused || !refused && err != nil || refused && (missing.Columns != tt.columns || missing.First != tt.first) {
				t.Errorf("%s: old columns %v: %v", tt.name, old, err)
			}
		}
		update(t, w, func(tx *world.Tx) {
			tx.Dimension(earth).Add(voxel.BlockEntities, treasure(geom.Point{X: 500, Y: 3, Z: 1}, "gold"))
		})
		if c, _ := w.View().Dimension(earth).Column(geom.ColumnPos{X: 31}); c == nil || c.Version != tt.version {
			t.Errorf("%s: a new column: %+v", tt.name, c)
		}
		closeWorld(t, w)
	}
}
