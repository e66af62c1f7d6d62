package codec

import (
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Form is the number of a way to write cells; it is part of the stone format.
type Form uint8

// The forms. Numbers above are free for stronger ones.
const (
	Runs Form = 1 // runs along y, values and lengths in streams of their own
)

// Streams of the form Runs.
const (
	streamTable  = iota // the cells that occur, ascending, as deltas
	streamFirst         // the lowest value of each column
	streamValues        // the other values of each column, bottom up
	streamLengths
	numStreams
)

// MaxStack is the greatest number of chunks in a stack.
const MaxStack = 64

// A Stack is chunks above each other, bottom up; gaps between them do not
// matter to the codec. No chunk is nil.
type Stack []*voxel.Chunk

const (
	edge    = voxel.ChunkEdge
	columns = edge * edge
	escape  = 0xFF // a byte that says: a two-byte number follows
)

// change says that from height y (in cells of the stack) on, the column holds cell.
type change struct {
	at   uint16 // encoding: height; decoding: column
	cell voxel.Cell
}

// Encoder writes stacks as streams. The zero value is ready; it keeps its
// buffers for the next call. Not safe for concurrent use.
type Encoder struct {
	streams [numStreams][]byte
	swept   []struct {
		change
		col uint16
	}
	cols  []change // by column, bottom up
	start [columns + 1]int
	first [columns]voxel.Cell
	cells []voxel.Cell // values of all runs, in stream order, before the table is known
	isOne []bool       // cells[i] is the first of its column
	seen  []bool
}

// Encode returns the streams of the form Runs for stacks. The streams are valid
// until the next call.
func (e *Encoder) Encode(stacks []Stack) [][]byte {
	for i := range e.streams {
		e.streams[i] = e.streams[i][:0]
	}
	e.cells = e.cells[:0]
	e.isOne = e.isOne[:0]
	for _, s := range stacks {
		e.sweep(s)
		e.sort()
		e.runs()
	}
	e.values()
	return e.streams[:]
}

// sweep goes up the stack slice by slice and notes what changes.
func (e *Encoder) sweep(s Stack) {
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
				if i == 0 && y == 0 {
					copy(was, row)
					continue
				}
				for x, cell := range row[:edge] {
					if cell != was[x] {
						was[x] = cell
						col := uint16(z*edge + x)
						e.start[col+1]++
						e.swept = append(e.swept, struct {
							change
							col uint16
						}{change{uint16(i*edge + y), cell}, col})
					}
				}
			}
		}
		if i == 0 {
			e.firsts(c)
		}
	}
}

func (e *Encoder) firsts(c *voxel.Chunk) {
	var buf [64]voxel.Cell
	for z := range edge {
		copy(e.first[z*edge:], c.Row(0, z, &buf)[:edge])
	}
}

// sort brings the changes from order of height into order of column.
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

func (e *Encoder) runs() {
	lengths := e.streams[streamLengths]
	for col := range columns {
		e.cells, e.isOne = append(e.cells, e.first[col]), append(e.isOne, true)
		below := 0
		for _, c := range e.cols[e.start[col]:e.start[col+1]] {
			e.cells, e.isOne = append(e.cells, c.cell), append(e.isOne, false)
			lengths = appendSmall(lengths, int(c.at)-below)
			below = int(c.at)
		}
		lengths = append(lengths, 0)
	}
	e.streams[streamLengths] = lengths
}

// values writes the table of cells and every run's index into it.
func (e *Encoder) values() {
	table := e.table()
	e.streams[streamTable] = AppendAscending(e.streams[streamTable], table)
	rank := make([]int, len(e.seen))
	for i, c := range table {
		rank[c] = i
	}
	for i, c := range e.cells {
		s := &e.streams[streamValues]
		if e.isOne[i] {
			s = &e.streams[streamFirst]
		}
		*s = appendSmall(*s, rank[c])
	}
}

// table returns the cells that occur, ascending.
func (e *Encoder) table() (table []voxel.Cell) {
	clear(e.seen)
	for _, c := range e.cells {
		if int(c) >= len(e.seen) {
			e.seen = append(e.seen, make([]bool, int(c)+1-len(e.seen))...)
		}
		if !e.seen[c] {
			e.seen[c] = true
			table = append(table, c)
		}
	}
	slices.Sort(table)
	return table
}

// AppendAscending appends strictly ascending cells as a count and differences.
func AppendAscending(dst []byte, cells []voxel.Cell) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(cells)))
	prev := -1
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(int(c)-prev-1))
		prev = int(c)
	}
	return dst
}

// appendSmall appends v (0..65535): one byte below 255, three above.
func appendSmall(dst []byte, v int) []byte {
	if v < escape {
		return append(dst, byte(v))
	}
	return append(dst, escape, byte(v), byte(v>>8))
}
