package index

import (
	"cmp"
	"io/fs"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/octree"
)

// brute looks at each object. It is right by its simplicity.
type brute struct{ boxes []octree.Box }

func (t *brute) Insert(b octree.Box) (octree.ObjectID, error) {
	t.boxes = append(t.boxes, b)
	return octree.ObjectID(len(t.boxes) - 1), nil
}

func (t *brute) Move(id octree.ObjectID, b octree.Box) error {
	if id.Index() >= len(t.boxes) {
		return fs.ErrNotExist
	}
	t.boxes[id.Index()] = b
	return nil
}

func (t *brute) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.boxes {
		if q.Overlaps(t.boxes[i]) && !yield(octree.ObjectID(i), t.boxes[i]) {
			return
		}
	}
}

func (t *brute) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

func (t *brute) Inside(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.boxes {
		if q.Contains(t.boxes[i]) && !yield(octree.ObjectID(i), t.boxes[i]) {
			return
		}
	}
}

func (t *brute) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.boxes {
		if squared(&t.boxes[i], c) <= radius*radius && !yield(octree.ObjectID(i), t.boxes[i]) {
			return
		}
	}
}

// squared is the square of the distance of p from b.
func squared(b *octree.Box, p octree.Vec) float64 {
	x := max(b.Min.X-p.X, 0, p.X-b.Max.X)
	y := max(b.Min.Y-p.Y, 0, p.Y-b.Max.Y)
	z := max(b.Min.Z-p.Z, 0, p.Z-b.Max.Z)
	return x*x + y*y + z*z
}

func (t *brute) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	n := 0
	for i := range t.boxes {
		n = keep(buf, n, octree.Near{ID: octree.ObjectID(i), Distance: squared(&t.boxes[i], p)})
	}
	return rooted(buf[:n])
}

// rooted makes distances of squares.
func rooted(buf []octree.Near) []octree.Near {
	for i := range buf {
		buf[i].Distance = math.Sqrt(buf[i].Distance)
	}
	return buf
}

// keep puts x in its place among the nearest of which buf has n already, and returns how many it has then.
func keep(buf []octree.Near, n int, x octree.Near) int {
	if n == len(buf) {
		if n == 0 || x.Distance >= buf[n-1].Distance {
			return n
		}
		n--
	}
	i := n
	for ; i > 0 && buf[i-1].Distance > x.Distance; i-- {
		buf[i] = buf[i-1]
	}
	buf[i] = x
	return n + 1
}

func (t *brute) First(r octree.Ray) (octree.Hit, bool) {
	best, found := octree.Hit{}, false
	for i := range t.boxes {
		if at, ok := r.Enter(t.boxes[i]); ok && (!found || at < best.T) {
			best, found = octree.Hit{ID: octree.ObjectID(i), T: at}, true
		}
	}
	return best, found
}

func (t *brute) AppendHits(dst []octree.Hit, r octree.Ray) []octree.Hit {
	for i := range t.boxes {
		if at, ok := r.Enter(t.boxes[i]); ok {
			dst = append(dst, octree.Hit{ID: octree.ObjectID(i), T: at})
		}
	}
	slices.SortFunc(dst, func(a, b octree.Hit) int { return cmp.Compare(a.T, b.T) })
	return dst
}

func (t *brute) Frustum(f octree.Frustum, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.boxes {
		if f.Sees(t.boxes[i]) && !yield(octree.ObjectID(i), t.boxes[i]) {
			return
		}
	}
}

func (t *brute) Plane(p octree.Plane, side octree.Side, yield func(octree.ObjectID, octree.Box) bool) {
	for i := range t.boxes {
		if p.Side(t.boxes[i]) == side && !yield(octree.ObjectID(i), t.boxes[i]) {
			return
		}
	}
}

func (t *brute) Pairs(yield func(a, b octree.ObjectID) bool) {
	for i := range t.boxes {
		for j := range t.boxes[:i] {
			if t.boxes[i].Overlaps(t.boxes[j]) && !yield(octree.ObjectID(i), octree.ObjectID(j)) {
				return
			}
		}
	}
}
