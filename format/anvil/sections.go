package anvil

import (
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
	// maxEntry bounds a palette entry in bytes; the name of an odd one is twice
	// as long.
	maxEntry = 1 << 14
)

// sections makes the column's sections from a list of compounds of which each
// has a height. Any other list stays a tag, and so does, within its section,
// what is not as the game writes it.
func (d *decoder) sections(g *tag) {
	r, n := g.list(nbt.Compound)
	if n == 0 {
		return
	}
	for range n {
		payload := r.Raw(nbt.Compound)
		d.inner = payloadTags(d.inner[:0], payload)
		y, ok := sectionHeight(d.inner)
		if !ok {
			d.col.Sections, d.col.Cells = d.col.Sections[:0], d.col.Cells[:0]
			return
		}
		s, cells := voxel.Section{Y: y, Tags: payload}, format.Cells{}
		if slot := &d.seen[int(y)+128]; !*slot && unique(d.inner) {
			*slot = true
			cells = d.section(&s)
		} else {
			d.kept++
		}
		d.col.Sections, d.col.Cells = append(d.col.Sections, s), append(d.col.Cells, cells)
	}
	g.taken = true
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
	if g == nil {
		return 0, false
	}
	if g.t == nbt.Byte {
		return int8(g.payload()[0]), true
	}
	v, ok := g.int()
	return int8(v), ok && int32(int8(v)) == v
}

// section takes what it can from the tags in d.inner.
func (d *decoder) section(s *voxel.Section) (c format.Cells) {
	if g := find(d.inner, "Y"); g.t == nbt.Byte {
		g.taken = true
	}
	f, held := d.formOf()
	if d.form == formNone || d.form == f {
		switch f {
		case formNumeric:
			c.Block = d.numericBlocks()
		case formPalette:
			c.Block = d.palette(find(d.inner, "Palette"), find(d.inner, "BlockStates"))
		case formStates:
			c.Block = d.states(find(d.inner, "block_states"))
			c.Biome = d.biomeStates(find(d.inner, "biomes"))
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
	if held && c.Block == nil || c.Biome == nil && find(d.inner, "biomes") != nil {
		d.kept++
	}
	if c.Sky = take(find(d.inner, "SkyLight")); c.Sky != nil {
		s.Has |= voxel.HasSky
	}
	if c.Light = take(find(d.inner, "BlockLight")); c.Light != nil {
		s.Has |= voxel.HasLight
	}
	s.Tags = d.restOf(d.inner)
	return c
}

// formOf returns the form of the section in d.inner, and whether it has blocks.
func (d *decoder) formOf() (f form, blocks bool) {
	switch {
	case find(d.inner, "block_states") != nil:
		return formStates, true
	case find(d.inner, "biomes") != nil:
		return formStates, false
	case find(d.inner, "Palette") != nil:
		return formPalette, true
	case find(d.inner, "Blocks") != nil:
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

// restOf returns the payload of the tags that nothing stands for, nil if none.
func (d *decoder) restOf(tags []tag) []byte {
	at := len(d.bytes)
	if d.bytes = appendRest(d.bytes, tags); len(d.bytes) == at {
		return nil
	}
	d.bytes = nbt.AppendEnd(d.bytes)
	return d.bytes[at:len(d.bytes):len(d.bytes)]
}

// numericBlocks reads Blocks, Data and Add. An Add without bits stays a tag
// too, so that it comes back.
func (d *decoder) numericBlocks() []voxel.Cell {
	ids, data, add := find(d.inner, "Blocks"), find(d.inner, "Data"), find(d.inner, "Add")
	low, half, high := ids.bytes(sectionCells), data.bytes(nibbles), add.bytes(nibbles)
	if low == nil || half == nil || add != nil && high == nil {
		return nil
	}
	cells := d.newCells(sectionCells)
	if d.numeric.Unpack(low, high, half, cells) != nil {
		return nil
	}
	ids.taken, data.taken = true, true
	if add != nil {
		add.taken = !zero(high)
	}
	return cells
}

func zero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// palette reads a palette with its packed longs, which are there even for one
// entry.
func (d *decoder) palette(list, data *tag) []voxel.Cell {
	if data == nil || data.t != nbt.LongArray || !d.blockTable(list) {
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
	list, data, ok := d.container(g)
	if !ok || !d.blockTable(list) {
		return nil
	}
	cells := d.oneCell()
	if len(d.table) > 1 {
		cells = d.unpackBlocks(data.array(nbt.LongArray))
	}
	g.taken = cells != nil
	return cells
}

// container returns the palette and the data of a compound that holds no more
// than these. Data may be missing: then all cells are the palette's only entry.
func (d *decoder) container(g *tag) (list, data *tag, ok bool) {
	if g == nil || g.t != nbt.Compound {
		return nil, nil, false
	}
	d.deep = payloadTags(d.deep[:0], g.payload())
	list, data = find(d.deep, "palette"), find(d.deep, "data")
	switch len(d.deep) {
	case 1:
		return list, nil, list != nil
	case 2:
		return list, data, list != nil && data != nil && data.t == nbt.LongArray
	}
	return nil, nil, false
}

// oneCell returns the cell of a palette of one entry.
func (d *decoder) oneCell() []voxel.Cell {
	c := d.newCells(1)
	c[0] = d.table[0]
	return c
}

// blockTable fills d.table from a list of palette entries.
func (d *decoder) blockTable(g *tag) bool {
	r, n := g.list(nbt.Compound)
	d.table = d.table[:0]
	for range n {
		entry := r.Raw(nbt.Compound)
		if len(entry) > maxEntry {
			return false
		}
		c, err := d.blocks.Cell(entry)
		if err != nil {
			return false
		}
		d.table = append(d.table, c)
	}
	return n > 0
}

// unpackBlocks reads packed longs of indexes into d.table. The version and the
// size of the palette say how they are packed; where their number contradicts,
// the number does, as long as it is the same for all of the column.
func (d *decoder) unpackBlocks(data []byte) []voxel.Cell {
	size, straddle := d.packing(len(data) / 8)
	if len(d.table) == 1 && size == 4 && zero(data) {
		return d.oneCell()
	}
	cells := d.newCells(sectionCells)
	if size == 0 || block.Unpack(data, size, straddle, d.table, cells) != nil {
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
	list, data, ok := d.container(g)
	if !ok || !d.biomeTable(list) {
		return nil
	}
	cells := d.oneCell()
	if len(d.table) > 1 {
		cells = d.newCells(biomeCells)
		if block.Unpack(data.array(nbt.LongArray), block.Bits(len(d.table), 1), false, d.table, cells) != nil {
			return nil
		}
	}
	g.taken = true
	return cells
}

// biomeTable fills d.table from a list of names of biomes.
func (d *decoder) biomeTable(g *tag) bool {
	r, n := g.list(nbt.String)
	d.table = d.table[:0]
	for range n {
		name := r.String()
		if len(name) > maxEntry {
			return false
		}
		c, err := d.biomes.Biome(name)
		if err != nil {
			return false
		}
		d.table = append(d.table, c)
	}
	return n > 0
}
