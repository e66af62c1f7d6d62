package light_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
)

func TestGuess(t *testing.T) {
	const below, above = 1 << (8 + light.Below), 1 << (8 + light.Above)
	for name, want := range map[string]light.Matter{
		"air": 0, "minecraft:cave_air": 0, "minecraft:glass": 0, "minecraft:red_stained_glass_pane[east=true]": 0,
		"stone": light.Opaque, "minecraft:bedrock": light.Opaque, "minecraft:grass_block[snowy=false]": light.Opaque,
		"minecraft:grass": 0, "minecraft:tinted_glass": light.Opaque, "minecraft:packed_ice": light.Opaque, "minecraft:ice": 1,
		"minecraft:crimson_stem[axis=y]": light.Opaque, "minecraft:melon_stem[age=1]": 0,
		"minecraft:oak_leaves[distance=1]": 1, "minecraft:water[level=0]": 1,
		"minecraft:torch": 14 << 4, "minecraft:soul_wall_torch[facing=east]": 10 << 4, "minecraft:glowstone": light.Opaque | 15<<4,
		"minecraft:furnace[facing=east,lit=false]": light.Opaque, "minecraft:furnace[facing=east,lit=true]": light.Opaque | 13<<4,
		"minecraft:redstone_lamp[lit=true]": light.Opaque | 15<<4, "minecraft:redstone_lamp[lit=false]": light.Opaque,
		"minecraft:light[level=7,waterlogged=false]": 7 << 4, "minecraft:light[level=99]": 15 << 4, "minecraft:light": 15 << 4,
		"minecraft:oak_slab[type=bottom]": below, "minecraft:oak_slab[type=top]": above, "minecraft:oak_slab[type=double]": light.Opaque,
		"minecraft:oak_stairs[facing=east,half=bottom]": below, "minecraft:oak_trapdoor[half=bottom]": 0,
		"legacy:50/5": 14 << 4, "legacy:1/0": light.Opaque, "legacy:9/0": 1, "legacy:89/0": light.Opaque | 15<<4, "legacy:20/0": 0,
		"legacy:": light.Opaque, "": light.Opaque, "nbt:0a00": light.Opaque, "[": light.Opaque,
	} {
		if got := light.Guess(name); got != want {
			t.Errorf("%s: got %#x, want %#x", name, got, want)
		}
		if m := (light.Matters{light.Guess(name)}); !m.Valid() {
			t.Errorf("%s: no valid matter", name)
		}
	}
}

// What was learned counts, unless it is that nothing is known.
func TestMattersWith(t *testing.T) {
	got := light.Matters{0, 3, light.Opaque, light.Opaque}.With([]string{"air", "minecraft:torch", "minecraft:torch", "rock", "torch"})
	for i, want := range []light.Matter{0, 3, 14 << 4, light.Opaque, 14 << 4} {
		if got[i] != want {
			t.Errorf("cell %d: got %#x, want %#x", i, got[i], want)
		}
	}
	if len(got) != 5 || !got.Valid() {
		t.Errorf("got %v", got)
	}
}
