package region_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"pgregory.net/rapid"
)

// splitTwin cuts a polygon a slow and obvious way and returns the area on one side. It clips the
// ring by the half-plane, which leaves the area right even where parts are joined along the line.
func splitTwin(corners []region.Corner, l region.Line, side int) *big.Rat {
	type point struct{ x, z *big.Rat }
	at := func(p point) *big.Rat { // grows to the left
		dx, dz := big.NewRat(int64(l.B.X-l.A.X), 1), big.NewRat(int64(l.B.Z-l.A.Z), 1)
		x, z := new(big.Rat).Sub(p.x, big.NewRat(int64(l.A.X), 1)), new(big.Rat).Sub(p.z, big.NewRat(int64(l.A.Z), 1))
		return x.Sub(x.Mul(x, dz), z.Mul(z, dx))
	}
	var out []point
	for i, c := range corners {
		d := corners[(i+1)%len(corners)]
		p, q := point{big.NewRat(int64(c.X), 1), big.NewRat(int64(c.Z), 1)}, point{big.NewRat(int64(d.X), 1), big.NewRat(int64(d.Z), 1)}
		s, t := at(p), at(q)
		if s.Sign()*side >= 0 {
			out = append(out, p)
		}
		if s.Sign()*t.Sign() < 0 {
			f := new(big.Rat).Quo(s, new(big.Rat).Sub(s, t))
			mix := func(a, b *big.Rat) *big.Rat {
				m := new(big.Rat).Sub(b, a)
				return m.Add(m.Mul(m, f), a)
			}
			out = append(out, point{mix(p.x, q.x), mix(p.z, q.z)})
		}
	}
	sum := new(big.Rat)
	for i, p := range out {
		q := out[(i+1)%len(out)]
		sum.Add(sum, new(big.Rat).Sub(new(big.Rat).Mul(p.x, q.z), new(big.Rat).Mul(q.x, p.z)))
	}
	return sum.Mul(sum.Abs(sum), big.NewRat(1, 2))
}

// texts returns each part as one line of text.
func texts(parts []region.PolygonPart) (out []string) {
	for _, p := range parts {
		out = append(out, p.Side.String()+" "+strings.Join(ring(p.Polygon), " "))
	}
	return out
}

func mustSplit(t fataler, corners []region.Corner, l region.Line) []region.PolygonPart {
	t.Helper()
	p, err := region.NewPolygon(corners)
	if err != nil {
		t.Fatalf("%v: %v", corners, err)
	}
	parts, err := region.Split(p, l)
	if err != nil {
		t.Fatalf("%v by %v: %v", corners, l, err)
	}
	return parts
}

// segments returns the directed edges of a ring, cut at points of the line.
func segments(ring []string) (out [][2]string) {
	for i, v := range ring {
		out = append(out, [2]string{v, ring[(i+1)%len(ring)]})
	}
	return out
}

// checkSplitOf checks everything that Split promises of a polygon and a line.
func checkSplitOf(t fataler, corners []region.Corner, l region.Line) {
	t.Helper()
	p, err := region.NewPolygon(corners)
	if err != nil {
		t.Fatalf("%v: %v", corners, err)
	}
	parts, err := region.Split(p, l)
	if err != nil {
		t.Fatalf("%v by %v: %v", corners, l, err)
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%v by %v: %s: %q", corners, l, fmt.Sprintf(format, args...), texts(parts))
	}
	area := map[region.Side]*big.Rat{region.Left: {}, region.Right: {}}
	bridges := make(map[[2]string]int)
	for _, part := range parts {
		a := part.Polygon.Area()
		if a.Sign() <= 0 {
			fail("an area of %v", a)
		}
		area[part.Side].Add(area[part.Side], a)
		strict := false
		vertices := ring(part.Polygon)
		for v := range part.Polygon.Vertices() {
			s := onLine(l, v) * int(part.Side)
			strict = strict || s > 0
			if s < 0 {
				fail("%v is on the wrong side", v)
			}
		}
		if sorted := slices.Sorted(slices.Values(vertices)); !strict || len(slices.Compact(sorted)) != len(vertices) {
			fail("a part that lies on the line or has a vertex twice")
		}
		for _, e := range segments(vertices) {
			bridges[e]++
		}
		again, err := region.Split(part.Polygon, l)
		if err != nil || len(again) != 1 || again[0].Side != part.Side || !slices.Equal(ring(again[0].Polygon), vertices) {
			fail("the part %q is split again into %q, %v", vertices, texts(again), err)
		}
	}
	for side, got := range area {
		if want := splitTwin(corners, l, int(side)); got.Cmp(want) != 0 {
			fail("an area of %v on the %v, want %v", got, side, want)
		}
	}
	// What is no edge of the polygon, whole or cut at the line, is there once in each direction.
	for _, e := range segments(ring(p)) {
		if bridges[e] == 1 {
			delete(bridges, e)
			continue
		}
		found := false
		for first, n := range bridges {
			if last := [2]string{first[1], e[1]}; n == 1 && first[0] == e[0] && bridges[last] == 1 {
				delete(bridges, first)
				delete(bridges, last)
				found = true
				break
			}
		}
		if !found {
			fail("the edge %v is missing", e)
		}
	}
	for e, n := range bridges {
		if n != 1 || bridges[[2]string{e[1], e[0]}] != 1 {
			fail("%v is neither an edge nor a bridge", e)
		}
	}
	if len(parts) > 1 {
		checkOrder(t, l, parts)
	}
	checkInvariant(t, corners, l, texts(parts))
	checkRaster(t, p, parts)
}

// checkOrder checks that parts come as they begin along the line, each with its first vertex on it.
func checkOrder(t fataler, l region.Line, parts []region.PolygonPart) {
	t.Helper()
	left := region.Left
	if l.B.X < l.A.X || l.B.X == l.A.X && l.B.Z < l.A.Z {
		l.A, l.B, left = l.B, l.A, region.Right
	}
	along := func(v region.Vertex) *big.Rat {
		x, z := v.Exact()
		x.Mul(x, big.NewRat(int64(l.B.X-l.A.X), 1))
		return x.Add(x, z.Mul(z, big.NewRat(int64(l.B.Z-l.A.Z), 1)))
	}
	var last *big.Rat
	var side region.Side
	for _, part := range parts {
		var first *big.Rat
		for v := range part.Polygon.Vertices() {
			if first == nil {
				first = along(v)
				if onLine(l, v) != 0 {
					t.Fatalf("the part %q does not begin on %v", ring(part.Polygon), l)
				}
			}
			if onLine(l, v) == 0 && along(v).Cmp(first) < 0 {
				t.Fatalf("the part %q does not begin with its first vertex on %v", ring(part.Polygon), l)
			}
		}
		if last != nil && (last.Cmp(first) > 0 || last.Cmp(first) == 0 && (side != left || part.Side == left)) {
			t.Fatalf("parts are not in the order in which they begin along %v: %q", l, texts(parts))
		}
		last, side = first, part.Side
	}
}

// checkInvariant describes the same polygon and line otherwise.
func checkInvariant(t fataler, corners []region.Corner, l region.Line, want []string) {
	t.Helper()
	i := len(corners) / 2
	other := append(slices.Clone(corners[i:]), corners[:i]...)
	slices.Reverse(other)
	got := texts(mustSplit(t, other, l))
	if !slices.Equal(got, want) {
		t.Fatalf("%v by %v: %q, and of %v %q", corners, l, want, other, got)
	}
	back := texts(mustSplit(t, corners, region.Line{A: l.B, B: l.A}))
	for i, s := range back {
		if s, ok := strings.CutPrefix(s, "left"); ok {
			back[i] = "right" + s
		} else {
			back[i] = "left" + back[i][len("right"):]
		}
	}
	if !slices.Equal(back, want) {
		t.Fatalf("%v by %v: %q, and backwards %q", corners, l, want, back)
	}
	const dx, dz = 1000003, -777
	moved := slices.Clone(corners)
	for i := range moved {
		moved[i].X, moved[i].Z = moved[i].X+dx, moved[i].Z+dz
	}
	parts := mustSplit(t, moved, region.Line{A: region.Corner{X: l.A.X + dx, Z: l.A.Z + dz}, B: region.Corner{X: l.B.X + dx, Z: l.B.Z + dz}})
	for i, part := range parts {
		text := part.Side.String()
		for v := range part.Polygon.Vertices() {
			x, z := v.Exact()
			text += fmt.Sprintf(" (%s,%s)", x.Sub(x, big.NewRat(dx, 1)).RatString(), z.Sub(z, big.NewRat(dz, 1)).RatString())
		}
		if i >= len(want) || text != want[i] {
			t.Fatalf("%v by %v: %q, and moved %q", corners, l, want, texts(parts))
		}
	}
}

// checkRaster compares the cells of the parts with those of the whole.
func checkRaster(t fataler, p region.Polygon, parts []region.PolygonPart) {
	t.Helper()
	whole, err := p.Prism(0, 1)
	if err != nil {
		t.Fatalf("%q: %v", ring(p), err)
	}
	cells := make(map[geom.Point]int)
	b := whole.Bounds()
	for _, part := range parts {
		prism, err := part.Polygon.Prism(0, 1)
		if err != nil {
			t.Fatalf("%q: %v", ring(part.Polygon), err)
		}
		if in := prism.Bounds(); in.Intersect(b) != in {
			t.Fatalf("%q is cut into one with the bounds %v", ring(p), in)
		}
		for z := b.Min.Z; z < b.Max.Z; z++ {
			prism.Spans(0, z, func(x0, x1 int) bool {
				for x := x0; x < x1; x++ {
					cells[geom.Point{X: x, Z: z}]++
				}
				return true
			})
		}
	}
	for z := b.Min.Z; z < b.Max.Z; z++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			q := geom.Point{X: x, Z: z}
			if n := cells[q]; (n == 1) != whole.Contains(q) || n > 1 {
				t.Fatalf("%q: cell %v is in %d parts of %q", ring(p), q, n, texts(parts))
			}
		}
	}
}

func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		g := rapid.IntRange(-1, 7)
		l := region.Line{A: region.Corner{X: g.Draw(t, "ax"), Z: g.Draw(t, "az")}, B: region.Corner{X: g.Draw(t, "bx"), Z: g.Draw(t, "bz")}}
		if l.A == l.B {
			t.Skip()
		}
		checkSplitOf(t, corners, l)
	})
}

// TestSplitAgain cuts parts by other lines: they stay exact, and no cell is lost.
func TestSplitAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		p, err := region.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		parts := []region.PolygonPart{{Polygon: p}}
		g := rapid.IntRange(-1, 7)
		for range rapid.IntRange(2, 6).Draw(t, "lines") {
			l := region.Line{A: region.Corner{X: g.Draw(t, "ax"), Z: g.Draw(t, "az")}, B: region.Corner{X: g.Draw(t, "bx"), Z: g.Draw(t, "bz")}}
			if l.A == l.B {
				continue
			}
			var next []region.PolygonPart
			for _, part := range parts {
				more, err := region.Split(part.Polygon, l)
				if err != nil {
					t.Fatalf("%v: %q by %v: %v", corners, ring(part.Polygon), l, err)
				}
				area := new(big.Rat)
				for _, m := range more {
					area.Add(area, m.Polygon.Area())
					for v := range m.Polygon.Vertices() {
						if onLine(l, v)*int(m.Side) < 0 {
							t.Fatalf("%v: %q by %v: %q", corners, ring(part.Polygon), l, texts(more))
						}
					}
				}
				if want := part.Polygon.Area(); area.Cmp(want) != 0 {
					t.Fatalf("%v: %q by %v: areas add up to %v, want %v: %q", corners, ring(part.Polygon), l, area, want, texts(more))
				}
				next = append(next, more...)
			}
			parts = next
		}
		checkRaster(t, p, parts)
	})
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte{0, 0, 9, 0, 9, 9, 5, 5, 0, 9}, int64(0), int64(0), int64(9), int64(9), uint8(0))
	f.Add([]byte{0, 0, 2, 0, 2, 4, 4, 4, 4, 0, 6, 0, 6, 6, 0, 6}, int64(-5), int64(4), int64(9), int64(4), uint8(0))
	f.Add([]byte{0, 0, 2, 3, 4, 0, 6, 3, 8, 0, 8, 5, 0, 5}, int64(0), int64(3), int64(1), int64(3), uint8(50))
	f.Add([]byte{0, 0, 0, 9, 9, 9, 0, 0}, int64(0), int64(3), int64(1), int64(3), uint8(0)) // closed
	f.Fuzz(func(t *testing.T, src []byte, ax, az, bx, bz int64, shift uint8) {
		var corners []region.Corner
		for ; len(src) >= 2 && len(corners) < 64; src = src[2:] {
			corners = append(corners, region.Corner{X: int(int8(src[0])), Z: int(int8(src[1]))})
		}
		l := region.Line{A: region.Corner{X: int(ax), Z: int(az)}, B: region.Corner{X: int(bx), Z: int(bz)}}
		_, err := region.NewPolygon(corners)
		if n := len(corners) - 1; n > 0 && corners[n] == corners[0] { // a ring may be closed, see TestClosedRings
			corners = corners[:n]
		}
		if (err == nil) != (len(corners) >= 3 && simple(corners)) {
			t.Fatalf("%v: %v", corners, err)
		}
		if len(corners) < 3 || l.A == l.B {
			return
		}
		if err != nil { // no panic and no hang
			if p, err := region.TrustPolygon(corners); err == nil {
				_, _ = region.Split(p, l)
			}
			return
		}
		if max(ax, az, bx, bz) < 300 && min(ax, az, bx, bz) > -300 {
			checkSplitOf(t, corners, l)
		}
		// The same far away, where products take all bits.
		shift %= 55
		for i := range corners {
			corners[i].X, corners[i].Z = corners[i].X<<shift, corners[i].Z<<shift
		}
		moved, err := region.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := region.Split(moved, l)
		if err != nil {
			return
		}
		sum := new(big.Rat)
		for _, part := range parts {
			sum.Add(sum, part.Polygon.Area())
		}
		if sum.Cmp(moved.Area()) != 0 {
			t.Fatalf("%v by %v: %q", corners, l, texts(parts))
		}
	})
}

// inRing counts in exact fractions the edges of p that the ray from the centre of a cell towards
// lesser x crosses or starts on.
func inRing(p region.Polygon, x, z int) bool {
	cx, cz := big.NewRat(int64(2*x+1), 2), big.NewRat(int64(2*z+1), 2)
	vertices := slices.Collect(p.Vertices())
	in := false
	for i, v := range vertices {
		ax, az := v.Exact()
		bx, bz := vertices[(i+1)%len(vertices)].Exact()
		if az.Cmp(cz) >= 0 == (bz.Cmp(cz) >= 0) {
			continue
		}
		at := cz.Sub(cz, az)
		at.Quo(at, bz.Sub(bz, az))
		if at.Add(ax, at.Mul(at, bx.Sub(bx, ax))).Cmp(cx) <= 0 {
			in = !in
		}
		cz = big.NewRat(int64(2*z+1), 2)
	}
	return in
}

// TestPartPrism compares the prism of a part of a part with its cells one by one.
func TestPartPrism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		for i := range corners {
			corners[i].X, corners[i].Z = corners[i].X*7-20, corners[i].Z*8-20
		}
		p, err := region.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		g := rapid.IntRange(-20, 30)
		for range 2 {
			l := region.Line{A: region.Corner{X: g.Draw(t, "ax"), Z: g.Draw(t, "az")}, B: region.Corner{X: g.Draw(t, "bx"), Z: 31}}
			parts, err := region.Split(p, l)
			if err != nil {
				t.Fatal(err)
			}
			p = parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")].Polygon
		}
		prism, err := p.Prism(-2, 1)
		if err != nil {
			t.Fatal(err)
		}
		plan := make(map[[2]int]bool)
		for z := -24; z < 40; z++ {
			for x := -24; x < 40; x++ {
				plan[[2]int{x, z}] = inRing(p, x, z)
			}
		}
		checkRegion(t, prism, func(q geom.Point) bool { return q.Y >= -2 && q.Y < 1 && plan[[2]int{q.X, q.Z}] })
	})
}

func TestTowersRefuses(t *testing.T) {
	p, err := region.NewPolygon([]region.Corner{{0, 0}, {1 << 30, 0}, {0, 9}})
	if err != nil {
		t.Fatal(err)
	}
	if err := region.Towers(p, func(geom.ChunkPos, region.Polygon) bool { return true }); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("towers out of range: %v", err)
	}
	if _, err := p.Prism(0, 1); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("a prism out of range: %v", err)
	}
	n := 0
	p, err = region.NewPolygon([]region.Corner{{0, 0}, {1 << 25, 0}, {1 << 25, 1 << 25}, {0, 1 << 25}})
	if err != nil {
		t.Fatal(err)
	}
	err = region.Towers(p, func(geom.ChunkPos, region.Polygon) bool {
		n++
		return n < 100
	})
	if n != 100 || err != nil {
		t.Errorf("%d towers after a stop at 100: %v", n, err)
	}
}

func TestTowers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := drawSimple(t)
		scale := rapid.IntRange(1, 25).Draw(t, "scale")
		for i := range corners {
			corners[i].X, corners[i].Z = corners[i].X*scale-40, corners[i].Z*scale-50
		}
		p, err := region.NewPolygon(corners)
		if err != nil {
			t.Fatal(err)
		}
		var parts []region.PolygonPart
		area := new(big.Rat)
		err = region.Towers(p, func(tower geom.ChunkPos, part region.Polygon) bool {
			prism, err := part.Prism(0, 1)
			if err != nil {
				t.Fatal(err)
			}
			if b := prism.Bounds(); b.Intersect(tower.Box()) != b {
				t.Fatalf("%v: the part %q is not in the tower %v", corners, ring(part), tower)
			}
			parts = append(parts, region.PolygonPart{Polygon: part})
			area.Add(area, part.Area())
			return true
		})
		if err != nil || area.Cmp(p.Area()) != 0 {
			t.Fatalf("%v: area %v of %v, %v", corners, area, p.Area(), err)
		}
		checkRaster(t, p, parts)
	})
}
