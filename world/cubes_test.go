package world_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestCubes compares the cubes that a change names with those in which a cell differs.
func TestCubes(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	all := geom.Box{Min: geom.Point{X: -24, Y: -24, Z: -24}, Max: geom.Point{X: 24, Y: 24, Z: 24}}
	const level = "level" // with a default that is not 0
	r := rand.New(rand.NewPCG(3, 9))
	for range 10 {
		before := w.View()
		change, err := w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension("d", []voxel.Volume{{Name: voxel.Block, Scale: 1}, {Name: level, Schema: voxel.Level, Scale: 1, Default: 7}}, nil)
			for _, name := range []string{voxel.Block, level} {
				v := d.Volume(name)
				low := geom.Point{X: r.IntN(38) - 24, Y: r.IntN(38) - 24, Z: r.IntN(38) - 24}
				c := voxel.Cell(r.IntN(2) * 7)
				if name == voxel.Block {
					c = v.Named([]string{"air", "stone", "wood"}[r.IntN(3)])
				}
				v.Fill(geom.Box{Min: low, Max: low.Add(geom.Point{X: 1 + r.IntN(9), Y: 1 + r.IntN(9), Z: 1 + r.IntN(9)})}, c)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{voxel.Block, level} {
			got, want := map[geom.Box]bool{}, map[geom.Box]bool{}
			for i := range change.Volumes {
				if v := &change.Volumes[i]; v.Volume == name {
					for b := range v.Cubes {
						got[b] = true
					}
				}
			}
			now := w.View().Dimension("d").Volume(name)
			old := voxel.Cell(0)
			for p := range points(all) {
				c, _ := now.Cell(p)
				if old = now.Default(); before.Dimension("d") != nil {
					old, _ = before.Dimension("d").Volume(name).Cell(p)
				}
				if c != old {
					low := geom.Point{X: p.X &^ 7, Y: p.Y &^ 7, Z: p.Z &^ 7}
					want[geom.Box{Min: low, Max: low.Add(geom.Point{X: 8, Y: 8, Z: 8})}] = true
				}
			}
			if !maps.Equal(got, want) {
				t.Fatalf("%s: cubes %v, want %v", name, got, want)
			}
		}
	}
}

// points yields the cells of a box.
func points(b geom.Box) func(func(geom.Point) bool) {
	return func(yield func(geom.Point) bool) {
		for x := b.Min.X; x < b.Max.X; x++ {
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for z := b.Min.Z; z < b.Max.Z; z++ {
					if !yield(geom.Point{X: x, Y: y, Z: z}) {
						return
					}
				}
			}
		}
	}
}
