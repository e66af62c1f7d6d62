package world_test

import (
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

func chest(x, y, z int, what string) voxel.Object {
	return voxel.Object{Place: voxel.Indexed, At: geom.Point{X: x, Y: y, Z: z}, Payload: []byte(what)}
}

func payloads(w *world.World, list string, box geom.Box) (out []string) {
	for _, o := range w.View().Dimension(earth).Objects(list, box) {
		out = append(out, string(o.Payload))
	}
	return out
}

// Objects and columns come back through commits, packs, versions and forks, one
// list at a time.
func TestColumnsAndObjects(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.Add("chests", chest(1, 2, 3, "gold"))
		d.Add("chests", chest(2, 2, 3, "coal"))
		d.Add("chests", chest(200, 2, -300, "iron"))
		d.Add("cows", chest(3, 2, 3, "cow"))
		d.SetColumn(voxel.Column{Pos: geom.ColumnPos{X: 5, Z: 5}, Version: 99})
	})
	first := commit(t, w)
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.SetObjects("chests", geom.ColumnPos{}, d.Objects("chests", geom.ColumnPos{})[1:])
		d.RemoveColumn(geom.ColumnPos{X: 5, Z: 5})
		d.RemoveColumn(geom.ColumnPos{X: 12, Z: -19})
	})
	second := commit(t, w)
	check := func(w *world.World, where string, wantChests []string, wantVersion int32) {
		t.Helper()
		if got := payloads(w, "chests", world.Everywhere); !slices.Equal(got, wantChests) {
			t.Errorf("%s: chests %q, want %q", where, got, wantChests)
		}
		if got := payloads(w, "cows", world.Everywhere); !slices.Equal(got, []string{"cow"}) {
			t.Errorf("%s: cows %q", where, got)
		}
		c, ok := w.View().Dimension(earth).Column(geom.ColumnPos{X: 5, Z: 5})
		if !ok || (c == nil) != (wantVersion == 0) || c != nil && c.Version != wantVersion {
			t.Errorf("%s: column %+v, %v, want version %d", where, c, ok, wantVersion)
		}
	}
	check(w, "before reopening", []string{"coal"}, 0)
	for _, pack := range []bool{false, true} {
		if pack {
			if err := w.Pack(ctx); err != nil {
				t.Fatal(err)
			}
		}
		back := open(t, st, "a", world.Options{Whole: true})
		check(back, "reopened", []string{"coal"}, 0)
		old, err := back.At(ctx, first.ID())
		if err != nil {
			t.Fatal(err)
		}
		check(old, "the first version", []string{"iron", "gold", "coal"}, 99)
		closeWorld(t, old)
		diff, err := apartIn(ctx, back, first.ID(), second.ID())
		if err != nil || diff.Columns+diff.Objects == 0 || diff.Cells != 0 {
			t.Errorf("packed %v: diff %+v, %v, want columns alone", pack, diff, err)
		}
		if _, err := back.Restore(ctx, first.ID(), "back"); err != nil {
			t.Fatal(err)
		}
		check(back, "restored", []string{"iron", "gold", "coal"}, 99)
		if _, err := back.Restore(ctx, second.ID(), "forth"); err != nil {
			t.Fatal(err)
		}
		closeWorld(t, back)
		closeWorld(t, w)
		w = open(t, st, "a", world.Options{Whole: true})
	}
	got := payloads(w, "chests", geom.Box{Min: geom.Point{X: 2, Y: 2, Z: 3}, Max: geom.Point{X: 3, Y: 3, Z: 4}})
	if !slices.Equal(got, []string{"coal"}) {
		t.Errorf("in a box of one cell: %q", got)
	}
	closeWorld(t, w)
}

// A column made anew has nothing of the one that was there.
func TestColumnAnew(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, w)
	put := func(f func(d *world.DimensionTx)) {
		update(t, w, func(tx *world.Tx) { f(tx.Dimension(earth)) })
		commit(t, w)
	}
	put(func(d *world.DimensionTx) {
		d.Add("chests", chest(0, 0, 0, "gold"))
		d.Add("cows", chest(0, 0, 0, "cow"))
	})
	put(func(d *world.DimensionTx) { d.RemoveColumn(geom.ColumnPos{}) })
	put(func(d *world.DimensionTx) { d.Add("cows", chest(0, 0, 0, "calf")) })
	for range 2 {
		back := open(t, st, "a", world.Options{Whole: true})
		if got := payloads(back, "chests", world.Everywhere); len(got) != 0 {
			t.Errorf("chests of the column before: %q", got)
		}
		if got := payloads(back, "cows", world.Everywhere); !slices.Equal(got, []string{"calf"}) {
			t.Errorf("cows: %q", got)
		}
		closeWorld(t, back)
		if err := w.Pack(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesAndProperties(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	update(t, w, func(tx *world.Tx) {
		tx.SetFile("icon", []byte("png"))
		tx.SetFile("gone", []byte("x"))
		tx.SetProperty("seed", "7")
	})
	commit(t, w)
	update(t, w, func(tx *world.Tx) {
		tx.SetFile("gone", nil)
		tx.SetProperty("seed", "8")
	})
	check := func(w *world.World) {
		t.Helper()
		r, err := w.OpenFile("icon")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(data) != "png" {
			t.Errorf("icon: %q, %v", data, err)
		}
		if _, err := w.OpenFile("gone"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is gone: %v", err)
		}
		if got := w.View().Property("seed"); got != "8" {
			t.Errorf("property: %q", got)
		}
	}
	check(w)
	commit(t, w)
	check(w)
	if err := w.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{})
	check(w)
	closeWorld(t, w)
}

// Replace makes one world the same as another, and only what differs goes into
// the commit.
func TestReplace(t *testing.T) {
	st := newStore()
	from := create(t, st, "from", world.Options{Whole: true})
	to := create(t, st, "to", world.Options{Whole: true})
	for i, w := range []*world.World{from, to} {
		update(t, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			v := d.Volume(voxel.Block)
			v.Fill(geom.Box{Max: geom.Point{X: 60, Y: 10, Z: 60}}, v.Named("rock"))
			v.Set(geom.Point{X: i, Y: 20}, v.Named([]string{"moss", "rose"}[i]))
			d.Add("chests", chest(i, 0, 0, "gold"))
			tx.SetFile("icon", []byte{byte(i)})
			tx.SetFile([]string{"a", "b"}[i], []byte("x"))
			tx.SetProperty("seed", "7")
		})
		commit(t, w)
	}
	become := func() *world.Change {
		t.Helper()
		whole, err := wholeStone(from)
		if err != nil {
			t.Fatal(err)
		}
		change, err := to.Replace(ctx, whole)
		if err != nil {
			t.Fatal(err)
		}
		return change
	}
	if c := become(); len(c.Volumes) != 1 || len(c.Volumes[0].Chunks) != 1 || len(c.Columns) != 1 {
		t.Errorf("changed %+v, want one chunk and one column", c)
	}
	commit(t, to)
	if c := become(); len(c.Volumes) != 0 || len(c.Columns) != 0 || to.Dirty() {
		t.Errorf("a second time: changed %+v, dirty %v", c, to.Dirty())
	}
	if got := name(to, geom.Point{Y: 20}); got != "moss" {
		t.Errorf("became %q", got)
	}
	if got, want := to.View().Files(), from.View().Files(); !reflect.DeepEqual(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	closeWorld(t, from)
	closeWorld(t, to)
}
