package scene_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// BenchmarkTile draws a tile of a terrain of 180 million cells at each zoom: first with no page
// in memory, then with all that it needs.
func BenchmarkTile(b *testing.B) {
	const half = 1024
	w, err := convert.Load(b.Context(), terrain.Level{Seed: 1}.Source(geom.Box{Min: geom.Point{X: -half, Z: -half}, Max: geom.Point{X: half, Y: 256, Z: half}}))
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := whole.Write(b.Context(), &out, w.Content(), whole.Options{Options: stone.Options{Effort: stone.Quick}, Far: true})
	if err != nil {
		b.Fatal(err)
	}
	st := memory.New(memory.Options{})
	c, _, err := port.CommitStone(b.Context(), st, "w", history.Stone{ID: id, Data: out.Bytes()}, port.Note{})
	if err != nil {
		b.Fatal(err)
	}
	for zoom := range 5 {
		for _, cold := range []bool{true, false} {
			b.Run(fmt.Sprintf("zoom=%d/cold=%v", zoom, cold), func(b *testing.B) {
				size := 0
				var s *world.Snapshot
				for b.Loop() {
					if s == nil || cold {
						b.StopTimer()
						if s != nil {
							s.Close() // it was only read
						}
						if s, err = world.OpenSnapshot(b.Context(), st, "w", c.ID(), world.Options{Cache: stone.NewCache(stone.CacheBytes)}); err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
					}
					l, err := scene.LayoutOf(b.Context(), s, "")
					if err != nil {
						b.Fatal(err)
					}
					tile, err := picture.Tile(b.Context(), l.In(b.Context(), s), picture.TileOptions{Zoom: zoom})
					if err != nil {
						b.Fatal(err)
					}
					size = len(tile)
				}
				b.ReportMetric(float64(size), "B/tile")
			})
		}
	}
}
