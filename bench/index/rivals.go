package index

import (
	"fmt"
	"io/fs"
	"math"

	"github.com/dhconnelly/rtreego"
	"github.com/tidwall/rtree"

	"github.com/cairnvoxel/cairn/octree"
)

// cellOf says where in a grid or among columns an object lies: by its center.
type cellOf struct{ x, y, z int32 }

// grid is a uniform hash grid. An object lies in the cell of its center, so queries look as much farther as half of the
// largest object.
type grid struct {
	edge  float64
	flat  bool // cells lie in x and y
	high  bool // cells lie in x and z, unless they are flat
	pad   octree.Vec
	cells map[cellOf][]int32
	boxes []octree.Box
	at    []cellOf
}

func newGrid(edge float64, flat bool) *grid {
	return &grid{edge: edge, flat: flat, cells: map[cellOf][]int32{}}
}

func middle(b *octree.Box) octree.Vec {
	return octree.Vec{X: (b.Min.X + b.Max.X) / 2, Y: (b.Min.Y + b.Max.Y) / 2, Z: (b.Min.Z + b.Max.Z) / 2}
}

func (t *grid) cell(p octree.Vec) cellOf {
	c := cellOf{x: int32(math.Floor(p.X / t.edge))}
	if t.flat || !t.high {
		c.y = int32(math.Floor(p.Y / t.edge))
	}
	if !t.flat {
		c.z = int32(math.Floor(p.Z / t.edge))
	}
	return c
}

func (t *grid) widen(b *octree.Box) {
	c := middle(b)
	t.pad = octree.Vec{X: max(t.pad.X, b.Max.X-c.X), Y: max(t.pad.Y, b.Max.Y-c.Y), Z: max(t.pad.Z, b.Max.Z-c.Z)}
}

func (t *grid) Insert(b octree.Box) (octree.ObjectID, error) {
	id := int32(len(t.boxes))
	t.widen(&b)
	c := t.cell(middle(&b))
	t.boxes, t.at = append(t.boxes, b), append(t.at, c)
	t.cells[c] = append(t.cells[c], id)
	return octree.ObjectID(id), nil
}

func (t *grid) Move(id octree.ObjectID, b octree.Box) error {
	i := id.Index()
	if i >= len(t.boxes) {
		return fs.ErrNotExist
	}
	t.widen(&b)
	t.boxes[i] = b
	c, old := t.cell(middle(&b)), t.at[i]
	if c == old {
		return nil
	}
	list := t.cells[old]
	for j, x := range list {
		if x == int32(i) {
			list[j] = list[len(list)-1]
			t.cells[old] = list[:len(list)-1]
			break
		}
	}
	t.at[i] = c
	t.cells[c] = append(t.cells[c], int32(i))
	return nil
}

// near calls yield for all objects whose centers may lie near q. It does not walk over more cells than there are.
func (t *grid) near(q octree.Box, yield func(int32, *octree.Box) bool) {
	lo := t.cell(octree.Vec{X: q.Min.X - t.pad.X, Y: q.Min.Y - t.pad.Y, Z: q.Min.Z - t.pad.Z})
	hi := t.cell(octree.Vec{X: q.Max.X + t.pad.X, Y: q.Max.Y + t.pad.Y, Z: q.Max.Z + t.pad.Z})
	if float64(hi.x-lo.x+1)*float64(hi.y-lo.y+1)*float64(hi.z-lo.z+1) > float64(len(t.boxes)) {
		for i := range t.boxes {
			if !yield(int32(i), &t.boxes[i]) {
				return
			}
		}
		return
	}
	for x := lo.x; x <= hi.x; x++ {
		for y := lo.y; y <= hi.y; y++ {
			for z := lo.z; z <= hi.z; z++ {
				for _, i := range t.cells[cellOf{x, y, z}] {
					if !yield(i, &t.boxes[i]) {
						return
					}
				}
			}
		}
	}
}

func (t *grid) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.near(q, func(i int32, b *octree.Box) bool { return !q.Overlaps(*b) || yield(octree.ObjectID(i), *b) })
}

func (t *grid) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

func (t *grid) Inside(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.near(q, func(i int32, b *octree.Box) bool { return !q.Contains(*b) || yield(octree.ObjectID(i), *b) })
}

func (t *grid) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	t.near(octree.Around(c, radius), func(i int32, b *octree.Box) bool {
		return squared(b, c) > radius*radius || yield(octree.ObjectID(i), *b)
	})
}

// Nearest looks in balls that grow until one has enough.
func (t *grid) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	for radius := t.edge; ; radius *= 2 {
		n, within := 0, 0
		t.near(octree.Around(p, radius), func(i int32, b *octree.Box) bool {
			d := squared(b, p)
			if d <= radius*radius {
				within++
			}
			n = keep(buf, n, octree.Near{ID: octree.ObjectID(i), Distance: d})
			return true
		})
		if within >= len(buf) || n == len(t.boxes) || radius > 1e6 {
			return rooted(buf[:n])
		}
	}
}

// columns finds objects as dragonfly does: each column of 16x16 has a list of its objects, in no order, and a query
// walks over all columns around. dragonfly looks for positions, and its callers widen the query and look at boxes
// themselves; both is done here. As in dragonfly, a query copies a list before it walks over it.
type columns struct{ grid }

func newColumns(flat bool) *columns {
	t := &columns{*newGrid(16, flat)}
	t.high = true
	return t
}

func (t *columns) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.copied(q, func(i int32, b *octree.Box) bool { return !q.Overlaps(*b) || yield(octree.ObjectID(i), *b) })
}

func (t *columns) Inside(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.copied(q, func(i int32, b *octree.Box) bool { return !q.Contains(*b) || yield(octree.ObjectID(i), *b) })
}

func (t *columns) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

func (t *columns) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	t.copied(octree.Around(c, radius), func(i int32, b *octree.Box) bool {
		return squared(b, c) > radius*radius || yield(octree.ObjectID(i), *b)
	})
}

func (t *columns) copied(q octree.Box, yield func(int32, *octree.Box) bool) {
	lo := t.cell(octree.Vec{X: q.Min.X - t.pad.X, Y: q.Min.Y - t.pad.Y, Z: q.Min.Z - t.pad.Z})
	hi := t.cell(octree.Vec{X: q.Max.X + t.pad.X, Y: q.Max.Y + t.pad.Y, Z: q.Max.Z + t.pad.Z})
	for x := lo.x; x <= hi.x; x++ {
		for y := lo.y; y <= hi.y; y++ {
			for z := lo.z; z <= hi.z; z++ {
				for _, i := range append([]int32(nil), t.cells[cellOf{x, y, z}]...) {
					if !yield(i, &t.boxes[i]) {
						return
					}
				}
			}
		}
	}
}

// tidwall is github.com/tidwall/rtree. It has two dimensions: x and y.
type tidwall struct {
	tree  rtree.RTreeGN[float64, int32]
	boxes []octree.Box
}

func corners(b *octree.Box) (lo, hi [2]float64) {
	return [2]float64{b.Min.X, b.Min.Y}, [2]float64{b.Max.X, b.Max.Y}
}

func (t *tidwall) Insert(b octree.Box) (octree.ObjectID, error) {
	lo, hi := corners(&b)
	t.tree.Insert(lo, hi, int32(len(t.boxes)))
	t.boxes = append(t.boxes, b)
	return octree.ObjectID(len(t.boxes) - 1), nil
}

func (t *tidwall) Move(id octree.ObjectID, b octree.Box) error {
	i := id.Index()
	lo, hi := corners(&t.boxes[i])
	newLo, newHi := corners(&b)
	t.tree.Replace(lo, hi, int32(i), newLo, newHi, int32(i))
	t.boxes[i] = b
	return nil
}

func (t *tidwall) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	lo, hi := corners(&q)
	t.tree.Search(lo, hi, func(_, _ [2]float64, i int32) bool { return yield(octree.ObjectID(i), t.boxes[i]) })
}

func (t *tidwall) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

func (t *tidwall) Inside(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(q, func(id octree.ObjectID, b octree.Box) bool { return !q.Contains(b) || yield(id, b) })
}

func (t *tidwall) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.Around(c, radius), func(id octree.ObjectID, b octree.Box) bool {
		return squared(&b, c) > radius*radius || yield(id, b)
	})
}

func (t *tidwall) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	at, n := [2]float64{p.X, p.Y}, 0
	t.tree.Nearby(rtree.BoxDist[float64, int32](at, at, nil), func(_, _ [2]float64, i int32, d float64) bool {
		buf[n] = octree.Near{ID: octree.ObjectID(i), Distance: d}
		n++
		return n < len(buf)
	})
	return rooted(buf[:n])
}

// connelly is github.com/dhconnelly/rtreego, with the numbers of children that it recommends. Its boxes have to have a
// size.
type connelly struct {
	tree    *rtreego.Rtree
	objects []*spatial
}

type spatial struct {
	box    octree.Box
	bounds rtreego.Rect
	number int
}

func (s *spatial) Bounds() rtreego.Rect { return s.bounds }

func rect(b *octree.Box) (rtreego.Rect, error) {
	const least = 1e-9
	lengths := []float64{max(least, b.Max.X-b.Min.X), max(least, b.Max.Y-b.Min.Y), max(least, b.Max.Z-b.Min.Z)}
	return rtreego.NewRect(rtreego.Point{b.Min.X, b.Min.Y, b.Min.Z}, lengths)
}

// connellyOf builds it at once.
func connellyOf(boxes []octree.Box) (any, []octree.ObjectID, error) {
	t := &connelly{}
	objects, ids := []rtreego.Spatial{}, []octree.ObjectID{}
	for i, b := range boxes {
		bounds, err := rect(&b)
		if err != nil {
			return nil, nil, fmt.Errorf("object %d: %w", i, err)
		}
		t.objects = append(t.objects, &spatial{b, bounds, i})
		objects, ids = append(objects, t.objects[i]), append(ids, octree.ObjectID(i))
	}
	t.tree = rtreego.NewTree(3, 25, 50, objects...)
	return t, ids, nil
}

// Remove leaves the number of the object free for Insert.
func (t *connelly) Remove(id octree.ObjectID) bool {
	return t.tree.Delete(t.objects[id.Index()])
}

func (t *connelly) Move(id octree.ObjectID, b octree.Box) error {
	if !t.Remove(id) {
		return fs.ErrNotExist
	}
	bounds, err := rect(&b)
	if err != nil {
		return err
	}
	o := t.objects[id.Index()]
	o.box, o.bounds = b, bounds
	t.tree.Insert(o)
	return nil
}

func (t *connelly) Overlapping(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	bounds, err := rect(&q)
	if err != nil {
		return
	}
	for _, found := range t.tree.SearchIntersect(bounds) {
		if o := found.(*spatial); !yield(octree.ObjectID(o.number), o.box) {
			return
		}
	}
}

func (t *connelly) Point(p octree.Vec, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.At(p), yield)
}

func (t *connelly) Inside(q octree.Box, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(q, func(id octree.ObjectID, b octree.Box) bool { return !q.Contains(b) || yield(id, b) })
}

func (t *connelly) Ball(c octree.Vec, radius float64, yield func(octree.ObjectID, octree.Box) bool) {
	t.Overlapping(octree.Around(c, radius), func(id octree.ObjectID, b octree.Box) bool {
		return squared(&b, c) > radius*radius || yield(id, b)
	})
}

func (t *connelly) Nearest(p octree.Vec, buf []octree.Near) []octree.Near {
	n := 0
	for _, found := range t.tree.NearestNeighbors(len(buf), rtreego.Point{p.X, p.Y, p.Z}) {
		if found != nil {
			o := found.(*spatial)
			buf[n] = octree.Near{ID: octree.ObjectID(o.number), Distance: squared(&o.box, p)}
			n++
		}
	}
	return rooted(buf[:n])
}
