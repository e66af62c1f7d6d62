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
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const formatName = "luanti"

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name: formatName, Versions: []int{25, 26, 27, 28, 29}, Single: true,
		Detect: detect, Open: openOne,
		DetectFS: detectFS,
		OpenFS: func(fsys fs.FS, o format.ReadOptions) (format.Source, error) {
			return openFS(fsys, "", func() error { return nil }, o)
		},
		OpenFolder: openFolder, CreateFolder: createFolder,
	}
}

// PartBlocks names the part of a column that has the map blocks that are no sections.
const PartBlocks = "luanti"

// param2 is a volume, of numbers that a node has beside its lights.
const param2 = "param2"

// volumes are the names of the volumes of a dimension, in the order of their numbers in a node.
var volumes = [4]string{voxel.Block, "day", "night", param2}

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

// inChunk returns the cells of the map block within its chunk.
func (p blockPos) inChunk() geom.Box {
	min := p.min().InChunk()
	return geom.Box{Min: min, Max: min.Add(geom.Point{X: edge, Y: edge, Z: edge})}
}

// min returns the least cell of the map block.
func (p blockPos) min() geom.Point {
	return geom.Point{X: int(p.x) * edge, Y: int(p.y) * edge, Z: int(p.z) * edge}
}

// isSection reports whether a section can be as high.
func (p blockPos) isSection() bool { return p.y == int32(int8(p.y)) }

// newDimension returns the only dimension, without names.
func newDimension() *format.Dimension {
	d := &format.Dimension{Name: "default"}
	for _, name := range volumes {
		d.Volumes = append(d.Volumes, &format.NamedVolume{Volume: voxel.Volume{Name: name, Schema: voxel.Level, Scale: 1}})
	}
	d.Volumes[0].Schema, d.Volumes[0].Names = voxel.Palette, format.NewNames()
	return d
}

func corrupt(offset int, part string, err error) error {
	return &format.CorruptError{Offset: int64(offset), Part: part, Err: err}
}
