package world_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestManyInOneUpdate puts many things of a kind into one update. What that allocates does
// not grow with their square: a copy of all before it for each would be gigabytes.
func TestManyInOneUpdate(t *testing.T) {
	const n = 20_000
	for _, tt := range []struct {
		name string
		add  func(tx *world.Tx, i int)
		have func(v *world.View) int
	}{
		{"names", func(tx *world.Tx, i int) {
			if v := tx.Dimension(earth).Volume(voxel.Block); int(v.Named(fmt.Sprint("n", i))) != i+1 || int(v.Named(fmt.Sprint("n", i/2))) != i/2+1 {
				t.Errorf("name %d has another cell", i)
			}
		}, func(v *world.View) int { return len(v.Dimension(earth).Volume(voxel.Block).Names()) - 1 }},
		{"objects", func(tx *world.Tx, i int) {
			tx.Dimension(earth).Add("x", voxel.Object{At: geom.Point{X: i % 16}, Place: voxel.Moved, Payload: []byte{byte(i)}})
		}, func(v *world.View) int {
			c, _ := v.Dimension(earth).Column(geom.ColumnPos{})
			for i, o := range c.Lists[0].Objects {
				if o.At.X != i%16 || o.Payload[0] != byte(i) {
					t.Errorf("object %d is another", i)
				}
			}
			return len(c.Lists[0].Objects)
		}},
		{"properties", func(tx *world.Tx, i int) { tx.SetProperty(fmt.Sprintf("%06d", (i*7919)%n), "x") },
			func(v *world.View) int { return len(v.Properties()) }},
		{"files", func(tx *world.Tx, i int) { tx.SetFile(fmt.Sprintf("%06d", (i*7919)%n), []byte("x")) },
			func(v *world.View) int { return len(v.Files()) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := create(t, newStore(), "a", world.Options{Whole: true})
			before := w.View()
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			update(t, w, func(tx *world.Tx) {
				for i := range n {
					tt.add(tx, i)
				}
			})
			runtime.ReadMemStats(&to)
			if got := tt.have(w.View()); got != n {
				t.Errorf("got %d, want %d", got, n)
			}
			if bytes := to.TotalAlloc - from.TotalAlloc; bytes > n*8<<10 {
				t.Errorf("%d bytes for %d", bytes, n)
			}
			if names := before.Dimension(earth).Volume(voxel.Block).Names(); len(names) != 1 || len(before.Properties())+len(before.Files()) != 0 {
				t.Error("a View of before changed")
			}
			commit(t, w)
		})
	}
}

// A list that the caller set is not changed by what Add adds to it later.
func TestAddKeepsTheListsOfOthers(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	mine := make([]voxel.Object, 1, 8)
	mine[0].Payload = []byte("mine")
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.SetObjects("x", geom.ColumnPos{}, mine)
		d.Add("x", voxel.Object{Payload: []byte("a")})
		d.Add("x", voxel.Object{Payload: []byte("b")})
		some := d.Objects("x", geom.ColumnPos{})
		d.SetObjects("x", geom.ColumnPos{}, some[:2])
		d.Add("x", voxel.Object{Payload: []byte("c")})
		if string(some[2].Payload) != "b" {
			t.Error("Add changed a list that Objects returned")
		}
	})
	var got string
	c, _ := w.View().Dimension(earth).Column(geom.ColumnPos{})
	for _, o := range c.Lists[0].Objects {
		got += string(o.Payload) + " "
	}
	if got != "mine a c " || string(mine[:2][1].Payload) != "" {
		t.Errorf("got %q, and the caller's list %q", got, mine[:2])
	}
}

// Properties and files that one update sets more than once, or removes.
func TestSetAgainInOneUpdate(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		tx.SetProperty("old", "1")
		tx.SetFile("old", []byte("1"))
	})
	commit(t, w)
	update(t, w, func(tx *world.Tx) {
		tx.SetProperty("old", "1")
		tx.SetProperty("none", "")
		tx.SetFile("none", nil)
	})
	if w.Dirty() {
		t.Error("setting what is there is a change")
	}
	update(t, w, func(tx *world.Tx) {
		tx.SetProperty("old", "")
		tx.SetProperty("new", "1")
		tx.SetProperty("new", "2")
		tx.SetProperty("gone", "1")
		tx.SetProperty("gone", "")
		tx.SetFile("old", nil)
		tx.SetFile("new", []byte("1"))
		tx.SetFile("new", []byte("22"))
		tx.SetFile("gone", []byte("1"))
		tx.SetFile("gone", nil)
	})
	if got := fmt.Sprint(w.View().Properties(), w.View().Files()); got != "[{new 2}] [{new 2}]" {
		t.Errorf("got %s", got)
	}
}

// TestWideCellsBeyondSpace are cells of biomes farther out than blocks can be: whoever holds all
// has them, whoever holds the edge of space too, and nobody else.
func TestWideCellsBeyondSpace(t *testing.T) {
	for _, p := range []geom.Point{{X: 1<<23 - 1}, {X: 1 << 24}, {X: -1 << 23}, {X: -1<<23 - 1, Y: 1 << 24}, {Y: 1<<25 - 1}, {Z: -1 << 25}} {
		st := newStore()
		w := create(t, st, "a", world.Options{})
		biome := func(w *world.World) (string, bool) {
			v := w.View().Dimension(earth).Volume(voxel.Biome)
			c, ok := v.Cell(p)
			return v.CellName(c), ok
		}
		put := func(name string) func(tx *world.Tx) error {
			return func(tx *world.Tx) error {
				v := tx.Dimension(earth).Volume(voxel.Biome)
				v.Set(p, v.Named(name))
				return nil
			}
		}
		if _, err := w.Update(put("desert")); err != nil {
			t.Fatal(err)
		}
		c := commit(t, w)
		if _, ok := biome(w); ok {
			t.Errorf("%v: in memory, and nobody holds it", p)
		}
		if _, err := w.UpdateContext(ctx, put("plains")); err != nil {
			t.Fatal(err)
		}
		commit(t, w)
		held, err := w.Load(ctx, earth, world.Everywhere)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := biome(w); got != "plains" {
			t.Errorf("%v: held, and got %q", p, got)
		}
		if _, err := w.Restore(ctx, c.ID(), "back"); err != nil {
			t.Fatal(err)
		}
		if got, _ := biome(w); got != "desert" {
			t.Errorf("%v: held and restored, and got %q", p, got)
		}
		held.Release()
		if _, ok := biome(w); ok {
			t.Errorf("%v: in memory after Release", p)
		}
		w.Close()
		w, err = world.Open(ctx, st, "a", world.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := biome(w); got != "desert" {
			t.Errorf("%v: opened whole, and got %q", p, got)
		}
	}
	w := create(t, newStore(), "a", world.Options{})
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(earth).Volume(voxel.Biome)
		v.Set(geom.Point{X: 1 << 25}, v.Named("desert"))
		return nil
	})
	if !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("beyond what a volume has: %v", err)
	}
}

// TestNames gives a world names that none can have, and the longest that one can.
func TestNames(t *testing.T) {
	long := strings.Repeat("n", voxel.MaxName)
	for _, name := range []string{"", "a\x00b", "\xff", long + "n", long} {
		for what, f := range map[string]func(*world.Tx){
			"dimension": func(tx *world.Tx) {
				v := tx.AddDimension(name, voxel.BlockVolumes(), nil).Volume(voxel.Block)
				v.Set(geom.Point{X: 1}, v.Named("stone"))
			},
			"volume": func(tx *world.Tx) {
				v := tx.AddDimension("d", []voxel.Volume{{Name: name, Scale: 1}}, nil).Volume(name)
				v.Set(geom.Point{X: 1}, v.Named("stone"))
			},
			"property": func(tx *world.Tx) { tx.SetProperty(name, "x") },
			"list": func(tx *world.Tx) {
				tx.AddDimension("d", voxel.BlockVolumes(), nil).SetObjects(name, geom.ColumnPos{}, []voxel.Object{{}})
			},
		} {
			w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			_, err = w.Update(func(tx *world.Tx) error { f(tx); return nil })
			if ok := name == long; (err == nil) != ok {
				t.Errorf("%s %.20q of %d bytes: %v", what, name, len(name), err)
			} else if _, err := w.Commit(t.Context(), ""); err != nil {
				t.Errorf("%s %.20q of %d bytes: commit: %v", what, name, len(name), err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
