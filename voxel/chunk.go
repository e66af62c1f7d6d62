package voxel

import (
	"math/bits"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/geom"
)

const (
	// ChunkEdge is the number of cells along each edge of a chunk.
	ChunkEdge = geom.ChunkEdge
	// SliceCells is the number of cells of one y-slice of a chunk.
	SliceCells = ChunkEdge * ChunkEdge
	// ChunkCells is the number of cells of a chunk.
	ChunkCells = ChunkEdge * SliceCells
)

// packed marks a header that is a place in Chunk.data and no cell.
const packed Cell = 1 << 15

// Chunk is 32x32x32 cells, index (y*32+z)*32+x. It never changes once made, so
// any number of goroutines may read it; to write, Edit it and publish another.
// Coordinates must be 0..31, cells written at most MaxCell. Equal cells always
// give the same form, but for chunks that Draft.Patch made.
//
// A slice header is the cell of the whole slice, or packed | the place of 32
// row headers; a row header the cell of the whole row, or packed | the place of
// a row. A row is 32 bits (low half first), bit x set where cell x differs from
// x-1, and the value of each run. With bit 0 set the values are cells; with bit
// 0 clear they are bytes, low half first, each the place of a cell among the
// first 64 of data. Equal slices and equal rows share a place. Where that
// would not be smaller than flat, data is all cells and packed slice headers
// mean nothing else.
type Chunk struct {
	slices [ChunkEdge]Cell
	data   []Cell
	mips   atomic.Pointer[mips]
}

// filled has every cell's row of 32: read-only. It makes a uniform row a
// pointer and a run one copy.
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

// Uniform returns a chunk of one cell.
func Uniform(v Cell) *Chunk {
	return &Chunk{slices: filled[v]}
}

// Pack packs a flat array in index order and keeps nothing of it. To pack many,
// use a Builder's Pack.
func Pack(cells *[ChunkCells]Cell) *Chunk {
	return new(Builder).Pack(cells)
}

// Cell returns one cell.
func (c *Chunk) Cell(x, y, z int) Cell {
	if h := c.slices[y]; h < packed {
		return h
	}
	return readCell(c, x, y, z)
}

// plainCell is Cell for a slice that is not uniform.
func plainCell(c *Chunk, x, y, z int) Cell {
	d := c.data
	if len(d) == ChunkCells {
		return d[(y*ChunkEdge+z)*ChunkEdge+x]
	}
	h := d[int(c.slices[y]&^packed)+z]
	if h < packed {
		return h
	}
	o := int(h &^ packed)
	n := bits.OnesCount32(rowMask(d, o) << (31 - uint(x)&31))
	if d[o]&1 != 0 {
		return d[o+1+n]
	}
	return d[d[o+2+n>>1]>>(n&1*8)&0xFF]
}

// rowMask returns the 32 bits a row in d starts with.
func rowMask(d []Cell, o int) uint32 {
	return uint32(d[o]) | uint32(d[o+1])<<16
}

// Row returns the 32 cells of a row. They may lie in buf or in memory shared by
// all readers: never write to them, and read two rows at once with two buffers.
func (c *Chunk) Row(y, z int, buf *[64]Cell) []Cell {
	if c.slices[y] >= packed {
		return readRow(c, y, z, buf)
	}
	return filled[c.slices[y]][:]
}

// plainRow is Row for a slice that is not uniform.
func plainRow(c *Chunk, y, z int, buf *[64]Cell) []Cell {
	d := c.data
	if len(d) == ChunkCells {
		o := (y*ChunkEdge + z) * ChunkEdge
		return d[o : o+ChunkEdge]
	}
	h := d[int(c.slices[y]&^packed)+z]
	if h < packed {
		return filled[h][:]
	}
	return expand(d, int(h&^packed), buf)
}

// expand writes the row at o into buf, unless it lies there as 32 cells. Each
// run is written to its end and beyond; the next one covers what is beyond.
// Runs go in pairs: what follows the last one lands in the upper half of buf.
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

// fill writes v from the lowest bit of m on and returns m without that bit.
func fill(m uint64, v Cell, buf *[64]Cell) uint64 {
	x := bits.TrailingZeros64(m | 1<<ChunkEdge)
	*(*[ChunkEdge]Cell)(buf[x : x+ChunkEdge]) = filled[v&MaxCell]
	return m & (m - 1)
}

// SliceUniform returns the cell of slice y and true if the slice is of one
// cell.
func (c *Chunk) SliceUniform(y int) (Cell, bool) {
	h := c.slices[y]
	return h, h < packed
}

// Uniform returns the cell of the chunk and true if the chunk is of one cell.
func (c *Chunk) Uniform() (Cell, bool) {
	v := c.slices[0]
	return v, v < packed && c.slices == filled[v]
}

// head returns the cell of row z of slice y, or packed and the row's place; in
// a flat chunk a place counted in rows.
func (c *Chunk) head(y, z int) Cell {
	h := c.slices[y]
	switch {
	case h < packed:
		return h
	case len(c.data) == ChunkCells:
		return packed | Cell(y*ChunkEdge+z)
	}
	return c.data[int(h&^packed)+z]
}
