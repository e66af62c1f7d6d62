package codec

import (
	"cmp"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Images is Columns with columns that are images of others: mirrored, turned or
// moved, with cells replaced by what they are there.
const Images Form = 4

// Streams of the form Images behind those of Columns.
const (
	streamImages    = numStreams // ways, and what they make of cells
	numImageStreams = numStreams + 1
)

// An op of the form Images has four bits; those from here on are images.
const (
	opImage      = 4
	imageOpBits  = 4
	maxImageRun  = 1 << (8 - imageOpBits)
	maxWays      = 1<<imageOpBits - opImage
	fewestImages = 16 // columns that make a way worth having
)

// way says where the column lies that one is the image of.
type way struct {
	turn uint8 // index into turns
	a, b int32 // added to x and z
}

// turns are the ways to turn and mirror: x and z of the source are the first two
// times x and z of the image, and the second two times.
var turns = [8][4]int32{
	{1, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {-1, 0, 0, -1},
	{0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, -1, 0}, {0, -1, -1, 0},
}

// source returns where the column at x, z has its source.
func (w way) source(x, z int32) (int32, int32) {
	t := turns[w.turn]
	return w.a + t[0]*x + t[1]*z, w.b + t[2]*x + t[3]*z
}

func (w way) compare(v way) int {
	return cmp.Or(cmp.Compare(w.turn, v.turn), cmp.Compare(w.a, v.a), cmp.Compare(w.b, v.b))
}

// plan finds columns by where they are. Stacks are numbered in their order.
type plan struct {
	tops   []geom.ChunkPos
	stacks map[foot]int32 // the last one begun
}

func (p *plan) reset() {
	if p.stacks == nil {
		p.stacks = map[foot]int32{}
	}
	clear(p.stacks)
	p.tops = p.tops[:0]
}

func (p *plan) begin(top geom.ChunkPos) {
	p.stacks[foot{top.X, top.Z}] = int32(len(p.tops))
	p.tops = append(p.tops, top)
}

// at returns the number of the column at x, z among all of the page, -1 if no stack
// is there.
func (p *plan) at(x, z int32) int32 {
	s, ok := p.stacks[foot{x >> 5, z >> 5}]
	if !ok {
		return -1
	}
	return s*columns + (z&31)<<5 | x&31
}

// place returns where a column of the page is.
func (p *plan) place(n int32) (x, z int32) {
	top := p.tops[n/columns]
	return top.X*edge + n%edge, top.Z*edge + n%columns/edge
}

// image is a way that an encoder knows, and what becomes of cells there.
type image struct {
	way
	to map[voxel.Cell]voxel.Cell // those that change
}

func (m *image) cell(c voxel.Cell) voxel.Cell {
	if to, ok := m.to[c]; ok {
		return to
	}
	return c
}

// imageEncoder is what an Encoder needs for Images.
type imageEncoder struct {
	plan    plan
	set     columnSet        // distinct columns
	byHash  map[uint64]int32 // the last of them
	chain   []int32          // the one before with that hash, -1 if none
	shapes  []int32          // by distinct column: a number for where it changes
	ids     []int32          // of each column of the page, in order: a distinct one
	images  []image
	streams [numImageStreams][]byte
}

// EncodeImages returns the streams of the form Images for stacks whose topmost
// chunks are at tops. The streams are valid until the next call.
func (e *Encoder) EncodeImages(stacks []Stack, tops []geom.ChunkPos) [][]byte {
	m := &e.images
	m.reset()
	for i, s := range stacks {
		e.sweep(s)
		e.sort()
		m.plan.begin(tops[i])
		m.note(e)
	}
	m.find()
	m.write(e)
	return m.streams[:]
}

func (m *imageEncoder) reset() {
	m.plan.reset()
	m.set.reset()
	if m.byHash == nil {
		m.byHash = map[uint64]int32{}
	}
	clear(m.byHash)
	m.chain, m.shapes, m.ids, m.images = m.chain[:0], m.shapes[:0], m.ids[:0], nil
	for i := range m.streams {
		m.streams[i] = m.streams[i][:0]
	}
}

// note numbers the columns of the stack under way.
func (m *imageEncoder) note(e *Encoder) {
	for col := range columns {
		first, list := e.first[col], e.cols[e.start[col]:e.start[col+1]]
		if col > 0 {
			if last := m.ids[len(m.ids)-1]; m.set.equal(last, first, list) {
				m.ids = append(m.ids, last)
				continue
			}
		}
		m.ids = append(m.ids, m.intern(first, list))
	}
}

func (m *imageEncoder) intern(first voxel.Cell, list []change) int32 {
	h := hashOf(first, list)
	last, ok := m.byHash[h]
	for i := last; ok && i >= 0; i = m.chain[i] {
		if m.set.equal(i, first, list) {
			return i
		}
	}
	if !ok {
		last = -1
	}
	i := m.set.add(first, list)
	m.byHash[h] = i
	m.chain = append(m.chain, last)
	return i
}

// shape numbers distinct columns by where they change.
func (m *imageEncoder) shape() (count int32) {
	known := map[uint64]int32{}
	for i := range m.set.len() {
		const prime = 0x9E3779B97F4A7C15
		h := uint64(prime)
		for _, c := range m.set.changes(i) {
			h = (h ^ h>>29 ^ uint64(c.at)) * prime
		}
		n, ok := known[h]
		if !ok {
			n = int32(len(known))
			known[h] = n
		}
		m.shapes = append(m.shapes, n)
	}
	return int32(len(known))
}
