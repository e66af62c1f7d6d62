package scene_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// farWorld makes a world of a stone with far levels.
func farWorld(t *testing.T, w *convert.Loaded) *world.Snapshot {
	t.Helper()
	var b bytes.Buffer
	id, _, err := whole.Write(t.Context(), &b, w.Content(), whole.Options{Options: stone.Options{}, Far: true})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New(memory.Options{})
	c, _, err := port.CommitStone(t.Context(), st, "w", history.Stone{ID: id, Data: b.Bytes()}, port.Note{})
	if err != nil {
		t.Fatal(err)
	}
	return worldtest.Snapshot(t, st, "w", c.ID())
}

// TestLayout compares the layout of a version with its chunks.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    *convert.Loaded
		far  int
	}{
		{"island", worldtest.Load(t, worldtest.Island(1, terrain.Modern)), 0},
		{"level", worldtest.Load(t, terrain.Level{Seed: 3}.Source(geom.Box{Max: geom.Point{X: 512, Y: 256, Z: 512}})), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := farWorld(t, tt.w)
			l, err := scene.LayoutOf(t.Context(), s, "")
			if err != nil {
				t.Fatal(err)
			}
			land := l.In(t.Context(), s)
			var want geom.Box
			heights := map[int32]bool{}
			for _, v := range tt.w.Dimensions[0].Volumes {
				if v.Volume.Name != land.Matter() && v.Volume.Name != "liquid" {
					continue
				}
				for pos := range v.Chunks {
					want = want.Union(pos.Box())
					heights[pos.Y] = true
				}
			}
			if l.Bounds() != want || len(land.Heights(0)) != len(heights) || !slices.IsSorted(land.Heights(2)) || l.Far() != tt.far {
				t.Errorf("bounds %v, want %v; heights %v, want %v; far level %d", l.Bounds(), want, land.Heights(0), heights, l.Far())
			}
			v := tt.w.Dimensions[0].Volume(land.Matter())
			read := 0
			err = land.Read(land.Matter(), 0, v.Positions(), func(pos geom.ChunkPos, c *voxel.Chunk) {
				for i := range 32 {
					got, want := c.Cell(i, i, 5), v.Chunks[pos].Cell(i, i, 5)
					if a, b := land.Name(land.Matter(), got), v.Names[min(int(want), len(v.Names)-1)]; !land.Terrain() && a != b {
						t.Errorf("chunk %v has %s, want %s", pos, a, b)
					}
				}
				read++
			})
			if err != nil || read != len(v.Positions()) {
				t.Errorf("read %d of %d chunks: %v", read, len(v.Positions()), err)
			}
			if land.Level("none", 9) != -1 || land.Level(land.Matter(), 9) != tt.far || land.Level(land.Matter(), 2) != 0 {
				t.Error("levels")
			}
			if all := scene.Dimensions(s); !slices.Equal(all, []string{l.Dimension}) {
				t.Errorf("mapped %v", all)
			}
			var which *inspect.DimensionError
			if _, err := scene.LayoutOf(t.Context(), s, "nowhere"); !errors.As(err, &which) {
				t.Errorf("nowhere: %v", err)
			}
		})
	}
}

// TestLayoutChanged: when many chunks have changed since the full pack, its far levels do not count.
func TestLayoutChanged(t *testing.T) {
	long.Rest(t)
	box := geom.Box{Max: geom.Point{X: 1024, Y: 256, Z: 1024}}
	first, other := worldtest.Load(t, terrain.Level{Seed: 3}.Source(box)), worldtest.Load(t, terrain.Level{Seed: 4}.Source(box))
	st := memory.New(memory.Options{})
	for i, w := range []*convert.Loaded{first, other} {
		var b bytes.Buffer
		id, _, err := whole.Write(t.Context(), &b, w.Content(), whole.Options{Options: stone.Options{}, Far: true})
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := port.CommitStone(t.Context(), st, "w", history.Stone{ID: id, Data: b.Bytes()}, port.Note{})
		if err != nil {
			t.Fatal(err)
		}
		s := worldtest.Snapshot(t, st, "w", c.ID())
		l, err := scene.LayoutOf(t.Context(), s, "")
		if changed := s.FarChanges("overworld", "solid"); err != nil || (l.Far() > 0) != (i == 0) || (changed > 0) != (i == 1) {
			t.Errorf("version %d: far level %d, %d chunks changed, %v", i+1, l.Far(), changed, err)
		}
	}
}

// TestRealTiles draws the middle of real worlds at every zoom in every layer.
func TestRealTiles(t *testing.T) {
	long.Rest(t)
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" || testing.Short() {
		t.Skip("CAIRN_WORLDS is not set, or the test is to be short")
	}
	all, err := filepath.Glob(filepath.Join(root, "anvil", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(all); i += 10 {
		src, err := port.Open(all[i], port.Options{Salvage: true})
		if err != nil {
			t.Fatal(err)
		}
		c, err := src.Parts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		w, err := convert.FromContent(t.Context(), c, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := farWorld(t, w)
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		for _, dimension := range scene.Dimensions(s) {
			l, err := scene.LayoutOf(t.Context(), s, dimension)
			if err != nil {
				t.Fatal(err)
			}
			some := false
			for _, layer := range picture.Layers() {
				for zoom := picture.MinZoom; zoom < 6; zoom++ {
					width := picture.TileEdge << max(0, zoom) >> max(0, -zoom)
					o := picture.TileOptions{Layer: layer, Zoom: zoom, X: geom.FloorDiv((l.Bounds().Min.X+l.Bounds().Max.X)/2, width), Z: geom.FloorDiv((l.Bounds().Min.Z+l.Bounds().Max.Z)/2, width)}
					b, err := picture.Tile(t.Context(), l.In(t.Context(), s), o)
					if err != nil {
						t.Errorf("%s: %s: %+v: %v", filepath.Base(all[i]), dimension, o, err)
					}
					some = some || len(b) > 200
				}
			}
			if !some {
				t.Errorf("%s: %s: all tiles are empty", filepath.Base(all[i]), dimension)
			}
		}
	}
}
