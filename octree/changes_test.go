package octree_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// held is a view with what it must contain.
type held struct {
	view  *octree.Frozen
	boxes map[octree.ObjectID]octree.Box
}

func (h *held) check(t *testing.T, q octree.Box, dead octree.ObjectID) {
	t.Helper()
	if h.view.Len() != len(h.boxes) {
		t.Fatalf("len: got %d, want %d", h.view.Len(), len(h.boxes))
	}
	n := 0
	h.view.All(func(id octree.ObjectID, b octree.Box) bool {
		if want, ok := h.boxes[id]; !ok || want != b {
			t.Fatalf("%v: got %v, want %v %v", id, b, want, ok)
		}
		n++
		return true
	})
	if n != len(h.boxes) {
		t.Fatalf("all: got %d, want %d", n, len(h.boxes))
	}
	want := 0
	for id, b := range h.boxes {
		if b.Overlaps(q) {
			want++
		}
		if got, ok := h.view.Get(id); !ok || got != b {
			t.Fatalf("get %v: got %v %v, want %v", id, got, ok, b)
		}
	}
	h.view.Overlapping(q, func(octree.ObjectID, octree.Box) bool { want--; return true })
	if want != 0 {
		t.Fatalf("overlapping: missed %d", want)
	}
	if _, ok := h.boxes[dead]; !ok {
		if b, ok := h.view.Get(dead); ok {
			t.Fatalf("get of dead %v: got %v", dead, b)
		}
	}
}

// TestViewsOfAllChanges keeps views of a tree while it changes in all ways, with several renewals at
// once.
func TestViewsOfAllChanges(t *testing.T) {
	long.Alone(t)
	for seed := range 8 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		o := octree.Options{SplitAbove: []int{2, 5, 0}[r.IntN(3)], Integer: r.IntN(2) == 0, Flat: r.IntN(2) == 0}
		size := []int{10, 100, 10000}[r.IntN(3)]
		box := func() octree.Box {
			a := octree.Vec{X: float64(r.IntN(size)), Y: float64(r.IntN(size)), Z: float64(r.IntN(size))}
			if r.IntN(100) == 0 {
				a.X += 1e7
			}
			e := r.IntN(4) * r.IntN(size)
			b := octree.Vec{X: a.X + float64(e), Y: a.Y + float64(e), Z: a.Z + float64(e)}
			if o.Flat {
				a.Z, b.Z = 0, 0
			}
			return octree.Box{Min: a, Max: b}
		}
		tree := mustNew(t, o)
		boxes := map[octree.ObjectID]octree.Box{}
		var ids []octree.ObjectID
		var views []held
		var renewals []*octree.Renewal
		dead := octree.ObjectID(0)
		type mark struct {
			m     octree.Moment
			boxes map[octree.ObjectID]octree.Box
		}
		var marks []mark
		for range 3000 {
			switch k := r.IntN(100); {
			case k < 30 || len(ids) == 0:
				b := box()
				id, err := tree.Insert(b)
				if err != nil {
					t.Fatal(err)
				}
				boxes[id], ids = b, append(ids, id)
			case k < 70:
				id, b := ids[r.IntN(len(ids))], box()
				if err := tree.Move(id, b); err != nil {
					t.Fatal(err)
				}
				boxes[id] = b
			case k < 85:
				i := r.IntN(len(ids))
				tree.Remove(ids[i])
				delete(boxes, ids[i])
				dead, ids[i] = ids[i], ids[len(ids)-1]
				ids = ids[:len(ids)-1]
			case k == 85 && r.IntN(4) == 0:
				tree.Clear()
				dead = ids[0]
				clear(boxes)
				ids = ids[:0]
			case k == 86:
				tree.Rebuild()
			case k == 87:
				renewals = append(renewals, tree.Renew())
			case k == 88 && len(renewals) > 0:
				renewals[r.IntN(len(renewals))].Build()
			case k == 89 && len(renewals) > 0:
				i := r.IntN(len(renewals))
				renewals[i].Finish()
				if r.IntN(2) == 0 {
					renewals[i].Finish()
					renewals[i].Build()
				}
				renewals = append(renewals[:i], renewals[i+1:]...)
				if err := tree.Check(); err != nil {
					t.Fatalf("seed %d: after a renewal: %v", seed, err)
				}
			case k == 90 && len(renewals) > 0:
				renewals = renewals[1:]
			case k == 91:
				var bs []octree.Box
				for range r.IntN(300) {
					bs = append(bs, box())
				}
				new, err := tree.InsertAll(nil, bs)
				if err != nil {
					t.Fatal(err)
				}
				for i, id := range new {
					boxes[id], ids = bs[i], append(ids, id)
				}
			case k < 96:
				tree.Publish()
				v := tree.View()
				if err := tree.Same(v); err != nil && r.IntN(10) == 0 {
					t.Fatal(err)
				}
				views = append(views, held{v, maps.Clone(boxes)})
			case k == 96:
				marks = append(marks, mark{tree.Moment(), maps.Clone(boxes)})
			}
			if len(views) > 0 && r.IntN(8) == 0 {
				i := r.IntN(len(views))
				views[i].check(t, box(), dead)
				if r.IntN(3) > 0 {
					views[i].view.Release()
					views = append(views[:i], views[i+1:]...)
				}
			}
			if len(marks) > 0 && r.IntN(20) == 0 {
				i := r.IntN(len(marks))
				q := box()
				seen := map[octree.ObjectID]bool{}
				found := tree.Changed(marks[i].m, q, func(id octree.ObjectID, b octree.Box) bool {
					if seen[id] || boxes[id] != b || !b.Overlaps(q) {
						t.Fatalf("changed: %v", id)
					}
					seen[id] = true
					return true
				})
				for id, b := range boxes {
					if was, ok := marks[i].boxes[id]; (!ok || was != b) && b.Overlaps(q) && !seen[id] {
						t.Fatalf("changed: missed %v %v", id, b)
					}
				}
				for id, b := range marks[i].boxes {
					if now, ok := boxes[id]; (!ok || now != b) && b.Overlaps(q) && !found {
						t.Fatalf("changed: %v %v went, got false", id, b)
					}
				}
			}
		}
		if err := tree.Check(); err != nil {
			t.Fatal(err)
		}
		for i := range views {
			views[i].check(t, box(), dead)
		}
	}
}
