package lod_test

import (
	"fmt"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestExtremes has viewers with numbers at the ends of their ranges, in worlds at the ends of space. A plan stays
// within its bounds, and comes to an end.
func TestExtremes(t *testing.T) {
	const end, far = 1 << 25, 1 << 30
	point := func(v int) geom.Point { return geom.Point{X: v, Y: v, Z: v} }
	boxes := []geom.Box{
		{Min: point(-end), Max: point(end)},
		{Min: point(end - 32), Max: point(end)},
		{Min: point(-end), Max: point(32 - end)},
		{Min: geom.Point{X: -1 << 15, Z: -1 << 15}, Max: geom.Point{X: 1 << 15, Y: 256, Z: 1 << 15}},
	}
	eyes := []lod.Eye{
		{Radius: 100_000},
		{Radius: far, PixelsPerRadian: far, MaxError: 1e-9},
		{Radius: far, MaxError: far},
		{Radius: 1000, Memory: 1},
		{Radius: 100_000, Memory: 1 << 16},
		{Position: octree.Vec{X: far, Y: -far, Z: far}, Radius: far},
		{Velocity: octree.Vec{X: far, Y: far, Z: -far}, Radius: 5000},
		{Direction: octree.Vec{X: far, Y: far, Z: -far}, Radius: 5000},
		{Direction: octree.Vec{X: 1e-300}, Velocity: octree.Vec{Z: 1e-300}, Radius: 1e-9},
	}
	for _, b := range boxes {
		for _, top := range []int{0, 8, lod.MaxLevel} {
			p := lod.New(lod.Options{Bounds: b, Top: top, MaxCubes: 4096})
			for i, e := range eyes {
				if err := e.Check(); err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprint(b, top, i), func(t *testing.T) {
					for n := 0; ; n++ {
						p.Look(e)
						p.AppendForget(nil)
						keys := p.AppendNext(nil, 500)
						if len(keys) == 0 {
							break
						}
						for _, k := range keys {
							if k.Box().Intersect(b).Empty() || int(k.Level) > top {
								t.Fatalf("%v is asked for", k)
							}
							p.Have(k, lod.Cube{Version: 1, Bytes: 8192})
						}
						if n > 2000 {
							t.Fatalf("it never ends: %d cubes of %d bytes, %d missing", p.Len(), p.Bytes(), p.Missing())
						}
					}
					if p.Len() > 4096+500*8 {
						t.Errorf("%d cubes", p.Len())
					}
				})
			}
		}
	}
}
