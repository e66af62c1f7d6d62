package cairn_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// BenchmarkEdit sets blocks by cairn.World.Edit, and by world.World.Update beside it: in a world of a
// game, with height maps, light and block entities, and in one of a program's own.
func BenchmarkEdit(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range []struct {
		name string
		open func(b *testing.B) (w *cairn.World, box cairn.Box, names []string)
	}{{"island", openIsland}, {"made", openMade}} {
		w, box, names := k.open(b)
		anywhere := func() cairn.Point {
			s := box.Size()
			return box.Min.Add(cairn.Point{X: r.IntN(s.X), Y: r.IntN(s.Y), Z: r.IntN(s.Z)})
		}
		used := box.Min.Add(cairn.Point{X: 40, Y: 8, Z: 40})
		inUse := func() cairn.Point {
			return used.Add(cairn.Point{X: r.IntN(8), Y: r.IntN(8), Z: r.IntN(8)})
		}
		low := cairn.Point{X: box.Min.X, Y: box.Max.Y - 9, Z: box.Min.Z}
		floor := cairn.Box{Min: low, Max: low.Add(cairn.Point{X: 512, Y: 1, Z: 512})}
		n := 0
		run := func(name string, each int, blocks func(set func(p cairn.Point, name string), fill func(box cairn.Box, name string))) {
			b.Run(k.name+"/"+name+"/Edit", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n++
					if _, err := w.Edit(b.Context(), func(e cairn.Blocks) error {
						blocks(e.Set, func(box cairn.Box, name string) { e.Fill(box, name) })
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(each), "ns/block")
			})
			b.Run(k.name+"/"+name+"/Update", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					n++
					if _, err := w.World().Update(func(tx *world.Tx) error {
						d := tx.Dimension(w.Dimension())
						d.AnyHeight()
						v := d.Volume(voxel.Block)
						blocks(func(p cairn.Point, name string) { v.Set(p, v.Named(name)) }, func(box cairn.Box, name string) { v.Fill(box, v.Named(name)) })
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(each), "ns/block")
			})
		}
		type set = func(cairn.Point, string)
		type fill = func(cairn.Box, string)
		run("one, a chunk in use", 1, func(set set, _ fill) { set(inUse(), names[n%len(names)]) })
		run("one, anywhere", 1, func(set set, _ fill) { set(anywhere(), names[n%len(names)]) })
		run("1000 of a chunk", 1000, func(set set, _ fill) {
			for range 1000 {
				p := used.Chunk().Min().Add(cairn.Point{X: r.IntN(32), Y: r.IntN(32), Z: r.IntN(32)})
				set(p, names[n%len(names)])
			}
		})
		run("1000 in a row of walls", 1000, func(set set, _ fill) {
			for i := range 1000 {
				set(used.Chunk().Min().Add(cairn.Point{X: i % 32, Y: i / 32}), names[n%len(names)])
			}
		})
		run("floor of 256 chunks", 1<<18, func(_ set, fill fill) { fill(floor, names[n%len(names)]) })
		b.Run(k.name+"/Block", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Block(used)
			}
		})
	}
}

func openIsland(b *testing.B) (*cairn.World, cairn.Box, []string) {
	st := memory.New(memory.Options{})
	b.Cleanup(func() { st.Close() })
	s := worldtest.Stone(b, worldtest.Load(b, terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern})))
	_, err := world.Import(b.Context(), st, "island", s, world.Options{}, "import")
	if err != nil {
		b.Fatal(err)
	}
	w, err := cairn.OpenWorld(b.Context(), st, "island", cairn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	var box cairn.Box
	for pos := range w.World().View().Dimension(w.Dimension()).Volume(voxel.Block).Chunks() {
		box = box.Union(pos.Box())
	}
	return w, box, []string{"stone", "glass", "dirt", "oak_planks", "cobblestone", "sand", "gravel"}
}

func openMade(b *testing.B) (*cairn.World, cairn.Box, []string) {
	st := memory.New(memory.Options{})
	b.Cleanup(func() { st.Close() })
	w, err := cairn.Create(b.Context(), st, "made", cairn.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	box := geom.Box{Max: geom.Point{X: 160, Y: 96, Z: 160}}
	r := rand.New(rand.NewPCG(2, 2))
	if _, err := w.Edit(b.Context(), func(e cairn.Blocks) error {
		for range 20000 {
			p := cairn.Point{X: r.IntN(150), Y: r.IntN(80), Z: r.IntN(150)}
			e.Fill(cairn.Box{Min: p, Max: p.Add(cairn.Point{X: 1 + r.IntN(6), Y: 1, Z: 1 + r.IntN(6)})}, []string{"a", "b", "c", "d"}[r.IntN(4)])
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Commit(b.Context(), "made"); err != nil {
		b.Fatal(err)
	}
	return w, box, []string{"a", "b", "c", "d", "e", "f", "g"}
}
