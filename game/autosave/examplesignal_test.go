//go:build unix

package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// A signal ends a game: what was changed is saved within ten seconds, and what cannot be saved
// is named.
func ExampleFleet_Close() {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	ctx := context.Background()
	st := kept("players/ann/island", "players/bob/island") // or the client.Store of a server
	defer st.Close()

	fleet := autosave.NewFleet(st, "game-7", time.Now(), autosave.Options{World: world.Options{Manual: true}}) // a server packs
	for _, name := range []string{"players/ann/island", "players/bob/island"} {
		w, err := fleet.Open(ctx, name)
		if err != nil {
			log.Fatal(err)
		}
		w.Players(1)
		if _, err := w.World().Update(func(tx *world.Tx) error { tx.SetProperty("visited", "yes"); return nil }); err != nil {
			log.Fatal(err)
		}
		w.Changed(1)
	}
	if err := st.Release(ctx, "players/bob/island", history.Force); err != nil { // by someone else
		log.Fatal(err)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil { // by whoever runs the game
		log.Fatal(err)
	}

	for tick := time.Tick(50 * time.Millisecond); stop.Err() == nil; {
		select {
		case <-stop.Done():
		case now := <-tick: // of the game
			for _, e := range fleet.Step(now) {
				fmt.Println(e.Name, e.Kind, e.Err)
			}
		}
	}

	ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	unsaved, err := fleet.Close(ctx)
	for _, u := range unsaved {
		fmt.Println("not saved:", u.Name, "lease lost:", errors.Is(u.Err, history.ErrFenced))
	}
	fmt.Println(err)
	// Output:
	// not saved: players/bob/island lease lost: true
	// <nil>
}

// kept returns a Store with some worlds.
func kept(names ...string) history.Store {
	st := memory.New(memory.Options{})
	for _, name := range names {
		if err := st.Create(context.Background(), name); err != nil {
			log.Fatal(err)
		}
	}
	return st
}
