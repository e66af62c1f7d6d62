package voxel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

func TestHighest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for limit := 1; limit <= int(voxel.MaxCell); limit *= 7 {
		var cells [voxel.ChunkCells]voxel.Cell
		for range r.IntN(300) {
			cells[r.IntN(len(cells))] = voxel.Cell(r.IntN(limit))
		}
		if got, want := voxel.FromFlat(&cells).Highest(), slices.Max(cells[:]); got != want {
			t.Errorf("below %d: got %d, want %d", limit, got, want)
		}
	}
}
