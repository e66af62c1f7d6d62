package voxel

import "math/bits"

// Translate returns a chunk with table[v] for every cell v. Its cost grows with the
// number of headers and distinct rows, and is higher if table makes two cells of the
// chunk equal. It panics if a cell is not below len(table).
func (c *Chunk) Translate(table []Cell) *Chunk {
	if c.patched() {
		return c.rebuild(table)
	}
	t := translation{from: c, to: &Chunk{data: padForReads(c.data)}, table: table}
	if len(c.data) == ChunkCells {
		t.cells(0, ChunkCells)
	}
	var listed bool
	for y, h := range c.slices {
		switch {
		case y > 0 && h == c.slices[y-1]:
			t.to.slices[y] = t.to.slices[y-1]
		case h < refBit:
			t.to.slices[y] = t.cell(h)
		default:
			t.to.slices[y] = h
			listed = t.block(int(h&^refBit), listed)
		}
	}
	if t.merged {
		return c.rebuild(table)
	}
	return t.to
}

// translation is a Translate that replaces cells in place. This works as long as no
// two cells become equal, because the form stays the same.
type translation struct {
	from, to *Chunk
	table    []Cell
	origin   [1 << 7]*[1 << 8]Cell // by result: refBit | the cell that became it
	merged   bool
}

func (t *translation) cell(v Cell) Cell {
	w := t.table[v]
	p := &t.origin[w>>8]
	if *p == nil {
		*p = new([1 << 8]Cell)
	}
	o := &(*p)[w&0xFF]
	t.merged = t.merged || *o != 0 && *o != refBit|v
	*o = refBit | v
	return w
}

func (t *translation) cells(at, n int) {
	for i := at; i < at+n; i++ {
		t.to.data[i] = t.cell(t.from.data[i])
	}
}

// block translates the row headers at o and the rows they refer to. The list ends
// where the first row of the first block starts.
func (t *translation) block(o int, listed bool) bool {
	d := t.from.data
	if len(d) == ChunkCells {
		return listed
	}
	for i, h := range d[o : o+ChunkEdge] {
		if h < refBit {
			t.to.data[o+i] = t.cell(h)
			continue
		}
		r := int(h &^ refBit)
		if !listed {
			t.cells(0, r)
			listed = true
		}
		if d[r]&1 != 0 {
			t.cells(r+2, bits.OnesCount32(rowMask(d, r)))
		}
	}
	return listed
}

// rebuild is Translate row by row.
func (c *Chunk) rebuild(table []Cell) *Chunk {
	var b ChunkBuilder
	var buf [64]Cell
	var row [ChunkEdge]Cell
	for y := range ChunkEdge {
		changed := c.Changed(y)
		for m := changed; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			for x, v := range c.Row(y, z, &buf) {
				row[x] = table[v]
			}
			b.heads[z] = b.head(&row)
		}
		b.endSlice(ChunkEdge, changed)
	}
	return b.Chunk()
}
