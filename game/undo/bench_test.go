package undo_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// What recording costs beside the update, and what a step takes.
func BenchmarkRecord(b *testing.B) {
	level := terrain.Level{Seed: 1}
	at := geom.Point{X: 17, Y: 3, Z: 9}
	for _, bb := range []struct {
		name string
		edge int
	}{{"cell", 1}, {"box of 10", 10}, {"box of 100", 100}} {
		b.Run(bb.name, func(b *testing.B) {
			w := create(b, world.Options{}, terrainVolumes...)
			box := geom.Box{Min: at, Max: at.Add(geom.Point{X: bb.edge, Y: bb.edge, Z: bb.edge})}
			mustUpdate(b, w, func(tx *world.Tx) {
				for pos := range region.Chunks(region.Box(box)) {
					tx.Dimension(earth).Volume("solid").SetChunk(pos, level.Chunk(pos))
				}
			})
			change := mustUpdate(b, w, func(tx *world.Tx) {
				tx.Dimension(earth).Volume("solid").Fill(region.Box(box), voxel.TerrainCell(2, 255))
			})
			b.ReportAllocs()
			var h *undo.History
			for b.Loop() {
				h = undo.New(w, undo.Options{})
				if err := h.Record(ctx, "ann", "fill", change); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(h.Bytes()), "B/step")
		})
	}
}
