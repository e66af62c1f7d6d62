package convert_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestStrays: blocks that somebody built where no section, or no column, was are
// handed on, and nothing is made of air.
func TestStrays(t *testing.T) {
	const both = voxel.HasBlock | voxel.HasSky
	// put writes a block at each point.
	put := func(points ...geom.Point) map[geom.ChunkPos]*voxel.Chunk {
		out := map[geom.ChunkPos]*voxel.Chunk{{X: 9, Y: 9, Z: 9}: voxel.Uniform(0)}
		for _, p := range points {
			c := out[p.Chunk()]
			if c == nil {
				c = voxel.Uniform(0)
			}
			d := c.Edit()
			d.Set(p.InChunk().X, p.InChunk().Y, p.InChunk().Z, 1)
			out[p.Chunk()] = d.Publish(new(voxel.ChunkBuilder))
		}
		return out
	}
	listed := voxel.Column{Version: 1976, Sections: []voxel.Section{{Y: 4, Has: both}, {Y: -1, Has: voxel.HasSky}}}
	own := voxel.Column{Version: 3953}
	beside := voxel.Column{Pos: geom.ColumnPos{X: 1, Z: 0}, Version: 2586}
	for _, tt := range []struct {
		name    string
		columns []voxel.Column
		chunks  map[geom.ChunkPos]*voxel.Chunk
		want    string // column, version: section has ...
	}{
		{"nothing", []voxel.Column{listed}, put(geom.Point{X: 3, Y: 64, Z: 3}), "(0,0) 1976: 4 5, -1 4; "},
		{"above and below", []voxel.Column{listed}, put(geom.Point{X: 3, Y: 80, Z: 3}, geom.Point{X: 15, Y: -1, Z: 15}), "(0,0) 1976: 4 5, -1 5, 5 1; "},
		{"no sections", []voxel.Column{own}, put(geom.Point{X: 3, Y: 95, Z: 15}), "(0,0) 3953: 5 1; "},
		{"a whole chunk", []voxel.Column{own, beside}, map[geom.ChunkPos]*voxel.Chunk{{Y: -2}: voxel.Uniform(1)},
			"(0,0) 3953: -4 1, -3 1; (1,0) 2586: -4 1, -3 1; (0,1) 3953: -4 1, -3 1; (1,1) 3953: -4 1, -3 1; "},
		{"no column", []voxel.Column{beside}, put(geom.Point{X: -1, Y: 0, Z: 0}, geom.Point{X: 16, Y: 0, Z: 16}), "(-1,0) 2586: 0 1; (1,0) 2586: ; (1,1) 2586: 0 1; "},
		{"the top", []voxel.Column{own}, put(geom.Point{Y: 2047}, geom.Point{Y: -2048}), "(0,0) 3953: -128 1, 127 1; "},
		{"too high", []voxel.Column{own}, put(geom.Point{Y: 2048}), "(0,0) 3953: ; "},
		{"too low, no column", []voxel.Column{beside}, put(geom.Point{Y: -2049}), "(1,0) 2586: ; "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := fmt.Sprint(tt.columns)
			blocks := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: []string{format.Air, "minecraft:stone"}, Chunks: tt.chunks}
			sky := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[2]}
			w := &convert.Loaded{Dimensions: []*convert.LoadedDimension{{Name: "made", Volumes: []*convert.LoadedVolume{blocks, sky}, Columns: tt.columns}}}
			back, err := convert.Load(context.Background(), w.Source())
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, c := range back.Dimensions[0].Columns {
				var sections []string
				for _, s := range c.Sections {
					sections = append(sections, fmt.Sprint(s.Y, s.Has))
				}
				got += fmt.Sprintf("%v %d: %s; ", c.Pos, c.Version, strings.Join(sections, ", "))
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if after := fmt.Sprint(tt.columns); after != before {
				t.Errorf("the world's own columns became %s", after)
			}
			n := back.Dimensions[0].Volume(voxel.Block).Count()
			if want := blocks.Count(); n != want || !slices.Equal(back.Dimensions[0].Volume(voxel.Block).Names, blocks.Names) {
				t.Errorf("%d blocks, want %d", n, want)
			}
		})
	}
}
