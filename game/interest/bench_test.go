package interest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/game/interest"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// crowd is viewers and objects that walk about on a square.
type crowd struct {
	t       testing.TB
	rng     *rand.Rand
	set     *interest.Set
	tree    *octree.Tree
	edge    float64
	viewers []interest.ViewerID
	eyes    []interest.Viewer
	walks   []octree.Vec // of viewers
	objects []octree.ObjectID
	at, by  []octree.Vec // of objects
	changes int
}

func newCrowd(t testing.TB, viewers, objects int, edge float64) *crowd {
	w := &crowd{t: t, rng: rand.New(rand.NewPCG(1, 2)), set: newSet(t, interest.Options{Moves: true}), tree: newTree(t), edge: edge}
	for range viewers {
		v := interest.Viewer{Position: w.where(), Chunks: interest.Reach{Horizontal: 8, Vertical: 4}, Objects: 8 * geom.ChunkEdge}
		id, err := w.set.Add(v)
		if err != nil {
			t.Fatal(err)
		}
		w.viewers, w.eyes, w.walks = append(w.viewers, id), append(w.eyes, v), append(w.walks, w.walk())
	}
	for range objects {
		p := w.where()
		id, err := w.tree.Insert(octree.Around(p, 0.5))
		if err != nil {
			t.Fatal(err)
		}
		w.objects, w.at, w.by = append(w.objects, id), append(w.at, p), append(w.by, w.walk())
	}
	return w
}

func (w *crowd) where() octree.Vec {
	return octree.Vec{X: w.rng.Float64() * w.edge, Y: w.rng.Float64() * 128, Z: w.rng.Float64() * w.edge}
}

// walk is 4 cells a second, in ticks of a twentieth.
func (w *crowd) walk() octree.Vec {
	return octree.Vec{X: w.rng.Float64()*.4 - .2, Z: w.rng.Float64()*.4 - .2}
}

func (w *crowd) on(p, by *octree.Vec) {
	if p.X += by.X; p.X < 0 || p.X > w.edge {
		by.X = -by.X
	}
	if p.Z += by.Z; p.Z < 0 || p.Z > w.edge {
		by.Z = -by.Z
	}
}

// step moves all viewers and objects.
func (w *crowd) step() {
	for i, id := range w.viewers {
		w.on(&w.eyes[i].Position, &w.walks[i])
		if err := w.set.Update(id, w.eyes[i]); err != nil {
			w.t.Fatal(err)
		}
	}
	for i, id := range w.objects {
		w.on(&w.at[i], &w.by[i])
		if err := w.tree.Move(id, octree.Around(w.at[i], 0.5)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *crowd) tick() {
	w.set.Tick(w.tree, func(c *interest.Changes) {
		w.changes += len(c.ChunksIn) + len(c.ChunksOut) + len(c.ObjectsIn) + len(c.ObjectsOut)
	})
}

// turn has each viewer look to where it walks, a bit further in each step, with a right angle of sight.
func (w *crowd) turn(step int) {
	for i, id := range w.viewers {
		v := &w.eyes[i]
		at, angle := v.Position, float64(i)+float64(step)*0.02
		left, right := octree.Vec{X: math.Cos(angle), Z: math.Sin(angle)}, octree.Vec{X: -math.Sin(angle), Z: math.Cos(angle)}
		v.Frustum = &octree.Frustum{
			{Normal: left, Offset: -left.X*at.X - left.Z*at.Z}, {Normal: right, Offset: -right.X*at.X - right.Z*at.Z}}
		if err := w.set.Update(id, *v); err != nil {
			w.t.Fatal(err)
		}
	}
}

// BenchmarkTick is one tick with 1,000 viewers, 8 chunks far, and 10,000 movers on 4096x4096 cells.
func BenchmarkTick(b *testing.B) {
	for _, tt := range []struct {
		name             string
		viewers, objects int
		move, turn       bool
	}{
		{"all move", 1000, 10_000, true, false},
		{"still", 1000, 10_000, false, false},
		{"all move and turn", 1000, 10_000, true, true},
		{"4,000 viewers, 40,000 objects", 4000, 40_000, true, false},
	} {
		b.Run(tt.name, func(b *testing.B) {
			w := newCrowd(b, tt.viewers, tt.objects, 4096)
			for range 100 {
				w.step()
				w.tick()
			}
			w.changes = 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				if tt.move {
					w.step()
				}
				if tt.turn {
					w.turn(i)
				}
				b.StartTimer()
				w.tick()
			}
			b.ReportMetric(float64(w.changes)/float64(b.N), "changes/op")
		})
	}
	b.Run("brute", func(b *testing.B) { // distances alone, of objects and chunks, with what was seen as bits
		w := newCrowd(b, 1000, 10_000, 4096)
		seen := make([][]bool, len(w.eyes))
		for i := range seen {
			seen[i] = make([]bool, len(w.objects))
		}
		changes := 0
		for b.Loop() {
			b.StopTimer()
			w.step()
			b.StartTimer()
			for i := range w.eyes {
				p, r := w.eyes[i].Position, w.eyes[i].Objects
				for j := range w.at {
					x, y, z := w.at[j].X-p.X, w.at[j].Y-p.Y, w.at[j].Z-p.Z
					far := r
					if seen[i][j] {
						far += 8
					}
					if now := x*x+y*y+z*z <= far*far; now != seen[i][j] {
						seen[i][j] = now
						changes++
					}
				}
			}
		}
		b.ReportMetric(float64(changes)/float64(b.N), "changes/op")
	})
}
