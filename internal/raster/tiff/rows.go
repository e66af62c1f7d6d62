package tiff

import (
	"encoding/binary"
	"slices"
)

// expanded reports whether values become other numbers of more bytes.
func (l *layout) expanded() bool { return l.bits < 8 || l.photometric == palette }

// put writes a row of a segment, as it is stored, to its place in a row of a block. A plane fills one
// sample of each pixel. The row is overwritten.
func (m *image) put(dst, row []byte, plane int, w *work) {
	n, size := m.samples/m.planes, m.kind.Size() // samples of a pixel that are in the row
	m.restore(row, n, size, w)
	if m.format == signed { // of 16 bits
		for i := 0; i < len(row); i += 2 {
			v := max(int16(binary.LittleEndian.Uint16(row[i:])), 0)
			binary.LittleEndian.PutUint16(row[i:], uint16(v<<1|v>>14))
		}
	}
	if m.expanded() {
		w.row = slices.Grow(w.row[:0], len(dst)/m.planes)[:len(dst)/m.planes]
		m.expand(w.row, row)
		row = w.row
	}
	if m.photometric == whiteIsZero && plane == 0 {
		for i := range row {
			if i%(n*size) < size { // not alpha
				row[i] ^= 0xFF
			}
		}
	}
	if m.planes == 1 {
		copy(dst, row)
		return
	}
	for i, at := 0, plane*size; at < len(dst); i, at = i+size, at+m.planes*size {
		copy(dst[at:at+size], row[i:i+size])
	}
}

// expand writes the numbers, or the colours, that values of at most 8 bits stand for.
func (m *image) expand(dst, row []byte) {
	scale := byte(0xFF / (1<<m.bits - 1))
	for i := 0; len(dst) > 0; i += m.bits {
		v := row[i/8] << (i % 8) >> (8 - m.bits)
		if m.photometric == palette {
			dst = dst[copy(dst, m.palette[3*int(v):][:3]):]
		} else {
			dst[0], dst = v*scale, dst[1:]
		}
	}
}

// restore undoes the predictor of a row and turns its numbers little-endian. A pixel has n samples.
func (m *image) restore(row []byte, n, size int, w *work) {
	if m.predictor == floatDifferences {
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
		w.row = append(w.row[:0], row...)
		planes := len(row) / size // the most significant bytes of all numbers are first
		for i := range planes {
			for b := range size {
				row[i*size+b] = w.row[(size-1-b)*planes+i]
			}
		}
		return
	}
	if m.bigEndian {
		for i := 0; size > 1 && i < len(row); i += size {
			slices.Reverse(row[i : i+size])
		}
	}
	if m.predictor == differences {
		sum(row, n, size)
	}
}

// sum adds each number of a row to the one of the same sample in the next pixel.
func sum(row []byte, n, size int) {
	switch size {
	case 1:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 2:
		for i := 2 * n; i < len(row); i += 2 {
			binary.LittleEndian.PutUint16(row[i:], binary.LittleEndian.Uint16(row[i:])+binary.LittleEndian.Uint16(row[i-2*n:]))
		}
	case 4:
		for i := 4 * n; i < len(row); i += 4 {
			binary.LittleEndian.PutUint32(row[i:], binary.LittleEndian.Uint32(row[i:])+binary.LittleEndian.Uint32(row[i-4*n:]))
		}
	}
}
