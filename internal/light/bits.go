package light

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Bits is the light of the 32 cells of a row as four bit planes: bit x of each is
// one bit of the light of cell x. So 32 cells are added, compared and split into
// runs at once.
type Bits struct{ ones, twos, fours, eights uint32 }

// All returns a row in which every cell has light l.
func All(l uint8) Bits {
	return Bits{-uint32(l & 1), -uint32(l >> 1 & 1), -uint32(l >> 2 & 1), -uint32(l >> 3 & 1)}
}

// BitsOf returns the light of a row of a chunk. It uses the lowest four bits of each
// cell.
func BitsOf(c *voxel.Chunk, y, z int) (b Bits) {
	var buf [64]voxel.Cell
	starts, cells := c.Runs(y, z, &buf)
	if starts == 1 {
		return All(uint8(cells[0]))
	}
	m := uint64(starts) | 1<<geom.ChunkEdge
	for _, v := range cells {
		x := m & -m
		m ^= x
		run, l := uint32(m&-m-x), All(uint8(v))
		b.ones |= l.ones & run
		b.twos |= l.twos & run
		b.fours |= l.fours & run
		b.eights |= l.eights & run
	}
	return b
}

// at returns the light of cell x.
func (b Bits) at(x int) uint8 {
	return uint8(b.ones>>x&1 | b.twos>>x&1<<1 | b.fours>>x&1<<2 | b.eights>>x&1<<3)
}

// Plus returns the sums of both rows, modulo 16.
func (b Bits) Plus(a Bits) Bits { return b.add(a, 0) }

// Minus returns the differences of both rows, modulo 16.
func (b Bits) Minus(a Bits) Bits {
	return b.add(Bits{^a.ones, ^a.twos, ^a.fours, ^a.eights}, ^uint32(0))
}

// add returns the sums of both rows and the carry.
func (b Bits) add(a Bits, carry uint32) (sum Bits) {
	x := b.ones ^ a.ones
	sum.ones, carry = x^carry, b.ones&a.ones|x&carry
	x = b.twos ^ a.twos
	sum.twos, carry = x^carry, b.twos&a.twos|x&carry
	x = b.fours ^ a.fours
	sum.fours, carry = x^carry, b.fours&a.fours|x&carry
	sum.eights = b.eights ^ a.eights ^ carry
	return sum
}

// Within returns a row with b in cells and a elsewhere.
func (b Bits) Within(cells uint32, a Bits) Bits {
	return Bits{b.ones&cells | a.ones&^cells, b.twos&cells | a.twos&^cells, b.fours&cells | a.fours&^cells, b.eights&cells | a.eights&^cells}
}

// Differ returns the cells that differ between the rows.
func (b Bits) Differ(a Bits) uint32 {
	return (b.ones ^ a.ones) | (b.twos ^ a.twos) | (b.fours ^ a.fours) | (b.eights ^ a.eights)
}

// Runs returns where runs of equal light start, in the form of voxel.ChunkBuilder.Runs.
// It writes their light to dst.
func (b Bits) Runs(dst *[geom.ChunkEdge]voxel.Cell) (starts uint32, cells []voxel.Cell) {
	starts = b.Differ(Bits{b.ones << 1, b.twos << 1, b.fours << 1, b.eights << 1}) | 1
	n := 0
	for m := starts; m != 0; m &= m - 1 {
		dst[n&(geom.ChunkEdge-1)] = voxel.Cell(b.at(bits.TrailingZeros32(m) & (geom.ChunkEdge - 1)))
		n++
	}
	return starts, dst[:n]
}
