package voxel

import (
	"iter"
	"math/bits"
	"slices"
)

// Differing yields each slice in which c and d differ, bottom up, with a bit z for each row in which
// they do. It is fast where a few writes made one from the other.
func (c *Chunk) Differing(d *Chunk) iter.Seq2[int, uint32] {
	return func(yield func(y int, rows uint32) bool) {
		if c == d {
			return
		}
		shared := c.sharesData(d)
		for y, h := range c.slices {
			rows := ^uint32(0)
			switch {
			case h == d.slices[y] && (h < refBit || h != patchMark && shared || h == patchMark && c.plain[y] == d.plain[y]):
				continue
			case h >= refBit || d.slices[y] >= refBit:
				rows = c.differingRows(d, y)
			}
			if rows != 0 && !yield(y, rows) {
				return
			}
		}
	}
}

// differs reports whether a cell differs.
func (c *Chunk) differs(d *Chunk) bool {
	for range c.Differing(d) {
		return true
	}
	return false
}

// sharesData reports whether equal offsets mean equal cells in two chunks.
func (c *Chunk) sharesData(d *Chunk) bool {
	a, b := c.data, d.data
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// differingRows is Differing for one slice.
func (c *Chunk) differingRows(d *Chunk, y int) (m uint32) {
	var buf, other [64]Cell
	plain := c.plainAt(y) || d.plainAt(y)
	for z := range ChunkEdge {
		same := false
		if plain {
			same = *(*[ChunkEdge]Cell)(c.Row(y, z, &buf)) == *(*[ChunkEdge]Cell)(d.Row(y, z, &other))
		} else {
			same = sameRow(c.data, c.head(y, z), d.data, d.head(y, z))
		}
		if !same {
			m |= 1 << z
		}
	}
	return m
}

// plainAt reports whether a slice that is not uniform is kept as cells.
func (c *Chunk) plainAt(y int) bool { return c.slices[y] == patchMark || len(c.data) == ChunkCells }

// sameRow compares rows by their headers, run by run.
func sameRow(c []Cell, h Cell, d []Cell, g Cell) bool {
	if h < refBit || g < refBit {
		return h == g
	}
	i, j := int(h&^refBit), int(g&^refBit)
	mask, other := rowMask(c, i), rowMask(d, j)
	if mask|1 != other|1 {
		return false
	}
	for n := range bits.OnesCount32(mask | 1) {
		if runCell(c, i+2, n, mask&1 != 0) != runCell(d, j+2, n, other&1 != 0) {
			return false
		}
	}
	return true
}

// DifferingCells returns a bit for each cell in which two rows differ, the low one for the first. It takes four
// cells at a time, as changes does.
func DifferingCells(a, b []Cell) (m uint32) {
	a, b = a[:ChunkEdge], b[:ChunkEdge]
	for x := 0; x < ChunkEdge; x += 4 {
		r, s := a[x:x+4:x+4], b[x:x+4:x+4]
		v := uint64(r[0]) | uint64(r[1])<<16 | uint64(r[2])<<32 | uint64(r[3])<<48
		w := uint64(s[0]) | uint64(s[1])<<16 | uint64(s[2])<<32 | uint64(s[3])<<48
		ones := ((v ^ w) + 0x7FFF7FFF7FFF7FFF) >> 15 & 0x0001000100010001
		m |= uint32(ones*0x0001000200040008>>48&0xF) << x
	}
	return m
}

// CubeEdge is how many cells an edge of what DifferingCubes tells apart has.
const CubeEdge = 8

// DifferingCubes returns a bit for each cube of CubeEdge cells an edge in which c and d differ. The number
// of a cube counts along x first, then z, then y.
func (c *Chunk) DifferingCubes(d *Chunk) (cubes uint64) {
	const n = ChunkEdge / CubeEdge
	var ours, theirs [64]Cell
	for y, rows := range c.Differing(d) {
		for ; rows != 0; rows &= rows - 1 {
			z := bits.TrailingZeros32(rows)
			a, b := c.Row(y, z, &ours), d.Row(y, z, &theirs)
			for x := range n {
				if [CubeEdge]Cell(a[x*CubeEdge:]) != [CubeEdge]Cell(b[x*CubeEdge:]) {
					cubes |= 1 << ((y/CubeEdge*n+z/CubeEdge)*n + x)
				}
			}
		}
	}
	return cubes
}
