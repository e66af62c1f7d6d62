package world_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Make a world of blocks, change it, save it, and read an old version.
func Example() {
	ctx := context.Background()
	st := memory.New(memory.Options{}) // store.Open opens others
	defer st.Close()
	w, err := world.Create(ctx, st, "house", world.Options{Whole: true, Author: "ann"})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("main", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		blocks := d.Volume(voxel.Block)
		blocks.Fill(geom.Box{Max: geom.Point{X: 8, Y: 1, Z: 8}}, blocks.Named("planks"))
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	floor, err := w.Commit(ctx, "the floor")
	if err != nil {
		log.Fatal(err)
	}

	p := geom.Point{X: 3, Z: 4}
	change, err := w.Update(func(tx *world.Tx) error {
		blocks := tx.Dimension("main").Volume(voxel.Block)
		blocks.Set(p, blocks.Named("chest"))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(change.Volumes[0].Chunks), "chunk changed")
	if _, err := w.Commit(ctx, "a chest"); err != nil {
		log.Fatal(err)
	}

	old, err := w.At(ctx, floor.ID())
	if err != nil {
		log.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Load(ctx, "main", geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}); err != nil {
		log.Fatal(err)
	}
	for _, in := range []*world.World{old, w} {
		blocks := in.View().Dimension("main").Volume(voxel.Block)
		cell, _ := blocks.Cell(p)
		fmt.Println(blocks.CellName(cell))
	}
	// Output:
	// 1 chunk changed
	// planks
	// chest
}

// A world of which a part is in memory.
func ExampleWorld_Load() {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	defer st.Close()
	w, _ := world.Create(ctx, st, "land", world.Options{})
	defer w.Close()
	w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("main", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		d.Volume(voxel.Block).Fill(geom.Box{Min: geom.Point{X: -500}, Max: geom.Point{X: 500, Y: 9, Z: 9}}, d.Volume(voxel.Block).Named("grass"))
		return nil
	})
	w.Commit(ctx, "grass") // from here on nothing has to stay in memory

	read := func() {
		blocks := w.View().Dimension("main").Volume(voxel.Block)
		cell, loaded := blocks.Cell(geom.Point{X: 100, Y: 3, Z: 3})
		fmt.Println(blocks.CellName(cell), loaded)
	}
	read()
	held, err := w.Load(ctx, "main", geom.Box{Min: geom.Point{X: 96}, Max: geom.Point{X: 128, Y: 32, Z: 32}})
	if err != nil {
		log.Fatal(err)
	}
	read()
	held.Release()
	read()
	// Output:
	// air false
	// grass true
	// air false
}

// Objects such as chests live in columns.
func ExampleDimensionTx_Add() {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	defer st.Close()
	w, _ := world.Create(ctx, st, "shop", world.Options{Whole: true})
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("main", nil, nil)
		d.Add("signs", voxel.Object{Place: voxel.Indexed, At: geom.Point{X: 20, Y: 5, Z: 3}, Payload: []byte("open")})
		d.Add("signs", voxel.Object{Place: voxel.Indexed, At: geom.Point{X: 90, Y: 5, Z: 3}, Payload: []byte("closed")})
		return nil
	}); err != nil {
		log.Fatal(err)
	}
	near := geom.Box{Min: geom.Point{X: 16}, Max: geom.Point{X: 32, Y: 16, Z: 16}}
	for column, o := range w.View().Dimension("main").Objects("signs", near) {
		fmt.Println(column, o.At, string(o.Payload))
	}
	// Output: (1,0) (20,5,3) open
}
