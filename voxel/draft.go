package voxel

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Draft is a chunk that is being changed: a chunk and the written rows as plain
// cells. It belongs to one goroutine. Coordinates are 0..31.
type Draft struct {
	base  *Chunk
	rows  []draftRow
	marks [ChunkEdge]uint32   // by y: bit z set where the row is in rows
	index *[SliceCells]uint16 // by y*32+z: the row's index in rows; nil while rows are few
}

// draftRow is a row that was written.
type draftRow struct {
	cells [ChunkEdge]Cell
	mask  uint32 // its changes, if weigh found that it differs
	place uint16 // y*32+z
}

func (r *draftRow) at() (y, z int) { return int(r.place >> 5), int(r.place & 31) }

// Edit returns a draft of c. c does not change.
func (c *Chunk) Edit() *Draft { return &Draft{base: c} }

// Cell returns one cell, with the writes so far.
func (d *Draft) Cell(x, y, z int) Cell {
	if r := d.written(y, z); r != nil {
		return r[x]
	}
	return d.base.Cell(x, y, z)
}

// Set writes one cell.
func (d *Draft) Set(x, y, z int, v Cell) {
	if r := d.written(y, z); r != nil {
		r[x] = v
	} else if d.base.Cell(x, y, z) != v {
		d.row(y, z)[x] = v
	}
}

// written returns the plain cells of a row, or nil if it was not written.
func (d *Draft) written(y, z int) *[ChunkEdge]Cell {
	if d.marks[y]>>(z&31)&1 == 0 {
		return nil
	}
	place := y*ChunkEdge + z
	if d.index != nil {
		return &d.rows[d.index[place]].cells
	}
	i := 0
	for int(d.rows[i].place) != place {
		i++
	}
	return &d.rows[i].cells
}

// row returns the plain cells of a row for writing.
func (d *Draft) row(y, z int) *[ChunkEdge]Cell {
	if r := d.written(y, z); r != nil {
		return r
	}
	const few = 8
	n, place := len(d.rows), y*ChunkEdge+z
	var buf [64]Cell
	d.rows = append(d.rows, draftRow{cells: *(*[ChunkEdge]Cell)(d.base.Row(y, z, &buf)), place: uint16(place)})
	d.marks[y] |= 1 << z
	if d.index == nil && n == few {
		d.index = new([SliceCells]uint16)
		for i := range d.rows {
			d.index[d.rows[i].place] = uint16(i)
		}
	}
	if d.index != nil {
		d.index[place] = uint16(n)
	}
	return &d.rows[n].cells
}

// peek returns the cells of a row as Chunk.Row does.
func (d *Draft) peek(y, z int, buf *[64]Cell) []Cell {
	if r := d.written(y, z); r != nil {
		return r[:]
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

// write finds the rows that will change, grows rows once, and writes them.
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
			if d.marks[y]>>z&1 == 0 {
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

// Publish returns the chunk as written, in its compact form. If no cell differs, it
// returns the chunk that the draft was made from. The draft continues from the
// returned chunk. b lends its memory; no slices may have been added to it.
func (d *Draft) Publish(b *ChunkBuilder) *Chunk {
	if d.weigh() {
		d.base = d.build(b)
	}
	d.reset()
	return d.base
}

func (d *Draft) reset() {
	d.index, d.marks, d.rows = nil, [ChunkEdge]uint32{}, d.rows[:0]
}

// build makes the chunk. Rows that were not written are copied in their form.
func (d *Draft) build(b *ChunkBuilder) *Chunk {
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
