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
		a := c.alike(d)
		for y := range ChunkEdge {
			if h := c.slices[y]; h == d.slices[y] && (h < refBit || int(h&^refBit) < a.base) {
				continue
			}
			if rows := c.differingRows(d, y, a); rows != 0 && !yield(y, rows) {
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

// alike says which data two chunks have in common.
type alike struct {
	base      int // length of the compact part, if it is equal in both
	low, high int // data below low is equal, and data from high on
}

// alike compares data in steps of 64 cells. Where the bounds are too tight, rows are
// compared.
func (c *Chunk) alike(d *Chunk) (a alike) {
	const step = 64
	n, end := c.parts()
	m, other := d.parts()
	a.high = ChunkCells
	if n != m || n == ChunkCells || !slices.Equal(c.data[:n], d.data[:n]) {
		return a
	}
	same := func(at int) bool {
		return *(*[step]Cell)(c.data[at:]) == *(*[step]Cell)(d.data[at:])
	}
	end = min(end, other)
	a.base, a.low, a.high = n, n, end
	for a.low+step <= end && same(a.low) {
		a.low += step
	}
	for a.high-step >= a.low && same(a.high-step) {
		a.high -= step
	}
	return a
}

// differingRows is Differing for one slice.
func (c *Chunk) differingRows(d *Chunk, y int, a alike) (m uint32) {
	const longest = 2 + ChunkEdge
	var ours, theirs [ChunkEdge]Cell
	c.heads(y, &ours)
	d.heads(y, &theirs)
	var buf, other [64]Cell
	for z, h := range ours {
		k, at := theirs[z], int(h&^refBit)
		switch {
		case h == k && (h < refBit || at < a.base || at+longest <= a.low || at >= a.high):
		case h < refBit && k < refBit, *(*[ChunkEdge]Cell)(c.Row(y, z, &buf)) != *(*[ChunkEdge]Cell)(d.Row(y, z, &other)):
			m |= 1 << z
		}
	}
	return m
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
