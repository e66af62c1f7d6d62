package octree_test

import (
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
)

// TestViews has goroutines that read views while one moves all objects up by one step and
// publishes. In a view all objects stand at one step, and no step is before the last seen.
func TestViews(t *testing.T) {
	const objects, steps, readers = 500, 300, 4
	tree := mustNew(t, octree.Options{SplitAbove: 8})
	at := func(i, step int) octree.Box { return octree.At(vec(i%25*10, step, i/25*10)) }
	var ids []octree.ObjectID
	for i := range objects {
		id, err := tree.Insert(at(i, 0))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if tree.View() != nil {
		t.Error("a view before the first was published")
	}
	tree.Publish()
	done := make(chan struct{})
	var wait sync.WaitGroup
	for reader := range readers {
		wait.Go(func() {
			last, moment := 0.0, octree.Moment(0)
			for round := 0; ; round++ {
				v := tree.View()
				if v.Moment() < moment {
					t.Errorf("a view of moment %d after moment %d", v.Moment(), moment)
				}
				moment = v.Moment()
				b, ok := v.Get(ids[round%objects])
				if !ok || b.Min.Y < last {
					t.Errorf("a view of step %g after step %g", b.Min.Y, last)
				}
				last = b.Min.Y
				found := 0
				v.Overlapping(box(0, 0, 0, 1000, 1000, 1000), func(_ octree.ObjectID, b octree.Box) bool {
					found++
					if b.Min.Y != last {
						t.Errorf("a view of step %g has an object at step %g", last, b.Min.Y)
					}
					return true
				})
				if near := v.Nearest(b.Min, make([]octree.Near, 1)); found != objects || near[0].ID != ids[round%objects] {
					t.Errorf("%d objects, and %v nearest to %v", found, near, b)
				}
				if round%8 != reader {
					v.Release()
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for step := 1; step <= steps; step++ {
		for i, id := range ids {
			if err := tree.Move(id, at(i, step)); err != nil {
				t.Fatal(err)
			}
		}
		tree.Publish()
	}
	close(done)
	wait.Wait()
}

// TestViewChanges asks a later view what changed since an earlier one.
func TestViewChanges(t *testing.T) {
	tree := mustNew(t, octree.Options{})
	var ids []octree.ObjectID
	for i := range 1000 {
		id, err := tree.Insert(octree.At(vec(i, i%37, i%101)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	everywhere := box(-inf, -inf, -inf, inf, inf, inf)
	tree.Publish()
	first := tree.View()
	tree.Publish()
	if same := tree.View(); same != first {
		t.Error("nothing changed, and there is another view")
	}
	if err := tree.Move(ids[500], octree.At(vec(2, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if first.Changed(first.Moment(), everywhere, func(octree.ObjectID, octree.Box) bool { return true }) {
		t.Error("a view changed")
	}
	tree.Publish()
	second, found := tree.View(), 0
	moved := false
	if !second.Changed(first.Moment(), everywhere, func(id octree.ObjectID, _ octree.Box) bool {
		found++
		moved = moved || id == ids[500]
		return true
	}) || !moved || found > 300 {
		t.Errorf("changes since the first view: got %d objects, with the one that moved: %v", found, moved)
	}
	if b, _ := first.Get(ids[500]); b != octree.At(vec(500, 500%37, 500%101)) {
		t.Errorf("the first view has a later box %v", b)
	}
}

// TestViewAllocations counts what a view allocates when readers give views back.
func TestViewAllocations(t *testing.T) {
	c := makeCrowd(t)
	step := func() {
		for i := range 400 {
			if err := c.tree.Move(c.ids[i], c.step(i)); err != nil {
				t.Fatal(err)
			}
		}
		c.tree.Publish()
		v := c.tree.View()
		v.Point(octree.Vec{}, func(octree.ObjectID, octree.Box) bool { return true })
		v.Release()
	}
	for range 3 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}

// BenchmarkPublish is the price of a view.
func BenchmarkPublish(b *testing.B) {
	for _, tt := range []struct {
		name  string
		moved int
	}{{"all move", movers}, {"one in a hundred", movers / 100}, {"none", 0}} {
		b.Run(tt.name, func(b *testing.B) {
			c := makeCrowd(b)
			steps := c.steps()
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if tt.moved > 0 {
					b.StopTimer()
					for i := 0; i < movers; i += movers / tt.moved {
						if err := c.tree.Move(c.ids[i], steps[n%4][i]); err != nil {
							b.Fatal(err)
						}
					}
					b.StartTimer()
				}
				c.tree.Publish()
			}
		})
	}
}

// BenchmarkMoveShared is BenchmarkMove in a tree with views.
func BenchmarkMoveShared(b *testing.B) {
	c := makeCrowd(b)
	c.tree.Publish()
	steps := c.steps()
	n := 0
	for ; b.Loop(); n++ {
		boxes := steps[min(n%6, 6-n%6)]
		for i, id := range c.ids {
			if err := c.tree.Move(id, boxes[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/movers, "ns/move")
}
