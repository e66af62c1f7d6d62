package cairn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/region"
)

// Make a world, build, save, fork, go back.
func Example() {
	ctx := context.Background()
	st, err := cairn.Open(ctx, "memory:") // "local:worlds" keeps them in a directory
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	w, err := cairn.Create(ctx, st, "islands/ann")
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	top := cairn.Point{Y: 64}
	w.Edit(func(b cairn.Blocks) error {
		b.Fill(region.Ball{Radius: 20}, "stone")
		b.Set(top, "chest")
		return nil
	})
	first, err := w.Commit(ctx, "a rock with a chest")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Block(top), w.Block(cairn.Point{Y: 20}), w.Block(cairn.Point{Y: 21}))

	w.Fork(ctx, "islands/bob") // shares every stone
	w.Edit(func(b cairn.Blocks) error { b.Set(top, "lava"); return nil })
	w.Commit(ctx, "oops")
	w.Restore(ctx, first.ID(), "back to the chest")
	fmt.Println(w.Block(top))

	versions, err := w.Log(ctx, 10)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range versions {
		fmt.Println(c.Number, c.Message)
	}
	// Output:
	// chest stone air
	// chest
	// 3 back to the chest
	// 2 oops
	// 1 a rock with a chest
}

// Undo takes back edits that nobody has built over.
func ExampleWorld_Undo() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot")
	p := cairn.Point{X: 1, Y: 2, Z: 3}
	w.Edit(func(b cairn.Blocks) error { b.Set(p, "grass"); return nil })
	w.Edit(func(b cairn.Blocks) error { b.Set(p, "gold"); return nil })
	w.Undo(ctx)
	fmt.Println(w.Block(p))
	w.Undo(ctx)
	fmt.Println(w.Block(p))
	// Output:
	// grass
	// air
}

// Load brings back what was saved.
func ExampleLoad() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot")
	w.Edit(func(b cairn.Blocks) error { b.Set(cairn.Point{}, "grass"); return nil })
	w.Commit(ctx, "the first block")
	w.Close()

	again, err := cairn.Load(ctx, st, "plot")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Block(cairn.Point{}))
	// Output: grass
}
