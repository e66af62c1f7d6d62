package autosave_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// inhabited is an open world of the game.
type inhabited struct {
	*autosave.Kept
	mobs    *object.Movers
	viewers *stream.Server
}

// thing is an entity or a block entity of the game. It is Moved: its column says where it is, and not its payload.
func thing(id string) voxel.Object {
	return voxel.Object{Place: voxel.Moved, Payload: nbt.AppendEnd(nbt.AppendString(nil, "id", id))}
}

// A game with islands: a Fleet keeps their worlds, Movers are what lives there, and a stream.Server
// shows each to its players.
func Example_game() {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	defer st.Close()
	islands := make(map[string]*inhabited)
	now := time.Date(2030, 1, 1, 20, 0, 0, 0, time.UTC) // a game takes time.Now()
	fleet := autosave.NewFleet(st, "game-7", now, autosave.Options{
		Create: true,
		World:  world.Options{Whole: true, Author: "game-7"},
		Run:    func(task func()) { task() }, // a game leaves that out, and then has a lock for islands
		Saved: func(k *autosave.Kept, c history.Commit) {
			fmt.Println("saved", k.World().Name(), "as version", c.Number)
		},
		Closing: func(k *autosave.Kept) { // all is saved
			name := k.World().Name()
			fmt.Println("closing", name)
			if err := islands[name].viewers.Close(); err != nil {
				log.Print(err)
			}
			islands[name].mobs.Close()
			delete(islands, name)
		},
	})
	join := func(name string) (*inhabited, error) {
		k, err := fleet.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		k.Players(1)
		_, err = k.World().Update(func(tx *world.Tx) error {
			blocks := tx.AddDimension("overworld", voxel.BlockVolumes(), nil).Volume(voxel.Block)
			blocks.Fill(region.Ball{Center: geom.Point{Y: 56}, Radius: 8}, blocks.Named("minecraft:grass_block"))
			return nil
		})
		if err != nil {
			return nil, err
		}
		mobs, err := object.NewMovers(k.World(), "overworld", object.MoverOptions{})
		if err != nil {
			return nil, err
		}
		viewers, err := stream.Serve(k.World(), stream.Options{})
		islands[name] = &inhabited{k, mobs, viewers} // its viewers come by viewers.Serve
		return islands[name], err
	}
	ann, err := join("islands/ann")
	if err != nil {
		log.Fatal(err)
	}
	var cow octree.ObjectID
	err = ann.mobs.Tick(func(t *object.Tick) (err error) {
		cow, err = t.Spawn(voxel.Entities, thing("minecraft:cow"), octree.Vec{X: 0.5, Y: 65, Z: 0.5})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	for tick := range 600 { // half a minute
		now = now.Add(50 * time.Millisecond)
		if tick == 200 { // a wolf eats the cow, and a chest has what is left: in each version one of both
			err := ann.World().Moment(func() error {
				err := ann.mobs.Tick(func(t *object.Tick) error { return t.Remove(cow) })
				_, updated := ann.World().Update(func(tx *world.Tx) error {
					tx.Dimension("overworld").SetBlock(geom.Point{Y: 65}, "minecraft:chest", thing("minecraft:chest"))
					return nil
				})
				return errors.Join(err, updated)
			})
			if err != nil {
				log.Fatal(err)
			}
			ann.Changed(1)
		}
		if tick == 300 {
			ann.Players(0) // ann leaves
		}
		for _, i := range islands {
			if err := i.viewers.Tick(ctx, now); err != nil {
				log.Print(err)
			}
		}
		for _, e := range fleet.Step(now) {
			fmt.Println(e.Name, e.Kind)
		}
	}
	unsaved, err := fleet.Close(ctx) // when the game ends
	fmt.Println(len(unsaved), err)
	// Output:
	// saved islands/ann as version 1
	// closing islands/ann
	// islands/ann closed
	// 0 <nil>
}
