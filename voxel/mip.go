package voxel

import (
	"math/bits"
	"unsafe"
)

// The levels of a chunk's mips.
const (
	firstMip = 1
	lastMip  = 3
)

// mips holds a chunk at 16, 8 and 4 cells an edge. Its form is that of Chunk, but
// the mask of a row has 16 bits. The slices of the levels follow each other.
type mips struct {
	rule   *Rule
	slices [16 + 8 + 4]Cell
	data   []Cell
}

// firstSlice is where the slices of each level start.
var firstSlice = [lastMip + 1]int{firstMip: 0, 2: 16, lastMip: 16 + 8}

// Mip is a chunk's content at 16, 8 or 4 cells an edge. It is read-only, and
// goroutines may share it. 0 is its only cell that the rule counts as empty.
type Mip struct {
	m     *mips // nil if all cells are cell
	cell  Cell
	level uint8
}

// Mip returns the chunk at ChunkEdge>>level cells an edge; level is 1, 2 or 3. The
// first call makes all three and keeps them for the rule of the last call. The mips
// of a uniform chunk take no memory.
func (c *Chunk) Mip(rule *Rule, level int) Mip {
	if level < firstMip || level > lastMip {
		panic("voxel: Chunk.Mip: levels are 1, 2 and 3")
	}
	if v, ok := c.Uniform(); ok {
		return Mip{cell: Downsample(rule, [8]Cell{v, v, v, v, v, v, v, v}), level: uint8(level)}
	}
	m := c.mips.Load()
	if m == nil || !m.rule.same(rule) {
		m = makeMips(c.Compact(new(ChunkBuilder)), rule)
		c.mips.Store(m)
	}
	return Mip{m: m, level: uint8(level)}
}

// MipBytes returns how many bytes of heap the chunk's mips take now.
func (c *Chunk) MipBytes() int {
	m := c.mips.Load()
	if m == nil {
		return 0
	}
	return int(unsafe.Sizeof(*m)) + cap(m.data)*int(unsafe.Sizeof(Empty))
}

// Edge returns the number of cells along each edge: 16, 8 or 4.
func (p Mip) Edge() int { return ChunkEdge >> p.level }

// sliceUniform returns the cell of slice y and true if all cells of the slice are
// equal.
func (p Mip) sliceUniform(y int) (Cell, bool) {
	if p.m == nil {
		return p.cell, true
	}
	h := p.m.slices[firstSlice[p.level]+y]
	return h, h < refBit
}

// head returns the header of a row.
func (p Mip) head(y, z int) Cell {
	h, ok := p.sliceUniform(y)
	if ok {
		return h
	}
	return p.m.data[int(h&^refBit)+z]
}

// Cell returns one cell; coordinates are 0..Edge-1.
func (p Mip) Cell(x, y, z int) Cell {
	h := p.head(y, z)
	if h < refBit {
		return h
	}
	d, o := p.m.data, int(h&^refBit)
	n := bits.OnesCount16(uint16(d[o] << (15 - uint(x)&15)))
	return runCell(d, o+1, n-int(d[o]&1), d[o]&1 != 0)
}

// Row returns the Edge cells of a row. The terms of Chunk.Row apply.
func (p Mip) Row(y, z int, buf *[64]Cell) []Cell {
	h := p.head(y, z)
	if h < refBit {
		return filled[h][:p.Edge()]
	}
	d, o := p.m.data, int(h&^refBit)
	m := uint16(d[o] | 1)
	for n := 0; m != 0; n++ {
		x := bits.TrailingZeros16(m) & 15
		*(*[ChunkEdge / 2]Cell)(buf[x:]) = [ChunkEdge / 2]Cell(filled[runCell(d, o+1, n, d[o]&1 != 0)&MaxCell][:])
		m &= m - 1
	}
	return buf[:p.Edge()]
}

// runCell returns the cell of run n of the row whose values start at o. The values
// are cells or bytes.
func runCell(d []Cell, o, n int, cells bool) Cell {
	if cells {
		return d[o+n]
	}
	return d[d[o+n>>1]>>(n&1*8)&0xFF]
}
