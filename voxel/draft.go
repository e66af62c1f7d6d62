package voxel

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Draft is a chunk that is being changed: a chunk, and its slices that were written as plain
// cells. It belongs to one goroutine. Coordinates are 0..31.
type Draft struct {
	base  *Chunk
	own   [ChunkEdge]*plainSlice // by y: the slice, if a row was written
	marks [ChunkEdge]uint32      // by y: bit z set where the row was written
}

// plainSlice is the cells of a slice, index z*32+x.
type plainSlice [SliceCells]Cell

// row returns the cells of a row.
func (s *plainSlice) row(z int) *[ChunkEdge]Cell { return (*[ChunkEdge]Cell)(s[z*ChunkEdge:]) }

// Edit returns a draft of c. c does not change.
func (c *Chunk) Edit() *Draft { return &Draft{base: c} }

// Cell returns one cell, with the writes so far.
func (d *Draft) Cell(x, y, z int) Cell {
	if s := d.own[y]; s != nil {
		return s[z*ChunkEdge+x]
	}
	return d.base.Cell(x, y, z)
}

// Set writes one cell.
func (d *Draft) Set(x, y, z int, v Cell) {
	if d.own[y] != nil || d.base.Cell(x, y, z) != v {
		d.row(y, z)[x] = v
	}
}

// row returns the plain cells of a row for writing.
func (d *Draft) row(y, z int) *[ChunkEdge]Cell {
	s := d.own[y]
	if s == nil {
		s = new(plainSlice)
		d.base.readSlice(y, s)
		d.own[y] = s
	}
	d.marks[y] |= 1 << (z & 31)
	return s.row(z)
}

// peek returns the cells of a row as Chunk.Row does.
func (d *Draft) peek(y, z int, buf *[64]Cell) []Cell {
	if s := d.own[y]; s != nil {
		return s.row(z)[:]
	}
	return d.base.Row(y, z, buf)
}

// WriteBox writes src to the cells of b, in the order of ReadBox. b must lie within
// 0..32, and src must hold b.Cells() cells.
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

// write writes the rows that differ.
func (d *Draft) write(b geom.Box, cells func(y, z int) []Cell) {
	var buf [64]Cell
	for y := b.Min.Y; y < b.Max.Y && b.Min.X < b.Max.X; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			if c := cells(y, z); !slices.Equal(d.peek(y, z, &buf)[b.Min.X:b.Max.X], c) {
				copy(d.row(y, z)[b.Min.X:], c)
			}
		}
	}
}

// Publish returns the chunk as written, in its compact form. If no cell differs, it
// returns the chunk that the draft was made from. The draft continues from the
// returned chunk. b lends its memory; no slices may have been added to it.
func (d *Draft) Publish(b *ChunkBuilder) *Chunk {
	if d.differing() != 0 {
		d.base = d.build(b)
	}
	d.own, d.marks = [ChunkEdge]*plainSlice{}, [ChunkEdge]uint32{}
	return d.base
}

// differing returns a bit for each slice in which a cell differs from the base.
func (d *Draft) differing() (ys uint32) {
	var buf [64]Cell
	for y, s := range d.own {
		if s == nil {
			continue
		}
		for m := d.marks[y]; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			if *s.row(z) != *(*[ChunkEdge]Cell)(d.base.Row(y, z, &buf)) {
				ys |= 1 << y
				break
			}
		}
	}
	return ys
}

// build makes the chunk. Rows that were not written are copied in their form.
func (d *Draft) build(b *ChunkBuilder) *Chunk {
	below := uint32(0)
	for y, marks := range d.marks {
		changed := d.base.Changed(y) | marks | below
		for m := changed; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			if marks>>z&1 != 0 {
				b.heads[z] = b.head(d.own[y].row(z))
			} else {
				b.heads[z] = b.copyRow(d.base, y, z)
			}
		}
		b.endSlice(ChunkEdge, changed)
		below = marks
	}
	return b.Chunk()
}
