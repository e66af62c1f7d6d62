package anvil

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// plainMap takes 256 ints, or bytes.
func (d *decoder) plainMap(g *tag, name string) {
	if ints := g.array(nbt.IntArray); len(ints) == 4*block.MapCells {
		d.col.Maps = append(d.col.Maps, block.IntMap(name, ints))
		g.taken = true
	} else if b := g.bytes(block.MapCells); b != nil {
		d.col.Maps = append(d.col.Maps, block.ByteMap(name, b))
		g.taken = true
	}
}

// biomeMap takes biomes of block columns as a map, and of the whole column in
// cells of 4 blocks as cells. Other lengths stay tags.
func (d *decoder) biomeMap(g *tag) {
	ints := g.array(nbt.IntArray)
	if len(ints) != 4*block.BiomeColumn {
		d.plainMap(g, "Biomes")
		return
	}
	d.col.Biomes = d.numericBiomes(ints)
	g.taken = d.col.Biomes != nil
}

// numericBiomes returns the cells of biomes given by number, or nil where the
// volume has no room for their names.
func (d *decoder) numericBiomes(ints []byte) []voxel.Cell {
	cells := d.cells.Take(len(ints) / 4)
	for i := range cells {
		if i > 0 && [4]byte(ints[4*i:]) == [4]byte(ints[4*i-4:]) {
			cells[i] = cells[i-1]
			continue
		}
		var ok bool
		if cells[i], ok = d.numericBiome(int32(binary.BigEndian.Uint32(ints[4*i:]))); !ok {
			return nil
		}
	}
	return cells
}

func (d *decoder) numericBiome(id int32) (voxel.Cell, bool) {
	if c, ok := d.ids[id]; ok {
		return c, true
	}
	c, err := d.names.Cell(block.LegacyBiomeName(id))
	if err != nil {
		return 0, false
	}
	d.ids[id] = c
	return c, true
}

// heightMaps takes from the compound of height maps those of 256 packed
// numbers. What is left of it stays a tag.
func (d *decoder) heightMaps(g *tag) {
	if g == nil || g.t != nbt.Compound {
		return
	}
	if d.deep = payloadTags(d.deep[:0], g.payload()); !unique(d.deep) {
		return
	}
	taken := 0
	for i := range d.deep {
		if m := &d.deep[i]; m.t == nbt.LongArray && len(m.name) <= maxName && isASCII(m.name) && d.packedMap(m) {
			m.taken = true
			taken++
		}
	}
	switch {
	case taken == 0:
	case taken == len(d.deep):
		g.taken = true
	default:
		at := len(d.bytes)
		d.bytes = append(d.bytes, g.entry[:3+len(g.name)]...)
		d.bytes = nbt.AppendEnd(appendRest(d.bytes, d.deep))
		g.entry = d.bytes[at:len(d.bytes):len(d.bytes)]
	}
}

// isASCII reports whether a name is the same in modified UTF-8 and in UTF-8.
func isASCII(name []byte) bool {
	return !slices.ContainsFunc(name, func(c byte) bool { return c == 0 || c >= 0x80 })
}

// packedMap takes one height map if its longs can be made again from its numbers. It is likely that it has the
// heights of the sections.
func (d *decoder) packedMap(g *tag) bool {
	tall := bits.Len(uint(16 * len(d.col.Sections)))
	m, ok := block.PackedMap(string(g.name), g.array(nbt.LongArray), tall, block.Straddles(d.col.Version))
	if ok {
		d.col.Maps = append(d.col.Maps, m)
	}
	return ok
}

// heightMap appends, unless the column has one, the map that games before 1.13
// do not make themselves: the heights above the highest blocks.
func (e *encoder) heightMap(c *format.Column) {
	if slices.Contains(e.written, "HeightMap") {
		return
	}
	var tops [block.MapCells]int32
	for i, s := range c.Sections {
		cells := c.Cells[i].Block
		for j := 0; j < block.SectionCells && len(cells) > 0; j++ {
			if cells[min(j, len(cells)-1)] != voxel.Empty {
				top := &tops[j%block.MapCells]
				*top = max(*top, int32(s.Y)*16+int32(j/block.MapCells)+1)
			}
		}
	}
	e.buf = nbt.AppendIntArray(e.buf, "HeightMap", tops[:])
}
