package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Form is the number of an encoding of cells. It is part of the stone format.
type Form uint8

// The forms. Higher numbers are free for new ones.
const (
	// Columns encodes runs along y, column by column. A column equal to its
	// neighbour, or to an earlier one in the page, is a reference.
	Columns Form = 1
	// Relief is for terrain: layers of material, the height of the ground in 1/256
	// of a cell, and the other cells that are not full. Each is the difference from
	// a guess by the columns to the west and north.
	Relief Form = 2
)

// streams returns how many streams a page of the form has, -1 for an unknown form.
func (f Form) streams() int {
	switch f {
	case Columns:
		return numStreams
	case Relief:
		return reliefStreams
	case Images:
		return numImageStreams
	case Odds:
		return oddsStreams
	}
	return -1
}

// Streams of the form Columns.
const (
	streamTable = iota // the cells that occur, ascending, as differences
	streamOps          // runs of ops over columns
	streamRuns         // of the columns that are literal: value, length, value, ... , 0
	streamNear         // low bytes of references
	streamFar          // high bytes of references
	numStreams
)

// Ops of a column. A byte of ops has the op in its low two bits and the number of
// columns minus one above. A run of ops ends with its tower.
const (
	opLiteral = 0 // its runs follow
	opWest    = 1 // equal to the column to the west in the tower
	opNorth   = 2 // equal to the column to the north in the tower
	opEarlier = 3 // equal to the literal column a number of literal columns back

	opBits   = 2
	maxOpRun = 1 << (8 - opBits)
)

// MaxTower is the greatest number of chunks in a tower.
const MaxTower = 64

// maxLiterals is how many literal columns back a reference reaches.
const maxLiterals = 1 << 16

// A Tower is chunks above each other, bottom up. Gaps between them do not matter. No
// chunk may be nil.
type Tower []*voxel.Chunk

const (
	edge     = voxel.ChunkEdge
	columns  = edge * edge
	escape   = 0xFF // a two-byte number follows
	maxSmall = 1<<16 - 1
)

// change says that the column holds cell from height at on, in cells of the tower.
type change struct {
	at   uint16
	cell voxel.Cell
}

// swept is a change in the order of a sweep upwards.
type swept struct {
	change
	col uint16
}

// Encoder writes towers as streams. The zero value is ready. It reuses its buffers.
// Goroutines must not share it.
type Encoder struct {
	work     int
	streams  [numStreams][]byte
	swept    []swept
	cols     []change // of the tower, by column, bottom up
	start    [columns + 1]int
	first    [columns]voxel.Cell
	literal  [columns]int32 // the index of the literal of each column of the tower
	literals columnSet
	heights  []int        // of the towers of the page, in chunks
	ids      []int32      // of the columns of the page: the index of the literal
	cells    []voxel.Cell // those that occur, ascending
	ranks    []uint16     // by cell
	seen     []bool       // by cell
	relief   reliefEncoder
	images   imageEncoder
	odds     oddsEncoder
}

// columnSet is the literal columns of a page.
type columnSet struct {
	first []voxel.Cell
	start []int32 // into changes; one more than there are columns
	list  []change
	// recent holds by hash 1 + the last column added. A column that another
	// displaced is not found again; that costs bytes only.
	recent []int32
	shift  uint8 // from 64 bits of hash to a slot of recent
}

// recent has eight slots for each column of a page, within these bounds.
const (
	leastRecentBits = 13
	mostRecentBits  = 17
)

func (s *columnSet) reset() {
	s.first, s.start, s.list = s.first[:0], append(s.start[:0], 0), s.list[:0]
}

// forget empties recent for a page of that many towers. Only an Encoder needs
// recent.
func (s *columnSet) forget(towers int) {
	size := min(max(bits.Len(uint(towers*columns*8-1)), leastRecentBits), mostRecentBits)
	s.recent = slices.Grow(s.recent[:0], 1<<size)[:1<<size]
	clear(s.recent)
	s.shift = uint8(64 - size)
}

func (s *columnSet) len() int32 { return int32(len(s.first)) }

func (s *columnSet) changes(i int32) []change { return s.list[s.start[i]:s.start[i+1]] }

func (s *columnSet) add(first voxel.Cell, list []change) int32 {
	s.first = append(s.first, first)
	s.list = append(s.list, list...)
	s.start = append(s.start, int32(len(s.list)))
	return s.len() - 1
}

// reserve makes room for n more changes. If done of the page's towers are done, it
// also makes room for the others at the same rate.
func (s *columnSet) reserve(n, done, towers int) {
	if have := len(s.list); cap(s.list)-have < n {
		more := n
		if done > 0 {
			more = max(n, have/done*(towers-done))
		}
		s.list = slices.Grow(s.list, more)
	}
}

func (s *columnSet) equal(i int32, first voxel.Cell, list []change) bool {
	return s.first[i] == first && slices.Equal(s.changes(i), list)
}

// slot returns the slot of a column in recent.
func (s *columnSet) slot(first voxel.Cell, list []change) *int32 {
	return &s.recent[hashOf(first, list)>>(s.shift&63)]
}

func hashOf(first voxel.Cell, list []change) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := (uint64(first) + 1) * prime
	for _, c := range list {
		h = (h ^ h>>29 ^ (uint64(c.at)<<16 | uint64(c.cell))) * prime
	}
	return h
}

// Encode returns the streams of the form Columns for towers. They are valid until
// the next call.
func (e *Encoder) Encode(towers []Tower) [][]byte {
	for i := range e.streams {
		e.streams[i] = e.streams[i][:0]
	}
	e.literals.reset()
	e.work = 0
	e.heights, e.ids = e.heights[:0], e.ids[:0]
	e.literals.forget(len(towers))
	for i, s := range towers {
		e.sweep(s)
		e.sort()
		e.literals.reserve(len(e.cols), i, len(towers))
		e.ops()
		e.heights, e.ids = append(e.heights, len(s)), append(e.ids, e.literal[:]...)
		e.work += len(s) * workOfChunk
	}
	e.runs()
	return e.streams[:]
}

// Work returns at least how many steps a Decoder takes for the towers of the last Encode, in
// the forms Columns, Images and Odds. It counts equal columns side by side one by one, because
// these forms may number them in different ways.
func (e *Encoder) Work() int { return e.work }

// RunBytes returns the size of the stream of runs of the last Encode.
func (e *Encoder) RunBytes() int { return len(e.streams[streamRuns]) }

// sweep goes up the tower slice by slice and records the changes.
func (e *Encoder) sweep(s Tower) {
	var buf [64]voxel.Cell
	var now [columns]voxel.Cell
	e.swept = e.swept[:0]
	clear(e.start[:])
	for i, c := range s {
		for y := range edge {
			rows := c.Changed(y)
			if y == 0 {
				rows = ^uint32(0)
			}
			for z := 0; rows != 0; z, rows = z+1, rows>>1 {
				if rows&1 == 0 {
					continue
				}
				row, was := c.Row(y, z, &buf), now[z*edge:z*edge+edge]
				if i+y == 0 {
					copy(was, row)
					continue
				}
				before := len(e.swept)
				if e.compare(row, was, uint16(i*edge+y), z*edge); y > 0 && len(e.swept) > before {
					e.work += workOfRow
				}
			}
			if i+y == 0 {
				e.first = now
			}
		}
	}
}

// compare records where a row differs from the one below, and copies the row there.
// It looks at four cells at once, because most are equal, and does not branch on
// which differ.
func (e *Encoder) compare(row, was []voxel.Cell, at uint16, col int) {
	n := len(e.swept)
	out := slices.Grow(e.swept, edge)[:n+edge]
	counts := e.start[col+1:][:edge]
	for x := 0; x < edge; x += 4 {
		now, old := (*[4]voxel.Cell)(row[x:]), (*[4]voxel.Cell)(was[x:])
		if *now == *old {
			continue
		}
		for i, cell := range now {
			out[n] = swept{change{at, cell}, uint16(col + x + i)}
			differs := 0
			if cell != old[i] {
				differs = 1
			}
			n += differs
			counts[x+i] += differs
		}
		*old = *now
	}
	e.swept = out[:n]
}

// sort orders the changes by column; before, they are ordered by height.
func (e *Encoder) sort() {
	for i := range columns {
		e.start[i+1] += e.start[i]
	}
	e.cols = slices.Grow(e.cols[:0], len(e.swept))[:len(e.swept)]
	next := e.start
	for _, s := range e.swept {
		e.cols[next[s.col]] = s.change
		next[s.col]++
	}
}

// ops writes an op for each column of the tower and collects the literal ones.
func (e *Encoder) ops() {
	set, last := &e.literals, byte(0)
	for col := range columns {
		first, list := e.first[col], e.cols[e.start[col]:e.start[col+1]]
		op := byte(opLiteral)
		switch {
		case col%edge > 0 && set.equal(e.literal[col-1], first, list):
			op, e.literal[col] = opWest, e.literal[col-1]
		case col >= edge && set.equal(e.literal[col-edge], first, list):
			op, e.literal[col] = opNorth, e.literal[col-edge]
		default:
			slot := set.slot(first, list)
			if i := *slot - 1; i >= 0 && set.len()-i <= maxLiterals && set.equal(i, first, list) {
				op, e.literal[col] = opEarlier, i
				back := set.len() - i - 1
				e.streams[streamNear] = append(e.streams[streamNear], byte(back))
				e.streams[streamFar] = append(e.streams[streamFar], byte(back>>8))
				break
			}
			e.literal[col] = set.add(first, list)
			*slot = e.literal[col] + 1
		}
		e.work += len(list)
		if n := len(e.streams[streamOps]); col > 0 && op == last && e.streams[streamOps][n-1] < (maxOpRun-1)<<opBits {
			e.streams[streamOps][n-1] += 1 << opBits
		} else {
			e.streams[streamOps] = append(e.streams[streamOps], op)
		}
		last = op
	}
}

// runs writes the table of cells and the runs of the literal columns.
func (e *Encoder) runs() {
	set := &e.literals
	e.table(set)
	e.streams[streamTable] = appendAscending(e.streams[streamTable], e.cells)
	out := slices.Grow(e.streams[streamRuns], 2*(len(set.list)+len(set.first)))
	for i := range set.len() {
		out = appendSmall(out, int(e.ranks[set.first[i]]))
		below := uint16(0)
		for _, c := range set.changes(i) {
			out = appendSmall(out, int(c.at-below))
			out = appendSmall(out, int(e.ranks[c.cell]))
			below = c.at
		}
		out = append(out, 0)
	}
	e.streams[streamRuns] = out
}

// table collects the cells that occur, ascending, and their ranks.
func (e *Encoder) table(set *columnSet) {
	e.seen = slices.Grow(e.seen, int(voxel.MaxCell)+1)[:voxel.MaxCell+1]
	e.ranks = slices.Grow(e.ranks, int(voxel.MaxCell)+1)[:voxel.MaxCell+1]
	clear(e.seen)
	table := e.cells[:0]
	note := func(c voxel.Cell) {
		if !e.seen[c] {
			e.seen[c] = true
			table = append(table, c)
		}
	}
	for _, c := range set.first {
		note(c)
	}
	for _, c := range set.list {
		note(c.cell)
	}
	slices.Sort(table)
	for i, c := range table {
		e.ranks[c] = uint16(i)
	}
	e.cells = table
}

// appendAscending appends strictly ascending cells as their number and differences.
func appendAscending(dst []byte, cells []voxel.Cell) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(cells)))
	prev := -1
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(int(c)-prev-1))
		prev = int(c)
	}
	return dst
}

// appendSmall appends v (0..65535) in one byte if it is below 255, else in three.
func appendSmall(dst []byte, v int) []byte {
	if v < escape {
		return append(dst, byte(v))
	}
	return append(dst, escape, byte(v), byte(v>>8))
}
