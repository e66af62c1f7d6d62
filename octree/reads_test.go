package octree_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// TestAliasing has two groups in turn, so each second object of a sample would be
// of one group alone.
func TestAliasing(t *testing.T) {
	for _, stride := range []int{2, 20, 40} {
		tree := mustNew(t, octree.Options{})
		var boxes []octree.Box
		for i := range 20000 {
			c := octree.Vec{X: float64(i % 97), Y: float64(i % 89), Z: float64(i % 83)}
			if i%stride == 0 {
				c.X += 1e7
			}
			boxes = append(boxes, octree.At(c))
		}
		if _, err := tree.InsertAll(nil, boxes); err != nil {
			t.Fatal(err)
		}
		own := 0
		tree.Root().Objects(func(octree.ObjectID, octree.Box) bool { own++; return true })
		if own > 100 {
			t.Errorf("each %d. object far away: %d of %d lie in the root", stride, own, tree.Len())
		}
	}
}

func TestAllocs(t *testing.T) {
	long.Alone(t)
	for _, o := range []octree.Options{{}, {Integer: true}, {Flat: true}, {Integer: true, Flat: true}} {
		r := rand.New(rand.NewPCG(1, 2))
		tree, _ := octree.New(o)
		other, _ := octree.New(o)
		box := func() octree.Box {
			a := octree.Vec{X: float64(r.IntN(1000)), Y: float64(r.IntN(1000)), Z: float64(r.IntN(1000))}
			b := octree.Vec{X: a.X + float64(r.IntN(20)), Y: a.Y + float64(r.IntN(20)), Z: a.Z + float64(r.IntN(20))}
			if o.Flat {
				a.Z, b.Z = 0, 0
			}
			return octree.Box{Min: a, Max: b}
		}
		var ids []octree.ObjectID
		for range 3000 {
			id, _ := tree.Insert(box())
			ids = append(ids, id)
			other.Insert(box())
		}
		tree.Publish()
		buf, hits := make([]octree.Near, 8), make([]octree.Hit, 0, 4000)
		n := 0
		f := func(octree.ObjectID, octree.Box) bool { n++; return true }
		g := func(a, b octree.ObjectID) bool { n++; return true }
		for name, s := range map[string]searcher{"tree": tree, "view": tree.View()} {
			q := octree.Box{Min: octree.Vec{X: 100, Y: 100}, Max: octree.Vec{X: 700, Y: 700, Z: 700}}
			if o.Flat {
				q.Max.Z = 0
			}
			ray := octree.Ray{Origin: octree.Vec{X: -1, Y: 100}, Direction: octree.Vec{X: 1, Y: 0.5}, Max: 1e9}
			fr := octree.Frustum{{Normal: octree.Vec{X: 1}}, {Normal: octree.Vec{X: -1}, Offset: 500}, {Normal: octree.Vec{Y: 1}}, {Normal: octree.Vec{Y: -1}, Offset: 500}, {Normal: octree.Vec{Z: 1}}, {Normal: octree.Vec{Z: -1}, Offset: 500}}
			for what, call := range map[string]func(){
				"All": func() { s.All(f) }, "Point": func() { s.Point(q.Min, f) }, "Overlapping": func() { s.Overlapping(q, f) },
				"Inside": func() { s.Inside(q, f) }, "Ball": func() { s.Ball(q.Min, 200, f) }, "Nearest": func() { s.Nearest(q.Min, buf) },
				"First": func() { s.First(ray) }, "AppendHits": func() { s.AppendHits(hits, ray) },
				"Plane":   func() { s.Plane(fr[1], octree.Front, f) },
				"Frustum": func() { s.Frustum(fr, f) }, "Pairs": func() { s.Pairs(g) }, "PairsWith": func() { s.PairsWith(other, g) },
				"Changed": func() { s.Changed(0, q, f) }, "Get": func() { s.Get(ids[5]) },
			} {
				if a := testing.AllocsPerRun(3, call); a != 0 {
					t.Errorf("%+v %s.%s: %v allocations", o, name, what, a)
				}
			}
		}
		if a := testing.AllocsPerRun(3, func() {
			tree.Walk(func(n octree.Node) octree.Step {
				n.Cell()
				n.Loose()
				n.Objects(f)
				return octree.Enter
			})
		}); a != 0 {
			t.Errorf("walk %v", a)
		}
		i := 0
		if a := testing.AllocsPerRun(50, func() { i++; tree.Move(ids[i], box()); tree.Publish() }); a != 0 {
			t.Errorf("%+v publish: %v", o, a)
		}
	}
}

// A reader that got hold of a view while it was made anew must not see it half made.
func TestViewRace(t *testing.T) {
	tree, _ := octree.New(octree.Options{})
	var ids []octree.ObjectID
	for i := range 50 {
		id, _ := tree.Insert(octree.At(octree.Vec{X: float64(i)}))
		ids = append(ids, id)
	}
	tree.Publish()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				v := tree.View()
				_ = v.Moment()
				if v.Len() != 50 {
					t.Error("len")
				}
				v.Release()
			}
		})
	}
	for i := range 20000 {
		tree.Move(ids[i%50], octree.At(octree.Vec{X: float64(i % 77)}))
		tree.Publish()
	}
	close(done)
	wg.Wait()
}
