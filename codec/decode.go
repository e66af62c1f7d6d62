package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Decoder reads what Encoder wrote. The zero value is ready; it keeps its
// buffers for the next call. Not safe for concurrent use.
type Decoder struct {
	now     [columns]voxel.Cell
	raised  []change // in order of column: at is the column
	heights []uint16 // heights[i] is where raised[i] begins
	byY     []change // in order of height
	start   []int
	build   voxel.Builder
}

// Decode reads stacks of the given heights in chunks from streams and appends
// their chunks to dst, stack by stack, bottom up. It fails with a *CorruptError
// that names the stream. Cells come only from the table that the streams hold;
// whether these are cells of the volume is for the caller to check with Table.
func (d *Decoder) Decode(dst []*voxel.Chunk, streams [][]byte, heights []int) ([]*voxel.Chunk, error) {
	if len(streams) != numStreams {
		return dst, corrupt(-1, "page", fmt.Errorf("%d streams, want %d", len(streams), numStreams))
	}
	table, err := Table(streams)
	if err != nil {
		return dst, err
	}
	first := indexes{smalls{b: streams[streamFirst], part: "first values"}, table}
	values := indexes{smalls{b: streams[streamValues], part: "values"}, table}
	lengths := smalls{b: streams[streamLengths], part: "lengths"}
	for _, h := range heights {
		if h < 1 || h > MaxStack {
			return dst, corrupt(-1, "page", fmt.Errorf("a stack of %d chunks", h))
		}
		if err := d.runs(&first, &values, &lengths, h*edge); err != nil {
			return dst, err
		}
		dst = d.chunks(dst, h)
	}
	return dst, errors.Join(first.end(), values.end(), lengths.end())
}

// Table returns the cells that streams of the form Runs hold, ascending.
func Table(streams [][]byte) ([]voxel.Cell, error) {
	if len(streams) == 0 {
		return nil, corrupt(-1, "table", errShort)
	}
	table, n, err := DecodeAscending(streams[streamTable])
	if err == nil && n < len(streams[streamTable]) {
		err = corrupt(n, "table", errLong)
	}
	return table, err
}

// DecodeAscending undoes AppendAscending and returns how many bytes it took.
func DecodeAscending(src []byte) (cells []voxel.Cell, n int, err error) {
	count, n := binary.Uvarint(src)
	if n <= 0 || count > uint64(len(src)-n) {
		return nil, 0, corrupt(0, "table", errShort)
	}
	cells = make([]voxel.Cell, 0, count)
	prev := -1
	for range count {
		step, m := binary.Uvarint(src[n:])
		if m <= 0 {
			return nil, 0, corrupt(n, "table", errShort)
		}
		if step > uint64(int(voxel.MaxCell)-prev-1) || prev >= int(voxel.MaxCell) {
			return nil, 0, corrupt(n, "table", errors.New("a cell above the greatest"))
		}
		prev += int(step) + 1
		cells = append(cells, voxel.Cell(prev))
		n += m
	}
	return cells, n, nil
}

// runs reads the runs of one stack, top cells high, and sorts them by height.
func (d *Decoder) runs(first, values *indexes, lengths *smalls, top int) error {
	d.raised, d.heights = d.raised[:0], d.heights[:0]
	d.start = slices.Grow(d.start[:0], top+1)[:top+1]
	clear(d.start)
	for col := range columns {
		d.now[col] = first.next()
		for at := 0; ; {
			n := lengths.next()
			if n == 0 {
				break
			}
			if at += n; at >= top {
				return corrupt(lengths.at, lengths.part, errors.New("a run crosses the top of the stack"))
			}
			d.raised = append(d.raised, change{uint16(col), values.next()})
			d.heights = append(d.heights, uint16(at))
			d.start[at+1]++
		}
		if first.err != nil || values.err != nil || lengths.err != nil {
			return errors.Join(first.err, values.err, lengths.err)
		}
	}
	for y := range top {
		d.start[y+1] += d.start[y]
	}
	d.byY = slices.Grow(d.byY[:0], len(d.raised))[:len(d.raised)]
	for i, c := range d.raised {
		y := d.heights[i]
		d.byY[d.start[y]] = c
		d.start[y]++
	}
	return nil
}

// chunks goes up the sorted runs; start[y] is now the end of height y's.
func (d *Decoder) chunks(dst []*voxel.Chunk, chunks int) []*voxel.Chunk {
	at := 0
	for i := range chunks {
		for y := range edge {
			changed, end := uint32(0), d.start[i*edge+y]
			for ; at < end; at++ {
				c := d.byY[at]
				d.now[c.at] = c.cell
				changed |= 1 << (c.at / edge)
			}
			if y == 0 {
				changed = ^uint32(0)
			}
			d.build.Slice(&d.now, changed)
		}
		dst = append(dst, d.build.Chunk())
	}
	return dst
}

// smalls reads what appendSmall wrote.
type smalls struct {
	b    []byte
	at   int
	part string
	err  error
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
		if s.err == nil {
			s.err = corrupt(s.at, s.part, errShort)
		}
		s.at = len(s.b)
		return 0
	}
	v := int(s.b[s.at+1]) | int(s.b[s.at+2])<<8
	if v < escape && s.err == nil {
		s.err = corrupt(s.at, s.part, fmt.Errorf("%d in three bytes", v))
	}
	s.at += 3
	return v
}

func (s *smalls) end() error {
	if s.err == nil && s.at < len(s.b) {
		return corrupt(s.at, s.part, errLong)
	}
	return s.err
}

// indexes reads indexes into a table of cells.
type indexes struct {
	smalls
	table []voxel.Cell
}

func (x *indexes) next() voxel.Cell {
	i := x.smalls.next()
	if i >= len(x.table) {
		if x.err == nil {
			x.err = corrupt(x.at, x.smalls.part, fmt.Errorf("index %d into a table of %d", i, len(x.table)))
		}
		return 0
	}
	return x.table[i]
}
