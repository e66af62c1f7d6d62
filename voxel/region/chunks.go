package region

import (
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Cover says how much of a chunk a region holds.
type Cover uint8

const (
	none   Cover = iota
	Partly       // at least one cell, not every
	Whole        // every cell
)

// coverer is a region that can say of a box without looking at each row how it
// covers it, and whether that is sure: where it is not, it says Partly. The box
// is not empty and within Bounds.
type coverer interface {
	cover(b geom.Box) (c Cover, sure bool)
}

// shape is a region that is cut into boxes, with its bounds within range.
type shape struct {
	Region
	bounds geom.Box
}

func shapeOf(r Region) shape { return shape{r, r.Bounds().Intersect(space)} }

// guess returns how s covers b, and whether that is sure; if not, it is Partly.
func (s shape) guess(b geom.Box) (c Cover, sure bool) {
	cut := b.Intersect(s.bounds)
	if cut.Empty() {
		return none, true
	}
	c = Partly
	switch r := s.Region.(type) {
	case geom.Box:
		c, sure = Whole, true
	case coverer:
		c, sure = r.cover(cut)
	}
	if cut != b {
		c = min(c, Partly)
	}
	return c, sure
}

// look returns how s covers b, looking at rows until it is sure.
func (s shape) look(b geom.Box) Cover {
	c, sure := s.guess(b)
	if sure {
		return c
	}
	cut := b.Intersect(s.bounds)
	in, out, n := false, cut != b, 0
	if isUpright(s.Region) {
		cut.Max.Y = cut.Min.Y + 1
	}
	count := func(x0, x1 int) bool {
		n += max(0, min(x1, cut.Max.X)-max(x0, cut.Min.X))
		return x1 < cut.Max.X
	}
	for y := cut.Min.Y; y < cut.Max.Y; y++ {
		for z := cut.Min.Z; z < cut.Max.Z; z++ {
			n = 0
			s.Spans(y, z, count)
			in, out = in || n > 0, out || n < cut.Max.X-cut.Min.X
			if in && out {
				return Partly
			}
		}
	}
	if in {
		return Whole
	}
	return none
}

// Chunks yields the chunks that hold cells of r, and how much of each r holds, in
// ascending order of their codes. Its memory does not grow with r. Of a region of another
// package it reads the rows of every chunk within the bounds.
func Chunks(r Region) iter.Seq2[geom.ChunkPos, Cover] {
	return func(yield func(geom.ChunkPos, Cover) bool) {
		s := shapeOf(r)
		var room [8]geom.Code
		for _, code := range tops(room[:0], s.bounds) {
			if !s.descend(code.Box(), Partly, yield) {
				return
			}
		}
	}
}

// tops appends, in ascending order, the least cubes of one size that hold b, at
// most two along each axis: from the root to a small box is a long way.
func tops(out []geom.Code, b geom.Box) []geom.Code {
	if b.Empty() {
		return out
	}
	low, high := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	level := 0
	for max(high.X-low.X, high.Y-low.Y, high.Z-low.Z) > 1 {
		level++
		low, high = parent(low), parent(high)
	}
	for y := low.Y; y <= high.Y; y++ {
		for z := low.Z; z <= high.Z; z++ {
			for x := low.X; x <= high.X; x++ {
				out = append(out, geom.CodeOf(geom.ChunkPos{X: x, Y: y, Z: z}, level))
			}
		}
	}
	slices.Sort(out)
	return out
}

func parent(c geom.ChunkPos) geom.ChunkPos {
	return geom.ChunkPos{X: c.X >> 1, Y: c.Y >> 1, Z: c.Z >> 1}
}

// descend yields the chunks within a cube of the octree, which s covers as said,
// and reports whether to go on.
func (s shape) descend(cube geom.Box, cover Cover, yield func(geom.ChunkPos, Cover) bool) bool {
	half := (cube.Max.X - cube.Min.X) / 2
	leaf := half < geom.ChunkEdge
	if cover == Partly {
		if leaf {
			cover = s.look(cube)
		} else {
			cover, _ = s.guess(cube)
		}
	}
	if cover == none {
		return true
	}
	if leaf {
		return yield(cube.Min.Chunk(), cover)
	}
	for o := range 8 {
		low := cube.Min.Add(geom.Point{X: o & 1 * half, Y: o >> 2 * half, Z: o >> 1 & 1 * half})
		if !s.descend(geom.Box{Min: low, Max: low.Add(geom.Point{X: half, Y: half, Z: half})}, cover, yield) {
			return false
		}
	}
	return true
}

// Boxes returns boxes that hold every cell of r, no cell twice. Each box lies within the
// bounds of r, holds at least one of its cells, touches at most n chunks (n below 1
// counts as 1) and shares none of them with another box. The order is always the same.
// The list grows with r.
func Boxes(r Region, n int) []geom.Box {
	s := shapeOf(r)
	return s.split(nil, s.bounds, max(n, 1))
}

func (s shape) split(out []geom.Box, b geom.Box, n int) []geom.Box {
	if c, _ := s.guess(b); c == none {
		return out
	}
	if size := chunksOf(b); size.X*size.Y*size.Z > n {
		low, high := halve(b, size)
		return s.split(s.split(out, low, n), high, n)
	}
	if !s.touches(b) {
		return out
	}
	return append(out, b)
}

// touches reports whether s has a cell of b.
func (s shape) touches(b geom.Box) bool {
	c, sure := s.guess(b)
	size := chunksOf(b)
	switch {
	case sure:
		return c != none
	case size == geom.Point{X: 1, Y: 1, Z: 1}:
		return s.look(b) != none
	}
	low, high := halve(b, size)
	return s.touches(low) || s.touches(high)
}

// halve cuts a box of more than one chunk between chunks.
func halve(b geom.Box, size geom.Point) (low, high geom.Box) {
	low, high = b, b
	switch max(size.X, size.Y, size.Z) {
	case size.X:
		low.Max.X = middle(b.Min.X, size.X)
		high.Min.X = low.Max.X
	case size.Z:
		low.Max.Z = middle(b.Min.Z, size.Z)
		high.Min.Z = low.Max.Z
	default:
		low.Max.Y = middle(b.Min.Y, size.Y)
		high.Min.Y = low.Max.Y
	}
	return low, high
}

// chunksOf returns how many chunks b lies in along each axis.
func chunksOf(b geom.Box) geom.Point {
	first, last := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	return geom.Point{X: int(last.X-first.X) + 1, Y: int(last.Y-first.Y) + 1, Z: int(last.Z-first.Z) + 1}
}

// middle returns the border of chunks that halves n chunks from the one of v.
func middle(v, n int) int {
	return (geom.FloorDiv(v, geom.ChunkEdge) + n/2) * geom.ChunkEdge
}

// CoverOf returns how much of a box a region holds, 0 for nothing.
func CoverOf(r Region, b geom.Box) Cover { return shapeOf(r).look(b) }
