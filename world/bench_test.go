package world_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/terrain"
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
