package cairn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cairnvoxel/cairn"
	_ "github.com/cairnvoxel/cairn/store/local" // opens local:DIR
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Make a world, build, save, fork, go back.
func Example() {
	ctx := context.Background()
	st, err := cairn.Open(ctx, "memory:") // or "local:worlds", a directory, or "https://HOST"
	check(err)
	defer st.Close()
	w, err := cairn.Create(ctx, st, "islands/ann", cairn.Options{Author: "ann"})
	check(err)
	defer w.Close()

	top := cairn.Point{Y: 64}
	_, err = w.Edit(ctx, func(b cairn.Blocks) error {
		b.Fill(region.Ball{Radius: 20}, "stone")
		b.Set(top, "chest")
		return nil
	})
	check(err)
	first, err := w.Commit(ctx, "a rock with a chest")
	check(err)
	w.Fork(ctx, "islands/bob") // shares everything stored

	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(top, "lava"); return nil })
	w.Commit(ctx, "oops")
	w.Restore(ctx, first.ID(), "back to the chest")
	fmt.Println(w.Block(top), w.Block(cairn.Point{Y: 20}), w.Block(cairn.Point{Y: 21})) // chest stone air

	versions, err := w.Log(ctx, 10)
	check(err)
	for _, c := range versions {
		fmt.Println(c.Number, c.Message)
	}
	// Output:
	// chest stone air
	// 3 back to the chest
	// 2 oops
	// 1 a rock with a chest
}

// check ends the program at an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Edit returns what it changed, so that a game knows which chunks to send to its
// players.
func ExampleWorld_Edit() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot", cairn.Options{})
	change, err := w.Edit(ctx, func(b cairn.Blocks) error {
		for x := range 40 {
			b.Set(cairn.Point{X: x}, "rail")
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range change.Volumes {
		for _, c := range v.Chunks {
			fmt.Println(v.Volume, c.Pos, c.New.CountNonEmpty())
		}
	}
	// Output:
	// block (0,0,0) 32
	// block (1,0,0) 8
}

// A name is looked up once for a loop over many blocks.
func ExampleBlocks_Named() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "field", cairn.Options{})
	w.Edit(ctx, func(b cairn.Blocks) error {
		dirt, grass, air := b.Named("dirt"), b.Named("grass"), b.Named("air")
		b.Fill(region.Ball{Radius: 9}, "dirt")
		for x := -9; x <= 9; x++ {
			for z := -9; z <= 9; z++ {
				for y := -9; y <= 9; y++ {
					p := cairn.Point{X: x, Y: y, Z: z}
					here, _ := b.Cells.Cell(p)
					above, _ := b.Cells.Cell(p.Add(cairn.Point{Y: 1}))
					if here == dirt && above == air {
						b.Cells.Set(p, grass)
					}
				}
			}
		}
		return nil
	})
	fmt.Println(w.Block(cairn.Point{Y: 9}), w.Block(cairn.Point{Y: 8}), w.Block(cairn.Point{X: 8, Y: 4}))
	// Output: grass dirt grass
}

// Undo takes back edits that nobody has built over, and Redo does them again.
func ExampleWorld_Undo() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot", cairn.Options{})
	p := cairn.Point{X: 1, Y: 2, Z: 3}
	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(p, "grass"); return nil })
	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(p, "gold"); return nil })
	w.Undo(ctx)
	fmt.Println(w.Block(p))
	w.Undo(ctx)
	fmt.Println(w.Block(p))
	w.Redo(ctx)
	fmt.Println(w.Block(p))
	// Output:
	// grass
	// air
	// grass
}

// OpenWorld brings back what was saved.
func ExampleOpenWorld() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot", cairn.Options{})
	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(cairn.Point{}, "grass"); return nil })
	w.Commit(ctx, "the first block")
	w.Close()

	again, err := cairn.OpenWorld(ctx, st, "plot", cairn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close()
	fmt.Println(again.Block(cairn.Point{}))
	// Output: grass
}

// An old version is a world that can be read.
func ExampleWorld_World() {
	ctx := context.Background()
	st, _ := cairn.Open(ctx, "memory:")
	w, _ := cairn.Create(ctx, st, "plot", cairn.Options{})
	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(cairn.Point{}, "grass"); return nil })
	first, _ := w.Commit(ctx, "grass")
	w.Edit(ctx, func(b cairn.Blocks) error { b.Set(cairn.Point{}, "stone"); return nil })

	old, err := w.World().At(ctx, first.ID())
	if err != nil {
		log.Fatal(err)
	}
	defer old.Close()
	before, err := cairn.From(ctx, old, cairn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(before.Block(cairn.Point{}), w.Block(cairn.Point{}))
	// Output: grass stone
}
