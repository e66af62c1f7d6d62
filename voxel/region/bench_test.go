package region_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// BenchmarkChunks finds the chunks of what a tool touches.
func BenchmarkChunks(b *testing.B) {
	for _, tt := range []struct {
		name string
		r    region.Region
	}{
		{"ball of 3", region.Ball{Center: geom.Point{X: 1000, Y: 50, Z: -3000}, Radius: 3}},
		{"ball of 3 at 0", region.Ball{Radius: 3}},
		{"ball of 40", region.Ball{Center: geom.Point{X: 1000, Y: 50, Z: -3000}, Radius: 40}},
		{"box of 4", geom.Box{Min: geom.Point{X: 40, Y: 40, Z: 40}, Max: geom.Point{X: 44, Y: 44, Z: 44}}},
		{"box of 100", geom.Box{Min: geom.Point{X: 40, Y: 40, Z: 40}, Max: geom.Point{X: 140, Y: 140, Z: 140}}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range region.Chunks(tt.r) {
				}
			}
		})
	}
}
