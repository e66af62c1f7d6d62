package codec

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Images is Columns with columns that are images of others: mirrored, turned or
// moved, with some cells replaced.
const Images Form = 4

// Streams of the form Images after those of Columns.
const (
	streamImages    = numStreams // the transforms, and how each replaces cells
	numImageStreams = numStreams + 1
)

// An op of the form Images has four bits. Ops from here on are images.
const (
	opImage       = 4
	imageOpBits   = 4
	maxImageRun   = 1 << (8 - imageOpBits)
	maxTransforms = 1<<imageOpBits - opImage
	fewestImages  = 16 // the fewest columns that make a transform worth its bytes
)

// transform says where the source of an image column is.
type transform struct {
	turn uint8 // index into turns
	a, b int32 // added to x and z
}

// turns are the ways to turn and mirror. x of the source is the first two numbers
// times x and z of the image, and z the last two.
var turns = [8][4]int32{
	{1, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {-1, 0, 0, -1},
	{0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0},
}

// source returns the source of the column at x, z.
func (w transform) source(x, z int32) (int32, int32) {
	t := turns[w.turn]
	return w.a + t[0]*x + t[1]*z, w.b + t[2]*x + t[3]*z
}

func (w transform) compare(v transform) int {
	return cmp.Or(cmp.Compare(w.turn, v.turn), cmp.Compare(w.a, v.a), cmp.Compare(w.b, v.b))
}

// columnIndex finds columns by position. Towers are numbered in their order.
type columnIndex struct {
	tops  []geom.ChunkPos
	slots []int32 // by hash of a footprint: 1 + the last tower there; the length is a power of two
	last  geom.ChunkPos
	tower int32 // at the footprint of last, or -1
}

// reset makes room for that many towers.
func (p *columnIndex) reset(towers int) {
	size := 2 << bits.Len(uint(towers))
	p.slots = slices.Grow(p.slots[:0], size)[:size]
	clear(p.slots)
	p.tops = p.tops[:0]
	p.last, p.tower = geom.ChunkPos{X: math.MaxInt32}, -1
}

// slot returns the slot of a footprint: that of its tower, or an empty one.
func (p *columnIndex) slot(x, z int32) *int32 {
	const prime = 0x9E3779B97F4A7C15
	mask := uint32(len(p.slots) - 1)
	for h := uint32((uint64(uint32(x)) | uint64(uint32(z))<<32) * prime >> 32); ; h++ {
		s := &p.slots[h&mask]
		if *s == 0 {
			return s
		}
		if top := &p.tops[*s-1]; top.X == x && top.Z == z {
			return s
		}
	}
}

func (p *columnIndex) begin(top geom.ChunkPos) {
	p.tops = append(p.tops, top)
	*p.slot(top.X, top.Z) = int32(len(p.tops))
	p.last, p.tower = top, int32(len(p.tops)-1)
}

// at returns the number in the page of the column at x, z, or -1 if no tower is
// there.
func (p *columnIndex) at(x, z int32) int32 {
	if x>>5 != p.last.X || z>>5 != p.last.Z {
		p.last.X, p.last.Z = x>>5, z>>5
		p.tower = *p.slot(x>>5, z>>5) - 1
	}
	if p.tower < 0 {
		return -1
	}
	return p.tower*columns + (z&31)<<5 | x&31
}

// place returns the position of a column of the page.
func (p *columnIndex) place(n int32) (x, z int32) {
	top := &p.tops[n/columns]
	return top.X*edge + n%edge, top.Z*edge + n%columns/edge
}

// image is a transform of an encoder and how it replaces cells.
type image struct {
	transform
	to []voxel.Cell // by cell, those of the table
}

// bitset is a set of small numbers.
type bitset []uint64

// bitsetOf returns an empty bitset for n numbers in the memory of b.
func bitsetOf(b bitset, n int) bitset {
	b = slices.Grow(b[:0], n/64+1)[:n/64+1]
	clear(b)
	return b
}

func (b bitset) set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// ones returns how many consecutive numbers from i on are in the set, up to most,
// which is at most 64.
func (b bitset) ones(i, most int32) int32 {
	w := b[i>>6] >> (i & 63)
	if int(i>>6)+1 < len(b) {
		w |= b[i>>6+1] << (64 - i&63)
	}
	return min(int32(bits.TrailingZeros64(^w)), most)
}

// imageEncoder is the state of an Encoder for Images.
type imageEncoder struct {
	positions columnIndex
	set       *columnSet // of the Encoder
	ids       []int32    // of the Encoder: the index of the literal of each column of the page
	table     []voxel.Cell
	shapes    []uint32 // by literal: a hash of the heights where it changes
	left      []int32  // columns that differ from those to the west and north
	search    search
	images    []image
	can       []bitset // by op after opLiteral: the columns that may have it
	streams   [numImageStreams][]byte
	writer    imageWriter
}

// EncodeImages returns the streams of the form Images for the towers of the last
// Encode. tops are the positions of their topmost chunks. It returns nil if hardly
// any column is an image. The streams are valid until the next call; those of Encode
// stay valid.
func (e *Encoder) EncodeImages(tops []geom.ChunkPos) [][]byte {
	m := &e.images
	m.set, m.ids, m.table = &e.literals, e.ids, e.cells
	m.positions.reset(len(tops))
	for _, top := range tops {
		m.positions.begin(top)
	}
	m.unexplained()
	m.shape()
	if !m.find() {
		return nil
	}
	m.write(e)
	return m.streams[:]
}

// unexplained collects the columns that differ from those to the west and north, and
// marks those that are equal.
func (m *imageEncoder) unexplained() {
	for len(m.can) < opImage-1 {
		m.can = append(m.can, nil)
	}
	west, north := bitsetOf(m.can[opWest-1], len(m.ids)), bitsetOf(m.can[opNorth-1], len(m.ids))
	m.can[opWest-1], m.can[opNorth-1] = west, north
	m.left = m.left[:0]
	for n, id := range m.ids {
		col, like := n%columns, false
		if col%edge > 0 && m.ids[n-1] == id {
			west.set(n)
			like = true
		}
		if col >= edge && m.ids[n-edge] == id {
			north.set(n)
			like = true
		}
		if !like {
			m.left = append(m.left, int32(n))
		}
	}
}

// shape hashes the heights where literals change.
func (m *imageEncoder) shape() {
	m.shapes = m.shapes[:0]
	for i := range m.set.len() {
		const prime = 0x9E3779B97F4A7C15
		list := m.set.changes(i)
		h := (uint64(len(list)) + 1) * prime
		for _, c := range list {
			h = (h ^ h>>29 ^ uint64(c.at)) * prime
		}
		m.shapes = append(m.shapes, uint32(h>>32))
	}
}
