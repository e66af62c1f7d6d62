// Package mesh makes surfaces of cells: blocky ones of quads, smooth ones of triangles, and
// boxes for collisions. It also writes them as files for other tools.
//
// A Mesher makes the quads of a box of at most MaxEdge cells an edge (Mesher.Load, then
// Mesher.Quads); FORMAT.md has the layout of a quad. A Netter makes smooth surfaces of Terrain
// cells. A Collider keeps boxes of solid cells near things that move. A Model is a surface in
// pieces that is written to a file.
package mesh

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// MaxEdge is the greatest edge of a box that becomes one mesh, in cells.
const MaxEdge = 62

// BoxReader is where cells come from. *grid.View is one. If it has a method
// Chunks(level int) []geom.ChunkPos as well, with all chunks of a level that may have cells other
// than Empty in any order, what lies between costs nothing.
type BoxReader interface {
	// ReadBox writes the cells of b to dst, x fastest, then z, then y. b counts cells of the
	// level. It returns false if a part of b is not known.
	ReadBox(b geom.Box, level int, dst []voxel.Cell) bool
}

// Opacity is what a cell is to a surface.
type Opacity uint8

const (
	// Nothing has no faces.
	Nothing Opacity = iota
	// Opaque hides every face that touches it.
	Opaque
	// CutOut hides no faces. Leaves are an example.
	CutOut
	// Transparent hides faces of the same cell. Glass and water are examples.
	Transparent

	kinds
)

// missing is a key of the Mesher that no cell has: it stands for cells that are not known.
const missing = voxel.MaxCell + 1

// Opacities says what each cell is to a surface. Goroutines may share it.
type Opacities struct {
	kinds [missing + 1]Opacity
	keys  [missing + 1]voxel.Cell // what quads merge by and carry
	rule  voxel.Rule
}

// NewOpacities returns a table of the cells 0 to n-1 of a Palette or Level volume. All other cells
// are Opaque, and Empty is Nothing.
func NewOpacities(n int, kind func(voxel.Cell) Opacity) *Opacities {
	t := new(Opacities)
	for c := range missing {
		t.keys[c], t.kinds[c] = c, Opaque
		if int(c) < n {
			t.kinds[c] = kind(c)
		}
	}
	t.kinds[voxel.Empty] = Nothing
	return t
}

// NewTerrainOpacities returns a table of the cells of a Terrain volume. Quads carry the material of a
// cell in place of the cell, so occupancies do not keep quads from merging. kind may be nil: all
// materials but air are Opaque then.
func NewTerrainOpacities(kind func(material uint8) Opacity) *Opacities {
	t := &Opacities{rule: voxel.Rule{Schema: voxel.Terrain}}
	for c := range missing {
		m := c.Material()
		t.keys[c], t.kinds[c] = voxel.Cell(m), Opaque
		if kind != nil {
			t.kinds[c] = kind(m)
		}
		if m == 0 {
			t.kinds[c] = Nothing
		}
	}
	return t
}

// whole reports whether a solid cell is matter from side to side.
func (t *Opacities) whole(c voxel.Cell) bool {
	return t.kinds[c] != Nothing && t.rule.Fullness(c) == voxel.Whole
}

// Face is a side of a cell.
type Face uint8

// The faces in the order of their numbers in a Quad.
const (
	West  Face = iota // -x
	East              // +x
	Down              // -y
	Up                // +y
	North             // -z
	South             // +z
)

// Faces is how many faces a cell has.
const Faces = 6

// axis returns 0, 1 or 2 for x, y or z.
func (f Face) axis() int { return int(f >> 1) }

// step is the neighbour of a face, relative to the cell.
func (f Face) step() geom.Point {
	s := int(f&1)*2 - 1
	return along(f.axis(), s)
}

// along returns the point with n on one axis and 0 on the others.
func along(axis, n int) geom.Point {
	switch axis {
	case 0:
		return geom.Point{X: n}
	case 1:
		return geom.Point{Y: n}
	}
	return geom.Point{Z: n}
}

// axes returns the directions of u and v of a face: the width and the height of its quads.
func (f Face) axes() (u, v geom.Point) {
	switch f.axis() {
	case 0:
		return geom.Point{Z: 1}, geom.Point{Y: 1}
	case 1:
		return geom.Point{X: 1}, geom.Point{Z: 1}
	}
	return geom.Point{X: 1}, geom.Point{Y: 1}
}

// Border is what lies beyond a side of a box that becomes a mesh.
type Border uint8

const (
	// Same says that the neighbour has the level of the box.
	Same Border = iota
	// Coarser says that the neighbour is drawn at the next level. The mesh of the box has all faces
	// on the side that they share, those of the neighbour too.
	Coarser
	// Finer says that the neighbour is drawn at the level before. Its mesh has the faces on the
	// side that they share, and the mesh of the box has none there.
	Finer
)
