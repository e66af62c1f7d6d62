package undo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Two builders work in one place. What ann takes back does not destroy what bob built
// there since.
func Example() {
	ctx := context.Background()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "plot", world.Options{Whole: true})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension("main", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	h := undo.New(w, undo.Options{})
	fill := func(author, name string, max geom.Point) {
		if _, err := h.Update(ctx, author, name, func(tx *world.Tx) error {
			blocks := tx.Dimension("main").Volume(voxel.Block)
			blocks.Fill(geom.Box{Max: max}, blocks.Named(name))
			return nil
		}); err != nil {
			log.Fatal(err)
		}
	}
	fill("ann", "stone", geom.Point{X: 10, Y: 1, Z: 10})
	fill("bob", "gold", geom.Point{X: 2, Y: 1, Z: 2})

	r, err := h.Undo(ctx, "ann")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Name, "put back:", r.Cells, "left alone:", r.Skipped, "in", r.Conflicts[0].Box)
	_, again := h.Names("ann")
	fmt.Println("ann can do again:", again)
	// Output:
	// stone put back: 96 left alone: 4 in [(0,0,0) (2,1,2))
	// ann can do again: [stone]
}

// Revert takes back a commit of long ago.
func ExampleRevert() {
	ctx := context.Background()
	w, _ := world.Create(ctx, memory.New(memory.Options{}), "plot", world.Options{Whole: true})
	defer w.Close()
	build := func(block string, at geom.Point) {
		w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension("main", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
			d.Volume(voxel.Block).Set(at, d.Volume(voxel.Block).Named(block))
			return nil
		})
	}
	build("stone", geom.Point{X: 1})
	w.Commit(ctx, "stone")
	build("lava", geom.Point{X: 2})
	lava, _ := w.Commit(ctx, "lava")
	build("gold", geom.Point{X: 3})
	w.Commit(ctx, "gold")

	if _, err := undo.Revert(ctx, w, lava.ID()); err != nil {
		log.Fatal(err)
	}
	w.Commit(ctx, "without the lava")
	blocks := w.View().Dimension("main").Volume(voxel.Block)
	for x := 1; x <= 3; x++ {
		cell, _ := blocks.Cell(geom.Point{X: x})
		fmt.Println(x, blocks.CellName(cell))
	}
	// Output:
	// 1 stone
	// 2 air
	// 3 gold
}
