package scene_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestBoxes reads boxes of every level from a world in memory and from its stone, which has far
// levels, and compares those of level 0 with the generator.
func TestBoxes(t *testing.T) {
	l := terrain.Level{Seed: 3}
	w := worldtest.Load(t, l.Source(geom.Box{Max: geom.Point{X: 512, Y: 256, Z: 512}}))
	s := worldtest.Stone(t, w)
	whole, err := stone.Open(bytes.NewReader(s.Data), int64(len(s.Data)))
	if err != nil {
		t.Fatal(err)
	}
	views := make([]*scene.Scene, 2)
	for i, c := range []stone.Content{w.Content(), whole} {
		if views[i], err = scene.Of(t.Context(), c, "", 0); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for level := range 6 {
		a, b := views[0].Boxes(level), views[1].Boxes(level)
		for range 20 {
			lo := geom.Point{X: r.IntN(540)>>level - 8, Y: r.IntN(200)>>level - 8, Z: r.IntN(540)>>level - 8}
			box := geom.Box{Min: lo, Max: lo.Add(geom.Point{X: 1 + r.IntN(20), Y: 1 + r.IntN(20), Z: 1 + r.IntN(20)})}
			got, want := make([]voxel.Cell, box.Cells()), make([]voxel.Cell, box.Cells())
			if !a.ReadBox(box, level, want) || !b.ReadBox(box, level, got) {
				t.Fatalf("level %d of %v: %v, %v", level, box, a.Err(), b.Err())
			}
			if !slices.Equal(got, want) {
				t.Fatalf("level %d of %v differs with far levels", level, box)
			}
			for i, c := range want {
				size := box.Size()
				p := box.Min.Add(geom.Point{X: i % size.X, Y: i / size.X / size.Z, Z: i / size.X % size.Z})
				in := geom.Box{Max: geom.Point{X: 512, Y: 256, Z: 512}}.Contains(p)
				if level == 0 && in && i%97 == 0 {
					at := p.InChunk()
					if made := l.Chunk(p.Chunk()).Cell(at.X, at.Y, at.Z); made != c {
						t.Fatalf("%v is %d, want %d", p, c, made)
					}
				}
			}
		}
		if a.ReadBox(geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, -1, make([]voxel.Cell, 1)) {
			t.Error("a level below 0 is read")
		}
	}
}
