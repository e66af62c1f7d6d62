package geom

import (
	"fmt"
	"math/bits"
)

// Morton interleaves the bits of x, z and y: bit i of x goes to 3i, of z to 3i+1, of
// y to 3i+2. It uses only the lowest 21 bits of each.
func Morton(x, y, z uint32) uint64 {
	return spread3(x) | spread3(z)<<1 | spread3(y)<<2
}

// Unmorton undoes Morton.
func Unmorton(m uint64) (x, y, z uint32) {
	return gather3(m), gather3(m >> 2), gather3(m >> 1)
}

// spread3 puts two zero bits before each of the lowest 21 bits of v.
func spread3(v uint32) uint64 {
	x := uint64(v) & 0x1FFFFF
	x = (x | x<<32) & 0x001F00000000FFFF
	x = (x | x<<16) & 0x001F0000FF0000FF
	x = (x | x<<8) & 0x100F00F00F00F00F
	x = (x | x<<4) & 0x10C30C30C30C30C3
	return (x | x<<2) & 0x1249249249249249
}

func gather3(m uint64) uint32 {
	x := m & 0x1249249249249249
	x = (x | x>>2) & 0x10C30C30C30C30C3
	x = (x | x>>4) & 0x100F00F00F00F00F
	x = (x | x>>8) & 0x001F0000FF0000FF
	x = (x | x>>16) & 0x001F00000000FFFF
	return uint32(x|x>>32) & 0x1FFFFF
}

// MaxDepth is the depth of the code of a chunk.
const MaxDepth = 21

// MaxLevel is the highest level of a volume. Space is 4 of its chunks wide, which a stone writes
// as one cube.
const MaxLevel = MaxDepth - 2

// Code is a locational code: a sentinel bit, then the octants from the root of the
// octree over all chunks in range down to one cube. The root is 1. A child's code is
// its parent's code followed by the octant (x = 1, z = 2, y = 4). A cube of depth d
// has 1<<(MaxDepth-d) chunks an edge. The zero Code is invalid.
type Code uint64

// Root is the code of the cube of all chunks in range.
const Root Code = 1

// CodeOf returns the code of depth MaxDepth-level. It names the cube of 1<<level
// chunks an edge at pos, counted in such cubes: a chunk of a volume's level. pos
// must be within +-MaxChunk>>level (see ChunkPos.Check), and level within
// 0..MaxDepth.
func CodeOf(pos ChunkPos, level int) Code {
	off := int32(MaxChunk >> level)
	m := Morton(uint32(pos.X+off), uint32(pos.Y+off), uint32(pos.Z+off))
	return Code(1)<<(3*(MaxDepth-level)) | Code(m)
}

// Valid reports whether the sentinel of c is at a multiple of three bits.
func (c Code) Valid() bool { return c != 0 && (bits.Len64(uint64(c))-1)%3 == 0 }

// Depth returns the number of octants in c: 0 for the root.
func (c Code) Depth() int { return (bits.Len64(uint64(c)) - 1) / 3 }

// Level returns MaxDepth - Depth: log2 of the cube's edge in chunks.
func (c Code) Level() int { return MaxDepth - c.Depth() }

// Pos returns the cube's position, counted in cubes of its size.
func (c Code) Pos() ChunkPos {
	level := c.Level()
	off := int32(MaxChunk >> level)
	if level == MaxDepth {
		return ChunkPos{}
	}
	x, y, z := Unmorton(uint64(c) &^ (1 << (3 * c.Depth())))
	return ChunkPos{int32(x) - off, int32(y) - off, int32(z) - off}
}

// Box returns the cells of the cube.
func (c Code) Box() Box {
	if c.Level() == MaxDepth {
		const m = MaxChunk * ChunkEdge
		return Box{Point{-m, -m, -m}, Point{m, m, m}}
	}
	edge := ChunkEdge << c.Level()
	p := c.Pos()
	min := Point{int(p.X) * edge, int(p.Y) * edge, int(p.Z) * edge}
	return Box{min, min.Add(Point{edge, edge, edge})}
}

// Compare orders codes in pre-order of the octree: a cube, then the cubes within it
// by octant. It returns -1, 0 or 1.
func (c Code) Compare(d Code) int {
	n, m := c.Depth(), d.Depth()
	a, b := c<<(3*(MaxDepth-n)), d<<(3*(MaxDepth-m))
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return n - m
}

func (c Code) String() string {
	if !c.Valid() {
		return fmt.Sprintf("code %#x (invalid)", uint64(c))
	}
	return fmt.Sprintf("%v/%d", c.Pos(), c.Level())
}
