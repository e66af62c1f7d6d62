package edit_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// TestUndoColumns undoes a restore of blocks and columns after their light was computed: parts,
// objects and height maps are those of before.
func TestUndoColumns(t *testing.T) {
	_, w := made(t, 2)
	defer w.Close()
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("overworld")
		v := d.Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{X: -16, Y: 60, Z: -16}, Max: geom.Point{X: 16, Y: 140, Z: 16}}, v.Named("minecraft:stone"))
		for pos, c := range w.View().Dimension("overworld").Columns(world.Everywhere) {
			spoiled := *c
			spoiled.Parts = []voxel.Part{{Name: "spoiled", Data: []byte{1}}}
			if pos == (geom.ColumnPos{}) {
				d.RemoveColumn(pos)
				continue
			}
			d.SetColumn(spoiled)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	spoiled := w.View()
	q := still(edit.Options{})
	defer q.Close()
	a := &edit.Arena{World: w, Light: new(edit.Flood)}
	f := q.Add(a, &edit.Restore{Capture: c, Objects: true, Columns: true}, 0)
	run(t, q, f)
	if !same(c.View(), w.View()) {
		t.Error("not restored")
	}
	run(t, q, q.Add(a, f.Undo(), 0))
	if !same(spoiled, w.View()) {
		t.Error("not undone")
	}
	now := w.View().Dimension("overworld")
	for pos, c := range spoiled.Dimension("overworld").Columns(world.Everywhere) {
		d, _ := now.Column(pos)
		if (c == nil) != (d == nil) {
			t.Errorf("column %v: %v, was %v", pos, d, c)
		}
		if c == nil || d == nil {
			continue
		}
		if len(d.Parts) != 1 || d.Parts[0].Name != "spoiled" {
			t.Errorf("column %v was not undone: %d parts", pos, len(d.Parts))
		}
		if !slices.Equal(c.Maps, d.Maps) {
			t.Errorf("column %v has other height maps", pos)
		}
	}
	if d, _ := now.Column(geom.ColumnPos{}); d != nil {
		t.Error("a column that was not there is")
	}
}

// TestNoEmptyColumn restores the objects of a part of a column that is gone: without objects there,
// no column comes back.
func TestNoEmptyColumn(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	from, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if _, err := w.Update(func(tx *world.Tx) error { tx.Dimension("d").RemoveColumn(geom.ColumnPos{}); return nil }); err != nil {
		t.Fatal(err)
	}
	q := still(edit.Options{})
	defer q.Close()
	run(t, q, q.Add(&edit.Arena{World: w}, &edit.Restore{Snapshot: from, Region: geom.Box{Max: geom.Point{X: 3, Y: 3, Z: 3}}, Objects: true}, 0))
	if c, _ := w.View().Dimension("d").Column(geom.ColumnPos{}); c != nil {
		t.Errorf("%+v", c)
	}
}

// TestOtherWorld restores from a world whose names, default and stones are others: volumes of
// every schema, one of scale 4, and chunks that one side alone has.
func TestOtherWorld(t *testing.T) {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	volumes := func(def voxel.Cell) []voxel.Volume {
		return []voxel.Volume{
			{Name: voxel.Block, Schema: voxel.Palette, Scale: 1, Default: def},
			{Name: "solid", Schema: voxel.Terrain, Scale: 1},
			{Name: "level", Schema: voxel.Level, Scale: 1, Default: 7},
			{Name: voxel.Biome, Schema: voxel.Palette, Scale: 4},
		}
	}
	make := func(name string, def voxel.Cell, names, biomes []string, n int) *world.World {
		w, err := world.Create(ctx, st, name, world.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension("d", volumes(def), map[string][]string{voxel.Block: names, voxel.Biome: biomes, "solid": {"air", "rock"}})
			at := geom.Point{X: 25 * n, Y: 10, Z: -20}
			ball := region.Ball{Center: at, Radius: 20}
			b := d.Volume(voxel.Block)
			b.Fill(ball, b.Named("stone"))
			b.Set(at, b.Named("only "+name))
			d.Volume("solid").Fill(ball, voxel.TerrainCell(1, uint8(100+n)))
			d.Volume("level").Fill(ball, voxel.Cell(n))
			d.Volume(voxel.Biome).Fill(region.Ball{Center: geom.Point{X: 6 * n}, Radius: 9}, d.Volume(voxel.Biome).Named("forest"))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		commit(t, w)
		return w
	}
	a := make("a", 1, []string{"air", "sea", "stone"}, []string{"plains", "forest"}, 1)
	defer a.Close()
	b := make("b", 2, []string{"air", "stone", "sea", "dirt"}, []string{"plains", "desert", "forest"}, 2)
	defer b.Close()
	from, err := b.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	box := geom.Box{Min: geom.Point{X: -3, Y: -9, Z: -41}, Max: geom.Point{X: 61, Y: 30, Z: 17}}
	before := a.View().Dimension("d")
	q := still(edit.Options{Sections: 3})
	defer q.Close()
	f := q.Add(&edit.Arena{World: a}, &edit.Restore{Snapshot: from, Region: box, Biomes: true}, 0)
	for q.Len() > 0 {
		q.Step(time.Now(), 0)
	}
	if _, err := f.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	after, there := a.View().Dimension("d"), b.View().Dimension("d")
	for _, v := range after.Volumes() {
		name, scale := v.Volume.Name, v.Scale
		read := func(d *world.Dimension, p geom.Point) any {
			u := d.Volume(name)
			c, _ := u.Cell(p)
			if u.Schema == voxel.Palette {
				return u.CellName(c)
			}
			return c
		}
		for p := range points(geom.Box{Min: geom.Point{X: -12, Y: -14, Z: -50}, Max: geom.Point{X: 70, Y: 40, Z: 24}}) {
			from := before
			cell := geom.Box{Min: geom.Point{X: p.X * scale, Y: p.Y * scale, Z: p.Z * scale}, Max: geom.Point{X: (p.X + 1) * scale, Y: (p.Y + 1) * scale, Z: (p.Z + 1) * scale}}
			if cell.Intersect(box) == cell {
				from = there
			}
			if got, want := read(after, p), read(from, p); got != want {
				t.Fatalf("%s: cell %v is %v, not %v", name, p, got, want)
			}
		}
	}
}

// TestWentBack has the world go back to before its dimension in the middle of an operation: chunks
// fail, and nothing panics.
func TestWentBack(t *testing.T) {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	w, err := world.Create(ctx, st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension("other", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	first := w.Head()
	spoil(t, w, 1)
	commit(t, w)
	from, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	spoil(t, w, 2)
	q := still(edit.Options{Sections: 1})
	defer q.Close()
	f := q.Add(&edit.Arena{World: w, Dimension: "d"}, &edit.Restore{Snapshot: from, Objects: true}, 0)
	for range 3 {
		q.Step(time.Now(), 0)
	}
	if _, err := w.Restore(ctx, first, "back"); err != nil {
		t.Fatal(err)
	}
	for q.Len() > 0 {
		q.Step(time.Now(), 0)
	}
	if r, err := f.Wait(ctx); err == nil || r.Done != r.Chunks || r.Failed == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
