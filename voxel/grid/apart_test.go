package grid_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// TestApart compares Apart with a comparison of all positions of two maps.
func TestApart(t *testing.T) {
	long.Alone(t)
	rng := rand.New(rand.NewPCG(1, 5))
	far := []geom.ChunkPos{{}, {X: 7, Y: 7, Z: 7}, {X: -1}, {X: 1000}, {Y: -20000, Z: 31}, {X: 5000, Z: -5000}}
	for i := range 3000 {
		places := far[:1+rng.IntN(len(far))]
		var pool []*voxel.Chunk
		for c := range voxel.Cell(3) {
			pool = append(pool, voxel.Uniform(c+1))
		}
		pool = append(pool, grid.NotLoaded)
		anywhere := func() geom.ChunkPos {
			p := places[rng.IntN(len(places))]
			n := int32(1) << rng.IntN(6)
			return geom.ChunkPos{X: p.X + rng.Int32N(n), Y: p.Y + rng.Int32N(n), Z: p.Z + rng.Int32N(n)}
		}
		a := make(map[geom.ChunkPos]*voxel.Chunk)
		for range rng.IntN(40) {
			a[anywhere()] = pool[rng.IntN(len(pool))]
		}
		v := built(a)
		b, u := maps.Clone(a), v // that shares nodes
		if rng.IntN(3) == 0 {
			b, u = make(map[geom.ChunkPos]*voxel.Chunk), built(nil)
		}
		var placed []grid.Placed
		for range rng.IntN(20) {
			pos := anywhere()
			var c *voxel.Chunk
			if rng.IntN(3) > 0 {
				c = pool[rng.IntN(len(pool))]
			}
			if _, twice := find(placed, pos); twice {
				continue
			}
			placed = append(placed, grid.Placed{Pos: pos, Chunk: c})
			if delete(b, pos); c != nil {
				b[pos] = c
			}
		}
		u = u.With(placed)
		if rng.IntN(4) == 0 { // equal, and not one node shared
			u = built(b)
		}
		for side := range 2 {
			want := differing(a, b)
			var got []geom.ChunkPos
			for pos, c := range v.Apart(u) {
				got = append(got, pos)
				if c != [2]*voxel.Chunk{a[pos], b[pos]} {
					t.Fatalf("run %d, side %d: chunks at %v: %v", i, side, pos, c)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("run %d, side %d: got %v, want %v", i, side, got, want)
			}
			for range v.Apart(u) { // ends when it is told to
				break
			}
			a, b, v, u = b, a, u, v
		}
	}
}

// differing returns where two maps differ, in ascending order of code.
func differing(a, b map[geom.ChunkPos]*voxel.Chunk) (out []geom.ChunkPos) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for pos := range all {
		if a[pos] != b[pos] {
			out = append(out, pos)
		}
	}
	slices.SortFunc(out, func(p, q geom.ChunkPos) int { return geom.CodeOf(p, 0).Compare(geom.CodeOf(q, 0)) })
	return out
}

func built(m map[geom.ChunkPos]*voxel.Chunk) *grid.View {
	var placed []grid.Placed
	for pos, c := range m {
		placed = append(placed, grid.Placed{Pos: pos, Chunk: c})
	}
	return grid.New(grid.Options{}).With(placed)
}

func find(placed []grid.Placed, pos geom.ChunkPos) (int, bool) {
	i := slices.IndexFunc(placed, func(p grid.Placed) bool { return p.Pos == pos })
	return i, i >= 0
}
