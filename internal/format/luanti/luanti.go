// Package luanti reads and writes the worlds of Luanti, once Minetest: a folder with a map.sqlite, or that file alone. FORMAT.md
// describes the bytes.
//
// A map block of the game, 16 nodes an edge, is a section of a column, and names of nodes are names of cells of the volume
// "block". The two numbers of a node are volumes: "day" and "night", the two lights of param1, and "param2". Metadata and timers of
// nodes are the list "block_entities", static objects are "entities". What else a map block has is in the tags of its section, or
// in the part "luanti" of the column where a section cannot be as high. x, y and z stay as they are, though z of the game points
// north: pictures are mirrored.
//
// The package computes no light, and does not know what nodes mean.
package luanti

import (
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const formatName = "luanti"

// PartBlocks names the part of a column that has the map blocks that are no sections.
const PartBlocks = "luanti"

// dimensionName is the name of the only dimension.
const dimensionName = "default"

// The volumes of a dimension besides voxel.Block.
const (
	dayVolume   = "day"
	nightVolume = "night"
	param2      = "param2"
)

// extraVolumes lists them.
var extraVolumes = [3]string{dayVolume, nightVolume, param2}

// The versions of map blocks that are read and written.
const (
	minVersion = 25
	maxVersion = 29
)

// blockPos is the place of a map block, counted in map blocks.
type blockPos struct{ x, y, z int32 }

// maxBlock bounds it: -maxBlock <= c < maxBlock.
const maxBlock = 2048

func (p blockPos) valid() bool {
	in := func(c int32) bool { return c >= -maxBlock && c < maxBlock }
	return in(p.x) && in(p.y) && in(p.z)
}

func (p blockPos) column() geom.ColumnPos { return geom.ColumnPos{X: p.x, Z: p.z} }

func (p blockPos) chunk() geom.ChunkPos { return geom.ChunkPos{X: p.x >> 1, Y: p.y >> 1, Z: p.z >> 1} }

// box returns the cells of the map block within its chunk.
func (p blockPos) box() geom.Box {
	min := geom.Point{X: int(p.x&1) * edge, Y: int(p.y&1) * edge, Z: int(p.z&1) * edge}
	return geom.Box{Min: min, Max: min.Add(geom.Point{X: edge, Y: edge, Z: edge})}
}

// min returns the least cell of the map block.
func (p blockPos) min() geom.Point {
	return geom.Point{X: int(p.x) * edge, Y: int(p.y) * edge, Z: int(p.z) * edge}
}

// isSection reports whether a section can be as high.
func (p blockPos) isSection() bool { return p.y == int32(int8(p.y)) }

// newDimension returns the dimension without names.
func newDimension() *format.Dimension {
	d := &format.Dimension{Name: dimensionName, Volumes: []*format.NamedVolume{
		{Volume: voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, Names: format.NewNames()},
	}}
	for _, name := range extraVolumes {
		d.Volumes = append(d.Volumes, &format.NamedVolume{Volume: voxel.Volume{Name: name, Schema: voxel.Level, Scale: 1}})
	}
	return d
}

func corrupt(offset int, part string, err error) error {
	return &format.CorruptError{Offset: int64(offset), Part: part, Err: err}
}
