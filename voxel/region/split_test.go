package region_test

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
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

// drawSimple draws a polygon with many corners on one line: from a triangle on a small grid it
// moves an edge over a corner as often as that leaves it simple.
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
		if _, err := region.NewPolygon(more); err == nil && more[0] != more[len(more)-1] {
			corners = more
		}
	}
	return corners
}

// TestSplitFarAway maps polygons and lines to coordinates of 62 bits, where edges are nearly
// parallel to the line, and wants the mapped parts.
func TestSplitFarAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		g := rapid.IntRange(-1, 7)
		l := region.Line{A: region.Corner{X: g.Draw(t, "ax"), Z: g.Draw(t, "az")}, B: region.Corner{X: g.Draw(t, "bx"), Z: g.Draw(t, "bz")}}
		if l.A == l.B {
			t.Skip()
		}
		// The map keeps areas up to a factor: x' = a*x + b*z + dx, z' = c*x + d*z + dz.
		far := rapid.IntRange(-1<<58, 1<<58)
		a, b := far.Draw(t, "a"), far.Draw(t, "b")
		c, d := a+rapid.IntRange(-3, 3).Draw(t, "c"), b+rapid.IntRange(-3, 3).Draw(t, "d")
		turn := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(d))), new(big.Int).Mul(big.NewInt(int64(b)), big.NewInt(int64(c)))).Sign()
		if turn == 0 {
			t.Skip()
		}
		move := func(p region.Corner) region.Corner {
			return region.Corner{X: a*(p.X-3) + b*(p.Z-3), Z: c*(p.X-3) + d*(p.Z-3)}
		}
		moved := make([]region.Corner, len(corners))
		for i, p := range corners {
			moved[i] = move(p)
		}
		mapped := func(parts []region.PolygonPart, mirror int) map[string]int {
			out := make(map[string]int)
			for _, part := range parts {
				for v := range part.Polygon.Vertices() {
					x, z := v.Exact()
					if mirror != 0 {
						three := big.NewRat(3, 1)
						x.Sub(x, three)
						z.Sub(z, three)
						r := func(p, q int) *big.Rat {
							s := new(big.Rat).Mul(big.NewRat(int64(p), 1), x)
							return s.Add(s, new(big.Rat).Mul(big.NewRat(int64(q), 1), z))
						}
						x, z = r(a, b), r(c, d)
					}
					out[x.RatString()+" "+z.RatString()+" "+region.Side(int(part.Side)*(mirror+b2i(mirror == 0))).String()]++
				}
			}
			return out
		}
		want := mapped(mustSplit(t, corners, l), turn)
		got := mapped(mustSplit(t, moved, region.Line{A: move(l.A), B: move(l.B)}), 0)
		if !maps.Equal(got, want) {
			t.Fatalf("%v by %v mapped by %d %d %d %d: %v, want %v", corners, l, a, b, c, d, got, want)
		}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestVertexFraction(t *testing.T) {
	near, far := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		shift := rapid.SampledFrom([]int{0, 1, 16, 17, 30, 50}).Draw(t, "shift")
		for i := range corners {
			corners[i].X, corners[i].Z = (corners[i].X-3)<<shift, (corners[i].Z-3)<<shift
		}
		for _, part := range mustSplit(t, corners, region.Line{A: region.Corner{X: -1}, B: region.Corner{X: 1 << shift, Z: 1}}) {
			for v := range part.Polygon.Vertices() {
				x, z := v.Exact()
				fx, fz, over, ok := v.Fraction()
				if !ok {
					far++
					if shift < 17 {
						t.Fatalf("%v has no fraction", v)
					}
					continue
				}
				near++
				if over < 1 || x.Cmp(big.NewRat(fx, over)) != 0 || z.Cmp(big.NewRat(fz, over)) != 0 {
					t.Fatalf("%v is (%d,%d)/%d", v, fx, fz, over)
				}
			}
		}
	})
	if near == 0 || far == 0 {
		t.Errorf("%d fractions fit, %d do not", near, far)
	}
}

func TestSplitRefuses(t *testing.T) {
	p, err := region.NewPolygon([]region.Corner{{0, 0}, {4, 0}, {0, 4}})
	if err != nil {
		t.Fatal(err)
	}
	at := region.Corner{X: 1, Z: 1}
	if _, err := region.Split(p, region.Line{A: at, B: at}); err == nil {
		t.Error("a line through one point is taken")
	}
	for _, l := range []region.Line{{A: at, B: region.Corner{X: region.MaxCorner + 1}}, {A: region.Corner{Z: -region.MaxCorner - 1}, B: at}} {
		if _, err := region.Split(p, l); !errors.Is(err, geom.ErrOutOfRange) {
			t.Errorf("%v: %v", l, err)
		}
	}
	if parts, err := region.Split(region.Polygon{}, region.Line{B: at}); err != nil || len(parts) != 0 {
		t.Errorf("the parts of no polygon are %v, %v", parts, err)
	}
	// A star that crosses itself: the line enters it twice from the left.
	star, err := region.TrustPolygon([]region.Corner{{0, 0}, {8, 0}, {1, 8}, {4, -4}, {7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	if parts, err := region.Split(star, region.Line{A: region.Corner{Z: 3}, B: region.Corner{X: 1, Z: 3}}); err == nil {
		t.Errorf("a star is split into %q", texts(parts))
	}
}

// ExampleSplit cuts a U across its legs.
func ExampleSplit() {
	u, err := region.NewPolygon([]region.Corner{{X: 0, Z: 0}, {X: 0, Z: 8}, {X: 8, Z: 8}, {X: 8, Z: 0}, {X: 7, Z: 0}, {X: 6, Z: 6}, {X: 2, Z: 6}, {X: 1, Z: 0}})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := region.Split(u, region.Line{A: region.Corner{X: 0, Z: 4}, B: region.Corner{X: 8, Z: 4}})
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range parts {
		fmt.Println(part.Side, part.Polygon.Area().RatString(), slices.Collect(part.Polygon.Vertices()))
	}
	// Output:
	// left 16/3 [(0,4) (5/3,4) (1,0) (0,0)]
	// right 70/3 [(0,4) (0,8) (8,8) (8,4) (19/3,4) (6,6) (2,6) (5/3,4)]
	// left 16/3 [(19/3,4) (8,4) (8,0) (7,0)]
}

// BenchmarkSplit splits a comb, where half of the vertices are new, and checks one.
func BenchmarkSplit(b *testing.B) {
	for _, n := range []int{4, 100, 10000} {
		corners := comb(n)
		b.Run(fmt.Sprint("check ", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := region.NewPolygon(corners); err != nil {
					b.Fatal(err)
				}
			}
		})
		p, err := region.NewPolygon(corners)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("split ", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := region.Split(p, region.Line{A: region.Corner{Z: 500}, B: region.Corner{X: 1000, Z: 501}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPrism asks a prism of 100,000 corners for its rows and its chunks.
func BenchmarkPrism(b *testing.B) {
	const n = 100000
	var corners []region.Corner
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		r := 3000 + float64(i*7919%101)/20
		corners = append(corners, region.Corner{X: int(r * cos), Z: int(r * sin)})
	}
	p := mustPrism(b, corners, 0, 256)
	b.Run("row", func(b *testing.B) {
		z := 0
		for b.Loop() {
			p.Spans(0, z%3000, func(x0, x1 int) bool { return true })
			z += 7
		}
	})
	b.Run("chunks", func(b *testing.B) {
		for b.Loop() {
			for range region.Chunks(p) {
			}
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			mustPrism(b, corners, 0, 256)
		}
	})
}
