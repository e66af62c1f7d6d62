package voxel

import "slices"

// Differing returns by y a bit z for each row in which c and d differ. It is
// quick where one was made by writing little to the other.
func (c *Chunk) Differing(d *Chunk) (rows [ChunkEdge]uint32) {
	if c == d {
		return rows
	}
	a := c.alike(d)
	for y := range ChunkEdge {
		if h := c.slices[y]; h != d.slices[y] || h >= packed && int(h&^packed) >= a.base {
			rows[y] = c.differingRows(d, y, a)
		}
	}
	return rows
}

// alike says which data of two chunks is the same in both.
type alike struct {
	base      int // of what was packed of both, if all of it is the same
	low, high int // what is below low is the same, and what is from high on
}

// alike compares data. It steps by 64 cells: where it errs rows are compared.
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
		k, at := theirs[z], int(h&^packed)
		switch {
		case h == k && (h < packed || at < a.base || at+longest <= a.low || at >= a.high):
		case h < packed && k < packed, *(*[ChunkEdge]Cell)(c.Row(y, z, &buf)) != *(*[ChunkEdge]Cell)(d.Row(y, z, &other)):
			m |= 1 << z
		}
	}
	return m
}
