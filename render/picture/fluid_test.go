package picture_test

import (
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// pond is a chunk of grass at height 0 with a fluid over each quarter but one, and a tint for the columns with z up to 15.
type pond struct{}

func (pond) Bounds() geom.Box          { return geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}} }
func (pond) Matter() string            { return voxel.Block }
func (pond) Terrain() bool             { return false }
func (pond) Scale(string) int          { return 1 }
func (pond) Default(string) voxel.Cell { return voxel.Empty }
func (pond) Heights(int) []int32       { return []int32{0} }
func (pond) Level(volume string, _ int) int {
	if volume == voxel.Block || volume == "liquid" || volume == "tint" {
		return 0
	}
	return -1
}
func (pond) Name(volume string, c voxel.Cell) string {
	return map[string][]string{voxel.Block: {"air", "Soil_Grass"}, "liquid": {"air", "Water_Source", "Lava_Source"}, "tint": {"air", "#ff102030"}}[volume][c]
}
func (pond) Read(volume string, _ int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	var flat [voxel.ChunkCells]voxel.Cell
	for i := range 1024 {
		x, z := i&31, i>>5
		switch {
		case volume == voxel.Block, volume == "tint" && z < 16:
			flat[i] = 1
		case volume == "liquid" && x >= 16:
			flat[1<<10|i] = voxel.Cell(1 + z>>4)
		}
	}
	for _, pos := range want {
		if pos == (geom.ChunkPos{}) {
			f(pos, voxel.FromFlat(&flat))
		}
	}
	return nil
}

// TestFluid looks at fluids with names and at tints, on a map and on a tile of it.
func TestFluid(t *testing.T) {
	top, _, err := picture.Top(t.Context(), pond{}, picture.Options{Zoom: 1, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := picture.Tile(t.Context(), pond{}, picture.TileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tile, err := png.Decode(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range []image.Image{top, tile} {
		at := func(x, z int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, z)).(color.NRGBA) }
		if c := at(8, 8); c.B < c.G || c.G < c.R || c.B > 70 {
			t.Errorf("tinted grass is %v, want about 10 20 30 in base 16", c)
		}
		if c := at(8, 24); c.G < c.R || c.G < c.B+40 {
			t.Errorf("grass without a tint is %v", c)
		}
		if c := at(24, 8); c.B < c.R+60 || c.B < 100 {
			t.Errorf("water is %v", c)
		}
		if c := at(24, 24); c.R < 180 || c.B > 60 {
			t.Errorf("lava is %v", c)
		}
	}
}
