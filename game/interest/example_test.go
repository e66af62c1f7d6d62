package interest_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/game/interest"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func Example() {
	animals, err := octree.New(octree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	cow, err := animals.Insert(octree.At(octree.Vec{X: 100, Y: 64}))
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := interest.New(interest.Options{Moves: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	ann, err := set.Add(interest.Viewer{Position: octree.Vec{Y: 64}, Chunks: interest.Reach{Horizontal: 2, Vertical: 1}, Objects: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	tick := func() {
		set.Tick(animals, func(c *interest.Changes) {
			fmt.Println(len(c.ChunksIn), "chunks in,", len(c.ChunksOut), "out; animals:",
				len(c.ObjectsIn), "in,", len(c.ObjectsMoved), "moved,", len(c.ObjectsOut), "out")
		})
	}
	tick()
	err = animals.Move(cow, octree.At(octree.Vec{X: 60, Y: 64})) // it comes near
	tick()
	fmt.Println("seen by Ann:", set.AppendWatchers(nil, cow)[0] == ann, err)
	fmt.Println("who sees chunk (1,2,0):", len(set.AppendViewers(nil, geom.ChunkPos{X: 1, Y: 2})))
	tick() // nothing changed
	// Output:
	// 39 chunks in, 0 out; animals: 0 in, 0 moved, 0 out
	// 0 chunks in, 0 out; animals: 1 in, 0 moved, 0 out
	// seen by Ann: true <nil>
	// who sees chunk (1,2,0): 1
}
