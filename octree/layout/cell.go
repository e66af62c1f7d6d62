package layout

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/cairnvoxel/cairn/octree"
)

// cell is where a node lies, in units of half the first root's edges. All numbers are
// multiples of a power of two with at most 23 bits. In a flat tree z is infinite.
type cell struct{ x, y, z, half float32 }

var infinite = float32(math.Inf(1))

// child returns the cell of a child. The bits of an octant are x = 1, y = 2, z = 4.
func (c cell) child(octant uint8) cell {
	h := c.half / 2
	k := cell{c.x - h, c.y - h, c.z - h, h}
	if octant&1 != 0 {
		k.x = c.x + h
	}
	if octant&2 != 0 {
		k.y = c.y + h
	}
	if octant&4 != 0 {
		k.z = c.z + h
	}
	return k
}

// above returns the cell that has c as that child.
func (c cell) above(octant uint8) cell {
	p := cell{c.x + c.half, c.y + c.half, c.z + c.half, c.half * 2}
	if octant&1 != 0 {
		p.x = c.x - c.half
	}
	if octant&2 != 0 {
		p.y = c.y - c.half
	}
	if octant&4 != 0 {
		p.z = c.z - c.half
	}
	return p
}

// toward returns in which child of c the center of a smaller cell lies.
func (c cell) toward(k cell) (octant uint8) {
	if k.x >= c.x {
		octant = 1
	}
	if k.y >= c.y {
		octant |= 2
	}
	if k.z >= c.z {
		octant |= 4
	}
	return octant
}

// levelsTo returns how many levels lie between the sizes of two cells.
func (c cell) levelsTo(k cell) int { return math.Ilogb(float64(c.half)) - math.Ilogb(float64(k.half)) }

// ref names a node to its layout. The zero ref names none.
type ref struct {
	p    unsafe.Pointer // the node
	code uint64         // its locational code, or its index
}

func (r ref) none() bool { return r.p == nil }

// cursor is a node and its cell.
type cursor struct {
	ref
	cell
}

// box returns the box of a cell, which contains all objects in and below the node. It
// rounds, but never so that the box of a cell is larger than that of a cell around it.
func (t *Tree) box(c cell) octree.Box { return t.scaled(c, float64(c.half)*t.opts.Loose) }

// tight returns the cell without the looseness.
func (t *Tree) tight(c cell) octree.Box { return t.scaled(c, float64(c.half)) }

// scaled converts to float64 between multiplication and addition, so that no processor
// does both at once and rounds in another way.
func (t *Tree) scaled(c cell, half float64) octree.Box {
	x, y := float64(c.x), float64(c.y)
	b := octree.Box{
		Min: octree.Vec{X: t.origin.X + float64((x-half)*t.unit.X), Y: t.origin.Y + float64((y-half)*t.unit.Y), Z: t.low},
		Max: octree.Vec{X: t.origin.X + float64((x+half)*t.unit.X), Y: t.origin.Y + float64((y+half)*t.unit.Y), Z: t.high},
	}
	if !t.opts.Flat {
		z := float64(c.z)
		b.Min.Z, b.Max.Z = t.origin.Z+float64((z-half)*t.unit.Z), t.origin.Z+float64((z+half)*t.unit.Z)
	}
	return b
}

// middle returns the center of a cell.
func (t *Tree) middle(c cell) octree.Vec {
	return octree.Vec{
		X: t.origin.X + float64(float64(c.x)*t.unit.X),
		Y: t.origin.Y + float64(float64(c.y)*t.unit.Y),
		Z: t.origin.Z + float64(float64(c.z)*t.unit.Z),
	}
}

// center halves before it adds, because the sum of two large numbers is infinite.
func center(b *octree.Box) octree.Vec {
	return octree.Vec{X: b.Min.X/2 + b.Max.X/2, Y: b.Min.Y/2 + b.Max.Y/2, Z: b.Min.Z/2 + b.Max.Z/2}
}

// octant returns in which child of c the center of b lies.
func (t *Tree) octant(c cell, b *octree.Box) (o uint8) {
	m, at := t.middle(c), center(b)
	if at.X >= m.X {
		o = 1
	}
	if at.Y >= m.Y {
		o |= 2
	}
	if !t.opts.Flat && at.Z >= m.Z {
		o |= 4
	}
	return o
}

// touched returns which children of c a box in it touches. A border belongs to the
// child above it, so a point touches one child.
func (t *Tree) touched(c cell, b *octree.Box) uint8 {
	m := t.middle(c)
	set := t.every & side(b.Min.X >= m.X, b.Max.X < m.X, lowX) & side(b.Min.Y >= m.Y, b.Max.Y < m.Y, lowY)
	if !t.opts.Flat {
		set &= side(b.Min.Z >= m.Z, b.Max.Z < m.Z, lowZ)
	}
	return set
}

// The children in the lower half of each axis.
const lowX, lowY, lowZ = 0b01010101, 0b00110011, 0b00001111

// side returns the children that are left when those in the lower half are not needed, or
// those in the upper half.
func side(notLow, notHigh bool, low uint8) uint8 {
	set := ^uint8(0)
	if notLow {
		set = ^low
	}
	if notHigh {
		set &= low
	}
	return set
}

// first returns the lowest octant of a set.
func first(set uint8) uint8 { return uint8(bits.TrailingZeros8(set)) }

func overlaps(b, c *octree.Box) bool {
	return b.Min.X <= c.Max.X && c.Min.X <= b.Max.X &&
		b.Min.Y <= c.Max.Y && c.Min.Y <= b.Max.Y &&
		b.Min.Z <= c.Max.Z && c.Min.Z <= b.Max.Z
}

func contains(b, c *octree.Box) bool {
	return b.Min.X <= c.Min.X && c.Max.X <= b.Max.X &&
		b.Min.Y <= c.Min.Y && c.Max.Y <= b.Max.Y &&
		b.Min.Z <= c.Min.Z && c.Max.Z <= b.Max.Z
}

// clip returns the part of b that lies in c.
func clip(b, c *octree.Box) octree.Box {
	return octree.Box{
		Min: octree.Vec{X: max(b.Min.X, c.Min.X), Y: max(b.Min.Y, c.Min.Y), Z: max(b.Min.Z, c.Min.Z)},
		Max: octree.Vec{X: min(b.Max.X, c.Max.X), Y: min(b.Max.Y, c.Max.Y), Z: min(b.Max.Z, c.Max.Z)},
	}
}

// room is where a node keeps its box: nothing, or the numbers of one of the forms in two
// or three dimensions.
type room interface {
	[0]float32 | [3]float32 | [4]float32 | [6]float32
}

// form says what the numbers are.
type form struct {
	boxes Boxes
	flat  bool
}

// axes returns how many axes a form has, and floats how many numbers.
func (f form) axes() int {
	if f.flat {
		return 2
	}
	return 3
}

func (f form) floats() int { return [...]int{0, 2 * f.axes(), 2 * f.axes(), f.axes() + 1}[f.boxes] }

// keep stores a cell: for each axis the least number or the center, then for each the
// greatest number or the half edge, or one half edge.
func keep[B room](room *B, f form, c cell) {
	n := f.axes()
	for i := 0; i < len(*room); i++ {
		switch v := [3]float32{c.x, c.y, c.z}[i%n]; {
		case f.boxes == MinMax && i < n:
			(*room)[i] = v - c.half
		case f.boxes == MinMax:
			(*room)[i] = v + c.half
		case i < n:
			(*room)[i] = v
		default:
			(*room)[i] = c.half
		}
	}
}

// kept returns the cell that keep stored.
func kept[B room](room *B, f form) cell {
	x, y, z := 0, 1, 2
	n := f.axes()
	c := cell{(*room)[x], (*room)[y], infinite, (*room)[n]}
	if f.boxes == MinMax {
		c.half = (c.half - c.x) / 2
		c.x, c.y = c.x+c.half, c.y+c.half
	}
	if !f.flat {
		if c.z = (*room)[z]; f.boxes == MinMax {
			c.z += c.half
		}
	}
	return c
}
