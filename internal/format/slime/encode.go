package slime

import (
	"encoding/binary"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// encoder encodes columns that Hold has reduced.
type encoder struct {
	layout
	blocks  *format.Names
	biomes  *format.Names
	entries [3]map[voxel.Cell][]byte // NBT payloads of palette entries: blocks, biomes, blocks with Properties
	empty   bool                     // the column's palette entries all have Properties
	numeric map[voxel.Cell]uint16    // id<<4 | data
	index   block.Indexer
	cache   bool      // HypixelBlocks3 of sections that have none
	frames  *deflater // of version 11
}

func newEncoder(l layout, d *format.Dimension) *encoder {
	return &encoder{
		layout: l, blocks: d.Volume(voxel.Block).Names, biomes: d.Volume(voxel.Biome).Names,
		entries: [3]map[voxel.Cell][]byte{{}, {}, {}}, numeric: map[voxel.Cell]uint16{},
	}
}

func (e *encoder) column(c *format.Column) (*columnBytes, error) {
	out := &columnBytes{}
	e.empty = c.Layout&voxel.LayoutProperties != 0
	var err error
	if e.hasCoords() {
		err = e.newColumn(out, c)
	} else {
		out.body, err = e.oldColumn(nil, c)
	}
	return out, err
}

// oldColumn appends a column in the form of versions 1 to 9.
func (e *encoder) oldColumn(dst []byte, c *format.Column) ([]byte, error) {
	dst, err := e.appendMaps(dst, c)
	if err != nil {
		return nil, err
	}
	if e.world >= worldContainers {
		low, high := e.env.min, e.env.max
		for _, s := range c.Sections {
			low, high = min(low, int(s.Y)), max(high, int(s.Y)+1)
		}
		for _, v := range [...]int{low, high, len(c.Sections)} {
			dst = binary.BigEndian.AppendUint32(dst, uint32(int32(v)))
		}
		return e.appendSections(dst, c, low)
	}
	var mask uint16
	for _, s := range c.Sections {
		mask |= 1 << s.Y
	}
	return e.appendSections(append(dst, byte(mask), byte(mask>>8)), c, 0)
}

func (e *encoder) appendMaps(dst []byte, c *format.Column) ([]byte, error) {
	if e.world < worldNames {
		dst = appendInts(dst, c.Maps[0].Values[:])
		if e.version == 8 { // by mistake, and only so is it read
			dst = binary.BigEndian.AppendUint32(dst, block.MapCells)
		}
		for _, v := range c.Maps[1].Values {
			dst = append(dst, byte(v))
		}
		return dst, nil
	}
	dst = appendBlock(dst, appendHeights(nil, c.Maps))
	if e.world >= worldContainers {
		return dst, nil
	}
	var ids []int32
	if i := findMap(c.Maps, mapBiomes, voxel.MapInts); i >= 0 {
		ids = c.Maps[i].Values[:]
	}
	for _, cell := range c.Biomes {
		id, err := block.ParseLegacyBiome(e.biomes.Name(cell))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if e.version >= 8 {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(ids)))
	}
	return appendInts(dst, ids), nil
}

// appendSections appends the sections of versions 1 to 9; in world version 8
// each begins with its place above low.
func (e *encoder) appendSections(dst []byte, c *format.Column, low int) (_ []byte, err error) {
	for i, s := range c.Sections {
		a := &c.Cells[i]
		if e.world >= worldContainers {
			dst = binary.BigEndian.AppendUint32(dst, uint32(int(s.Y)-low))
		}
		dst = e.appendLight(dst, a.Light)
		switch {
		case e.world < worldNames:
			dst, err = e.appendNumeric(dst, a.Block)
		case e.world < worldContainers:
			dst, err = e.appendPalette(dst, a.Block)
		default:
			dst, err = e.appendContainers(dst, a)
		}
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", s.Y, err)
		}
		dst = e.appendLight(dst, a.Sky)
		if e.version < 4 {
			h := hypixelBlocks(s.Tags)
			if h == nil && e.cache {
				h = e.appendCache(nil, a.Block)
			}
			dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(h))), h...)
		}
	}
	return dst, nil
}

// appendLight appends an array of light and, from version 5 on, whether it is
// there.
func (e *encoder) appendLight(dst, light []byte) []byte {
	if e.hasLightFlags() {
		if light == nil {
			return append(dst, 0)
		}
		dst = append(dst, 1)
	}
	return append(dst, light...)
}

func (e *encoder) appendNumeric(dst []byte, cells []voxel.Cell) ([]byte, error) {
	at := len(dst)
	dst = append(dst, make([]byte, block.SectionCells+block.SectionCells/2)...)
	ids, data := dst[at:at+block.SectionCells], dst[at+block.SectionCells:]
	for i := range block.SectionCells {
		c := cells[min(i, len(cells)-1)]
		v, ok := e.numeric[c]
		if !ok {
			id, d, err := block.ParseLegacy(e.blocks.Name(c))
			if err == nil && id > 255 {
				err = fmt.Errorf("block %s: an id above 255", e.blocks.Name(c))
			}
			if err != nil {
				return nil, err
			}
			v = uint16(id)<<4 | uint16(d)
			e.numeric[c] = v
		}
		ids[i] = byte(v >> 4)
		data[i/2] |= byte(v&15) << (i % 2 * 4)
	}
	return dst, nil
}

// appendCache appends blocks in the form of a section of 1.9: bits of an entry, palette, longs. The numbers of blocks are
// those of the cells that appendNumeric has written. What Hypixel's servers keep is not known; this is what the words "a cache
// of 1.9+ blocks format" and "13 bits block palette" leave.
func (e *encoder) appendCache(dst []byte, cells []voxel.Cell) []byte {
	palette, entries := e.index.Build(whole(cells, block.SectionCells))
	size := block.Bits(len(palette), 4)
	if size > 8 { // numbers in place of a palette
		size = 13
		for i, entry := range entries {
			entries[i] = e.numeric[palette[entry]]
		}
		palette = nil
	}
	dst = binary.AppendUvarint(append(dst, byte(size)), uint64(len(palette)))
	for _, c := range palette {
		dst = binary.AppendUvarint(dst, uint64(e.numeric[c]))
	}
	dst = binary.AppendUvarint(dst, uint64(block.Longs(block.SectionCells, size, true)))
	return block.AppendLongs(dst, entries, size, true)
}

// entry returns the NBT payload of a palette entry: a block's compound or a
// biome's string.
func (e *encoder) entry(c voxel.Cell, elem nbt.Type) (p []byte, err error) {
	cache := e.entries[0]
	switch {
	case elem == nbt.String:
		cache = e.entries[1]
	case e.empty:
		cache = e.entries[2]
	}
	p, ok := cache[c]
	if ok {
		return p, nil
	}
	if elem == nbt.String {
		p, err = block.AppendBiome(nil, e.biomes.Name(c))
	} else {
		p, err = block.AppendEntry(nil, e.blocks.Name(c), e.empty)
	}
	if err == nil {
		cache[c] = p
	}
	return p, err
}

// whole returns n cells where one may stand for all.
func whole(cells []voxel.Cell, n int) []voxel.Cell {
	if len(cells) == n {
		return cells
	}
	out := make([]voxel.Cell, n)
	for i := range out {
		out[i] = cells[0]
	}
	return out
}

// appendPalette appends blocks in the form of world versions 4 to 7.
func (e *encoder) appendPalette(dst []byte, cells []voxel.Cell) ([]byte, error) {
	palette, entries := e.index.Build(whole(cells, block.SectionCells))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(palette)))
	for _, c := range palette {
		p, err := e.entry(c, nbt.Compound)
		if err != nil {
			return nil, err
		}
		dst = appendBlock(dst, append(nbt.AppendHeader(nil, nbt.Compound, ""), p...))
	}
	size, straddle := block.Bits(len(palette), 4), block.Straddles(e.data)
	return block.AppendLongArray(dst, entries, size, straddle), nil
}

// appendContainers appends both containers of world version 8 and later.
func (e *encoder) appendContainers(dst []byte, a *format.Cells) ([]byte, error) {
	dst, err := e.appendContainer(dst, a.Block, nbt.Compound, 4)
	if err != nil {
		return nil, err
	}
	return e.appendContainer(dst, a.Biome, nbt.String, 1)
}

// appendContainer appends a container behind its length; longs are left out
// where one entry is all.
func (e *encoder) appendContainer(dst []byte, cells []voxel.Cell, elem nbt.Type, least int) ([]byte, error) {
	at := len(dst)
	dst = nbt.AppendHeader(append(dst, 0, 0, 0, 0), nbt.Compound, "")
	palette, entries := e.index.Build(cells)
	dst = nbt.AppendList(dst, "palette", elem, len(palette))
	for _, c := range palette {
		p, err := e.entry(c, elem)
		if err != nil {
			return nil, err
		}
		dst = append(dst, p...)
	}
	if len(palette) > 1 {
		size := block.Bits(len(palette), least)
		dst = block.AppendLongArray(nbt.AppendHeader(dst, nbt.LongArray, "data"), entries, size, false)
	}
	dst = nbt.AppendEnd(dst)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst, nil
}

// newColumn encodes a column in the form of versions 10 to 13.
func (e *encoder) newColumn(out *columnBytes, c *format.Column) (err error) {
	dst := binary.BigEndian.AppendUint32(nil, uint32(c.Pos.X))
	dst = binary.BigEndian.AppendUint32(dst, uint32(c.Pos.Z))
	heights := appendBlock(nil, appendHeights(nil, c.Maps))
	if e.version == 10 {
		dst = append(dst, heights...)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.Sections)))
	for i, s := range c.Sections {
		if dst, err = e.appendNewSection(dst, &c.Cells[i]); err != nil {
			return fmt.Errorf("section %d: %w", s.Y, err)
		}
	}
	if e.version == 10 {
		out.body = dst
		return nil
	}
	out.body = append(dst, heights...)
	var docs [len(kinds)][]byte
	for i, k := range kinds {
		docs[i] = listDocument(c, k)
	}
	if e.version == 11 {
		for i, k := range kinds[:2] {
			if len(c.Objects(k.list)) == 0 {
				docs[i] = appendObjects(nil, k.tag, nil)
			}
			if out.tail, err = e.frames.appendBlob(out.tail, docs[i], k.list); err != nil {
				return err
			}
		}
		return nil
	}
	out.flagged = [3][]byte{nil, docs[2], docs[3]}
	var extra []byte
	for _, p := range c.Parts {
		switch p.Name {
		case voxel.PartPOI:
			out.flagged[0], err = poiSections(p.Data)
		case PartExtra:
			extra = p.Data
		}
	}
	out.tail = appendBlock(appendBlock(appendBlock(nil, docs[0]), docs[1]), extra)
	return err
}

func (e *encoder) appendNewSection(dst []byte, a *format.Cells) ([]byte, error) {
	if e.version < 13 {
		return e.appendContainers(e.appendLight(e.appendLight(dst, a.Light), a.Sky), a)
	}
	var flags byte
	if a.Light != nil {
		flags |= 1
	}
	if a.Sky != nil {
		flags |= 2
	}
	return e.appendContainers(append(append(append(dst, flags), a.Light...), a.Sky...), a)
}

// listDocument returns the document of a column's list: nil for ticks that it
// has not, since the world's flags leave these out.
func listDocument(c *format.Column, k kind) []byte {
	for _, l := range c.Lists {
		if l.Name == k.list {
			return objectDocument(k.tag, l.Objects)
		}
	}
	if k.all == "" {
		return nil
	}
	return objectDocument(k.tag, nil)
}

// objectDocument returns the document of a list; one that is empty has the element
// type that AdvancedSlimePaper gives it.
func objectDocument(tag string, objects []voxel.Object) []byte {
	if len(objects) == 0 {
		return nbt.AppendEnd(nbt.AppendList(nbt.AppendHeader(nil, nbt.Compound, ""), tag, nbt.End, 0))
	}
	payloads := make([][]byte, len(objects))
	for i, o := range objects {
		payloads[i] = document.AppendObject(nil, &o)
	}
	return appendObjects(nil, tag, payloads)
}
