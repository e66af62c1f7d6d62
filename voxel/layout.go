package voxel

import (
	"math/bits"
	"slices"
)

// maxBytes is how many cells a chunk can list for rows of byte values.
const maxBytes = 256

// layout is what a Builder needs to put staged rows in their places; all of it
// is empty between chunks but for the memory.
type layout struct {
	pages [1 << 7]*[1 << 8]tally // by the halves of a cell
	seen  []Cell                 // cells of runs, in order of first appearance
	out   []Cell
	at    []Cell // headers of the staged rows, then of the blocks
}

// tally is how many runs of distinct rows have a cell, and 1 + its place in the
// chunk's list, if it has one.
type tally struct{ runs, place uint16 }

func (l *layout) tally(v Cell) *tally {
	p := &l.pages[v>>8]
	if *p == nil {
		*p = new([1 << 8]tally)
	}
	return &(*p)[v&0xFF]
}

// place returns data for slices and replaces the numbers in their headers by
// places, unless data is flat.
func (b *Builder) place(slices []Cell) []Cell {
	l := &b.layout
	b.list()
	b.encode()
	for _, v := range l.seen {
		*l.tally(v) = tally{}
	}
	l.seen = l.seen[:0]
	if len(l.out) >= ChunkCells {
		return b.flat()
	}
	for y, h := range slices {
		if h >= packed {
			slices[y] = l.at[len(b.rows)+int(h&^packed)]
		}
	}
	return append([]Cell(nil), l.out...)
}

// list counts the cells of runs and starts out with those that rows of byte
// values may use: the most frequent, the earlier one of two equally frequent.
func (b *Builder) list() {
	l := &b.layout
	for _, v := range b.vals {
		t := l.tally(v)
		if t.runs == 0 {
			l.seen = append(l.seen, v)
		}
		if t.runs < 1<<16-1 {
			t.runs++
		}
	}
	l.out = append(l.out[:0], l.seen...)
	if len(l.out) > maxBytes {
		slices.SortStableFunc(l.out, func(v, w Cell) int {
			return int(l.tally(w).runs) - int(l.tally(v).runs)
		})
		l.out = l.out[:maxBytes]
	}
	for i, v := range l.out {
		l.tally(v).place = uint16(i + 1)
	}
	if b.saved() <= len(l.out) {
		for _, v := range l.out {
			l.tally(v).place = 0
		}
		l.out = l.out[:0]
	}
}

// saved returns how many cells of data the list saves, not counting itself.
func (b *Builder) saved() int {
	n := 0
	for _, r := range b.rows {
		if b.listed(r) {
			n += r.runs() / 2
		}
	}
	return n
}

func (b *Builder) cells(r stagedRow) []Cell { return b.vals[r.at:][:r.runs()] }

// listed reports whether every cell of the row has a place in the list.
func (b *Builder) listed(r stagedRow) bool {
	for _, v := range b.cells(r) {
		if b.layout.pages[v>>8][v&0xFF].place == 0 {
			return false
		}
	}
	return true
}

// encode appends rows and blocks to out, unless that gets too long to address.
func (b *Builder) encode() {
	l := &b.layout
	l.at = l.at[:0]
	for _, r := range b.rows {
		l.at = append(l.at, packed|Cell(len(l.out)))
		if b.listed(r) {
			b.encodeBytes(r)
		} else {
			b.encodeMask(r.mask)
			l.out = append(l.out, b.cells(r)...)
		}
		if len(l.out) >= ChunkCells {
			return
		}
	}
	for i := range b.blocks {
		l.at = append(l.at, packed|Cell(len(l.out)))
		for _, h := range b.blocks[i].heads[:b.blocks[i].edge] {
			if h >= packed {
				h = l.at[h&^packed]
			}
			l.out = append(l.out, h)
		}
	}
}

// encodeMask appends 32 bits for rows of chunks, 16 for rows of mips.
func (b *Builder) encodeMask(mask uint32) {
	b.layout.out = append(b.layout.out, Cell(mask))
	if !b.narrow {
		b.layout.out = append(b.layout.out, Cell(mask>>16))
	}
}

func (b *Builder) encodeBytes(r stagedRow) {
	l := &b.layout
	b.encodeMask(r.mask &^ 1)
	for i, v := range b.cells(r) {
		p := Cell(l.tally(v).place - 1)
		if i&1 == 0 {
			l.out = append(l.out, p)
		} else {
			l.out[len(l.out)-1] |= p << 8
		}
	}
}

// flat returns the cells of the staged chunk.
func (b *Builder) flat() []Cell {
	var buf [64]Cell
	d := make([]Cell, 0, ChunkCells)
	for _, h := range b.slices {
		heads := &filled[h&^packed]
		if h >= packed {
			heads = &b.blocks[h&^packed].heads
		}
		for _, h := range heads {
			if h < packed {
				d = append(d, filled[h][:]...)
			} else {
				b.expand(b.rows[h&^packed], &buf)
				d = append(d, buf[:ChunkEdge]...)
			}
		}
	}
	return d
}

// expand writes a staged row to the first cells of buf.
func (b *Builder) expand(r stagedRow, buf *[64]Cell) {
	m := r.mask
	for _, v := range b.cells(r) {
		copy(buf[bits.TrailingZeros32(m):], filled[v][:])
		m &= m - 1
	}
}
