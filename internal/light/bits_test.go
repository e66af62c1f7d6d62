package light_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// Rows of bits give the chunks that cells one by one give.
func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tests := []struct {
		name string
		by   func(a, b light.Bits) light.Bits
		cell func(x int, a, b voxel.Cell) voxel.Cell
	}{
		{"plus", light.Bits.Plus, func(_ int, a, b voxel.Cell) voxel.Cell { return (a + b) & light.MaxLight }},
		{"minus", light.Bits.Minus, func(_ int, a, b voxel.Cell) voxel.Cell { return (a - b) & light.MaxLight }},
		{"within", func(a, b light.Bits) light.Bits { return a.Within(0xffff00f0, b) }, func(x int, a, b voxel.Cell) voxel.Cell {
			if 0xffff00f0>>x&1 != 0 {
				return a
			}
			return b
		}},
		{"one light", func(a, _ light.Bits) light.Bits { return light.All(9) }, func(int, voxel.Cell, voxel.Cell) voxel.Cell { return 9 }},
		{"where they differ", func(a, b light.Bits) light.Bits { return light.All(1).Within(a.Differ(b), light.All(0)) }, func(_ int, a, b voxel.Cell) voxel.Cell {
			if a != b {
				return 1
			}
			return 0
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b, want := new([voxel.ChunkCells]voxel.Cell), new([voxel.ChunkCells]voxel.Cell), new([voxel.ChunkCells]voxel.Cell)
			v := voxel.Cell(0)
			for i := range a {
				if r.IntN(9) == 0 {
					v = voxel.Cell(r.IntN(16))
				}
				if a[i] = v; r.IntN(3) == 0 {
					b[i] = voxel.Cell(r.IntN(16))
				}
				want[i] = tt.cell(i&31, a[i], b[i])
			}
			ca, cb := voxel.FromFlat(a), voxel.FromFlat(b)
			var out voxel.ChunkBuilder
			var runs [voxel.ChunkEdge]voxel.Cell
			for y := range voxel.ChunkEdge {
				for z := range voxel.ChunkEdge {
					starts, cells := tt.by(light.BitsOf(ca, y, z), light.BitsOf(cb, y, z)).Runs(&runs)
					out.Runs(z, starts, cells)
				}
				out.Next(^uint32(0))
			}
			if !out.Chunk().Equal(voxel.FromFlat(want)) {
				t.Error("not what cells one by one give")
			}
		})
	}
}
