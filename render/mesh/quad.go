package mesh

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Quad is a rectangle of equal faces in 8 bytes. FORMAT.md has its layout.
type Quad uint64

// The places of the parts of a Quad in bits.
const (
	quadY      = 6
	quadZ      = 12
	quadWidth  = 18
	quadHeight = 24
	quadFace   = 32
	quadAO     = 35
	quadCell   = 43
	quadBits   = 63 // of a coordinate or a size
)

// open is the ambient occlusion of a face that nothing shades.
const open = 0xFF

// At returns the least cell of the quad, relative to the box of the mesh. A coordinate is -1 where
// the face belongs to a coarser neighbour.
func (q Quad) At() geom.Point {
	return geom.Point{X: int(q&quadBits) - 1, Y: int(q>>quadY&quadBits) - 1, Z: int(q>>quadZ&quadBits) - 1}
}

// Size returns the width and height in cells, along the axes of the face.
func (q Quad) Size() (w, h int) {
	return int(q>>quadWidth&quadBits) + 1, int(q>>quadHeight&quadBits) + 1
}

// Face returns the side of its cells that the quad covers.
func (q Quad) Face() Face { return Face(q >> quadFace & 7) }

// AO returns the ambient occlusion of the corners (u,v) = (0,0), (1,0), (0,1), (1,1): 0 is darkest
// and 3 is open.
func (q Quad) AO() [4]uint8 {
	b := uint8(q >> quadAO)
	return [4]uint8{b & 3, b >> 2 & 3, b >> 4 & 3, b >> 6}
}

// Cell returns the key of its cells: the cell, or the material of Terrain cells.
func (q Quad) Cell() voxel.Cell { return voxel.Cell(q>>quadCell) & voxel.MaxCell }

// Corners returns the corners in the order of AO, in cells from the least corner of the box.
func (q Quad) Corners() [4]geom.Point {
	f := q.Face()
	u, v := f.axes()
	w, h := q.Size()
	a := q.At()
	if f&1 == 1 {
		a = a.Add(f.step())
	}
	u, v = geom.Point{X: u.X * w, Y: u.Y * w, Z: u.Z * w}, geom.Point{X: v.X * h, Y: v.Y * h, Z: v.Z * h}
	return [4]geom.Point{a, a.Add(u), a.Add(v), a.Add(u).Add(v)}
}

// Triangles returns two triangles of the corners. They turn counterclockwise seen from outside. The
// diagonal joins the corners that ambient occlusion makes lighter, so that a dark corner stays in
// one triangle.
func (q Quad) Triangles() [6]uint8 {
	ao := q.AO()
	t := [6]uint8{0, 1, 3, 0, 3, 2}
	if ao[0]+ao[3] < ao[1]+ao[2] {
		t = [6]uint8{0, 1, 2, 1, 3, 2}
	}
	if f := q.Face(); f == East || f == Up || f == North {
		t[1], t[2], t[4], t[5] = t[2], t[1], t[5], t[4]
	}
	return t
}
