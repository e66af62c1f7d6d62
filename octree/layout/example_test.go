package layout_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

func Example() {
	tree, err := layout.New(layout.Options{Storage: layout.Hashed, Mask: true, SplitAbove: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := tree.Build([]octree.Box{
		octree.At(octree.Vec{X: -300, Y: -300, Z: -300}),
		octree.At(octree.Vec{X: 300, Y: -300, Z: -300}),
		octree.At(octree.Vec{X: 40, Y: -200, Z: -10}),
	}); err != nil {
		fmt.Println(err)
	}
	tree.Walk(func(n layout.Node) octree.Step {
		fmt.Printf("%b at depth %d has %d objects\n", n.Code(), n.Depth(), n.Own())
		return octree.Enter
	})
	west, _ := tree.Root().Child(0)
	west.Neighbours(func(n layout.Node, d layout.Direction) bool {
		fmt.Println("beside", d, n.Cell())
		return true
	})
	// Output:
	// 1 at depth 0 has 0 objects
	// 1000 at depth 1 has 1 objects
	// 1001 at depth 1 has 0 objects
	// 1001001 at depth 2 has 1 objects
	// 1001110 at depth 2 has 1 objects
	// beside {1 0 0} [(0,-256,-256) (256,0,0)]
}
