package world_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// treasure is a block entity.
func treasure(p geom.Point, what string) voxel.Object {
	return voxel.Object{Place: voxel.Moved, At: p, Payload: []byte(what)}
}

// A block entity goes with its block, whatever writes, and stays with a block that is only in
// another state.
func TestOwned(t *testing.T) {
	const list = voxel.BlockEntities
	at, beside := geom.Point{X: 5, Y: 40, Z: 5}, geom.Point{X: 6, Y: 40, Z: 5}
	to := func(name string) func(d *world.DimensionTx) {
		return func(d *world.DimensionTx) {
			v := d.Volume(voxel.Block)
			v.Set(at, v.Named(name))
		}
	}
	kept := []string{"gold", "coal"}
	for _, tt := range []struct {
		name, block, list string
		f                 func(d *world.DimensionTx)
		want              []string
	}{
		{"another block", "minecraft:chest[facing=east]", list, to("minecraft:stone"), kept[1:]},
		{"air", "minecraft:chest", list, to("air"), kept[1:]},
		{"a longer name", "minecraft:chest", list, to("minecraft:chest_of_a_mod"), kept[1:]},
		{"another state", "minecraft:chest[facing=east]", list, to("minecraft:chest[facing=west,type=left]"), kept},
		{"a state more", "minecraft:chest", list, to("minecraft:chest[facing=west]"), kept},
		{"other data", "legacy:54/2", list, to("legacy:54/3"), kept},
		{"another number", "legacy:54/2", list, to("legacy:540/2"), kept[1:]},
		{"there and back", "minecraft:chest", list, func(d *world.DimensionTx) { to("minecraft:stone")(d); to("minecraft:chest")(d) }, kept},
		{"a list of no game", "minecraft:chest", "chests", to("minecraft:stone"), kept},
		{"a region", "minecraft:chest", list, func(d *world.DimensionTx) {
			d.Volume(voxel.Block).Fill(geom.Box{Max: geom.Point{X: 32, Y: 64, Z: 32}}, voxel.Empty)
		}, nil},
		{"a whole chunk", "minecraft:chest", list, func(d *world.DimensionTx) { d.Volume(voxel.Block).SetChunk(at.Chunk(), nil) }, nil},
		{"with another content", "minecraft:chest", list, func(d *world.DimensionTx) {
			to("minecraft:furnace")(d)
			d.Add(list, treasure(at, "ore"))
		}, []string{"coal", "ore"}},
		{"content first", "minecraft:chest", list, func(d *world.DimensionTx) {
			d.Add(list, treasure(at, "ore"))
			to("minecraft:furnace")(d)
		}, []string{"coal", "ore"}},
		{"new content", "minecraft:chest", list, func(d *world.DimensionTx) { d.Add(list, treasure(at, "ore")) }, []string{"coal", "ore"}},
		{"new content of no game", "minecraft:chest", "chests", func(d *world.DimensionTx) { d.Add("chests", treasure(at, "ore")) }, append(slices.Clone(kept), "ore")},
		{"no block", "minecraft:chest", list, func(d *world.DimensionTx) { d.SetObjects("cows", geom.ColumnPos{}, nil) }, kept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStore()
			w := create(t, st, "a", world.Options{Whole: true})
			defer closeWorld(t, w)
			update(t, w, func(tx *world.Tx) {
				d := tx.Dimension(earth)
				v := d.Volume(voxel.Block)
				v.Set(at, v.Named(tt.block))
				v.Set(beside, v.Named("minecraft:barrel"))
				d.SetObjects(tt.list, geom.ColumnPos{}, []voxel.Object{treasure(at, "gold"), treasure(beside, "coal")})
			})
			first := commit(t, w)
			change := update(t, w, func(tx *world.Tx) { tt.f(tx.Dimension(earth)) })
			if got := payloads(w, tt.list, world.Everywhere); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(tt.want, kept) && len(change.Columns) == 0 {
				t.Error("the change does not say that the column changed")
			}
			second := commit(t, w)
			for _, back := range []struct {
				to   history.Commit
				want []string
			}{{first, kept}, {second, tt.want}} {
				if _, err := w.Restore(ctx, back.to.ID(), ""); err != nil {
					t.Fatal(err)
				}
				if got := payloads(w, tt.list, world.Everywhere); !slices.Equal(got, back.want) {
					t.Errorf("version %d has %q, want %q", back.to.Number, got, back.want)
				}
			}
		})
	}
}

// A chunk that is written without being loaded takes no block entity away unseen, and leaves none in air.
func TestOwnedNotLoaded(t *testing.T) {
	st := newStore()
	at := geom.Point{X: 5, Y: 40, Z: 5}
	w := create(t, st, "a", world.Options{Whole: true})
	set(t, w, at, "minecraft:chest")
	update(t, w, func(tx *world.Tx) { tx.Dimension(earth).Add(voxel.BlockEntities, treasure(at, "gold")) })
	commit(t, w)
	closeWorld(t, w)
	for _, tt := range []struct {
		block string
		want  int
	}{{"minecraft:chest[type=left]", 1}, {"minecraft:stone", 0}, {"air", 0}} {
		w := open(t, st, "a", world.Options{})
		held, err := w.Load(ctx, earth, world.Everywhere, world.Columns)
		if err != nil {
			t.Fatal(err)
		}
		write := func(tx *world.Tx) error {
			v := tx.Dimension(earth).Volume(voxel.Block)
			v.SetChunk(at.Chunk(), voxel.Uniform(v.Named(tt.block)))
			return nil
		}
		if _, err := w.Update(write); (err != nil) != (tt.block != "air") || err != nil && !errors.Is(err, world.ErrNotLoaded) {
			t.Errorf("%s: %v", tt.block, err)
		}
		if _, err := w.UpdateContext(ctx, write); err != nil {
			t.Errorf("%s: %v", tt.block, err)
		}
		if got := payloads(w, voxel.BlockEntities, world.Everywhere); len(got) != tt.want {
			t.Errorf("%s: %q", tt.block, got)
		}
		held.Release()
		closeWorld(t, w)
	}
}
