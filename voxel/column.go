package voxel

import "github.com/cairnvoxel/cairn/voxel/geom"

// Column holds the data of one 16x16 column that is not cells. The cells of its
// sections are in the dimension's volumes.
type Column struct {
	Pos geom.ColumnPos
	// Version is the data version of the game that wrote the column, or 0 if the
	// column has none.
	Version int32
	// Layout is a note of the source format on the column's layout, where Version
	// leaves a choice. 0 is what the game of that version writes. Its bits belong to
	// the format package that set them, except LayoutProperties.
	Layout uint16
	// Whole lists the arrays that the column stored in one piece and not by section:
	// HasBiome for 1024 biome cells of heights 0..255, KeptBlock and KeptBiome for sections
	// that only Parts hold.
	Whole Has
	// Stale lists the light arrays whose blocks have changed since the light was
	// computed: HasSky, HasLight or both.
	Stale Has
	// Sections lists the 16x16x16 sections that were present, in the source's order,
	// and the arrays of each.
	Sections []Section
	Maps     []Map
	Lists    []List
	Parts    []Part
}

// LayoutProperties is the bit of Column.Layout that all formats of block worlds
// share: each palette entry has a compound of properties, possibly empty. It
// describes the spelling and not the content, so columns that differ in it alone are
// equal.
const LayoutProperties uint16 = 1 << 5

// Section records that a 16x16x16 section was present and what it held. The cells of
// an absent array have the volume's default.
type Section struct {
	Y   int8 // height in sections: cells Y*16 .. Y*16+15
	Has Has
	// Tags is the rest of the section: the payload of an NBT compound, or nil.
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

	// KeptBlock and KeptBiome mark a section whose blocks or biomes are in Section.Tags
	// alone, because the importer does not understand them. They look empty. An edit
	// must not write over them.
	KeptBlock
	KeptBiome
	kept   = KeptBlock | KeptBiome
	HasAll = HasBlock | HasBiome | HasSky | HasLight | kept // every bit that there is
)

// Objects returns the objects of a list, nil if there are none. c may be nil.
func (c *Column) Objects(list string) []Object {
	if c != nil {
		for i := range c.Lists {
			if c.Lists[i].Name == list {
				return c.Lists[i].Objects
			}
		}
	}
	return nil
}

// Kept returns which arrays of the section at height y, in sections, are kept as tags alone:
// a set of KeptBlock and KeptBiome. A duplicate of a section counts too.
func (c *Column) Kept(y int) Has {
	out := c.Whole
	for i := range c.Sections {
		if int(c.Sections[i].Y) == y {
			out |= c.Sections[i].Has
		}
	}
	return out & kept
}

// KeptSections returns how many sections have an array that is kept as tags alone. Those that
// only Parts hold count as one.
func (c *Column) KeptSections() (n int) {
	if c.Whole&kept != 0 {
		n++
	}
	for i := range c.Sections {
		if c.Sections[i].Has&kept != 0 {
			n++
		}
	}
	return n
}

// Map is 256 numbers over a column, index z*16+x: a height map, or the biomes of
// versions with one per block column.
type Map struct {
	Name string // "HeightMap", "Biomes", "WORLD_SURFACE", "MOTION_BLOCKING", ...
	// Form says how the source stored the numbers: MapInts, MapBytes, or the bits of
	// one entry of packed longs. MapStraddle is added if entries cross from one long
	// into the next.
	Form   uint8
	Values [256]int32
}

// Holds reports whether the map's form has room for a number.
func (m *Map) Holds(n int32) bool {
	switch m.Form {
	case MapInts:
		return true
	case MapBytes:
		return n == n&0xFF
	}
	return n>>min(31, m.Form&^MapStraddle) == 0
}

// Forms of a Map.
const (
	MapInts     uint8 = 0    // an array of 256 ints
	MapBytes    uint8 = 0xFF // an array of 256 bytes
	MapStraddle uint8 = 0x80 // added to the bits of an entry, 1..32
)

// List holds the objects of one kind in a column, in the source's order, with
// duplicates.
type List struct {
	Name    string
	Objects []Object
}

// Names of the lists of block worlds.
const (
	BlockEntities = "block_entities"
	// Entities is the list where the game of the column's version keeps entities: in
	// the chunk before data version 2681, in a region file of their own from then
	// on.
	Entities = "entities"
	// ProtoEntities is the chunk's own list from data version 2681 on.
	ProtoEntities = "proto_entities"
	BlockTicks    = "block_ticks"
	FluidTicks    = "fluid_ticks"
)

// Owner returns the volume that the objects of a list belong to, "" for none: an object at a cell
// goes with the block of that cell. Importers give block worlds such lists; the lists of a world
// of no game have other names.
func Owner(list string) (volume string) {
	if list == BlockEntities {
		return Block
	}
	return ""
}

// Object is a thing with a payload: an entity, a block entity, a tick. Its identity
// is (dimension, column, list, ordinal); its position is an index.
type Object struct {
	Place Place
	At    geom.Point // in cells; zero if Place is Nowhere
	// Payload is the object itself. In lists of block worlds it is the payload of an
	// NBT compound: entries and the closing End tag, without a name.
	Payload []byte
}

// Place says what Object.At means.
type Place uint8

// The places. Their numbers are part of the stone format.
const (
	Nowhere Place = 0 // the object has no position
	Indexed Place = 1 // At repeats the position in the payload
	Moved   Place = 2 // At replaces the int tags x, y, z of the payload
)

// Part is another payload of a column: the remaining tags of its chunk, of its
// entities chunk, or of its points of interest.
type Part struct {
	Name string
	// Stamp is the time of the last write in seconds since 1970 as the source
	// recorded it, or 0.
	Stamp uint32
	// Damaged says that Data could not be read and holds the source's bytes
	// unchanged.
	Damaged bool
	// Data is a whole NBT document (type, name, payload) unless Damaged. It is empty
	// if the source had only the stamp.
	Data []byte
}

// Names of the parts of block worlds.
const (
	PartChunk    = "chunk"
	PartEntities = "entities"
	PartPOI      = "poi"
)
