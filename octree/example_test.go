package octree_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/octree"
)

func Example() {
	tree, err := octree.New(octree.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	names := make(map[octree.ObjectID]string)
	add := func(name string, b octree.Box) octree.ObjectID {
		id, err := tree.Insert(b)
		if err != nil {
			fmt.Println(err)
		}
		names[id] = name
		return id
	}
	add("house", octree.Box{Min: octree.Vec{X: 10, Y: 0, Z: 10}, Max: octree.Vec{X: 20, Y: 8, Z: 16}})
	add("tree", octree.Around(octree.Vec{X: 40, Y: 5, Z: 12}, 3))
	cow := add("cow", octree.At(octree.Vec{X: 100, Y: 0, Z: 100}))

	if err := tree.Move(cow, octree.At(octree.Vec{X: 22, Y: 1, Z: 12})); err != nil {
		fmt.Println(err)
	}
	for _, near := range tree.Nearest(octree.Vec{X: 23, Y: 1, Z: 12}, make([]octree.Near, 2)) {
		fmt.Println(names[near.ID], near.Distance)
	}
	east := octree.Ray{Origin: octree.Vec{X: 0, Y: 4, Z: 12}, Direction: octree.Vec{X: 1}, Max: 100}
	for _, hit := range tree.AppendHits(nil, east) {
		fmt.Println("east:", names[hit.ID], hit.T)
	}
	// Output:
	// cow 1
	// house 3
	// east: house 10
	// east: tree 37
}
