package trace_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// BenchmarkRender draws worlds with one sample for each of 230,400 pixels.
func BenchmarkRender(b *testing.B) {
	level := terrain.Level{Seed: 3}
	for name, w := range map[string]*convert.Loaded{
		"island": worldtest.Load(b, worldtest.Island(1, terrain.Modern)),
		"level":  worldtest.Load(b, level.Source(geom.Box{Max: at(512, 256, 512)})),
	} {
		b.Run(name, func(b *testing.B) {
			s := sceneOf(b, w)
			o := trace.Options{Width: 640, Height: 360, Samples: 1}
			for b.Loop() {
				if _, err := trace.Render(b.Context(), s, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*o.Width*o.Height), "ns/sample")
		})
	}
}
