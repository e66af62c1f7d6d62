package terrain_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestPlains compares chunks with single cells, and pins how much there is of the land.
func TestPlains(t *testing.T) {
	p := terrain.Plains{Seed: 3}
	r := rand.New(rand.NewPCG(1, 1))
	sum, cells := 0, 0
	for range 400 {
		pos := geom.ChunkPos{X: int32(r.IntN(2000) - 1000), Y: int32(r.IntN(8)/7) * -1, Z: int32(r.IntN(2000) - 1000)}
		c := p.Chunk(pos)
		if pos.Y == 0 {
			sum, cells = sum+1, cells+c.CountNonEmpty()
		}
		for range 200 {
			in := geom.Point{X: r.IntN(32), Y: r.IntN(32), Z: r.IntN(32)}
			at := pos.Min().Add(in)
			if got, want := c.Cell(in.X, in.Y, in.Z), p.Cell(at); got != want {
				t.Fatalf("%v: got %v, want %v", at, got, want)
			}
		}
	}
	if mean := float64(cells) / float64(sum*1024); mean < 2 || mean > 4 {
		t.Errorf("%.2f cells above each other, want about 2.8", mean)
	}
	if a, b := (terrain.Plains{Seed: 1}).Chunk(geom.ChunkPos{}), (terrain.Plains{Seed: 2}).Chunk(geom.ChunkPos{}); a.Equal(b) {
		t.Error("another seed makes the same land")
	}
	if c := p.Chunk(geom.ChunkPos{Y: 1}); c.CountNonEmpty() != 0 || voxel.Empty != 0 {
		t.Error("there is matter above the land")
	}
}

func BenchmarkPlains(b *testing.B) {
	p := terrain.Plains{Seed: 1}
	for i := range b.N {
		p.Chunk(geom.ChunkPos{X: int32(i)})
	}
}
