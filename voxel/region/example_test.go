package region_test

import (
	"fmt"
	"log"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Any shape can be asked the same: its bounds, whether it holds a cell, its cells row
// by row, and how many it has.
func Example() {
	arena, err := region.NewPrism([]region.Corner{{X: 0, Z: 0}, {X: 10, Z: 0}, {X: 10, Z: 4}, {X: 4, Z: 4}, {X: 4, Z: 10}, {X: 0, Z: 10}}, 60, 80)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an arena like an L of", region.Count(arena), "cells")
	fmt.Println(arena.Contains(geom.Point{X: 2, Y: 64, Z: 8}), arena.Contains(geom.Point{X: 8, Y: 64, Z: 8}))
	arena.Spans(64, 8, func(x0, x1 int) bool {
		fmt.Println("cells", x0, "to", x1-1, "of the row at y 64, z 8")
		return true
	})
	// Output:
	// an arena like an L of 1280 cells
	// true false
	// cells 0 to 3 of the row at y 64, z 8
}

// Chunks says which chunks a game has to load before it works on a region.
func ExampleChunks() {
	whole, partly := 0, 0
	for _, cover := range region.Chunks(region.Ball{Radius: 100}) {
		if cover == region.Whole {
			whole++
		} else {
			partly++
		}
	}
	fmt.Println(whole, "chunks lie in the ball,", partly, "are cut by it")
	// Output: 56 chunks lie in the ball, 176 are cut by it
}

// Boxes cuts a large job into pieces that can be done one after the other.
func ExampleBoxes() {
	jobs := region.Boxes(geom.Box{Max: geom.Point{X: 200, Y: 64, Z: 200}}, 16)
	fmt.Println(len(jobs), "jobs, the first", jobs[0])
	// Output: 8 jobs, the first [(0,0,0) (32,64,96))
}
