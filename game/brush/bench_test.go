package brush_test

import (
	"errors"
	"testing"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

var errDone = errors.New("done")

func BenchmarkBrushes(b *testing.B) {
	w := create(b, random(9))
	held, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		b.Fatal(err)
	}
	defer held.Release()
	ball := brush.Ball(geom.Point{X: 3, Y: 15, Z: 30}, 12)
	for _, bb := range []struct {
		name string
		b    brush.Brush
	}{
		{"add", brush.Add{ball, brush.Named("moss")}},
		{"subtract", brush.Subtract{ball}},
		{"paint", brush.Paint{ball, brush.Named("moss")}},
		{"smooth", brush.Smooth{Shape: ball}},
		{"erode", brush.Erode{ball, .25}},
		{"grow", brush.Grow{ball, .25}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				mustApply(b, w, bb.b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/7153, "ns/cell") // of the ball
		})
	}
}

// mustApply applies a brush and leaves the world as it was.
func mustApply(b *testing.B, w *world.World, touch brush.Brush) {
	b.Helper()
	_, err := w.Update(func(tx *world.Tx) error {
		if err := touch.Apply(tx.Dimension(earth).Volume("solid")); err != nil {
			return err
		}
		return errDone
	})
	if err != errDone {
		b.Fatal(err)
	}
}
