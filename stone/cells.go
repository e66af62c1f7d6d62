package stone

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Kinds of a chunk in a page of cells.
const (
	kindNone    = 0 // no cells
	kindUniform = 1 // one value, in the stream of values
	kindRuns    = 2 // in the streams of the form
	kindDelta   = 3 // what differs from the stones below; only in pages of formDelta
)

// Streams of a page of cells before those of the codec's form.
const (
	cellKinds = iota
	cellValues
	cellCodec
)

// cube is the chunks of one directory entry, in the order of the mask's bits.
type cube struct {
	key    uint64
	mask   uint64
	chunks []*voxel.Chunk // nil where there is a delta
	deltas []*Delta       // nil where there is a chunk; shorter if the last are chunks
}

// pageless returns an entry without a page for the cube. It returns false unless all
// chunks are of one cell or all are without cells.
func (c *cube) pageless() (e entry, ok bool) {
	if len(c.deltas) > 0 {
		return entry{}, false
	}
	for i, ch := range c.chunks {
		says := entry{key: c.key, mask: c.mask, page: nonePage}
		if ch != nil {
			if says.value, ok = ch.Uniform(); !ok {
				return entry{}, false
			}
			says.page = constPage
		}
		if i > 0 && says != e {
			return entry{}, false
		}
		e = says
	}
	return e, true
}

// runs returns the number of chunks that are not uniform, deltas included.
func (c *cube) runs() (n int) {
	for i := range c.chunks {
		if c.kind(i) >= kindRuns {
			n++
		}
	}
	return n
}

func kindOf(c *voxel.Chunk) byte {
	if c == nil {
		return kindNone
	}
	if _, ok := c.Uniform(); ok {
		return kindUniform
	}
	return kindRuns
}

// positions appends the positions of the chunks in a mask.
func positions(dst []geom.ChunkPos, key, mask uint64) []geom.ChunkPos {
	for ; mask != 0; mask &= mask - 1 {
		dst = append(dst, cubeChunk(key, bits.TrailingZeros64(mask)))
	}
	return dst
}

// towersOf returns the indexes of the chunks of kindRuns in the order of a page, by
// z, x, y, and the heights of their towers.
func towersOf(at []geom.ChunkPos, kinds []byte) (order, heights []int) {
	for i, k := range kinds {
		if k == kindRuns {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := at[i], at[j]
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	for n, i := range order {
		if n > 0 && at[i].X == at[order[n-1]].X && at[i].Z == at[order[n-1]].Z && heights[len(heights)-1] < codec.MaxTower {
			heights[len(heights)-1]++
			continue
		}
		heights = append(heights, 1)
	}
	return order, heights
}

// cellPage is the chunks of cubes, prepared for a page.
type cellPage struct {
	kinds  []byte
	values []byte
	deltas []*Delta
	towers []codec.Tower
	tops   []geom.ChunkPos // the topmost chunks of towers
	places []geom.ChunkPos // of all chunks of towers
}

func newCellPage(cubes []cube) (p cellPage) {
	var at []geom.ChunkPos
	var chunks []*voxel.Chunk
	for _, c := range cubes {
		at = positions(at, c.key, c.mask)
		chunks = append(chunks, c.chunks...)
		for i := range c.chunks {
			p.kinds = append(p.kinds, c.kind(i))
			if d := c.delta(i); d != nil {
				p.deltas = append(p.deltas, d)
			}
		}
	}
	for i, c := range chunks {
		if p.kinds[i] == kindUniform {
			v, _ := c.Uniform()
			p.values = binary.AppendUvarint(p.values, uint64(v))
		}
	}
	order, heights := towersOf(at, p.kinds)
	p.tops = topmost(at, order, heights)
	for _, i := range order {
		p.places = append(p.places, at[i])
	}
	for _, h := range heights {
		s := make(codec.Tower, h)
		for i := range s {
			s[i] = chunks[order[i]]
		}
		order = order[h:]
		p.towers = append(p.towers, s)
	}
	return p
}

// topmost returns the positions of the topmost chunks of towers.
func topmost(at []geom.ChunkPos, order, heights []int) (tops []geom.ChunkPos) {
	n := 0
	for _, h := range heights {
		n += h
		tops = append(tops, at[order[n-1]])
	}
	return tops
}

// columns returns the streams of the page in the form Columns.
func (p *cellPage) columns(enc *codec.Encoder) [][]byte {
	streams := [][]byte{p.kinds, p.values}
	if len(p.towers) > 0 {
		streams = append(streams, enc.Encode(p.towers)...)
	}
	return streams
}

// images returns the streams of the page in the form Images, made after columns. It
// returns nil if the form does not suit the volume or the effort, or if hardly any
// column is an image.
func (p *cellPage) images(enc *codec.Encoder, v *volume, effort Effort) [][]byte {
	if v.Schema == voxel.Terrain || effort != Best || len(p.towers) == 0 {
		return nil
	}
	streams := enc.EncodeImages(p.tops)
	if streams == nil {
		return nil
	}
	return slices.Concat([][]byte{p.kinds, p.values}, streams)
}

// relief returns the streams of the page in the form Relief. It returns nil if the
// cells are not terrain or there are too many bytes.
func (p *cellPage) relief(enc *codec.Encoder) [][]byte {
	if len(p.towers) == 0 {
		return nil
	}
	streams, ok := enc.EncodeRelief(p.towers, p.tops)
	if streams = slices.Concat([][]byte{p.kinds, p.values}, streams); !ok || pages.Size(streams) > maxPage {
		return nil
	}
	return streams
}

// odds returns the streams of the page in the form Odds, made after columns. It
// returns nil if the form does not suit the volume or the effort, or if the page has
// too many runs for its bytes.
func (p *cellPage) odds(enc *codec.Encoder, v *volume, effort Effort) [][]byte {
	if v.Schema == voxel.Terrain || effort != Best || len(p.towers) == 0 {
		return nil
	}
	streams, ok := enc.EncodeOdds(p.tops)
	if !ok {
		return nil
	}
	return append([][]byte{p.kinds, p.values}, streams...)
}

// cellsPage is a decoded page of cells.
type cellsPage struct {
	chunks []*voxel.Chunk // in the order of the directory
	deltas []*Delta       // as chunks; nil if there are none
	unlit  *pendingLight  // nil if chunks are complete
	work   int            // that decoding it took, see codec.Decoder.Work
}

// Spill implements tile.Spiller. Pages whose chunks may lack their light, and those with deltas, stay in memory.
func (p *cellsPage) Spill(dst []byte) ([]byte, func([]byte) any) {
	if p.unlit != nil || p.deltas != nil {
		return dst, nil
	}
	for _, c := range p.chunks {
		dst = c.AppendMemory(dst)
	}
	n, work := len(p.chunks), p.work
	return dst, func(b []byte) any {
		p := &cellsPage{chunks: make([]*voxel.Chunk, n), work: work}
		for i := range p.chunks {
			p.chunks[i], b = voxel.FromMemory(b)
		}
		return p
	}
}

// decodeCells returns the chunks at the positions at, in that order, from a page of
// volume v of a dimension, of level 0 if finest is set.
func decodeCells(ctx context.Context, dec *codec.Decoder, form byte, streams [][]byte, at []geom.ChunkPos, dim *dimension, v *volume, finest bool) (*cellsPage, error) {
	kind, lightly := litKind(v)
	known := finest && len(dim.matters) > 0 && form == formLit && lightly && len(streams) > litOctants
	deltas := form == formDelta && finest && len(dim.matters) == 0 && len(dim.rules) == 0 && dim.tally == nil
	if !known && !deltas && !v.holds(codec.Form(form)) || len(streams) < cellCodec {
		return nil, corruptf(0, "page", "form %d with %d streams for a %v", form, len(streams), v.Schema)
	}
	kinds := streams[cellKinds]
	if len(kinds) != len(at) {
		return nil, corruptf(0, "page", "%d chunks, the directory has %d", len(kinds), len(at))
	}
	chunks := make([]*voxel.Chunk, len(at))
	values, differ := cursor.New(streams[cellValues], "values"), 0
	for i, k := range kinds {
		switch k {
		case kindNone, kindRuns:
		case kindDelta:
			if differ++; !deltas || differ > maxRuns {
				return nil, corruptf(int64(i), "kinds", "kind %d in form %d, or more than %d", k, form, maxRuns)
			}
		case kindUniform:
			cell := values.Uvarint()
			if cell > uint64(voxel.MaxCell) || !v.valid(voxel.Cell(cell)) {
				values.Fail(fmt.Errorf("cell %d", cell))
			}
			if values.Err() != nil {
				return nil, values.Err()
			}
			chunks[i] = voxel.Uniform(voxel.Cell(cell))
		default:
			return nil, corruptf(int64(i), "kinds", "kind %d", k)
		}
	}
	if err := values.End(); err != nil {
		return nil, err
	}
	page := &cellsPage{chunks: chunks}
	if form == formLit {
		return page, decodeLit(dec, page, streams[litOctants:], at, kinds, kind)
	}
	streams, as := streams[cellCodec:], codec.Form(form)
	if deltas {
		var err error
		if page.deltas, err = decodeDeltas(ctx, streams, kinds, v); err != nil {
			return nil, err
		}
		streams, as = streams[deltaCodec-cellCodec:], codec.Columns
	}
	return page, decodeRuns(dec, chunks, as, streams, at, kinds, v)
}

// holds reports whether pages of the volume may have a form of package codec.
func (v *volume) holds(form codec.Form) bool {
	switch form {
	case codec.Columns:
		return true
	case codec.Relief:
		return v.Schema == voxel.Terrain
	case codec.Images, codec.Odds:
		return v.Schema != voxel.Terrain
	}
	return false
}

func decodeRuns(dec *codec.Decoder, chunks []*voxel.Chunk, form codec.Form, streams [][]byte, at []geom.ChunkPos, kinds []byte, v *volume) error {
	order, heights := towersOf(at, kinds)
	if len(order) > maxRuns {
		return corruptf(0, "kinds", "%d chunks of runs, at most %d", len(order), maxRuns)
	}
	if len(order) == 0 {
		if len(streams) > 0 {
			return corruptf(0, "page", "%d streams for no chunk", len(streams))
		}
		return nil
	}
	runs := make([]*voxel.Chunk, 0, len(order))
	if form != codec.Relief {
		if err := validTable(v, streams); err != nil {
			return err
		}
	}
	runs, err := dec.Decode(runs, form, streams, heights, topmost(at, order, heights))
	if err != nil {
		return err
	}
	for i, n := range order {
		chunks[n] = runs[i]
	}
	return nil
}

// validTable checks the cells in the streams of a form. Relief has no such streams.
func validTable(v *volume, streams [][]byte) error {
	table, err := codec.Table(streams)
	if err != nil {
		return err
	}
	for _, c := range table {
		if !v.valid(c) {
			return corruptf(0, "table", "cell %d", c)
		}
	}
	return nil
}
