package lod_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// A server gives a viewer what it needs. Here each cube is the same stone.
func Example() {
	land := geom.Box{Max: geom.Point{X: 1024, Y: 64, Z: 1024}}
	p := lod.New(lod.Options{Bounds: land, Top: 4})
	p.Look(lod.Eye{Position: octree.Vec{X: 500, Y: 70, Z: 500}, Direction: octree.Vec{X: 1}, Radius: 1000})
	var counts [5]int
	var keys []lod.Key
	for !p.Complete(0) {
		keys = p.AppendNext(keys[:0], 32)
		for _, k := range keys {
			p.Have(k, lod.Cube{Version: 1, Bytes: 20})
			counts[k.Level]++
		}
	}
	fmt.Println("cubes by level:", counts)

	p.Look(lod.Eye{Position: octree.Vec{X: 9000, Y: 70, Z: 500}, Radius: 1000})
	fmt.Println("it left, and forgets", len(p.AppendForget(nil)), "cubes")
	// Output:
	// cubes by level: [1672 864 256 64 16]
	// it left, and forgets 2872 cubes
}
