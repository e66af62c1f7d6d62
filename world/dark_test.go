package world_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// levelAt returns the light in a cell that is in memory.
func levelAt(t *testing.T, w *world.World, volume string, p geom.Point) voxel.Cell {
	t.Helper()
	c, ok := w.View().Dimension(earth).Volume(volume).Cell(p)
	if !ok {
		t.Fatalf("%s at %v is not in memory", volume, p)
	}
	return c
}

// An update that wrote its light leaves what is unlit beside it, in its chunk, to be
// lit; where it wrote over that, the light stays stale.
func TestRelightBesideOwn(t *testing.T) {
	p := geom.Point{X: 50, Y: 30, Z: 50}
	for _, tt := range []struct {
		name  string
		own   geom.Point
		block string
		stale int
		level voxel.Cell // above p
	}{
		{"elsewhere", p.Add(geom.Point{X: 5}), "stone", 0, 13},
		{"over it", p, "stone", 1, 0},
		{"as before", p, "air", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := litWorld(t, newStore(), world.Options{Whole: true, Relight: true}, true)
			defer closeWorld(t, w)
			set(t, w, p, "torch")
			update(t, w, func(tx *world.Tx) {
				d := tx.Dimension(earth)
				d.Volume(voxel.Block).Set(tt.own, d.Volume(voxel.Block).Named(tt.block))
				d.Volume(voxel.Sky).Set(tt.own, 7)
				d.Lit()
			})
			commit(t, w)
			if n := stale(t, w); n != tt.stale {
				t.Errorf("%d columns are stale, want %d", n, tt.stale)
			}
			if got := levelAt(t, w, voxel.Light, p.Add(geom.Point{Y: 1})); got != tt.level {
				t.Errorf("above: light %d, want %d", got, tt.level)
			}
			if got := levelAt(t, w, voxel.Sky, tt.own); got != 7 {
				t.Errorf("what was written: light %d", got)
			}
		})
	}
}

// tired is done the first time that it is asked, and then no more.
type tired struct {
	context.Context
	asked bool
}

func (c *tired) Err() error {
	if c.asked {
		return nil
	}
	c.asked = true
	return context.Canceled
}

// What left memory before it was lit is lit when that is tried again.
func TestRelightLater(t *testing.T) {
	st := newStore()
	closeWorld(t, litWorld(t, st, world.Options{Whole: true}, true))
	w := open(t, st, "a", world.Options{Relight: true})
	defer closeWorld(t, w)
	columns, err := w.Load(ctx, earth, world.Everywhere, world.Columns)
	if err != nil {
		t.Fatal(err)
	}
	p := geom.Point{X: 50, Y: 30, Z: 50}
	box := geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 3, Z: 1})}
	held, err := w.Load(ctx, earth, box, voxel.Block)
	if err != nil {
		t.Fatal(err)
	}
	set(t, w, p, "glowstone")
	held.Release()
	if _, err := w.Commit(&tired{Context: ctx}, "busy"); err != nil {
		t.Fatal(err)
	}
	if n := stale(t, w); n != 1 || name(w, p) != "?" {
		t.Fatalf("%d columns are stale, the block is %q", n, name(w, p))
	}
	commit(t, w)
	if n := stale(t, w); n != 0 {
		t.Errorf("%d columns are stale", n)
	}
	lights, err := w.Load(ctx, earth, box, voxel.Light)
	if err != nil {
		t.Fatal(err)
	}
	if got := levelAt(t, w, voxel.Light, p.Add(geom.Point{Y: 1})); got != 14 {
		t.Errorf("beside: light %d, want 14", got)
	}
	lights.Release()
	columns.Release()
}

// Whole stones, packed or exported, do not learn from light that is not kept.
func TestStonesLearnFromLight(t *testing.T) {
	w := litWorld(t, newStore(), world.Options{Whole: true}, true)
	defer closeWorld(t, w)
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.Volume(voxel.Sky).Fill(geom.Box{Min: geom.Point{Y: -32}, Max: geom.Point{X: litEdge, Y: 16, Z: litEdge}}, 15)
		for i := range int32(64) {
			c := *d.Column(geom.ColumnPos{X: i & 7, Z: i >> 3})
			c.Sections = slices.Clone(c.Sections)
			c.Sections[0].Has &^= voxel.HasSky
			c.Sections[1].Has &^= voxel.HasSky
			d.SetColumn(c)
		}
	})
	commit(t, w)
	packed, err := wholeStone(w)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := convert.WriteStone(ctx, exported(t, w), &out, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	written, err := stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for what, r := range map[string]*stone.Reader{"packed": packed, "written": written} {
		names := r.Dimensions()[0].Volumes[0].Names
		if got, want := r.Matters(earth), light.Matters(nil).With(names); !slices.Equal(got, want) {
			t.Errorf("%s: %v are %v, want %v", what, names, got, want)
		}
	}
}

// After a Restore a cell may have another name.
func TestRelightRestored(t *testing.T) {
	w, err := world.Create(ctx, newStore(), "a", world.Options{Whole: true, Relight: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, w)
	update(t, w, func(tx *world.Tx) { tx.AddDimension("moon", voxel.BlockVolumes(), nil) })
	first := commit(t, w)
	p := geom.Point{X: 8, Y: 8, Z: 8}
	for _, names := range [][]string{{"air", "stone", "torch"}, {"air", "torch", "stone"}} {
		update(t, w, func(tx *world.Tx) {
			tx.AddDimension(earth, voxel.BlockVolumes(), map[string][]string{voxel.Block: names})
		})
		for i := range 3 {
			set(t, w, p.Add(geom.Point{X: 3 * i, Y: i}), names[2])
			commit(t, w)
		}
		want := map[string]voxel.Cell{"torch": 14, "stone": 0}[names[2]]
		if got := levelAt(t, w, voxel.Light, p); got != want {
			t.Errorf("%s: light %d, want %d", names[2], got, want)
		}
		if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
			t.Fatal(err)
		}
	}
}
