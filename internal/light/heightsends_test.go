package light_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestHeightsEnd ends the search for heights at every point where it looks whether to, and by its
// work; the next one is right all the same.
func TestHeightsEnd(t *testing.T) {
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range flat {
		flat[i] = voxel.Cell(2 + (i+i>>5+i>>10)&1)
	}
	noise := voxel.FromFlat(&flat)
	flat[5] = 1
	tower := light.Tower{{Y: 3, Chunk: noise}, {Y: 2, Chunk: noise}, {Y: 0, Chunk: voxel.FromFlat(&flat)}}
	h := light.NewHeightMapper([]light.Rule{{Map: "top", Cells: []voxel.Cell{1}}})
	maps := make([][256]int32, 1)
	column := func() bool {
		clear(maps)
		return h.Column(geom.ColumnPos{}, tower, maps) && maps[0][5] == 1
	}
	if !column() {
		t.Fatal("no height")
	}
	if work := h.Work(); work != 3*voxel.ChunkCells {
		t.Errorf("%d steps of work, want each of %d cells", work, 3*voxel.ChunkCells)
	}
	ends := 0
	for ; ; ends++ {
		h = light.NewHeightMapper([]light.Rule{{Map: "top", Cells: []voxel.Cell{1}}})
		h.Until(&asked{context.Background(), ends}, 0)
		if column() {
			break
		}
		if h.Until(context.Background(), 0); !column() {
			t.Fatalf("another search after one that ended at %d", ends)
		}
	}
	if ends < len(tower) {
		t.Errorf("asked %d times whether it ended, want %d", ends, len(tower))
	}
	h = light.NewHeightMapper([]light.Rule{{Map: "top", Cells: []voxel.Cell{1}}})
	if h.Until(context.Background(), voxel.ChunkCells); column() || h.Work() > 2*voxel.ChunkCells {
		t.Errorf("%d steps of work, %d are allowed", h.Work(), voxel.ChunkCells)
	}
}
