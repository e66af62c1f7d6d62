package stone_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestCheckMemory reckons what a check needs before anything is decoded: much for a small
// stone whose pages unpack to much, little for a small world.
func TestCheckMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range cells {
		cells[i] = voxel.Cell(r.IntN(16))
	}
	var chunks []stone.Placed
	for i := range int32(64) { // of one page, and all the same
		chunks = append(chunks, stone.Placed{Pos: geom.ChunkPos{X: i & 3, Y: i >> 2 & 3, Z: i >> 4}, Chunk: voxel.FromFlat(&cells)})
	}
	spec := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{
		{Volume: voxel.Volume{Name: "v", Schema: voxel.Level, Scale: 1}, Levels: []stonetest.LevelSpec{{Chunks: byCode(chunks)}}},
	}}}}
	b := mustWrite(t, spec, stone.Options{Effort: stone.Quick})
	for _, tt := range []struct {
		name        string
		stone       []byte
		least, most int64
	}{
		{"64 chunks of noise", b, 4 << 20, 64 << 20},
		{"four chunks", mustWrite(t, hilly("air", "brick", "coal"), stone.Options{}), 1 << 10, 2 << 20},
	} {
		need, err := mustOpen(t, tt.stone).CheckMemory()
		if err != nil || need < tt.least || need > tt.most {
			t.Errorf("%s, %d bytes: needs %d, %v, want %d to %d", tt.name, len(tt.stone), need, err, tt.least, tt.most)
		}
	}
	if _, err := stone.Open(bytes.NewReader(b[:len(b)-1]), int64(len(b)-1)); err == nil {
		t.Error("a stone that is cut opens")
	}
}
