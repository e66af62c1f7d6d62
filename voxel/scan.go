package voxel

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Flat writes all cells to dst in index order.
func (c *Chunk) Flat(dst *[ChunkCells]Cell) {
	if len(c.data) == ChunkCells && !c.patched() {
		copy(dst[:], c.data)
		return
	}
	for y := range ChunkEdge {
		s := (*plainSlice)(dst[y*SliceCells:])
		if y > 0 && c.slices[y] == c.slices[y-1] && c.sharesSlice(y) {
			copy(s[:], dst[(y-1)*SliceCells:])
		} else {
			c.readSlice(y, s)
		}
	}
}

// ReadBox writes the cells of b to dst, x fastest, then z, then y. b is relative to
// the chunk and must lie within 0..32. dst must hold b.Cells() cells.
func (c *Chunk) ReadBox(b geom.Box, dst []Cell) {
	if b.Empty() {
		return
	}
	var buf [64]Cell
	w := b.Size().X
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			copy(dst[:w], c.Row(y, z, &buf)[b.Min.X:])
			dst = dst[w:]
		}
	}
}

// Equal reports whether c and d have the same cells.
func (c *Chunk) Equal(d *Chunk) bool {
	if c.patched() || d.patched() {
		return !c.differs(d)
	}
	return c == d || c.slices == d.slices && slices.Equal(c.data, d.data)
}

// CountNonEmpty returns the number of cells that are not Empty.
func (c *Chunk) CountNonEmpty() int {
	n := 0
	c.eachRun(func(v Cell, cells int) {
		if v != Empty {
			n += cells
		}
	})
	return n
}

// AddCounts adds the number of cells v to counts[v]. It panics if a cell is not
// below len(counts).
func (c *Chunk) AddCounts(counts []int) {
	c.eachRun(func(v Cell, cells int) { counts[v] += cells })
}

// eachRun calls f with a cell and a number of cells, possibly more than once for a
// cell. The numbers add up to the chunk. It reads a row once for all slices up to the
// next that differs in it.
func (c *Chunk) eachRun(f func(v Cell, cells int)) {
	if v, ok := c.Uniform(); ok {
		f(v, ChunkCells)
		return
	}
	var buf [64]Cell
	var since [ChunkEdge]int // by row: the slice from which on it is the same
	for y := 1; y <= ChunkEdge; y++ {
		changed := ^uint32(0)
		if y < ChunkEdge {
			changed = c.Changed(y)
		}
		for ; changed != 0; changed &= changed - 1 {
			z := bits.TrailingZeros32(changed)
			n := y - since[z]
			m, cells := c.Runs(since[z], z, &buf)
			for _, v := range cells {
				x := bits.TrailingZeros32(m)
				m &= m - 1
				f(v, n*(bits.TrailingZeros32(m)-x))
			}
			since[z] = y
		}
	}
}

// Runs returns a row as runs: a mask with bit x set where a run of equal cells
// starts, bit 0 always, and the cell of each run. The cells lie in buf or in memory
// that all readers share, as with Row.
func (c *Chunk) Runs(y, z int, buf *[64]Cell) (starts uint32, cells []Cell) {
	if c.slices[y] == patchMark {
		return runsOf(c.plain[y].row(z), buf)
	}
	h := c.head(y, z)
	if h < refBit {
		return 1, filled[h][:1]
	}
	d, o := c.data, int(h&^refBit)
	if len(d) == ChunkCells {
		return runsOf((*[ChunkEdge]Cell)(d[o*ChunkEdge:]), buf)
	}
	mask := rowMask(d, o)
	runs := bits.OnesCount32(mask | 1)
	if o += 2; mask&1 != 0 {
		return mask, d[o : o+runs]
	}
	pairs := d[o : o+(runs+1)/2]
	for i, pair := range pairs {
		buf[2*i&63], buf[(2*i+1)&63] = d[pair&0xFF], d[pair>>8]
	}
	return mask | 1, buf[:runs]
}

// runsOf is Runs of plain cells.
func runsOf(row *[ChunkEdge]Cell, buf *[64]Cell) (starts uint32, cells []Cell) {
	starts = changes(row)
	n := 0
	for m := starts; m != 0; m &= m - 1 {
		buf[n] = row[bits.TrailingZeros32(m)]
		n++
	}
	return starts, buf[:n]
}

// Changed returns a bit z for each row z of slice y that differs from row z of slice
// y-1. It is all ones for slice 0, and 0 if the slices are equal.
func (c *Chunk) Changed(y int) uint32 {
	switch {
	case y == 0:
		return 1<<32 - 1
	case c.slices[y] == patchMark || c.slices[y-1] == patchMark:
		return c.changedPlain(y)
	case len(c.data) == ChunkCells:
		return differing((*[SliceCells]Cell)(c.data[(y-1)*SliceCells:]), (*[SliceCells]Cell)(c.data[y*SliceCells:]))
	case c.slices[y] == c.slices[y-1]:
		return 0
	}
	m := uint32(0)
	for z := range ChunkEdge {
		if c.head(y, z) != c.head(y-1, z) {
			m |= 1 << z
		}
	}
	return m
}

// changedPlain is Changed where a slice is plain.
func (c *Chunk) changedPlain(y int) (m uint32) {
	var here, below [64]Cell
	for z := range ChunkEdge {
		if *(*[ChunkEdge]Cell)(c.Row(y, z, &here)) != *(*[ChunkEdge]Cell)(c.Row(y-1, z, &below)) {
			m |= 1 << z
		}
	}
	return m
}

// sharesSlice reports whether a slice with the header of another has its cells.
func (c *Chunk) sharesSlice(y int) bool {
	h := c.slices[y]
	return h < refBit || h != patchMark && len(c.data) != ChunkCells
}

// Bytes returns how many bytes of heap the chunk takes, without its mips.
func (c *Chunk) Bytes() int {
	n := int(unsafe.Sizeof(*c)) + cap(c.data)*int(unsafe.Sizeof(Empty))
	if c.plain != nil {
		n += int(unsafe.Sizeof(*c.plain))
		for _, s := range c.plain {
			if s != nil {
				n += int(unsafe.Sizeof(*s))
			}
		}
	}
	return n
}
