package stone_test

import (
	"maps"
	"math/bits"
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

// TestCubes compares where a run of stones has chunks and columns with what the stones say one by one.
func TestCubes(t *testing.T) {
	for seed := range uint64(6) {
		m := newMaker(900 + seed)
		var run []*stone.Reader
		chunks, columns := make(map[[2]string]map[geom.ChunkPos]bool), make(map[string]map[geom.ColumnPos]bool)
		for range 1 + seed%4 {
			s := m.spec()
			r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 8, Effort: stone.Quick}))
			run = append(run, r)
			for _, d := range s.Dimensions {
				for _, v := range d.Volumes {
					name := [2]string{d.Name, v.Name}
					if chunks[name] == nil {
						chunks[name] = make(map[geom.ChunkPos]bool)
					}
					maps.Insert(chunks[name], r.Entries(d.Name, v.Name, 0))
				}
				if columns[d.Name] == nil {
					columns[d.Name] = make(map[geom.ColumnPos]bool)
				}
				maps.Insert(columns[d.Name], r.ColumnEntries(d.Name))
			}
		}
		for name, want := range chunks {
			got, last := make(map[geom.ChunkPos]bool), geom.Code(0)
			for code, mask := range stone.Cubes(run, name[0], name[1]) {
				if code <= last || mask == 0 {
					t.Fatalf("%s: cube %x %x after %x", name, code, mask, last)
				}
				for last = code; mask != 0; mask &= mask - 1 {
					got[(code<<6 | geom.Code(bits.TrailingZeros64(mask))).Pos()] = true
				}
			}
			maps.DeleteFunc(want, func(_ geom.ChunkPos, there bool) bool { return !there })
			if !maps.Equal(got, want) {
				t.Fatalf("%s: got %v, want %v", name, got, want)
			}
		}
		for dim, want := range columns {
			got := make(map[geom.ColumnPos]bool)
			for first, mask := range stone.Squares(run, dim) {
				for i := range int32(64) {
					if mask>>i&1 != 0 {
						got[geom.ColumnPos{X: first.X + i&7, Z: first.Z + i>>3}] = true
					}
				}
			}
			maps.DeleteFunc(want, func(_ geom.ColumnPos, there bool) bool { return !there })
			if !maps.Equal(got, want) {
				t.Fatalf("columns of %s: got %v, want %v", dim, got, want)
			}
		}
	}
}
