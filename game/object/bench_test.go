package object_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// crowd makes a world with n objects, so many in a column.
func crowd(b testing.TB, n, each int) *world.Dimension {
	rng := rand.New(rand.NewPCG(1, 2))
	w := create(b, newStore(), world.Options{Whole: true})
	edge := int32(1)
	for int(edge*edge)*each < n {
		edge++
	}
	update(b, w, func(tx *world.Tx) {
		for i := range int32(n / each) {
			pos := geom.ColumnPos{X: i%edge - edge/2, Z: i/edge - edge/2}
			objects := make([]voxel.Object, each)
			for j := range objects {
				at := pos.Min(rng.IntN(160) - 40).Add(geom.Point{X: rng.IntN(16), Z: rng.IntN(16)})
				objects[j] = voxel.Object{Place: voxel.Moved, At: at, Payload: []byte{0}}
			}
			tx.Dimension(earth).SetObjects(voxel.BlockEntities, pos, objects)
		}
	})
	return w.View().Dimension(earth)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkIndex measures an index of 100,000 objects: heap bytes for each object, building, queries, and
// an update after one column changed.
func BenchmarkIndex(b *testing.B) {
	for _, each := range []int{2, 16, 64} {
		d := crowd(b, 100_000, each)
		before := heap()
		x, err := object.New(d, object.Options{})
		if err != nil {
			b.Fatal(err)
		}
		bytes := heap() - before
		s := x.Stats()
		b.Run(fmt.Sprintf("build/each=%d", each), func(b *testing.B) {
			for b.Loop() {
				if _, err := object.New(d, object.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(bytes)/float64(s.Objects), "heap-bytes/object")
			b.ReportMetric(float64(s.Bytes)/float64(s.Objects), "counted-bytes/object")
			b.ReportMetric(float64(s.Tree.Bytes)/float64(s.Objects), "tree-bytes/object")
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*s.Objects), "ns/object")
		})
		for _, size := range []float64{8, 32, 128, -128} {
			name := "box" // is found; with a negative size it is read, too
			if size < 0 {
				name = "read"
			}
			b.Run(fmt.Sprintf("%s/each=%d/size=%g", name, each, max(size, -size)), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(3, 4))
				b.ReportAllocs()
				hits, sum := 0, 0
				for b.Loop() {
					center := octree.Vec{X: rng.Float64()*800 - 400, Y: rng.Float64()*160 - 40, Z: rng.Float64()*800 - 400}
					x.Read(func(l object.Lookup) {
						l.Tree().Overlapping(octree.Around(center, max(size, -size)/2), func(id octree.ObjectID, _ octree.Box) bool {
							f, _ := l.Get(id)
							if sum += f.Ordinal; size < 0 {
								sum += len(f.Object().Payload)
							}
							hits++
							return true
						})
					})
				}
				perQuery := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				perHits := float64(hits) / float64(b.N)
				b.ReportMetric(perHits, "hits/op")
				b.ReportMetric(100*perQuery/(5000+50*perHits), "%of-allowed")
			})
		}
	}
}

func BenchmarkIndexUpdate(b *testing.B) {
	w := create(b, newStore(), world.Options{Whole: true})
	rng := rand.New(rand.NewPCG(1, 2))
	update(b, w, func(tx *world.Tx) {
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
		b.Fatal(err)
	}
	var views []*world.Dimension
	for i := range int32(2) {
		update(b, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			pos := geom.ColumnPos{X: 40, Z: 40}
			d.SetObjects("x", pos, append(slices.Clone(d.Objects("x", pos)), voxel.Object{Place: voxel.Moved, At: pos.Min(int(i))}))
		})
		views = append(views, w.View().Dimension(earth))
	}
	for i := 0; b.Loop(); i++ {
		if _, err := x.Update(views[i%2]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMovers measures 10,000 movers that all move in each of 20 ticks, and a commit: in Movers, and by
// an update of the columns in each tick.
func BenchmarkMovers(b *testing.B) {
	const n, ticks = 10_000, 20
	start := func(b *testing.B) (*world.World, []octree.Vec, *rand.Rand) {
		rng := rand.New(rand.NewPCG(1, 2))
		w := create(b, newStore(), world.Options{Whole: true})
		at := make([]octree.Vec, n)
		for i := range at {
			at[i] = octree.Vec{X: rng.Float64() * 1024, Y: 64, Z: rng.Float64() * 1024}
		}
		update(b, w, func(tx *world.Tx) {
			for i := range at {
				tx.Dimension(earth).Add(voxel.Entities, animal(i, at[i]))
			}
		})
		commit(b, w)
		return w, at, rng
	}
	step := func(rng *rand.Rand, at []octree.Vec) {
		for i := range at {
			at[i].X = min(max(at[i].X+rng.Float64()*.4-.2, 0), 1023)
			at[i].Z = min(max(at[i].Z+rng.Float64()*.4-.2, 0), 1023)
		}
	}
	report := func(b *testing.B, w *world.World, before *world.View, c history.Commit, copied int) {
		b.ReportMetric(float64(c.Stones[0].Size)/n, "stone-bytes/mover")
		b.ReportMetric(float64(copied), "columns-copied")
		b.ReportMetric(float64(len(w.View().Dimension(earth).Apart(before.Dimension(earth)))), "columns-written")
	}
	b.Run("movers", func(b *testing.B) {
		w, at, rng := start(b)
		m := movers(b, w, object.MoverOptions{})
		ids := make([]octree.ObjectID, n)
		tick(b, m, func(tk *object.Tick) error {
			_, err := tk.TakeAll(voxel.Entities, world.Everywhere)
			tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool {
				p, _ := tk.Get(id)
				ids[numberOf(&p.Object)] = id
				return true
			})
			return err
		})
		var moving, saving time.Duration
		for b.Loop() {
			before, copied := w.View(), 0
			for range ticks {
				step(rng, at)
				from := time.Now()
				tick(b, m, func(tk *object.Tick) error {
					for i, id := range ids {
						if err := tk.Move(id, at[i]); err != nil {
							return err
						}
					}
					return nil
				})
				moving += time.Since(from)
			}
			copied += len(w.View().Dimension(earth).Apart(before.Dimension(earth)))
			from := time.Now()
			c := commit(b, w)
			saving += time.Since(from)
			report(b, w, before, c, copied)
		}
		b.ReportMetric(float64(moving.Nanoseconds())/float64(b.N*n*ticks), "ns/move")
		b.ReportMetric(float64(saving.Milliseconds())/float64(b.N), "ms/commit")
	})
	b.Run("columns", func(b *testing.B) {
		w, at, rng := start(b)
		var moving, saving time.Duration
		for b.Loop() {
			before, copied := w.View(), 0
			for range ticks {
				step(rng, at)
				was, from := w.View(), time.Now()
				update(b, w, func(tx *world.Tx) { putAll(b, tx.Dimension(earth), at) })
				moving += time.Since(from)
				copied += len(w.View().Dimension(earth).Apart(was.Dimension(earth)))
			}
			from := time.Now()
			c := commit(b, w)
			saving += time.Since(from)
			report(b, w, before, c, copied)
		}
		b.ReportMetric(float64(moving.Nanoseconds())/float64(b.N*n*ticks), "ns/move")
		b.ReportMetric(float64(saving.Milliseconds())/float64(b.N), "ms/commit")
	})
}

// putAll brings all animals into the columns where they are.
func putAll(b *testing.B, d *world.DimensionTx, at []octree.Vec) {
	lists := make(map[geom.ColumnPos][]voxel.Object)
	for x := range int32(64) {
		for z := range int32(64) {
			pos := geom.ColumnPos{X: x, Z: z}
			for _, o := range d.Objects(voxel.Entities, pos) {
				p := at[numberOf(&o)]
				o, err := object.SetPosition(o, p)
				if err != nil {
					b.Fatal(err)
				}
				lists[columnOf(p)] = append(lists[columnOf(p)], o)
			}
		}
	}
	for x := range int32(64) {
		for z := range int32(64) {
			pos := geom.ColumnPos{X: x, Z: z}
			d.SetObjects(voxel.Entities, pos, lists[pos])
		}
	}
}
