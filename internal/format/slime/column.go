package slime

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// decoder turns chunks into columns. Its buffers live for one column.
type decoder struct {
	layout
	dim     *format.Dimension
	blocks  *block.Palette
	biomes  *block.Palette
	numeric *block.Numeric
	frames  *inflater
	dropped Losses
	table   []voxel.Cell
	cells   block.Arena // of a column
	bare    bool        // a palette of the column so far has an entry without Properties
	empty   int         // entries of the column's palettes so far with an empty one
}

func newDecoder(l layout, frames *inflater, dropped Losses) *decoder {
	dim := format.BlockDimension(l.env.dimension, l.env.folder)
	names := dim.Volume(voxel.Block).Names
	d := &decoder{layout: l, dim: dim, frames: frames, dropped: dropped,
		blocks: block.NewPalette(names), biomes: block.NewPalette(dim.Volume(voxel.Biome).Names)}
	if l.world < worldNames {
		d.numeric = block.NewNumeric(names)
	}
	return d
}

// column makes the column of k without the objects of versions 1 to 10.
func (d *decoder) column(k *chunk) (*format.Column, error) {
	d.bare, d.empty = false, 0
	d.cells.Reset()
	c := &format.Column{Column: voxel.Column{Pos: k.pos}}
	if err := d.addMaps(c, k); err != nil {
		return nil, fmt.Errorf("chunk %v: maps: %w", k.pos, err)
	}
	c.Version = d.columnVersion(c.Biomes != nil)
	for i := range k.sections {
		if err := d.addSection(c, &k.sections[i]); err != nil {
			return nil, fmt.Errorf("chunk %v: section %d: %w", k.pos, k.sections[i].y, err)
		}
	}
	switch {
	case d.empty > 0 && d.bare:
		d.dropped.add("empty Properties of palette entries", d.empty)
	case d.empty > 0:
		c.Layout = voxel.LayoutProperties
	}
	if err := d.addObjects(c, k); err != nil {
		return nil, fmt.Errorf("chunk %v: %w", k.pos, err)
	}
	if err := d.addParts(c, k); err != nil {
		return nil, fmt.Errorf("chunk %v: %w", k.pos, err)
	}
	d.dropped.add("payload of an unknown world flag", k.unknown)
	return c, nil
}

func (d *decoder) addMaps(c *format.Column, k *chunk) (err error) {
	if d.world < worldNames {
		c.Maps = []voxel.Map{block.IntMap(mapHeight, k.heights), block.ByteMap(mapBiomes, k.biomes)}
		return nil
	}
	if c.Maps, err = d.readHeights(k.heights, nil, d.dropped); err != nil {
		return err
	}
	switch len(k.biomes) {
	case 0:
	case 4 * block.MapCells:
		c.Maps = append(c.Maps, block.IntMap(mapBiomes, k.biomes))
	case 4 * block.BiomeColumn:
		c.Biomes = make([]voxel.Cell, block.BiomeColumn)
		names := d.dim.Volume(voxel.Biome).Names
		for i := range c.Biomes {
			id := int32(binary.BigEndian.Uint32(k.biomes[4*i:]))
			if c.Biomes[i], err = names.Cell(block.LegacyBiomeName(id)); err != nil {
				return err
			}
		}
	default:
		d.dropped.add(fmt.Sprintf("biomes of %d entries", len(k.biomes)/4), 1)
	}
	return nil
}

func (d *decoder) addSection(c *format.Column, s *section) (err error) {
	v := voxel.Section{Y: int8(s.y)}
	var cells format.Cells
	switch {
	case d.world < worldNames:
		cells.Block = d.cells.Take(block.SectionCells)
		err = d.numeric.Unpack(s.ids, nil, s.data, cells.Block)
	case d.world < worldContainers:
		cells.Block, err = d.paletted(s)
	default:
		if cells.Block, err = d.container(s.states, nbt.Compound, block.SectionCells); err == nil {
			cells.Biome, err = d.container(s.biomes, nbt.String, block.BiomeCells)
		}
	}
	cells.Light, cells.Sky = s.light, s.sky
	v.Has = cells.Has()
	if len(s.hypixel) > 0 {
		v.Tags = nbt.AppendEnd(nbt.AppendByteArray(nil, TagHypixelBlocks3, s.hypixel))
	}
	c.Sections, c.Cells = append(c.Sections, v), append(c.Cells, cells)
	return err
}

// block returns the cell of a palette entry and notes what properties it has.
func (d *decoder) block(entry []byte) (voxel.Cell, error) {
	cell, has, err := d.blocks.Cell(entry)
	switch has {
	case block.NoProperties:
		d.bare = true
	case block.EmptyProperties:
		d.empty++
	}
	return cell, err
}

// paletted unpacks a section of world versions 4 to 7.
func (d *decoder) paletted(s *section) ([]voxel.Cell, error) {
	d.table = d.table[:0]
	entries := readerAt(s.palette, 0)
	for range s.entries {
		doc := entries.block()
		r := nbt.NewReader(doc, nbt.Limits{})
		if t, _ := r.Root(); t != nbt.Compound {
			return nil, fmt.Errorf("palette entry: a document of type %v", t)
		}
		cell, err := d.block(doc[r.Offset():])
		if err != nil {
			return nil, err
		}
		d.table = append(d.table, cell)
	}
	return d.unpack(s.longs, 4, block.Straddles(d.data), block.SectionCells)
}

// container unpacks the paletted container that holds blocks (entries of type Compound) or
// biomes (String) from world version 8 on. It returns nil if there is none, and one cell if all
// cells are the same.
func (d *decoder) container(doc []byte, elem nbt.Type, n int) ([]voxel.Cell, error) {
	d.table = d.table[:0]
	var longs []byte
	err := eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		switch {
		case t == nbt.List && string(name) == "palette":
			return d.readTable(r, elem)
		case t == nbt.LongArray && string(name) == "data":
			longs = r.LongArray()
		default:
			r.Skip(t)
			d.dropped.add("section."+string(name), 1)
		}
		return nil
	})
	if err != nil || len(d.table) == 0 && longs == nil {
		return nil, err
	}
	if longs == nil {
		if len(d.table) != 1 {
			return nil, fmt.Errorf("a palette of %d and no data", len(d.table))
		}
		one := d.cells.Take(1)
		one[0] = d.table[0]
		return one, nil
	}
	least := 4
	if elem == nbt.String {
		least = 1
	}
	return d.unpack(longs, least, false, n)
}

func (d *decoder) readTable(r *nbt.Reader, elem nbt.Type) error {
	t, n := r.List()
	if n > 0 && t != elem {
		return fmt.Errorf("a palette of type %v", t)
	}
	for ; n > 0 && r.Err() == nil; n-- {
		var cell voxel.Cell
		var err error
		if elem == nbt.String {
			cell, err = d.biomes.Biome(r.String())
		} else {
			cell, err = d.block(r.Raw(elem))
		}
		if err != nil {
			return err
		}
		d.table = append(d.table, cell)
	}
	return nil
}

// unpack unpacks n entries from packed longs. It takes the entry size for the table, or the
// next size with that number of longs, because a palette may have shrunk since.
func (d *decoder) unpack(longs []byte, least int, straddle bool, n int) ([]voxel.Cell, error) {
	dst := d.cells.Take(n)
	size := block.Bits(len(d.table), least)
	for b := size; b <= 16; b++ {
		for _, s := range [...]bool{straddle, !straddle} {
			if 8*block.Longs(n, b, s) == len(longs) && (!s || d.world < worldContainers) {
				return dst, block.UnpackLongs(longs, b, s, d.table, dst)
			}
		}
	}
	return nil, block.UnpackLongs(longs, size, straddle, d.table, dst)
}

// addObjects adds the lists that each column holds from version 11 on.
func (d *decoder) addObjects(c *format.Column, k *chunk) (err error) {
	docs := [len(kinds)][]byte{k.tiles, k.entities, k.blockTicks, k.fluidTicks}
	for i := range kinds {
		doc := docs[i]
		if d.version == 11 && len(doc) > 0 {
			if doc, err = d.blob(doc); err != nil {
				return fmt.Errorf("%s: %w", kinds[i].list, err)
			}
		}
		list := voxel.List{Name: kinds[i].list}
		err := kinds[i].readObjects(doc, kinds[i].tag, d.dropped, func(o voxel.Object) {
			list.Objects = append(list.Objects, o)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", kinds[i].list, err)
		}
		if len(list.Objects) > 0 {
			c.Lists = append(c.Lists, list)
		}
	}
	return nil
}

// blob decodes a blob within a decoded blob.
func (d *decoder) blob(b []byte) ([]byte, error) {
	c := readerAt(b, 0)
	stored, size := c.i32(), c.i32()
	return d.frames.inflate(c.Bytes(stored), size)
}

func (d *decoder) addParts(c *format.Column, k *chunk) error {
	if len(k.poi) > 0 {
		doc, err := poiDocument(k.poi, c.Version)
		if err != nil {
			return fmt.Errorf("points of interest: %w", err)
		}
		if doc != nil {
			c.Parts = append(c.Parts, voxel.Part{Name: voxel.PartPOI, Data: doc})
		}
	}
	if len(k.extra) > 0 {
		if err := checkDocument(k.extra); err != nil {
			return fmt.Errorf("extra: %w", err)
		}
		c.Parts = append(c.Parts, voxel.Part{Name: PartExtra, Data: k.extra})
	}
	return nil
}

// checkDocument reports whether doc is one compound.
func checkDocument(doc []byte) error {
	return eachEntry(doc, func(r *nbt.Reader, t nbt.Type, _ []byte) error {
		r.Skip(t)
		return nil
	})
}

// poiDocument returns the document of a points of interest chunk for the document of its
// Sections. It returns nil if these are empty.
func poiDocument(sections []byte, version int32) ([]byte, error) {
	if err := checkDocument(sections); err != nil {
		return nil, err
	}
	r := nbt.NewReader(sections, nbt.Limits{Bytes: math.MaxInt32})
	r.Root()
	if r.Rest() == 1 {
		return nil, nil
	}
	doc := nbt.AppendInt(nbt.AppendHeader(nil, nbt.Compound, ""), "DataVersion", version)
	doc = append(nbt.AppendCompound(doc, "Sections"), sections[r.Offset():]...)
	return nbt.AppendEnd(doc), nil
}

// poiSections is the inverse of poiDocument. It returns nil if doc has no sections.
func poiSections(doc []byte) (sections []byte, err error) {
	err = eachEntry(doc, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		raw := r.Raw(t)
		if t == nbt.Compound && string(name) == "Sections" && !bytes.Equal(raw, []byte{0}) {
			sections = append(nbt.AppendHeader(nil, nbt.Compound, ""), raw...)
		}
		return nil
	})
	return sections, err
}
