package luanti

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// maxHeld bounds the bytes of metadata and other objects in four columns.
const maxHeld = 64 << 20

// tower makes chunks and columns of the map blocks over a footprint of four columns. They come chunk by chunk.
type tower struct {
	dim     *format.Dimension
	to      format.Sink
	usual   uint8 // the version of map blocks that is not noted
	columns [4]format.Column
	beyond  [4][]nbt.Value // the list of PartBlocks
	held    int
	cells   [4][voxel.ChunkCells]voxel.Cell // of the chunk, by volumes: blocks where no section can be alone
	some    [4]voxel.Cell                   // all of them, or'ed
	builder voxel.ChunkBuilder
	ids     [1 << 16]uint16 // 1 + the cell of an id of the map block
}

// add adds a map block.
func (t *tower) add(p blockPos, m *mapBlock) error {
	if t.held += m.size - len(m.nodes); t.held > maxHeld {
		return corrupt(-1, "metadata", fmt.Errorf("more than %d bytes over 32x32 nodes", maxHeld))
	}
	cells, err := t.blocks(m)
	if err != nil {
		return err
	}
	t.addObjects(p, m)
	k := kept{}
	if m.header != m.usual(t.usual) {
		k.head = m.header.bytes()
	}
	t.addKept(p, k, cells)
	min := p.inChunk().Min
	for i := range blockNodes {
		at := (min.Y+i>>4&15)<<(2*geom.ChunkShift) | (min.Z+i>>8)<<geom.ChunkShift | (min.X + i&15)
		light, block := m.nodes[2*blockNodes+i], voxel.Cell(0)
		if !p.isSection() {
			block = cells[sectionIndex(i)]
		}
		for v, c := range [4]voxel.Cell{block, voxel.Cell(light & 15), voxel.Cell(light >> 4), voxel.Cell(m.nodes[3*blockNodes+i])} {
			t.cells[v][at] = c
			t.some[v] |= c
		}
	}
	return nil
}

// addKept adds a section with its cells, or where none can be an entry to the part of the column. Without cells nobody could
// read the map block.
func (t *tower) addKept(p blockPos, k kept, cells []voxel.Cell) {
	i := p.x&1 | p.z&1<<1
	if !p.isSection() {
		t.beyond[i] = append(t.beyond[i], append(nbt.Entries{{Name: tagHeight, Value: p.y}}, k.entries()...))
		return
	}
	s := voxel.Section{Y: int8(p.y), Has: voxel.HasBlock}
	if cells == nil {
		s.Has = voxel.KeptBlock
	}
	if e := k.entries(); e != nil {
		s.Tags = payloadOf(e)
	}
	c := &t.columns[i]
	c.Sections, c.Cells = append(c.Sections, s), append(c.Cells, format.Cells{Block: cells})
}

// blocks returns the cells of a map block's nodes, as a section has them.
func (t *tower) blocks(m *mapBlock) ([]voxel.Cell, error) {
	names := t.dim.Volumes[0].Names
	clear(t.ids[:])
	for _, n := range m.names {
		if len(n.name) == 0 || !utf8.Valid(n.name) {
			return nil, corrupt(-1, "names", fmt.Errorf("%q, which no node is called", n.name))
		}
		c, err := names.Cell(string(n.name))
		if err != nil {
			return nil, err
		}
		t.ids[n.id] = uint16(c) + 1
	}
	out := make([]voxel.Cell, blockNodes)
	for i := range out {
		id := binary.BigEndian.Uint16(m.nodes[2*i:])
		if t.ids[id] == 0 {
			return nil, corrupt(-1, "names", fmt.Errorf("node %d has the id %d, which has no name", i, id))
		}
		out[sectionIndex(i)] = voxel.Cell(t.ids[id] - 1)
	}
	return out, nil
}

// sectionIndex turns the index of a node in a map block, z*256 + y*16 + x, into that of its cell in a section, and back.
func sectionIndex(i int) int { return i>>4&15<<8 | i>>8<<4 | i&15 }

// addObjects adds what a map block has beside nodes to its column: metadata and timers by node, and static objects.
func (t *tower) addObjects(p blockPos, m *mapBlock) {
	c := &t.columns[p.x&1|p.z&1<<1]
	if c.Lists == nil {
		c.Lists = []voxel.List{{Name: voxel.BlockEntities}, {Name: voxel.Entities}}
	}
	add := func(node uint16, e nbt.Entries) {
		at := p.min().Add(geom.Point{X: int(node & 15), Y: int(node >> 4 & 15), Z: int(node >> 8)})
		c.Lists[0].Objects = append(c.Lists[0].Objects, voxel.Object{Place: voxel.Moved, At: at, Payload: payloadOf(e)})
	}
	for _, d := range m.meta {
		add(d.node, d.entries())
	}
	for _, tm := range m.timers {
		add(tm.node, nbt.Entries{{Name: tagTimer, Value: []int32{tm.timeout, tm.elapsed}}})
	}
	for _, s := range m.statics {
		c.Lists[1].Objects = append(c.Lists[1].Objects, s.object(p))
	}
}

// endChunk passes on what a chunk has beside sections.
func (t *tower) endChunk(pos geom.ChunkPos) error {
	for k, name := range volumes {
		if t.some[k] == 0 {
			continue
		}
		if err := t.to.Chunk(name, pos, t.builder.FromFlat(&t.cells[k])); err != nil {
			return err
		}
		clear(t.cells[k][:])
		t.some[k] = 0
	}
	return nil
}

// end passes on the columns over the footprint of a chunk that have map blocks, and begins the next footprint.
func (t *tower) end(pos geom.ChunkPos) error {
	for i, at := range pos.Columns() {
		c := t.columns[i]
		c.Pos = at
		if list := t.beyond[i]; list != nil {
			e := nbt.Entries{{Name: tagBlocks, Value: nbt.Items{Elem: nbt.Compound, Values: list}}}
			c.Parts = []voxel.Part{{Name: PartBlocks, Data: nbt.Append(nil, "", e)}}
		}
		t.columns[i], t.beyond[i] = format.Column{}, nil
		if len(c.Sections) == 0 && len(c.Parts) == 0 {
			continue
		}
		if err := t.to.Column(&c); err != nil {
			return err
		}
	}
	t.held = 0
	return nil
}
