package cairn_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// A game server with 100 islands: a player comes to each, builds, and leaves.
func ExampleFromFleet() {
	ctx := context.Background()
	st, err := cairn.Open(ctx, "memory:") // or "local:islands", or "https://HOST"
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	now := time.Date(2020, 1, 1, 20, 0, 0, 0, time.UTC) // a game takes time.Now()
	fleet := autosave.NewFleet(st, "game-7", now, autosave.Options{Create: true})
	islands := make(map[string]*cairn.World)
	join := func(name string) (*cairn.World, error) {
		kept, err := fleet.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		islands[name], err = cairn.FromFleet(ctx, kept, cairn.Options{Author: name})
		return islands[name], err
	}
	for i := range 100 {
		w, err := join(fmt.Sprintf("islands/%03d", i))
		if err != nil {
			log.Fatal(err)
		}
		w.Players(1)
		if _, err := w.Edit(ctx, func(b cairn.Blocks) error { b.Fill(region.Ball{Radius: 8}, "dirt"); return nil }); err != nil {
			log.Fatal(err)
		}
		w.Players(0)
	}
	for len(islands) > 0 { // each tick of the game
		now = now.Add(50 * time.Millisecond)
		for _, e := range fleet.Step(now) {
			if e.Kind != autosave.Failed {
				delete(islands, e.Name) // closed, or lost to another server
			}
		}
	}
	unsaved, err := fleet.Close(ctx) // when the game ends
	names, _ := st.List(ctx, "islands/", "", 1000)
	fmt.Println(len(names), "islands are kept,", len(unsaved), "unsaved,", err)
	// Output: 100 islands are kept, 0 unsaved, <nil>
}
