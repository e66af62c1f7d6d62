package mesh

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options say how surfaces are made.
type Options struct {
	// Missing says what cells are that the source does not know: Nothing, so that a mesh ends in
	// faces, or Opaque, so that it is open there.
	Missing Opacity
	// Flat leaves out ambient occlusion: larger quads, and each corner is open.
	Flat bool
}

// reader copies boxes of a source that may know only parts of them.
type reader struct {
	src  BoxReader
	room []voxel.Cell
}

// read writes the cells of b at a level to dst, a box at min with the edges of size. What is not
// known becomes the cell missing.
func (r *reader) read(b geom.Box, level int, dst []voxel.Cell, min, size geom.Point) {
	n := b.Cells()
	r.room = resize(r.room, n)
	room := r.room
	s := b.Size()
	row := func(y, z int) []voxel.Cell {
		o := ((b.Min.Y-min.Y+y)*size.Z+b.Min.Z-min.Z+z)*size.X + b.Min.X - min.X
		return dst[o : o+s.X]
	}
	if b == (geom.Box{Min: min, Max: min.Add(size)}) {
		room = dst
	}
	if r.src.ReadBox(b, level, room) {
		for y := 0; y < s.Y && &room[0] != &dst[0]; y++ {
			for z := range s.Z {
				copy(row(y, z), room[(y*s.Z+z)*s.X:])
			}
		}
		return
	}
	if p, q, ok := halves(b, level); ok {
		r.read(p, level, dst, min, size)
		r.read(q, level, dst, min, size)
		return
	}
	for y := range s.Y {
		for z := range s.Z {
			for x := range row(y, z) {
				row(y, z)[x] = missing
			}
		}
	}
}

// knownEdge is the edge of what sources know apart, in cells of level 0: streams have cubes of it, and chunks are larger.
const knownEdge = 16

// halves splits b where two cubes meet that a source may know apart, or returns false if it lies in one.
func halves(b geom.Box, level int) (p, q geom.Box, ok bool) {
	edge := max(1, knownEdge>>level)
	cut := func(lo, hi int) int { return (geom.FloorDiv(lo, edge) + 1) * edge }
	p, q = b, b
	switch {
	case cut(b.Min.X, 0) < b.Max.X:
		p.Max.X = cut(b.Min.X, 0)
		q.Min.X = p.Max.X
	case cut(b.Min.Y, 0) < b.Max.Y:
		p.Max.Y = cut(b.Min.Y, 0)
		q.Min.Y = p.Max.Y
	case cut(b.Min.Z, 0) < b.Max.Z:
		p.Max.Z = cut(b.Min.Z, 0)
		q.Min.Z = p.Max.Z
	default:
		return p, q, false
	}
	return p, q, true
}

// resize returns a slice of n elements, in the memory of s if that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// checkBox panics unless b can be one mesh.
func checkBox(b geom.Box) {
	if s := b.Size(); b.Empty() || max(s.X, s.Y, s.Z) > MaxEdge {
		panic(fmt.Sprintf("mesh: a mesh of %v: edges are 1 to %d cells", b, MaxEdge))
	}
}
