// Package mcedit reads and writes the schematics of MCEdit and of WorldEdit up to Minecraft
// 1.12, files that end in .schematic. Blocks have numeric ids. FORMAT.md has the layout.
package mcedit

import (
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const formatName = "mcedit"

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".schematic", Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Names of tags.
const (
	tagWidth        = "Width"
	tagHeight       = "Height"
	tagLength       = "Length"
	tagMaterials    = "Materials"
	tagBlocks       = "Blocks"
	tagData         = "Data"
	tagAddBlocks    = "AddBlocks"
	tagAdd          = "Add"
	tagEntities     = "Entities"
	tagTileEntities = "TileEntities"
	alpha           = "Alpha"
)

// arrays are the arrays of a byte, or half of one, for each block.
var arrays = []string{tagBlocks, tagData, tagAddBlocks, tagAdd}

var edges = []string{tagWidth, tagHeight, tagLength}

// Tags of WorldEdit: where the least corner lies from the player, and where it lay.
var (
	weOffset = [3]string{"WEOffsetX", "WEOffsetY", "WEOffsetZ"}
	weOrigin = [3]string{"WEOriginX", "WEOriginY", "WEOriginZ"}
)

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool {
	return slices.ContainsFunc(document.Peek(head), func(f document.Field) bool {
		return f.Type == nbt.ByteArray && slices.Contains(arrays, f.Name) || f.Type == nbt.String && f.Name == tagMaterials
	})
}
