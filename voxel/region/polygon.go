package region

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// MaxCorner bounds the coordinates of the corners of a Polygon and of a Line in both
// directions. The difference of two fits an int64, and a product of differences 128 bits.
const MaxCorner = 1<<62 - 1

// Line is the infinite line through two different points, directed from A to B. Left and right of it
// are those of one who walks this way on a map, on which x goes to the right and z down.
type Line struct{ A, B Corner }

// Polygon is a simple polygon seen from above: its edges meet only at their common ends. Its
// vertices go round counterclockwise on a map, on which x goes to the right and z down. The zero
// value has no vertices. A Polygon does not change.
type Polygon struct{ vertices []Vertex }

// Vertex is a point where two edges of a Polygon meet: a Corner, or the point where a line has
// cut an edge. It keeps the edge and the line and is exact.
type Vertex struct {
	at    Corner
	cut   *crossing // nil for a Corner
	along *ray      // the line of the edge that begins here; nil if it goes from a Corner to the next one
}

// crossing is the point where two lines cross that are not parallel.
type crossing struct{ edge, line ray }

// ray is a line from a point in a direction.
type ray struct {
	from   Corner
	dx, dz int64
}

func through(a, b Corner) ray { return ray{a, int64(b.X) - int64(a.X), int64(b.Z) - int64(a.Z)} }

// to returns the second of the two points that made r.
func (r ray) to() Corner { return Corner{r.from.X + int(r.dx), r.from.Z + int(r.dz)} }

// measure returns a number that is positive left of r, negative right of it, and grows in
// proportion to the distance.
func (r ray) measure(c Corner) wide {
	return product(r.dz, int64(c.X)-int64(r.from.X)).minus(product(r.dx, int64(c.Z)-int64(r.from.Z)))
}

// side returns 1 if v is left of r, -1 if it is right of r, and 0 if it is on r. Along the edge of a
// crossing measure is linear, and it is known at two points of the edge, a and b:
// at the crossing it is (measure(b)*line(a) - measure(a)*line(b)) / (line(a) - line(b)).
func (r ray) side(v Vertex) int {
	if v.cut == nil {
		return r.measure(v.at).sign()
	}
	a, b := v.cut.edge.from, v.cut.edge.to()
	atA, atB := v.cut.line.measure(a), v.cut.line.measure(b)
	return compareProducts(r.measure(b), atA, r.measure(a), atB) * atA.compare(atB)
}

// Exact returns the coordinates of v as fractions, which belong to the caller.
func (v Vertex) Exact() (x, z *big.Rat) {
	if v.cut == nil {
		return new(big.Rat).SetInt64(int64(v.at.X)), new(big.Rat).SetInt64(int64(v.at.Z))
	}
	a, b := v.cut.edge.from, v.cut.edge.to()
	atA, atB := v.cut.line.measure(a).big(), v.cut.line.measure(b).big()
	over := new(big.Int).Sub(atA, atB)
	at := func(a, b int) *big.Rat {
		n := new(big.Int).Mul(big.NewInt(int64(b)), atA)
		return new(big.Rat).SetFrac(n.Sub(n, new(big.Int).Mul(big.NewInt(int64(a)), atB)), over)
	}
	return at(a.X, b.X), at(a.Z, b.Z)
}

// Fraction returns the coordinates of v as x/over and z/over, perhaps not in lowest terms; over
// is positive. It reports whether they fit, which they do if all corners and points of lines are
// within 1<<19. It is much faster than Exact.
func (v Vertex) Fraction() (x, z, over int64, ok bool) {
	if v.cut == nil {
		return int64(v.at.X), int64(v.at.Z), 1, true
	}
	const most = 1 << 19
	for _, r := range [2]ray{v.cut.edge, v.cut.line} {
		if max(r.from.X, r.from.Z) > most || min(r.from.X, r.from.Z) < -most || max(r.dx, r.dz) > 2*most || min(r.dx, r.dz) < -2*most {
			return 0, 0, 0, false
		}
	}
	e := v.cut.edge
	a, b := int64(v.cut.line.measure(e.from).low), int64(v.cut.line.measure(e.to()).low)
	over = a - b
	x, z = int64(e.from.X)*over+e.dx*a, int64(e.from.Z)*over+e.dz*a
	if over < 0 {
		x, z, over = -x, -z, -over
	}
	return x, z, over, true
}

// doubled returns the integers next to twice the coordinates of v, whose edge and line go through points
// within range.
func (v Vertex) doubled() (x, z neighbours) {
	if v.cut == nil {
		return neighbours{2 * v.at.X, 2 * v.at.X}, neighbours{2 * v.at.Z, 2 * v.at.Z}
	}
	e := v.cut.edge
	a, b := int64(v.cut.line.measure(e.from).low), int64(v.cut.line.measure(e.to()).low)
	at := func(from int, d int64) neighbours {
		floor, exact := product(2*d, a).over(a - b)
		return neighbours{2*from + int(floor), 2*from + int(floor) + b2i(!exact)}
	}
	return at(e.from.X, e.dx), at(e.from.Z, e.dz)
}

// neighbours is the integers next to a number, which are the same if it is one.
type neighbours struct{ floor, ceiling int }

// String returns the coordinates, such as (3,-7/2).
func (v Vertex) String() string {
	x, z := v.Exact()
	return fmt.Sprintf("(%s,%s)", x.RatString(), z.RatString())
}

// support returns the line of the edge from v to the next vertex.
func (v Vertex) support(next Vertex) ray {
	if v.along != nil {
		return *v.along
	}
	return through(v.at, next.at)
}

// NewPolygon returns the polygon whose edges join the corners in their order, and the last corner to the
// first. Either direction is taken. Corners in the middle of a straight edge stay. The polygon begins
// with the corner of least x, and among these of least z. A last corner that repeats the first does
// not count.
//
// The error is a *PolygonError if the polygon is not simple: corners are the same, edges cross,
// touch or overlap. It wraps geom.ErrOutOfRange if a coordinate is beyond MaxCorner. The check
// takes time in proportion to n log n.
func NewPolygon(corners []Corner) (Polygon, error) { return newPolygon(corners, true) }

// TrustPolygon is NewPolygon for corners that are known to make a simple polygon. It leaves
// the check of the edges out. If they do not, then what Split returns has no meaning.
func TrustPolygon(corners []Corner) (Polygon, error) { return newPolygon(corners, false) }

// unclosed takes the last corner from a ring if it repeats the first.
func unclosed(corners []Corner) []Corner {
	if n := len(corners) - 1; n > 0 && corners[n] == corners[0] {
		return corners[:n]
	}
	return corners
}

func newPolygon(corners []Corner, check bool) (Polygon, error) {
	corners = unclosed(corners)
	if len(corners) < 3 {
		return Polygon{}, fmt.Errorf("region: polygon: %d corners, want at least 3", len(corners))
	}
	first := 0
	for i, c := range corners {
		if max(int64(c.X), int64(c.Z)) > MaxCorner || min(int64(c.X), int64(c.Z)) < -MaxCorner {
			return Polygon{}, fmt.Errorf("region: polygon: corner %d at (%d,%d): %w", i, c.X, c.Z, geom.ErrOutOfRange)
		}
		if c.before(corners[first]) {
			first = i
		}
	}
	if check && !convex(corners) {
		if err := checkSimple(corners); err != nil {
			return Polygon{}, err
		}
	}
	n := len(corners)
	last, next := (first+n-1)%n, (first+1)%n
	turn := through(corners[last], corners[first]).measure(corners[next]).sign()
	if turn == 0 {
		return Polygon{}, &PolygonError{last, first, "overlap"}
	}
	vertices := make([]Vertex, n)
	for i := range vertices {
		vertices[i].at = corners[(first+n+turn*i)%n]
	}
	return Polygon{vertices}, nil
}

// before orders corners by x, then z.
func (c Corner) before(d Corner) bool { return c.X < d.X || c.X == d.X && c.Z < d.Z }

// convex reports whether the corners surely go round a convex polygon once: they turn to one
// side only, and they go forth and back once in the order of before.
func convex(corners []Corner) bool {
	n := len(corners)
	turn, back := 0, 0
	a, b := corners[n-2], corners[n-1]
	for _, c := range corners {
		if a == b {
			return false
		}
		s := through(a, b).measure(c).sign()
		ends := a.before(b) != b.before(c)
		if s*turn < 0 || s == 0 && ends {
			return false
		}
		back += b2i(ends)
		turn |= s
		a, b = b, c
	}
	return turn != 0 && back == 2
}

// Vertices yields the vertices in their order.
func (p Polygon) Vertices() iter.Seq[Vertex] { return slices.Values(p.vertices) }

// Area returns the area, exactly. It takes long if many vertices are fractions.
func (p Polygon) Area() *big.Rat {
	if len(p.vertices) == 0 {
		return new(big.Rat)
	}
	sum := p.twice(0, len(p.vertices))
	return sum.Quo(sum, big.NewRat(2, 1))
}

// twice returns what the edges from i to below j add to twice the area. It adds halves, so that numbers
// become long late. A map has z down, so the sign is the opposite of the textbook's.
func (p Polygon) twice(i, j int) *big.Rat {
	if k := (i + j) / 2; k > i {
		sum := p.twice(i, k)
		return sum.Add(sum, p.twice(k, j))
	}
	a, b := p.vertices[i].Exact()
	c, d := p.vertices[j%len(p.vertices)].Exact()
	return a.Sub(b.Mul(b, c), a.Mul(a, d))
}
