package voxel

import "github.com/cairnvoxel/cairn/geom"

// Column is what belongs to one 16x16 column of cells and is no cell. Cells of
// its sections lie in the dimension's volumes.
type Column struct {
	Pos geom.ColumnPos
	// Version is the data version of the game that wrote the column; 0 where
	// the column has none.
	Version int32
	// Layout is the source format's own note on how it laid the column out,
	// where Version leaves a choice. 0 is what the game of that version writes.
	// Its bits belong to the format leaf that set them, but for LayoutProperties.
	Layout uint16
	// Whole lists the arrays that the column had in one piece rather than by
	// section: HasBiome where it had 1024 biome cells for heights 0..255.
	Whole Has
	// Stale lists the arrays of light that blocks have changed under since they
	// were computed: HasSky, HasLight or both.
	Stale Has
	// Sections lists, in the source's order, the 16x16x16 sections that were
	// present and which arrays each had.
	Sections []Section
	Maps     []Map
	Lists    []List
	Parts    []Part
}

// LayoutProperties is the bit of Column.Layout that every format of block worlds
// uses: each palette entry has a compound of properties, though it may be empty. It
// says how the column was spelled and nothing of what it holds, so columns that
// differ in it alone are equal.
const LayoutProperties uint16 = 1 << 5

// Section says that a 16x16x16 section was there and what it held. Cells of an
// array that was absent have the volume's default.
type Section struct {
	Y   int8 // height of the section in sections: cells Y*16 .. Y*16+15
	Has Has
	// Tags is what else the section held: the payload of an NBT compound, nil
	// if nothing.
	Tags []byte
}

// Has is a set of arrays that a section held.
type Has uint8

// The arrays of a section. The bits are part of the stone format.
const (
	HasBlock Has = 1 << iota
	HasBiome
	HasSky
	HasLight
)

// Map is 256 numbers over a column, index z*16+x: a height map, or biomes of
// the versions that had one per block column.
type Map struct {
	Name string // "HeightMap", "Biomes", "WORLD_SURFACE", "MOTION_BLOCKING", ...
	// Form says how the source stored the numbers: MapInts, MapBytes, or the
	// bits of one entry of packed longs, plus MapStraddle where entries cross
	// from one long into the next.
	Form   uint8
	Values [256]int32
}

// Forms of a Map.
const (
	MapInts     uint8 = 0    // an array of 256 ints
	MapBytes    uint8 = 0xFF // an array of 256 bytes
	MapStraddle uint8 = 0x80 // added to the bits of an entry, 1..32
)

// List is the objects of one kind that live in a column, in the source's order,
// duplicates kept.
type List struct {
	Name    string
	Objects []Object
}

// Names of the lists of block worlds.
const (
	BlockEntities = "block_entities"
	// Entities is where the game of the column's version keeps entities: in the
	// chunk before data version 2681, in a region of their own from there on.
	Entities = "entities"
	// ProtoEntities is the chunk's own list from data version 2681 on.
	ProtoEntities = "proto_entities"
	BlockTicks    = "block_ticks"
	FluidTicks    = "fluid_ticks"
)

// Object is a thing with a payload: an entity, a block entity, a tick. Its
// home is (dimension, column, list, ordinal); its position is an index.
type Object struct {
	Place Place
	At    geom.Point // in cells; zero if Place is Nowhere
	// Payload is the thing itself. In lists of block worlds it is the payload
	// of an NBT compound (entries and the closing End tag, no name).
	Payload []byte
}

// Place says what Object.At means.
type Place uint8

// The places. Their numbers are part of the stone format.
const (
	Nowhere Place = 0 // the object has no position
	Indexed Place = 1 // At is derived from the payload, which has the position too
	Moved   Place = 2 // At stands for the payload's int tags x, y, z, taken out of it
)

// Part is a payload of a column that is no list: what is left of the column's
// own chunk of tags, of its entities chunk, of its points of interest.
type Part struct {
	Name string
	// Stamp is the time of the last write in seconds since 1970, as the source
	// recorded it; 0 if it did not.
	Stamp uint32
	// Damaged says that Data is the source's bytes as they were, which could
	// not be read.
	Damaged bool
	// Data is a whole NBT document (type, name, payload) unless Damaged; empty
	// if the source had nothing but the stamp.
	Data []byte
}

// Names of the parts of block worlds.
const (
	PartChunk    = "chunk"
	PartEntities = "entities"
	PartPOI      = "poi"
)
