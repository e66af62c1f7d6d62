package codec

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Decoder reads what Encoder wrote. The zero value is ready; it keeps its
// buffers for the next call. Not safe for concurrent use.
type Decoder struct {
	literals columnSet
	literal  [columns]int32 // which literal each column of the stack is
	now      [columns]voxel.Cell
	byHeight []raised
	start    []int // into byHeight, by height
	build    voxel.Builder
}

// raised says that a column holds cell from the height under way on.
type raised struct {
	col  uint16
	cell voxel.Cell
}

// Decode reads stacks of the given heights in chunks from streams and appends
// their chunks to dst, stack by stack, bottom up. It fails with a *CorruptError
// that names the stream. Cells come only from the table that the streams hold;
// whether these are cells of the volume is for the caller to check with Table.
func (d *Decoder) Decode(dst []*voxel.Chunk, streams [][]byte, heights []int) ([]*voxel.Chunk, error) {
	table, err := Table(streams)
	if err != nil {
		return dst, err
	}
	r := reader{
		table: table,
		ops:   smalls{b: streams[streamOps], part: "ops"},
		runs:  smalls{b: streams[streamRuns], part: "runs"},
		near:  smalls{b: streams[streamNear], part: "references"},
		far:   smalls{b: streams[streamFar], part: "references"},
	}
	d.literals.reset()
	for _, h := range heights {
		if h < 1 || h > MaxStack {
			return dst, corrupt(-1, "page", fmt.Errorf("a stack of %d chunks", h))
		}
		d.columns(&r)
		if err := r.err(); err != nil {
			return dst, err
		}
		if !d.sort(h * edge) {
			return dst, corrupt(r.ops.at, "ops", errors.New("a run crosses the top of the stack"))
		}
		dst = d.chunks(dst, h)
	}
	return dst, r.end()
}

// Table returns the cells that streams of the form Columns hold, ascending.
func Table(streams [][]byte) ([]voxel.Cell, error) {
	if len(streams) != numStreams {
		return nil, corrupt(-1, "page", fmt.Errorf("%d streams, want %d", len(streams), numStreams))
	}
	src := streams[streamTable]
	count, n := binary.Uvarint(src)
	if n <= 0 || count > uint64(len(src)-n) {
		return nil, corrupt(0, "table", errShort)
	}
	cells := make([]voxel.Cell, 0, count)
	prev := -1
	for range count {
		step, m := binary.Uvarint(src[n:])
		if m <= 0 {
			return nil, corrupt(n, "table", errShort)
		}
		if step > uint64(int(voxel.MaxCell)-prev-1) || prev >= int(voxel.MaxCell) {
			return nil, corrupt(n, "table", errors.New("a cell above the greatest"))
		}
		prev += int(step) + 1
		cells = append(cells, voxel.Cell(prev))
		n += m
	}
	if n < len(src) {
		return nil, corrupt(n, "table", errLong)
	}
	return cells, nil
}

// reader reads the streams of a page.
type reader struct {
	table                []voxel.Cell
	ops, runs, near, far smalls
}

func (r *reader) err() error {
	return cmp.Or(r.ops.err, r.runs.err, r.near.err, r.far.err)
}

func (r *reader) end() error {
	return cmp.Or(r.ops.end(), r.runs.end(), r.near.end(), r.far.end())
}

func (r *reader) cell() voxel.Cell {
	i := r.runs.next()
	if i >= len(r.table) {
		r.runs.fail(fmt.Errorf("index %d into a table of %d", i, len(r.table)))
		return 0
	}
	return r.table[i]
}

// columns finds out which literal column each column of the stack is.
func (d *Decoder) columns(r *reader) {
	set := &d.literals
	op, run := byte(0), 0
	for col := range columns {
		if run == 0 {
			b := r.ops.byte()
			op, run = b&(1<<opBits-1), int(b>>opBits)+1
			if run > columns-col {
				r.ops.fail(errors.New("a run of ops crosses the end of the stack"))
			}
		}
		run--
		var i int32
		switch {
		case op == opLiteral:
			i = set.len()
			d.readLiteral(r)
		case op == opWest && col%edge > 0:
			i = d.literal[col-1]
		case op == opNorth && col >= edge:
			i = d.literal[col-edge]
		case op == opEarlier:
			back := int32(r.near.byte()) | int32(r.far.byte())<<8
			if i = set.len() - 1 - back; i < 0 {
				r.near.fail(fmt.Errorf("column %d back of %d", back, set.len()))
			}
		default:
			r.ops.fail(fmt.Errorf("op %d at column %d", op, col))
		}
		if r.err() != nil {
			return
		}
		d.literal[col] = i
	}
}

func (d *Decoder) readLiteral(r *reader) {
	set := &d.literals
	set.first = append(set.first, r.cell())
	for at := 0; ; {
		n := r.runs.next()
		if n == 0 {
			break
		}
		if at += n; at >= MaxStack*edge {
			r.runs.fail(fmt.Errorf("a run that ends at height %d", at))
			break
		}
		set.list = append(set.list, change{uint16(at), r.cell()})
	}
	set.start = append(set.start, int32(len(set.list)))
}

// sort brings the changes of the stack, top cells high, into order of height,
// and says whether all lie below its top.
func (d *Decoder) sort(top int) bool {
	d.start = slices.Grow(d.start[:0], top+1)[:top+1]
	clear(d.start)
	n := 0
	for col, i := range d.literal {
		d.now[col] = d.literals.first[i]
		for _, c := range d.literals.changes(i) {
			if int(c.at) >= top {
				return false
			}
			d.start[c.at+1]++
			n++
		}
	}
	for y := range top {
		d.start[y+1] += d.start[y]
	}
	d.byHeight = slices.Grow(d.byHeight[:0], n)[:n]
	for col, i := range d.literal {
		for _, c := range d.literals.changes(i) {
			d.byHeight[d.start[c.at]] = raised{uint16(col), c.cell}
			d.start[c.at]++
		}
	}
	return true
}

// chunks goes up the stack; start[y] is now the end of height y's changes.
func (d *Decoder) chunks(dst []*voxel.Chunk, chunks int) []*voxel.Chunk {
	at := 0
	for i := range chunks {
		for y := range edge {
			changed := uint32(0)
			for _, c := range d.byHeight[at:d.start[i*edge+y]] {
				d.now[c.col] = c.cell
				changed |= 1 << (c.col / edge)
			}
			at = d.start[i*edge+y]
			if y == 0 {
				changed = ^uint32(0)
			}
			d.build.Slice(&d.now, changed)
		}
		dst = append(dst, d.build.Chunk())
	}
	return dst
}

// smalls reads bytes, and numbers that appendSmall wrote; the first error sticks.
type smalls struct {
	b    []byte
	at   int
	part string
	err  error
}

func (s *smalls) fail(err error) {
	if s.err == nil {
		s.err = corrupt(s.at, s.part, err)
	}
}

func (s *smalls) byte() byte {
	if s.at >= len(s.b) {
		s.fail(errShort)
		return 0
	}
	s.at++
	return s.b[s.at-1]
}

func (s *smalls) next() int {
	if s.at < len(s.b) && s.b[s.at] < escape {
		s.at++
		return int(s.b[s.at-1])
	}
	return s.wide()
}

func (s *smalls) wide() int {
	if len(s.b)-s.at < 3 {
		s.fail(errShort)
		s.at = len(s.b)
		return 0
	}
	v := int(s.b[s.at+1]) | int(s.b[s.at+2])<<8
	if v < escape {
		s.fail(fmt.Errorf("%d in three bytes", v))
	}
	s.at += 3
	return v
}

func (s *smalls) end() error {
	if s.err == nil && s.at < len(s.b) {
		s.fail(errLong)
	}
	return s.err
}
