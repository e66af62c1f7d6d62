package world_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestKeptSections refuses to write over sections that a column keeps as tags alone.
func TestKeptSections(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("overworld", voxel.BlockVolumes(), nil)
		tags := []byte{1, 0, 1, 'x', 1, 0}
		d.SetColumn(voxel.Column{Pos: geom.ColumnPos{}, Version: 3953, Sections: []voxel.Section{
			{Y: 0, Has: voxel.HasBlock | voxel.HasBiome}, {Y: 1, Has: voxel.HasBiome | voxel.KeptBlock, Tags: tags},
			{Y: 2, Has: voxel.HasBlock | voxel.KeptBiome, Tags: tags}, {Y: 3, Has: voxel.HasBlock}, {Y: 3, Has: voxel.KeptBlock, Tags: tags}}})
		d.SetColumn(voxel.Column{Pos: geom.ColumnPos{X: 1}, Version: 3953, Whole: voxel.KeptBlock | voxel.KeptBiome})
		d.Volume(voxel.Block).Named("minecraft:stone")
		d.Volume(voxel.Biome).Named("minecraft:desert")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		volume string
		at     geom.Point
		want   string // "": allowed
	}{
		{"blocks", voxel.Block, geom.Point{X: 3, Y: 15, Z: 4}, ""},
		{"kept blocks, lowest", voxel.Block, geom.Point{X: 0, Y: 16, Z: 0}, "column (0,0) of \"overworld\": section 1"},
		{"kept blocks, highest", voxel.Block, geom.Point{X: 15, Y: 31, Z: 15}, "section 1"},
		{"blocks beside kept biomes", voxel.Block, geom.Point{X: 3, Y: 32, Z: 4}, ""},
		{"blocks of a section that is there twice", voxel.Block, geom.Point{X: 3, Y: 50, Z: 4}, "section 3"},
		{"blocks above", voxel.Block, geom.Point{X: 3, Y: 64, Z: 4}, ""},
		{"blocks of a column that is kept whole", voxel.Block, geom.Point{X: 16, Y: -64, Z: 0}, "column (1,0) of \"overworld\": section -4"},
		{"blocks of another column", voxel.Block, geom.Point{X: 3, Y: 20, Z: 16}, ""},
		{"biomes", voxel.Biome, geom.Point{X: 0, Y: 7, Z: 3}, ""},
		{"kept biomes", voxel.Biome, geom.Point{X: 3, Y: 8, Z: 3}, "section 2"},
		{"biomes of a column that is kept whole", voxel.Biome, geom.Point{X: 4, Y: 100, Z: 3}, "column (1,0) of \"overworld\": section 25"},
		{"light of kept blocks", voxel.Sky, geom.Point{X: 0, Y: 16, Z: 0}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.Update(func(tx *world.Tx) error {
				d := tx.Dimension("overworld")
				d.Volume(tt.volume).Set(tt.at, 1)
				return nil
			})
			if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, world.ErrKept) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	_, err = w.Update(func(tx *world.Tx) error { // who replaces the column may write
		d := tx.Dimension("overworld")
		d.SetColumn(voxel.Column{Version: 3953, Sections: []voxel.Section{{Y: 1, Has: voxel.HasBlock}}})
		d.Volume(voxel.Block).Set(geom.Point{Y: 16}, 1)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestKeptHeights: the height maps of a column that keeps blocks as tags are left to the game.
func TestKeptHeights(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, tt := range []struct {
		name string
		kept voxel.Has
		maps int
	}{{"blocks", voxel.KeptBlock, 1}, {"biomes", voxel.KeptBiome, 2}} {
		_, err := w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension(tt.name, voxel.BlockVolumes(), nil)
			d.SetColumn(voxel.Column{Version: 3953, Sections: []voxel.Section{{Y: 0, Has: voxel.HasBlock}, {Y: 4, Has: tt.kept, Tags: []byte{0}}},
				Maps: []voxel.Map{{Name: "WORLD_SURFACE", Form: 9}, {Name: "odd", Form: 9}}})
			d.Volume(voxel.Block).Named("minecraft:stone")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Update(func(tx *world.Tx) error {
			tx.Dimension(tt.name).Volume(voxel.Block).Set(geom.Point{Y: 3}, 1)
			return nil
		})
		c, ok := w.View().Dimension(tt.name).Column(geom.ColumnPos{})
		if err != nil || !ok || len(c.Maps) != tt.maps {
			t.Errorf("%s: %v, %v, maps %v", tt.name, err, ok, c.Maps)
		}
	}
}
