package anvil

import (
	"bytes"
	"errors"
	"math/bits"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/block"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	sectionCells = 4096
	biomeCells   = 64
	nibbles      = sectionCells / 2
	maxSections  = 256 // as many as a byte of height tells apart
	// maxEntry bounds a palette entry in bytes; the name of an odd one is twice
	// as long.
	maxEntry = 1 << 10
)

var errEntry = errors.New("a palette entry of too many bytes")

// sections makes the column's sections from d.items, the elements of g. Each element
// must have a height; another list stays a tag. Parts of a section that differ from
// what the game writes stay tags too.
func (d *decoder) sections(g *tag) {
	if _, n := g.list(nbt.Compound); n == 0 || n != len(d.items) {
		return
	}
	for _, it := range d.items {
		tags := d.itemTags[it.from:it.to]
		y, ok := sectionHeight(tags)
		if !ok {
			d.col.Sections, d.col.Cells = d.col.Sections[:0], d.col.Cells[:0]
			return
		}
		s, cells := voxel.Section{Y: y, Tags: it.payload}, format.Cells{}
		if slot := &d.seen[int(y)+128]; !*slot && unique(tags) && find(tags, tagProperties) == nil {
			*slot = true
			cells = d.section(&s, tags)
		} else {
			d.kept++
		}
		d.col.Sections, d.col.Cells = append(d.col.Sections, s), append(d.col.Cells, cells)
	}
	g.taken = true
	d.noteProperties()
	if d.form != formNone && d.form != formOf(d.col.Version) {
		d.col.Layout |= uint16(d.form) << layoutForm
	}
	if d.long != longsUnknown && (d.long == longsStraddling) != block.Straddles(d.col.Version) {
		d.col.Layout |= layoutStraddle
	}
}

// sectionHeight returns the height of a section. The game writes a byte, some
// tools an int, which then stays in Section.Tags.
func sectionHeight(tags []tag) (int8, bool) {
	g := find(tags, "Y")
	if g != nil && g.t == nbt.Byte {
		return int8(g.payload()[0]), true
	}
	v, ok := g.int()
	return int8(v), ok && int32(int8(v)) == v
}

// section takes what it can from the tags of a section.
func (d *decoder) section(s *voxel.Section, tags []tag) (c format.Cells) {
	if g := find(tags, "Y"); g.t == nbt.Byte {
		g.taken = true
	}
	f, held := formIn(tags)
	if d.form == formNone || d.form == f {
		switch f {
		case formNumeric:
			c.Block = d.numericBlocks(tags)
		case formPalette:
			c.Block = d.keepProperties(d.palette(find(tags, "Palette"), find(tags, "BlockStates")))
		case formStates:
			c.Block = d.keepProperties(d.states(find(tags, "block_states")))
			c.Biome = d.biomeStates(find(tags, "biomes"))
		}
	}
	if c.Block != nil {
		d.form = f
		s.Has |= voxel.HasBlock
	}
	if c.Biome != nil {
		d.form = formStates
		s.Has |= voxel.HasBiome
	}
	if held && c.Block == nil || c.Biome == nil && find(tags, "biomes") != nil {
		d.kept++
	}
	if c.Sky = take(find(tags, "SkyLight")); c.Sky != nil {
		s.Has |= voxel.HasSky
	}
	if c.Light = take(find(tags, "BlockLight")); c.Light != nil {
		s.Has |= voxel.HasLight
	}
	var spare []byte
	if f == formStates {
		spare = append(d.spare(tags, "block_states", c.Block, nbt.Compound), d.spare(tags, "biomes", c.Biome, nbt.String)...)
	}
	s.Tags = d.restOf(tags, spare)
	return c
}

// spare returns a tag of that name with the palette entries that no cell uses,
// where all cells are one: longs beside a palette of one would not come back.
func (d *decoder) spare(tags []tag, name string, cells []voxel.Cell, elem nbt.Type) []byte {
	if len(cells) < 2 || !isOne(cells) {
		return nil
	}
	r := nbt.NewPayload(find(tags, name).payload(), nbt.Limits{})
	for t, key := r.Next(); string(key) != "palette"; t, key = r.Next() {
		r.Skip(t)
	}
	_, n := r.List()
	out := nbt.AppendList(nbt.AppendCompound(nil, name), "palette", elem, n-1)
	used := false
	for range n {
		at := r
		if c, _, err := d.entry(&at, elem); !used && err == nil && c == cells[0] {
			used, r = true, at
			continue
		}
		out = append(out, r.Raw(elem)...)
	}
	return nbt.AppendEnd(out)
}

func isOne(cells []voxel.Cell) bool {
	for _, c := range cells {
		if c != cells[0] {
			return false
		}
	}
	return true
}

// formIn returns the form of a section, and whether it has blocks.
func formIn(tags []tag) (f form, blocks bool) {
	switch {
	case find(tags, "block_states") != nil:
		return formStates, true
	case find(tags, "biomes") != nil:
		return formStates, false
	case find(tags, "Palette") != nil:
		return formPalette, true
	case find(tags, "Blocks") != nil:
		return formNumeric, true
	}
	return formNone, false
}

// take returns an array of half bytes, or nil.
func take(g *tag) []byte {
	b := g.bytes(nibbles)
	if b != nil {
		g.taken = true
	}
	return b
}

// restOf returns the payload of the tags that nothing stands for, and of more;
// nil if there are none.
func (d *decoder) restOf(tags []tag, more []byte) []byte {
	at := len(d.bytes)
	if d.bytes = append(appendRest(d.bytes, tags), more...); len(d.bytes) == at {
		return nil
	}
	d.bytes = nbt.AppendEnd(d.bytes)
	return d.bytes[at:len(d.bytes):len(d.bytes)]
}

// numericBlocks reads Blocks, Data and Add. An Add without bits stays a tag
// too, so that it comes back.
func (d *decoder) numericBlocks(tags []tag) []voxel.Cell {
	ids, data, add := find(tags, "Blocks"), find(tags, "Data"), find(tags, "Add")
	low, half, high := ids.bytes(sectionCells), data.bytes(nibbles), add.bytes(nibbles)
	if low == nil || half == nil || add != nil && high == nil {
		return nil
	}
	var cells []voxel.Cell
	if allOne(low) && allHalvesOne(half) && (high == nil || allHalvesOne(high)) {
		id := int(low[0])
		if high != nil {
			id |= int(high[0]&15) << 8
		}
		cells = d.oneNumeric(id, half[0])
	} else if cells = d.newCells(sectionCells); d.numeric.Unpack(low, high, half, cells) != nil {
		cells = nil
	}
	if cells == nil {
		return nil
	}
	ids.taken, data.taken = true, true
	if add != nil {
		add.taken = !zero(high)
	}
	return cells
}

// oneNumeric returns the cell of a section of one block, nil where the volume has
// no room for its name.
func (d *decoder) oneNumeric(id int, data byte) []voxel.Cell {
	c, err := d.numeric.Cell(id, data)
	if err != nil {
		return nil
	}
	return d.oneCell(c)
}

func allOne(b []byte) bool { return bytes.Equal(b[1:], b[:len(b)-1]) }

func allHalvesOne(b []byte) bool { return b[0]>>4 == b[0]&15 && allOne(b) }

func zero(b []byte) bool { return len(b) == 0 || b[0] == 0 && allOne(b) }

// palette reads a palette with its packed longs, which are there even for one
// entry.
func (d *decoder) palette(list, data *tag) []voxel.Cell {
	r, n := list.list(nbt.Compound)
	if data == nil || data.t != nbt.LongArray || !d.fillTable(&r, nbt.Compound, n) {
		return nil
	}
	cells := d.unpackBlocks(data.array(nbt.LongArray))
	if cells != nil {
		list.taken, data.taken = true, true
	}
	return cells
}

// states reads the blocks of a section of form formStates.
func (d *decoder) states(g *tag) []voxel.Cell {
	data, ok := d.container(g, nbt.Compound)
	if !ok {
		return nil
	}
	cells := d.oneCell(d.table[0])
	if len(d.table) > 1 {
		cells = d.unpackBlocks(data)
	}
	g.taken = cells != nil
	return cells
}

// container reads a compound that holds a palette, compounds for blocks and
// strings for biomes, and no more than packed longs beside it. These may be
// missing: then all cells are the palette's only entry.
func (d *decoder) container(g *tag, elem nbt.Type) (data []byte, ok bool) {
	if g == nil || g.t != nbt.Compound {
		return nil, false
	}
	d.table = d.table[:0]
	r := nbt.NewPayload(g.payload(), nbt.Limits{})
	for {
		t, name := r.Next()
		switch {
		case t == nbt.End:
			return data, r.Err() == nil && len(d.table) > 0
		case t == nbt.List && len(d.table) == 0 && string(name) == "palette":
			if e, n := r.List(); e != elem || !d.fillTable(&r, elem, n) {
				return nil, false
			}
		case t == nbt.LongArray && data == nil && string(name) == "data":
			data = r.LongArray()
		default:
			return nil, false
		}
	}
}

// oneCell returns c as the cells of a section that is all c.
func (d *decoder) oneCell(c voxel.Cell) []voxel.Cell {
	cells := d.newCells(1)
	cells[0] = c
	return cells
}

// fillTable fills d.table from the n entries of a palette that r is at: of
// compounds for blocks, of strings for biomes.
func (d *decoder) fillTable(r *nbt.Reader, elem nbt.Type, n int) bool {
	d.table, d.has = d.table[:0], d.has[:0]
	for range n {
		c, has, err := d.entry(r, elem)
		if err != nil {
			return false
		}
		d.table, d.has = append(d.table, c), append(d.has, has)
	}
	return n > 0
}

// entry reads one entry of a palette.
func (d *decoder) entry(r *nbt.Reader, elem nbt.Type) (c voxel.Cell, has block.Properties, err error) {
	switch raw := r.Raw(elem); {
	case len(raw) > maxEntry:
		return 0, 0, errEntry
	case elem == nbt.String:
		c, err = d.biomes.Biome(raw[2:])
		return c, has, err
	default:
		return d.blocks.Cell(raw)
	}
}

// unpackBlocks reads packed longs of indexes into d.table. The version and the
// size of the palette say how they are packed; where their number contradicts,
// the number does, as long as it is the same for all of the column.
func (d *decoder) unpackBlocks(data []byte) []voxel.Cell {
	size, straddle := d.packing(len(data) / 8)
	if len(d.table) == 1 && size == 4 && zero(data) {
		return d.oneCell(d.table[0])
	}
	cells := d.newCells(sectionCells)
	if size == 0 || block.UnpackLongs(data, size, straddle, d.table, cells) != nil {
		return nil
	}
	if 64%size != 0 {
		if d.long = longsPadded; straddle {
			d.long = longsStraddling
		}
	}
	return cells
}

// packing returns how n longs hold the indexes of a section; size is 0 if no
// way has as many.
func (d *decoder) packing(n int) (size int, straddle bool) {
	size = block.Bits(len(d.table), 4)
	straddle = d.long == longsStraddling || d.long == longsUnknown && block.Straddles(d.col.Version)
	switch {
	case block.Longs(sectionCells, size, straddle) == n:
		return size, straddle
	case d.long == longsUnknown && block.Longs(sectionCells, size, !straddle) == n:
		return size, !straddle
	}
	return sizeOf(n, straddle), straddle
}

// sizeOf returns the bits of an entry of a section that takes n longs, 0 if
// there is no such size.
func sizeOf(n int, straddle bool) int {
	for size := 4; size <= bits.Len(sectionCells-1)+1; size++ {
		if block.Longs(sectionCells, size, straddle) == n {
			return size
		}
	}
	return 0
}

// biomeStates reads the biomes of a section of form formStates.
func (d *decoder) biomeStates(g *tag) []voxel.Cell {
	data, ok := d.container(g, nbt.String)
	if !ok {
		return nil
	}
	cells := d.oneCell(d.table[0])
	if len(d.table) > 1 {
		cells = d.newCells(biomeCells)
		if block.UnpackLongs(data, block.Bits(len(d.table), 1), false, d.table, cells) != nil {
			return nil
		}
	}
	g.taken = true
	return cells
}
