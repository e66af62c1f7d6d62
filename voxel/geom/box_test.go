package geom_test

import (
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"pgregory.net/rapid"
)

// drawBox draws a box around the origin: small enough to count its cells one by
// one, often empty, sometimes inside out.
func drawBox(t *rapid.T, name string) geom.Box {
	p := rapid.Custom(func(t *rapid.T) geom.Point {
		g := rapid.IntRange(-3, 3)
		return geom.Point{X: g.Draw(t, "X"), Y: g.Draw(t, "Y"), Z: g.Draw(t, "Z")}
	})
	return geom.Box{Min: p.Draw(t, name+".Min"), Max: p.Draw(t, name+".Max")}
}

// cells lists by brute force the points within 8 of the origin that in accepts.
func cells(in func(geom.Point) bool) []geom.Point {
	var out []geom.Point
	for y := -8; y < 8; y++ {
		for z := -8; z < 8; z++ {
			for x := -8; x < 8; x++ {
				if p := (geom.Point{X: x, Y: y, Z: z}); in(p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// slowContains asks coordinate by coordinate, as the definition of Box does.
func slowContains(b geom.Box, p geom.Point) bool {
	for _, c := range [][3]int{{b.Min.X, p.X, b.Max.X}, {b.Min.Y, p.Y, b.Max.Y}, {b.Min.Z, p.Z, b.Max.Z}} {
		if c[1] < c[0] || c[1] >= c[2] {
			return false
		}
	}
	return true
}

func sameCells(t *rapid.T, what string, got geom.Box, want func(geom.Point) bool) {
	t.Helper()
	w := cells(want)
	if got.Cells() != len(w) || got.Empty() != (len(w) == 0) {
		t.Fatalf("%s: %v has %d cells, want %d", what, got, got.Cells(), len(w))
	}
	if !slices.Equal(cells(got.Contains), w) {
		t.Fatalf("%s: %v holds %v, want %v", what, got, cells(got.Contains), w)
	}
}

func TestBoxIsASetOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, p := drawBox(t, "a"), drawBox(t, "b"), drawBox(t, "p").Min
		inA := func(q geom.Point) bool { return slowContains(a, q) }
		sameCells(t, "box", a, inA)
		sameCells(t, "intersection", a.Intersect(b), func(q geom.Point) bool { return inA(q) && slowContains(b, q) })
		sameCells(t, "moved", a.Add(p), func(q geom.Point) bool { return inA(q.Sub(p)) })
		if s := a.Size(); s.X*s.Y*s.Z != a.Cells() || a.Empty() && s != (geom.Point{}) {
			t.Fatalf("size of %v is %v", a, s)
		}
	})
}

func TestBoxUnionIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawBox(t, "a"), drawBox(t, "b")
		in := cells(func(p geom.Point) bool { return slowContains(a, p) || slowContains(b, p) })
		var want geom.Box
		for i, p := range in {
			one := geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}
			if i == 0 {
				want = one
			}
			want.Min = geom.Point{X: min(want.Min.X, p.X), Y: min(want.Min.Y, p.Y), Z: min(want.Min.Z, p.Z)}
			want.Max = geom.Point{X: max(want.Max.X, one.Max.X), Y: max(want.Max.Y, one.Max.Y), Z: max(want.Max.Z, one.Max.Z)}
		}
		got := a.Union(b)
		if len(in) == 0 {
			if !got.Empty() {
				t.Fatalf("%v and %v make %v, want nothing", a, b, got)
			}
		} else if got != want {
			t.Fatalf("%v and %v make %v, want %v", a, b, got, want)
		}
	})
}

func TestBoxEdges(t *testing.T) {
	unit := geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}
	for _, tt := range []struct {
		name  string
		b     geom.Box
		cells int
		size  geom.Point
	}{
		{"zero", geom.Box{}, 0, geom.Point{}},
		{"unit", unit, 1, geom.Point{X: 1, Y: 1, Z: 1}},
		{"flat in y", geom.Box{Max: geom.Point{X: 9, Z: 9}}, 0, geom.Point{}},
		{"inside out twice", geom.Box{Min: geom.Point{X: 2, Y: 2}, Max: geom.Point{Z: 2}}, 0, geom.Point{}},
		{"across zero", geom.Box{Min: geom.Point{X: -2, Y: -1}, Max: geom.Point{X: 3, Y: 1, Z: 4}}, 40, geom.Point{X: 5, Y: 2, Z: 4}},
	} {
		if got := tt.b.Cells(); got != tt.cells {
			t.Errorf("%s: %d cells, want %d", tt.name, got, tt.cells)
		}
		if got := tt.b.Size(); got != tt.size {
			t.Errorf("%s: size %v, want %v", tt.name, got, tt.size)
		}
	}
	if unit.Contains(unit.Max) || !unit.Contains(unit.Min) {
		t.Error("a box holds its Min and not its Max")
	}
}

func TestBoxScale(t *testing.T) {
	got := geom.Box{Min: geom.Point{X: -1, Y: 2, Z: 3}, Max: geom.Point{X: 4, Y: 5, Z: 6}}.Scale(8)
	if want := (geom.Box{Min: geom.Point{X: -8, Y: 16, Z: 24}, Max: geom.Point{X: 32, Y: 40, Z: 48}}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
