package voxel

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
)

// Draft is a chunk being changed: a chunk and, as plain cells, the rows that
// were written. It belongs to one goroutine. Coordinates are 0..31.
type Draft struct {
	base  *Chunk
	index [SliceCells]uint16 // by y*32+z: 1 + the row's number in rows
	rows  [][ChunkEdge]Cell
	marks [ChunkEdge]uint32 // by y: bit z set where the row is in rows
}

// Edit returns a draft of c, which itself stays as it is.
func (c *Chunk) Edit() *Draft { return &Draft{base: c} }

// Cell returns one cell as written so far.
func (d *Draft) Cell(x, y, z int) Cell {
	if i := d.index[y*ChunkEdge+z]; i != 0 {
		return d.rows[i-1][x]
	}
	return d.base.Cell(x, y, z)
}

// Set writes one cell.
func (d *Draft) Set(x, y, z int, v Cell) {
	if d.Cell(x, y, z) != v {
		d.row(y, z)[x] = v
	}
}

// row returns the plain cells of a row.
func (d *Draft) row(y, z int) *[ChunkEdge]Cell {
	i := &d.index[y*ChunkEdge+z]
	if *i == 0 {
		var buf [64]Cell
		d.rows = append(d.rows, *(*[ChunkEdge]Cell)(d.base.Row(y, z, &buf)))
		*i = uint16(len(d.rows))
		d.marks[y] |= 1 << z
	}
	return &d.rows[*i-1]
}

// peek returns the cells of a row as Chunk.Row does.
func (d *Draft) peek(y, z int, buf *[64]Cell) []Cell {
	if i := d.index[y*ChunkEdge+z]; i != 0 {
		return d.rows[i-1][:]
	}
	return d.base.Row(y, z, buf)
}

// WriteBox writes src to the cells of b, in the order of ReadBox. b must lie
// within 0..32 and src hold b.Cells() cells.
func (d *Draft) WriteBox(b geom.Box, src []Cell) {
	s := b.Size()
	d.write(b, func(y, z int) []Cell {
		return src[((y-b.Min.Y)*s.Z+z-b.Min.Z)*s.X:][:s.X]
	})
}

// Fill writes v to every cell of b, which must lie within 0..32.
func (d *Draft) Fill(b geom.Box, v Cell) {
	cells := filled[v][:b.Size().X]
	d.write(b, func(y, z int) []Cell { return cells })
}

// write finds the rows that will change, grows once, and writes them.
func (d *Draft) write(b geom.Box, cells func(y, z int) []Cell) {
	if b.Empty() {
		return
	}
	var marks [ChunkEdge]uint32
	var buf [64]Cell
	grow := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			if slices.Equal(d.peek(y, z, &buf)[b.Min.X:b.Max.X], cells(y, z)) {
				continue
			}
			marks[y] |= 1 << z
			if d.index[y*ChunkEdge+z] == 0 {
				grow++
			}
		}
	}
	d.rows = slices.Grow(d.rows, grow)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			if marks[y]>>z&1 != 0 {
				copy(d.row(y, z)[b.Min.X:], cells(y, z))
			}
		}
	}
}

// Publish returns the chunk as written: the one the draft was made of if no
// cell differs. The draft goes on from the chunk returned.
func (d *Draft) Publish() *Chunk { return d.PublishWith(new(Builder)) }

// PublishWith is Publish with the memory of a Builder that has no slices added.
func (d *Draft) PublishWith(b *Builder) *Chunk {
	if d.differs() {
		d.base = d.build(b)
	}
	d.index, d.marks, d.rows = [SliceCells]uint16{}, [ChunkEdge]uint32{}, d.rows[:0]
	return d.base
}

// differs reports whether some written row is not what it was.
func (d *Draft) differs() bool {
	var buf [64]Cell
	for y, m := range d.marks {
		for ; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			if *d.row(y, z) != *(*[ChunkEdge]Cell)(d.base.Row(y, z, &buf)) {
				return true
			}
		}
	}
	return false
}

// build packs the draft; rows nobody wrote go from chunk to chunk as they are.
func (d *Draft) build(b *Builder) *Chunk {
	below := uint32(0)
	for y, marks := range d.marks {
		changed := d.base.Changed(y) | marks | below
		for m := changed; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			if marks>>z&1 != 0 {
				b.heads[z] = b.head(d.row(y, z))
			} else {
				b.heads[z] = b.copyRow(d.base, d.base.head(y, z))
			}
		}
		b.endSlice(ChunkEdge, changed)
		below = marks
	}
	return b.Chunk()
}
