package anvil

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	maxSections = 256 // as many as a byte of height tells apart
	// maxEntry bounds a palette entry in bytes; the name of an odd one is twice
	// as long. Those above longEntry are together at most maxLongNames.
	maxEntry     = (maxName - 8) / 2
	longEntry    = 1 << 10
	maxLongNames = 8 << 20
	// maxBeyond is how many cells of a section may have an index beyond their
	// palette. With more of them the palette is not the section's.
	maxBeyond = 64
)

var errEntry = errors.New("a palette entry of too many bytes")

// sections makes the column's sections from list, the elements of g. Each element
// must have a height; another list stays a tag. Parts of a section that differ from
// what the game writes stay tags too.
func (d *decoder) sections(g *tag, list *items) {
	if _, n := g.list(nbt.Compound); n == 0 || n != len(list.list) {
		return
	}
	for _, it := range list.list {
		tags := list.tags[it.from:it.to]
		y, fits, ok := sectionHeight(tags)
		if !ok {
			d.col.Sections, d.col.Cells = d.col.Sections[:0], d.col.Cells[:0]
			return
		}
		s, cells := voxel.Section{Y: y, Tags: it.payload}, format.Cells{}
		if slot := &d.seen[int(y)+128]; fits && !*slot && unique(tags) && find(tags, tagProperties) == nil {
			*slot = true
			cells = d.section(&s, tags)
		} else {
			s.Has = keptIn(tags)
		}
		if s.Has&(voxel.KeptBlock|voxel.KeptBiome) != 0 {
			d.kept++
		}
		d.col.Sections, d.col.Cells = append(d.col.Sections, s), append(d.col.Cells, cells)
	}
	g.taken = true
	d.noteProperties()
	if d.form != formNone && d.form != formOf(d.col.Version) {
		d.col.Layout |= uint16(d.form) << layoutForm
	}
	d.col.Layout |= uint16(d.shorts)
	if d.long != longsUnknown && (d.long == longsStraddling) != block.Straddles(d.col.Version) {
		d.col.Layout |= layoutStraddle
	}
}

// sectionHeight returns the height of a section. The game writes a byte, some
// tools an int, which then stays in Section.Tags. A height that no byte holds does not
// fit: the game takes its lowest byte, which no world is as high as.
func sectionHeight(tags []tag) (y int8, fits, ok bool) {
	g := find(tags, "Y")
	if g == nil {
		return 0, false, false
	}
	switch p := g.payload(); g.t {
	case nbt.Byte:
		return int8(p[0]), true, true
	case nbt.Short:
		v := int16(binary.BigEndian.Uint16(p))
		return int8(v), int16(int8(v)) == v, true
	case nbt.Int:
		v := int32(binary.BigEndian.Uint32(p))
		return int8(v), int32(int8(v)) == v, true
	}
	return 0, false, false
}

// keptIn returns the marks of a section whose tags all stay tags.
func keptIn(tags []tag) (has voxel.Has) {
	if _, blocks := formIn(tags); blocks {
		has |= voxel.KeptBlock
	}
	if find(tags, "biomes") != nil {
		has |= voxel.KeptBiome
	}
	return has
}

// section takes what it can from the tags of a section.
func (d *decoder) section(s *voxel.Section, tags []tag) (c format.Cells) {
	if g := find(tags, "Y"); g.t == nbt.Byte {
		g.taken = true
	}
	f, _ := formIn(tags)
	var spare []byte
	if d.form == formNone || d.form == f {
		switch f {
		case formNumeric:
			c.Block = d.numericBlocks(tags)
		case formPalette:
			c.Block = d.keepProperties(d.palette(find(tags, "Palette"), find(tags, "BlockStates")))
		case formStates:
			c.Block = d.keepProperties(d.states(find(tags, "block_states"), nbt.Compound))
			spare = d.spare(spare, tags, "block_states", c.Block, nbt.Compound)
			c.Biome = d.states(find(tags, "biomes"), nbt.String)
			spare = d.spare(spare, tags, "biomes", c.Biome, nbt.String)
		}
	}
	c.Sky, c.Light = take(find(tags, "SkyLight")), take(find(tags, "BlockLight"))
	s.Has = keptIn(tags) | c.Has()
	if c.Block != nil {
		d.form = f
		s.Has &^= voxel.KeptBlock
	}
	if c.Biome != nil {
		d.form = formStates
		s.Has &^= voxel.KeptBiome
	}
	s.Tags = d.restOf(tags, spare)
	return c
}

// spare appends a tag of that name with what a container holds that no cell stands for:
// the palette entries that no cell uses, where all cells are one (longs beside a palette of
// one would not come back), and then the tags of other programs.
func (d *decoder) spare(dst []byte, tags []tag, name string, cells []voxel.Cell, elem nbt.Type) []byte {
	unused := len(cells) > 1 && isOne(cells)
	if cells == nil || !unused && !d.extra {
		return dst
	}
	var extra []byte
	payload := find(tags, name).payload()
	r := nbt.NewPayload(payload, nbt.Limits{})
	dst = nbt.AppendCompound(dst, name)
	for {
		at := r.Offset()
		t, key := r.Next()
		switch k := string(key); {
		case t == nbt.End:
			return nbt.AppendEnd(append(dst, extra...))
		case k == "palette" && unused:
			dst = d.unused(dst, &r, cells[0], elem)
		case k == "palette" || k == "data":
			r.Skip(t)
		default:
			r.Skip(t)
			extra = append(extra, payload[at:r.Offset()]...)
		}
	}
}

// unused appends the palette that r is at without the first entry that is used.
func (d *decoder) unused(dst []byte, r *nbt.Reader, used voxel.Cell, elem nbt.Type) []byte {
	_, n := r.List()
	dst = nbt.AppendList(dst, "palette", elem, n-1)
	found := false
	for range n {
		at := *r
		if c, _, err := d.entry(r, elem); !found && err == nil && c == used {
			found = true
			continue
		}
		dst = append(dst, at.Raw(elem)...)
	}
	return dst
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
	case find(tags, "Blocks") != nil, find(tags, "Blocks16") != nil:
		return formNumeric, true
	case find(tags, "BlockStates") != nil:
		return formPalette, true
	}
	return formNone, false
}

// take returns an array of half bytes, or nil.
func take(g *tag) []byte {
	b := g.bytes(block.LightBytes)
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
	shorts := shortsIn(tags)
	switch {
	case shorts != d.shorts && d.form != formNone:
		return nil // not all of the column in one way
	case shorts != shortsNone:
		cells := d.shortBlocks(tags)
		if cells != nil {
			d.shorts = shorts
		}
		return cells
	}
	ids, data, add := find(tags, "Blocks"), find(tags, "Data"), find(tags, "Add")
	low, half, high := ids.bytes(block.SectionCells), data.bytes(block.LightBytes), add.bytes(block.LightBytes)
	if low == nil || half == nil || add != nil && high == nil || hasHighBits(tags) {
		return nil
	}
	var cells []voxel.Cell
	if allOne(low) && allHalvesOne(half) && (high == nil || allHalvesOne(high)) {
		id := int(low[0])
		if high != nil {
			id |= int(high[0]&15) << 8
		}
		cells = d.oneNumeric(id, half[0])
	} else if cells = d.cells.Take(block.SectionCells); d.numeric.Unpack(low, high, half, cells) != nil {
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

// shorts says whether numeric sections have arrays of 16 bits.
type shorts uint16

const (
	shortsNone   shorts = 0
	shortsBeside shorts = layoutShorts                    // Blocks and Data too
	shortsAlone  shorts = layoutShorts | layoutOnlyShorts // in place of them
)

func shortsIn(tags []tag) shorts {
	switch {
	case find(tags, "Blocks16") == nil:
		return shortsNone
	case find(tags, "Blocks") == nil && find(tags, "Data") == nil:
		return shortsAlone
	}
	return shortsBeside
}

// hasHighBits reports whether a section has blocks of EndlessIDs, with more bits of ids and data
// in further arrays.
func hasHighBits(tags []tag) bool {
	for _, name := range [...]string{"BlocksB2Hi", "BlocksB3", "Data1High", "Data2"} {
		if g := find(tags, name); g != nil && (g.t != nbt.ByteArray || !zero(g.payload()[4:])) {
			return true
		}
	}
	return false
}

// shortBlocks reads Blocks16 and Data16, which NotEnoughIDs writes and reads in place of Blocks,
// Data and Add: big-endian numbers of 16 bits. The other arrays stay tags if they are not
// what this package writes beside them.
func (d *decoder) shortBlocks(tags []tag) []voxel.Cell {
	ids, data := find(tags, "Blocks16"), find(tags, "Data16")
	id, low := ids.bytes(2*block.SectionCells), data.bytes(2*block.SectionCells)
	if id == nil || low == nil {
		return nil
	}
	cells := d.cells.Take(block.SectionCells)
	var blocks numericArrays
	for i := range cells {
		n, data := binary.BigEndian.Uint16(id[2*i:]), binary.BigEndian.Uint16(low[2*i:])
		c, err := d.short(n, data)
		if err != nil {
			return nil
		}
		cells[i] = c
		blocks.set(i, n, data)
	}
	ids.taken, data.taken = true, true
	for _, a := range [...]struct {
		name string
		want []byte
	}{{"Blocks", blocks.ids[:]}, {"Data", blocks.data[:]}, {"Add", blocks.add[:]}} {
		if g := find(tags, a.name); g != nil && bytes.Equal(g.bytes(len(a.want)), a.want) && (a.name != "Add" || blocks.hasAdd) {
			g.taken = true
		}
	}
	return cells
}

// short returns the cell of a block with numbers of 16 bits.
func (d *decoder) short(id, data uint16) (voxel.Cell, error) {
	if id < 1<<12 && data < 1<<4 {
		return d.numeric.Cell(int(id), uint8(data))
	}
	key := uint32(id)<<16 | uint32(data)
	c, ok := d.shortCells[key]
	if ok {
		return c, nil
	}
	c, err := d.stateNames.Cell(block.ShortName(id, data))
	if err == nil {
		d.shortCells[key] = c
	}
	return c, err
}

// numericArrays are the arrays of a section in form formNumeric.
type numericArrays struct {
	ids       [block.SectionCells]byte
	data, add [block.LightBytes]byte
	hasAdd    bool
}

// set sets the block at i. A block beyond 12 bits of id or 4 of data is 0 in these arrays, as
// NotEnoughIDs has it.
func (a *numericArrays) set(i int, id, data uint16) {
	if id >= 1<<12 {
		id = 0
	}
	a.ids[i] = byte(id)
	a.data[i/2] |= byte(data&15) << (i & 1 * 4)
	a.add[i/2] |= byte(id>>8) << (i & 1 * 4)
	a.hasAdd = a.hasAdd || id>>8 != 0
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

// states reads the blocks, which are compounds, or the biomes of a section of form formStates.
func (d *decoder) states(g *tag, elem nbt.Type) []voxel.Cell {
	data, ok := d.container(g, elem)
	if !ok {
		return nil
	}
	var cells []voxel.Cell
	switch {
	case len(d.table) == 1:
		cells = d.oneCell(d.table[0])
	case elem == nbt.Compound:
		cells = d.unpackBlocks(data)
	default:
		cells = d.cells.Take(block.BiomeCells)
		if block.UnpackLongs(data, block.Bits(len(d.table), 1), false, d.table, cells) != nil {
			cells = nil
		}
	}
	g.taken = cells != nil
	return cells
}

// container reads a compound that holds a palette, compounds for blocks and
// strings for biomes, and packed longs. These may be missing: then all cells are the
// palette's only entry. A palette of blocks without entries stands for air. Tags of other
// names are d.extra: the game does not look at them.
func (d *decoder) container(g *tag, elem nbt.Type) (data []byte, ok bool) {
	if d.extra = false; g == nil || g.t != nbt.Compound {
		return nil, false
	}
	d.table, d.has = d.table[:0], d.has[:0]
	hollow := false
	r := nbt.NewPayload(g.payload(), nbt.Limits{})
	for {
		t, name := r.Next()
		switch key := string(name); {
		case t == nbt.End:
			return data, r.Err() == nil && len(d.table) > 0 && !(hollow && !zero(data))
		case t == nbt.List && len(d.table) == 0 && key == "palette":
			e, n := r.List()
			switch {
			case n <= 0 && elem == nbt.Compound:
				d.table, d.has, hollow = append(d.table, voxel.Empty), append(d.has, block.NoProperties), true
			case e != elem || !d.fillTable(&r, elem, n):
				return nil, false
			}
		case t == nbt.LongArray && data == nil && key == "data":
			data = r.LongArray()
		case key == "palette" || key == "data":
			return nil, false
		default:
			r.Skip(t)
			d.extra = true
		}
	}
}

// oneCell returns c as the cells of a section that is all c.
func (d *decoder) oneCell(c voxel.Cell) []voxel.Cell {
	cells := d.cells.Take(1)
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
	case len(raw) > longEntry && !d.longEntry(len(raw)):
		return 0, 0, errEntry
	case elem == nbt.String:
		c, err = d.biomes.Biome(raw[2:])
		return c, has, err
	default:
		return d.blocks.Cell(raw)
	}
}

// longEntry reports whether a palette entry of n bytes, more than most have, is read.
func (d *decoder) longEntry(n int) bool {
	d.longNames += n
	return n <= maxEntry && d.longNames <= maxLongNames
}

// unpackBlocks reads packed longs of indexes into d.table. The version and the
// size of the palette say how they are packed; where their number contradicts,
// the number does, as long as it is the same for all of the column.
func (d *decoder) unpackBlocks(data []byte) []voxel.Cell {
	size, straddle := d.packing(len(data) / 8)
	if len(d.table) == 1 && size == 4 && zero(data) {
		return d.oneCell(d.table[0])
	}
	cells := d.cells.Take(block.SectionCells)
	if size == 0 || block.UnpackLongs(data, size, straddle, d.table, cells) != nil && !d.unpackBeyond(data, size, straddle, cells) {
		return nil
	}
	if size >= 4 && 64%size != 0 {
		if d.long = longsPadded; straddle {
			d.long = longsStraddling
		}
	}
	return cells
}

// unpackBeyond is UnpackLongs for a section in which few cells have an index beyond the
// palette. They become air.
func (d *decoder) unpackBeyond(data []byte, size int, straddle bool, cells []voxel.Cell) bool {
	indexes := make([]voxel.Cell, 1<<size)
	for i := range indexes {
		indexes[i] = voxel.Cell(i)
	}
	if block.UnpackLongs(data, size, straddle, indexes, cells) != nil {
		return false
	}
	n := 0
	for i, at := range cells {
		if cells[i] = voxel.Empty; int(at) < len(d.table) {
			cells[i] = d.table[at]
		} else {
			n++
		}
	}
	if n > maxBeyond {
		return false
	}
	d.beyond += n
	return true
}

// packing returns how n longs hold the indexes of a section; size is 0 if no
// way has as many.
func (d *decoder) packing(n int) (size int, straddle bool) {
	size = block.Bits(len(d.table), 4)
	straddle = d.long == longsStraddling || d.long == longsUnknown && block.Straddles(d.col.Version)
	switch {
	case block.Longs(block.SectionCells, size, straddle) == n:
		return size, straddle
	case d.long == longsUnknown && block.Longs(block.SectionCells, size, !straddle) == n:
		return size, !straddle
	}
	if narrow := block.Bits(len(d.table), 1); narrow < size { // as Minestom wrote them
		for _, s := range [...]bool{straddle, !straddle} {
			if block.Longs(block.SectionCells, narrow, s) == n {
				return narrow, s
			}
		}
	}
	return sizeOf(n, straddle), straddle
}

// sizeOf returns the bits of an entry of a section that takes n longs, 0 if
// there is no such size.
func sizeOf(n int, straddle bool) int {
	for size := 4; size <= bits.Len(block.SectionCells-1)+1; size++ {
		if block.Longs(block.SectionCells, size, straddle) == n {
			return size
		}
	}
	return 0
}
