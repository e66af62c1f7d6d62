package clip_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestBuilder compares a Builder with an unpacked array, for boxes that do and do not fit
// chunks and cells in runs of many lengths.
func TestBuilder(t *testing.T) {
	for i, size := range []geom.Point{
		{X: 1, Y: 1, Z: 1}, {X: 32, Y: 32, Z: 32}, {X: 64, Y: 33, Z: 32}, {X: 33, Y: 65, Z: 31}, {X: 5, Y: 70, Z: 40}, {X: 100, Y: 3, Z: 1}, {X: 1, Y: 100, Z: 7}, {X: 96, Y: 64, Z: 64},
	} {
		for _, longest := range []int{1, 5, 40, size.X * size.Z, 5 * size.X * size.Z, 1 << 30} {
			t.Run(fmt.Sprint(size, longest), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(i), uint64(longest)))
				def := voxel.Cell(rnd.IntN(2))
				b := clip.NewBuilder(size, def, nil)
				var want []voxel.Cell
				for n := size.X * size.Y * size.Z; len(want) < n; {
					k, v := min(1+rnd.IntN(longest), n-len(want)), voxel.Cell(rnd.IntN(4))
					run := make([]voxel.Cell, k)
					for i := range run {
						run[i] = v
					}
					want = append(want, run...)
					if rnd.IntN(2) == 0 {
						b.Run(v, k)
					} else {
						b.Cells(run)
					}
				}
				v, err := b.View()
				if err != nil {
					t.Fatal(err)
				}
				got := make([]voxel.Cell, len(want))
				if !v.ReadBox(geom.Box{Max: size}, 0, got) {
					t.Fatal("the view lacks cells")
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("cell %d: got %d, want %d", i, got[i], want[i])
					}
				}
				for pos, c := range v.Chunks() { // outside of the box lies the default
					for y := range 32 {
						for z := range 32 {
							for x := range 32 {
								p := pos.Min().Add(geom.Point{X: x, Y: y, Z: z})
								if !(geom.Box{Max: size}).Contains(p) && c.Cell(x, y, z) != def {
									t.Fatalf("%v outside of the box is %d", p, c.Cell(x, y, z))
								}
							}
						}
					}
				}
			})
		}
	}
}

func TestBuilderWrongCount(t *testing.T) {
	size := geom.Point{X: 3, Y: 3, Z: 3}
	for _, n := range []int{0, 26, 28, 1 << 40} {
		b := clip.NewBuilder(size, 0, nil)
		b.Run(1, n)
		if _, err := b.View(); err == nil {
			t.Errorf("%d cells for a box of 27: no error", n)
		}
	}
	empty := clip.NewBuilder(geom.Point{X: 3, Z: 3}, 0, nil)
	if _, err := empty.View(); err != nil {
		t.Errorf("an empty box: %v", err)
	}
}

func TestBuilderLimit(t *testing.T) {
	size := geom.Point{X: 1000, Y: 1000, Z: 1000}
	b := clip.NewBuilder(size, 0, document.NewLimit(8<<20))
	b.Run(1, 1e9)
	if _, err := b.View(); err != nil {
		t.Errorf("a billion equal cells take more than 8 MiB: %v", err)
	}
	b = clip.NewBuilder(size, 0, document.NewLimit(8<<20))
	for i := 0; b.Err() == nil && i < 1e9; i++ {
		b.Run(voxel.Cell(i*i%7), 1)
	}
	if _, err := b.View(); !errors.Is(err, clip.ErrTooLarge) {
		t.Errorf("noise: %v, want ErrTooLarge", err)
	}
}
