package light

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Matter is what light meets in a cell: bits 0-3 how much it takes away, bits 4-7
// how much light the cell gives, bits 8-13 the faces that no light goes through, in
// the order of Face. What takes away 0 takes 1 as well, but lets sky light fall through.
type Matter uint16

// Face is a side of a cell.
type Face uint8

// The faces, each beside its opposite.
const (
	West  Face = iota // x-1
	East              // x+1
	Below             // y-1
	Above             // y+1
	North             // z-1
	South             // z+1
	Faces             // how many there are
)

// Opaque takes all light.
const Opaque Matter = 15

// matterBits are those that a Matter may have.
const matterBits = 1<<14 - 1

func (m Matter) takes() uint8 { return uint8(m & 15) }
func (m Matter) gives() uint8 { return uint8(m >> 4 & 15) }
func (m Matter) shut() uint8  { return uint8(m >> 8) }

func (m Matter) withTakes(n uint8) Matter { return m&^15 | Matter(n) }
func (m Matter) withGives(n uint8) Matter { return m&^(15<<4) | Matter(n)<<4 }

// turn returns m with a face that is open shut, or the other way round.
func (m Matter) turn(f Face) Matter { return m ^ 1<<(8+f) }

// Matters are what cells are to light, by cell; one beyond the end is Opaque. The
// empty cell is clear whatever they say.
type Matters []Matter

// maxMatters bounds the different matters that a Flood knows, the clear and the
// walls around it among them.
const maxMatters = 256

// Valid reports whether floods take m: of its matters at most 254 differ.
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

// classes numbers the matters that differ.
type classes struct {
	of   []uint8 // by cell
	list []Matter
}

const (
	clearClass = 0 // class of the empty cell
	wall       = 1 // and of what is around a flood
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
