package grid_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/voxel"
)

func Example() {
	const stone = 1
	g := grid.Hold(grid.New(grid.Options{}))
	before := g.View()
	replaced, err := g.Update(func(d *grid.Draft) error {
		d.Fill(region.Ball{Center: geom.Point{X: 100, Y: 20, Z: 0}, Radius: 8}, stone)
		return nil
	})
	fmt.Println(len(replaced), "chunks changed,", err)

	v := g.View()
	cell, _ := v.Cell(geom.Point{X: 100, Y: 20, Z: 0})
	was, _ := before.Cell(geom.Point{X: 100, Y: 20, Z: 0})
	fmt.Println(was, "became", cell)

	err = v.Raycast([3]float64{0, 20.5, 0.5}, [3]float64{1, 0, 0}, 200, func(h grid.Hit) bool {
		fmt.Println("a ray meets", h.At, "from the", h.Face, "after", h.Distance)
		return false
	})
	fmt.Println(err)

	box := make([]voxel.Cell, 4*4*4)
	ok := v.ReadBox(geom.Box{Min: geom.Point{X: 10, Y: 0, Z: -2}, Max: geom.Point{X: 14, Y: 4, Z: 2}}, 3, box)
	fmt.Println(box[0], box[len(box)/2+10], ok)
	// Output:
	// 4 chunks changed, <nil>
	// 0 became 1
	// a ray meets (92,20,0) from the west after 92
	// <nil>
	// 0 1 true
}
