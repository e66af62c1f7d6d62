package stone

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Kinds of a chunk in a page of cells.
const (
	kindNone    = 0 // no cells
	kindUniform = 1 // one value, in the stream of values
	kindRuns    = 2 // in the streams of the form
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
	chunks []*voxel.Chunk
}

// pageless returns what an entry without a page says of the cube's chunks, if
// they are all of one cell or all without cells.
func (c *cube) pageless() (e entry, ok bool) {
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

// runs counts the chunks that are not uniform.
func (c *cube) runs() (n int) {
	for _, ch := range c.chunks {
		if kindOf(ch) == kindRuns {
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

// positions returns where the chunks of a mask are.
func positions(dst []geom.ChunkPos, key, mask uint64) []geom.ChunkPos {
	for ; mask != 0; mask &= mask - 1 {
		dst = append(dst, cubeChunk(key, bits.TrailingZeros64(mask)))
	}
	return dst
}

// stackUp returns the indexes of the chunks of kindRuns in the order in which a
// page holds them: by z, x, y; and the heights of the stacks they form.
func stackUp(at []geom.ChunkPos, kinds []byte) (order, heights []int) {
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
		if n > 0 && at[i].X == at[order[n-1]].X && at[i].Z == at[order[n-1]].Z && heights[len(heights)-1] < codec.MaxStack {
			heights[len(heights)-1]++
			continue
		}
		heights = append(heights, 1)
	}
	return order, heights
}

// cellPage returns the streams of the page of cubes.
func cellPage(enc *codec.Encoder, cubes []cube) [][]byte {
	var at []geom.ChunkPos
	var chunks []*voxel.Chunk
	for _, c := range cubes {
		at = positions(at, c.key, c.mask)
		chunks = append(chunks, c.chunks...)
	}
	kinds := make([]byte, len(chunks))
	var values []byte
	for i, c := range chunks {
		kinds[i] = kindOf(c)
		if kinds[i] == kindUniform {
			v, _ := c.Uniform()
			values = binary.AppendUvarint(values, uint64(v))
		}
	}
	order, heights := stackUp(at, kinds)
	var stacks []codec.Stack
	for _, h := range heights {
		s := make(codec.Stack, h)
		for i := range s {
			s[i] = chunks[order[i]]
		}
		order = order[h:]
		stacks = append(stacks, s)
	}
	streams := [][]byte{kinds, values}
	if len(stacks) > 0 {
		streams = append(streams, enc.Encode(stacks)...)
	}
	return streams
}

// decodeCells returns the chunks at at, in that order, from a page of a volume
// whose cells are valid by ok.
func decodeCells(dec *codec.Decoder, form byte, streams [][]byte, at []geom.ChunkPos, ok func(voxel.Cell) bool) ([]*voxel.Chunk, error) {
	if codec.Form(form) != codec.Columns || len(streams) < cellCodec {
		return nil, corruptf(0, "page", "form %d with %d streams", form, len(streams))
	}
	kinds := streams[cellKinds]
	if len(kinds) != len(at) {
		return nil, corruptf(0, "page", "%d chunks, the directory has %d", len(kinds), len(at))
	}
	chunks := make([]*voxel.Chunk, len(at))
	values := cursor{b: streams[cellValues], part: "values"}
	for i, k := range kinds {
		switch k {
		case kindNone, kindRuns:
		case kindUniform:
			v := values.uvarint()
			if v > uint64(voxel.MaxCell) || !ok(voxel.Cell(v)) {
				values.fail(fmt.Errorf("cell %d", v))
			}
			if values.err != nil {
				return nil, values.err
			}
			chunks[i] = voxel.Uniform(voxel.Cell(v))
		default:
			return nil, corruptf(int64(i), "kinds", "kind %d", k)
		}
	}
	if err := values.end(); err != nil {
		return nil, err
	}
	if err := decodeRuns(dec, chunks, streams[cellCodec:], at, kinds, ok); err != nil {
		return nil, err
	}
	return chunks, nil
}

func decodeRuns(dec *codec.Decoder, chunks []*voxel.Chunk, streams [][]byte, at []geom.ChunkPos, kinds []byte, ok func(voxel.Cell) bool) error {
	order, heights := stackUp(at, kinds)
	if len(order) > maxRuns {
		return corruptf(0, "kinds", "%d chunks of runs, at most %d", len(order), maxRuns)
	}
	if len(order) == 0 {
		if len(streams) > 0 {
			return corruptf(0, "page", "%d streams for no chunk", len(streams))
		}
		return nil
	}
	table, err := codec.Table(streams)
	if err != nil {
		return err
	}
	for _, c := range table {
		if !ok(c) {
			return corruptf(0, "table", "cell %d", c)
		}
	}
	runs, err := dec.Decode(make([]*voxel.Chunk, 0, len(order)), streams, heights)
	if err != nil {
		return err
	}
	for i, n := range order {
		chunks[n] = runs[i]
	}
	return nil
}
