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
	numbers [1 << 7]*[1 << 8]uint16 // by the halves of a cell: 1 + its place in seen
	seen    []Cell                  // cells of runs, in order of first appearance
	listed  []uint16                // by run, as vals: the place of its cell in the list, or more than that has
	out     []Cell
	at      []Cell // headers of the staged rows, then of the blocks
}

// place returns data for slices and replaces the numbers in their headers by
// places, unless data is flat.
func (b *Builder) place(slices []Cell) []Cell {
	l := &b.layout
	b.list()
	b.encode()
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

// list starts out with the cells that rows of byte values may use: all that
// runs have, or the most frequent, or none if that is shorter.
func (b *Builder) list() {
	l := &b.layout
	l.seen, l.listed = l.seen[:0], l.listed[:0]
	for _, v := range b.vals {
		l.listed = append(l.listed, l.number(v))
	}
	for _, v := range l.seen {
		l.numbers[v>>8][v&0xFF] = 0
	}
	if len(l.seen) > maxBytes {
		l.rank()
	}
	l.out = append(l.out[:0], l.seen[:min(len(l.seen), maxBytes)]...)
	if b.saved() <= len(l.out) {
		l.out = l.out[:0]
	}
}

// number returns the place of v in seen.
func (l *layout) number(v Cell) uint16 {
	page := &l.numbers[v>>8]
	if *page == nil {
		*page = new([1 << 8]uint16)
	}
	n := &(*page)[v&0xFF]
	if *n == 0 {
		l.seen = append(l.seen, v)
		*n = uint16(len(l.seen))
	}
	return *n - 1
}

// rank sorts seen by how many runs have a cell, the earlier of equals first.
func (l *layout) rank() {
	runs := make([]int, len(l.seen))
	for _, n := range l.listed {
		runs[n]++
	}
	order := make([]int, len(l.seen))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return runs[j] - runs[i] })
	seen := slices.Clone(l.seen)
	places := make([]uint16, len(order))
	for place, i := range order {
		l.seen[place] = seen[i]
		places[i] = uint16(place)
	}
	for i, n := range l.listed {
		l.listed[i] = places[n]
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

// listed reports whether every cell of the row is in the list.
func (b *Builder) listed(r stagedRow) bool {
	if len(b.layout.seen) <= maxBytes {
		return true
	}
	for _, n := range b.layout.listed[r.at:][:r.runs()] {
		if n >= maxBytes {
			return false
		}
	}
	return true
}

// encode appends rows and blocks to out, unless that gets too long to address.
func (b *Builder) encode() {
	l := &b.layout
	l.at = l.at[:0]
	list := len(l.out) > 0
	for _, r := range b.rows {
		l.at = append(l.at, packed|Cell(len(l.out)))
		if list && b.listed(r) {
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
	places := l.listed[r.at:][:r.runs()]
	for len(places) > 1 {
		l.out = append(l.out, Cell(places[0]|places[1]<<8))
		places = places[2:]
	}
	if len(places) > 0 {
		l.out = append(l.out, Cell(places[0]))
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
