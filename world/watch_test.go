package world_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// TestWatch is told of each update once and in order, of none that failed, and of a world that went back.
func TestWatch(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	var got []string
	stop := w.Watch(func(c *world.Change) {
		if c == nil {
			got = append(got, "back")
			h, err := w.Load(ctx, earth, world.Everywhere)
			if err != nil {
				t.Fatal(err)
			}
			h.Release()
			return
		}
		if _, err := w.Update(func(*world.Tx) error { return nil }); !errors.Is(err, world.ErrNested) {
			t.Errorf("an update of who watches: %v", err)
		}
		s := fmt.Sprint(len(c.Columns))
		for _, v := range c.Volumes {
			cell, _ := w.View().Dimension(v.Dimension).Volume(v.Volume).Cell(v.Chunks[0].Pos.Min())
			s += " " + v.Volume + " " + v.Names[cell]
		}
		got = append(got, s)
	})
	c := commit(t, w)
	set(t, w, geom.Point{}, "stone")
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.Dimension(earth).Volume(voxel.Block).Set(geom.Point{}, 0)
		return errTrouble
	}); err == nil {
		t.Fatal("no error")
	}
	set(t, w, geom.Point{}, "dirt")
	update(t, w, func(tx *world.Tx) { tx.Dimension(earth).SetColumn(voxel.Column{}) })
	if _, err := w.Restore(ctx, c.ID(), ""); err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
	set(t, w, geom.Point{}, "sand")
	if want := []string{"0 block stone", "0 block dirt", "1", "back"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestSetBlock writes blocks with what they own in one call.
func TestSetBlock(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	content := func(s string) voxel.Object { return voxel.Object{Payload: []byte(s)} }
	p := geom.Point{X: 3, Y: 4, Z: 5}
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).SetBlock(p.Add(geom.Point{X: 1}), "chest", content("beside"))
	})
	for _, tt := range []struct {
		name  string
		owned []voxel.Object
		want  string
	}{
		{"chest", []voxel.Object{content("a")}, "chest a"},
		{"chest", []voxel.Object{content("b")}, "chest b"},
		{"chest", nil, "chest"},
		{"chest", []voxel.Object{content("c"), content("d")}, "chest c d"},
		{"stone", nil, "stone"},
		{"furnace", []voxel.Object{{Place: voxel.Indexed, Payload: []byte("e")}}, "furnace e"},
		{"chest", []voxel.Object{{Place: voxel.Moved, At: p, Payload: []byte("e")}}, "chest e"},
		{"air", nil, "air"},
	} {
		update(t, w, func(tx *world.Tx) { tx.Dimension(earth).SetBlock(p, tt.name, tt.owned...) })
		d := w.View().Dimension(earth)
		c, _ := d.Volume(voxel.Block).Cell(p)
		got := d.Volume(voxel.Block).CellName(c)
		for _, o := range d.Objects(voxel.BlockEntities, geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}) {
			got += " " + string(o.Payload)
			if o.Place != voxel.Moved {
				t.Errorf("%q: it says another position", tt.want)
			}
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		n := 0
		for range d.Objects(voxel.BlockEntities, world.Everywhere) {
			n++
		}
		if n != len(tt.owned)+1 {
			t.Errorf("%q: %d contents in all", tt.want, n)
		}
	}
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension("hell", []voxel.Volume{{Name: "solid", Scale: 1}}, nil).SetBlock(p, "chest")
		return nil
	}); err == nil {
		t.Error("a block where there are no blocks")
	}
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Fill(world.Everywhere, v.Default)
	})
	if n := w.View().Dimension(earth).Volume(voxel.Block).Len(); n != 0 {
		t.Errorf("%d chunks are stored after all was cleared", n)
	}
}

// TestLoadRegion holds what a region touches, not its bounds.
func TestLoadRegion(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	for x := range 30 {
		set(t, w, geom.Point{X: x * 100}, "stone")
	}
	c := commit(t, w)
	r := region.Union{region.Ball{Radius: 5}, geom.Box{Min: geom.Point{X: 2000}, Max: geom.Point{X: 2101, Y: 1, Z: 1}}}
	held, err := w.LoadRegion(ctx, earth, r, voxel.Block)
	if err != nil {
		t.Fatal(err)
	}
	loaded := func() (out []int) {
		v := w.View().Dimension(earth).Volume(voxel.Block)
		for _, x := range []int{0, 10, 20, 21, 25} {
			if _, ok := v.Cell(geom.Point{X: x * 100}); ok {
				out = append(out, x)
			}
		}
		return out
	}
	if got := loaded(); !slices.Equal(got, []int{0, 20, 21}) {
		t.Errorf("loaded %v", got)
	}
	if _, err := w.Restore(ctx, c.ID(), ""); err != nil {
		t.Fatal(err)
	}
	if got := loaded(); !slices.Equal(got, []int{0, 20, 21}) {
		t.Errorf("after a restore loaded %v", got)
	}
	held.Release()
	held.Release()
	if got := loaded(); got != nil {
		t.Errorf("after Release loaded %v", got)
	}
	all, err := w.LoadRegion(ctx, earth, world.Everywhere, voxel.Block)
	if err != nil || !slices.Equal(loaded(), []int{0, 10, 20, 21, 25}) {
		t.Errorf("of all loaded %v, %v", loaded(), err)
	}
	all.Release()
	if _, err := w.LoadRegion(ctx, "none", r); err == nil {
		t.Error("a region of no dimension")
	}
}

// TestCommitNumber finds versions by number and by time.
func TestCommitNumber(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	var all []history.Commit
	for i := range 300 {
		set(t, w, geom.Point{}, fmt.Sprint("n", i))
		all = append(all, commit(t, w))
	}
	for _, i := range []int{0, 1, 42, 43, 44, 299} {
		c, err := world.CommitNumber(ctx, st, "a", all[i].Number)
		if err != nil || c.ID() != all[i].ID() {
			t.Errorf("number %d: %d %v", all[i].Number, c.Number, err)
		}
	}
	for _, n := range []uint64{0, 301} {
		if _, err := world.CommitNumber(ctx, st, "a", n); !errors.Is(err, history.ErrNoCommit) {
			t.Errorf("number %d: %v", n, err)
		}
	}
	if c, err := world.CommitAt(ctx, st, "a", all[299].Time); err != nil || c.Time.After(all[299].Time) {
		t.Errorf("by time: %v %v", c.Number, err)
	}
	if _, err := world.CommitAt(ctx, st, "a", all[0].Time.Add(-1)); !errors.Is(err, history.ErrNoCommit) {
		t.Errorf("before the first: %v", err)
	}
}
