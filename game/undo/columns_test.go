package undo_test

import (
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

var home = geom.ColumnPos{X: -1, Z: 2}

func thing(s string) voxel.Object {
	return voxel.Object{Place: voxel.Indexed, At: home.Min(5), Payload: []byte(s)}
}

// change is what an author does to columns.
func change(t *testing.T, h *undo.History, author string, f func(d *world.DimensionTx)) {
	t.Helper()
	_, err := h.Update(ctx, author, "change", func(tx *world.Tx) error { f(tx.Dimension(earth)); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func columnNow(t *testing.T, w *world.World) *voxel.Column {
	t.Helper()
	defer mustLoad(t, w).Release()
	c, ok := w.View().Dimension(earth).Column(home)
	if !ok {
		t.Fatal("not loaded")
	}
	return c
}

// Every change of a column is taken back and done again, after a commit too.
func TestColumns(t *testing.T) {
	whole := voxel.Column{
		Pos: home, Version: 7, Sections: []voxel.Section{{Y: 1, Has: voxel.HasBlock}},
		Maps:  []voxel.Map{{Name: "sea", Values: [256]int32{3: 1}}},
		Lists: []voxel.List{{Name: "beasts", Objects: []voxel.Object{thing("wolf"), thing("wolf")}}},
		Parts: []voxel.Part{{Name: "rest", Data: []byte{1, 2}}},
	}
	other := whole
	other.Version, other.Maps, other.Lists = 8, nil, []voxel.List{{Name: "beds", Objects: []voxel.Object{thing("red")}}}
	for _, tt := range []struct {
		name   string
		before *voxel.Column
		f      func(d *world.DimensionTx)
		parts  int
	}{
		{"made", nil, func(d *world.DimensionTx) { d.SetColumn(whole) }, 2},
		{"removed", &whole, func(d *world.DimensionTx) { d.RemoveColumn(home) }, 2},
		{"replaced", &whole, func(d *world.DimensionTx) { d.SetColumn(other) }, 3},
		{"object added", &whole, func(d *world.DimensionTx) { d.Add("beasts", thing("fox")) }, 1},
		{"list added", &whole, func(d *world.DimensionTx) { d.Add("beds", thing("blue")) }, 1},
		{"list removed", &whole, func(d *world.DimensionTx) { d.SetObjects("beasts", home, nil) }, 1},
		{"list alone", nil, func(d *world.DimensionTx) { d.Add("beds", thing("blue")) }, 2},
	} {
		for _, committed := range []bool{false, true} {
			w := create(t, world.Options{}, volumes...)
			if tt.before != nil {
				mustUpdate(t, w, func(tx *world.Tx) { tx.Dimension(earth).SetColumn(*tt.before) })
			}
			h := undo.New(w, undo.Options{})
			before := columnNow(t, w)
			change(t, h, "ann", tt.f)
			after := columnNow(t, w)
			for range 2 {
				if committed {
					mustCommit(t, w, "")
				}
				if r := mustUndo(t, h, "ann"); r.Columns != tt.parts || r.SkippedColumns != 0 {
					t.Errorf("%s: undo: got %+v", tt.name, r)
				}
				if got := columnNow(t, w); !sameColumns(got, before) {
					t.Errorf("%s: undo gives %+v, want %+v", tt.name, got, before)
				}
				if r := mustRedo(t, h, "ann"); r.Columns != tt.parts || r.SkippedColumns != 0 {
					t.Errorf("%s: redo: got %+v", tt.name, r)
				}
				if got := columnNow(t, w); !sameColumns(got, after) {
					t.Errorf("%s: redo gives %+v, want %+v", tt.name, got, after)
				}
			}
		}
	}
}

func sameColumns(a, b *voxel.Column) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	if len(x.Lists) == 0 && len(y.Lists) == 0 {
		x.Lists, y.Lists = nil, nil
	}
	return reflect.DeepEqual(x, y)
}

func TestOthersObjectsStay(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	change(t, h, "ann", func(d *world.DimensionTx) {
		d.SetColumn(voxel.Column{Pos: home, Version: 7})
		d.Add("beds", thing("red"))
		d.Add("beasts", thing("wolf"))
	})
	change(t, h, "bob", func(d *world.DimensionTx) { d.Add("beasts", thing("fox")) })
	if r := mustUndo(t, h, "ann"); r.Columns != 1 || r.SkippedColumns != 2 {
		t.Errorf("got %+v", r)
	}
	if c := columnNow(t, w); c.Version != 7 || len(c.Lists) != 1 || len(c.Lists[0].Objects) != 2 {
		t.Errorf("got %+v", c)
	}
}

func TestJoinedColumns(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	before := columnNow(t, w)
	h.Begin("ann", "all")
	change(t, h, "ann", func(d *world.DimensionTx) { d.SetColumn(voxel.Column{Pos: home, Version: 7}) })
	change(t, h, "ann", func(d *world.DimensionTx) { d.SetColumn(voxel.Column{Pos: home, Version: 8}) })
	change(t, h, "ann", func(d *world.DimensionTx) { d.Add("beds", thing("red")) })
	change(t, h, "ann", func(d *world.DimensionTx) { d.Add("beds", thing("blue")) })
	change(t, h, "ann", func(d *world.DimensionTx) { d.Add("beasts", thing("wolf")) })
	change(t, h, "ann", func(d *world.DimensionTx) { d.SetObjects("beasts", home, nil) })
	after := columnNow(t, w)
	if r := mustUndo(t, h, "ann"); r.Columns != 2 || !sameColumns(columnNow(t, w), before) {
		t.Errorf("undo: got %+v and %+v", r, columnNow(t, w))
	}
	if r := mustRedo(t, h, "ann"); r.Columns != 2 || !sameColumns(columnNow(t, w), after) {
		t.Errorf("redo: got %+v and %+v", r, columnNow(t, w))
	}
}

// Maps of a column whose blocks changed follow from these and are not kept.
func TestMapsFollow(t *testing.T) {
	w := create(t, world.Options{}, voxel.BlockVolumes()...)
	old := &voxel.Column{Pos: home, Version: 7, Maps: []voxel.Map{{Name: "WORLD_SURFACE"}}}
	new := &voxel.Column{Pos: home, Version: 7, Maps: []voxel.Map{{Name: "WORLD_SURFACE", Values: [256]int32{1}}}, Stale: voxel.HasSky}
	block := func(x int32) []world.VolumeChange {
		chunks := []grid.Replaced{{Pos: geom.ChunkPos{X: x, Z: 1}, New: voxel.Uniform(1)}}
		return []world.VolumeChange{{Dimension: earth, Volume: voxel.Block, Chunks: chunks}}
	}
	columns := []world.ColumnChange{{Dimension: earth, Pos: home, Old: old, New: new}}
	for _, tt := range []struct {
		name   string
		change world.Change
		parts  int
	}{
		{"blocks below it", world.Change{Volumes: block(-1), Columns: columns}, 0},
		{"blocks elsewhere", world.Change{Volumes: block(0), Columns: columns}, 1},
		{"no blocks", world.Change{Columns: columns}, 1},
	} {
		h := undo.New(w, undo.Options{})
		if err := h.Record("ann", "", &tt.change); err != nil {
			t.Fatal(err)
		}
		if steps, _ := h.Names("ann"); len(steps) != min(1, tt.parts+len(tt.change.Volumes)) {
			t.Fatalf("%s: %d steps", tt.name, len(steps))
		}
		if r := mustUndo(t, h, "ann"); r.Columns+r.SkippedColumns != tt.parts {
			t.Errorf("%s: got %+v", tt.name, r)
		}
	}
}

// TestOwnedObjects takes back what happened to the contents of chests while others change blocks and
// chests beside.
func TestOwnedObjects(t *testing.T) {
	a, b := geom.Point{X: 1, Y: 64, Z: 1}, geom.Point{X: 9, Y: 64, Z: 9} // in one column
	block := func(d *world.DimensionTx, at geom.Point, name string) {
		v := d.Volume(voxel.Block)
		v.Set(at, v.Named(name))
	}
	put := func(d *world.DimensionTx, at geom.Point, content string) {
		d.Add(voxel.BlockEntities, voxel.Object{Place: voxel.Indexed, At: at, Payload: []byte(content)})
	}
	type state struct{ a, inA, inB string }
	for _, tt := range []struct {
		name      string
		ann, bob  func(d *world.DimensionTx)
		want      state
		redo      state
		done, bad int // lists
	}{
		{"another chest changed",
			func(d *world.DimensionTx) { block(d, a, "air") },
			func(d *world.DimensionTx) { put(d, b, "gold") },
			state{"chest", "diamonds", "gold"}, state{"air", "", "gold"}, 1, 0},
		{"a block is there now",
			func(d *world.DimensionTx) { block(d, a, "air") },
			func(d *world.DimensionTx) { block(d, a, "stone"); put(d, b, "gold") },
			state{"stone", "", "gold"}, state{"stone", "", "gold"}, 0, 1},
		{"a block is there now, and nothing else changed",
			func(d *world.DimensionTx) { block(d, a, "air") },
			func(d *world.DimensionTx) { block(d, a, "stone") },
			state{"stone", "", "dirt"}, state{"stone", "", "dirt"}, 0, 1},
		{"another chest is there now",
			func(d *world.DimensionTx) { block(d, a, "air") },
			func(d *world.DimensionTx) { block(d, a, "barrel"); put(d, a, "bread") },
			state{"barrel", "bread", "dirt"}, state{"barrel", "bread", "dirt"}, 0, 1},
		{"contents, of which one changed again",
			func(d *world.DimensionTx) { put(d, a, "emeralds"); put(d, b, "sand") },
			func(d *world.DimensionTx) { put(d, b, "gold") },
			state{"chest", "diamonds", "gold"}, state{"chest", "emeralds", "gold"}, 1, 1},
		{"contents, and one chest is gone",
			func(d *world.DimensionTx) { put(d, a, "emeralds"); put(d, b, "sand") },
			func(d *world.DimensionTx) { block(d, a, "air") },
			state{"air", "", "dirt"}, state{"air", "", "sand"}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := create(t, world.Options{Whole: true}, voxel.BlockVolumes()...)
			h := undo.New(w, undo.Options{})
			do := func(author string, f func(d *world.DimensionTx)) {
				t.Helper()
				if _, err := h.Update(ctx, author, "step", func(tx *world.Tx) error { f(tx.Dimension(earth)); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			do("", func(d *world.DimensionTx) {
				block(d, a, "chest")
				block(d, b, "chest")
				put(d, a, "diamonds")
				put(d, b, "dirt")
			})
			check := func(what string, want state) {
				t.Helper()
				d := w.View().Dimension(earth)
				v := d.Volume(voxel.Block)
				c, _ := v.Cell(a)
				got := state{a: v.CellName(c)}
				n := 0
				for _, o := range d.Objects(voxel.BlockEntities, world.Everywhere) {
					n++
					if o.At == a {
						got.inA += string(o.Payload)
					} else {
						got.inB += string(o.Payload)
					}
				}
				if got != want || n > 2 {
					t.Errorf("%s: got %+v, %d objects, want %+v", what, got, n, want)
				}
			}
			do("ann", tt.ann)
			do("bob", tt.bob)
			if r := mustUndo(t, h, "ann"); r.Columns != tt.done || r.SkippedColumns != tt.bad {
				t.Errorf("got %+v", r)
			}
			check("undo", tt.want)
			if _, err := h.Redo(ctx, "ann"); err != nil {
				t.Fatal(err)
			}
			check("redo", tt.redo)
		})
	}
}
