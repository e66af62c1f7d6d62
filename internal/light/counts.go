package light

import (
	_ "embed"
	"strings"
	"sync"
)

// what says what a block must be to count in a height map.
type what uint8

const (
	anything what = iota // but air
	opaque               // lets not all light from above through
	motion               // blocks motion
	wet                  // blocks motion, or is or holds a fluid
	leafless             // as wet, but is no leaves
)

// heightMaps are the height maps of Minecraft, by the game's definition.
var heightMaps = map[string]what{
	"WORLD_SURFACE":             anything,
	"WORLD_SURFACE_WG":          anything,
	"HeightMap":                 opaque, // up to 1.12
	"LIGHT_BLOCKING":            opaque, // 1.13
	"OCEAN_FLOOR":               motion,
	"OCEAN_FLOOR_WG":            motion,
	"MOTION_BLOCKING":           wet,
	"MOTION_BLOCKING_NO_LEAVES": leafless,
}

// FromBottom is the data version from which on height maps count from the lowest section of
// the world, and columns have all sections. Before, they count from height 0.
const FromBottom = 2825

// IsHeightMap reports whether a map of that name is a height map. Others, such as biomes, do
// not follow from blocks.
func IsHeightMap(name string) bool {
	_, ok := heightMaps[name]
	return ok
}

//go:embed facts.txt
var factsText string

// facts is facts.txt, by name.
var facts = sync.OnceValue(func() map[string]string {
	out := make(map[string]string)
	group := ""
	for line := range strings.Lines(factsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "=":
			group = words[1]
		default:
			for _, name := range words {
				out[name] = group
			}
		}
	}
	return out
})

// Counts reports whether a block counts in a height map. The name is one of package
// internal/format/block or a plain word. known is false where nobody can say: the map has another
// name, or the block is none of the game's.
func Counts(heightMap, block string) (counts, known bool) {
	must, ok := heightMaps[heightMap]
	name, state, _ := strings.Cut(strings.TrimPrefix(block, "minecraft:"), "[")
	of, listed := facts()[name]
	has := func(letter string) bool { return strings.Contains(of, letter) }
	water := has("f") || listed && strings.Contains(state, "waterlogged=true")
	switch {
	case !ok:
		return false, false
	case must == anything:
		return !has("a") && !strings.HasPrefix(block, "legacy:0/"), true
	case must == opaque && !listed:
		return Guess(block).absorbs() > 0, true
	case must == opaque:
		return has("d") || water, true
	case must == motion:
		return has("m"), listed
	case must == wet:
		return has("m") || water, listed
	default:
		return (has("m") || water) && !has("l"), listed
	}
}
