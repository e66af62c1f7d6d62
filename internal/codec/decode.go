package codec

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Decoder reads the output of an Encoder. The zero value is ready. It reuses its
// buffers. Goroutines must not share it.
type Decoder struct {
	ctx      context.Context
	work     int
	literals columnSet
	literal  [columns]int32 // the index of the literal of each column of the tower
	now      [columns]voxel.Cell
	spans    []span                 // of the tower
	rising   [MaxTower * edge]int32 // by height the first span that changes there, plus one
	build    voxel.ChunkBuilder
	runs     reader // of the forms Columns and Images
	relief   reliefDecoder
	images   imageDecoder
	odds     oddsDecoder
}

// Until makes later calls end soon after ctx ends, with its error, and sets Work to
// 0.
func (d *Decoder) Until(ctx context.Context) { d.ctx, d.work = ctx, 0 }

// Work estimates the steps since Until: one for each cell that differs from the one
// below, once for equal columns side by side, workOfRow for each row of cells that differs
// from the one below in its chunk, and workOfChunk for each chunk. It does not count what only
// the form Relief takes.
func (d *Decoder) Work() int { return d.work }

// The steps of a chunk with hardly any changes, and those of which there are more.
const (
	workOfChunk = 1 << 10
	workOfRow   = 4
)

// ended returns the error of the context if it has ended.
func (d *Decoder) ended() error {
	if d.ctx == nil {
		return nil
	}
	return d.ctx.Err()
}

// span is equal columns side by side in a row.
type span struct {
	col, n  uint16
	at, end int32 // remaining changes, in the list of literals
	next    int32 // 1 + the next span that changes at the same height
}

// towerReader reads the columns of a page in one form.
type towerReader interface {
	// tower reads the columns of the next tower, of that many chunks, into d.literals and
	// d.literal. top is the position of its topmost chunk.
	tower(d *Decoder, top geom.ChunkPos, height int) error
	// end returns an error if bytes are left over.
	end() error
}

// Decode reads towers of the given heights in chunks from streams of a form and appends
// their chunks to dst, tower by tower, bottom up. tops are the positions of their topmost
// chunks; Columns needs none. It fails with a *CorruptError that names the stream. All
// cells are valid in a Terrain volume in the form Relief, and from the table in the streams
// in the others; the caller checks with Table that the volume allows them.
func (d *Decoder) Decode(dst []*voxel.Chunk, form Form, streams [][]byte, heights []int, tops []geom.ChunkPos) ([]*voxel.Chunk, error) {
	chunks := 0
	for _, h := range heights {
		if h < 1 || h > MaxTower {
			return dst, corrupt(-1, "page", fmt.Errorf("a tower of %d chunks", h))
		}
		chunks += h
	}
	r, err := d.reader(form, streams, len(heights), chunks)
	if err != nil {
		return dst, err
	}
	for i, h := range heights {
		var top geom.ChunkPos
		if form != Columns {
			top = tops[i]
		}
		if err := r.tower(d, top, h); err != nil {
			return dst, err
		}
		if !d.split(h * edge) {
			return dst, corrupt(-1, "page", errors.New("a run crosses the top of the tower"))
		}
		if dst, err = d.chunks(dst, h); err != nil {
			return dst, err
		}
	}
	return dst, r.end()
}

// reader returns what reads the streams of a form.
func (d *Decoder) reader(form Form, streams [][]byte, towers, chunks int) (towerReader, error) {
	if want := form.streams(); len(streams) != want {
		return nil, corrupt(-1, "page", fmt.Errorf("%d streams of form %d, want %d", len(streams), form, want))
	}
	d.literals.reset()
	switch form {
	case Relief:
		d.relief.begin(streams)
		return &d.relief, nil
	case Odds:
		return &d.odds, d.odds.begin(streams, towers, chunks, &d.literals)
	}
	table, err := Table(streams)
	if err != nil {
		return nil, err
	}
	d.runs = newReader(streams, table)
	if form == Images {
		d.runs.opBits = imageOpBits
		err = d.images.begin(streams[streamImages], table, towers)
	}
	return &d.runs, err
}

// Table returns the cells of streams of the forms Columns, Images and Odds,
// ascending.
func Table(streams [][]byte) ([]voxel.Cell, error) {
	if len(streams) <= streamTable {
		return nil, corrupt(-1, "page", errors.New("no streams"))
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

// RenumberTable returns the table of streams of the forms Columns, Images and Odds
// with each cell c replaced by to[c]. to must be ascending.
func RenumberTable(table []byte, to []voxel.Cell) ([]byte, error) {
	cells, err := Table([][]byte{streamTable: table})
	if err != nil {
		return nil, err
	}
	for i, c := range cells {
		if int(c) >= len(to) {
			return nil, corrupt(-1, "table", fmt.Errorf("cell %d", c))
		}
		cells[i] = to[c]
	}
	return appendAscending(nil, cells), nil
}

// reader reads the streams of the forms Columns and Images.
type reader struct {
	table                []voxel.Cell
	opBits               int // of a byte of ops
	ops, runs, near, far smallReader
}

func newReader(streams [][]byte, table []voxel.Cell) reader {
	return reader{
		table:  table,
		opBits: opBits,
		ops:    smallReader{b: streams[streamOps], part: "ops"},
		runs:   smallReader{b: streams[streamRuns], part: "runs"},
		near:   smallReader{b: streams[streamNear], part: "references"},
		far:    smallReader{b: streams[streamFar], part: "references"},
	}
}

func (r *reader) err() error {
	if r.ops.err == nil && r.runs.err == nil && r.near.err == nil && r.far.err == nil {
		return nil
	}
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

func (r *reader) tower(d *Decoder, top geom.ChunkPos, _ int) error {
	images := r.opBits == imageOpBits
	if images {
		d.images.positions.begin(top)
	}
	for col := 0; col < columns && r.err() == nil; {
		b := r.ops.byte()
		op, from, end := b&(1<<r.opBits-1), col, col+int(b>>r.opBits)+1
		if end > columns {
			r.ops.fail(errors.New("a run of ops crosses the end of the tower"))
			break
		}
		if op < opImage {
			col = d.plainColumns(r, op, col, end)
		} else {
			col = d.imagesOf(int(op-opImage), col, end)
		}
		if images {
			d.images.of = append(d.images.of, d.literal[from:col]...)
		}
		if col < end {
			r.ops.fail(fmt.Errorf("op %d at column %d", op, col))
		}
	}
	return r.err()
}

// plainColumns reads columns of one op up to end, or as far as possible, and returns
// how far.
func (d *Decoder) plainColumns(r *reader, op byte, col, end int) int {
	switch op {
	case opLiteral:
		for ; col < end; col++ {
			d.literal[col] = d.literals.len()
			d.readLiteral(r)
		}
	case opWest:
		for ; col < end && col%edge > 0; col++ {
			d.literal[col] = d.literal[col-1]
		}
	case opNorth:
		for ; col < end && col >= edge; col++ {
			d.literal[col] = d.literal[col-edge]
		}
	case opEarlier:
		for ; col < end; col++ {
			d.literal[col] = d.earlier(r)
		}
	}
	return col
}

func (d *Decoder) earlier(r *reader) int32 {
	back := int32(r.near.byte()) | int32(r.far.byte())<<8
	if back >= d.literals.len() {
		r.near.fail(fmt.Errorf("column %d back of %d", back, d.literals.len()))
		return 0
	}
	return d.literals.len() - 1 - back
}

func (d *Decoder) readLiteral(r *reader) {
	set := &d.literals
	set.first = append(set.first, r.cell())
	for at := 0; ; {
		n := r.runs.next()
		if n == 0 {
			break
		}
		if at += n; at >= MaxTower*edge {
			r.runs.fail(fmt.Errorf("a run that ends at height %d", at))
			break
		}
		set.list = append(set.list, change{uint16(at), r.cell()})
	}
	set.start = append(set.start, int32(len(set.list)))
}

// split divides the columns of the tower, which is top cells high, into spans. It
// reports whether all changes are below the top.
func (d *Decoder) split(top int) bool {
	set := &d.literals
	d.spans = d.spans[:0]
	clear(d.rising[:top])
	for col := 0; col < columns; {
		i, from := d.literal[col], col
		first := set.first[i]
		for d.now[col] = first; ; {
			if col++; col%edge == 0 || d.literal[col] != i {
				break
			}
			d.now[col] = first
		}
		s := span{col: uint16(from), n: uint16(col - from), at: set.start[i], end: set.start[i+1]}
		if s.at == s.end {
			continue
		}
		if int(set.list[s.end-1].at) >= top {
			return false
		}
		at := set.list[s.at].at
		s.next = d.rising[at]
		d.spans = append(d.spans, s)
		d.rising[at] = int32(len(d.spans))
		d.work += int(s.end - s.at)
	}
	d.work += top / edge * workOfChunk
	return true
}

// chunks makes the chunks of the tower, bottom up.
func (d *Decoder) chunks(dst []*voxel.Chunk, chunks int) ([]*voxel.Chunk, error) {
	for y := range chunks * edge {
		changed := d.advance(y)
		if y%edge > 0 {
			d.work += workOfRow * bits.OnesCount32(changed)
		} else {
			changed = ^uint32(0)
		}
		d.build.Slice(&d.now, changed)
		if y%edge == edge-1 {
			dst = append(dst, d.build.Chunk())
			if err := d.ended(); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// advance updates d.now to height y and returns a bit for each changed row.
func (d *Decoder) advance(y int) (changed uint32) {
	list := d.literals.list
	for n := d.rising[y]; n != 0; {
		s := &d.spans[n-1]
		cell := list[s.at].cell
		cells := d.now[s.col:][:s.n]
		for i := range cells {
			cells[i] = cell
		}
		changed |= 1 << (s.col / edge)
		here := n
		n = s.next
		if s.at++; s.at < s.end {
			at := list[s.at].at
			s.next = d.rising[at]
			d.rising[at] = here
		}
	}
	return changed
}

// smallReader reads bytes and the numbers of appendSmall. The first error sticks.
type smallReader struct {
	b    []byte
	at   int
	part string
	err  error
}

func (s *smallReader) fail(err error) {
	if s.err == nil {
		s.err = corrupt(s.at, s.part, err)
	}
}

func (s *smallReader) byte() byte {
	if s.at >= len(s.b) {
		s.fail(errShort)
		return 0
	}
	s.at++
	return s.b[s.at-1]
}

func (s *smallReader) next() int {
	if s.at < len(s.b) && s.b[s.at] < escape {
		s.at++
		return int(s.b[s.at-1])
	}
	return s.wide()
}

func (s *smallReader) wide() int {
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

func (s *smallReader) end() error {
	if s.err == nil && s.at < len(s.b) {
		s.fail(errLong)
	}
	return s.err
}
