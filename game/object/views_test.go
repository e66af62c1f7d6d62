package object_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Columns with objects far from them and from each other.
func TestIndexFarObjects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	w := create(t, newStore(), world.Options{Whole: true})
	x, err := object.New(w.View().Dimension(earth), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		update(t, w, func(tx *world.Tx) {
			for range 10 {
				objects := make([]voxel.Object, rng.IntN(6))
				for i := range objects {
					objects[i] = voxel.Object{Place: voxel.Moved, At: geom.Point{X: rng.IntN(3) * 10000, Z: rng.IntN(3) * 10000}, Payload: []byte{byte(i)}}
				}
				tx.Dimension(earth).SetObjects("x", geom.ColumnPos{X: rng.Int32N(6)}, objects)
			}
		})
		d := w.View().Dimension(earth)
		if _, err := x.Update(d); err != nil {
			t.Fatal(err)
		}
		compare(t, rng, x, walked(d, object.Options{}), true)
	}
}

// A box that the tree does not take leaves its object out, as the option says.
func TestIndexOddBoxes(t *testing.T) {
	w := create(t, newStore(), world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		for i := range 10 {
			tx.Dimension(earth).Add("x", voxel.Object{Place: voxel.Moved, At: geom.Point{X: i}, Payload: []byte{byte(i)}})
		}
	})
	box := func(_ string, o *voxel.Object) (octree.Box, bool) {
		b, ok := object.Cell("", o)
		switch o.At.X {
		case 3:
			b.Min.X, b.Max.X = b.Max.X, b.Min.X
		case 4:
			b.Max.Z += 0.5
		}
		return b, ok
	}
	d := w.View().Dimension(earth)
	x, err := object.New(d, object.Options{Box: box})
	if err != nil || count(x) != 9 {
		t.Errorf("%v", err)
	}
	if x, err := object.New(d, object.Options{Box: box, Tree: octree.Options{Integer: true}}); err == nil || x != nil {
		t.Errorf("an index of what its tree does not take: %v", err)
	}
}

// Any views, in any order, also of another world, with boxes that depend on the moment.
func TestIndexAnyViews(t *testing.T) {
	seeds := uint64(long.By(6, 20, 20))
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		var views []*world.Dimension
		var heads []func()
		for range 2 {
			w := create(t, newStore(), world.Options{Whole: rng.IntN(2) == 0})
			commit(t, w)
			for range 10 {
				update(t, w, func(tx *world.Tx) { tx.Dimension(earth).Lit() })
				if _, err := w.UpdateContext(ctx, func(tx *world.Tx) error { sprinkle(rng, tx.Dimension(earth), 12); return nil }); err != nil && !errors.Is(err, world.ErrNotLoaded) {
					t.Fatal(err)
				}
				views = append(views, w.View().Dimension(earth))
				if rng.IntN(3) == 0 {
					c := commit(t, w)
					views = append(views, w.View().Dimension(earth))
					heads = append(heads, func() {
						if _, err := w.Restore(ctx, c.ID(), ""); err != nil {
							t.Fatal(err)
						}
						views = append(views, w.View().Dimension(earth))
					})
				}
			}
			for _, f := range heads {
				f()
			}
			heads = nil
		}
		o := object.Options{}
		wild := 0
		if seed%3 == 0 {
			o.Box = func(list string, x *voxel.Object) (octree.Box, bool) { return object.Exact(list, x) }
		}
		if seed%5 == 1 {
			o.Box = func(list string, x *voxel.Object) (octree.Box, bool) {
				b, ok := object.Exact(list, x)
				b.Max.Y += float64(wild)
				return b, ok
			}
		}
		x, err := object.New(views[0], o)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			d := views[rng.IntN(len(views))]
			if rng.IntN(4) == 0 {
				wild++
			}
			if _, err := x.Update(d); err != nil {
				t.Fatal(err)
			}
			want := walked(d, o)
			if count(x) != len(want) {
				t.Fatalf("seed %d: %d objects, want %d", seed, count(x), len(want))
			}
			if seed%5 != 1 {
				compare(t, rng, x, want, true)
			}
		}
	}
}
