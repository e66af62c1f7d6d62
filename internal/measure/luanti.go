package measure

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// luantiMap is the file of a Luanti world that has its blocks.
const luantiMap = "map.sqlite"

var errLuanti = errors.New("measure: not a sound block of Luanti")

func isLuanti(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, luantiMap))
	return err == nil && info.Mode().IsRegular()
}

// loadLuanti reads the cells of a Luanti world, to be measured: nodes by name, what
// else is in them (param2), and both banks of light. Nothing else is read. Source:
// world_format.md of Luanti, blocks of version 25 to 29.
func loadLuanti(dir string) (*convert.World, error) {
	file, err := os.ReadFile(filepath.Join(dir, luantiMap))
	if err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	return readLuanti(file)
}

func readLuanti(file []byte) (*convert.World, error) {
	chunks := map[geom.ChunkPos][]luantiBlock{}
	err := sqliteTable(file, "blocks", func(n int64, data []byte) error {
		var at [3]int32 // 12 bits each, signed, the lower ones borrowing from the higher
		for i := range at {
			at[i] = int32(n << 52 >> 52) // the lowest 12 bits
			n = (n - int64(at[i])) >> 12
		}
		pos := geom.ChunkPos{X: at[0] >> 1, Y: at[1] >> 1, Z: at[2] >> 1}
		chunks[pos] = append(chunks[pos], luantiBlock{at, bytes.Clone(data)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	l := newLuantiLoader()
	defer l.unzip.Close()
	for _, pos := range slices.SortedFunc(maps.Keys(chunks), compareStacks) {
		blocks := chunks[pos]
		slices.SortFunc(blocks, func(a, b luantiBlock) int { return slices.Compare(a.at[:], b.at[:]) })
		if err := l.chunk(pos, blocks); err != nil {
			return nil, fmt.Errorf("measure: chunk %v: %w", pos, err)
		}
	}
	return &convert.World{Dimensions: []*convert.Dimension{{Name: "luanti", Volumes: l.volumes[:]}}}, nil
}

// luantiBlock is 16x16x16 nodes; at counts such blocks.
type luantiBlock struct {
	at   [3]int32
	data []byte
}

const (
	luantiNodes = 4096
	maxLuanti   = 1 << 24 // bytes of a part of a block before compression
)

// Volumes of a Luanti world.
const (
	luantiNode = iota
	luantiParam
	luantiDay
	luantiNight
	luantiVolumes
)

type luantiLoader struct {
	names   map[string]voxel.Cell
	volumes [luantiVolumes]*convert.Volume
	cells   [luantiVolumes][voxel.ChunkCells]voxel.Cell
	pack    voxel.Builder
	unzip   *zstd.Decoder
}

func newLuantiLoader() *luantiLoader {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxLuanti))
	if err != nil {
		panic("measure: zstd decoder options: " + err.Error())
	}
	l := &luantiLoader{names: map[string]voxel.Cell{"air": voxel.Empty}, unzip: d}
	for i, v := range []voxel.Volume{
		{Name: voxel.Block, Scale: 1},
		{Name: "param2", Schema: voxel.Level, Scale: 1},
		{Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15},
		{Name: voxel.Light, Schema: voxel.Level, Scale: 1},
	} {
		l.volumes[i] = &convert.Volume{Volume: v, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	}
	l.volumes[luantiNode].Names = []string{"air"}
	return l
}

// chunk adds the chunk that blocks are in.
func (l *luantiLoader) chunk(pos geom.ChunkPos, blocks []luantiBlock) error {
	for i, v := range l.volumes {
		for j := range l.cells[i] {
			l.cells[i][j] = v.Default
		}
	}
	for _, b := range blocks {
		nodes, ids, err := l.read(b.data)
		if err == nil {
			err = l.block(b.at, nodes, ids)
		}
		if err != nil {
			return err
		}
	}
	for i, v := range l.volumes {
		v.Chunks[pos] = l.pack.Pack(&l.cells[i])
	}
	return nil
}

// block puts the nodes of a block into the cells.
func (l *luantiLoader) block(at [3]int32, nodes []byte, ids map[uint16]string) error {
	from := int(at[1]&1)<<14 | int(at[2]&1)<<9 | int(at[0]&1)<<4
	for i := range luantiNodes {
		name, ok := ids[binary.BigEndian.Uint16(nodes[2*i:])]
		if !ok {
			return errLuanti
		}
		cell, ok := l.names[name]
		if !ok {
			names := &l.volumes[luantiNode].Names
			if len(*names) > int(voxel.MaxCell) {
				return errLuanti
			}
			cell = voxel.Cell(len(*names))
			l.names[name], *names = cell, append(*names, name)
		}
		to := from | i>>4&15<<10 | i>>8<<5 | i&15
		light := nodes[2*luantiNodes+i]
		l.cells[luantiNode][to], l.cells[luantiParam][to] = cell, voxel.Cell(nodes[3*luantiNodes+i])
		l.cells[luantiDay][to], l.cells[luantiNight][to] = voxel.Cell(light&15), voxel.Cell(light>>4)
	}
	return nil
}

// read returns the nodes of a block (two bytes each, a byte each of light and of
// what else, in order of z, y, x) and the names of their numbers.
func (l *luantiLoader) read(data []byte) (nodes []byte, ids map[uint16]string, err error) {
	c := &luantiCursor{b: data}
	switch version := c.uint(1); {
	case version == 29:
		return l.read29(c)
	case version >= 25 && version <= 28:
		c.skip(1 + map[bool]int{true: 2}[version >= 27])
	default:
		return nil, nil, fmt.Errorf("version %d: %w", version, errLuanti)
	}
	c.widths()
	nodes = c.inflate(4 * luantiNodes)
	c.inflate(maxLuanti) // of nodes
	c.skip(1)
	for range c.uint(2) { // objects: kind, place, data
		c.skip(1 + 12)
		c.skip(c.uint(2))
	}
	c.skip(4) // when
	ids = c.names()
	return nodes, ids, c.end(nodes)
}

func (l *luantiLoader) read29(c *luantiCursor) (nodes []byte, ids map[uint16]string, err error) {
	b, err := l.unzip.DecodeAll(c.b, nil)
	if err != nil {
		return nil, nil, err
	}
	c = &luantiCursor{b: b}
	c.skip(1 + 2 + 4)
	ids = c.names()
	c.widths()
	nodes = c.bytes(4 * luantiNodes)
	return nodes, ids, c.end(nodes)
}

// luantiCursor reads a block; what is read behind an error is nothing.
type luantiCursor struct {
	b   []byte
	err error
}

func (c *luantiCursor) bytes(n int) []byte {
	if n > len(c.b) {
		c.b, c.err = nil, cmp.Or(c.err, errLuanti)
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *luantiCursor) skip(n int) { c.bytes(n) }

func (c *luantiCursor) uint(size int) (n int) {
	for _, b := range c.bytes(size) {
		n = n<<8 | int(b)
	}
	return n
}

// widths reads that a node has two bytes of content, and two others.
func (c *luantiCursor) widths() {
	if w := c.uint(2); w != 0x0202 {
		c.err = cmp.Or(c.err, errLuanti)
	}
}

func (c *luantiCursor) names() map[uint16]string {
	ids := map[uint16]string{}
	c.skip(1)
	for range c.uint(2) {
		id := c.uint(2)
		ids[uint16(id)] = string(c.bytes(c.uint(2)))
	}
	return ids
}

// inflate reads a stream of zlib that holds at most so many bytes.
func (c *luantiCursor) inflate(most int) []byte {
	r := bytes.NewReader(c.b)
	z, err := zlib.NewReader(r)
	var out []byte
	if err == nil {
		out, err = io.ReadAll(io.LimitReader(z, int64(most)+1))
	}
	if err == nil && len(out) > most {
		err = errLuanti
	}
	c.b, c.err = c.b[len(c.b)-r.Len():], cmp.Or(c.err, err)
	return out
}

func (c *luantiCursor) end(nodes []byte) error {
	if c.err == nil && len(nodes) != 4*luantiNodes {
		c.err = errLuanti
	}
	return c.err
}
