package region_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

// inPolygon counts in exact fractions the edges that the ray from the centre of
// the cell (x, z) towards lesser x crosses or starts on.
func inPolygon(corners []region.Corner, x, z int) bool {
	half := big.NewRat(1, 2)
	centre := func(v int) *big.Rat { return new(big.Rat).Add(big.NewRat(int64(v), 1), half) }
	cx, cz := centre(x), centre(z)
	in := false
	for i, a := range corners {
		b := corners[(i+1)%len(corners)]
		ax, az := big.NewRat(int64(a.X), 1), big.NewRat(int64(a.Z), 1)
		dx, dz := big.NewRat(int64(b.X-a.X), 1), big.NewRat(int64(b.Z-a.Z), 1)
		if dz.Sign() == 0 {
			continue
		}
		at := new(big.Rat).Quo(new(big.Rat).Sub(cz, az), dz) // along the edge, 0..1
		if at.Sign() < 0 || at.Cmp(big.NewRat(1, 1)) > 0 {
			continue
		}
		if new(big.Rat).Add(ax, at.Mul(at, dx)).Cmp(cx) <= 0 {
			in = !in
		}
	}
	return in
}

func drawCorners(t *rapid.T) []region.Corner {
	g := rapid.IntRange(-36, 36)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) region.Corner {
		return region.Corner{X: g.Draw(t, "x"), Z: g.Draw(t, "z")}
	}), 3, 9).Draw(t, "corners")
}

func TestPrism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners, y0 := drawCorners(t), rapid.IntRange(-3, 3).Draw(t, "floor")
		p, err := region.NewPrism(corners, y0, y0+2)
		if err != nil {
			t.Skip(err)
		}
		given := slices.Clone(corners)
		corners[0] = region.Corner{X: 99, Z: 99}
		b := p.Bounds()
		plan := make(map[[2]int]bool)
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				plan[[2]int{x, z}] = inPolygon(given, x, z)
			}
		}
		checkRegion(t, p, func(q geom.Point) bool { return q.Y >= y0 && q.Y < y0+2 && plan[[2]int{q.X, q.Z}] })
	})
}

func TestPrismShapes(t *testing.T) {
	for _, tt := range []struct {
		name    string
		corners []region.Corner
		rows    [][]run // from the least z on
	}{
		{"square", []region.Corner{{0, 0}, {3, 0}, {3, 2}, {0, 2}}, [][]run{{{0, 3}}, {{0, 3}}}},
		{"the other way round", []region.Corner{{0, 2}, {3, 2}, {3, 0}, {0, 0}}, [][]run{{{0, 3}}, {{0, 3}}}},
		{"closed by its first corner", []region.Corner{{0, 0}, {3, 0}, {3, 2}, {0, 2}, {0, 0}}, [][]run{{{0, 3}}, {{0, 3}}}},
		{"below the diagonal", []region.Corner{{-3, -3}, {0, 0}, {-3, 0}}, [][]run{nil, {{-3, -2}}, {{-3, -1}}}},
		{"above the diagonal", []region.Corner{{-3, -3}, {0, -3}, {0, 0}}, [][]run{{{-3, 0}}, {{-2, 0}}, {{-1, 0}}}},
		{"a slot", []region.Corner{{0, 0}, {2, 0}, {2, 2}, {3, 2}, {3, 0}, {5, 0}, {5, 3}, {0, 3}},
			[][]run{{{0, 2}, {3, 5}}, {{0, 2}, {3, 5}}, {{0, 5}}}},
		{"a slot of no width", []region.Corner{{0, 0}, {2, 0}, {2, 1}, {2, 0}, {4, 0}, {4, 2}, {0, 2}}, [][]run{{{0, 4}}, {{0, 4}}}},
		{"a bow tie", []region.Corner{{0, 0}, {4, 4}, {4, 0}, {0, 4}}, [][]run{{{3, 4}}, {{0, 1}, {2, 4}}, {{0, 1}, {2, 4}}, {{3, 4}}}},
		{"twice round", []region.Corner{{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 2}, {0, 2}}, [][]run{nil, nil}},
		{"there and back", []region.Corner{{0, 0}, {2, 0}, {2, 2}, {2, 0}}, [][]run{nil, nil}},
		{"between centres", []region.Corner{{0, 0}, {1, 0}, {0, 1}}, [][]run{nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := mustPrism(t, tt.corners, 5, 7)
			for i, want := range tt.rows {
				if got := runs(p, 6, p.Bounds().Min.Z+i); !slices.Equal(got, want) {
					t.Errorf("row %d is %v, want %v", i, got, want)
				}
			}
		})
	}
}

// TestPrismsTile cuts a square at random lines from a point within: every cell
// is in exactly one part.
func TestPrismsTile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.IntRange(1, 15)
		hub := region.Corner{X: g.Draw(t, "x"), Z: g.Draw(t, "z")}
		rim := []region.Corner{{0, 0}, {g.Draw(t, "north"), 0}, {16, 0}, {16, g.Draw(t, "east")}, {16, 16}, {0, 16}}
		parts := make([]region.Prism, len(rim))
		for i, a := range rim {
			parts[i] = mustPrism(t, []region.Corner{hub, a, rim[(i+1)%len(rim)]}, 0, 1)
		}
		for z := range 16 {
			for x := range 16 {
				n := 0
				for _, p := range parts {
					if p.Contains(geom.Point{X: x, Z: z}) {
						n++
					}
				}
				if n != 1 {
					t.Fatalf("cell (%d,%d) is in %d parts around %v", x, z, n, hub)
				}
			}
		}
	})
}

func FuzzNewPrism(f *testing.F) {
	corner := func(vs ...int32) (out []byte) {
		for _, v := range vs {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
		return out
	}
	f.Add(corner(0, 0, 9, 1, 3, 12, -5, 2), 0, 3)
	f.Add(corner(0, 0, 4, 4, 4, 0, 0, 4), -40, 40)
	f.Add(corner(-1<<25, -1<<25, 1<<25, -1<<25, 1<<25, 1<<25), -1<<25, 1<<25)
	f.Add(corner(1, 1, 2, 2, 3, 3), 0, 1)
	f.Fuzz(func(t *testing.T, src []byte, y0, y1 int) {
		var corners []region.Corner
		for ; len(src) >= 8 && len(corners) < 40; src = src[8:] {
			x, z := int32(binary.LittleEndian.Uint32(src)), int32(binary.LittleEndian.Uint32(src[4:]))
			corners = append(corners, region.Corner{X: int(x), Z: int(z)})
		}
		p, err := region.NewPrism(corners, y0, y1)
		if err != nil {
			return
		}
		b := p.Bounds()
		for _, z := range []int{b.Min.Z, b.Min.Z + b.Size().Z/2, b.Max.Z - 1, b.Max.Z} {
			end := b.Min.X - 1
			p.Spans(y0, z, func(x0, x1 int) bool {
				if x0 >= x1 || x0 <= end && end >= b.Min.X || x0 < b.Min.X || x1 > b.Max.X {
					t.Fatalf("%v: run %d..%d after %d", corners, x0, x1, end)
				}
				for _, x := range []int{x0 - 1, x0, x1 - 1, x1} {
					q := geom.Point{X: x, Y: y0, Z: z}
					if in := x >= x0 && x < x1; p.Contains(q) != in || b.Contains(q) && inPolygon(corners, x, z) != in {
						t.Fatalf("%v: cell %v at run %d..%d is contained: %v", corners, q, x0, x1, !in)
					}
				}
				end = x1
				return true
			})
		}
		if cells := b.Size(); cells.X < 256 && cells.Y < 8 && cells.Z < 256 {
			checkRegion(t, p, p.Contains)
		}
	})
}
