package codec_test

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// slowOdd are p and n of stone/FORMAT.md section 5.5.
type slowOdd struct{ p, n uint64 }

// slowOdds reads the form Odds the obvious way, as section 5.5 says: columns are cells,
// not runs.
type slowOdds struct {
	words      []uint32 // to come, with the one that is not stored
	code, span uint64
	named      map[[6]int]*slowOdd // by letter and brackets
	c, h       []slowOdd
	s          int // bits of a place in h
	cells      int // in the table
	numbered   []slowColumn
	south      map[int]int
	east       map[int]int
	found      int
	changes    int
	bytes      int // of the stream
	towers     []slowField
}

// slowColumn is ranks from the base of its tower up.
type slowColumn struct {
	ranks []int
	base  int
	last  int // height of the topmost change
}

type slowField struct {
	at     [2]int32
	base   int
	number [towerColumns]int
}

// at returns the rank at a height above a base.
func (c slowColumn) at(y, base int) int {
	return c.ranks[min(max(y+base-c.base, 0), len(c.ranks)-1)]
}

// next returns where the column changes above y, top if not below it.
func (c slowColumn) next(y, base, top int) int {
	for above := y + 1; above < top; above++ {
		if c.at(above, base) != c.at(above-1, base) {
			return above
		}
	}
	return top
}

func (s *slowOdds) odds(key ...int) *slowOdd {
	var k [6]int
	copy(k[:], key)
	if s.named[k] == nil {
		s.named[k] = &slowOdd{1 << 15, 0}
	}
	return s.named[k]
}

func (s *slowOdds) word() uint64 {
	if len(s.words) == 0 {
		panic(errSlow)
	}
	w := s.words[0]
	s.words = s.words[1:]
	return uint64(w)
}

func (s *slowOdds) scale() {
	if s.span < 1<<32 {
		s.span, s.code = s.span<<32, s.code<<32+s.word()
	}
}

func (s *slowOdds) bit(o *slowOdd) int {
	low, r, bit := o.p*(s.span>>16), (1<<17)/(2*o.n+3), 0
	if s.code < low {
		s.span, bit = low, 1
		o.p += (65536 - o.p) * r >> 16
	} else {
		s.code, s.span = s.code-low, s.span-low
		o.p -= o.p * r >> 16
	}
	o.n = min(o.n+1, 63)
	s.scale()
	return bit
}

func (s *slowOdds) plain(k int) int {
	s.span >>= k
	v := s.code / s.span
	if v >= 1<<k {
		panic(errSlow)
	}
	s.code -= v * s.span
	s.scale()
	return int(v)
}

// tree returns the bits without the 1 before them; o gives the odds of an index.
func (s *slowOdds) tree(o func(i int) *slowOdd, k int) int {
	v := 1
	for range k {
		v = v*2 + s.bit(o(v))
	}
	return v - 1<<k
}

func (s *slowOdds) tail(o func(i int) *slowOdd, k int) int {
	first := min(k, 3)
	v := 1<<first + s.tree(o, first)
	if k > 3 {
		v = v<<(k-3) + s.plain(k-3)
	}
	return v
}

func (s *slowOdds) number(o func(i int) *slowOdd) int {
	k := 0
	for k < 11 && s.bit(o(k)) == 1 {
		k++
	}
	return s.tail(func(i int) *slowOdd { return o(16 + 8*k + i) }, k) - 1
}

func (s *slowOdds) slot(tag, a, b, c int) func(i int) *slowOdd {
	k := (uint64(tag) + uint64(a)<<4 + uint64(b)<<20 + uint64(c)<<36) * 0x9E3779B97F4A7C15
	at := int(k>>(64-s.s)) / 16 * 16
	return func(i int) *slowOdd { return &s.h[at+i] }
}

func (s *slowOdds) cell(c, i int) *slowOdd { return &s.c[(c+1)%256*128+i] }

func is(b bool) int {
	if b {
		return 1
	}
	return 0
}

// beside returns the number of the column at x and z, of the tower under way or the
// last one there.
func (s *slowOdds) beside(now *slowField, x, z int32) int {
	for i := len(s.towers) - 1; i >= 0; i-- {
		if st := &s.towers[i]; st.at == [2]int32{x >> 5, z >> 5} && st != now {
			return st.number[z&31*32+x&31]
		}
	}
	return 0
}

// tower reads the numbers of a tower's columns.
func (s *slowOdds) tower(at geom.ChunkPos, height int) *slowField {
	now := &slowField{at: [2]int32{at.X, at.Z}, base: 32 * (int(at.Y) + 1 - height)}
	get := func(x, z int) int {
		switch {
		case x >= 0 && x < 32 && z >= 0:
			return now.number[z*32+x]
		case x >= 32 && z >= 0:
			return 0
		}
		return s.beside(now, at.X*32+int32(x), at.Z*32+int32(z))
	}
	was := 0
	for z := range 32 {
		if was = s.bit(s.odds('R', was)); was == 1 {
			for x := range 32 {
				now.number[z*32+x] = get(x, z-1)
			}
			continue
		}
		for x := range 32 {
			now.number[z*32+x] = s.column(now, x, z, height*32, get(x-1, z), get(x, z-1), get(x-1, z-1))
		}
	}
	s.towers = append(s.towers, *now)
	return now
}

func (s *slowOdds) column(now *slowField, x, z, top, w, n, nw int) int {
	if w == n {
		if s.bit(s.odds('A', is(nw == w), s.found)) == 1 {
			return w
		}
	} else {
		side, first, other := 0, w, n
		if w == nw {
			side, first, other = 1, n, w
		} else if n == nw {
			side = 2
		}
		if s.bit(s.odds('B', side, s.found)) == 1 {
			return first
		}
		if s.bit(s.odds('D', side, s.found)) == 1 {
			return other
		}
	}
	number := s.apart(now, x, z, top, w, n)
	s.south[n], s.east[w] = number, number
	return number
}

func (s *slowOdds) apart(now *slowField, x, z, top, w, n int) int {
	south, east := s.south[n], s.east[w]
	fresh := func(g int) bool { return g != 0 && g != w && g != n }
	if fresh(south) && s.bit(s.odds('G', 0)) == 1 {
		return south
	}
	if fresh(east) && east != south && s.bit(s.odds('G', 1)) == 1 {
		return east
	}
	if s.bit(s.odds('E', s.found)) == 1 {
		s.found = 0
		k := s.tree(func(i int) *slowOdd { return s.odds('K', i) }, 4)
		back := s.tail(func(i int) *slowOdd { return s.odds('T', k, i) }, k)
		if back > len(s.numbered) {
			panic(errSlow)
		}
		return len(s.numbered) - back
	}
	s.found = 1
	// In a column beside that is of this tower, heights count from its base.
	west, north := s.numbered[w], s.numbered[n]
	west.base, north.base = now.base, now.base
	if x == 0 {
		west.base = s.baseOf(now, -1, 0)
	}
	if z == 0 {
		north.base = s.baseOf(now, 0, -1)
	}
	s.numbered = append(s.numbered, s.literal(west, north, now.base, top))
	return len(s.numbered) - 1
}

// baseOf returns the base of the last tower at a place beside the one under way, its own
// if there is none.
func (s *slowOdds) baseOf(now *slowField, dx, dz int32) int {
	for i := len(s.towers) - 1; i >= 0; i-- {
		if s.towers[i].at == [2]int32{now.at[0] + dx, now.at[1] + dz} {
			return s.towers[i].base
		}
	}
	return now.base
}

func (s *slowOdds) literal(west, north slowColumn, base, top int) slowColumn {
	c := s.value(-1, west.at(0, base), north.at(0, base), 3)
	col := slowColumn{base: base}
	how := 0
	for y := 0; ; {
		e := top
		if y < top-1 {
			e, how = s.end(y, c, how, west, north, base, top)
		}
		for len(col.ranks) < e {
			col.ranks = append(col.ranks, c)
		}
		if e == top {
			break
		}
		v := s.value(c, west.at(e, base), north.at(e, base), how)
		c, y, col.last = v, e, e
		if s.changes++; s.changes > 1<<14+64*s.bytes {
			panic(errSlow)
		}
	}
	return col
}

func (s *slowOdds) end(y, c, how int, west, north slowColumn, base, top int) (e, end int) {
	w, n := west.next(y, base, top), north.next(y, base, top)
	first, other := min(w, n), max(w, n)
	alike := 2*is(west.at(y, base) == c) + is(north.at(y, base) == c)
	o := alike + 4*how + 12*is(w < n) + 24*is(w > n)
	switch {
	case s.bit(s.cell(c, o)) == 1:
		return first, 0
	case w != n && s.bit(s.cell(c, 24+o)) == 1:
		return other, 1
	case first > y+1 && (first == top || s.bit(s.cell(c, 60+8*alike+min(first-y, 8)-1)) == 1):
		e = y + 1 + s.number(s.slot(0, c, alike, bits.Len(uint(first-y))))
	default:
		e = first + 1 + s.number(s.slot(1, c, alike, 0))
	}
	if e > top {
		panic(errSlow)
	}
	return e, 2
}

func (s *slowOdds) value(c, w, n, how int) int {
	changed := 0
	if w == c && n != c {
		w, n, changed = n, w, 1
	}
	switch {
	case w == n && w != c && s.bit(s.slot(2, c+1, w, 0)(how)) == 1:
		return w
	case w != n && s.bit(s.cell(c, 92+2*how+changed)) == 1:
		return w
	case w != n && n != c && s.bit(s.cell(c, 100+how)) == 1:
		return n
	}
	v := 1
	for left := bits.Len(uint(s.cells - 1)); left > 0; {
		k := (left-1)%4 + 1
		v = v<<k + s.tree(s.slot(3, c+1, 0, v), k)
		left -= k
	}
	v -= 1 << bits.Len(uint(s.cells-1))
	if v >= s.cells || v == c {
		panic(errSlow)
	}
	return v
}

// newSlowOdds begins to read bits, for a page of so many chunks.
func newSlowOdds(stream []byte, chunks, cells int) *slowOdds {
	s := &slowOdds{span: 1 << 32, named: map[[6]int]*slowOdd{}, cells: cells, south: map[int]int{}, east: map[int]int{}, found: 1}
	if s.bytes = len(stream); s.bytes%4 != 0 {
		panic(errSlow)
	}
	for b := stream; len(b) > 0; b = b[4:] {
		s.words = append(s.words, binary.BigEndian.Uint32(b))
	}
	s.words = append(s.words, 0)
	s.code = s.word()
	s.s = min(max(10+bits.Len(uint(chunks)), 12), 16)
	s.c = slices.Repeat([]slowOdd{{1 << 15, 0}}, 256*128)
	s.h = slices.Repeat([]slowOdd{{1 << 15, 0}}, 1<<s.s+120)
	s.numbered = []slowColumn{{ranks: []int{0}}}
	return s
}

// slowDecodeOdds returns every tower as its 1024 columns.
func slowDecodeOdds(streams [][]byte, heights []int, tops []geom.ChunkPos) (towers [][][]voxel.Cell, err error) {
	defer func() {
		if r := recover(); r == errSlow {
			err = errSlow
		} else if r != nil {
			panic(r)
		}
	}()
	if len(streams) != 2 {
		return nil, errSlow
	}
	table := (&slow{[numStreams][]byte{streamTable: streams[0]}}).table()
	chunks := 0
	for _, h := range heights {
		if h < 1 || h > codec.MaxTower {
			return nil, errSlow
		}
		chunks += h
	}
	if chunks > 0 && len(table) == 0 {
		return nil, errSlow
	}
	s := newSlowOdds(streams[1], chunks, len(table))
	for i, h := range heights {
		var columns [][]voxel.Cell
		for _, n := range s.tower(tops[i], h).number {
			col := s.numbered[n]
			if col.last >= h*voxel.ChunkEdge {
				return nil, errSlow
			}
			cells := make([]voxel.Cell, h*voxel.ChunkEdge)
			for y := range cells {
				cells[y] = table[col.ranks[min(y, len(col.ranks)-1)]]
			}
			columns = append(columns, cells)
		}
		towers = append(towers, columns)
	}
	if len(s.words) > 0 {
		return nil, errSlow
	}
	return towers, nil
}

// checkOdds compares DecodeOdds with the twin and returns the chunks.
func checkOdds(t *testing.T, streams [][]byte, heights []int, tops []geom.ChunkPos) []*voxel.Chunk {
	t.Helper()
	got, err := new(codec.Decoder).Decode(nil, codec.Odds, streams, heights, tops)
	want, slowErr := slowDecodeOdds(streams, heights, tops)
	return checkDecoded(t, heights, got, err, want, slowErr)
}
