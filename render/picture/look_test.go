package picture_test

import (
	"image/color"
	"testing"

	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
)

func TestLook(t *testing.T) {
	table := picture.NewLooks()
	for _, tt := range []struct {
		schema voxel.Schema
		n      int
		name   string
		kind   picture.Opacity
		alpha  uint8
	}{
		{voxel.Palette, 0, "minecraft:stone", picture.Nothing, 255},
		{voxel.Palette, 1, "minecraft:stone", picture.Opaque, 255},
		{voxel.Palette, 2, "minecraft:cave_air", picture.Nothing, 255},
		{voxel.Palette, 3, "minecraft:poppy", picture.Nothing, 255},
		{voxel.Palette, 4, "minecraft:birch_leaves[persistent=true]", picture.CutOut, 255},
		{voxel.Palette, 5, "minecraft:iron_bars", picture.CutOut, 255},
		{voxel.Palette, 6, "minecraft:water[level=0]", picture.Transparent, 160},
		{voxel.Palette, 7, "minecraft:red_stained_glass", picture.Transparent, 160},
		{voxel.Palette, 8, "mod:unheard_of", picture.Opaque, 255},
		{voxel.Terrain, 0, "air", picture.Nothing, 255},
		{voxel.Terrain, 1, "grass", picture.Opaque, 255},
		{voxel.Terrain, 2, "", picture.Opaque, 255},
		{voxel.Level, 0, "", picture.Nothing, 160},
		{voxel.Level, 255, "", picture.Transparent, 160},
	} {
		l := table.Look(tt.schema, tt.n, tt.name)
		if l.Kind != tt.kind || tt.n != 0 && l.Colour.A != tt.alpha {
			t.Errorf("%v %d %q: %+v, want kind %d and alpha %d", tt.schema, tt.n, tt.name, l, tt.kind, tt.alpha)
		}
	}
	if grass, block := table.Look(voxel.Terrain, 1, "grass").Colour, table.Find("grass_block").Colour; grass != block {
		t.Errorf("the material grass is %v, the block %v", grass, block)
	}
}

func TestKindsOfMeshes(t *testing.T) {
	kinds := map[picture.Opacity]mesh.Opacity{picture.Nothing: mesh.Nothing, picture.Opaque: mesh.Opaque, picture.CutOut: mesh.CutOut, picture.Transparent: mesh.Transparent}
	for a, b := range kinds {
		if int(a) != int(b) {
			t.Errorf("the kind %d of a look is %d of a mesh", a, b)
		}
	}
}

// TestColoured: a name that is a colour looks so.
func TestColoured(t *testing.T) {
	table := picture.NewLooks()
	for name, want := range map[string]color.RGBA{"rgb:ff8800": {255, 136, 0, 255}, "rgb:0a0b0c[index=9]": {10, 11, 12, 255}} {
		if got := table.Look(voxel.Palette, 1, name); got.Colour != want || got.Kind != picture.Opaque {
			t.Errorf("%s: %+v, want %v", name, got, want)
		}
	}
	if a, b := table.Look(voxel.Palette, 1, "rgb:ff880"), table.Look(voxel.Palette, 1, "rgb:00ff88"); a == b {
		t.Error("five digits are a colour")
	}
}
