package codec

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// oddsEncoder is the state of an Encoder for the form Odds.
type oddsEncoder struct {
	model   oddsModel
	bits    oddsWriter
	field   pageMap
	beside  walkers
	set     columnSet // literals of the Encoder, with ranks for cells
	numbers []int32   // of the literals; none if it has no number
	ids     []int32   // by number: the index of the literal; the number of literals if there is none
	width   int       // bits of a rank
	changes int       // of columns that are literals in this form
	streams [oddsStreams][]byte
}

// EncodeOdds returns the streams of the form Odds for the towers of the last Encode.
// tops are the positions of their topmost chunks. It returns false if the streams
// would have too few bytes for the number of runs. They are valid until the next
// call; those of Encode stay valid.
func (e *Encoder) EncodeOdds(tops []geom.ChunkPos) ([][]byte, bool) {
	chunks := 0
	for _, h := range e.heights {
		chunks += h
	}
	r := &e.odds
	r.begin(e, chunks)
	for i, h := range e.heights {
		r.field.begin(tops[i], h)
		r.tower(e.ids[i*columns:][:columns])
	}
	r.streams = [oddsStreams][]byte{appendAscending(r.streams[oddsTable][:0], e.cells), r.bits.end()}
	return r.streams[:], r.changes <= mostChanges(len(r.streams[oddsBits]))
}

func (r *oddsEncoder) begin(e *Encoder, chunks int) {
	r.model.reset(len(e.cells), chunks)
	r.bits.reset()
	r.field.reset(len(e.heights))
	r.copy(&e.literals, e.ranks)
	r.width, r.changes = rankBits(len(e.cells)), 0
	r.numbers = append(r.numbers[:0], make([]int32, r.set.len())...)
	r.ids = append(r.ids[:0], r.lowest())
	if r.ids[0] == r.set.len() {
		r.set.add(0, nil)
	}
}

// copy copies columns with ranks in place of cells.
func (r *oddsEncoder) copy(s *columnSet, ranks []uint16) {
	r.set.reset()
	r.set.first = append(r.set.first, s.first...)
	r.set.start = append(r.set.start[:0], s.start...)
	r.set.list = append(r.set.list, s.list...)
	for i, c := range r.set.first {
		r.set.first[i] = voxel.Cell(ranks[c])
	}
	for i := range r.set.list {
		r.set.list[i].cell = voxel.Cell(ranks[r.set.list[i].cell])
	}
}

// lowest returns the index of the literal that is all of the first rank, or the
// number of literals.
func (r *oddsEncoder) lowest() int32 {
	for i := range r.set.len() {
		if r.set.first[i] == 0 && len(r.set.changes(i)) == 0 {
			return i
		}
	}
	return r.set.len()
}

// tower writes the columns of a tower. ids are the indexes of their literals.
func (r *oddsEncoder) tower(ids []int32) {
	same := false
	for z := range edge {
		row, north := r.field.around.row(z)
		o := rowOdds
		if same {
			o++
		}
		same = r.equal(north[1:edge+1], ids[z*edge:])
		if r.bits.bit(&r.model.columns[o], same); same {
			copy(row[1:edge+1], north[1:])
		} else {
			r.row(row, north, ids[z*edge:], z)
		}
	}
	r.field.end()
}

// equal reports whether the numbers are those of the literals.
func (r *oddsEncoder) equal(numbers, ids []int32) bool {
	for i, n := range numbers {
		if r.ids[n] != ids[i] {
			return false
		}
	}
	return true
}

func (r *oddsEncoder) row(row, north *[windowEdge]int32, ids []int32, z int) {
	m := &r.model
	for x := range edge {
		w, n, id := row[x], north[x+1], ids[x]
		first, other, o := m.beside(w, n, north[x])
		switch {
		case r.is(first, id, o):
			row[x+1] = first
		case first != other && r.is(other, id, o+otherOdds-firstOdds):
			row[x+1] = other
		default:
			row[x+1] = r.apart(id, w, n, x, z)
			m.note(w, n, row[x+1])
		}
	}
}

// is writes whether a number is that of a literal, and returns it.
func (r *oddsEncoder) is(number, id int32, o int) bool {
	is := r.ids[number] == id
	r.bits.bit(&r.model.columns[o], is)
	return is
}

// apart writes a column that differs from west and north, and returns its number.
func (r *oddsEncoder) apart(id, w, n int32, x, z int) int32 {
	m := &r.model
	south, east := m.guesses(w, n)
	switch {
	case south != none && r.is(south, id, southOdds):
		return south
	case east != none && r.is(east, id, eastOdds):
		return east
	}
	number := r.numbers[id]
	back := number != none && len(r.ids)-int(number) <= maxBack
	r.bits.bit(&m.columns[backOdds+m.found], back)
	if back {
		m.found = foundBack
		r.back(len(r.ids) - int(number))
		return number
	}
	m.found = foundNew
	m.grow()
	r.beside.begin(&r.set, r.ids[w], r.ids[n], &r.field, x, z)
	r.literal(id)
	number = int32(len(r.ids))
	r.ids, r.numbers[id] = append(r.ids, id), number
	r.changes += len(r.set.changes(id))
	return number
}

// back writes how many numbers back a column is.
func (r *oddsEncoder) back(v int) {
	o := &r.model.columns
	n := bits.Len(uint(v)) - 1
	r.bits.tree((*[16]odds)(o[distOdds:]), n, 4)
	r.tail((*[16]odds)(o[distTrees+8*n:]), v, n)
}

func (r *oddsEncoder) number(o *[numberOdds]odds, v int) {
	n := bits.Len(uint(v+1)) - 1
	r.bits.count(o[:numberBits], n)
	r.tail((*[16]odds)(o[numberTrees+8*n:]), v+1, n)
}

// tail writes the lower n bits of v.
func (r *oddsEncoder) tail(o *[16]odds, v, n int) {
	plain := max(n-3, 0)
	r.bits.tree(o, v>>plain, n-plain)
	if plain > 0 {
		r.bits.plain(v, plain)
	}
}

// literal writes a column.
func (r *oddsEncoder) literal(id int32) {
	top, rank := r.field.top, int(r.set.first[id])
	r.value(rank, -1, endNone)
	y, last := 0, 0
	for _, c := range r.set.changes(id) {
		last = r.end(y, int(c.at), rank, last)
		y = int(c.at)
		r.beside.advance(y)
		r.value(int(c.cell), rank, last)
		rank = int(c.cell)
	}
	if y < top-1 {
		r.end(y, top, rank, last)
	}
}

// end writes where the run from y on ends, and returns how.
func (r *oddsEncoder) end(y, end, rank, last int) int {
	block := r.model.block(rank)
	first, other, o := r.beside.ends(rank, last)
	r.bits.bit(&block[endOdds+o], end == first)
	if end == first {
		return endFirst
	}
	if first != other {
		r.bits.bit(&block[elseOdds+o-12], end == other)
		if end == other {
			return endOther
		}
	}
	r.elsewhere(block, y, end, first, rank, o&3)
	return endElse
}

func (r *oddsEncoder) elsewhere(block *[cellOdds]odds, y, end, first, rank, alike int) {
	m := &r.model
	gap, before := first-y, end < first
	if gap > 1 && first < r.field.top {
		r.bits.bit(&block[beforeOdds+alike*8+min(gap, 8)-1], before)
	}
	if before {
		r.number(m.slot(tagBefore, rank, alike, bits.Len(uint(gap))), end-y-1)
		return
	}
	r.number(m.slot(tagAfter, rank, alike, 0), end-first-1)
}

// value writes the rank v of the cell above a run.
func (r *oddsEncoder) value(v, rank, how int) {
	m := &r.model
	west, north := int(r.beside[0].rank), int(r.beside[1].rank)
	if west == north {
		if west == rank || !r.likely(&m.slot(tagValue, rank+1, west, 0)[how], v == west) {
			r.rank(v, rank)
		}
		return
	}
	o := valueOdds + 2*how
	if west == rank {
		west, north = north, west
		o++
	}
	block := m.block(rank)
	if r.likely(&block[o], v == west) || north != rank && r.likely(&block[thirdOdds+how], v == north) {
		return
	}
	r.rank(v, rank)
}

// likely writes a bit and returns it.
func (r *oddsEncoder) likely(o *odds, is bool) bool {
	r.bits.bit(o, is)
	return is
}

func (r *oddsEncoder) rank(v, rank int) {
	m := &r.model
	prefix := 1
	for left := r.width; left > 0; {
		n := (left-1)%4 + 1
		slot := (*[16]odds)(m.slot(tagCell, rank+1, 0, prefix)[:])
		left -= n
		r.bits.tree(slot, v>>left, n)
		prefix = prefix<<n | v>>left&(1<<n-1)
	}
}
