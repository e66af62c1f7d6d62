package stone_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// mirrored is a volume of two chunks. One is the mirror image of the other.
func mirrored(names ...string) stonetest.Spec {
	r := rand.New(rand.NewPCG(1, 7))
	var left, right [voxel.ChunkCells]voxel.Cell
	for range 80 {
		x, z, height := r.IntN(31), r.IntN(31), 3+r.IntN(25)
		for i := range 4 {
			for y := range height {
				left[y*voxel.SliceCells+(z+i>>1)*32+x+i&1] = voxel.Cell(1 + r.IntN(len(names)-1))
			}
		}
	}
	for i, c := range left {
		right[i&^31|31-i&31] = c
	}
	v := stonetest.VolumeSpec{Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: names, Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{
		{Pos: at(0, 0, 0), Chunk: voxel.FromFlat(&left)}, {Pos: at(2, 0, 0), Chunk: voxel.FromFlat(&right)},
	}}}}
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
}

func imagePages(t *testing.T, r *stone.Reader) (n int) {
	t.Helper()
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if codec.Form(p.Form) == codec.Images {
			n++
		}
	}
	return n
}

// TestImages has the best effort find a mirror, and merges keep it where names
// are renumbered.
func TestImages(t *testing.T) {
	var o stone.Options
	below := mirrored("air", "brick", "plank", "stone")
	r := mustOpen(t, mustWrite(t, below, o))
	if imagePages(t, r) != 1 {
		t.Error("no page of images")
	}
	mustEqual(t, mustReadSpec(t, r), below)
	if good := mustWrite(t, below, stone.Options{Effort: stone.Good}); int64(len(good)) <= r.Size() {
		t.Errorf("%d bytes, %d without images", r.Size(), len(good))
	}
	above := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{{
		Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: []string{"air", "anvil"},
		Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: at(40, 0, 0), Chunk: voxel.Uniform(1)}}}},
	}}}}}
	merged := mustOpen(t, mustMerge(t, []stonetest.Spec{below, above}, o))
	if imagePages(t, merged) != 1 {
		t.Error("merged: no page of images")
	}
	table := []voxel.Cell{0, 2, 3, 4}
	for _, c := range below.Dimensions[0].Volumes[0].Levels[0].Chunks {
		got, _, err := merged.ReadChunk(t.Context(), "d", voxel.Block, 0, geom.ChunkPos(c.Pos))
		if err != nil || !got.Equal(c.Chunk.Translate(table)) {
			t.Errorf("merged: chunk %v: %v", c.Pos, err)
		}
	}
}
