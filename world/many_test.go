package world_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
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

// A chunk of a volume with wide cells may not lie beyond space.
func TestWideCellsEndWithSpace(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	for _, tt := range []struct {
		x  int
		ok bool
	}{{1<<23 - 1, true}, {-1 << 23, true}, {1 << 23, false}, {-1<<23 - 1, false}} {
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.Dimension(earth).Volume(voxel.Biome)
			v.Set(geom.Point{X: tt.x}, v.Named("desert"))
			return nil
		})
		if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, geom.ErrOutOfRange) {
			t.Errorf("biome at x %d: %v", tt.x, err)
		}
	}
}
