package voxel

import (
	"math/bits"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	// ChunkEdge is the number of cells along each edge of a chunk.
	ChunkEdge = geom.ChunkEdge
	// SliceCells is the number of cells of one y-slice of a chunk.
	SliceCells = ChunkEdge * ChunkEdge
	// ChunkCells is the number of cells of a chunk.
	ChunkCells = ChunkEdge * SliceCells
)

// refBit marks a header that is an offset in Chunk.data. A header without it is a
// cell.
const refBit Cell = 1 << 15

// Chunk is 32x32x32 cells, index (y*32+z)*32+x. It never changes, so goroutines may
// share it. To write, Edit it and publish the result. Coordinates must be 0..31 and
// cells at most MaxCell. Equal cells have the same form, except in chunks that
// Draft.Patch made.
//
// A slice header is the cell of the whole slice, or refBit | the offset of 32 row
// headers. A row header is the cell of the whole row, or refBit | the offset of a
// row. A row starts with a mask of 32 bits, low half first; bit x is set where cell
// x differs from cell x-1. The value of each run follows. If bit 0 is set, the
// values are cells. If it is clear, they are bytes, low half first; each is the
// index of a cell in the list, the first 64 cells of data. Equal slices share an
// offset, and so do equal rows. If this form is not smaller than the flat one, data
// holds all cells in index order; slice headers with refBit then have no other
// meaning. See patched for chunks that Draft.Patch made.
type Chunk struct {
	slices [ChunkEdge]Cell
	data   []Cell
	plain  *plains // of a patched chunk
	mips   atomic.Pointer[mips]
}

// filled holds for each cell a row of 32 such cells. It is read-only. With it a
// uniform row is a pointer, and writing a run is one copy.
var (
	filled [1 << 15][ChunkEdge]Cell
	_      = fillRows()
)

func fillRows() struct{} {
	for v := range filled {
		for x := range filled[v] {
			filled[v][x] = Cell(v)
		}
	}
	return struct{}{}
}

// Uniform returns a chunk whose cells are all v.
func Uniform(v Cell) *Chunk {
	return &Chunk{slices: filled[v]}
}

// Or returns c, or a chunk of def alone if c is nil: chunks that are all default are not kept.
func (c *Chunk) Or(def Cell) *Chunk {
	if c == nil {
		return Uniform(def)
	}
	return c
}

// FromFlat returns a chunk of the cells, which are in index order and are not kept.
// A ChunkBuilder is faster for many chunks.
func FromFlat(cells *[ChunkCells]Cell) *Chunk {
	return new(ChunkBuilder).FromFlat(cells)
}

// Cell returns one cell.
func (c *Chunk) Cell(x, y, z int) Cell {
	if h := c.slices[y]; h < refBit {
		return h
	}
	return readCell(c, x, y, z)
}

// plainCell is Cell for a slice that is not uniform.
func plainCell(c *Chunk, x, y, z int) Cell {
	d := c.data
	switch {
	case c.slices[y] == patchMark:
		return c.plain[y][z*ChunkEdge+x]
	case len(d) == ChunkCells:
		return d[(y*ChunkEdge+z)*ChunkEdge+x]
	}
	h := d[int(c.slices[y]&^refBit)+z]
	if h < refBit {
		return h
	}
	o := int(h &^ refBit)
	n := bits.OnesCount32(rowMask(d, o) << (31 - uint(x)&31))
	if d[o]&1 != 0 {
		return d[o+1+n]
	}
	return d[d[o+2+n>>1]>>(n&1*8)&0xFF]
}

// rowMask returns the 32 bits that start the row at o.
func rowMask(d []Cell, o int) uint32 {
	return uint32(d[o]) | uint32(d[o+1])<<16
}

// Row returns the 32 cells of a row. They lie in buf or in memory that all readers
// share, so never write to them. To read two rows at once, pass two buffers.
func (c *Chunk) Row(y, z int, buf *[64]Cell) []Cell {
	if c.slices[y] >= refBit {
		return readRow(c, y, z, buf)
	}
	return filled[c.slices[y]][:]
}

// plainRow is Row for a slice that is not uniform.
func plainRow(c *Chunk, y, z int, buf *[64]Cell) []Cell {
	d := c.data
	switch {
	case c.slices[y] == patchMark:
		return c.plain[y].row(z)[:]
	case len(d) == ChunkCells:
		o := (y*ChunkEdge + z) * ChunkEdge
		return d[o : o+ChunkEdge]
	}
	h := d[int(c.slices[y]&^refBit)+z]
	if h < refBit {
		return filled[h][:]
	}
	return expand(d, int(h&^refBit), buf)
}

// expand writes the row at o to buf, unless data holds it as 32 cells. It writes 32
// cells for each run, and the next run overwrites the excess. It writes runs in
// pairs: what follows the last run goes to the upper half of buf.
func expand(d []Cell, o int, buf *[64]Cell) []Cell {
	m := uint64(rowMask(d, o))
	o += 2
	switch {
	case m == 1<<32-1:
		return d[o : o+ChunkEdge]
	case m&1 != 0:
		for ; m != 0; o += 2 {
			m = fill(m, d[o], buf)
			m = fill(m, d[o+1], buf)
		}
	default:
		for m |= 1; m != 0; o++ {
			pair := d[o]
			m = fill(m, d[pair&0xFF], buf)
			m = fill(m, d[pair>>8], buf)
		}
	}
	return buf[:ChunkEdge]
}

// fill writes v from the lowest set bit of m on and returns m without that bit.
func fill(m uint64, v Cell, buf *[64]Cell) uint64 {
	x := bits.TrailingZeros64(m | 1<<ChunkEdge)
	*(*[ChunkEdge]Cell)(buf[x : x+ChunkEdge]) = filled[v&MaxCell]
	return m & (m - 1)
}

// SliceUniform returns the cell of slice y and true if all cells of the slice are
// equal.
func (c *Chunk) SliceUniform(y int) (Cell, bool) {
	h := c.slices[y]
	return h, h < refBit
}

// Uniform returns the cell of the chunk and true if all cells are equal.
func (c *Chunk) Uniform() (Cell, bool) {
	v := c.slices[0]
	return v, v < refBit && c.slices == filled[v]
}

// head returns the header of row z of slice y, which is not plain. In a flat chunk its offset counts
// rows.
func (c *Chunk) head(y, z int) Cell {
	h := c.slices[y]
	switch {
	case h < refBit:
		return h
	case len(c.data) == ChunkCells:
		return refBit | Cell(y*ChunkEdge+z)
	}
	return c.data[int(h&^refBit)+z]
}
