package octree_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// sceneTwin is the slow scene: a twin that knows what stands still.
type sceneTwin struct {
	twin
	scene *octree.Scene
	still map[octree.ID]bool
}

func (w *sceneTwin) change(p place, d dice, step, most int) {
	w.t.Helper()
	b, still := p.box(d, step), d(2) == 0
	if len(w.ids) == 0 || d(most) >= len(w.ids) {
		id, err := w.scene.Insert(w.box(b), still)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, ok := w.boxes[id]; ok || slices.Contains(w.removed, id) {
			w.t.Fatalf("ID %v came twice", id)
		}
		w.boxes[id], w.still[id], w.latest[id] = b, still, true
		w.ids, w.changed = append(w.ids, id), append(w.changed, b)
		return
	}
	if d(200) == 0 && len(w.ids) < most {
		boxes := make([]octree.Box, 1+d(len(w.ids)))
		var scaled []octree.Box
		for i := range boxes {
			boxes[i] = p.box(d, step)
			scaled = append(scaled, w.box(boxes[i]))
		}
		ids, err := w.scene.InsertAll(nil, scaled, still)
		if err != nil || len(ids) != len(boxes) {
			w.t.Fatalf("%d boxes: got %v, %v", len(boxes), ids, err)
		}
		if n, err := w.scene.MoveAll(ids[1:], scaled[1:]); err != nil || n != len(ids)-1 {
			w.t.Fatalf("%d moves: got %d, %v", len(ids)-1, n, err)
		}
		for i, id := range ids {
			w.boxes[id], w.still[id], w.latest[id] = boxes[i], still, true
		}
		w.ids, w.changed = append(w.ids, ids...), append(w.changed, boxes...)
		return
	}
	i := d(len(w.ids))
	id := w.ids[i]
	if w.scene.Still(id) != w.still[id] {
		w.t.Fatalf("%v stands still: want %v", id, w.still[id])
	}
	switch d(8) {
	case 0:
		if !w.scene.Remove(id) || w.scene.Remove(id) {
			w.t.Fatalf("Remove %v: want true, then false", id)
		}
		if _, ok := w.scene.Get(id); ok || !errors.Is(w.scene.Move(id, b), fs.ErrNotExist) || !errors.Is(w.scene.SetStill(id, still), fs.ErrNotExist) || w.scene.Still(id) {
			w.t.Fatalf("%v is still there", id)
		}
		w.changed = append(w.changed, w.boxes[id])
		delete(w.boxes, id)
		w.ids[i] = w.ids[len(w.ids)-1]
		w.ids = w.ids[:len(w.ids)-1]
		w.removed = append(w.removed[max(0, len(w.removed)-64):], id)
	case 1, 2:
		if err := w.scene.SetStill(id, still); err != nil {
			w.t.Fatal(err)
		}
		if w.still[id] != still {
			w.still[id], w.latest[id], w.changed = still, true, append(w.changed, w.boxes[id])
		}
	default:
		if err := w.scene.Move(id, w.box(b)); err != nil {
			w.t.Fatal(err)
		}
		w.latest[id], w.changed = true, append(w.changed, b, w.boxes[id])
		w.boxes[id] = b
	}
}

// movingPairs compares the pairs of which one moves with all pairs.
func (w *sceneTwin) movingPairs() {
	w.t.Helper()
	seen := make(map[pair]int)
	w.scene.MovingPairs(func(a, b octree.ID) bool { seen[pair{min(a, b), max(a, b)}]++; return true })
	for i, a := range w.ids {
		for _, b := range w.ids[:i] {
			w.once(seen, pair{min(a, b), max(a, b)}, overlaps(w.boxes[a], w.boxes[b]) && !(w.still[a] && w.still[b]))
		}
	}
	if len(seen) > 0 {
		w.t.Fatalf("moving pairs: %v do not exist", seen)
	}
}

// TestScene compares scenes and their views with a map in random operations.
func TestScene(t *testing.T) {
	for i, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for seed := range *seeds {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					d := rand.New(rand.NewPCG(seed, uint64(i)+100)).IntN
					scene, err := octree.NewScene(p.opts)
					if err != nil {
						t.Fatal(err)
					}
					w := &sceneTwin{scene: scene, still: make(map[octree.ID]bool)}
					w.twin = twin{t: t, find: scene, scale: p.scale, boxes: make(map[octree.ID]octree.Box), latest: make(map[octree.ID]bool)}
					other := newTwin(t, p.scale, octree.Options{})
					var views []*twin
					most := 20 + d(300)
					for step := range steps() {
						w.change(p, d, step, most)
						if len(other.ids) < 30 {
							other.insert(p.box(d, step))
						}
						w.query(p, d, step, other)
						switch d(120) {
						case 0:
							if err := scene.Check(); err != nil {
								t.Fatal(err)
							}
							w.movingPairs()
							if d(4) == 0 {
								scene.Rebuild()
							} else if d(4) == 0 {
								scene.Clear()
								for _, b := range w.boxes {
									w.changed = append(w.changed, b)
								}
								clear(w.boxes)
								w.ids = nil
							}
						case 1, 2, 3:
							w.moment, w.changed = scene.Moment(), nil
							clear(w.latest)
						case 4, 5, 6:
							scene.Publish()
							of := w.twin
							of.find = scene.View()
							of.keep()
							views = append(views, &of)
							if err := scene.Check(); err != nil {
								t.Fatal(err)
							}
						case 7, 8, 9, 10, 11, 12:
							if len(views) > 0 {
								v := d(len(views))
								views[v].query(p, d, step, other)
								views[v].find.(*octree.SceneView).Release()
								views = slices.Delete(views, v, v+1)
							}
						}
					}
				})
			}
		})
	}
}

// TestSceneAllocations counts what queries of a scene allocate.
func TestSceneAllocations(t *testing.T) {
	long.Alone(t)
	scene, err := octree.NewScene(octree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := octree.NewScene(octree.Options{Loose: 9}); err == nil {
		t.Error("a scene with wrong options")
	}
	for i := range 4000 {
		if _, err := scene.Insert(octree.Around(vec(i%16*8, i/256*8, i/16%16*8), 5), i%3 == 0); err != nil {
			t.Fatal(err)
		}
	}
	near, hits := make([]octree.Near, 8), make([]octree.Hit, 0, 4000)
	found := 0
	count := func(octree.ID, octree.Box) bool { found++; return true }
	if n := testing.AllocsPerRun(20, func() {
		scene.Inside(box(0, 0, 0, 50, 50, 50), count)
		scene.Ball(vec(30, 30, 30), 20, count)
		scene.Plane(octree.Plane{Normal: vec(1, 0, 0), Offset: -20}, octree.Crossing, count)
		scene.Frustum(octree.Frustum{{Normal: vec(1, 0, 0), Offset: -20}}, count)
		scene.Nearest(vec(30, 30, 30), near)
		r := octree.Ray{Direction: vec(1, 1, 1), Max: inf}
		scene.First(r)
		scene.AppendHits(hits, r)
		scene.Pairs(func(a, b octree.ID) bool { found++; return true })
		scene.Changed(0, box(0, 0, 0, 50, 50, 50), count)
	}); n >= 1 {
		t.Errorf("%g allocations", n)
	}
}
