package terrain

import "math"

// seaTop is the height above the highest block of the sea.
const seaTop = 63

// climate is what covers the ground of a biome and how much grows there.
type climate struct {
	biome
	top, filler string
	tree        string  // species, "" for none
	trees       float64 // chance of a tree in a cell of 5x5 blocks
	plants      float64 // chance of a plant on a block
	plant       []string
	cold        bool
	herd        bool // animals live here
}

// The climates of Survival, by index.
const (
	ocean = iota
	river
	beach
	plains
	forest
	birches
	swamp
	desert
	savanna
	badlands
	jungle
	taiga
	snowfield
	peaks
	snowpeaks
)

func climates() []climate {
	meadow := []string{"short_grass", "short_grass", "short_grass", "short_grass", "dandelion", "poppy", "oxeye_daisy", "azure_bluet"}
	grass := []string{"short_grass", "short_grass", "short_grass", "fern"}
	return []climate{
		ocean:     {biome: biome{"ocean", 0}, top: "gravel", filler: "gravel"},
		river:     {biome: biome{"river", 7}, top: "sand", filler: "gravel"},
		beach:     {biome: biome{"beach", 16}, top: "sand", filler: "sand", plants: .02, plant: []string{"sugar_cane"}},
		plains:    {biome: biome{"plains", 1}, top: "grass_block", filler: "dirt", tree: "oak", trees: .012, plants: .3, plant: meadow, herd: true},
		forest:    {biome: biome{"forest", 4}, top: "grass_block", filler: "dirt", tree: "oak", trees: .6, plants: .12, plant: grass, herd: true},
		birches:   {biome: biome{"birch_forest", 27}, top: "grass_block", filler: "dirt", tree: "birch", trees: .55, plants: .15, plant: meadow, herd: true},
		swamp:     {biome: biome{"swamp", 6}, top: "grass_block", filler: "dirt", tree: "oak", trees: .16, plants: .2, plant: []string{"short_grass", "brown_mushroom", "fern"}},
		desert:    {biome: biome{"desert", 2}, top: "sand", filler: "sandstone", plants: .008, plant: []string{"dead_bush", "cactus"}},
		savanna:   {biome: biome{"savanna", 35}, top: "grass_block", filler: "dirt", tree: "acacia", trees: .07, plants: .4, plant: []string{"short_grass"}, herd: true},
		badlands:  {biome: biome{"badlands", 37}, top: "red_sand", filler: "terracotta", plants: .01, plant: []string{"dead_bush"}},
		jungle:    {biome: biome{"jungle", 21}, top: "grass_block", filler: "dirt", tree: "jungle", trees: .8, plants: .35, plant: []string{"fern", "short_grass", "melon", "fern"}, herd: true},
		taiga:     {biome: biome{"taiga", 5}, top: "podzol", filler: "dirt", tree: "spruce", trees: .55, plants: .15, plant: []string{"fern", "fern", "brown_mushroom"}, herd: true},
		snowfield: {biome: biome{"snowy_plains", 12}, top: "snowy_grass", filler: "dirt", tree: "spruce", trees: .05, cold: true},
		peaks:     {biome: biome{"windswept_hills", 3}, top: "stone", filler: "stone", tree: "spruce", trees: .02},
		snowpeaks: {biome: biome{"snowy_slopes", 13}, top: "snow_block", filler: "stone", cold: true},
	}
}

// site is one block column of the land.
type site struct {
	height int // above the highest block of the ground
	kind   int // index into climates
}

// land is the shape of Survival, a pure function of the place.
type land struct{ seed seed }

// at returns the site. It adds up continents, hills, mountain chains, terraces that
// turn slopes into cliffs, and rivers that cut through everything, as canyons in dry
// country.
func (l land) at(x, z int) site {
	fx, fz := float64(x), float64(z)
	wx := fx + 14*l.seed.salt(1).noise(fx/47, fz/47)
	wz := fz + 14*l.seed.salt(2).noise(fx/47, fz/47)
	warm := l.seed.salt(3).fbm(wx/190, wz/190, 2) * 1.6
	wet := l.seed.salt(4).fbm(wx/150, wz/150, 2) * 1.6
	h := 73 + 27*l.seed.salt(5).fbm(wx/230, wz/230, 4) + 5*l.seed.salt(6).fbm(fx/38, fz/38, 3)
	chain := step(-.08, .3, l.seed.salt(7).fbm(wx/210, wz/210, 2))
	crest := l.seed.salt(8).ridge(wx/130, wz/130, 4)
	h += chain * crest * crest * 82
	if cliff := step(.02, .2, l.seed.salt(9).noise(wx/120, wz/120)); cliff > 0 && h > seaTop+2 {
		h = lerp(h, terrace(h, 13), cliff)
	}
	dry := step(.2, .34, warm) * (1 - step(-.1, .1, wet))
	h, cut := l.river(wx, wz, h, dry)
	return site{int(math.Floor(h)), l.climate(h, warm, wet, cut, dry, l.seed.salt(10).chance(x, 0, z))}
}

// terrace makes flat steps of height size with steep faces.
func terrace(h, size float64) float64 {
	n := math.Floor(h / size)
	return size * (n + step(.4, .62, h/size-n) + .12*(h/size-n-.5))
}

// river cuts its bed. cut says how deep it is, 0 to 1.
func (l land) river(x, z, h, dry float64) (height, cut float64) {
	d := math.Abs(l.seed.salt(11).fbm(x/250, z/250, 3))
	wide, steep := .02, .085
	if dry > .5 {
		wide, steep = .035, .06
	}
	cut = 1 - step(wide*.4, steep, d)
	bed := 57.0 + 2*l.seed.salt(12).noise(x/20, z/20)
	if h <= bed {
		return h, 0
	}
	return lerp(h, bed, cut), cut
}

func (l land) climate(h, warm, wet, cut, dry, dither float64) int {
	warm += (dither - .5) * .03
	snowline := 128 + 40*warm + 6*dither
	switch {
	case h < seaTop && cut > .5:
		return river
	case h < seaTop-3:
		return ocean
	case h < seaTop+2 && wet < .4 && dry < .5:
		return beach
	case h > snowline:
		return snowpeaks
	case h > 104+4*dither && dry < .5:
		return peaks
	case dry > .5 && warm > .42:
		return badlands
	case dry > .5:
		return desert
	}
	return temperate(h, warm, wet)
}

func temperate(h, warm, wet float64) int {
	switch {
	case warm > .28 && wet > .3:
		return jungle
	case warm > .28:
		return savanna
	case warm < -.3 && wet < .1:
		return snowfield
	case warm < -.22:
		return taiga
	case wet > .38 && h < seaTop+6:
		return swamp
	case wet > .3:
		return birches
	case wet > 0:
		return forest
	}
	return plains
}
