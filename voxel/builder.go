package voxel

import (
	"math/bits"
	"slices"
)

// ChunkBuilder makes chunks slice by slice. The zero value is ready. One ChunkBuilder makes
// any number of chunks, one after another, and reuses its memory. Goroutines must
// not share it.
type ChunkBuilder struct {
	y      int             // slices added
	slices [ChunkEdge]Cell // by slice: its cell, or refBit | index in blocks
	heads  [ChunkEdge]Cell // by row of the last slice: its cell, or refBit | index in rows
	blocks []block         // row headers of distinct slices
	rows   []stagedRow
	vals   []Cell
	table  [2048]uint16 // 1 + index in rows, by hash, with linear probing
	narrow bool         // rows are of mips
	layout layout
}

// stagedRow is a distinct row: the mask of its changes with bit 0 set, and the index
// in vals of its first run's cell.
type stagedRow struct {
	mask   uint32
	at     int32
	listed bool // its cells are all in the list
}

func (r stagedRow) runs() int { return bits.OnesCount32(r.mask) }

// block is the row headers of one slice; the slice has edge rows.
type block struct {
	heads [ChunkEdge]Cell
	edge  int
}

// Slice adds the next slice, bottom up. cells are in index order and are not kept.
// Bit z of changed must be set where row z differs from the slice before, and may be
// set elsewhere. The first slice ignores changed.
func (b *ChunkBuilder) Slice(cells *[SliceCells]Cell, changed uint32) {
	if b.y == 0 {
		changed = 1<<32 - 1
	}
	for m := changed; m != 0; m &= m - 1 {
		z := bits.TrailingZeros32(m)
		b.heads[z] = b.head((*[ChunkEdge]Cell)(cells[z*ChunkEdge:]))
	}
	b.endSlice(ChunkEdge, changed)
}

// Runs sets row z of the slice that Next adds, at most once: a chunk has room for 1,024
// distinct rows. Bit x of starts is set where a run of
// equal cells starts; bit 0 is always set. cells holds the cell of each run and is
// not kept.
func (b *ChunkBuilder) Runs(z int, starts uint32, cells []Cell) {
	if starts == 1 {
		b.heads[z] = cells[0] & MaxCell
		return
	}
	b.vals = append(b.vals, cells...)
	b.heads[z] = b.intern(starts)
}

// Next adds a slice of the rows that Runs set. A row that was not set is the same as
// in the slice before. changed means what it means in Slice. For the first slice,
// and after a call of Slice, all rows must be set.
func (b *ChunkBuilder) Next(changed uint32) {
	if b.y == 0 {
		changed = 1<<32 - 1
	}
	b.endSlice(ChunkEdge, changed)
}

// head returns the header of a row and stages the row if it is new.
func (b *ChunkBuilder) head(row *[ChunkEdge]Cell) Cell {
	if v := row[0] & MaxCell; *row == filled[v] {
		return v
	}
	mask := changes(row)
	for m := mask; m != 0; m &= m - 1 {
		b.vals = append(b.vals, row[bits.TrailingZeros32(m)])
	}
	return b.intern(mask)
}

// copyRow returns the header of a row of c.
func (b *ChunkBuilder) copyRow(c *Chunk, y, z int) Cell {
	if c.slices[y] == patchMark {
		return b.head(c.plain[y].row(z))
	}
	h := c.head(y, z)
	d, o := c.data, int(h&^refBit)
	switch {
	case h < refBit:
		return h
	case len(d) == ChunkCells:
		return b.head((*[ChunkEdge]Cell)(d[o*ChunkEdge:]))
	}
	mask := rowMask(d, o)
	runs := bits.OnesCount32(mask | 1)
	if mask&1 != 0 {
		b.vals = append(b.vals, d[o+2:o+2+runs]...)
		return b.intern(mask)
	}
	for n := range runs {
		b.vals = append(b.vals, runCell(d, o+2, n, false))
	}
	return b.intern(mask | 1)
}

// changes returns a mask: bit x is set where cell x differs from cell x-1, and bit 0
// is set. It takes four cells at a time: adding MaxCell to their differences carries
// into bit 15 where they differ, and the product gathers those bits.
func changes(row *[ChunkEdge]Cell) uint32 {
	m := uint32(0)
	last := uint64(0)
	for x := 0; x < ChunkEdge; x += 4 {
		r := row[x : x+4 : x+4]
		w := uint64(r[0]) | uint64(r[1])<<16 | uint64(r[2])<<32 | uint64(r[3])<<48
		diff := w ^ (w<<16 | last)
		ones := (diff + 0x7FFF7FFF7FFF7FFF) >> 15 & 0x0001000100010001
		m |= uint32(ones*0x0001000200040008>>48&0xF) << x
		last = w >> 48
	}
	return m | 1
}

// intern returns the header of the row with this mask of changes; the cells of its
// runs are the last of vals. If the row is known, intern removes them from vals.
func (b *ChunkBuilder) intern(mask uint32) Cell {
	at := len(b.vals) - bits.OnesCount32(mask)
	vals := b.vals[at:]
	h := mask * 0x9E3779B1
	for _, v := range vals {
		h = (h ^ uint32(v)) * 0x85EBCA6B
		h ^= h >> 15
	}
	for {
		slot := &b.table[h%uint32(len(b.table))]
		if *slot == 0 {
			b.rows = append(b.rows, stagedRow{mask: mask, at: int32(at)})
			*slot = uint16(len(b.rows))
			return refBit | Cell(len(b.rows)-1)
		}
		if r := b.rows[*slot-1]; r.mask == mask && equalCells(b.vals[r.at:], vals) {
			b.vals = b.vals[:at]
			return refBit | (Cell(*slot) - 1)
		}
		h++
	}
}

// equalCells reports whether a starts with b.
func equalCells(a, b []Cell) bool {
	a = a[:len(b)]
	for i, v := range b {
		if a[i] != v {
			return false
		}
	}
	return true
}

// endSlice adds a slice of edge rows whose headers are in heads. changed means what
// it means in Slice.
func (b *ChunkBuilder) endSlice(edge int, changed uint32) {
	if b.y == ChunkEdge {
		panic("voxel: ChunkBuilder.Slice: a chunk has 32 slices")
	}
	if changed == 0 {
		b.slices[b.y] = b.slices[b.y-1]
	} else {
		b.slices[b.y] = b.sliceHead(edge)
	}
	b.y++
}

func (b *ChunkBuilder) sliceHead(edge int) Cell {
	if v := b.heads[0]; v < refBit && slices.Equal(b.heads[:edge], filled[v][:edge]) {
		return v
	}
	for i := len(b.blocks) - 1; i >= 0; i-- {
		if k := &b.blocks[i]; k.edge == edge && k.heads == b.heads {
			return refBit | Cell(i)
		}
	}
	b.blocks = append(b.blocks, block{b.heads, edge})
	return refBit | Cell(len(b.blocks)-1)
}

// Chunk returns the chunk of the 32 slices added and resets the ChunkBuilder. It panics
// if fewer were added.
func (b *ChunkBuilder) Chunk() *Chunk {
	if b.y != ChunkEdge {
		panic("voxel: ChunkBuilder.Chunk: fewer than 32 slices were added")
	}
	c := &Chunk{slices: b.slices}
	if len(b.blocks) > 0 {
		c.data = b.place(c.slices[:])
	}
	b.reset()
	return c
}

func (b *ChunkBuilder) reset() {
	if len(b.rows) > 0 {
		b.table = [len(b.table)]uint16{}
	}
	b.y, b.blocks, b.rows, b.vals = 0, b.blocks[:0], b.rows[:0], b.vals[:0]
}

// FromFlat returns a chunk of the cells, which are in index order and are not kept.
// No slices may have been added to the ChunkBuilder.
func (b *ChunkBuilder) FromFlat(cells *[ChunkCells]Cell) *Chunk {
	b.Slice((*[SliceCells]Cell)(cells[:]), 0)
	for y := 1; y < ChunkEdge; y++ {
		below := (*[SliceCells]Cell)(cells[(y-1)*SliceCells:])
		here := (*[SliceCells]Cell)(cells[y*SliceCells:])
		b.Slice(here, differing(below, here))
	}
	return b.Chunk()
}

// differing returns a bit for each row that differs between the two slices.
func differing(a, b *[SliceCells]Cell) uint32 {
	if *a == *b {
		return 0
	}
	m := uint32(0)
	for z := range ChunkEdge {
		if *(*[ChunkEdge]Cell)(a[z*ChunkEdge:]) != *(*[ChunkEdge]Cell)(b[z*ChunkEdge:]) {
			m |= 1 << z
		}
	}
	return m
}
