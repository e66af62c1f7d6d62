package object_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/object"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
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
		for _, size := range []float64{8, 32, 128} {
			b.Run(fmt.Sprintf("box/each=%d/size=%g", each, size), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(3, 4))
				b.ReportAllocs()
				hits, sum := 0, 0
				for b.Loop() {
					center := octree.Vec{X: rng.Float64()*800 - 400, Y: rng.Float64()*160 - 40, Z: rng.Float64()*800 - 400}
					x.Overlapping(octree.Around(center, size/2), func(f object.Found) bool {
						sum += f.Ordinal + len(f.Object.Payload)
						hits++
						return true
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
