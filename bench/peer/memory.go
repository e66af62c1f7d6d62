package peer

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world/chunk"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Memory is the heap memory of the cells of worlds in bytes: the live bytes after a garbage
// collection, less those before the world was loaded. Data that all worlds of a process share
// does not count: cairn's table of rows (2 MiB), dragonfly's block registry.
type Memory struct {
	Kind    string `json:"kind"`
	Worlds  int    `json:"worlds"`
	Columns int    `json:"columns"`
	Cells   int    `json:"cells"` // blocks that are not empty
	// Blocks is cairn's map of block chunks with their mips, Mips the part of
	// these, Light the same of sky and block light, without mips.
	Blocks int64 `json:"blocks"`
	Mips   int64 `json:"mips"`
	Light  int64 `json:"light"`
	// PeerBlocks is dragonfly's map of chunks, compacted, without light.
	// PeerStorages is of these only the sub chunks that are not empty, without
	// biomes, height maps and the chunks themselves.
	PeerBlocks   int64 `json:"peer_blocks"`
	PeerStorages int64 `json:"peer_storages"`
	// PeerLight is 2048 bytes for each array of light that is not all dark or
	// all bright; dragonfly shares those it never wrote to.
	PeerLight int64 `json:"peer_light"`
}

// Add adds the numbers of o to m.
func (m *Memory) Add(o Memory) {
	m.Worlds += o.Worlds
	m.Columns += o.Columns
	m.Cells += o.Cells
	m.Blocks += o.Blocks
	m.Mips += o.Mips
	m.Light += o.Light
	m.PeerBlocks += o.PeerBlocks
	m.PeerStorages += o.PeerStorages
	m.PeerLight += o.PeerLight
}

// MeasureMemory loads one world in both forms, one after the other.
func MeasureMemory(dir string) (Memory, error) {
	m := Memory{Worlds: 1}
	for _, measure := range []func(string) error{m.blocks, m.light, m.peer} {
		if err := measure(dir); err != nil {
			return Memory{}, err
		}
	}
	return m, nil
}

// live returns the bytes of the heap that are in use.
func live() int64 {
	runtime.GC()
	runtime.GC() // the first leaves what pools hold
	var st runtime.MemStats
	runtime.ReadMemStats(&st)
	return int64(st.HeapAlloc)
}

// filler is a Sink that takes dimensions and columns.
type filler struct {
	discard
	dimension func(*format.Dimension)
	column    func(*format.Column)
}

func (f filler) Dimension(d *format.Dimension) error {
	f.dimension(d)
	return nil
}

func (f filler) Column(c *format.Column) error {
	f.column(c)
	return nil
}

// load reads a world, without chunks that are damaged.
func load(dir string, s format.Sink) error {
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	var damage *format.DamageError
	if err := w.Read(context.Background(), s); !errors.As(err, &damage) {
		return err
	}
	return nil
}

// held returns the chunks of the named volumes of every dimension, and nothing
// else of the world.
func held(dir string, volumes ...string) ([]*convert.LoadedVolume, error) {
	l := convert.NewLoader(format.Head{})
	if err := load(dir, l); err != nil {
		return nil, err
	}
	var out []*convert.LoadedVolume
	for _, d := range l.World().Dimensions {
		for _, name := range volumes {
			out = append(out, d.Volume(name))
		}
	}
	return out, nil
}

func (m *Memory) blocks(dir string) error {
	before := live()
	volumes, err := held(dir, voxel.Block)
	if err != nil {
		return err
	}
	for _, v := range volumes {
		rule := &voxel.Rule{Schema: voxel.Palette, Empties: airs(v.Names)}
		v.Names = nil
		for _, c := range v.Chunks {
			c.Mip(rule, 1)
			m.Cells += c.CountNonEmpty()
			m.Mips += int64(c.MipBytes())
		}
	}
	m.Blocks = live() - before
	runtime.KeepAlive(volumes)
	return nil
}

// airs returns the cells of the names of air but the first.
func airs(names []string) []voxel.Cell {
	var cells []voxel.Cell
	for i, name := range names {
		if i > 0 && strings.HasSuffix(name, "_air") {
			cells = append(cells, voxel.Cell(i))
		}
	}
	return cells
}

func (m *Memory) light(dir string) error {
	before := live()
	volumes, err := held(dir, voxel.Sky, voxel.Light)
	m.Light = live() - before
	runtime.KeepAlive(volumes)
	return err
}

// lightBytes returns what dragonfly holds of an array of a section's light.
func lightBytes(b []byte) int64 {
	if len(b) == 0 || (b[0] == 0 || b[0] == 0xFF) && bytes.Count(b, b[:1]) == len(b) {
		return 0
	}
	return int64(len(b))
}

// registry is a chunk.BlockRegistry that knows air and nothing else, which is
// all that setting blocks by runtime id asks for.
type registry struct{ chunk.BlockRegistry }

// AirRuntimeID returns our empty cell.
func (registry) AirRuntimeID() uint32 { return uint32(voxel.Empty) }

func (m *Memory) peer(dir string) error {
	before := live()
	var worlds []map[geom.ColumnPos]*chunk.Chunk
	err := load(dir, filler{
		dimension: func(*format.Dimension) { worlds = append(worlds, map[geom.ColumnPos]*chunk.Chunk{}) },
		column: func(c *format.Column) {
			worlds[len(worlds)-1][c.Pos] = peerChunk(c)
			m.Columns++
			for _, cells := range c.Cells {
				m.PeerLight += lightBytes(cells.Sky) + lightBytes(cells.Light)
			}
		},
	})
	m.PeerBlocks = live() - before
	runtime.KeepAlive(worlds)
	storages := filled(worlds)
	worlds = nil
	m.PeerStorages = live() - before
	runtime.KeepAlive(storages)
	return err
}

// peerChunk returns the column as dragonfly's chunk, of the height that it
// needs, at least 256.
func peerChunk(c *format.Column) *chunk.Chunk {
	low, high := heights(c)
	p := chunk.New(registry{}, cube.Range{low * 16, high*16 + 15})
	for i, s := range c.Sections {
		if len(c.Cells[i].Block) > 0 {
			peerSection(p.Sub()[int(s.Y)-low], blocks(c.Cells[i]))
		}
	}
	p.Compact()
	return p
}

// heights returns the lowest and the highest section of a chunk of the peers'
// that holds the column.
func heights(c *format.Column) (low, high int) {
	high = 15
	for i, s := range c.Sections {
		if len(c.Cells[i].Block) > 0 {
			low, high = min(low, int(s.Y)), max(high, int(s.Y))
		}
	}
	return low, high
}

// blocks returns the cells of a section's blocks, index y*256+z*16+x.
func blocks(c format.Cells) func(i int) voxel.Cell {
	if len(c.Block) == 1 {
		return func(int) voxel.Cell { return c.Block[0] }
	}
	return func(i int) voxel.Cell { return c.Block[i] }
}

func peerSection(sub *chunk.SubChunk, cell func(i int) voxel.Cell) {
	for i := range 4096 {
		if v := cell(i); v != voxel.Empty {
			sub.SetBlock(byte(i&15), byte(i>>8), byte(i>>4&15), 0, uint32(v))
		}
	}
}

// filled returns the sub chunks that are not empty.
func filled(worlds []map[geom.ColumnPos]*chunk.Chunk) []map[geom.ColumnPos][]*chunk.SubChunk {
	out := make([]map[geom.ColumnPos][]*chunk.SubChunk, len(worlds))
	for i, world := range worlds {
		out[i] = make(map[geom.ColumnPos][]*chunk.SubChunk, len(world))
		for pos, c := range world {
			for _, sub := range c.Sub() {
				if !sub.Empty() {
					out[i][pos] = append(out[i][pos], sub)
				}
			}
		}
	}
	return out
}
