// Package slime reads and writes the .slime format. Hypixel, Slime World Manager and
// AdvancedSlimePaper use it to keep one small Minecraft world in one file. The package reads
// and writes versions 1 to 13. FORMAT.md describes the layout of every
// version.
//
// A file holds one dimension. Parts of the file that are no columns become files below .slime/,
// and are written back from there. Hold alone defines what a version can hold.
//
// The package does not upgrade columns from one data version to another. It computes no light
// and nothing else, and talks to no server.
package slime

import "github.com/cairnvoxel/cairn/internal/format"

const (
	formatName = "slime"
	magic      = 0xB10B
	maxVersion = 13
)

// Paths of the files that stand for the parts of a Slime file that are no
// columns: NBT documents, uncompressed.
const (
	ExtraPath = ".slime/extra.nbt" // properties and plugins' data; versions 2 and up
	MapsPath  = ".slime/maps.nbt"  // map items; versions 7 to 9
	// OrderPath is no document: x and z of each column in the order of the file, an i32 each. It is there if that is not by
	// z, then x; versions 10 and up.
	OrderPath = ".slime/order"
)

// PartExtra names the part with a column's own extra tags, versions 12 and up.
const PartExtra = "slime_extra"

// TagHypixelBlocks3 names the byte array in Section.Tags that holds what
// versions 1 to 3 keep behind the sky light: a cache of Hypixel's servers for
// clients of 1.9 and later, of unknown content.
const TagHypixelBlocks3 = "HypixelBlocks3"

// Detect reports whether head is how a Slime file begins; 2 bytes are enough.
func Detect(head []byte) bool {
	return len(head) >= 2 && int(head[0])<<8|int(head[1]) == magic
}

// Losses counts, by name, what a format cannot hold or a reader does not know.
type Losses map[string]int

func (l Losses) add(name string, n int) {
	if l != nil && n > 0 {
		l[name] += n
	}
}

// World versions are how versions 4 to 9 tell which game wrote them; those
// below worldNames have numeric ids, those from worldContainers on a palette
// of blocks and one of biomes in every section.
const (
	worldNames      = 4 // 1.13
	world1_14       = 5 // and 1.15
	worldContainers = 8 // 1.18
)

// version1_15 is the data version of columns of world version 5 that have
// biomes in three dimensions, which only 1.15 wrote.
const version1_15 = 2230

// dataVersions are the data versions that stand for world versions.
var dataVersions = [...]int32{0, 0, 184, 922, 1631, 1976, 2586, 2730, 2975}

// worldOf returns the world version for columns of a data version. Each world version begins
// with the snapshot that changed the form of the stored data.
func worldOf(data int32) int {
	world := 1
	for _, first := range [...]int32{100, 800, 1451, 1901, 2529, 2681, 2834} {
		if data >= first {
			world++
		}
	}
	return world
}

// Choose returns the version of the format, and the world version, for a world of a data
// version: 3 up to 1.12, 9 from 1.13 to 1.17, 13 from 1.18.
func Choose(data int32) (slime, world int) {
	switch world = worldOf(data); {
	case world < worldNames:
		return 3, world
	case world < worldContainers:
		return 9, world
	}
	return maxVersion, world
}

// layout is what the header of a file says about the form of the rest.
type layout struct {
	version int
	world   int   // world version; 8 from version 10 on
	data    int32 // data version of the columns
	flags   uint8 // version 13
	env     environment
}

// Flags of version 13: what each column has besides.
const (
	flagPOI = 1 << iota
	flagBlockTicks
	flagFluidTicks
	flagsKnown = flagPOI | flagBlockTicks | flagFluidTicks
)

// hasCoords reports whether columns carry their own position and data version,
// as they do from version 10 on.
func (l layout) hasCoords() bool { return l.version >= 10 }

// hasLightFlags reports whether a section may lack a light array.
func (l layout) hasLightFlags() bool { return l.version >= 5 }

// columnVersion returns the data version of a column; solid says that its
// biomes are in three dimensions.
func (l layout) columnVersion(solid bool) int32 {
	if l.world == world1_14 && !l.hasCoords() && solid {
		return version1_15
	}
	return l.data
}

// environment is the kind of a dimension. It decides the height of the lowest section from
// version 10 on.
type environment struct {
	property  string // the world's property "environment"
	dimension string
	folder    string
	biome     string // fills a section without biomes
	min, max  int    // sections of 1.18 and up: min <= Y < max
}

var environments = [...]environment{
	{"normal", "overworld", "", "minecraft:plains", -4, 20},
	{"nether", "the_nether", "DIM-1", "minecraft:nether_wastes", 0, 16},
	{"the_end", "the_end", "DIM1", "minecraft:the_end", 0, 16},
}

// environmentBy returns the first environment for which is returns true, or the overworld.
func environmentBy(is func(environment) bool) environment {
	for _, e := range environments {
		if is(e) {
			return e
		}
	}
	return environments[0]
}

// environmentOf returns the environment of a dimension.
func environmentOf(d *format.Dimension) environment {
	return environmentBy(func(e environment) bool { return e.dimension == d.Name })
}
