package picture

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// biomes has a line for each colour of biomes: the colour, and words that the names of its
// biomes contain. The first line that fits counts.
const biomes = `
203554 deep_frozen_ocean
7ab2c4 frozen_ocean legacy_frozen_ocean
5ec8d8 warm_ocean
2b4f9e deep_
3763b8 ocean
a8d4ea frozen_river
4a86d0 river
f0e3a2 beach
d8e6ea snowy_beach
b9a98c stony_shore stone_beach
4f6b3f swamp
3d6049 mangrove
e9f4f6 snowy ice_spikes frozen_peaks ice_
c8dfe6 grove snowy_slopes jagged_peaks
f3c1da cherry_grove
35705c old_growth_spruce giant_spruce redwood
3f7d5f taiga
d9a860 badlands mesa
ecd789 desert
2f7d2a jungle
6a9c2f bamboo
b8b452 savanna
385f2c dark_forest roofed
8fae8b pale_garden
8fbf70 birch
4f8f3a forest
9bd36a meadow
8a8f88 stony_peaks windswept mountains extreme_hills hills
a06bb0 mushroom
6e8f56 lush_caves
9a7d5e dripstone
12303a deep_dark
8dbb5a plains
6b3030 nether_wastes hell
5c1f26 crimson
1f6f6a warped
54483f soul_sand
4d4b56 basalt
d9d8a0 end_highlands end_midlands end_barrens small_end the_end sky
16131c void
`

// numbered biomes of versions before 1.13, by number.
var biomeNumbers = strings.Fields(`ocean plains desert windswept_hills forest taiga swamp river nether_wastes the_end frozen_ocean frozen_river
	snowy_plains snowy_mountains mushroom_fields mushroom_shore beach desert_hills wooded_hills taiga_hills mountain_edge jungle jungle_hills sparse_jungle
	deep_ocean stony_shore snowy_beach birch_forest birch_hills dark_forest snowy_taiga snowy_taiga_hills giant_taiga giant_taiga_hills
	wooded_mountains savanna savanna_plateau badlands wooded_badlands badlands_plateau`)

// biomeColour returns the colour of a biome by its name. One that no line fits gets a colour
// that depends on its name.
func biomeColour(name string) [3]float32 {
	short := name[strings.LastIndexByte(name, ':')+1:]
	if n, err := strconv.Atoi(short); err == nil && n >= 0 && n&127 < len(biomeNumbers) {
		short = biomeNumbers[n&127]
	}
	for f := range lines(biomes) {
		for _, word := range f[1:] {
			if strings.Contains(short, word) {
				c := hex(f[0])
				return [3]float32{float32(c.R), float32(c.G), float32(c.B)}
			}
		}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	v := h.Sum32()
	return [3]float32{float32(70 + v&127), float32(70 + v>>8&127), float32(70 + v>>16&127)}
}
