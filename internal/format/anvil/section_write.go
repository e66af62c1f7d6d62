package anvil

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// maxName bounds the bytes of a name. Names that are read are shorter.
const maxName = 1 << 14

// defaultBiome stands for the empty cell, which is no biome of the game.
const defaultBiome = "minecraft:plains"

var errLong = fmt.Errorf("a name of more than %d bytes", maxName)

// sections appends the list of sections unless it is empty.
func (e *encoder) sections(c *format.Column, name string) error {
	if len(c.Sections) == 0 {
		return nil
	}
	if len(c.Cells) != len(c.Sections) {
		return fmt.Errorf("%d sections with %d sets of cells", len(c.Sections), len(c.Cells))
	}
	if e.old {
		return e.oldArrays(c)
	}
	f := form(c.Layout >> layoutForm & 3)
	if f == formNone {
		f = formOf(c.Version)
	}
	straddle := block.Straddles(c.Version) != (c.Layout&layoutStraddle != 0)
	e.empty = c.Layout&layoutProperties != 0
	e.shorts = shorts(c.Layout & (layoutShorts | layoutOnlyShorts))
	e.light(c)
	e.biomed = f == formStates && (e.bare || slices.ContainsFunc(c.Sections, func(s voxel.Section) bool { return s.Has&voxel.HasBiome != 0 }))
	e.buf = nbt.AppendList(e.buf, name, nbt.Compound, len(c.Sections))
	for i := range c.Sections {
		if s := &c.Sections[i]; e.bare && c.Version < versionEntities && s.Has&voxel.HasBlock != 0 && uint8(s.Y) > 15 {
			return fmt.Errorf("section %d: data version %d has blocks in sections 0 to 15", s.Y, c.Version)
		}
		if err := e.section(&c.Sections[i], &c.Cells[i], f, straddle); err != nil {
			return fmt.Errorf("section %d: %w", c.Sections[i].Y, err)
		}
	}
	e.written = append(e.written, name)
	return nil
}

// section appends the payload of one section.
func (e *encoder) section(s *voxel.Section, c *format.Cells, f form, straddle bool) error {
	if err := checkCells(s, c); err != nil {
		return err
	}
	e.dropped = e.dropped[:0]
	if t, _ := lookup(s.Tags, "Y"); t == nbt.End {
		e.buf = nbt.AppendByte(e.buf, "Y", s.Y)
	}
	if s.Has&voxel.HasBlock != 0 {
		if err := e.blockTags(s.Tags, c.Block, f, straddle); err != nil {
			return err
		}
	}
	if s.Has&voxel.HasBiome != 0 {
		if f != formStates {
			return fmt.Errorf("biomes in a section of a version that has them by column")
		}
		if err := e.container("biomes", nbt.String, s.Tags, c.Biome, block.BiomeCells, false, e.word); err != nil {
			return err
		}
		e.drop("biomes")
	} else if t, _ := lookup(s.Tags, "biomes"); e.biomed && s.Has&voxel.HasBlock != 0 && t == nbt.End {
		if err := e.container("biomes", nbt.String, nil, []voxel.Cell{voxel.Empty}, block.BiomeCells, false, e.word); err != nil { // a program made the section
			return err
		}
	}
	has := s.Has &^ e.left
	e.nibbles("BlockLight", has&voxel.HasLight != 0, c.Light, 0)
	e.nibbles("SkyLight", has&voxel.HasSky != 0, c.Sky, 0xFF)
	e.buf = nbt.AppendEnd(appendExcept(e.buf, s.Tags, e.dropped))
	return nil
}

// drop notes the names of tags that arrays of the section stand for now.
func (e *encoder) drop(names ...string) { e.dropped = append(e.dropped, names...) }

func checkCells(s *voxel.Section, c *format.Cells) error {
	for _, a := range [...]struct {
		has       voxel.Has
		name      string
		got, want int
	}{
		{voxel.HasBlock, "blocks", len(c.Block), block.SectionCells},
		{voxel.HasBiome, "biomes", len(c.Biome), block.BiomeCells},
		{voxel.HasSky, "bytes of sky light", len(c.Sky), block.LightBytes},
		{voxel.HasLight, "bytes of block light", len(c.Light), block.LightBytes},
	} {
		one := a.got == 1 && a.has&(voxel.HasBlock|voxel.HasBiome) != 0
		if s.Has&a.has != 0 && a.got != a.want && !one {
			return fmt.Errorf("%d %s, want %d", a.got, a.name, a.want)
		}
	}
	return nil
}

// spare returns the palette entries that Section.Tags holds beside those in use,
// and how many they are.
func spare(tags []byte, name string, elem nbt.Type) (entries []byte, n int) {
	t, payload := lookup(tags, name)
	if t != nbt.Compound {
		return nil, 0
	}
	t, list := lookup(payload, "palette")
	r := nbt.NewPayload(list, nbt.Limits{})
	if t != nbt.List {
		return nil, 0
	}
	if e, count := r.List(); e == elem {
		n = count
	}
	return list[r.Offset():], n
}

// extra appends the tags of other programs that Section.Tags holds for a container.
func (e *encoder) extra(tags []byte, name string) {
	if t, payload := lookup(tags, name); t == nbt.Compound {
		e.buf = appendExcept(e.buf, payload, []string{"palette", "data"})
	}
}

// blockTags appends the blocks of a section in its form.
func (e *encoder) blockTags(tags []byte, cells []voxel.Cell, f form, straddle bool) error {
	if f == formNumeric {
		return e.numericBlocks(tags, cells)
	}
	empty := e.emptyProperties(tags)
	entry := func(c voxel.Cell) ([]byte, error) { return e.entry(c, empty(c)) }
	e.drop(tagProperties)
	if f == formPalette {
		e.drop("Palette", "BlockStates")
		return e.palette(cells, entry, straddle)
	}
	e.drop("block_states")
	return e.container("block_states", nbt.Compound, tags, cells, block.SectionCells, straddle, entry)
}

// container appends a compound with a palette, whose entries are of type elem, and the longs of n cells unless it has one
// entry; and what Section.Tags holds for it.
func (e *encoder) container(name string, elem nbt.Type, tags []byte, cells []voxel.Cell, n int, straddle bool, entry func(voxel.Cell) ([]byte, error)) error {
	e.buf = nbt.AppendCompound(e.buf, name)
	palette, entries := e.index.Build(cells)
	more, k := spare(tags, name, elem)
	if err := e.entries("palette", elem, palette, entry, more, k); err != nil {
		return err
	}
	least := 4
	if elem == nbt.String {
		least = 1
	}
	if k += len(palette); k > 1 {
		e.longs("data", padded(entries, n), block.Bits(k, least), straddle)
	}
	e.extra(tags, name)
	e.buf = nbt.AppendEnd(e.buf)
	return nil
}

// padded returns n entries; those of a palette of one, all 0, may be left out.
func padded(entries []uint16, n int) []uint16 {
	if len(entries) < n {
		return make([]uint16, n)
	}
	return entries
}

// palette appends Palette and BlockStates. Air comes first, as in every palette
// of the versions that have these, and longs are there for a palette of one.
func (e *encoder) palette(cells []voxel.Cell, entry func(voxel.Cell) ([]byte, error), straddle bool) error {
	e.cells = append(append(e.cells[:0], voxel.Empty), cells...)
	for len(e.cells) <= block.SectionCells {
		e.cells = append(e.cells, cells[0])
	}
	palette, entries := e.index.Build(e.cells)
	if err := e.entries("Palette", nbt.Compound, palette, entry, nil, 0); err != nil {
		return err
	}
	e.longs("BlockStates", entries[1:], block.Bits(len(palette), 4), straddle)
	return nil
}

func (e *encoder) longs(name string, entries []uint16, size int, straddle bool) {
	e.buf = block.AppendLongArray(nbt.AppendHeader(e.buf, nbt.LongArray, name), entries, size, straddle)
}

// entries appends a list of palette entries, and n more.
func (e *encoder) entries(name string, elem nbt.Type, palette []voxel.Cell, entry func(voxel.Cell) ([]byte, error), more []byte, n int) error {
	e.buf = nbt.AppendList(e.buf, name, elem, len(palette)+n)
	for _, c := range palette {
		b, err := entry(c)
		if err != nil {
			return err
		}
		e.buf = append(e.buf, b...)
	}
	e.buf = append(e.buf, more...)
	return nil
}

// entry returns the palette entry of a block.
func (e *encoder) entry(c voxel.Cell, empty bool) ([]byte, error) {
	states := &e.states[0]
	if empty {
		states = &e.states[1]
	}
	return made(states, e.blocks, c, func(name string) ([]byte, error) { return block.AppendEntry(nil, name, empty) })
}

// word returns the palette entry of a biome.
func (e *encoder) word(c voxel.Cell) ([]byte, error) {
	return made(&e.words, e.biomes, c, func(name string) ([]byte, error) {
		if c == voxel.Empty {
			name = defaultBiome
		}
		return block.AppendBiome(nil, name)
	})
}

// made returns what of makes of the name of a cell, once for each.
func made(known *[][]byte, names *format.Names, c voxel.Cell, of func(name string) ([]byte, error)) (b []byte, err error) {
	*known = grown(*known, names.Len())
	if int(c) >= len(*known) {
		return nil, errCell(c, len(*known))
	}
	if b = (*known)[c]; b != nil {
		return b, nil
	}
	name := names.Name(c)
	if len(name) > maxName {
		return nil, errLong
	}
	if b, err = of(name); err == nil {
		(*known)[c] = b
	}
	return b, err
}

func grown[T any](s []T, n int) []T {
	if n > len(s) {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

func errCell(c voxel.Cell, n int) error {
	return fmt.Errorf("cell %d, the volume has %d names", c, n)
}

// numericBlocks appends Blocks and Data, and Add where an id needs it; or also, or only, Blocks16
// and Data16.
func (e *encoder) numericBlocks(tags []byte, cells []voxel.Cell) error {
	var a numericArrays
	var ids, data [2 * block.SectionCells]byte
	for i := range block.SectionCells {
		c := cells[0]
		if len(cells) > 1 {
			c = cells[i]
		}
		id, err := e.id(c)
		if err != nil {
			return err
		}
		a.set(i, uint16(id>>16), uint16(id))
		if e.shorts != shortsNone {
			binary.BigEndian.PutUint16(ids[2*i:], uint16(id>>16))
			binary.BigEndian.PutUint16(data[2*i:], uint16(id))
		} else if id>>16 >= 1<<12 || id&0xFFFF >= 1<<4 {
			_, _, err := block.ParseLegacy(e.blocks.Name(c))
			return err
		}
	}
	array := func(name string, b []byte, write bool) {
		if write {
			e.buf = nbt.AppendByteArray(e.buf, name, b)
			e.drop(name)
		}
	}
	own := func(name string) bool { // not those that stay tags beside Blocks16
		t, _ := lookup(tags, name)
		return e.shorts == shortsNone || e.shorts == shortsBeside && t == nbt.End
	}
	array("Blocks", a.ids[:], own("Blocks"))
	array("Data", a.data[:], own("Data"))
	array("Add", a.add[:], a.hasAdd && own("Add"))
	array("Blocks16", ids[:], e.shorts != shortsNone)
	array("Data16", data[:], e.shorts != shortsNone)
	return nil
}

// id returns id<<16 | data of a block with numbers.
func (e *encoder) id(c voxel.Cell) (uint32, error) {
	if int(c) < len(e.ids) && e.ids[c] != 0 {
		return uint32(e.ids[c] - 1), nil
	}
	if int(c) >= e.blocks.Len() {
		return 0, errCell(c, e.blocks.Len())
	}
	id, data, err := block.ParseShort(e.blocks.Name(c))
	if err != nil {
		return 0, err
	}
	e.ids = grown(e.ids, e.blocks.Len())
	e.ids[c] = (uint64(id)<<16 | uint64(data)) + 1
	return uint32(e.ids[c] - 1), nil
}

// maps appends height maps and biomes of the whole column; rest is the compound
// in the part that may hold more height maps.
func (e *encoder) maps(c *format.Column, rest []byte) error {
	packed := false
	for i := range c.Maps {
		if err := block.CheckMap(&c.Maps[i]); err != nil {
			return err
		}
		switch m := &c.Maps[i]; m.Form {
		case voxel.MapInts:
			e.buf = nbt.AppendIntArray(e.buf, m.Name, m.Values[:])
			e.written = append(e.written, m.Name)
		case voxel.MapBytes:
			var b [block.MapCells]byte
			for i, v := range m.Values {
				b[i] = byte(v)
			}
			e.buf = nbt.AppendByteArray(e.buf, m.Name, b[:])
			e.written = append(e.written, m.Name)
		default:
			packed = true
		}
	}
	if c.Biomes != nil {
		if err := e.biomeInts(c.Biomes); err != nil {
			return err
		}
	}
	if packed {
		return e.packedMaps(c, rest)
	}
	return nil
}

// packedMaps appends the compound of height maps.
func (e *encoder) packedMaps(c *format.Column, rest []byte) error {
	e.buf = nbt.AppendCompound(e.buf, "Heightmaps")
	e.written, e.dropped = append(e.written, "Heightmaps"), e.dropped[:0]
	t, more := lookup(rest, "Heightmaps")
	if t != nbt.Compound {
		more = nil
	}
	for i := range c.Maps {
		m := &c.Maps[i]
		if block.IsPacked(m) {
			e.drop(m.Name)
			e.buf = block.AppendMap(nbt.AppendHeader(e.buf, nbt.LongArray, m.Name), m)
		}
	}
	e.buf = nbt.AppendEnd(appendExcept(e.buf, more, e.dropped))
	return nil
}

// biomeInts appends the biomes of a column by number.
func (e *encoder) biomeInts(cells []voxel.Cell) error {
	if len(cells) != block.BiomeColumn {
		return fmt.Errorf("%d biomes, want %d", len(cells), block.BiomeColumn)
	}
	ids := make([]int32, len(cells))
	for i, c := range cells {
		if i > 0 && c == cells[i-1] {
			ids[i] = ids[i-1]
			continue
		}
		if int(c) >= e.biomes.Len() {
			return errCell(c, e.biomes.Len())
		}
		id, err := block.ParseLegacyBiome(e.biomes.Name(c))
		if err != nil {
			return err
		}
		ids[i] = id
	}
	e.buf = nbt.AppendIntArray(e.buf, "Biomes", ids)
	e.written = append(e.written, "Biomes")
	return nil
}
