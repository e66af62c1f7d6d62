// Package structure reads and writes the structure files of the game: NBT that structure
// blocks save and data packs hold. A position that a file leaves out has the block clip.Void in
// the clip. FORMAT.md has the layout.
package structure

import (
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const formatName = "structure"

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return clip.Leaf{Name: formatName, Ext: ".nbt", Detect: Detect, Read: Read, Write: Write}.Kind()
}

// Names of tags.
const (
	tagVersion  = "DataVersion"
	tagSize     = "size"
	tagPalette  = "palette"
	tagPalettes = "palettes"
	tagBlocks   = "blocks"
	tagEntities = "entities"
	tagPos      = "pos"
	tagState    = "state"
	tagNBT      = "nbt"
	tagBlockPos = "blockPos"
	// tagFull is a note of the reader in the clip's tags: the states of the file's first run,
	// which are those that fill a block. It is never in a file.
	tagFull = clip.Note + "full blocks"
	// tagShown and tagOthers are notes on a file with several palettes: the number of the one that is
	// shown, and x, y, z and state of each block whose state is not the first of its name in that one.
	tagShown  = clip.Note + "shown palette"
	tagOthers = clip.Note + "other states"
)

// palettesOf returns the states of a list of palettes, which have as many each.
func palettesOf(raw []byte) (all [][][]byte, err error) {
	r := nbt.NewPayload(raw, nbt.Limits{Bytes: len(raw) + 1})
	elem, n := r.List()
	for i := 0; i < n && r.Err() == nil; i++ {
		if elem != nbt.List {
			return nil, fmt.Errorf("a list of type %v", elem)
		}
		var states [][]byte
		inner, k := r.List()
		for ; k > 0 && r.Err() == nil; k-- {
			if inner != nbt.Compound {
				return nil, fmt.Errorf("a palette of type %v", inner)
			}
			states = append(states, r.Raw(inner))
		}
		if all = append(all, states); len(states) != len(all[0]) {
			return nil, fmt.Errorf("palette %d has %d states, and palette 0 has %d", i, len(states), len(all[0]))
		}
	}
	return all, r.Err()
}

func shownTag(n int) document.Field {
	return document.Field{Type: nbt.Int, Name: tagShown, Payload: binary.BigEndian.AppendUint32(nil, uint32(n))}
}

// Detect reports whether a file of the format starts with head.
func Detect(head []byte) bool {
	names := document.Peek(head)
	has := func(name string) bool { return document.Has(names, name, nbt.List) }
	// Of a large file only the first tag may be in head.
	return has(tagSize) && (has(tagBlocks) || has(tagPalette) || has(tagPalettes) || has(tagEntities)) ||
		(has(tagBlocks) || has(tagPalette)) && (has(tagPalettes) || len(names) <= 3) || has(tagBlocks) && has(tagPalette)
}
