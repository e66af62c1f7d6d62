package world_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// BenchmarkIsland opens an island of 100 columns and loads it.
func BenchmarkIsland(b *testing.B) {
	st := newStore()
	imported(b, st, "a", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}))
	for _, k := range []struct {
		name    string
		volumes []string
	}{{"open", []string{}}, {"blocks", []string{voxel.Block}}, {"columns", []string{world.Columns}}, {"all", nil}} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := open(b, st, "a", world.Options{})
				if k.volumes == nil || len(k.volumes) > 0 {
					if _, err := w.Load(ctx, w.View().Dimensions()[0].Name(), world.Everywhere, k.volumes...); err != nil {
						b.Fatal(err)
					}
				}
				closeWorld(b, w)
			}
		})
	}
}

// BenchmarkSet sets one block at a time of an island in memory.
func BenchmarkSet(b *testing.B) {
	st := newStore()
	imported(b, st, "a", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}))
	w := open(b, st, "a", world.Options{Whole: true})
	defer closeWorld(b, w)
	dim := w.View().Dimensions()[0]
	r := rand.New(rand.NewPCG(1, 1))
	var at []geom.ChunkPos
	for pos := range dim.Volume(voxel.Block).Chunks() {
		at = append(at, pos)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		p := at[r.IntN(len(at))].Min().Add(geom.Point{X: r.IntN(32), Y: r.IntN(32), Z: r.IntN(32)})
		update(b, w, func(tx *world.Tx) {
			tx.Dimension(dim.Name()).Volume(voxel.Block).Set(p, voxel.Cell(1+n%3))
		})
	}
}

// BenchmarkCommit changes one block of a large world and saves it.
func BenchmarkCommit(b *testing.B) {
	st := &counter{Store: newStore()}
	w := create(b, st, "a", world.Options{Whole: true})
	defer closeWorld(b, w)
	update(b, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Fill(region.Ball{Radius: 500}, v.Named("rock"))
	})
	commit(b, w)
	st.saved = 0
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		set(b, w, geom.Point{X: n * 31 % 300, Y: n * 17 % 300, Z: n * 7 % 300}, []string{"moss", "rose"}[n/300%2])
		commit(b, w)
	}
	b.ReportMetric(float64(st.saved)/float64(n), "B/save")
	b.ReportMetric(float64(st.packed)/float64(n), "B-packed/save")
}

// sized makes a world of n chunks in one commit, each with a few cells of its own.
func sized(t testing.TB, st history.Store, name string, n int, step int32) {
	t.Helper()
	w := create(t, st, name, world.Options{Manual: true})
	defer closeWorld(t, w)
	edge := int32(1)
	for int(edge*edge) < n {
		edge *= 2
	}
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		a, b := v.Named("rock"), v.Named("moss")
		var mixed [8]*voxel.Chunk
		for i := range mixed {
			d := voxel.Uniform(a).Edit()
			d.Set(i, 0, i, b)
			mixed[i] = d.Publish(new(voxel.ChunkBuilder))
		}
		for i := range int32(n) {
			v.SetChunk(geom.ChunkPos{X: (i%edge - edge/2) * step, Z: (i/edge - edge/2) * step}, mixed[i%8])
		}
	})
	commit(t, w)
}

// BenchmarkOpen opens worlds of several sizes, and versions of them.
func BenchmarkOpen(b *testing.B) {
	st := newStore()
	for _, n := range []int{64, 4096, 65536} {
		name := fmt.Sprint(n)
		sized(b, st, name, n, 1)
		head, err := st.Head(ctx, name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("world/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				closeWorld(b, open(b, st, name, world.Options{}))
			}
		})
		b.Run("snapshot/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := world.OpenSnapshot(ctx, st, name, head.Commit, world.Options{})
				if err != nil {
					b.Fatal(err)
				}
				closeWorld(b, s)
			}
		})
	}
}

// BenchmarkPack packs worlds of single chunks that lie far apart, in two stones.
func BenchmarkPack(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		for _, step := range []int32{1, 8, 64} {
			b.Run(fmt.Sprint(n, "/", step), func(b *testing.B) {
				st := nowhere{&counter{Store: newStore()}}
				sized(b, st, "a", n, step)
				w := open(b, st, "a", world.Options{Manual: true})
				defer closeWorld(b, w)
				update(b, w, func(tx *world.Tx) { tx.SetProperty("a", "b") })
				commit(b, w)
				b.ReportAllocs()
				for b.Loop() {
					if _, packed, err := world.PackStack(ctx, st, "a", world.PackStackOptions{High: 1}); err != nil || !packed {
						b.Fatal(packed, err)
					}
				}
			})
		}
	}
}

// BenchmarkSaves saves a nearly uniform world of 16,384 chunks as often as it gets packed once, and
// reports the longest of these saves.
func BenchmarkSaves(b *testing.B) {
	var longest time.Duration
	for b.Loop() {
		b.StopTimer()
		st := newStore()
		w := create(b, st, "a", world.Options{Whole: true})
		update(b, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			c := voxel.Uniform(v.Named("rock"))
			for i := range int32(16384) {
				v.SetChunk(geom.ChunkPos{X: i & 31, Y: i >> 10, Z: i >> 5 & 31}, c)
			}
		})
		commit(b, w)
		b.StartTimer()
		for i := range 32 {
			set(b, w, geom.Point{X: i * 31 % 1000, Y: i * 17 % 500, Z: i * 7 % 1000}, "moss")
			start := time.Now()
			commit(b, w)
			longest = max(longest, time.Since(start))
		}
		closeWorld(b, w)
	}
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
}
