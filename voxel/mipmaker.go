package voxel

import "math/bits"

// mipSource is the level that the next one is made from: a chunk, or the level whose
// slices start at first in a ChunkBuilder.
type mipSource struct {
	chunk *Chunk
	b     *ChunkBuilder
	first int
}

func makeMips(c *Chunk, rule *Rule) *mips {
	b := ChunkBuilder{
		narrow: true,
		rows:   make([]stagedRow, 0, 256),
		vals:   make([]Cell, 0, 1024),
		blocks: make([]block, 0, 28),
		layout: layout{
			seen:   make([]Cell, 0, 256),
			listed: make([]uint16, 0, 1024),
			out:    make([]Cell, 0, 2048),
			at:     make([]Cell, 0, 256),
		},
	}
	b.halve(rule, mipSource{chunk: c}, ChunkEdge/2)
	b.halve(rule, mipSource{b: &b}, ChunkEdge/4)
	b.halve(rule, mipSource{b: &b, first: firstSlice[2]}, ChunkEdge/8)
	m := &mips{rule: rule}
	copy(m.slices[:], b.slices[:])
	if len(b.blocks) > 0 {
		m.data = b.place(m.slices[:])
	}
	return m
}

// halve stages the level made from src. It reuses a row that comes from the same
// four rows as the row before it or below it.
func (b *ChunkBuilder) halve(rule *Rule, src mipSource, edge int) {
	var lo, hi [ChunkEdge]Cell
	var below [ChunkEdge / 2][4]Cell
	for y := range edge {
		src.heads(2*y, &lo)
		src.heads(2*y+1, &hi)
		changed := uint32(0)
		for z := range edge {
			quad := [4]Cell{lo[2*z], lo[2*z+1], hi[2*z], hi[2*z+1]}
			switch {
			case y > 0 && quad == below[z]:
				continue
			case z > 0 && quad == below[z-1]:
				b.heads[z] = b.heads[z-1]
			default:
				b.heads[z] = b.halveRow(rule, &src, &quad)
			}
			below[z] = quad
			changed |= 1 << z
		}
		b.endSlice(edge, changed)
	}
}

// halveRow returns the header of the row made from four. It computes a cell only
// where one of the four changes.
func (b *ChunkBuilder) halveRow(rule *Rule, src *mipSource, quad *[4]Cell) Cell {
	var bufs [4][64]Cell
	var rows [4][]Cell
	changes := uint32(1)
	for i, h := range quad {
		if h < refBit {
			rows[i] = filled[h][:]
			continue
		}
		m := uint32(0)
		rows[i], m = src.expand(h, &bufs[i])
		changes |= m
	}
	var mask uint32
	last := refBit
	for m := (changes | changes<<1 | changes>>1) & 0x55555555; m != 0; m &= m - 1 {
		x := bits.TrailingZeros32(m)
		v := Downsample(rule, [8]Cell{
			rows[0][x], rows[0][x+1], rows[1][x], rows[1][x+1],
			rows[2][x], rows[2][x+1], rows[3][x], rows[3][x+1],
		})
		if v != last {
			mask |= 1 << (x / 2)
			b.vals = append(b.vals, v)
			last = v
		}
	}
	if mask == 1 {
		b.vals = b.vals[:len(b.vals)-1]
		return last
	}
	return b.intern(mask)
}

// heads writes the headers of the rows of slice y. Equal headers mean equal rows.
func (s *mipSource) heads(y int, dst *[ChunkEdge]Cell) {
	if s.chunk != nil {
		s.chunk.heads(y, dst)
	} else if h := s.b.slices[s.first+y]; h < refBit {
		*dst = filled[h]
	} else {
		*dst = s.b.blocks[h&^refBit].heads
	}
}

// expand returns the row of a header that has refBit, and its changes.
func (s *mipSource) expand(h Cell, buf *[64]Cell) ([]Cell, uint32) {
	if s.chunk != nil {
		return s.chunk.expand(h, buf)
	}
	r := s.b.rows[h&^refBit]
	s.b.expand(r, buf)
	return buf[:ChunkEdge], r.mask
}

func (c *Chunk) heads(y int, dst *[ChunkEdge]Cell) {
	h := c.slices[y]
	switch {
	case h < refBit:
		*dst = filled[h]
	case len(c.data) == ChunkCells:
		for z := range dst {
			dst[z] = refBit | Cell(y*ChunkEdge+z)
		}
	default:
		copy(dst[:], c.data[h&^refBit:])
	}
}

func (c *Chunk) expand(h Cell, buf *[64]Cell) ([]Cell, uint32) {
	o := int(h &^ refBit)
	if len(c.data) == ChunkCells {
		row := c.data[o*ChunkEdge:][:ChunkEdge]
		return row, changes((*[ChunkEdge]Cell)(row))
	}
	return expand(c.data, o, buf), rowMask(c.data, o) | 1
}
