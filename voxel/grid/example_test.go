package grid_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
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

// Somebody falls into a lake: the ground stops the fall, the liquid says how deep that is.
func ExampleView_Sweep() {
	ground, lake := grid.Hold(grid.New(grid.Options{Schema: voxel.Terrain})), grid.Hold(grid.New(grid.Options{Schema: voxel.Level}))
	bed := geom.Box{Max: geom.Point{X: 20, Y: 3, Z: 20}}
	_, _ = ground.Update(func(d *grid.Draft) error { d.Fill(bed, voxel.TerrainCell(1, 127)); return nil })
	water := geom.Box{Min: geom.Point{Y: 3}, Max: geom.Point{X: 20, Y: 6, Z: 20}}
	_, _ = lake.Update(func(d *grid.Draft) error { d.Fill(water, 191); return nil })

	feet, head := [3]float64{5, 12, 5}, [3]float64{5.6, 13.8, 5.6}
	fall, met, err := ground.View().Sweep(feet, head, [3]float64{0, -16, 0})
	fmt.Println(met, err, "on the", fall.Face, "of the ground at", fall.High[1])

	feet[1], head[1] = fall.High[1], fall.High[1]+1.8
	_, wet, _ := lake.View().Overlap(feet, head)
	top := 0.0
	err = lake.View().Raycast([3]float64{5.3, 20, 5.3}, [3]float64{0, -1, 0}, 20, func(h grid.Hit) bool {
		top = 20 - h.Distance
		return false
	})
	fmt.Println(wet, err, "and the liquid stands at", top)
	// Output:
	// true <nil> on the up of the ground at 2.5
	// true <nil> and the liquid stands at 5.75
}
