package stone_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestEntriesIn compares what a stone says of boxes with what it says of everything.
func TestEntriesIn(t *testing.T) {
	for seed := range uint64(2) {
		s := newMaker(300 + seed).spec()
		r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 8, Effort: stone.Quick}))
		rnd := rand.New(rand.NewPCG(seed, 1))
		for _, d := range s.Dimensions {
			for _, v := range d.Volumes {
				all := maps.Collect(r.Entries(d.Name, v.Name, 0))
				corners := []geom.ChunkPos{{X: -geom.MaxChunk, Y: -geom.MaxChunk, Z: -geom.MaxChunk}, {X: geom.MaxChunk - 1, Y: geom.MaxChunk - 1, Z: geom.MaxChunk - 1}, {}}
				for pos := range all {
					corners = append(corners, pos)
				}
				for range 12 {
					a, b := corners[rnd.IntN(len(corners))], corners[rnd.IntN(len(corners))]
					low := geom.ChunkPos{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
					high := geom.ChunkPos{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
					want := make(map[geom.ChunkPos]bool)
					for p, holds := range all {
						if p.X >= low.X && p.Y >= low.Y && p.Z >= low.Z && p.X <= high.X && p.Y <= high.Y && p.Z <= high.Z {
							want[p] = holds
						}
					}
					box := geom.Box{Min: low.Min(), Max: high.Min().Add(geom.Point{X: 1, Y: 32, Z: 6})} // a few cells of the outermost
					if got := maps.Collect(r.EntriesIn(d.Name, v.Name, box)); !maps.Equal(got, want) {
						t.Fatalf("%s from %v to %v: got %v, want %v", v.Name, low, high, got, want)
					}
				}
			}
			all := maps.Collect(r.ColumnEntries(d.Name))
			const most = 2 * geom.MaxChunk
			corners := []geom.ColumnPos{{X: -most, Z: -most}, {X: most - 1, Z: most - 1}, {}}
			for pos := range all {
				corners = append(corners, pos)
			}
			for range 12 {
				a, b := corners[rnd.IntN(len(corners))], corners[rnd.IntN(len(corners))]
				low, high := geom.ColumnPos{X: min(a.X, b.X), Z: min(a.Z, b.Z)}, geom.ColumnPos{X: max(a.X, b.X), Z: max(a.Z, b.Z)}
				want := make(map[geom.ColumnPos]bool)
				for p, there := range all {
					if p.X >= low.X && p.Z >= low.Z && p.X <= high.X && p.Z <= high.Z {
						want[p] = there
					}
				}
				box := geom.Box{Min: low.Min(3), Max: high.Min(4).Add(geom.Point{X: 16, Z: 1})}
				if got := maps.Collect(r.ColumnEntriesIn(d.Name, box)); !maps.Equal(got, want) {
					t.Fatalf("columns from %v to %v: got %v, want %v", low, high, got, want)
				}
			}
		}
	}
}
