package peer

import (
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// The doors for tests.
var (
	Documents      = documents
	DecodeTnze     = decodeTnze
	DecodeSandertv = decodeSandertv
	PeerChunk      = peerChunk
	NewGrid        = newGrid
)

// Section and Finish open grid's methods.
func (g *grid) Section(at geom.ColumnPos, y int8, cell func(i int) voxel.Cell) {
	g.section(at, y, cell)
}
func (g *grid) Finish() map[geom.ChunkPos]*voxel.Chunk { return g.finish() }
