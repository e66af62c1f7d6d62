package region_test

import (
	"math/big"
	"testing"

	"github.com/cairnvoxel/cairn/region"
	"pgregory.net/rapid"
)

// ring is the vertices of a polygon as texts.
func ring(p region.Polygon) (out []string) {
	for v := range p.Vertices() {
		out = append(out, v.String())
	}
	return out
}

// onLine returns 1 left of a line, -1 right of it, 0 on it, in fractions.
func onLine(l region.Line, v region.Vertex) int {
	x, z := v.Exact()
	r := func(a int) *big.Rat { return big.NewRat(int64(a), 1) }
	dx, dz := r(l.B.X-l.A.X), r(l.B.Z-l.A.Z)
	return dz.Mul(dz, x.Sub(x, r(l.A.X))).Cmp(dx.Mul(dx, z.Sub(z, r(l.A.Z))))
}

// drawSimple draws a polygon with many corners on one line: from a triangle on a small grid it moves an edge over a corner
// as often as that leaves it simple.
func drawSimple(t *rapid.T) []region.Corner {
	side := rapid.IntRange(0, 6)
	draw := func() region.Corner { return region.Corner{X: side.Draw(t, "x"), Z: side.Draw(t, "z")} }
	corners := []region.Corner{draw(), draw(), draw()}
	if _, err := region.NewPolygon(corners); err != nil {
		t.Skip(err)
	}
	for range rapid.IntRange(0, 14).Draw(t, "more") {
		i := rapid.IntRange(0, len(corners)-1).Draw(t, "edge")
		more := append(append(append([]region.Corner{}, corners[:i+1]...), draw()), corners[i+1:]...)
		if _, err := region.NewPolygon(more); err == nil {
			corners = more
		}
	}
	return corners
}

func TestSplitRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		g := rapid.IntRange(-1, 7)
		l := region.Line{A: region.Corner{X: g.Draw(t, "ax"), Z: g.Draw(t, "az")}, B: region.Corner{X: g.Draw(t, "bx"), Z: g.Draw(t, "bz")}}
		if l.A == l.B {
			t.Skip()
		}
		p, err := region.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := region.Split(p, l)
		if err != nil {
			t.Fatal(err)
		}
		sum := new(big.Rat)
		for _, part := range parts {
			a := part.Polygon.Area()
			if a.Sign() <= 0 {
				t.Fatalf("%v by %v: part %v has area %v", corners, l, ring(part.Polygon), a)
			}
			sum.Add(sum, a)
			for v := range part.Polygon.Vertices() {
				if s := onLine(l, v); s*int(part.Side) < 0 {
					t.Fatalf("%v by %v: part %v on the %v has %v", corners, l, ring(part.Polygon), part.Side, v)
				}
			}
		}
		if sum.Cmp(p.Area()) != 0 {
			t.Fatalf("%v by %v: areas add up to %v, want %v: %v", corners, l, sum, p.Area(), parts)
		}
	})
}
