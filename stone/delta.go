package stone

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/zeebo/xxh3"
)

// formDelta is the form of pages of cells in which chunks may be what differs from the stones
// below: FORMAT.md section 5.6.
const formDelta = 7

// Streams of a page of formDelta behind those of all pages of cells.
const (
	deltaHashes = iota + cellCodec
	deltaRuns
	deltaCells
	deltaCodec // and up: those of the form Columns
)

// ErrNoBase says that what was asked for is stored as what differs from the stones below, and
// that they were not asked: see ReadStack.
var ErrNoBase = errors.New("it is stored as what differs from the stones below")

// MaxLinks is how many deltas a writer lets lie on each other in a stack. Where packs are lost there are more.
const MaxLinks = 8

// maxDeltas is how many bytes the deltas of a page have at most, so that a PageCache keeps the page. Those of a cube
// always fit.
const maxDeltas = 16 << 20

// A Delta is what differs between a chunk and the one that the stones below have at its
// position: runs of cells in index order, in the cells of one list of names. It does not change.
type Delta struct {
	hash  uint32 // of what it makes, see hasher.content
	n     int    // runs
	runs  []byte // of each, as the stream has it
	cells []byte
}

// NewDelta returns what c has other than base, nil if it is better stored whole. Both are in cells of
// names, and not nil.
func NewDelta(s voxel.Schema, names []string, base, c *voxel.Chunk) *Delta {
	if _, ok := c.Uniform(); ok {
		return nil
	}
	d := &Delta{}
	var w deltaWriter
	var a, b [2 * voxel.ChunkEdge]voxel.Cell
	for y, rows := range base.Differing(c) {
		for ; rows != 0; rows &= rows - 1 {
			z := bits.TrailingZeros32(rows)
			was, is := base.Row(y, z, &a), c.Row(y, z, &b)
			for x, cell := range is {
				w.next((y*voxel.ChunkEdge+z)*voxel.ChunkEdge+x, cell, was[x] != cell)
			}
		}
	}
	if w.end(d); len(d.runs)+len(d.cells) > sureDelta && !d.smaller(s, c) {
		return nil
	}
	if s != voxel.Palette {
		names = nil
	}
	d.hash = newHasher(names).content(c)
	return d
}

// sureDelta is up to how many bytes a delta is smaller than any chunk of runs.
const sureDelta = 24

// smaller reports whether the delta takes fewer bytes than the chunk, each alone in a page.
func (d *Delta) smaller(s voxel.Schema, c *voxel.Chunk) bool {
	enc := Quick.encoders().Get().(*pageEncoder)
	defer Quick.encoders().Put(enc)
	p := newCellPage([]cube{{mask: 1, chunks: []*voxel.Chunk{c}}})
	whole := p.columns(&enc.cells)
	if s == voxel.Terrain {
		if relief := p.relief(&enc.cells); relief != nil && pages.Size(relief) < pages.Size(whole) {
			whole = relief
		}
	}
	least := len(enc.Append(nil, byte(0), whole[cellCodec:]))
	return len(enc.Append(nil, formDelta, [][]byte{d.runs, d.cells})) < least
}

// AddCounts counts the cells of the runs.
func (d *Delta) AddCounts(counts []int) {
	d.each(func(from, to int, c voxel.Cell) { counts[c] += to - from })
}

// each calls f with the runs, in ascending order.
func (d *Delta) each(f func(from, to int, c voxel.Cell)) {
	runs, cells, at := d.runs, d.cells, 0
	for range d.n {
		gap, n := binary.Uvarint(runs)
		runs = runs[n:]
		long := uint64(1)
		if gap&1 != 0 {
			long, n = binary.Uvarint(runs)
			runs, long = runs[n:], long+2
		}
		c, n := binary.Uvarint(cells)
		cells = cells[n:]
		at += int(gap >> 1)
		f(at, at+int(long), voxel.Cell(c))
		at += int(long)
	}
}

// deltaWriter makes runs of cells that come in index order.
type deltaWriter struct {
	d              Delta
	from, to, last int // the run under way, and where the one before ended
	cell           voxel.Cell
	bridge         int // cells behind it that have its cell and did not change
}

// next adds a cell. One that did not change joins runs of its cell around it.
func (w *deltaWriter) next(at int, c voxel.Cell, changed bool) {
	joins := w.to > w.from && c == w.cell && at == w.to+w.bridge
	switch {
	case changed && joins:
		w.to, w.bridge = at+1, 0
	case changed:
		w.flush()
		w.from, w.to, w.cell, w.bridge = at, at+1, c, 0
	case joins:
		w.bridge++
	}
}

func (w *deltaWriter) flush() {
	if w.to == w.from {
		return
	}
	gap, long := uint64(w.from-w.last)<<1, w.to-w.from
	if long > 1 {
		w.d.runs = binary.AppendUvarint(binary.AppendUvarint(w.d.runs, gap|1), uint64(long-2))
	} else {
		w.d.runs = binary.AppendUvarint(w.d.runs, gap)
	}
	w.d.cells = binary.AppendUvarint(w.d.cells, uint64(w.cell))
	w.d.n++
	w.last, w.from = w.to, w.to
}

// end sets the runs of d.
func (w *deltaWriter) end(d *Delta) {
	w.flush()
	d.n, d.runs, d.cells = w.d.n, w.d.runs, w.d.cells
}

// translate returns the delta in other cells.
func (d *Delta) translate(table []voxel.Cell) *Delta {
	if table == nil {
		return d
	}
	out := *d
	out.cells = nil
	d.each(func(_, _ int, c voxel.Cell) { out.cells = binary.AppendUvarint(out.cells, uint64(table[c])) })
	return &out
}

// hasher hashes chunks in the cells of names, which is nil if cells count as their numbers.
type hasher struct {
	names []string
	known []uint64 // what cells count as; 0 if it is not known yet
}

func newHasher(names []string) *hasher { return &hasher{names, make([]uint64, len(names))} }

// cell returns what a cell counts as: the same in all stones of a stack, whatever number its name has. That holds for cell 0 too:
// stones of a stack may differ in what they call it.
func (h *hasher) cell(c voxel.Cell) uint64 {
	if int(c) >= len(h.known) {
		return uint64(c)
	}
	if h.known[c] == 0 {
		h.known[c] = xxh3.HashString(h.names[c])
	}
	return h.known[c]
}

// content returns the low half of the XXH3-64 of the chunk's maximal runs in index order: of each u64 what
// its cell counts as, and u16 the index of its last cell.
func (h *hasher) content(c *voxel.Chunk) uint32 {
	var sum xxh3.Hasher
	var piece [256 * 10]byte
	var buf [2 * voxel.ChunkEdge]voxel.Cell
	n, at := 0, 0 // bytes of piece, and where the next row begins
	cell := c.Cell(0, 0, 0)
	hash := h.cell(cell)
	end := func(last int) {
		if n+10 > len(piece) {
			sum.Write(piece[:n])
			n = 0
		}
		binary.LittleEndian.PutUint64(piece[n:], hash)
		binary.LittleEndian.PutUint16(piece[n+8:], uint16(last))
		n += 10
	}
	for y := range voxel.ChunkEdge {
		if v, ok := c.SliceUniform(y); ok {
			if v != cell {
				end(at - 1)
				cell, hash = v, h.cell(v)
			}
			at += voxel.SliceCells
			continue
		}
		for z := range voxel.ChunkEdge {
			starts, cells := c.Runs(y, z, &buf)
			for i := 0; starts != 0; starts, i = starts&(starts-1), i+1 {
				if v := cells[i]; v != cell {
					end(at + bits.TrailingZeros32(starts) - 1)
					cell, hash = v, h.cell(v)
				}
			}
			at += voxel.ChunkEdge
		}
	}
	end(voxel.ChunkCells - 1)
	sum.Write(piece[:n])
	return uint32(sum.Sum64())
}

// Delta writes what differs between a chunk and that of the stones below, in place of Chunk. table, if it is not
// nil, is what the delta's cells are in the volume's names. The stone then needs the stones below: it may
// have no rules, no light that follows from blocks and no tallies.
func (w *Writer) Delta(pos geom.ChunkPos, d *Delta, table []voxel.Cell) error {
	if w.o.Tally {
		return w.misuse("chunk %v: a delta in a stone with tallies", pos)
	}
	if err := w.Chunk(0, pos, nil); err != nil {
		return err
	}
	d = d.translate(table)
	d.each(func(_, _ int, c voxel.Cell) {
		if v := w.volume(); !v.valid(c) {
			w.misuse("chunk %v of volume %q: cell %d", pos, v.Name, c)
		}
	})
	c := &w.cube
	for len(c.deltas) < len(c.chunks) {
		c.deltas = append(c.deltas, nil)
	}
	c.deltas[len(c.chunks)-1] = d
	return w.err
}

// delta returns the cube's delta i, nil if it has a chunk there.
func (c *cube) delta(i int) *Delta {
	if i >= len(c.deltas) {
		return nil
	}
	return c.deltas[i]
}

// differ returns the bytes of the cube's deltas at most.
func (c *cube) differ() (n int) {
	for _, d := range c.deltas {
		if d != nil {
			n += len(d.runs) + len(d.cells) + binary.MaxVarintLen16 // of how many runs it has
		}
	}
	return n
}

// kind returns the kind of the cube's chunk i.
func (c *cube) kind(i int) byte {
	if c.delta(i) != nil {
		return kindDelta
	}
	return kindOf(c.chunks[i])
}

// deltaStreams returns the streams of a page with deltas.
func (p *cellPage) deltaStreams(columns [][]byte) [][]byte {
	out := [][]byte{p.kinds, p.values, nil, nil, nil}
	for _, d := range p.deltas {
		out[deltaHashes] = binary.LittleEndian.AppendUint32(out[deltaHashes], d.hash)
		out[deltaRuns] = append(binary.AppendUvarint(out[deltaRuns], uint64(d.n)), d.runs...)
		out[deltaCells] = append(out[deltaCells], d.cells...)
	}
	return append(out, columns[cellCodec:]...)
}

// decodeDeltas returns the deltas of a page in the order of its chunks; kinds says which are. streams begin
// with theirs.
func decodeDeltas(ctx context.Context, streams [][]byte, kinds []byte, v *volume) ([]*Delta, error) {
	if len(streams) < deltaCodec-cellCodec {
		return nil, corruptf(0, "page", "form %d with %d streams", formDelta, cellCodec+len(streams))
	}
	streams = append(make([][]byte, cellCodec), streams...)
	if n := len(streams[deltaRuns]) + len(streams[deltaCells]); n > maxDeltas {
		return nil, corruptf(0, "page", "runs and cells of %d bytes: at most %d", n, maxDeltas)
	}
	hashes, runs, cells := cursor.New(streams[deltaHashes], "hashes"), cursor.New(streams[deltaRuns], "runs"), cursor.New(streams[deltaCells], "cells")
	out := make([]*Delta, len(kinds))
	for i, k := range kinds {
		if k != kindDelta {
			continue
		}
		d := &Delta{}
		d.hash = hashes.Uint32()
		d.n = int(min(runs.Uvarint(), voxel.ChunkCells+1))
		if err := errors.Join(ctx.Err(), hashes.Err()); err != nil {
			return nil, err
		}
		d.runs, d.cells = streams[deltaRuns][len(streams[deltaRuns])-runs.Left():], streams[deltaCells][len(streams[deltaCells])-cells.Left():]
		at := uint64(0)
		for range d.n {
			gap, long := runs.Uvarint(), uint64(1)
			if gap&1 != 0 {
				long = min(runs.Uvarint(), voxel.ChunkCells) + 2
			}
			if at += min(gap>>1, voxel.ChunkCells) + long; at > voxel.ChunkCells {
				runs.Fail(fmt.Errorf("a run of %d cells that ends at %d", long, at))
			}
			if cell := cells.Uvarint(); cell > uint64(voxel.MaxCell) || !v.valid(voxel.Cell(cell)) {
				cells.Fail(fmt.Errorf("cell %d", cell))
			}
			if err := errors.Join(runs.Err(), cells.Err()); err != nil {
				return nil, err
			}
		}
		d.runs, d.cells = d.runs[:len(d.runs)-runs.Left()], d.cells[:len(d.cells)-cells.Left()]
		out[i] = d
	}
	if err := errors.Join(hashes.End(), runs.End(), cells.End()); err != nil {
		return nil, err
	}
	return out, nil
}
