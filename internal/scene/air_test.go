package scene_test

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestAir: chunks of air alone do not count for the bounds, in memory as in a stone.
func TestAir(t *testing.T) {
	lv := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: []string{"minecraft:air", "minecraft:stone"}, Chunks: map[geom.ChunkPos]*voxel.Chunk{
		{X: 1}: voxel.Uniform(1), {X: 9, Y: 3}: voxel.Uniform(voxel.Empty),
	}}
	w := &convert.Loaded{Head: format.Head{Format: port.Anvil}, Dimensions: []*convert.LoadedDimension{{Name: "overworld", Volumes: []*convert.LoadedVolume{lv}}}}
	s := worldtest.Stone(t, w)
	whole, err := stone.Open(bytes.NewReader(s.Data), int64(len(s.Data)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]stone.Content{"memory": w.Content(), "stone": whole} {
		v, err := scene.Of(t.Context(), c, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := v.Bounds(), (geom.ChunkPos{X: 1}).Box(); got != want {
			t.Errorf("in %s: %v, want %v", name, got, want)
		}
	}
}
