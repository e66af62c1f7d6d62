package region_test

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

// turn is the sign of the turn from a over b to c, in big numbers.
func turn(a, b, c region.Corner) int {
	d := func(p, q int) *big.Int { return new(big.Int).Sub(big.NewInt(int64(q)), big.NewInt(int64(p))) }
	left := new(big.Int).Mul(d(a.Z, b.Z), d(a.X, c.X))
	return left.Cmp(new(big.Int).Mul(d(a.X, b.X), d(a.Z, c.Z)))
}

// meet reports whether the closed segments ab and cd share a point.
func meet(a, b, c, d region.Corner) bool {
	s, u, v, w := turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
	within := func(p, q, r region.Corner) bool {
		return min(p.X, q.X) <= r.X && r.X <= max(p.X, q.X) && min(p.Z, q.Z) <= r.Z && r.Z <= max(p.Z, q.Z)
	}
	return s*u < 0 && v*w < 0 || s == 0 && within(a, b, c) || u == 0 && within(a, b, d) || v == 0 && within(c, d, a) || w == 0 && within(c, d, b)
}

// clash reports whether edges i and j of a polygon break the rule of a simple one.
func clash(corners []region.Corner, i, j int) bool {
	n := len(corners)
	at := func(k int) region.Corner { return corners[k%n] }
	a, b, c, d := at(i), at(i+1), at(j), at(j+1)
	switch {
	case a == b || c == d || a == c:
		return true
	case b == c:
		return turn(a, b, d) == 0 && meet(a, b, d, d) || turn(a, b, d) == 0 && meet(c, d, a, a)
	case d == a:
		return turn(c, d, b) == 0 && meet(c, d, b, b) || turn(c, d, b) == 0 && meet(a, b, c, c)
	}
	return meet(a, b, c, d)
}

// simple looks at all pairs of edges.
func simple(corners []region.Corner) bool {
	for i := range corners {
		for j := range i {
			if clash(corners, j, i) {
				return false
			}
		}
	}
	return true
}

// TestNewPolygonIsSimple compares the sweep with a look at all pairs of edges.
func TestNewPolygonIsSimple(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.IntRange(2, 7).Draw(t, "side")
		g := rapid.IntRange(0, side)
		corners := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) region.Corner {
			return region.Corner{X: g.Draw(t, "x"), Z: g.Draw(t, "z")}
		}), 3, 9).Draw(t, "corners")
		if rapid.Bool().Draw(t, "simple") {
			corners = drawSimple(t)
			i, j := rapid.IntRange(0, len(corners)-1).Draw(t, "i"), rapid.IntRange(0, len(corners)-1).Draw(t, "j")
			if rapid.Bool().Draw(t, "swap") {
				corners[i], corners[j] = corners[j], corners[i]
			}
		}
		if corners[0] == corners[len(corners)-1] {
			t.Skip() // see TestClosedRings
		}
		_, err := region.NewPolygon(corners)
		if want := simple(corners); want != (err == nil) {
			t.Fatalf("%v: simple: %v; got %v", corners, want, err)
		}
		if err == nil {
			accepted++
			return
		}
		var e *region.PolygonError
		if !errors.As(err, &e) || e.Edge == e.Other || !clash(corners, e.Edge, e.Other) {
			t.Fatalf("%v: %v", corners, err)
		}
	})
	if accepted == 0 {
		t.Error("no polygon was accepted")
	}
}

func TestNewPolygonRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		corners []region.Corner
		want    string
	}{
		{"two corners", []region.Corner{{0, 0}, {1, 1}}, "region: polygon: 2 corners, want at least 3"},
		{"no area", []region.Corner{{0, 0}, {1, 1}, {2, 2}}, "region: polygon: edges 0 and 2 overlap"},
		{"bow tie", []region.Corner{{0, 0}, {4, 4}, {4, 0}, {0, 4}}, "region: polygon: edges 0 and 2 cross"},
		{"a corner twice", []region.Corner{{0, 0}, {4, 0}, {4, 4}, {4, 0}, {0, 4}}, "region: polygon: edges 1 and 3 begin at the same point"},
		{"closed too early", []region.Corner{{0, 0}, {4, 0}, {0, 0}}, "region: polygon: 2 corners, want at least 3"},
		{"closed twice", []region.Corner{{0, 0}, {4, 0}, {4, 4}, {0, 0}, {0, 0}}, "region: polygon: edges 0 and 3 begin at the same point"},
		{"a corner touches an edge", []region.Corner{{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}}, "region: polygon: edges 0 and 3 touch"},
		{"a spike", []region.Corner{{0, 0}, {4, 0}, {6, 0}, {4, 0}, {4, 4}}, "region: polygon: edges 1 and 3 begin at the same point"},
		{"a spike back over an edge", []region.Corner{{0, 0}, {4, 0}, {2, 0}, {4, 4}}, "region: polygon: edges 0 and 2 touch"},
		{"edges overlap", []region.Corner{{0, 0}, {6, 0}, {6, 2}, {4, 2}, {4, 0}, {2, 0}, {2, 4}, {0, 4}}, "region: polygon: edges 0 and 5 touch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := region.NewPolygon(tt.corners); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	_, err := region.NewPolygon([]region.Corner{{0, 0}, {1, 0}, {0, region.MaxCorner + 1}})
	if !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("out of range: %v", err)
	}
}

func TestNewPolygonManyCorners(t *testing.T) {
	for _, n := range []int{100, 10000} {
		corners := comb(n)
		if _, err := region.NewPolygon(corners); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(corners)
		if _, err := region.NewPolygon(corners); err != nil {
			t.Fatal(err)
		}
		i := len(corners) / 2
		corners[i], corners[i+2] = corners[i+2], corners[i]
		if _, err := region.NewPolygon(corners); err == nil {
			t.Errorf("%d corners, two of them swapped, are taken", n)
		}
	}
}

// comb returns n corners: n/2 teeth side by side on a back.
func comb(n int) []region.Corner {
	corners := []region.Corner{{X: 2 * n, Z: 0}, {X: 0, Z: 0}}
	for i := range n - 2 {
		corners = append(corners, region.Corner{X: 2 * i, Z: 10 + 1000*(i%2) + i%7})
	}
	return corners
}

func ExampleNewPolygon() {
	_, err := region.NewPolygon([]region.Corner{{X: 0, Z: 0}, {X: 4, Z: 4}, {X: 4, Z: 0}, {X: 0, Z: 4}})
	fmt.Println(err)
	// Output: region: polygon: edges 0 and 2 cross
}

// A ring whose last corner repeats the first is the ring without that corner, for polygons and prisms.
func TestClosedRings(t *testing.T) {
	ring := []region.Corner{{4, 0}, {0, 0}, {0, 3}, {4, 4}}
	closed := append(slices.Clone(ring), ring[0])
	for _, make := range map[string]func([]region.Corner) (any, error){
		"polygon": func(c []region.Corner) (any, error) { return region.NewPolygon(c) },
		"trusted": func(c []region.Corner) (any, error) { return region.TrustPolygon(c) },
		"prism":   func(c []region.Corner) (any, error) { return region.NewPrism(c, 0, 2) },
	} {
		want, err := make(ring)
		got, again := make(closed)
		if err != nil || again != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v, %v", got, again, want, err)
		}
	}
}
