package voxel

import (
	"math/bits"
	"slices"
)

// planeCells is how many cells of data a row of planes is read with: as many
// are there for every one, though a row of one plane is shorter.
const planeCells = 6

// planeRow is a row of planes and maybe what follows it.
type planeRow [planeCells]Cell

// parts returns both planes, the second one 0 if there is but one, and the
// bytes of four numbers, the first lowest.
func (r *planeRow) parts() (lo, hi, values uint32) {
	two := -uint32(r[0] & 1)
	next := uint32(r[2]) | uint32(r[3])<<16
	last := uint32(r[4]) | uint32(r[5])<<16
	return (uint32(r[0]) | uint32(r[1])<<16) &^ 1, next & two, next ^ (next^last)&two
}

// changes returns the changes of the row, bit 0 set.
func (r *planeRow) changes() uint32 {
	lo, hi, _ := r.parts()
	return (lo ^ lo<<1) | (hi ^ hi<<1) | 1
}

// lanes has for eight bits eight cells in two words, all ones where a bit is
// set.
var lanes = fillLanes()

func fillLanes() (out [256][2]uint64) {
	for bits := range out {
		for x := range 8 {
			out[bits][x>>2] |= uint64(bits>>x&1) * 0xFFFF << (x & 3 * 16)
		}
	}
	return out
}

// four returns a word of four cells v.
func four(v Cell) uint64 { return uint64(v) * 0x0001000100010001 }

// spread writes the row of planes r in data d to buf: a cell is a, changed to
// another one by the bits of its number. It takes eight cells at a time and has
// no branch that depends on the row.
func spread(d []Cell, r *planeRow, buf *[64]Cell) []Cell {
	lo, hi, values := r.parts()
	a := four(d[values&0xFF])
	b := a ^ four(d[values>>8&0xFF])
	c := a ^ four(d[values>>16&0xFF])
	e := b ^ c ^ a ^ four(d[values>>24])
	for x := 0; x < ChunkEdge; x += 8 {
		p, q := &lanes[lo&255], &lanes[hi&255]
		v := a ^ p[0]&b ^ q[0]&(c^p[0]&e)
		w := a ^ p[1]&b ^ q[1]&(c^p[1]&e)
		s := (*[8]Cell)(buf[x : x+8])
		s[0], s[1], s[2], s[3] = Cell(v), Cell(v>>16), Cell(v>>32), Cell(v>>48)
		s[4], s[5], s[6], s[7] = Cell(w), Cell(w>>16), Cell(w>>32), Cell(w>>48)
		lo >>= 8
		hi >>= 8
	}
	return buf[:ChunkEdge]
}

// encodePlanes appends a row of planes, unless the row has more than four cells
// or is one of a mip. All its cells must be in the list.
func (b *Builder) encodePlanes(r stagedRow) bool {
	places := b.layout.listed[r.at:][:r.runs()]
	var values [4]uint16
	var lo, hi uint32
	last, count := 0, 0
	for _, place := range places {
		n := slices.Index(values[:count], place)
		if n < 0 {
			n = count
			if b.narrow || n == len(values) {
				return false
			}
			values[n] = place
			count++
		}
		rest := uint32(1<<32-1) << bits.TrailingZeros32(r.mask)
		r.mask &= r.mask - 1
		lo ^= rest & -uint32((n^last)&1)
		hi ^= rest & -uint32((n^last)>>1)
		last = n
	}
	l := &b.layout
	l.last = len(l.out)
	first := Cell(values[0] | values[1]<<8)
	if count <= 2 {
		l.out = append(l.out, Cell(lo), Cell(lo>>16), first, 0)
	} else {
		l.out = append(l.out, Cell(lo|1), Cell(lo>>16), Cell(hi), Cell(hi>>16), first, Cell(values[2]|values[3]<<8))
	}
	return true
}
