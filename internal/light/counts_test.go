package light_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
)

// TestCounts asks for one block of each kind in each height map: as the game defines them.
func TestCounts(t *testing.T) {
	heightMaps := []string{"WORLD_SURFACE", "WORLD_SURFACE_WG", "MOTION_BLOCKING", "MOTION_BLOCKING_NO_LEAVES", "OCEAN_FLOOR", "OCEAN_FLOOR_WG", "LIGHT_BLOCKING", "HeightMap"}
	for _, tt := range []struct{ block, counts string }{ // a letter for each map: yes, no, unknown
		{"minecraft:air", "nnnnnnnn"},
		{"air", "nnnnnnnn"},
		{"minecraft:cave_air", "nnnnnnnn"},
		{"minecraft:void_air", "nnnnnnnn"},
		{"minecraft:stone", "yyyyyyyy"},
		{"minecraft:gold_block", "yyyyyyyy"},
		{"minecraft:glass", "yyyyyynn"},
		{"minecraft:oak_leaves[distance=7,persistent=true,waterlogged=false]", "yyynyyyy"},
		{"minecraft:oak_leaves[distance=7,persistent=true,waterlogged=true]", "yyynyyyy"},
		{"minecraft:water[level=0]", "yyyynnyy"},
		{"minecraft:lava[level=3]", "yyyynnyy"},
		{"minecraft:kelp_plant", "yyyynnyy"},
		{"minecraft:bubble_column[drag=true]", "yyyynnyy"},
		{"minecraft:oak_stairs[facing=east,half=bottom,shape=straight,waterlogged=true]", "yyyyyyyy"},
		{"minecraft:torch", "yynnnnnn"},
		{"minecraft:snow[layers=8]", "yynnnnnn"},
		{"minecraft:white_carpet", "yynnnnnn"},
		{"minecraft:cobweb", "yynnnnyy"},
		{"minecraft:ladder[facing=east,waterlogged=false]", "yynnnnnn"},
		{"minecraft:ladder[facing=east,waterlogged=true]", "yyyynnyy"},
		{"minecraft:oak_sign[rotation=3,waterlogged=false]", "yyyyyynn"},
		{"minecraft:stone_pressure_plate[powered=false]", "yyyyyynn"},
		{"minecraft:oak_fence_gate[facing=east,in_wall=false,open=true,powered=false]", "yyyyyynn"},
		{"minecraft:oak_trapdoor[facing=east,half=top,open=true]", "yyyyyynn"},
		{"minecraft:rail[shape=north_south]", "yynnnnnn"},
		{"minecraft:repeater[delay=1]", "yynnnnnn"},
		{"minecraft:bamboo_sapling", "yynnnnnn"},
		{"minecraft:bamboo[age=0]", "yyyyyynn"},
		{"minecraft:fire_coral[waterlogged=false]", "yynnnnnn"},
		{"minecraft:dead_fire_coral[waterlogged=false]", "yyyyyynn"},
		{"minecraft:copper_lantern[hanging=false,waterlogged=false]", "yyyyyynn"},
		{"minecraft:sign[rotation=0]", "yyyyyynn"}, // of 1.13 alone
		{"mod:crate[waterlogged=true]", "yyuuuuyy"},
		{"minecraft:block_of_a_later_game", "yyuuuuyy"},
		{"legacy:1/0", "yyuuuuyy"},
		{"legacy:0/5", "nnuuuunn"},
		{"legacy:18/3", "yyuuuuyy"},
		{"legacy:9/0", "yyuuuuyy"},
		{"legacy:20/0", "yyuuuunn"},
		{"legacy:33/1", "yyuuuunn"}, // a piston
		{"legacy:44/0", "yyuuuuyy"},
		{"legacy:53/0", "yyuuuuyy"},
		{"legacy:50/5", "yyuuuunn"},
		{"legacy:600/0", "yyuuuuyy"}, // a mod's
	} {
		got := ""
		for _, m := range heightMaps {
			counts, known := light.Counts(m, tt.block)
			switch {
			case counts && known:
				got += "y"
			case known:
				got += "n"
			case counts:
				t.Errorf("%s in %s counts, and nobody knows", tt.block, m)
			default:
				got += "u"
			}
		}
		if got != tt.counts {
			t.Errorf("%s: %s, want %s, in %v", tt.block, got, tt.counts, heightMaps)
		}
	}
	for _, name := range []string{"Biomes", "mod:damp", "", "heightmap"} {
		if counts, known := light.Counts(name, "minecraft:stone"); counts || known || light.IsHeightMap(name) {
			t.Errorf("%q is a height map", name)
		}
	}
}
