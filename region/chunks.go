package region

import (
	"iter"

	"github.com/cairnvoxel/cairn/geom"
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

// guess returns how r covers b, and whether that is sure; if not, it is Partly.
func guess(r Region, b geom.Box) (c Cover, sure bool) {
	cut := b.Intersect(r.Bounds())
	if cut.Empty() {
		return none, true
	}
	c = Partly
	if r, ok := r.(coverer); ok {
		c, sure = r.cover(cut)
	}
	if cut != b {
		c = min(c, Partly)
	}
	return c, sure
}

// look returns how r covers b, looking at rows until it is sure.
func look(r Region, b geom.Box) Cover {
	c, sure := guess(r, b)
	if sure {
		return c
	}
	cut := b.Intersect(r.Bounds())
	in, out, n := false, cut != b, 0
	if _, ok := r.(upright); ok {
		cut.Max.Y = cut.Min.Y + 1
	}
	count := func(x0, x1 int) bool {
		n += max(0, min(x1, cut.Max.X)-max(x0, cut.Min.X))
		return x1 < cut.Max.X
	}
	for y := cut.Min.Y; y < cut.Max.Y; y++ {
		for z := cut.Min.Z; z < cut.Max.Z; z++ {
			n = 0
			r.Spans(y, z, count)
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

// Chunks yields the chunks that hold cells of r, in ascending order of their
// codes, and how much of each r holds. It takes no memory that grows with r.
// Regions of other packages are asked for the rows of every chunk within their
// bounds.
func Chunks(r Region) iter.Seq2[geom.ChunkPos, Cover] {
	return func(yield func(geom.ChunkPos, Cover) bool) {
		descend(r, geom.Root, Partly, yield)
	}
}

// descend yields the chunks within code, which r covers as said, and reports
// whether to go on.
func descend(r Region, code geom.Code, cover Cover, yield func(geom.ChunkPos, Cover) bool) bool {
	leaf := code.Level() == 0
	if cover == Partly {
		if leaf {
			cover = look(r, code.Box())
		} else {
			cover, _ = guess(r, code.Box())
		}
	}
	if cover == none {
		return true
	}
	if leaf {
		return yield(code.Pos(), cover)
	}
	for o := range 8 {
		if !descend(r, code.Child(o), cover, yield) {
			return false
		}
	}
	return true
}

// Split returns boxes that hold every cell of r, no cell twice. Each is cut to
// the bounds of r, holds a cell of it, lies in at most n chunks (n below 1
// counts as 1) and shares none with another box. The order is fixed; the list
// grows with r.
func Split(r Region, n int) []geom.Box {
	return split(nil, r, r.Bounds(), max(n, 1))
}

func split(out []geom.Box, r Region, b geom.Box, n int) []geom.Box {
	if c, _ := guess(r, b); c == none {
		return out
	}
	if size := chunksOf(b); size.X*size.Y*size.Z > n {
		low, high := halve(b, size)
		return split(split(out, r, low, n), r, high, n)
	}
	if !touches(r, b) {
		return out
	}
	return append(out, b)
}

// touches reports whether r has a cell of b.
func touches(r Region, b geom.Box) bool {
	c, sure := guess(r, b)
	size := chunksOf(b)
	switch {
	case sure:
		return c != none
	case size == geom.Point{X: 1, Y: 1, Z: 1}:
		return look(r, b) != none
	}
	low, high := halve(b, size)
	return touches(r, low) || touches(r, high)
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
