package level

import (
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// levelForm is a form of a level, with the article's bytes per voxel.
type levelForm struct {
	name    string
	article float64
	make    func() levelCoder // nil for those that are not made batch by batch
	stone   *stone.Options    // of a form that is a whole stone
}

func levelForms() []levelForm {
	return []levelForm{
		{name: "flat", article: 2.97, make: func() levelCoder { return &levelFlat{} }},
		{name: "rowpacked", article: .49, make: func() levelCoder { return newLevelRows() }},
		{name: "cairn"},
		{name: "rle", article: .073, make: func() levelCoder { return &levelPieces{runs: byteRuns{}, compressor: lab.Plain{}} }},
		{name: "rle_lz4", article: .050, make: func() levelCoder { return &levelPieces{runs: byteRuns{}, compressor: &lab.LZ4{}} }},
		{name: "rle_zstd", article: .038, make: func() levelCoder { return &levelPieces{runs: byteRuns{}, compressor: lab.NewZstd()} }},
		{name: "bitrle", article: .059, make: func() levelCoder { return &levelPieces{runs: &bitRuns{}, compressor: lab.Plain{}} }},
		{name: "stone", stone: &stone.Options{}},
		{name: "stone_columns", stone: &stone.Options{Only: int(codec.Columns)}},
		{name: "stone_relief", stone: &stone.Options{Only: int(codec.Relief)}},
	}
}

// levelCoder holds one batch of chunks in its form.
type levelCoder interface {
	encode(batch []grid.Placed) error
	bytes() int64
	// check decodes the batch, adds to seconds what that takes, and compares.
	check(batch []grid.Placed, seconds *float64) error
}

// rowScanner is a levelCoder that is read without decoding it.
type rowScanner interface{ scan() (sum int) }

// levelFlat is two bytes for each cell.
type levelFlat struct {
	all     []*lab.FlatChunk // kept for the next batch
	flats   []*lab.FlatChunk
	builder voxel.ChunkBuilder
}

func (f *levelFlat) encode(batch []grid.Placed) error {
	for len(f.all) < len(batch) {
		f.all = append(f.all, new(lab.FlatChunk))
	}
	f.flats = f.all[:len(batch)]
	for i, p := range batch {
		p.Chunk.Flat(f.flats[i])
	}
	return nil
}

func (f *levelFlat) bytes() int64 { return int64(len(f.flats)) * lab.FlatChunkBytes }
func (f *levelFlat) scan() int    { return lab.ScanFlats(f.flats) }

func (f *levelFlat) check(batch []grid.Placed, seconds *float64) error {
	for i, p := range batch {
		var c *voxel.Chunk
		clock(seconds, func() { c = f.builder.FromFlat(f.flats[i]) })
		if !c.Equal(p.Chunk) {
			return errNotSame
		}
	}
	return nil
}

// levelRows is the article's row-packed form: for each row two bytes, the cell
// of the whole row or packed and the number of a row of 32 cells.
type levelRows struct {
	filled  [][voxel.ChunkEdge]voxel.Cell // by cell
	chunks  []packedRows
	builder voxel.ChunkBuilder
}

type packedRows struct {
	rows [voxel.SliceCells]uint16
	data []voxel.Cell
}

const packedRow = 1 << 15

func newLevelRows() *levelRows {
	r := &levelRows{filled: make([][voxel.ChunkEdge]voxel.Cell, voxel.MaxCell+1)}
	for v := range r.filled {
		for x := range r.filled[v] {
			r.filled[v][x] = voxel.Cell(v)
		}
	}
	return r
}

func (r *levelRows) encode(batch []grid.Placed) error {
	r.chunks = make([]packedRows, len(batch))
	var buf [64]voxel.Cell
	for i, p := range batch {
		c := &r.chunks[i]
		var data []voxel.Cell
		for yz := range c.rows {
			row := p.Chunk.Row(yz/voxel.ChunkEdge, yz%voxel.ChunkEdge, &buf)
			c.rows[yz] = uint16(row[0])
			if [voxel.ChunkEdge]voxel.Cell(row) != r.filled[row[0]] {
				c.rows[yz] = packedRow | uint16(len(data)/voxel.ChunkEdge)
				data = append(data, row...)
			}
		}
		c.data = slices.Clone(data)
	}
	return nil
}

func (r *levelRows) bytes() (n int64) {
	for i := range r.chunks {
		n += 2 * int64(len(r.chunks[i].rows)+len(r.chunks[i].data))
	}
	return n
}

// row returns the cells of a row, which are shared.
func (r *levelRows) row(c *packedRows, yz int) []voxel.Cell {
	h := c.rows[yz]
	if h < packedRow {
		return r.filled[h][:]
	}
	at := int(h&^packedRow) * voxel.ChunkEdge
	return c.data[at : at+voxel.ChunkEdge]
}

func (r *levelRows) scan() (sum int) {
	for i := range r.chunks {
		for yz := range r.chunks[i].rows {
			sum += lab.SumRow(r.row(&r.chunks[i], yz))
		}
	}
	return sum
}

func (r *levelRows) check(batch []grid.Placed, seconds *float64) error {
	var cells lab.FlatChunk
	for i, p := range batch {
		var c *voxel.Chunk
		clock(seconds, func() {
			for yz := range r.chunks[i].rows {
				copy(cells[yz*voxel.ChunkEdge:], r.row(&r.chunks[i], yz))
			}
			c = r.builder.FromFlat(&cells)
		})
		if !c.Equal(p.Chunk) {
			return errNotSame
		}
	}
	return nil
}

// pieceBytes is how many bytes of runs are compressed at once: the article
// compressed whole files.
const pieceBytes = 4 << 20

// levelPieces is chunks as runs one after the other, compressed in pieces.
type levelPieces struct {
	runs       chunkRuns
	compressor lab.Compressor
	plain      []byte
	pieces     []levelPiece
}

// chunkRuns is a way to write one chunk.
type chunkRuns interface {
	append(dst []byte, c *voxel.Chunk) []byte
	decode(src []byte) (*voxel.Chunk, int, error)
}

// byteRuns is the article's byte RLE.
type byteRuns struct{}

func (byteRuns) append(dst []byte, c *voxel.Chunk) []byte     { return codec.AppendRLE(dst, c) }
func (byteRuns) decode(src []byte) (*voxel.Chunk, int, error) { return codec.DecodeRLE(src) }

// bitRuns is bit-packed runs, as for the wire.
type bitRuns struct {
	cells   lab.FlatChunk
	builder voxel.ChunkBuilder
}

func (r *bitRuns) append(dst []byte, c *voxel.Chunk) []byte {
	c.Flat(&r.cells)
	return codec.AppendBitRLE(dst, r.cells[:], voxel.ChunkEdge, voxel.Terrain)
}

func (r *bitRuns) decode(src []byte) (*voxel.Chunk, int, error) {
	n, err := codec.DecodeBitRLE(r.cells[:], voxel.ChunkEdge, voxel.Terrain, src)
	if err != nil {
		return nil, 0, err
	}
	return r.builder.FromFlat(&r.cells), n, nil
}

type levelPiece struct {
	packed []byte
	plain  int // bytes
	chunks int
}

func (r *levelPieces) encode(batch []grid.Placed) error {
	r.pieces = r.pieces[:0]
	chunks := 0
	for i, p := range batch {
		r.plain = r.runs.append(r.plain, p.Chunk)
		if chunks++; len(r.plain) < pieceBytes && i < len(batch)-1 {
			continue
		}
		packed, err := r.compressor.Compress(nil, r.plain)
		if err != nil {
			return err
		}
		r.pieces = append(r.pieces, levelPiece{packed, len(r.plain), chunks})
		r.plain, chunks = r.plain[:0], 0
	}
	return nil
}

func (r *levelPieces) bytes() (n int64) {
	for _, p := range r.pieces {
		n += int64(len(p.packed))
	}
	return n
}

func (r *levelPieces) check(batch []grid.Placed, seconds *float64) error {
	for _, piece := range r.pieces {
		var chunks []*voxel.Chunk
		var err error
		clock(seconds, func() { chunks, err = r.decode(piece) })
		if err != nil {
			return err
		}
		for i, c := range chunks {
			if !c.Equal(batch[i].Chunk) {
				return errNotSame
			}
		}
		batch = batch[piece.chunks:]
	}
	return nil
}

func (r *levelPieces) decode(p levelPiece) ([]*voxel.Chunk, error) {
	src, err := r.compressor.Decompress(p.packed, p.plain)
	if err != nil {
		return nil, err
	}
	out := make([]*voxel.Chunk, p.chunks)
	for i := range out {
		var n int
		if out[i], n, err = r.runs.decode(src); err != nil {
			return nil, err
		}
		src = src[n:]
	}
	return out, nil
}
