package undo_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// What an edit costs by itself, and what it costs when a History takes it. B/edit are the chunks that it
// makes, B/step what the History holds for it.
func BenchmarkEdit(b *testing.B) {
	level := terrain.Level{Seed: 1}
	room := geom.Box{Min: geom.Point{X: 0, Y: -32, Z: 0}, Max: geom.Point{X: 128, Y: 96, Z: 128}}
	r := rand.New(rand.NewPCG(1, 2))
	scattered := make([]geom.Point, 500)
	for i := range scattered {
		scattered[i] = geom.Point{X: r.IntN(128), Y: r.IntN(64) - 16, Z: r.IntN(128)}
	}
	pasted := geom.Box{Min: geom.Point{X: 17, Y: 3, Z: 9}, Max: geom.Point{X: 65, Y: 51, Z: 57}}
	cells := [2][]voxel.Cell{make([]voxel.Cell, pasted.Cells()), make([]voxel.Cell, pasted.Cells())}
	for i := range pasted.Cells() {
		cells[0][i] = voxel.TerrainCell(uint8(1+i/2500%3), uint8(i/7))
		cells[1][i] = voxel.TerrainCell(uint8(1+i/1900%3), uint8(i/9))
	}
	one := geom.Point{X: 17, Y: 3, Z: 9}
	for _, bb := range []struct {
		name string
		edit func(v *world.VolumeTx, n int)
	}{
		{"cell", func(v *world.VolumeTx, n int) { v.Set(one, voxel.TerrainCell(uint8(1+n%2), 255)) }},
		{"ball", func(v *world.VolumeTx, n int) {
			v.Fill(region.Ball{Center: geom.Point{X: 60, Y: 20, Z: 60}, Radius: 12}, voxel.TerrainCell(uint8(1+n%2), 255))
		}},
		{"box of 100", func(v *world.VolumeTx, n int) {
			v.Fill(geom.Box{Min: one, Max: one.Add(geom.Point{X: 100, Y: 70, Z: 100})}, voxel.TerrainCell(uint8(1+n%2), 255))
		}},
		{"scattered", func(v *world.VolumeTx, n int) {
			for _, p := range scattered {
				v.Set(p, voxel.TerrainCell(uint8(1+n%2), 255))
			}
		}},
		{"paste", func(v *world.VolumeTx, n int) { v.WriteBox(pasted, cells[n%2]) }},
	} {
		w := create(b, world.Options{}, terrainVolumes...)
		mustUpdate(b, w, func(tx *world.Tx) {
			for pos := range region.Chunks(room) {
				tx.Dimension(earth).Volume("solid").SetChunk(pos, level.Chunk(pos))
			}
		})
		n := 0
		var h *undo.History
		edit := func(tx *world.Tx) error {
			n++
			bb.edit(tx.Dimension(earth).Volume("solid"), n)
			return nil
		}
		b.Run(bb.name+"/alone", func(b *testing.B) {
			b.ReportAllocs()
			var change *world.Change
			for b.Loop() {
				change, _ = w.Update(edit)
			}
			bytes := 0
			for _, c := range change.Volumes[0].Chunks {
				bytes += c.New.Or(0).Bytes()
			}
			b.ReportMetric(float64(bytes), "B/edit")
		})
		b.Run(bb.name+"/recorded", func(b *testing.B) {
			b.ReportAllocs()
			h = undo.New(w, undo.Options{Bytes: 16 << 20})
			for b.Loop() {
				if _, err := h.Update(ctx, "ann", "edit", edit); err != nil {
					b.Fatal(err)
				}
			}
			names, _ := h.Names("ann")
			b.ReportMetric(float64(h.Bytes())/float64(len(names)), "B/step")
		})
		b.Run(bb.name+"/undone and redone", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Undo(ctx, "ann"); err != nil {
					b.Fatal(err)
				}
				if _, err := h.Redo(ctx, "ann"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
