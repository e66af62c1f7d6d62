package autosave_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/cairnvoxel/cairn/autosave"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// A game of one island, which a player leaves after a while.
func Example() {
	ctx := context.Background()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "island", world.Options{})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2020, 1, 1, 20, 0, 0, 0, time.UTC) // a game takes time.Now()
	p := autosave.New(now, autosave.Options{})
	kept, err := p.Open(w)
	if err != nil {
		log.Fatal(err)
	}
	kept.Players(1)
	for tick := range 1200 {
		now = now.Add(time.Second)
		switch {
		case tick%4 == 0 && tick <= 800:
			if _, err := w.Update(func(tx *world.Tx) error {
				tx.SetProperty("tick", fmt.Sprint(tick))
				return nil
			}); err != nil {
				log.Fatal(err)
			}
			kept.Changed(20)
		case tick == 801:
			kept.Players(0)
		}
		saves, closed := p.Step(now)
		for _, s := range saves { // a game has goroutines for these
			fmt.Println(now.Format(time.TimeOnly), "saved", s.World.Name(), s.Run(ctx))
		}
		for _, c := range closed {
			fmt.Println(now.Format(time.TimeOnly), "closed", c.Name(), c.(*world.World).Close())
		}
	}
	// Output:
	// 20:04:25 saved island <nil>
	// 20:08:51 saved island <nil>
	// 20:13:17 saved island <nil>
	// 20:13:31 saved island <nil>
	// 20:13:32 closed island <nil>
}
