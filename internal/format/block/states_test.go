package block_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/block"
)

// TestState: a name is completed with the defaults of the game of a data version.
func TestState(t *testing.T) {
	game := []string{"air", "minecraft:stone", "mod:crate[a=1]", "mod:lamp", "minecraft:stone[lit=true]"}
	for _, tt := range []struct {
		word, want string // want: the name, or "!" and a part of the error
		versions   []int32
		own        []string
	}{
		{"oak_log", "minecraft:oak_log[axis=y]", []int32{3955}, game},
		{"minecraft:oak_log", "minecraft:oak_log[axis=y]", []int32{3955}, game},
		{"oak_log[axis=x]", "minecraft:oak_log[axis=x]", []int32{3955}, game},
		{"oak_log[]", "minecraft:oak_log[axis=y]", []int32{3955}, game},
		{"chest", "minecraft:chest[facing=north,type=single,waterlogged=false]", []int32{3955}, game},
		{"chest[waterlogged=true,facing=east]", "minecraft:chest[facing=east,type=single,waterlogged=true]", []int32{3955}, game},
		{"stone", "minecraft:stone", []int32{3955}, game},
		{"air", "air", []int32{3955}, game},
		{"fire_coral", "minecraft:fire_coral[waterlogged=true]", []int32{3955}, game},
		{"oak_leaves", "minecraft:oak_leaves[distance=7,persistent=false]", []int32{2975}, game},
		{"oak_leaves", "minecraft:oak_leaves[distance=7,persistent=false,waterlogged=false]", []int32{3105}, game},
		{"oak_leaves", "minecraft:oak_leaves[distance=7,persistent=false,waterlogged=false]", []int32{2975, 3955}, game},
		{"oak_leaves", "minecraft:oak_leaves[distance=7,persistent=false]", []int32{1451}, game},                   // the nearest version
		{"oak_leaves", "minecraft:oak_leaves[distance=7,persistent=false,waterlogged=false]", []int32{9999}, game}, // the nearest version
		{"brick_wall", "minecraft:brick_wall[east=none,north=none,south=none,up=true,waterlogged=false,west=none]", []int32{2566}, game},
		{"brick_wall", "minecraft:brick_wall[east=false,north=false,south=false,up=true,waterlogged=false,west=false]", []int32{1976}, game},
		{"cauldron", "minecraft:cauldron", []int32{3955}, game},
		{"cauldron", "minecraft:cauldron[level=0]", []int32{2230}, game},
		{"mod:crate", "mod:crate", []int32{3955}, game},
		{"mod:crate[b=2,a=1]", "mod:crate[a=1,b=2]", []int32{3955}, game},
		{"block_of_later", "minecraft:block_of_later", []int32{3955}, game},
		{"kind 5", "kind 5", []int32{3955}, []string{"air"}},                  // no name of a game
		{"stone[lit=true]", "minecraft:stone[lit=true]", []int32{9999}, game}, // the world has it
		{"nbt:00", "nbt:00", []int32{3955}, game},
		{"oak_log", "oak_log", nil, game},
		{"", "!want a name", nil, []string{"air"}},
		{"", "!want a name", []int32{3955}, game},
		{"", "", nil, []string{"air", ""}}, // the world has it
		{"oak_log", "oak_log", []int32{3955}, []string{"air", "default:tree"}},
		{"oak_log", "oak_log", []int32{0}, []string{"air"}},
		{"oak_log", "minecraft:oak_log[axis=y]", []int32{3955}, []string{"air"}},
		{"chest[facng=east]", `!it has no property "facng", but facing, type, waterlogged; did you mean "facing"?`, []int32{3955}, game},
		{"chest[facing=eas]", `!its property facing has no value "eas", but north, south, west, east; did you mean "east"?`, []int32{3955}, game},
		{"chest[facing=up]", `!its property facing has no value "up", but north, south, west, east`, []int32{3955}, game},
		{"dirt[snowy=true]", "!it has no properties", []int32{3955}, game},
		{"oak_log[axis=x,axis=y]", "!two values of axis", []int32{3955}, game},
		{"oak_log[axis]", "!not a block state such as minecraft:oak_log[axis=y]", []int32{3955}, game},
		{"stone[", "!not a block state", []int32{3955}, game},
		{"stone]", "stone]", []int32{3955}, game},
		{"oak_log[axis=x", "!not a block state such as minecraft:oak_log[axis=y]", []int32{3955}, game},
		{"stone", "legacy:1/0", []int32{1343}, game},
		{"legacy:3/1", `!the blocks there have names; did you mean "minecraft:coarse_dirt"?`, []int32{3955}, game},
		{"legacy:3/1", "legacy:3/1", []int32{1343}, append(game, "legacy:1/0")},
		{"stone", "minecraft:stone", []int32{3955}, append(game, "legacy:1/0")},
		{"stone", "legacy:1/0", []int32{0}, []string{"air", "legacy:1/0"}},
		{"stone", "!edit them apart", []int32{1343, 3955}, game},
	} {
		got, err := block.State(tt.word, tt.versions, tt.own)
		var state *block.StateError
		if part, fails := strings.CutPrefix(tt.want, "!"); fails {
			if !errors.As(err, &state) || !strings.Contains(err.Error(), part) {
				t.Errorf("%s of %v: %q, %v; want %s", tt.word, tt.versions, got, err, part)
			}
		} else if got != tt.want || err != nil {
			t.Errorf("%s of %v: %q, %v; want %q", tt.word, tt.versions, got, err, tt.want)
		}
		if err == nil {
			if again, err := block.State(got, tt.versions, append(tt.own, got)); again != got || err != nil {
				t.Errorf("%s of %v: %q becomes %q, %v", tt.word, tt.versions, got, again, err)
			}
		}
	}
}

// TestNumber: a block of before 1.13 is said by its number, by its name now and by its name then.
func TestNumber(t *testing.T) {
	for _, tt := range [][2]string{
		{"stone", "1/0"}, {"minecraft:stone", "1/0"}, {"granite", "1/1"}, {"coarse_dirt", "3/1"}, {"red_wool", "35/14"}, {"wool", "35/0"}, {"wool:14", "35/14"},
		{"minecraft:wool", "35/0"}, {"legacy:1/0", "1/0"}, {"legacy:1", "1/0"}, {"1", "1/0"}, {"1:3", "1/3"}, {"1/3", "1/3"}, {"legacy:3000/2", "3000/2"},
		{"water", "9/0"}, {"lava[level=3]", "11/3"}, {"flowing_water", "8/0"}, {"dead_bush", "32/0"}, {"grass_block", "2/0"}, {"grass", "2/0"}, {"short_grass", "31/1"},
		{"oak_log", "17/0"}, {"oak_log[axis=x]", "17/4"}, {"log:2", "17/2"}, {"chest", "54/2"}, {"chest[facing=east]", "54/5"}, {"oak_stairs[half=top]", "53/7"},
		{"oak_stairs[facing=east,half=top,shape=straight,waterlogged=false]", "53/4"}, {"oak_fence[east=true]", "85/0"}, {"oak_leaves", "18/0"},
		{"oak_leaves[persistent=true]", "18/4"}, {"smooth_stone_slab", "44/0"}, {"smooth_stone_slab[type=double]", "43/0"}, {"redstone_lamp", "123/0"},
		{"redstone_lamp[lit=true]", "124/0"}, {"torch", "50/5"}, {"oak_door", "64/3"}, {"brown_mushroom_block", "99/14"}, {"black_concrete_powder", "252/15"},
	} {
		if got, err := block.Number(tt[0]); got != "legacy:"+tt[1] || err != nil {
			t.Errorf("%s: %q, %v; want %s", tt[0], got, err, tt[1])
		}
	}
	for _, air := range []string{"air", "minecraft:air", "0", "0:0", "legacy:0/0"} {
		if got, err := block.Number(air); got != "air" || err != nil {
			t.Errorf("%s: %q, %v", air, got, err)
		}
	}
	for _, tt := range [][2]string{
		{"stoen", `did you mean "stone"?`}, {"deepslate", "the game has none before 1.13"}, {"oak_stairs[waterlogged=true]", "before 1.13 the game has no such state of it"},
		{"oak_log[axes=x]", `did you mean "axis"?`}, {"1:16", "numbers up to 4095:15"}, {"4096", "numbers up to 4095:15"}, {"1:x", "numbers up to"}, {"-1:0", "numbers up to"}, {"", "none"},
	} {
		var state *block.StateError
		if got, err := block.Number(tt[0]); !errors.As(err, &state) || !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%s: %q, %v; want %s", tt[0], got, err, tt[1])
		}
	}
}

// TestFlat: a number is shown by the name that it has now. What Number makes of that is the number,
// or another of the same state.
func TestFlat(t *testing.T) {
	for _, tt := range [][2]string{
		{"legacy:3/1", "minecraft:coarse_dirt (3:1)"}, {"legacy:17/4", "minecraft:oak_log[axis=x] (17:4)"}, {"legacy:1/9", "minecraft:stone (1:9)"},
		{"legacy:3000/1", "legacy:3000/1"}, {"legacy:1", "legacy:1"}, {"minecraft:stone", "minecraft:stone"}, {"air", "air"},
	} {
		if got := block.Shown(tt[0]); got != tt[1] {
			t.Errorf("%s is shown as %q, want %q", tt[0], got, tt[1])
		}
	}
	for id := 1; id < 256; id++ {
		for data := range 16 {
			name := block.LegacyName(id, uint8(data))
			flat := block.Flat(name)
			if flat == name {
				if id != 253 && id != 254 {
					t.Errorf("%s has no name", name)
				}
				continue
			}
			again, err := block.Number(flat)
			if err != nil || block.Flat(again) != flat {
				t.Errorf("%s is %s, which is %s, %s: %v", name, flat, again, block.Flat(again), err)
			}
		}
	}
}

// FuzzState: what a word means stays what it is when it is said again.
func FuzzState(f *testing.F) {
	for _, word := range []string{"oak_log", "chest[facing=east]", "minecraft:stone", "legacy:1/0", "1:0", "wool:14", "[", "]", "mod:a[b=c,a=d]", "minecraft:", "oak_log[axis=x,]", "-1:+2"} {
		f.Add(word, int32(3955))
		f.Add(word, int32(0))
	}
	f.Fuzz(func(t *testing.T, word string, version int32) {
		for _, own := range [][]string{{"air", "minecraft:stone"}, {"air", "legacy:1/0"}, {"air"}} {
			state, err := block.State(word, []int32{version}, own)
			if err != nil {
				continue
			}
			if again, err := block.State(state, []int32{version}, own); again != state || err != nil {
				t.Errorf("%q of %d is %q, and that %q, %v", word, version, state, again, err)
			}
			block.Shown(state)
		}
	})
}
