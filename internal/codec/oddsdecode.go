package codec

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// oddsDecoder is the state of a Decoder for the form Odds.
type oddsDecoder struct {
	model  oddsModel
	bits   oddsReader
	field  pageMap
	beside walkers
	table  []voxel.Cell
	set    columnSet  // numbered columns, with ranks for cells
	cells  *columnSet // the same, with cells
	width  int        // bits of a rank
	err    error
}

func (r *oddsDecoder) begin(streams [][]byte, towers, chunks int, cells *columnSet) (err error) {
	if r.table, err = Table(streams); err != nil {
		return err
	}
	if len(r.table) == 0 && chunks > 0 {
		return corrupt(0, "table", errors.New("no cells"))
	}
	r.model.reset(len(r.table), chunks)
	r.bits = newOddsReader(streams[oddsBits])
	r.field.reset(towers)
	r.width, r.cells, r.err = rankBits(len(r.table)), cells, nil
	r.set.reset()
	r.cells.reset()
	if chunks > 0 {
		r.set.add(0, nil)
		r.cells.add(r.table[0], nil)
	}
	return nil
}

func (r *oddsDecoder) fail(err error) {
	if r.err == nil {
		r.err = corrupt(r.bits.at, "bits", err)
	}
}

func (r *oddsDecoder) end() error {
	if err := r.bits.end(); err != nil {
		return corrupt(len(r.bits.b), "bits", err)
	}
	return nil
}

func (r *oddsDecoder) tower(d *Decoder, top geom.ChunkPos, height int) error {
	r.field.begin(top, height)
	same := false
	for z := range edge {
		row, north := r.field.around.row(z)
		o := rowOdds
		if same {
			o++
		}
		if same = r.bits.bit(&r.model.columns[o]); same {
			copy(row[1:edge+1], north[1:])
		} else {
			r.row(row, north, z)
		}
		if err := r.bits.fault(); err != nil {
			r.fail(err)
		}
		if r.err = cmp.Or(r.err, d.ended()); r.err != nil {
			return r.err
		}
		copy(d.literal[z*edge:], row[1:edge+1])
	}
	r.field.end()
	return nil
}

// row reads the numbers of a row of columns.
func (r *oddsDecoder) row(row, north *[windowEdge]int32, z int) {
	m := &r.model
	w, nw, n := row[0], north[0], north[1]
	for x := range edge {
		first, other, o := m.beside(w, n, nw)
		number := first
		if !r.bits.bit(&m.columns[o]) {
			number = other
			if first == other || !r.bits.bit(&m.columns[o+otherOdds-firstOdds]) {
				number = r.apart(w, n, x, z)
				m.note(w, n, number)
			}
		}
		row[x+1] = number
		w, nw, n = number, n, north[x+2]
	}
}

// apart returns the number of a column that differs from west and north.
func (r *oddsDecoder) apart(w, n int32, x, z int) int32 {
	m := &r.model
	south, east := m.guesses(w, n)
	switch {
	case south != none && r.bits.bit(&m.columns[southOdds]):
		return south
	case east != none && r.bits.bit(&m.columns[eastOdds]):
		return east
	}
	if r.bits.bit(&m.columns[backOdds+m.found]) {
		m.found = foundBack
		return r.back()
	}
	m.found = foundNew
	m.grow()
	r.beside.begin(&r.set, w, n, &r.field, x, z)
	r.literal()
	return r.set.len() - 1
}

// back reads the number of an earlier column.
func (r *oddsDecoder) back() int32 {
	o := &r.model.columns
	n := r.bits.tree((*[16]odds)(o[distOdds:]), 4) & distBits
	back := int32(r.tail((*[16]odds)(o[distTrees+8*n:]), n))
	if back > r.set.len() {
		r.fail(fmt.Errorf("column %d back of %d", back, r.set.len()))
		return none
	}
	return r.set.len() - back
}

// number reads a number.
func (r *oddsDecoder) number(o *[numberOdds]odds) int {
	n := r.bits.count(o[:numberBits])
	return r.tail((*[16]odds)(o[numberTrees+8*n:]), n) - 1
}

// tail reads n bits after a leading 1.
func (r *oddsDecoder) tail(o *[16]odds, n int) int {
	v := r.bits.tree(o, min(n, 3))
	if n -= 3; n > 0 {
		v = v<<n | r.bits.plain(n)
	}
	return v
}

// literal reads a column.
func (r *oddsDecoder) literal() {
	m, set, cells, top := &r.model, &r.set, r.cells, r.field.top
	rank := r.value(-1, endNone)
	set.first = append(set.first, voxel.Cell(rank))
	cells.first = append(cells.first, r.table[rank])
	for y, last := 0, 0; y < top-1; {
		block := m.block(rank)
		first, other, o := r.beside.ends(rank, last)
		switch {
		case r.bits.bit(&block[endOdds+o]):
			y, last = first, endFirst
		case first != other && r.bits.bit(&block[elseOdds+o-12]):
			y, last = other, endOther
		default:
			y, last = r.elsewhere(block, y, first, rank, o&3), endElse
		}
		if y >= top {
			break
		}
		r.beside.advance(y)
		rank = r.value(rank, last)
		set.list = append(set.list, change{uint16(y), voxel.Cell(rank)})
		cells.list = append(cells.list, change{uint16(y), r.table[rank]})
	}
	set.start = append(set.start, int32(len(set.list)))
	cells.start = append(cells.start, int32(len(set.list)))
	if len(set.list) > mostChanges(len(r.bits.b)) {
		r.fail(fmt.Errorf("%d runs in %d bytes", len(set.list), len(r.bits.b)))
	}
}

// elsewhere reads the end of a run that starts at y and does not end with a run
// beside it. first is its likeliest end.
func (r *oddsDecoder) elsewhere(block *[cellOdds]odds, y, first, rank, alike int) int {
	m, top := &r.model, r.field.top
	gap := first - y
	before := gap > 1
	if before && first < top {
		before = r.bits.bit(&block[beforeOdds+alike*8+min(gap, 8)-1])
	}
	if before {
		y += 1 + r.number(m.slot(tagBefore, rank, alike, bits.Len(uint(gap))))
	} else {
		y = first + 1 + r.number(m.slot(tagAfter, rank, alike, 0))
	}
	if y > top {
		r.fail(fmt.Errorf("a run that ends at height %d", y))
		return top
	}
	return y
}

// value reads the rank of the cell above a run of a rank. The walkers are at its
// height.
func (r *oddsDecoder) value(rank, how int) int {
	m := &r.model
	west, north := int(r.beside[0].rank), int(r.beside[1].rank)
	if west == north {
		if west != rank && r.bits.bit(&m.slot(tagValue, rank+1, west, 0)[how]) {
			return west
		}
		return r.rank(rank)
	}
	o := valueOdds + 2*how
	if west == rank {
		west, north = north, west
		o++
	}
	block := m.block(rank)
	switch {
	case r.bits.bit(&block[o]):
		return west
	case north != rank && r.bits.bit(&block[thirdOdds+how]):
		return north
	}
	return r.rank(rank)
}

// rank reads the rank of the cell above a run of a rank.
func (r *oddsDecoder) rank(rank int) int {
	m := &r.model
	v := 1
	for left := r.width; left > 0; {
		n := (left-1)%4 + 1
		v = v<<n | r.bits.tree((*[16]odds)(m.slot(tagCell, rank+1, 0, v)[:]), n)&(1<<n-1)
		left -= n
	}
	v -= 1 << r.width
	if v >= len(r.table) || v == rank {
		r.fail(fmt.Errorf("cell %d of %d above %d", v, len(r.table), rank))
		return 0
	}
	return v
}
