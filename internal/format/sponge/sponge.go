// Package sponge reads and writes Sponge schematics, files that end in .schem: versions 1, 2
// and 3, with the habits of WorldEdit, FastAsyncWorldEdit and Gaia. FORMAT.md has the layout
// of each version.
package sponge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
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

// stateName returns the name of a block from a palette.
func stateName(s string) (string, error) {
	base, list, has := strings.Cut(s, "[")
	list, closed := strings.CutSuffix(list, "]")
	if has && !closed || base == "" {
		base, has = s, false
	}
	if !strings.Contains(base, ":") {
		base = block.Space + base
	}
	payload := nbt.AppendString(nil, "Name", base)
	if has && list != "" {
		payload = nbt.AppendCompound(payload, "Properties")
		for p := range strings.SplitSeq(list, ",") {
			key, value, _ := strings.Cut(p, "=")
			payload = nbt.AppendString(payload, key, value)
		}
		payload = nbt.AppendEnd(payload)
	}
	name, _, err := block.Name(nbt.AppendEnd(payload))
	return name, err
}

// stateString undoes stateName. It fails for names that are no states of named blocks.
func stateString(name string) (string, error) {
	entry, err := block.AppendNamed(nil, name)
	if err != nil {
		return "", err
	}
	fields, err := document.Fields(entry)
	if err != nil {
		return "", err
	}
	base, err := text(document.Find(fields, "Name", nbt.String))
	if err != nil {
		return "", fmt.Errorf("block %q: %w", name, err)
	}
	if !strings.Contains(base, ":") {
		base = block.Space + base
	}
	properties, err := document.Fields(document.Find(fields, "Properties", nbt.Compound))
	if err != nil {
		return "", err
	}
	sep := "["
	for _, p := range properties {
		value, err := text(p.Payload)
		if err != nil || p.Type != nbt.String {
			return "", fmt.Errorf("block %q: its property %s is no text", name, p.Name)
		}
		base += sep + p.Name + "=" + value
		sep = ","
	}
	if sep == "," {
		base += "]"
	}
	return base, nil
}

// text decodes the payload of a string.
func text(payload []byte) (string, error) {
	r := nbt.NewPayload(payload, nbt.Limits{})
	raw := r.String()
	if err := r.Err(); err != nil {
		return "", err
	}
	return nbt.DecodeString(raw)
}

// biomeString undoes block.BiomeName.
func biomeString(name string) (string, error) {
	payload, err := block.AppendBiome(nil, name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", format.ErrHolds, err)
	}
	return text(payload)
}
