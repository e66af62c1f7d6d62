package edit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestRestoreOfWanderers restores a region from which entities went, in memory and not: who is elsewhere
// stays there and is not made a second time, who died comes back.
func TestRestoreOfWanderers(t *testing.T) {
	entity := func(id byte, x int) voxel.Object {
		uuid := append([]byte{0, 0, 0, 4}, slices.Repeat([]byte{id}, 16)...)
		o, err := clip.Entity(nbt.AppendStringPayload(nil, "minecraft:cow"), &[3]float64{float64(x) + 0.5, 1, 0}, []document.Field{{Type: nbt.IntArray, Name: "UUID", Payload: uuid}})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	own := func(payload string, x int) voxel.Object {
		return voxel.Object{Place: voxel.Moved, At: geom.Point{X: x}, Payload: []byte(payload)}
	}
	put := func(tx *world.Tx, objects ...voxel.Object) {
		d := tx.Dimension("d")
		for x := range int32(40) {
			for _, list := range []string{voxel.Entities, "own"} {
				d.SetObjects(list, geom.ColumnPos{X: x}, nil)
			}
		}
		for _, o := range objects {
			if o.Place == voxel.Moved {
				d.Add("own", o)
			} else {
				d.Add(voxel.Entities, o)
			}
		}
	}
	for _, whole := range []bool{true, false} {
		for _, tt := range []struct {
			name     string
			was, now []voxel.Object
			want     []int // at which x
		}{
			{"went out", []voxel.Object{entity(1, 3)}, []voxel.Object{entity(1, 400)}, []int{400}},
			{"went to the next column", []voxel.Object{entity(1, 3)}, []voxel.Object{entity(1, 17)}, []int{17}},
			{"died", []voxel.Object{entity(1, 3)}, nil, []int{3}},
			{"moved inside", []voxel.Object{entity(1, 3)}, []voxel.Object{entity(1, 5)}, []int{3}},
			{"came in", []voxel.Object{entity(1, 300)}, []voxel.Object{entity(1, 5)}, nil},
			{"one of two died", []voxel.Object{entity(1, 3), entity(2, 4)}, []voxel.Object{entity(2, 200)}, []int{3, 200}},
			{"another stands outside", []voxel.Object{entity(1, 3), entity(2, 100)}, []voxel.Object{entity(2, 101)}, []int{3, 101}},
			{"of a game's own", []voxel.Object{own("cow 1", 3)}, []voxel.Object{own("cow 1", 40)}, []int{40}},
			{"alike, and one died", []voxel.Object{own("cow", 3), own("cow", 40)}, []voxel.Object{own("cow", 41)}, []int{3, 41}},
			{"alike, and one of three went", []voxel.Object{own("cow", 3), own("cow", 4), own("cow", 40)}, []voxel.Object{own("cow", 50), own("cow", 40)}, []int{4, 40, 50}},
		} {
			w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: whole})
			if err != nil {
				t.Fatal(err)
			}
			update := func(objects []voxel.Object) {
				if _, err := w.UpdateContext(t.Context(), func(tx *world.Tx) error {
					tx.AddDimension("d", voxel.BlockVolumes(), nil)
					put(tx, objects...)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Commit(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
			}
			update(tt.was)
			s, err := w.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			update(tt.now)
			q := still(edit.Options{})
			f := q.Add(&edit.Arena{World: w}, &edit.Restore{Snapshot: s, Region: geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}, Objects: true}, 0)
			run(t, q, f)
			if _, err := w.Load(t.Context(), "d", world.Everywhere); err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, list := range []string{voxel.Entities, "own"} {
				for _, o := range w.View().Dimension("d").Objects(list, world.Everywhere) {
					got = append(got, o.At.X)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s, whole %v: at %v, want %v", tt.name, whole, got, tt.want)
			}
			s.Close()
			w.Close()
		}
	}
}

// TestUndoOfContents takes back a Restore that changed contents alone: block by block, and never into
// what somebody built meanwhile.
func TestUndoOfContents(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	at := func(x int) geom.Point { return geom.Point{X: x, Y: 5, Z: 5} }
	set := func(x int, name string, owned ...voxel.Object) {
		if _, err := w.Update(func(tx *world.Tx) error {
			tx.AddDimension("overworld", voxel.BlockVolumes(), nil).SetBlock(at(x), name, owned...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for x := 5; x < 8; x++ {
		set(x, "minecraft:chest")
	}
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for x := 5; x < 8; x++ {
		set(x, "minecraft:chest", content(geom.Point{}, fmt.Sprint("gold", x)))
	}
	q := still(edit.Options{})
	a := &edit.Arena{World: w}
	f := q.Add(a, &edit.Restore{Snapshot: s, Region: geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}, Objects: true}, 0)
	run(t, q, f)
	if got := chests(w); got != "chest, chest, chest" {
		t.Fatal(got)
	}
	set(5, "minecraft:dirt")
	set(6, "minecraft:chest", content(geom.Point{}, "iron"))
	run(t, q, q.Add(a, f.Undo(), 0))
	if got, want := chests(w), "dirt, chest, chest, gold7 7, iron 6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPasteOfWanderers pastes twice: an entity that went to another column since is not brought again, one
// that died is.
func TestPasteOfWanderers(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error { tx.AddDimension("d", voxel.BlockVolumes(), nil); return nil }); err != nil {
		t.Fatal(err)
	}
	c := clip.Air(geom.Point{X: 4, Y: 4, Z: 4})
	c.Version = 3953
	var cows []voxel.Object
	for x := range 3 {
		o, err := clip.Entity(nbt.AppendStringPayload(nil, "minecraft:cow"), &[3]float64{float64(x) + 0.5, 1, 1.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cows = append(cows, o)
	}
	c.Lists = []voxel.List{{Name: voxel.Entities, Objects: cows}}
	q, a := still(edit.Options{}), &edit.Arena{World: w}
	paste := func() (at []int) {
		run(t, q, q.Add(a, &edit.Paste{Clip: c, Objects: true}, 0))
		for _, o := range w.View().Dimension("d").Objects(voxel.Entities, world.Everywhere) {
			at = append(at, o.At.X)
		}
		slices.Sort(at)
		return at
	}
	if at := paste(); !slices.Equal(at, []int{0, 1, 2}) {
		t.Fatalf("pasted at %v", at)
	}
	_, err = w.Update(func(tx *world.Tx) error { // the first dies, the second goes
		d := tx.Dimension("d")
		was := slices.Clone(d.Objects(voxel.Entities, geom.ColumnPos{}))
		d.SetObjects(voxel.Entities, geom.ColumnPos{}, was[2:])
		d.Add(voxel.Entities, clip.Move(was[1], geom.Point{X: 99}))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if at := paste(); !slices.Equal(at, []int{0, 2, 100}) {
		t.Errorf("after the second paste at %v", at)
	}
}
