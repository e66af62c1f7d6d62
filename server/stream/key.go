package stream

import "github.com/cairnvoxel/cairn/render/lod"

// Key names a cube: a level, and a position counted in cubes of that level.
type Key = lod.Key

// The sizes and levels of FORMAT.md. PartEdge is how many cells an edge of what an
// edit replaces has.
const (
	CubeEdge  = lod.Edge
	MaxLevel  = lod.MaxLevel
	PartEdge  = 4
	PartCells = PartEdge * PartEdge * PartEdge
)
