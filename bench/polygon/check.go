package polygon

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/voxel/region"
)

// Checks is how many random splits were checked.
type Checks struct {
	Splits   int     `json:"splits"`
	Polygons int     `json:"polygons"`
	Parts    int     `json:"parts"`
	Many     int     `json:"splits_into_more_than_two"`
	Touching int     `json:"splits_with_a_corner_on_the_line"`
	Seconds  float64 `json:"seconds"`
}

// linesEach is how many lines split a polygon.
const linesEach = 20

// check splits random polygons on small grids, where corners on the line and collinear runs
// are frequent. It returns an error at the first property that fails.
func check(ctx context.Context, splits int, seed uint64) (*Checks, error) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	c, start := &Checks{}, time.Now()
	for c.Splits < splits {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		side := 3 + rnd.IntN(7)
		ring := grow(rnd, side)
		c.Polygons++
		for range min(linesEach, splits-c.Splits) {
			l := region.Line{A: random(rnd, side), B: random(rnd, side)}
			for l.A == l.B {
				l.B = random(rnd, side)
			}
			if err := c.one(ring, l); err != nil {
				return nil, fmt.Errorf("polygons: %v split by %v: %w", ring, l, err)
			}
		}
	}
	c.Seconds = time.Since(start).Seconds()
	return c, nil
}

func random(rnd *rand.Rand, side int) region.Corner {
	return region.Corner{X: rnd.IntN(side), Z: rnd.IntN(side)}
}

// grow returns a simple polygon: a triangle whose edges are moved over random corners, where
// that leaves it simple.
func grow(rnd *rand.Rand, side int) []region.Corner {
	for {
		ring := []region.Corner{random(rnd, side), random(rnd, side), random(rnd, side)}
		if _, err := region.NewPolygon(ring); err != nil {
			continue
		}
		for range rnd.IntN(24) {
			i := 1 + rnd.IntN(len(ring))
			more := append(append(append(make([]region.Corner, 0, len(ring)+1), ring[:i]...), random(rnd, side)), ring[i:]...)
			if _, err := region.NewPolygon(more); err == nil && more[0] != more[len(more)-1] { // not a closed ring
				ring = more
			}
		}
		return ring
	}
}

// one checks a split and the same split described otherwise.
func (c *Checks) one(ring []region.Corner, l region.Line) error {
	parts, err := split(ring, l)
	if err != nil {
		return err
	}
	c.Splits++
	c.Parts += len(parts)
	c.Many += b2i(len(parts) > 2)
	for _, v := range ring {
		if at(l, int64(v.X), int64(v.Z), 1) == 0 {
			c.Touching++
			break
		}
	}
	want, err := keys(parts, region.Corner{})
	if err != nil {
		return err
	}
	if err := properties(ring, l, parts, want); err != nil {
		return err
	}
	return errors.Join(otherwise(ring, l, want), raster(ring, parts))
}

func split(ring []region.Corner, l region.Line) ([]region.PolygonPart, error) {
	p, err := region.NewPolygon(ring)
	if err != nil {
		return nil, err
	}
	return region.Split(p, l)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at returns what is positive left of l, negative right of it, for the point x/over, z/over.
func at(l region.Line, x, z, over int64) int64 {
	ax, az := int64(l.A.X), int64(l.A.Z)
	return (int64(l.B.Z)-az)*(x-ax*over) - (int64(l.B.X)-ax)*(z-az*over)
}

// prime is the number modulo which fractions are compared and areas added: two different
// sums are the same modulo it by chance once in 2^61.
const prime = 1<<61 - 1

func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high, low, prime)
	return rest
}

func residue(v int64) uint64 {
	if v < 0 {
		return prime - uint64(-v)
	}
	return uint64(v)
}

var inverses = make([]uint64, 1<<16)

// inverse returns 1/v.
func inverse(v int64) uint64 {
	if v < int64(len(inverses)) && inverses[v] != 0 {
		return inverses[v]
	}
	out, power := uint64(1), residue(v)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = times(out, power)
		}
		power = times(power, power)
	}
	if v < int64(len(inverses)) {
		inverses[v] = out
	}
	return out
}

// key is a vertex modulo the prime.
type key struct{ x, z uint64 }

// ringKeys is the vertices of a part.
type ringKeys struct {
	side region.Side
	keys []key
}

// keys returns the vertices of parts that were moved by a corner.
func keys(parts []region.PolygonPart, moved region.Corner) ([]ringKeys, error) {
	out := make([]ringKeys, 0, len(parts))
	for _, p := range parts {
		r := ringKeys{p.Side, []key(nil)}
		for v := range p.Polygon.Vertices() {
			x, z, over, ok := v.Fraction()
			if !ok {
				return nil, fmt.Errorf("%v has no fraction", v)
			}
			i := inverse(over)
			r.keys = append(r.keys, key{times(residue(x-int64(moved.X)*over), i), times(residue(z-int64(moved.Z)*over), i)})
		}
		out = append(out, r)
	}
	return out, nil
}

// area returns twice the area that a ring goes round, counterclockwise on a map.
func area(ring []key) (sum uint64) {
	a := ring[len(ring)-1]
	for _, b := range ring {
		sum = (sum + times(a.z, b.x) + prime - times(a.x, b.z)) % prime
		a = b
	}
	return sum
}

type bridge struct{ from, to key }

// properties checks the parts of a split.
func properties(ring []region.Corner, l region.Line, parts []region.PolygonPart, rings []ringKeys) error {
	edges := make(map[bridge]int, 32)
	sums := map[region.Side]uint64{}
	for i, p := range parts {
		strict := false
		for v := range p.Polygon.Vertices() {
			x, z, over, _ := v.Fraction()
			s := at(l, x, z, over) * int64(p.Side)
			strict = strict || s > 0
			if s < 0 {
				return fmt.Errorf("%v of part %d is not on the %v", v, i, p.Side)
			}
		}
		if !strict {
			return fmt.Errorf("part %d lies on the line", i)
		}
		k := rings[i].keys
		for j, a := range k {
			edges[bridge{a, k[(j+1)%len(k)]}]++
		}
		sums[p.Side] = (sums[p.Side] + area(k)) % prime
		again, err := region.Split(p.Polygon, l)
		if err != nil || len(again) != 1 || again[0].Side != p.Side || len(slices.Collect(again[0].Polygon.Vertices())) != len(k) {
			return fmt.Errorf("part %d is split again into %d, %v", i, len(again), err)
		}
	}
	whole, err := region.NewPolygon(ring)
	if err != nil {
		return err
	}
	own, err := keys([]region.PolygonPart{{Polygon: whole}}, region.Corner{})
	if err != nil {
		return err
	}
	for _, side := range []region.Side{region.Left, region.Right} {
		if want := clipped(own[0].keys, whole, l, side); sums[side] != want {
			return fmt.Errorf("the parts on the %v have another area than the polygon there", side)
		}
	}
	return covered(edges, own[0].keys)
}

// clipped returns twice the area of a polygon on one side of a line: it clips the ring by the half-plane.
func clipped(ring []key, p region.Polygon, l region.Line, side region.Side) uint64 {
	var out []key
	var values []int64
	for v := range p.Vertices() {
		x, z, _, _ := v.Fraction()
		values = append(values, at(l, x, z, 1)*int64(side))
	}
	for i, a := range ring {
		j := (i + 1) % len(ring)
		b, s, t := ring[j], values[i], values[j]
		if s >= 0 {
			out = append(out, a)
		}
		if s < 0 && t > 0 || s > 0 && t < 0 {
			f := times(residue(s), inverse(max(s-t, t-s)))
			if s < t {
				f = (prime - f) % prime
			}
			mix := func(a, b uint64) uint64 { return (a + times(f, (b+prime-a)%prime)) % prime }
			out = append(out, key{mix(a.x, b.x), mix(a.z, b.z)})
		}
	}
	if len(out) == 0 {
		return 0
	}
	return area(out)
}

// covered checks that the edges of the parts are those of the ring, each once, whole or in two pieces, and
// bridges, each once in both directions.
func covered(edges map[bridge]int, ring []key) error {
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		if edges[bridge{a, b}] == 1 {
			delete(edges, bridge{a, b})
			continue
		}
		found := false
		for e := range edges {
			if last := (bridge{e.to, b}); e.from == a && edges[last] == 1 && edges[bridge{e.to, a}] == 0 {
				delete(edges, e)
				delete(edges, last)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("edge %d is in no part", i)
		}
	}
	for e, n := range edges {
		if n != 1 || edges[bridge{e.to, e.from}] != 1 {
			return fmt.Errorf("an edge of a part is neither one of the polygon nor a bridge")
		}
	}
	return nil
}

// otherwise splits the polygon from another first corner in the other direction, by the line
// backwards, and moved.
func otherwise(ring []region.Corner, l region.Line, want []ringKeys) error {
	n := len(ring)
	other, moved := make([]region.Corner, n), make([]region.Corner, n)
	by := region.Corner{X: 1000, Z: -333}
	for i, c := range ring {
		other[(n/2+n-i)%n] = c
		moved[i] = region.Corner{X: c.X + by.X, Z: c.Z + by.Z}
	}
	for _, tt := range []struct {
		name   string
		ring   []region.Corner
		line   region.Line
		moved  region.Corner
		mirror region.Side
	}{
		{"in the other direction", other, l, region.Corner{}, 1},
		{"by the line backwards", ring, region.Line{A: l.B, B: l.A}, region.Corner{}, -1},
		{"moved", moved, region.Line{A: region.Corner{X: l.A.X + by.X, Z: l.A.Z + by.Z}, B: region.Corner{X: l.B.X + by.X, Z: l.B.Z + by.Z}}, by, 1},
	} {
		parts, err := split(tt.ring, tt.line)
		if err != nil {
			return fmt.Errorf("%s: %w", tt.name, err)
		}
		got, err := keys(parts, tt.moved)
		if err != nil {
			return err
		}
		same := len(got) == len(want)
		for i := 0; same && i < len(got); i++ {
			same = got[i].side == want[i].side*tt.mirror && len(got[i].keys) == len(want[i].keys)
			for j := 0; same && j < len(got[i].keys); j++ {
				same = got[i].keys[j] == want[i].keys[j]
			}
		}
		if !same {
			return fmt.Errorf("%s it has other parts", tt.name)
		}
	}
	return nil
}

// raster checks that the cells of the parts are those of the whole, none twice.
func raster(ring []region.Corner, parts []region.PolygonPart) error {
	whole, err := region.NewPolygon(ring)
	if err != nil {
		return err
	}
	var cells [16]uint32 // a bit for each cell, by row
	fill := func(p region.Polygon) error {
		prism, err := p.Prism(0, 1)
		if err != nil {
			return err
		}
		for z := range cells {
			prism.Spans(0, z, func(x0, x1 int) bool {
				run := uint32(1)<<x1 - uint32(1)<<x0
				if cells[z]&run != 0 {
					err = fmt.Errorf("a cell is twice in row %d", z)
				}
				cells[z] ^= run
				return true
			})
		}
		return err
	}
	for _, p := range parts {
		if err := fill(p.Polygon); err != nil {
			return err
		}
	}
	got := cells
	cells = [16]uint32{}
	if err := fill(whole); err != nil {
		return err
	}
	if got != cells {
		return errors.New("the parts have other cells than the whole")
	}
	return nil
}
