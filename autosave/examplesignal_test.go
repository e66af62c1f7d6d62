//go:build unix

package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os/signal"
	"syscall"
	"time"

	"github.com/cairnvoxel/cairn/autosave"
	"github.com/cairnvoxel/cairn/client"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// A game whose worlds are a server's, each under a lease. A signal ends it: what
// was changed is saved within ten seconds, and what cannot be is named.
func ExamplePolicy_Drain() {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	ctx := context.Background()
	st, end := serve("players/ann/island", "players/bob/island")
	defer end()

	leases := autosave.NewLeases(st, time.Now(), time.Minute)
	p := autosave.New(time.Now(), autosave.Options{})
	for _, name := range []string{"players/ann/island", "players/bob/island"} {
		lease, err := leases.Take(ctx, name, "game-7")
		if err != nil {
			log.Fatal(err)
		}
		w, err := world.Open(ctx, st, name, world.Options{Fence: lease.Fence})
		if err != nil {
			log.Fatal(err)
		}
		defer w.Close()
		leases.Hold(w)
		kept, err := p.Open(w)
		if err != nil {
			log.Fatal(err)
		}
		kept.Players(1)
		if _, err := w.Update(func(tx *world.Tx) error { tx.SetProperty("visited", "yes"); return nil }); err != nil {
			log.Fatal(err)
		}
		kept.Changed(1)
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
			saves, _ := p.Step(now)
			for _, s := range saves {
				go s.Run(stop) // those that the signal ends are made again by Drain
			}
			due, _ := leases.Step(now)
			for _, r := range due {
				go r.Run(stop)
			}
		}
	}

	ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, u := range p.Drain(ctx) {
		fmt.Println("not saved:", u.Name, "lease lost:", errors.Is(u.Err, history.ErrFenced))
	}
	for _, name := range []string{"players/ann/island", "players/bob/island"} {
		err := leases.Release(ctx, name)
		fmt.Println(name, "released:", err == nil)
	}
	// Output:
	// not saved: players/bob/island lease lost: true
	// players/ann/island released: true
	// players/bob/island released: false
}

// serve returns a server's Store with some worlds, and what ends both.
func serve(names ...string) (st *client.Store, end func()) {
	kept := memory.New(memory.Options{})
	for _, name := range names {
		if err := kept.Create(context.Background(), name); err != nil {
			log.Fatal(err)
		}
	}
	s, err := server.New(kept, server.Options{})
	if err != nil {
		log.Fatal(err)
	}
	h := httptest.NewServer(s)
	if st, err = client.Open(context.Background(), h.URL, client.Options{}); err != nil {
		log.Fatal(err)
	}
	return st, func() {
		if err := errors.Join(st.Close(), kept.Close()); err != nil {
			log.Fatal(err)
		}
		h.Close()
	}
}
