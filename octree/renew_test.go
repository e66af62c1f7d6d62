package octree_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
)

// TestRenew builds a tree anew in another goroutine while objects come, move and go.
func TestRenew(t *testing.T) {
	w := newTwin(t, 1, octree.Options{SplitAbove: 8})
	random := rand.New(rand.NewPCG(16, 17))
	p := places[5]
	for range 2000 {
		w.insert(p.box(random.IntN, 0))
	}
	for range 5 {
		r := w.tree.Renew()
		built := make(chan struct{})
		go func() {
			r.Build()
			close(built)
		}()
		moment := w.tree.Moment()
		for building, after := true, 100; building || after > 0; after-- {
			select {
			case <-built:
				building = false
			default:
			}
			w.change(p, random.IntN, 0, 2000)
		}
		r.Finish()
		r.Finish() // does nothing
		w.check()
		w.boxQueries(p.box(random.IntN, 0))
		for id, want := range w.boxes {
			if got, ok := w.tree.Get(id); !ok || got != want {
				t.Fatalf("%v: got %v, %v, want %v", id, got, ok, want)
			}
		}
		found := 0
		if everywhere := box(-inf, -inf, -inf, inf, inf, inf); !w.tree.Changed(moment, everywhere, func(octree.ObjectID, octree.Box) bool { found++; return true }) || found != len(w.ids) {
			t.Errorf("after a renewal %d of %d objects changed", found, len(w.ids))
		}
	}
}

// BenchmarkRenew is the price of the three steps, with one object in a hundred moving meanwhile.
func BenchmarkRenew(b *testing.B) {
	c := makeCrowd(b)
	for range 1000 {
		for i := range movers / 100 {
			if err := c.tree.Move(c.ids[i*100], c.step(i*100)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, step := range []string{"renew", "build", "finish"} {
		b.Run(step, func(b *testing.B) {
			for b.Loop() {
				timed := func(name string, do func()) {
					if name != step {
						b.StopTimer()
						defer b.StartTimer()
					}
					do()
				}
				var r *octree.Renewal
				timed("renew", func() { r = c.tree.Renew() })
				timed("move", func() {
					for i := 0; i < movers; i += 100 {
						if err := c.tree.Move(c.ids[i], c.step(i)); err != nil {
							b.Fatal(err)
						}
					}
				})
				timed("build", r.Build)
				timed("finish", r.Finish)
			}
		})
	}
}
