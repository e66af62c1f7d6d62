package light

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Matter is how a cell affects light. Bits 0-3: how much it weakens light. Bits 4-7:
// how much light it emits. Bits 8-13: the closed faces, in the order of CellFace. A cell
// with weakening 0 weakens light by 1 as well, but lets sky light fall through.
type Matter uint16

// CellFace is a side of a cell.
type CellFace uint8

// The faces. Opposite faces are neighbours.
const (
	West  CellFace = iota // x-1
	East                  // x+1
	Below                 // y-1
	Above                 // y+1
	North                 // z-1
	South                 // z+1
	Sides                 // the number of faces
)

// Opaque lets no light in.
const Opaque Matter = 15

// matterBits is the bits that a Matter may have.
const matterBits = 1<<14 - 1

func (m Matter) absorbs() uint8 { return uint8(m & 15) }
func (m Matter) emits() uint8   { return uint8(m >> 4 & 15) }
func (m Matter) closed() uint8  { return uint8(m >> 8) }

func (m Matter) withAbsorbs(n uint8) Matter { return m&^15 | Matter(n) }
func (m Matter) withEmits(n uint8) Matter   { return m&^(15<<4) | Matter(n)<<4 }

// turn returns m with one face closed if it was open, and open if it was closed.
func (m Matter) turn(f CellFace) Matter { return m ^ 1<<(8+f) }

// Matters holds the matter of each cell. Cells beyond the end are Opaque. The empty
// cell is always clear.
type Matters []Matter

// maxMatters bounds the distinct matters of a Flood, including clear and wall.
const maxMatters = 256

// Valid reports whether a Flood can use m: at most 254 of its matters are distinct.
func (m Matters) Valid() bool {
	seen := make(map[Matter]bool)
	for _, v := range m {
		seen[v] = true
		if v > matterBits || len(seen) > maxMatters-2 {
			return false
		}
	}
	return true
}

// classes numbers the distinct matters.
type classes struct {
	of   []uint8 // by cell
	list []Matter
}

const (
	clearClass = 0 // class of the empty cell
	wall       = 1 // class of the surroundings of a flood
)

func newClasses(m Matters) classes {
	c := classes{of: make([]uint8, len(m)), list: []Matter{0, Opaque}}
	for i, v := range m {
		if i == int(voxel.Empty) {
			continue
		}
		at := slices.Index(c.list, v)
		if at < 0 {
			at = len(c.list)
			c.list = append(c.list, v)
		}
		c.of[i] = uint8(at)
	}
	return c
}

func (c *classes) cell(v voxel.Cell) uint8 {
	if int(v) >= len(c.of) {
		if v == voxel.Empty {
			return clearClass
		}
		return wall
	}
	return c.of[v]
}
