package brush_test

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

func ExampleDo() {
	ctx := context.Background()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "planet", world.Options{})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		names := map[string][]string{"solid": {"air", "rock"}}
		tx.AddDimension("earth", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}, names)
		return nil
	})
	if err != nil {
		panic(err)
	}
	for _, b := range []brush.Brush{
		brush.Add{Shape: brush.Ball(geom.Point{Y: 40}, 20), Of: brush.Named("rock")},
		brush.Subtract{Shape: brush.Ball(geom.Point{Y: 60}, 8)},
		brush.Smooth{Shape: brush.Ball(geom.Point{Y: 55}, 15)},
	} {
		change, err := brush.Do(ctx, w, "earth", "solid", b)
		if err != nil {
			panic(err)
		}
		fmt.Println(len(change.Volumes[0].Chunks), "chunks")
	}
	// Output:
	// 8 chunks
	// 4 chunks
	// 4 chunks
}
