// Package hytale reads and writes the worlds of Hytale: save folders, folders of one world, instances and single region files.
// FORMAT.md describes the bytes.
//
// A world of a save is a dimension. A chunk of the game, 32 blocks an edge and of all heights, is four columns. Its blocks are
// cells of the volume "block", whose names have filler and rotation of a block as properties, "Wood_Stairs[rotation=3]";
// fluids, their levels and the distances of support are volumes of their own. Components of blocks are the list
// "block_entities", entities the list "entities". What else a chunk has, and how the game ordered it, is the part "hytale" of
// the first of the four columns, an NBT document. So an export gives back every byte of every chunk.
//
// The package computes no light, and does not know what components mean.
package hytale

import (
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

const formatName = "hytale"

// PartChunk names the part of a column that has the rest of a chunk.
const PartChunk = "hytale"

// The volumes of a dimension besides voxel.Block. Those of fillers and rotations are empty where names of blocks have them.
const (
	fluidVolume    = "fluid"
	levelVolume    = "fluid_level"
	supportVolume  = "support"
	tintVolume     = "tint" // in its lowest layer; names are colours ARGB, "#ff5a992b"
	fillerVolume   = "filler"
	rotationVolume = "rotation"
)

// Names of the maps of columns.
const (
	mapHeight = "height" // only where they do not follow from the blocks
	mapTint   = "tint"   // only where there are too many colours for names
)

// chunkColumns is the number of columns along an edge of a chunk.
const chunkColumns = 2

// newDimension returns a dimension without names.
func newDimension(name, folder string) *format.Dimension {
	d := &format.Dimension{Name: name, Folder: folder}
	volumes := []voxel.Volume{
		{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, {Name: fluidVolume, Schema: voxel.Palette, Scale: 1},
		{Name: levelVolume, Schema: voxel.Level, Scale: 1}, {Name: supportVolume, Schema: voxel.Level, Scale: 1},
		{Name: tintVolume, Schema: voxel.Palette, Scale: 1},
		{Name: fillerVolume, Schema: voxel.Palette, Scale: 1}, {Name: rotationVolume, Schema: voxel.Palette, Scale: 1},
	}
	for _, names := range lightVolumes {
		for _, name := range names {
			volumes = append(volumes, voxel.Volume{Name: name, Schema: voxel.Level, Scale: 1})
		}
	}
	for _, v := range volumes {
		n := &format.NamedVolume{Volume: v}
		if v.Schema == voxel.Palette {
			n.Names = format.NewNames()
		}
		d.Volumes = append(d.Volumes, n)
	}
	return d
}
