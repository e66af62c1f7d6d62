package dragonfly_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/provider/dragonfly"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	cairn "github.com/cairnvoxel/cairn/world"
	"github.com/df-mc/dragonfly/server/block"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/entity"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/biome"
	"github.com/go-gl/mathgl/mgl64"
)

// run opens a running world of dragonfly in a provider.
func run(t *testing.T, p *dragonfly.Provider) *world.World {
	t.Helper()
	w := world.Config{Provider: p, Entities: entity.DefaultRegistry, RandomTickSpeed: -1, SaveInterval: -1, ChunkUnloadInterval: time.Hour}.New()
	p.Follow(w)
	return w
}

// do runs f in a transaction.
func do(t *testing.T, w *world.World, f func(*world.Tx)) {
	t.Helper()
	_, err := world.Call(t.Context(), w, func(tx *world.Tx) (struct{}, error) {
		f(tx)
		return struct{}{}, nil
	})
	must(t, err)
}

// quiet are options that set a block and nothing else.
var quiet = &world.SetOpts{DisableBlockUpdates: true, DisableLiquidDisplacement: true, DisableRedstoneUpdates: true}

// picture returns what a running world has in a place: blocks of both layers, chests, biomes, entities.
func picture(t *testing.T, w *world.World) (lines []string) {
	do(t, w, func(tx *world.Tx) {
		for x := -20; x < 40; x++ {
			for z := range 20 {
				for y := range 24 {
					at := cube.Pos{x, y, z}
					l, _ := tx.Liquid(at)
					name, states := tx.Block(at).EncodeBlock()
					lines = append(lines, fmt.Sprint(at, name, states, l, tx.Biome(at)))
					if c, ok := tx.Block(at).(block.Chest); ok {
						lines = append(lines, fmt.Sprint(c.CustomName))
					}
				}
			}
		}
		var entities []string
		for e := range tx.Entities() {
			entities = append(entities, fmt.Sprint(e.H().Type().EncodeEntity(), e.H().UUID(), e.Position()))
		}
		slices.Sort(entities)
		lines = append(lines, entities...)
	})
	return lines
}

// shows waits until a running world has a picture.
func shows(t *testing.T, w *world.World, want []string) {
	t.Helper()
	var got []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = picture(t, w); slices.Equal(got, want) {
			return
		}
	}
	n := 0
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			if n++; n < 5 {
				t.Errorf("%s, want %s", got[i], want[i])
			}
		}
	}
	t.Fatalf("%d of %d lines differ", n+max(len(got), len(want))-min(len(got), len(want)), len(want))
}

// still is a text, which does not move.
func still(tx *world.Tx, at mgl64.Vec3) {
	tx.AddEntity(entity.NewText("here", at))
}

// TestRestore takes a running world back to a version and forth again while it runs.
func TestRestore(t *testing.T) {
	p := open(t, memoryStore(t), strict(t))
	w := run(t, p)
	do(t, w, func(tx *world.Tx) {
		for x := -20; x < 40; x++ {
			for z := range 20 {
				tx.SetBlock(cube.Pos{x, 3, z}, block.Stone{}, quiet)
			}
		}
		tx.SetBlock(cube.Pos{1, 4, 1}, block.Chest{CustomName: "old"}, quiet)
		tx.SetBlock(cube.Pos{2, 4, 2}, block.Planks{}, quiet)
		tx.SetBlock(cube.Pos{17, 4, 2}, block.Water{Depth: 8, Still: true}, quiet)
		still(tx, mgl64.Vec3{5, 6, 5})
	})
	w.Save()
	first, err := p.Commit(t.Context(), "a round begins")
	must(t, err)
	before := picture(t, w)
	do(t, w, func(tx *world.Tx) {
		for x := -20; x < 10; x++ { // many, and in the second layer
			for z := range 20 {
				for y := 2; y < 12; y++ {
					tx.SetBlock(cube.Pos{x, y, z}, block.Glass{}, quiet)
				}
				tx.SetLiquid(cube.Pos{x, 13, z}, block.Lava{Depth: 8, Still: true})
			}
		}
		tx.SetBlock(cube.Pos{20, 5, 5}, block.Chest{CustomName: "new"}, quiet) // few
		tx.SetBiome(cube.Pos{25, 8, 9}, biome.Desert{})
		for e := range tx.Entities() {
			e.Close()
		}
		still(tx, mgl64.Vec3{35, 8, 5})
	})
	after := picture(t, w)
	_, err = p.Restore(t.Context(), first.ID(), "again")
	must(t, err)
	shows(t, w, before)
	log, err := p.World().Log(t.Context(), 2)
	must(t, err)
	_, err = p.Restore(t.Context(), log[1].ID(), "undo")
	must(t, err)
	shows(t, w, after)
	w.Save()
	do(t, w, func(tx *world.Tx) { tx.SetBlock(cube.Pos{30, 9, 9}, block.Planks{}, quiet) })
	must(t, w.Close())
}

// TestFollow has an operation change the world beside dragonfly: it sees the blocks, and keeps them when it stores.
func TestFollow(t *testing.T) {
	st := memoryStore(t)
	p := open(t, st, strict(t))
	w := run(t, p)
	do(t, w, func(tx *world.Tx) { tx.SetBlock(cube.Pos{1, 1, 1}, block.Stone{}, nil) })
	w.Save()
	box := geom.Box{Min: geom.Point{X: 2, Y: 2, Z: 2}, Max: geom.Point{X: 9, Y: 9, Z: 9}}
	_, err := p.World().UpdateContext(t.Context(), func(tx *cairn.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(box, v.Named("minecraft:glass"))
		return nil
	})
	must(t, err)
	isGlass := func(w *world.World) (n int) {
		do(t, w, func(tx *world.Tx) {
			for x := range 16 {
				for y := range 16 {
					for z := range 16 {
						if _, ok := tx.Block(cube.Pos{x, y, z}).(block.Glass); ok {
							n++
						}
					}
				}
			}
		})
		return n
	}
	for end := time.Now().Add(time.Minute); isGlass(w) != 343; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("dragonfly sees %d blocks of glass", isGlass(w))
		}
	}
	do(t, w, func(tx *world.Tx) { tx.SetBlock(cube.Pos{2, 2, 2}, block.Air{}, nil) })
	must(t, w.Close())
	w = run(t, open(t, st, strict(t)))
	if n := isGlass(w); n != 342 {
		t.Errorf("%d blocks of glass are left", n)
	}
	must(t, w.Close())
}

// TestArena forks arenas of a template: each has its own blocks, and the template stays.
func TestArena(t *testing.T) {
	st := memoryStore(t)
	m := newMaker(4)
	p := open(t, st, strict(t))
	want := m.column(places[0], world.Overworld)
	want.Entities, want.BlockEntities = nil, nil // which are loaded with their numbers and places
	must(t, p.StoreColumn(places[0], world.Overworld, want), p.Close())
	for i := range 3 {
		name := fmt.Sprint("arenas/", i)
		must(t, dragonfly.Fork(t.Context(), st, "hub", name))
		a, err := dragonfly.Open(t.Context(), st, name, strict(t))
		must(t, err)
		got, err := a.LoadColumn(places[0], world.Overworld)
		must(t, err)
		if d := differs(got, want); d != "" {
			t.Fatal(d)
		}
		begin := a.World().Head()
		must(t, a.StoreColumn(places[0], world.Overworld, m.column(places[0], world.Overworld)))
		_, err = a.Restore(t.Context(), begin, "the round is over")
		must(t, err)
		got, err = a.LoadColumn(places[0], world.Overworld)
		must(t, err, a.Close())
		if d := differs(got, want); d != "" {
			t.Fatal(d)
		}
	}
	if err := dragonfly.Fork(context.Background(), st, "none", "arenas/4"); err == nil {
		t.Error("forked nothing")
	}
}
