package luanti

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// chunkCells is the number of cells of a chunk, and chunkShift the bits of a coordinate in the index of one.
const (
	chunkCells = 1 << (3 * geom.ChunkShift)
	chunkShift = geom.ChunkShift
)

// unnamed begins the name of a node whose id has no name: the id follows.
const unnamed = "unnamed:"

// maxHeld bounds the bytes of metadata and other objects in four columns.
const maxHeld = 64 << 20

// tower makes chunks and columns of the map blocks over a footprint of four columns. They come chunk by chunk.
type tower struct {
	dim     *format.Dimension
	usual   uint8 // the version of map blocks that is not noted
	columns [4]format.Column
	beyond  [4][]byte // the entries of PartBlocks: compounds, each with its end
	counts  [4]int    // of them
	held    int
	pool    [][blockNodes]voxel.Cell
	used    int
	extras  [3][chunkCells]voxel.Cell // by extraVolumes
	some    [3]voxel.Cell             // all of them, or'ed
	far     *[chunkCells]voxel.Cell   // blocks of the chunk, where no section can be
	builder voxel.ChunkBuilder
	ids     [1 << 16]uint16 // 1 + the cell of an id of the map block
}

// begin begins the footprint of a map block.
func (t *tower) begin(p blockPos) {
	for i, pos := range p.chunk().Columns() {
		c := &t.columns[i]
		*c = format.Column{Column: voxel.Column{Pos: pos, Sections: c.Sections[:0]}, Cells: c.Cells[:0]}
	}
	t.used, t.held, t.counts = 0, 0, [4]int{}
	for i := range t.beyond {
		t.beyond[i] = t.beyond[i][:0]
	}
}

// add adds a map block.
func (t *tower) add(p blockPos, m *mapBlock) error {
	if t.held += m.size - len(m.nodes); t.held > maxHeld {
		return corrupt(-1, "metadata", fmt.Errorf("more than %d bytes over 32x32 nodes", maxHeld))
	}
	cells, err := t.cells(m)
	if err != nil {
		return err
	}
	t.addObjects(p, m)
	t.addExtras(p, m)
	tags := m.appendHeader(nil, m.usual(t.usual))
	if p.isSection() {
		t.addSection(p, voxel.HasBlock, tags, cells)
		return nil
	}
	if t.far == nil {
		t.far = new([chunkCells]voxel.Cell)
	}
	for i, c := range cells {
		t.far[p.cell(i&15, i>>8, i>>4&15)] = c
	}
	t.addBeyond(p, tags)
	return nil
}

// addStored adds a map block that nobody can read.
func (t *tower) addStored(p blockPos, b []byte) {
	tags := nbt.AppendByteArray(nil, tagStored, b)
	if p.isSection() {
		t.addSection(p, voxel.KeptBlock, tags, nil)
		return
	}
	t.addBeyond(p, tags)
}

// cell returns the index in its chunk of the node x, y, z of a map block.
func (p blockPos) cell(x, y, z int) int {
	min := p.box().Min
	return (min.Y+y)<<(2*chunkShift) | (min.Z+z)<<chunkShift | (min.X + x)
}

// cells returns the cells of a map block's nodes, index y*256 + z*16 + x, or one cell if all are the same.
func (t *tower) cells(m *mapBlock) ([]voxel.Cell, error) {
	names := t.dim.Volume(voxel.Block).Names
	for _, n := range m.names {
		if len(n.name) == 0 || !utf8.Valid(n.name) || bytes.HasPrefix(n.name, []byte(unnamed)) {
			return nil, corrupt(-1, "names", fmt.Errorf("%q, which no node is called", n.name))
		}
		c, err := names.Cell(string(n.name))
		if err != nil {
			return nil, err
		}
		t.ids[n.id] = uint16(c) + 1
	}
	defer func() {
		for _, n := range m.names {
			t.ids[n.id] = 0
		}
	}()
	if t.used == len(t.pool) {
		t.pool = append(t.pool, [blockNodes]voxel.Cell{})
	}
	out := &t.pool[t.used]
	same := true
	for i := range blockNodes {
		id := uint16(m.nodes[2*i])<<8 | uint16(m.nodes[2*i+1])
		c := voxel.Cell(t.ids[id])
		if c == 0 {
			var err error
			if c, err = names.Cell(unnamed + strconv.Itoa(int(id))); err != nil {
				return nil, err
			}
			c++
		}
		out[sectionIndex(i)] = c - 1
		same = same && c-1 == out[0]
	}
	if same {
		return out[:1:1], nil
	}
	t.used++
	return out[:], nil
}

// sectionIndex turns the index of a node in a map block, z*256 + y*16 + x, into that of its cell in a section, and back.
func sectionIndex(i int) int { return i>>4&15<<8 | i>>8<<4 | i&15 }

// addSection adds a section to its column. The cells of one that is all the same may be overwritten later.
func (t *tower) addSection(p blockPos, has voxel.Has, tags []byte, cells []voxel.Cell) {
	c := &t.columns[p.x&1|p.z&1<<1]
	if tags != nil {
		tags = nbt.AppendEnd(tags)
	}
	if len(cells) == 1 {
		cells = []voxel.Cell{cells[0]}
	}
	c.Sections = append(c.Sections, voxel.Section{Y: int8(p.y), Has: has, Tags: tags})
	c.Cells = append(c.Cells, format.Cells{Block: cells})
}

// addBeyond adds a map block that is no section to the part of its column.
func (t *tower) addBeyond(p blockPos, tags []byte) {
	i := p.x&1 | p.z&1<<1
	t.counts[i]++
	t.beyond[i] = nbt.AppendEnd(append(nbt.AppendInt(t.beyond[i], tagHeight, p.y), tags...))
}

// addExtras adds light and param2 of a map block to the chunk.
func (t *tower) addExtras(p blockPos, m *mapBlock) {
	for i := range blockNodes {
		at := p.cell(i&15, i>>4&15, i>>8)
		light := m.nodes[2*blockNodes+i]
		for k, v := range [3]byte{light & 15, light >> 4, m.nodes[3*blockNodes+i]} {
			t.extras[k][at] = voxel.Cell(v)
			t.some[k] |= voxel.Cell(v)
		}
	}
}

// addObjects adds what a map block has beside nodes to its column: metadata and timers by node, and static objects.
func (t *tower) addObjects(p blockPos, m *mapBlock) {
	c := &t.columns[p.x&1|p.z&1<<1]
	add := func(list string, o voxel.Object) {
		i := slices.IndexFunc(c.Lists, func(l voxel.List) bool { return l.Name == list })
		if i < 0 {
			i = len(c.Lists)
			c.Lists = append(c.Lists, voxel.List{Name: list})
		}
		c.Lists[i].Objects = append(c.Lists[i].Objects, o)
	}
	addNode := func(node uint16, payload []byte) {
		at := p.min().Add(geom.Point{X: int(node & 15), Y: int(node >> 4 & 15), Z: int(node >> 8)})
		add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: at, Payload: nbt.AppendEnd(payload)})
	}
	timers := map[uint16]int{} // by node, which has one
	for i, tm := range m.timers {
		timers[tm.node] = i
	}
	both := map[int]bool{}
	for _, d := range m.meta {
		payload := d.payload()
		if i, ok := timers[d.node]; ok {
			both[i] = true
			delete(timers, d.node)
			payload = append(payload, m.timers[i].payload()...)
		}
		addNode(d.node, payload)
	}
	for i, tm := range m.timers {
		if !both[i] {
			addNode(tm.node, tm.payload())
		}
	}
	for _, s := range m.statics {
		add(voxel.Entities, s.object(p))
	}
}

// endChunk passes on what a chunk has beside sections.
func (t *tower) endChunk(pos geom.ChunkPos, to format.Sink) error {
	for k, name := range extraVolumes {
		if t.some[k] == 0 {
			continue
		}
		if err := to.Chunk(name, pos, t.builder.FromFlat(&t.extras[k])); err != nil {
			return err
		}
		t.extras[k], t.some[k] = [chunkCells]voxel.Cell{}, 0
	}
	if t.far == nil {
		return nil
	}
	far := t.far
	t.far = nil
	return to.Chunk(voxel.Block, pos, t.builder.FromFlat(far))
}

// end passes on the columns that have map blocks.
func (t *tower) end(to format.Sink) error {
	for i := range t.columns {
		c := &t.columns[i]
		if t.counts[i] > 0 {
			doc := nbt.AppendList(nbt.AppendHeader(nil, nbt.Compound, ""), tagBlocks, nbt.Compound, t.counts[i])
			c.Parts = []voxel.Part{{Name: PartBlocks, Data: nbt.AppendEnd(append(doc, t.beyond[i]...))}}
		}
		if len(c.Sections) == 0 && len(c.Parts) == 0 {
			continue
		}
		if err := to.Column(c); err != nil {
			return err
		}
	}
	return nil
}
