package edit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// with returns a clip of one block with block entities, whose positions count from its corner.
func with(t *testing.T, block string, objects ...voxel.Object) *clip.Clip {
	t.Helper()
	b := clip.NewBuilder(geom.Point{X: 1, Y: 1, Z: 1}, 0, nil)
	b.Run(1, 1)
	v, err := b.View()
	if err != nil {
		t.Fatal(err)
	}
	c := clip.Air(geom.Point{X: 1, Y: 1, Z: 1})
	c.Version = 3953
	c.Block = clip.Contents{Names: []string{"air", block}, View: v, Scale: 1}
	c.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: objects}}
	return c
}

func content(p geom.Point, what string) voxel.Object {
	return voxel.Object{Place: voxel.Moved, At: p, Payload: []byte(what)}
}

// chests says what is at the cells of a row, and what block entities there are.
func chests(w *world.World) string {
	d := w.View().Dimension("overworld")
	v := d.Volume(voxel.Block)
	var out []string
	for x := 5; x < 8; x++ {
		c, _ := v.Cell(geom.Point{X: x, Y: 5, Z: 5})
		out = append(out, strings.TrimPrefix(v.CellName(c), "minecraft:"))
	}
	var objects []string
	for _, o := range d.Objects(voxel.BlockEntities, world.Everywhere) {
		objects = append(objects, fmt.Sprintf("%s %v", o.Payload, o.At.X))
	}
	slices.Sort(objects)
	return strings.Join(append(out, objects...), ", ")
}

// TestOwned: block entities go, come and stay with their blocks, and undo gives both back.
func TestOwned(t *testing.T) {
	at, beside := geom.Point{X: 5, Y: 5, Z: 5}, geom.Point{X: 6, Y: 5, Z: 5}
	const was = "chest, barrel, air, coal 6, gold 5"
	air, err := region.ParseMask("air")
	if err != nil {
		t.Fatal(err)
	}
	one := geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 1, Z: 1})}
	ore := content(geom.Point{}, "ore")
	for _, tt := range []struct {
		name string
		op   edit.Task
		want string
	}{
		{"paste", &edit.Paste{Clip: with(t, "minecraft:furnace", ore), At: at, Objects: true}, "furnace, barrel, air, coal 6, ore 5"},
		{"into air", &edit.Paste{Clip: with(t, "minecraft:furnace", ore), At: at.Add(geom.Point{X: 2}), Objects: true}, "chest, barrel, furnace, coal 6, gold 5, ore 7"},
		{"masked", &edit.Paste{Clip: with(t, "minecraft:furnace", ore), At: at, Objects: true, Mask: air}, was},
		{"masked, without content", &edit.Paste{Clip: with(t, "minecraft:stone"), At: at, Objects: true, Mask: air}, was},
		{"in a region", &edit.Paste{Clip: with(t, "minecraft:furnace", ore), At: at, Objects: true, Region: one}, "furnace, barrel, air, coal 6, ore 5"},
		{"outside of a region", &edit.Paste{Clip: with(t, "minecraft:furnace", ore), At: at, Objects: true, Region: geom.Box{Min: beside, Max: geom.Point{X: 64, Y: 64, Z: 64}}}, was},
		{"masked, one block", &edit.Paste{Clip: with(t, "minecraft:chest", ore), At: at, Objects: true, Mask: air}, was},
		{"one block", &edit.Paste{Clip: with(t, "minecraft:chest", ore), At: at, Objects: true}, "chest, barrel, air, coal 6, ore 5"},
		{"one block, without content", &edit.Paste{Clip: with(t, "minecraft:chest"), At: at, Objects: true}, "chest, barrel, air, coal 6"},
		{"without objects", &edit.Paste{Clip: with(t, "minecraft:stone", ore), At: at}, "stone, barrel, air, coal 6"},
		{"another state, without objects", &edit.Paste{Clip: with(t, "minecraft:chest[facing=west]", ore), At: at}, "chest[facing=west], barrel, air, coal 6, gold 5"},
		{"void", &edit.Paste{Clip: with(t, clip.Void, ore), At: at, Objects: true}, was},
		{"no air", &edit.Paste{Clip: with(t, "minecraft:air", ore), At: at, Objects: true, NoAir: true}, was},
		{"two contents", &edit.Paste{Clip: with(t, "minecraft:chest", ore, content(geom.Point{}, "iron")), At: at, Objects: true}, "chest, barrel, air, coal 6, iron 5"},
		{"outside of the box", &edit.Paste{Clip: with(t, "minecraft:stone", content(geom.Point{X: 100, Y: 1, Z: -1}, "far"), content(geom.Point{X: 1}, "near")), At: at.Add(geom.Point{X: 2}), Objects: true}, "chest, barrel, stone, coal 6, gold 5"},
		{"fill", &edit.Fill{Region: one, Name: "minecraft:stone"}, "stone, barrel, air, coal 6"},
		{"fill with another state", &edit.Fill{Region: one, Name: "minecraft:chest[facing=west]"}, "chest[facing=west], barrel, air, coal 6, gold 5"},
		{"masked fill", &edit.Fill{Region: one, Name: "minecraft:stone", Mask: air}, was},
		{"fill all", &edit.Fill{Region: geom.Box{Max: geom.Point{X: 64, Y: 64, Z: 64}}, Name: "air"}, "air, air, air"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := world.Create(t.Context(), memory.New(memory.Options{}), "a", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			_, err = w.Update(func(tx *world.Tx) error {
				d := tx.AddDimension("overworld", voxel.BlockVolumes(), nil)
				v := d.Volume(voxel.Block)
				v.Set(at, v.Named("minecraft:chest"))
				v.Set(beside, v.Named("minecraft:barrel"))
				d.Add(voxel.BlockEntities, content(at, "gold"))
				d.Add(voxel.BlockEntities, content(beside, "coal"))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			before, err := w.Capture()
			if err != nil {
				t.Fatal(err)
			}
			defer before.Close()
			q := still(edit.Options{})
			defer q.Close()
			a := &edit.Arena{World: w, Dimension: "overworld"}
			f := q.Add(a, tt.op, 0)
			run(t, q, f)
			if got := chests(w); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			for pos := range w.View().Dimension("overworld").Columns(world.Everywhere) {
				if pos != (geom.ColumnPos{}) {
					t.Errorf("column %v", pos)
				}
			}
			back := q.Add(a, f.Undo(), 0)
			run(t, q, back)
			if got := chests(w); got != was {
				t.Errorf("undone: got %s", got)
			}
			run(t, q, q.Add(a, back.Undo(), 0))
			if got := chests(w); got != tt.want {
				t.Errorf("done again: got %s, want %s", got, tt.want)
			}
			restored := q.Add(a, &edit.Restore{Capture: before, Objects: true}, 0)
			run(t, q, restored)
			if got := chests(w); got != was {
				t.Errorf("restored: got %s", got)
			}
			run(t, q, q.Add(a, restored.Undo(), 0))
			if got := chests(w); got != tt.want {
				t.Errorf("restore undone: got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestUndoOfFarContents takes back a Restore whose column has contents in chunks that are not in memory.
func TestUndoOfFarContents(t *testing.T) {
	for _, whole := range []bool{true, false} {
		w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		at := func(y int) geom.Point { return geom.Point{X: 5, Y: y, Z: 5} }
		set := func(y int, name string, owned ...voxel.Object) {
			if _, err := w.UpdateContext(t.Context(), func(tx *world.Tx) error {
				tx.AddDimension("overworld", voxel.BlockVolumes(), nil).SetBlock(at(y), name, owned...)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		set(5, "minecraft:dirt")
		set(100, "minecraft:chest", content(geom.Point{}, "high"))
		if _, err := w.Commit(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		s, err := w.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		set(5, "minecraft:chest", content(geom.Point{}, "low"))
		set(100, "minecraft:chest", content(geom.Point{}, "gold"))
		if _, err := w.Commit(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		see := func() string {
			h, err := w.Load(t.Context(), "overworld", world.Everywhere)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Release()
			return chests(w)
		}
		was := see()
		q := still(edit.Options{})
		a := &edit.Arena{World: w}
		f := q.Add(a, &edit.Restore{Snapshot: s, Region: geom.Box{Max: geom.Point{X: 16, Y: 116, Z: 16}}, Objects: true}, 0)
		run(t, q, f)
		if _, err := w.Commit(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		run(t, q, q.Add(a, f.Undo(), 0))
		if got := see(); got != was {
			t.Errorf("whole %v: got %s, want %s", whole, got, was)
		}
	}
}

// TestBesideContents changes a chunk over whose column a block owns something in a chunk that is not in memory.
func TestBesideContents(t *testing.T) {
	st := memory.New(memory.Options{})
	w, err := world.Create(t.Context(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension("overworld", voxel.BlockVolumes(), nil).SetBlock(geom.Point{X: 5, Y: 100, Z: 5}, "minecraft:chest", content(geom.Point{}, "high"))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	w.Close()
	w, err = world.Open(t.Context(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := still(edit.Options{})
	a := &edit.Arena{World: w}
	run(t, q, q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}, Name: "minecraft:stone"}, 0))
}
