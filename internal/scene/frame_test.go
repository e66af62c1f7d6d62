package scene_test

import (
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestFrame: what lies alone far away is left out of a picture, and nothing else is.
func TestFrame(t *testing.T) {
	square := func(x, z, edge int32) (all []geom.ChunkPos) {
		for i := range edge * edge {
			all = append(all, geom.ChunkPos{X: x + i%edge, Y: 2, Z: z + i/edge})
		}
		return all
	}
	var row []geom.ChunkPos
	for i := range int32(40) {
		row = append(row, geom.ChunkPos{X: i * 100})
	}
	const far = 900_000
	for _, tt := range []struct {
		name   string
		chunks []geom.ChunkPos
		left   int
		bounds geom.Box // in chunks
	}{
		{"a land", square(-2, 0, 4), 0, geom.Box{Min: geom.Point{X: -2, Y: 2}, Max: geom.Point{X: 2, Y: 3, Z: 4}}},
		{"a stray chunk", append(square(-2, 0, 4), geom.ChunkPos{X: far, Z: -far}), 1, geom.Box{Min: geom.Point{X: -2, Y: 2}, Max: geom.Point{X: 2, Y: 3, Z: 4}}},
		{"strays on all sides", append(square(0, 0, 8), geom.ChunkPos{X: far}, geom.ChunkPos{X: -far}, geom.ChunkPos{Z: far}, geom.ChunkPos{X: 5000, Y: 9, Z: 5000}, geom.ChunkPos{X: 5000, Y: 10, Z: 5000}), 4,
			geom.Box{Min: geom.Point{Y: 2}, Max: geom.Point{X: 8, Y: 3, Z: 8}}},
		{"one chunk and a stray", []geom.ChunkPos{{X: far}, {X: 1}}, 1, geom.Box{Min: geom.Point{X: 1}, Max: geom.Point{X: 2, Y: 1, Z: 1}}},
		{"two lands", append(square(0, 0, 4), square(0, 2000, 4)...), 0, geom.Box{Min: geom.Point{Y: 2}, Max: geom.Point{X: 4, Y: 3, Z: 2004}}},
		{"a hut near a land", append(square(0, 0, 40), geom.ChunkPos{X: 78, Y: 2}), 0, geom.Box{Min: geom.Point{Y: 2}, Max: geom.Point{X: 79, Y: 3, Z: 40}}},
		{"islands in a row", row, 0, geom.Box{Max: geom.Point{X: 3901, Y: 1, Z: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: []string{"air", "minecraft:stone"}, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
			for _, pos := range tt.chunks {
				v.Chunks[pos] = voxel.Uniform(1)
			}
			w := &convert.Loaded{Head: format.Head{Format: port.Anvil}, Dimensions: []*convert.LoadedDimension{{Name: "overworld", Volumes: []*convert.LoadedVolume{v}}}}
			view, err := scene.Of(t.Context(), w.Content(), "", 0)
			if err != nil {
				t.Fatal(err)
			}
			left, at := view.Frame()
			want := tt.bounds.Scale(geom.ChunkEdge)
			if left != tt.left || at.Empty() != (left == 0) || view.Bounds() != want {
				t.Errorf("%d left out, one in %v, bounds %v, want %d, %v", left, at, view.Bounds(), tt.left, want)
			}
			if left > 0 {
				if _, r, err := picture.Top(t.Context(), view, picture.Options{}); err != nil || r.Drawn == 0 {
					t.Errorf("%d drawn, %v", r.Drawn, err)
				}
			}
			view.Cut(geom.Box{Min: want.Min, Max: want.Min.Add(geom.Point{X: 3, Y: 64, Z: 2})})
			if got := view.Bounds().Size(); got.X != 3 || got.Z != 2 {
				t.Errorf("cut to %v", got)
			}
		})
	}
	if _, err := scene.Of(t.Context(), (&convert.Loaded{}).Content(), "", 0); !errors.Is(err, inspect.ErrNoMatter) {
		t.Error(err)
	}
}
