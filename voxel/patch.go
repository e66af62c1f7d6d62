package voxel

import (
	"math/bits"
	"slices"
)

// A patched chunk is a compact chunk with a few rows written since. Its data is that
// of the compact chunk, then the written rows and the headers of their slices, then
// a tail: room for kernels, the length of the compact part, and patchMark. No other
// header or row refers to the written part, so the next patch may overwrite it in
// place. Equal rows may have two offsets. If its data is flat, the headers of all
// slices that are not uniform are patchMark.
const (
	// patchMark is the offset of no row, because data that is not flat is shorter.
	patchMark = refBit | MaxCell
	tailCells = 32
	// These limit the cells of data after the compact part. A chunk that would need
	// more is made compact. Where one row is written at a time, copying more would
	// cost more than that.
	patchLeast, patchEach, patchMost = 1 << 11, ChunkEdge, 1 << 14
)

// patched reports whether the chunk may have another form than FromFlat gives its
// cells.
func (c *Chunk) patched() bool {
	n := len(c.data)
	switch n {
	case 0:
		return false
	case ChunkCells:
		return slices.Contains(c.slices[:], patchMark)
	}
	return c.data[n-1] == patchMark
}

// parts returns the length of the compact part of data, and its length with the
// written part.
func (c *Chunk) parts() (base, end int) {
	n := len(c.data)
	if n == 0 || c.data[n-1] != patchMark {
		return n, n
	}
	return int(c.data[n-2]), n - tailCells
}

// Compact returns the chunk in the form that takes least memory. It is c unless
// Draft.Patch made c. b lends its memory; no slices may have been added to it.
func (c *Chunk) Compact(b *ChunkBuilder) *Chunk {
	if !c.patched() {
		return c
	}
	d := (&Draft{base: c}).build(b)
	d.mips.Store(c.mips.Load())
	return d
}

// Patch is Publish in a time that depends on what was written and not on the chunk.
// If too much was written, it returns false and leaves the draft as it is. The
// returned chunk takes more memory than a compact one: up to 4 KiB if cells are
// written one by one and 32 KiB if many are written at once. See Compact.
func (d *Draft) Patch() (*Chunk, bool) {
	if d.weigh() {
		c := d.patched()
		if c == nil {
			return nil, false
		}
		d.base = c
	}
	d.reset()
	return d.base, true
}

// patched returns the patched chunk, or nil if too much was written.
func (d *Draft) patched() *Chunk {
	if len(d.base.data) == ChunkCells {
		return d.patchFlat()
	}
	base, end := d.base.parts()
	size := d.grows(base)
	if end-base+size > min(patchLeast+patchEach*len(d.rows), patchMost) || end+size+tailCells >= ChunkCells {
		return nil
	}
	return d.patch(base, end, size)
}

// weigh computes the changes of the written rows and reports whether a cell differs.
func (d *Draft) weigh() (differs bool) {
	var buf [64]Cell
	for i := range d.rows {
		r := &d.rows[i]
		y, z := r.at()
		if r.mask = 0; r.cells != *(*[ChunkEdge]Cell)(d.base.Row(y, z, &buf)) {
			r.mask = changes(&r.cells)
			differs = true
		}
	}
	return differs
}

// grows returns how many cells patch will append to data.
func (d *Draft) grows(base int) (size int) {
	var slices uint32 // the slices whose headers were counted
	for i := range d.rows {
		r := &d.rows[i]
		y, z := r.at()
		h := d.base.slices[y]
		own := h >= refBit && int(h&^refBit) >= base
		if r.mask == 0 || own && fits(d.base.data, base, d.base.data[int(h&^refBit)+z], r.mask) {
			continue
		}
		if r.mask != 1 {
			size += 2 + bits.OnesCount32(r.mask)
		}
		if !own && slices>>y&1 == 0 {
			slices |= 1 << y
			size += ChunkEdge
		}
	}
	return size
}

// fits reports whether a row with these changes can overwrite the row with header h:
// that row must lie after the first base cells.
func fits(data []Cell, base int, h Cell, mask uint32) bool {
	at := int(h &^ refBit)
	return h >= refBit && at >= base && bits.OnesCount32(rowMask(data, at)) >= bits.OnesCount32(mask)
}

// patch returns the base with the rows that differ, as weigh found them. Its data
// grows by size cells.
func (d *Draft) patch(base, end, size int) *Chunk {
	data := make([]Cell, 0, end+size+tailCells)
	data = append(data, d.base.data[:end]...)
	c := &Chunk{slices: d.base.slices}
	for i := range d.rows {
		if r := &d.rows[i]; r.mask != 0 {
			data = c.putRow(data, base, r)
		}
	}
	for y, m := range d.marks {
		if h := c.slices[y]; m != 0 && h >= refBit {
			if heads := [ChunkEdge]Cell(data[h&^refBit:]); heads == filled[heads[0]&MaxCell] {
				c.slices[y] = heads[0]
			}
		}
	}
	if _, ok := c.Uniform(); ok {
		return c
	}
	data = data[:len(data)+tailCells]
	data[len(data)-2], data[len(data)-1] = Cell(base), patchMark
	c.data = data
	return c
}

// putRow writes a row to data and returns data with what it appended. The first base
// cells must not change. data becomes the chunk's.
func (c *Chunk) putRow(data []Cell, base int, r *draftRow) []Cell {
	y, z := r.at()
	heads := int(c.slices[y] &^ refBit)
	if h := c.slices[y]; h < refBit {
		heads = len(data)
		data = append(data, filled[h][:]...)
	} else if heads < base {
		heads = len(data)
		data = append(data, data[h&^refBit:][:ChunkEdge]...)
	}
	c.slices[y] = refBit | Cell(heads)
	if r.mask == 1 {
		data[heads+z] = r.cells[0]
		return data
	}
	at := int(data[heads+z] &^ refBit)
	if !fits(data, base, data[heads+z], r.mask) {
		at = len(data)
		data = data[:at+2+bits.OnesCount32(r.mask)]
	}
	data[heads+z] = refBit | Cell(at)
	data[at], data[at+1] = Cell(r.mask), Cell(r.mask>>16)
	at += 2
	for m := r.mask; m != 0; m &= m - 1 {
		data[at] = r.cells[bits.TrailingZeros32(m)]
		at++
	}
	return data
}

// patchFlat is patch for a chunk whose data is flat. It returns nil where more than half of the
// slices are uniform, because a compact chunk does not store these.
func (d *Draft) patchFlat() *Chunk {
	c := &Chunk{slices: d.base.slices, data: append([]Cell(nil), d.base.data...)}
	for i := range d.rows {
		r := &d.rows[i]
		if r.mask == 0 {
			continue
		}
		y, z := r.at()
		slice := c.data[y*SliceCells:][:SliceCells]
		copy(slice[z*ChunkEdge:], r.cells[:])
		c.slices[y] = patchMark
		if v := r.cells[0]; sliceOf(slice, v) {
			c.slices[y] = v
		}
	}
	uniform := 0
	for y, h := range c.slices {
		if h < refBit {
			uniform++
		} else {
			c.slices[y] = patchMark
		}
	}
	if uniform > ChunkEdge/2 {
		return nil
	}
	return c
}

// sliceOf reports whether all cells of a slice are v.
func sliceOf(cells []Cell, v Cell) bool {
	for i := 0; i < SliceCells; i += ChunkEdge {
		if [ChunkEdge]Cell(cells[i:]) != filled[v] {
			return false
		}
	}
	return true
}
