package voxel

import "math/bits"

// A patched chunk is a packed one of which a few rows were written since. Its
// data is the packed chunk's, behind it the written rows and the headers of
// their slices, and a tail: room for kernels, the length of the packed data,
// and patchMark. No other header or row points to what was written behind, so
// the next patch may replace it where it stands. Equal rows may have two places.
// A patched chunk whose data is flat has patchMark for the headers of the
// slices that were written.
const (
	// patchMark is the place of no row: packed data is shorter.
	patchMark = packed | MaxCell
	tailCells = 32
	// A patched chunk has at most so many cells of data behind the packed ones: a
	// chunk that would get more is packed. Where one row is written at a time
	// copying more would cost more than packing now and then.
	patchLeast, patchEach, patchMost = 1 << 11, ChunkEdge, 1 << 14
)

// patched reports whether the chunk has another form than packing its cells
// gives.
func (c *Chunk) patched() bool {
	n := len(c.data)
	switch n {
	case 0:
		return false
	case ChunkCells:
		for _, h := range c.slices {
			if h == patchMark {
				return true
			}
		}
		return false
	}
	return c.data[n-1] == patchMark
}

// parts returns the length of what was packed of data, and of that with what was
// written behind.
func (c *Chunk) parts() (base, end int) {
	n := len(c.data)
	if n == 0 || c.data[n-1] != patchMark {
		return n, n
	}
	return int(c.data[n-2]), n - tailCells
}

// Packed returns the chunk in the form that takes least memory: c itself, unless
// Draft.Patch made it.
func (c *Chunk) Packed() *Chunk { return c.PackedWith(new(Builder)) }

// PackedWith is Packed with the memory of a Builder that has no slices added.
func (c *Chunk) PackedWith(b *Builder) *Chunk {
	if !c.patched() {
		return c
	}
	d := (&Draft{base: c}).build(b)
	d.mips.Store(c.mips.Load())
	return d
}

// Patch is Publish that takes time for what was written and not for the chunk. It
// returns false, and the draft is as it was, if too much was written. The chunk
// returned takes more memory than a packed one, up to 4 KiB where cells are
// written one by one and 32 KiB where many are written at once: see Packed.
func (d *Draft) Patch() (*Chunk, bool) {
	if d.weigh() {
		base, end := d.base.parts()
		if len(d.base.data) == ChunkCells {
			d.base = d.patchFlat()
		} else if size := d.grows(base); end-base+size <= min(patchLeast+patchEach*len(d.rows), patchMost) {
			d.base = d.patch(base, end, size)
		} else {
			return nil, false
		}
	}
	d.reset()
	return d.base, true
}

// weigh finds the changes of the rows that were written and reports whether a
// cell differs.
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

// grows returns how many cells patch will write behind those that are there.
func (d *Draft) grows(base int) (size int) {
	var slices uint32 // of which headers were counted
	for i := range d.rows {
		r := &d.rows[i]
		y, z := r.at()
		h := d.base.slices[y]
		own := h >= packed && int(h&^packed) >= base
		if r.mask == 0 || own && fits(d.base.data, base, d.base.data[int(h&^packed)+z], r.mask) {
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

// fits reports whether a row with these changes can stand where the row with
// header h does: it must have been written behind the first base cells.
func fits(data []Cell, base int, h Cell, mask uint32) bool {
	at := int(h &^ packed)
	return h >= packed && at >= base && bits.OnesCount32(rowMask(data, at)) >= bits.OnesCount32(mask)
}

// patch returns the base with the rows that differ, which weigh has found, and
// size cells more behind than there are.
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
		if h := c.slices[y]; m != 0 && h >= packed {
			if heads := [ChunkEdge]Cell(data[h&^packed:]); heads == filled[heads[0]&MaxCell] {
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

// putRow writes a row to data, which is to be the chunk's, of which the first
// base cells must stay, and returns data with what was written behind.
func (c *Chunk) putRow(data []Cell, base int, r *draftRow) []Cell {
	y, z := r.at()
	heads := int(c.slices[y] &^ packed)
	if h := c.slices[y]; h < packed {
		heads = len(data)
		data = append(data, filled[h][:]...)
	} else if heads < base {
		heads = len(data)
		data = append(data, data[h&^packed:][:ChunkEdge]...)
	}
	c.slices[y] = packed | Cell(heads)
	if r.mask == 1 {
		data[heads+z] = r.cells[0]
		return data
	}
	at := int(data[heads+z] &^ packed)
	if !fits(data, base, data[heads+z], r.mask) {
		at = len(data)
		data = data[:at+2+bits.OnesCount32(r.mask)]
	}
	data[heads+z] = packed | Cell(at)
	data[at], data[at+1] = Cell(r.mask), Cell(r.mask>>16)
	at += 2
	for m := r.mask; m != 0; m &= m - 1 {
		data[at] = r.cells[bits.TrailingZeros32(m)]
		at++
	}
	return data
}

// patchFlat is patch for a chunk whose data is flat.
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
	if _, ok := c.Uniform(); ok {
		c.data = nil
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
