package edit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// A round on an arena of rock: a snapshot, a hole, and the rock again, in ticks of 50 ms.
func Example() {
	ctx := context.Background()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "arena", world.Options{Whole: true})
	if err != nil {
		panic(err)
	}
	defer w.Close()
	floor := geom.Box{Min: geom.Point{X: -40, Z: -40}, Max: geom.Point{X: 40, Y: 10, Z: 40}}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("earth", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}},
			map[string][]string{"solid": {"air", "rock"}})
		d.Volume("solid").Fill(floor, voxel.TerrainCell(1, 255))
		return nil
	})
	if err != nil {
		panic(err)
	}

	q := edit.New(edit.Options{})
	defer q.Close()
	arena := &edit.Arena{World: w, Dimension: "earth"}
	ticks := func(f *edit.Operation) {
		for q.Len() > 0 { // the game's loop
			q.Step(time.Now(), 0)
		}
		r, err := f.Wait(ctx)
		fmt.Println(r.Cells, "cells", err)
	}

	before, err := w.Capture() // the beginning of the round
	if err != nil {
		panic(err)
	}
	defer before.Close()
	hole := region.Ball{Center: geom.Point{Y: 9}, Radius: 4}
	ticks(q.Add(arena, &edit.Fill{Volume: "solid", Region: hole, Name: "air"}, 0))
	ticks(q.Add(arena, &edit.Restore{Capture: before}, 0)) // the end of the round
	ticks(q.Add(arena, &edit.Restore{Capture: before}, 0)) // of a round in which nothing was changed
	// Output:
	// 153 cells <nil>
	// 153 cells <nil>
	// 0 cells <nil>
}
