// Package maptemplate reads and writes the map templates of Nucleoid's minigames: files of NBT that
// end in .nbt. FORMAT.md has the layout.
package maptemplate

import (
	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const formatName = "maptemplate"

// The forms of a chunk, which count as versions: its palette beside the cells, or with them.
const (
	beside  = 1
	with    = 2
	newForm = 2860 // the data version of 1.18, from which on files have the second
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".nbt", Versions: []int{beside, with}, Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Names of tags.
const (
	tagChunks   = "chunks"
	tagPos      = "pos"
	tagStates   = "block_states"
	tagPalette  = "palette"
	tagData     = "data"
	tagEntities = "entities"
	tagTiles    = "block_entities"
	tagBounds   = "bounds"
	tagMin      = "min"
	tagMax      = "max"
	tagVersion  = "data_version"
	tagRegions  = "regions"
	// tagEmpty is a note of the reader in the clip's tags: the places of chunks that are all air.
	tagEmpty = clip.Note + "empty chunks"
)

const (
	edge         = 16 // of a chunk
	sectionCells = edge * edge * edge
)

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool {
	names := document.Peek(head)
	has := func(name string) bool { return document.Has(names, name, nbt.List) }
	return has(tagChunks) || has(tagRegions) && has(tagTiles)
}
