package edit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

// clipOf makes a clip of random cells of these names.
func clipOf(t *testing.T, rng *rand.Rand, size geom.Point, names []string) *clip.Clip {
	t.Helper()
	b := clip.NewBuilder(size, 0, nil)
	cells := make([]voxel.Cell, size.X*size.Y*size.Z)
	for i := range cells {
		cells[i] = voxel.Cell(rng.IntN(len(names)))
	}
	b.Cells(cells)
	v, err := b.View()
	if err != nil {
		t.Fatal(err)
	}
	return &clip.Clip{Size: size, Block: clip.Contents{Names: names, View: v, Scale: 1}}
}

// TestPaste compares pastes with the same work cell by cell.
func TestPaste(t *testing.T) {
	long.Alone(t)
	_, w := made(t, 4)
	defer w.Close()
	q := edit.New(edit.Options{})
	defer q.Close()
	a := &edit.Arena{World: w}
	rng := rand.New(rand.NewPCG(8, 9))
	names := []string{"air", "minecraft:stone", clip.Void, "minecraft:gold_block", "minecraft:cave_air"}
	for range 20 {
		size := geom.Point{X: 1 + rng.IntN(40), Y: 1 + rng.IntN(40), Z: 1 + rng.IntN(40)}
		at := geom.Point{X: rng.IntN(60) - 50, Y: rng.IntN(100) - 60, Z: rng.IntN(60) - 50}
		c := clipOf(t, rng, size, names)
		noAir := rng.IntN(2) == 0
		before := w.View().Dimension("overworld").Volume(voxel.Block)
		f := q.Add(a, &edit.Paste{Clip: c, At: at, NoAir: noAir}, 0)
		run(t, q, f)
		after := w.View().Dimension("overworld").Volume(voxel.Block)
		around := geom.Box{Min: at.Sub(geom.Point{X: 3, Y: 3, Z: 3}), Max: at.Add(size).Add(geom.Point{X: 3, Y: 3, Z: 3})}
		for p := range points(around) {
			want := nameAt(before.View, before.Names(), p)
			if (geom.Box{Min: at, Max: at.Add(size)}).Contains(p) {
				v, _ := c.Block.View.Cell(p.Sub(at))
				if v != 2 && !(noAir && (v == 0 || v == 4)) {
					want = names[v]
				}
			}
			if got := nameAt(after.View, after.Names(), p); got != want {
				t.Fatalf("paste of %v at %v, no air %v: cell %v is %s, not %s", size, at, noAir, p, got, want)
			}
		}
		if rng.IntN(2) == 0 {
			run(t, q, q.Add(a, f.Undo(), 0))
			again := w.View().Dimension("overworld").Volume(voxel.Block)
			for p := range points(around) {
				if got, want := nameAt(again.View, again.Names(), p), nameAt(before.View, before.Names(), p); got != want {
					t.Fatalf("undone: cell %v is %s, not %s", p, got, want)
				}
			}
		}
	}
}

func nameAt(v *grid.View, names []string, p geom.Point) string {
	c, _ := v.Cell(p)
	return names[c]
}

func points(b geom.Box) func(yield func(geom.Point) bool) {
	return func(yield func(geom.Point) bool) {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for z := b.Min.Z; z < b.Max.Z; z++ {
				for x := b.Min.X; x < b.Max.X; x++ {
					if !yield(geom.Point{X: x, Y: y, Z: z}) {
						return
					}
				}
			}
		}
	}
}

// TestPasteBeside pastes a clip with a fluid into a world that has that volume. Where the clip has no block, the fluid that is there stays.
func TestPasteBeside(t *testing.T) {
	ctx := t.Context()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "lake", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	levels := voxel.Volume{Name: "fluid_level", Schema: voxel.Level, Scale: 1}
	volumes := []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, {Name: "fluid", Schema: voxel.Palette, Scale: 1}, levels}
	row := geom.Box{Max: geom.Point{X: 4, Y: 1, Z: 1}}
	if _, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("default", volumes, map[string][]string{voxel.Block: {"air"}, "fluid": {"air"}})
		d.Volume("fluid").Fill(row, d.Volume("fluid").Named("Lava"))
		d.Volume("fluid_level").Fill(row, 7)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	contents := func(schema voxel.Schema, names []string, cells ...voxel.Cell) clip.Contents {
		e := grid.New(grid.Options{Schema: schema}).Edit()
		e.WriteBox(row, cells)
		v, _ := e.Publish()
		return clip.Contents{Names: names, View: v, Scale: 1}
	}
	c := &clip.Clip{Size: row.Max, Block: contents(voxel.Palette, []string{"air", clip.Void, "Rock"}, 0, 1, 1, 2), Beside: map[string]*clip.Contents{}}
	fluid, level := contents(voxel.Palette, []string{"air", "Water"}, 1, 0, 1, 0), contents(voxel.Level, nil, 3, 0, 4, 0)
	c.Beside["fluid"], c.Beside["fluid_level"] = &fluid, &level
	if _, err := edit.Do(ctx, &edit.Arena{World: w, Dimension: "default"}, &edit.Paste{Clip: c}); err != nil {
		t.Fatal(err)
	}
	d := w.View().Dimension("default")
	for x, want := range []struct {
		fluid string
		level voxel.Cell
	}{{"Water", 3}, {"Lava", 7}, {"Water", 4}, {"air", 0}} {
		p := geom.Point{X: x}
		f := d.Volume("fluid")
		if level, _ := d.Volume("fluid_level").Cell(p); nameAt(f.View, f.Names(), p) != want.fluid || level != want.level {
			t.Errorf("%v: %s %d, want %v", p, nameAt(f.View, f.Names(), p), level, want)
		}
	}
}
