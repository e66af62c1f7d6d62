package codec_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
)

// The byte RLE of a terrain: half of the chunk is a full material, the rest is air.
func ExampleAppendRLE() {
	cells := new([voxel.ChunkCells]voxel.Cell)
	for i := range cells[:voxel.ChunkCells/2] {
		cells[i] = voxel.TerrainCell(3, 255)
	}
	c := voxel.FromFlat(cells)
	b := codec.AppendRLE(nil, c)
	back, n, err := codec.DecodeRLE(b)
	fmt.Println(len(b), n, err, back.Equal(c))
	// Output: 256 256 <nil> true
}
