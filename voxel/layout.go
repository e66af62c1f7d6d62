package voxel

import (
	"math/bits"
	"slices"
)

// maxBytes is the most cells that a chunk lists for rows of byte values: as many as
// a kernel looks up at once. A limit of 256 makes terrain 7 % smaller and does not
// change maps.
const maxBytes = 64

// layout holds what a ChunkBuilder needs to place staged rows. Between chunks it is empty
// but keeps its memory.
type layout struct {
	numbers [1 << 7]*[1 << 8]uint16 // by the halves of a cell: 1 + its index in seen
	seen    []Cell                  // cells of runs, in order of first appearance
	listed  []uint16                // by run, as vals: the index of its cell in the list, or an index beyond the list
	runs    []uint16                // by index in seen: the number of runs with that cell
	out     []Cell
	at      []Cell // headers of the staged rows, then of the blocks
}

// place returns the data of a chunk with these slice headers. Unless data is flat,
// it replaces the indexes in the headers by offsets.
func (b *ChunkBuilder) place(slices []Cell) []Cell {
	l := &b.layout
	b.list()
	b.encode()
	if len(l.out) >= ChunkCells {
		return b.flat()
	}
	for y, h := range slices {
		if h >= refBit {
			slices[y] = l.at[len(b.rows)+int(h&^refBit)]
		}
	}
	return padForReads(l.out)
}

// padForReads returns a copy of data with capacity for a whole list, which the kernels read whatever the
// length of data; nil for no data.
func padForReads(data []Cell) []Cell {
	if len(data) == 0 {
		return nil
	}
	return append(slices.Grow([]Cell(nil), max(len(data), maxBytes)), data...)
}

// list starts out with the cells that rows of byte values may use: all cells of
// runs, or the most frequent, or none if that is shorter.
func (b *ChunkBuilder) list() {
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

// number returns the index of v in seen.
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

// rank puts the cells with the most runs first, as many as can be listed. The
// earlier of equals comes first. All others get one index beyond the list. A count
// stops at maxBytes-1 runs.
func (l *layout) rank() {
	l.runs = slices.Grow(l.runs[:0], len(l.seen))[:len(l.seen)]
	clear(l.runs)
	for _, n := range l.listed {
		l.runs[n] = min(l.runs[n]+1, maxBytes-1)
	}
	least, room := l.threshold()
	place := uint16(0)
	for i, runs := range l.runs {
		if runs == least {
			room--
		}
		if runs < least || runs == least && room < 0 {
			l.runs[i] = maxBytes
			continue
		}
		l.seen[place] = l.seen[i]
		l.runs[i] = place
		place++
	}
	for i, n := range l.listed {
		l.listed[i] = l.runs[n]
	}
}

// threshold returns the least number of runs that puts a cell in the list, and how
// many cells with that number fit.
func (l *layout) threshold() (least uint16, room int) {
	var often [maxBytes]int
	for _, runs := range l.runs {
		often[runs]++
	}
	least, room = maxBytes-1, maxBytes
	for room > often[least] {
		room -= often[least]
		least--
	}
	return least, room
}

// saved returns how many cells of data the list saves, without its own size, and
// marks the rows that can use it.
func (b *ChunkBuilder) saved() int {
	all := len(b.layout.seen) <= maxBytes
	n := 0
	for i := range b.rows {
		r := &b.rows[i]
		r.listed = all || b.listed(r)
		if r.listed {
			n += r.runs() / 2
		}
	}
	return n
}

func (b *ChunkBuilder) cells(r stagedRow) []Cell { return b.vals[r.at:][:r.runs()] }

// listed reports whether every cell of the row is in the list.
func (b *ChunkBuilder) listed(r *stagedRow) bool {
	for _, n := range b.layout.listed[r.at:][:r.runs()] {
		if n >= maxBytes {
			return false
		}
	}
	return true
}

// encode appends rows and blocks to out. It stops when offsets get too large.
func (b *ChunkBuilder) encode() {
	l := &b.layout
	l.at = l.at[:0]
	list := len(l.out) > 0
	for _, r := range b.rows {
		l.at = append(l.at, refBit|Cell(len(l.out)))
		if list && r.listed {
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
		l.at = append(l.at, refBit|Cell(len(l.out)))
		for _, h := range b.blocks[i].heads[:b.blocks[i].edge] {
			if h >= refBit {
				h = l.at[h&^refBit]
			}
			l.out = append(l.out, h)
		}
	}
}

// encodeMask appends 32 bits for rows of chunks, 16 for rows of mips.
func (b *ChunkBuilder) encodeMask(mask uint32) {
	b.layout.out = append(b.layout.out, Cell(mask))
	if !b.narrow {
		b.layout.out = append(b.layout.out, Cell(mask>>16))
	}
}

func (b *ChunkBuilder) encodeBytes(r stagedRow) {
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
func (b *ChunkBuilder) flat() []Cell {
	var buf [64]Cell
	d := make([]Cell, 0, ChunkCells)
	for _, h := range b.slices {
		heads := &filled[h&^refBit]
		if h >= refBit {
			heads = &b.blocks[h&^refBit].heads
		}
		for _, h := range heads {
			if h < refBit {
				d = append(d, filled[h][:]...)
			} else {
				b.expand(b.rows[h&^refBit], &buf)
				d = append(d, buf[:ChunkEdge]...)
			}
		}
	}
	return d
}

// expand writes a staged row to the first cells of buf.
func (b *ChunkBuilder) expand(r stagedRow, buf *[64]Cell) {
	m := r.mask
	for _, v := range b.cells(r) {
		copy(buf[bits.TrailingZeros32(m):], filled[v][:])
		m &= m - 1
	}
}
