package anvil

import "github.com/cairnvoxel/cairn/voxel"

// Data versions at which the layout of chunks changed. Source: the table of
// DataVersions of the Minecraft Wiki and of mcaselector.
const (
	versionPalette  = 1451 // 17w47a: palettes, names instead of numbers
	versionStatus   = 1912 // 18w43a: a finished chunk's Status is "full"
	versionEntities = 2681 // 20w45a: entities in region files of their own
	versionStates   = 2834 // 21w37a: block_states and biomes of sections
	versionFlat     = 2844 // 21w43a: no Level compound, names in snake case
	versionSpaced   = 3458 // 1.20-pre5: Status is "minecraft:full"
)

// Bits of voxel.Column.Layout. A column that the game of its Version would have
// laid out in the same way has none. Stones keep them: their values never change.
const (
	// layoutWhole: the part "chunk" is the whole document, and nothing is added.
	layoutWhole = 1 << iota
	// layoutNoPos: xPos and zPos are not both there as ints of the slot; what
	// there is of them is in the part.
	layoutNoPos
	// layoutStraddle: entries of packed longs cross longs where the version's do
	// not, or the other way round.
	layoutStraddle
	// layoutEntities: the part "entities" is the whole document; nothing is added.
	layoutEntities
	// layoutMcRegion: the column was read from a McRegion file.
	layoutMcRegion
	// layoutProperties: every palette entry has a compound Properties.
	layoutProperties = voxel.LayoutProperties
	// layoutSmall: the sections of Level are in a list "sections".
	layoutSmall = 1 << 6
	// layoutShorts: sections have Blocks16 and Data16 beside Blocks and Data.
	layoutShorts = 1 << 7
	// layoutOnlyShorts: they have them in place of Blocks and Data.
	layoutOnlyShorts = 1 << 10

	// layoutForm is the place of two bits: the form of sections, 0 for the
	// version's own.
	layoutForm = 8
)

// hasLevel reports whether the game of a data version reads a chunk from Level. Other games do
// not look at a Level that some program left.
func hasLevel(version int32) bool { return version < versionFlat }

// form is how sections store blocks.
type form uint8

const (
	formNone    form = iota // not known
	formNumeric             // Blocks, Data, Add
	formPalette             // Palette, BlockStates
	formStates              // block_states, biomes
)

// formOf returns the form of sections that the game of a data version writes.
func formOf(version int32) form {
	switch {
	case version < versionPalette:
		return formNumeric
	case version < versionStates:
		return formPalette
	}
	return formStates
}

// levelNames are the names of the tags that a column's fields take the place of.
type levelNames struct {
	sections, blockEntities, entities, blockTicks, fluidTicks string
}

var (
	wrapped = levelNames{"Sections", "TileEntities", "Entities", "TileTicks", "LiquidTicks"}
	flat    = levelNames{"sections", "block_entities", "entities", "block_ticks", "fluid_ticks"}
)
