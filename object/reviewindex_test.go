package object_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/object"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// An index takes no more than 64 bytes for each object, however the columns have them.
func TestIndexMemory(t *testing.T) {
	for _, each := range []int{1, 2, 16, 1000} {
		d := crowd(t, 100_000, each)
		before := heap()
		x, err := object.New(d, object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := float64(x.Len())
		made := float64(heap()-before) / n
		// counted
		counted := float64(x.Stats().Bytes) / n
		t.Logf("each %d: %.1f bytes, counted %.1f", each, made, counted)
		if made > 64 {
			t.Errorf("each %d: %.1f bytes an object", each, made)
		}
		runtime.KeepAlive(x)
	}
}

// An index that lived through many updates is not much larger.
func TestIndexMemoryLater(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := create(t, newStore(), world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		for i := range int32(6250) {
			pos := geom.ColumnPos{X: i % 80, Z: i / 80}
			var objects []voxel.Object
			for range 16 {
				objects = append(objects, voxel.Object{Place: voxel.Moved, At: pos.Min(rng.IntN(160)), Payload: []byte{0}})
			}
			tx.Dimension(earth).SetObjects("x", pos, objects)
		}
	})
	x, err := object.New(w.View().Dimension(earth), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		update(t, w, func(tx *world.Tx) {
			for range 600 {
				i := rng.Int32N(6250)
				pos := geom.ColumnPos{X: i % 80, Z: i / 80}
				var objects []voxel.Object
				for range 1 + rng.IntN(31) {
					objects = append(objects, voxel.Object{Place: voxel.Moved, At: pos.Min(rng.IntN(160)), Payload: []byte{0}})
				}
				tx.Dimension(earth).SetObjects("x", pos, objects)
			}
		})
		if _, err := x.Update(w.View().Dimension(earth)); err != nil {
			t.Fatal(err)
		}
	}
	d := w.View().Dimension(earth)
	y, err := object.New(d, object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(x.Len())
	before := heap()
	runtime.KeepAlive(x)
	x = nil
	is := float64(before-heap()) / n
	t.Logf("counted anew %.1f; freed %.1f", float64(y.Stats().Bytes)/n, is)
	if is > 64 {
		t.Errorf("%.1f bytes an object after updates", is)
	}
	runtime.KeepAlive(y)
}

// Columns with an object far from them cost no walk over the whole index.
func TestIndexFarObject(t *testing.T) {
	times := make([]time.Duration, 2)
	for k, far := range []bool{false, true} {
		d := 0
		w := create(t, newStore(), world.Options{Whole: true})
		put := func(d *world.DimensionTx, n, salt int) {
			for i := range int32(n) {
				pos := geom.ColumnPos{X: i % 300, Z: i / 300}
				o := []voxel.Object{{Place: voxel.Moved, At: pos.Min(salt), Payload: []byte{0}}, {Place: voxel.Moved, At: pos.Min(60), Payload: []byte{0}}}
				if far {
					o[0].At, o[1].At = geom.Point{X: -10000, Z: -10000}, geom.Point{X: 10000, Y: 200, Z: 10000}
				}
				d.SetObjects("x", pos, o)
			}
		}
		update(t, w, func(tx *world.Tx) { put(tx.Dimension(earth), 50000, 0) })
		x, err := object.New(w.View().Dimension(earth), object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		update(t, w, func(tx *world.Tx) { put(tx.Dimension(earth), 400, 5) })
		start := time.Now()
		if d, err = x.Update(w.View().Dimension(earth)); err != nil || d != 400 {
			t.Fatal(d, err)
		}
		times[k] = time.Since(start)
	}
	t.Log(times)
	if times[1] > 20*times[0]+10*time.Millisecond {
		t.Errorf("400 columns of 50,000: %v, with far objects %v", times[0], times[1])
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
	if err != nil || x.Len() != 9 {
		t.Errorf("%v", err)
	}
	if x, err := object.New(d, object.Options{Box: box, Tree: octree.Options{Integer: true}}); err == nil || x != nil {
		t.Errorf("an index of what its tree does not take: %v", err)
	}
}

// Any views, in any order, also of another world, with boxes that depend on the moment.
func TestIndexAnyViews(t *testing.T) {
	for seed := range uint64(20) {
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
			if x.Len() != len(want) {
				t.Fatalf("seed %d: %d objects, want %d", seed, x.Len(), len(want))
			}
			if seed%5 != 1 {
				compare(t, rng, x, want, true)
			}
		}
	}
}

// A million objects, and 100,000 in one column.
func TestIndexLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	for _, tt := range []struct{ n, each int }{{1_000_000, 100}, {100_000, 100_000}} {
		d := crowd(t, tt.n, tt.each)
		start := time.Now()
		x, err := object.New(d, object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		built := time.Since(start)
		hits := 0
		start = time.Now()
		for i := range 1000 {
			x.Overlapping(octree.Around(octree.Vec{X: float64(i%40) * 4, Y: 30, Z: 8}, 8), func(object.Found) bool { hits++; return true })
		}
		per := time.Since(start)
		fmt.Println(tt, "build", built, "bytes", float64(x.Stats().Bytes)/float64(tt.n), "query ns", per.Nanoseconds()/1000, "hits", hits/1000, "allowed", 5000+50*hits/1000)
	}
}
