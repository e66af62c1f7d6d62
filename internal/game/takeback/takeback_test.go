package takeback_test

import (
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/game/takeback"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func TestObjects(t *testing.T) {
	at := func(x int, payload string) voxel.Object {
		return voxel.Object{Place: voxel.Indexed, At: geom.Point{X: x}, Payload: []byte(payload)}
	}
	type list = []voxel.Object
	kept := geom.Point{X: 9}
	for _, tt := range []struct {
		name                 string
		list                 string
		old, new, now, want  list
		someBack, someOthers bool
	}{
		{"as it was left", voxel.BlockEntities, list{at(1, "a"), at(2, "b")}, list{at(2, "b")}, list{at(2, "b")}, list{at(1, "a"), at(2, "b")}, true, false},
		{"another changed", voxel.BlockEntities, list{at(1, "a"), at(2, "b")}, list{at(2, "b")}, list{at(2, "c")}, list{at(2, "c"), at(1, "a")}, true, false},
		{"the same changed", voxel.BlockEntities, list{at(1, "a")}, list{at(1, "b")}, list{at(1, "c")}, list{at(1, "c")}, false, true},
		{"one of two", voxel.BlockEntities, list{at(1, "a"), at(2, "a")}, list{at(1, "b"), at(2, "b")}, list{at(1, "b"), at(2, "c")}, list{at(2, "c"), at(1, "a")}, true, true},
		{"it is gone", voxel.BlockEntities, list{at(1, "a")}, list{at(1, "b")}, nil, nil, false, true},
		{"another block", voxel.BlockEntities, list{at(9, "a")}, nil, nil, nil, false, true},
		{"twice the same", voxel.BlockEntities, list{at(1, "a"), at(1, "a")}, list{at(1, "a")}, list{at(1, "a"), at(2, "x")}, list{at(1, "a"), at(2, "x"), at(1, "a")}, true, false},
		{"entities", voxel.Entities, list{at(1, "a")}, nil, list{at(2, "x")}, list{at(2, "x")}, false, true},
		{"entities as they were left", voxel.Entities, list{at(1, "a")}, list{at(2, "x")}, list{at(2, "x")}, list{at(1, "a")}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, some, rest := takeback.Objects(tt.list, tt.old, tt.new, tt.now, func(p geom.Point) bool { return p == kept })
			if some != tt.someBack || rest != tt.someOthers {
				t.Errorf("some %v, others %v: want %v, %v", some, rest, tt.someBack, tt.someOthers)
			}
			same := func(a, b voxel.Object) bool { return a.At == b.At && string(a.Payload) == string(b.Payload) }
			if !slices.EqualFunc(got, tt.want, same) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestCells restores one cell that is as the update left it, and leaves one that changed since
// and one that the update did not touch.
func TestCells(t *testing.T) {
	chunk := func(cells ...voxel.Cell) *voxel.Chunk {
		var flat [voxel.ChunkCells]voxel.Cell
		copy(flat[:], cells)
		return voxel.FromFlat(&flat)
	}
	old, new := chunk(1, 1, 1), chunk(2, 2, 1)
	for _, tt := range []struct {
		name      string
		now, want *voxel.Chunk
		kept      []int
	}{
		{"as it was left", new, old, nil},
		{"an equal one", chunk(2, 2, 1), old, nil},
		{"changed since", chunk(2, 3, 4), chunk(1, 3, 4), []int{1}},
		{"all changed since", chunk(5, 5, 5), chunk(5, 5, 5), []int{0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var kept []int
			got := takeback.Cells(old, new, tt.now, func(at int) { kept = append(kept, at) })
			if !got.Equal(tt.want) || !slices.Equal(kept, tt.kept) {
				t.Errorf("kept %v, want %v", kept, tt.kept)
			}
			if !takeback.Cells(old, new, tt.now, nil).Equal(tt.want) {
				t.Error("other cells without kept")
			}
		})
	}
}
