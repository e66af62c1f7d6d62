package grid_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// BenchmarkSet writes single cells of a land, each published, and a thousand of a
// chunk.
func BenchmarkSet(b *testing.B) {
	h := makeHills()
	for _, k := range []struct {
		name string
		n    int
	}{{"one", 1}, {"1000 of a chunk", 1000}} {
		b.Run(k.name, func(b *testing.B) {
			g := grid.Hold(h.view)
			r := rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for b.Loop() {
				p := at(r.IntN(hillsX), r.IntN(hillsY), r.IntN(hillsZ))
				if _, err := g.Update(func(d *grid.Draft) error {
					for range k.n {
						d.Set(at(p.X&^31|r.IntN(32), p.Y&^31|r.IntN(32), p.Z&^31|r.IntN(32)), voxel.TerrainCell(3, 9))
					}
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.n), "ns/cell")
		})
	}
}
