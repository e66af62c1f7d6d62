package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	sectionCells = 4096
	half         = sectionCells / 2 // bytes of 4 bits for each cell
	maxLayers    = 16
	sameBefore   = 0x7F // bits that say: as the storage before
)

// blocks turns blocks into cells of one volume.
type blocks struct {
	names   *format.Names
	palette *block.Palette
}

// state returns the cell of a palette entry, and the version of its names.
func (b blocks) state(payload []byte) (voxel.Cell, int32, error) {
	java, version := javaEntry(payload)
	cell, _, err := b.palette.Cell(java)
	if b.names.Name(cell) == "minecraft:air[val=0]" {
		cell = 0
	}
	return cell, version, err
}

// numeric returns the cell of a block with numbers. They are not those of Java.
func (b blocks) numeric(id, data byte) (voxel.Cell, error) {
	if id|data == 0 {
		return 0, nil
	}
	return b.names.Cell(fmt.Sprintf("bedrock:%d[data=%d]", id, data))
}

// section is a sub-chunk in cells of the house's order: y, z, x.
type section struct {
	layers     [][]voxel.Cell // 4096 cells each, or one that all have
	sky, light []byte         // two cells a byte; nil if it has none
	versions   []int32        // of the names in its palettes, each once
}

// at returns the house's index of the i-th cell of a sub-chunk, which goes along y, then z, then x.
func at(i int) int { return i&15<<8 | i>>4&15<<4 | i>>8 }

// decodeSection reads a sub-chunk at a height. to are the names of the first layer, and of all others.
func decodeSection(value []byte, y int8, to [2]blocks) (s section, err error) {
	c := cursor.New(value, "sub-chunk")
	switch version := c.Byte(); version {
	case 0, 2, 3, 4, 5, 6, 7:
		s.numeric(&c, to[0])
	case 1:
		s.layer(&c, to[0])
	case 8, 9:
		n := c.Within(int64(c.Byte()), 0, maxLayers)
		if version == 9 {
			if own := int8(c.Byte()); own != y {
				c.Fail(fmt.Errorf("it is that of height %d and lies at %d", own, y))
			}
		}
		for i := int64(0); i < n && c.Err() == nil; i++ {
			s.layer(&c, to[min(i, 1)])
		}
	default:
		c.Fail(fmt.Errorf("unknown version %d", version))
	}
	return s, c.End()
}

// numeric reads ids, data, and lights, which newer games leave out.
func (s *section) numeric(c *cursor.Cursor, to blocks) {
	ids, data := c.Bytes(sectionCells), c.Bytes(half)
	if c.Err() != nil {
		return
	}
	cells, known := make([]voxel.Cell, sectionCells), map[[2]byte]voxel.Cell{}
	for i, id := range ids {
		number := [2]byte{id, nibble(data, i)}
		cell, ok := known[number]
		if !ok {
			var err error
			if cell, err = to.numeric(number[0], number[1]); err != nil {
				c.Fail(err)
				return
			}
			known[number] = cell
		}
		cells[at(i)] = cell
	}
	s.layers = [][]voxel.Cell{cells}
	for _, light := range []*[]byte{&s.sky, &s.light} {
		if c.Left() > 0 {
			*light = turned(c.Bytes(half))
		}
	}
}

func nibble(b []byte, i int) byte { return b[i/2] >> (i % 2 * 4) & 15 }

// turned returns light in the house's order.
func turned(b []byte) []byte {
	out := make([]byte, half)
	for i := range len(b) * 2 {
		out[at(i)/2] |= nibble(b, i) << (at(i) % 2 * 4)
	}
	return out
}

// layer reads a storage of blocks.
func (s *section) layer(c *cursor.Cursor, to blocks) {
	bits := c.Byte()
	if bits&1 != 0 || bits>>1 == sameBefore {
		c.Fail(errors.New("a palette of the network, or none"))
	}
	s.layers = append(s.layers, storage(c, bits>>1, func() (voxel.Cell, error) {
		payload := compound(c)
		if c.Err() != nil {
			return 0, nil
		}
		cell, version, err := to.state(payload)
		if version != 0 && !slices.Contains(s.versions, version) {
			s.versions = append(s.versions, version)
		}
		return cell, err
	}))
}

// storage reads the indexes and the palette of 4096 cells. If all are one cell it returns that alone.
func storage(c *cursor.Cursor, bits byte, entry func() (voxel.Cell, error)) []voxel.Cell {
	if bits > 8 && bits != 16 || bits == 7 {
		c.Fail(fmt.Errorf("%d bits for a cell", bits))
		return nil
	}
	count, words := int64(1), []byte{}
	if bits > 0 {
		each := 32 / int(bits)
		words = c.Bytes((sectionCells + each - 1) / each * 4)
		count = c.Within(int64(int32(c.Uint32())), 1, sectionCells)
	}
	var palette []voxel.Cell
	for i := int64(0); i < count && c.Err() == nil; i++ {
		cell, err := entry()
		if err != nil {
			c.Fail(err)
		}
		palette = append(palette, cell)
	}
	if bits == 0 || c.Err() != nil {
		return palette
	}
	return unpack(c, words, int(bits), palette)
}

// unpack returns the cells of indexes in words of 32 bits, which they do not cross.
func unpack(c *cursor.Cursor, words []byte, bits int, palette []voxel.Cell) []voxel.Cell {
	cells, i := make([]voxel.Cell, sectionCells), 0
	for ; len(words) >= 4; words = words[4:] {
		w := binary.LittleEndian.Uint32(words)
		for range min(32/bits, sectionCells-i) {
			index := int(w & (1<<bits - 1))
			if index >= len(palette) {
				c.Fail(fmt.Errorf("cell %d is entry %d of a palette of %d", i, index, len(palette)))
				return nil
			}
			cells[at(i)] = palette[index]
			w, i = w>>bits, i+1
		}
	}
	if !slices.ContainsFunc(cells, func(c voxel.Cell) bool { return c != cells[0] }) {
		return cells[:1]
	}
	return cells
}
