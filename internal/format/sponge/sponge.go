// Package sponge reads and writes Sponge schematics, files that end in .schem: versions 1, 2
// and 3, with the habits of WorldEdit, FastAsyncWorldEdit and Gaia. FORMAT.md has the layout
// of each version.
package sponge

import (
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const formatName = "sponge"

// maxVersion is the newest version that is known.
const maxVersion = 3

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".schem", Versions: []int{1, 2, 3}, Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Names of tags.
const (
	tagVersion       = "Version"
	tagDataVersion   = "DataVersion"
	tagWidth         = "Width"
	tagHeight        = "Height"
	tagLength        = "Length"
	tagOffset        = "Offset"
	tagMetadata      = "Metadata"
	tagPalette       = "Palette"
	tagPaletteMax    = "PaletteMax"
	tagBlockData     = "BlockData"
	tagTileEntities  = "TileEntities"
	tagBlockEntities = "BlockEntities"
	tagEntities      = "Entities"
	tagBiomePalette  = "BiomePalette"
	tagBiomeMax      = "BiomePaletteMax"
	tagBiomeData     = "BiomeData"
	tagBlocks        = "Blocks"
	tagBiomes        = "Biomes"
	tagData          = "Data"
	tagID            = "Id"
	tagPos           = "Pos"
	tagContent       = "ContentVersion"
	tagWorldEdit     = "WorldEdit"
	tagOrigin        = "Origin"
)

var edges = []string{tagWidth, tagHeight, tagLength}

// weOffset are the tags of Metadata by which WorldEdit says in versions 1 and 2 where the least
// corner lies from the player.
var weOffset = [3]string{"WEOffsetX", "WEOffsetY", "WEOffsetZ"}

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool {
	names := document.Peek(head)
	for _, f := range names {
		switch {
		case f.Name == tagBlockData && f.Type == nbt.ByteArray,
			f.Name == tagPalette && f.Type == nbt.Compound,
			f.Name == tagPaletteMax && f.Type == nbt.Int,
			f.Name == tagBlocks && f.Type == nbt.Compound,
			f.Name == tagBlockEntities && f.Type == nbt.List,
			f.Name == tagBiomePalette && f.Type == nbt.Compound:
			return true
		case f.Name == "Materials", f.Name == "Regions", f.Name == "MinecraftDataVersion":
			return false
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(names, func(f document.Field) bool { return f.Name == name })
	}
	return has(tagVersion) && (has(tagWidth) || has(tagHeight) || has(tagLength) || has(tagOffset))
}
