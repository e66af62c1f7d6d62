package picture_test

import (
	"image/color"
	"testing"

	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestChanges draws one change of each kind, and one change among many equal cells in a
// picture that is much smaller than the world.
func TestChanges(t *testing.T) {
	empty := func(c voxel.Cell) bool { return c < 2 } // 1 is another kind of air
	chunk := func(set map[geom.Point]voxel.Cell) *voxel.Chunk {
		var cells [voxel.ChunkCells]voxel.Cell
		for p, c := range set {
			cells[(p.Y*32+p.Z)*32+p.X] = c
		}
		return voxel.FromFlat(&cells)
	}
	a := chunk(map[geom.Point]voxel.Cell{{X: 1}: 5, {X: 2}: 5, {X: 4, Y: 3}: 5, {X: 4, Y: 4}: 5, {X: 4, Y: 9}: 5})
	b := chunk(map[geom.Point]voxel.Cell{{X: 0}: 5, {X: 2}: 6, {X: 3}: 1, {X: 4, Y: 3}: 6})
	blue, red, yellow := color.RGBA{86, 180, 233, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{240, 228, 66, 255}
	box := geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}
	c := picture.NewChanges(box, 32)
	c.Add(geom.ChunkPos{}, a, b, empty)
	c.Add(geom.ChunkPos{X: 1}, a, b, empty) // outside
	img := c.Image(32)
	void := img.RGBAAt(31, 31)
	for x, want := range []color.RGBA{blue, red, yellow, void, red, void} {
		if got := img.RGBAAt(x, 0); got != want {
			t.Errorf("column %d: got %v, want %v", x, got, want)
		}
	}
	wide := picture.NewChanges(geom.Box{Max: geom.Point{X: 32 * 1000, Y: 32, Z: 64}}, 100)
	wide.Add(geom.ChunkPos{X: 999}, chunk(nil), chunk(map[geom.Point]voxel.Cell{{X: 31}: 7}), empty)
	if img := wide.Image(100); img.Rect.Dx() != 100 || img.RGBAAt(99, 0) != blue {
		t.Errorf("got %v with %v", img.Rect, img.RGBAAt(99, 0))
	}
	if img := picture.NewChanges(geom.Box{}, 100).Image(100); img.Rect.Empty() {
		t.Error("nothing differs: got no picture")
	}
}
