package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// lobby is a game with one open world, a snapshot of which operators bring back by HTTP.
type lobby struct {
	world *world.World
	queue *edit.Queue
	arena edit.Arena // one for each world, so that its operations wait for one another
}

func (l *lobby) Queue() *edit.Queue { return l.queue }

func (l *lobby) Open(_ context.Context, name, author string) (*arena.OpenArena, error) {
	if name != l.world.Name() {
		return nil, history.ErrNoWorld
	}
	return &arena.OpenArena{Arena: &l.arena}, nil // the game saves the world as it always does
}

func (l *lobby) Capture(_ context.Context, name string) (*world.Capture, error) {
	if name != l.world.Name() {
		return nil, nil
	}
	return l.world.Capture()
}

// A game serves its own open world: an operator saves a snapshot of it, and restores it
// while the game goes on.
func ExampleOptions_arenas() {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	defer st.Close()
	w, err := world.Create(ctx, st, "lobby", world.Options{Whole: true})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	floor := geom.Box{}
	floor.Max.X, floor.Max.Y, floor.Max.Z = 32, 1, 32
	paint := func(name string) {
		_, err := w.Update(func(tx *world.Tx) error {
			d := tx.Dimension("overworld")
			if d == nil {
				d = tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
			}
			v := d.Volume(voxel.Block)
			v.Fill(floor, v.Named(name))
			return v.Err()
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	paint("stone")

	game := &lobby{world: w, queue: edit.New(edit.Options{}), arena: edit.Arena{World: w}}
	defer game.queue.Close()
	handler, err := server.New(st, server.Options{Arenas: game})
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(handler)
	defer web.Close()
	post := func(path, body string) {
		answer, err := http.Post(web.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			why, _ := io.ReadAll(answer.Body)
			log.Fatalf("%s: %s", path, why)
		}
	}

	post("/v1/snapshots/lobby", `{"snapshot":"before"}`)
	paint("lava") // players
	post("/v1/operations/lobby", `{"restore":"before"}`)
	for tick := time.NewTicker(time.Millisecond); game.queue.Len() > 0; { // a game has one of 50 ms
		game.queue.Step(<-tick.C, 0)
	}
	v := w.View().Dimension("overworld").Volume(voxel.Block)
	c, _ := v.Chunk(floor.Min.Chunk())
	fmt.Println(v.CellName(c.Cell(5, 0, 5)))
	// Output: stone
}
