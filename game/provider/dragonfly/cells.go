package dragonfly

import (
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/df-mc/dragonfly/server/world/chunk"
)

const (
	edge         = 16
	sectionCells = edge * edge * edge
)

// cells are those of a section in the order of cairn: x fastest, then z, then y.
type cells [sectionCells]voxel.Cell

// storage is a layer of a section as dragonfly sends it over the network: indexes into a palette of runtime ids, or of
// numbers of biomes, in words of 32 bits that they do not cross.
type storage struct {
	bits    int
	words   []byte
	palette []uint32
}

// sameBefore are the bits of a storage that says: as the one before.
const sameBefore = 0x7F

// parseStorage reads a storage that dragonfly made.
func parseStorage(b []byte) (s storage, rest []byte) {
	s.bits, b = int(b[0]>>1), b[1:]
	if s.bits == sameBefore {
		return s, b
	}
	n := int64(1)
	if s.bits > 0 {
		size := wordsOf(s.bits) * 4
		s.words, b = b[:size], b[size:]
		n, b = varint(b)
	}
	s.palette = make([]uint32, n)
	for i := range s.palette {
		var v int64
		v, b = varint(b)
		s.palette[i] = uint32(v)
	}
	return s, b
}

func varint(b []byte) (int64, []byte) {
	v, n := binary.Varint(b)
	return v, b[n:]
}

// wordsOf returns how many words the indexes of a section take.
func wordsOf(bits int) int {
	each := 32 / bits
	return (sectionCells + each - 1) / each
}

// parseSection reads the layers of a section that dragonfly made.
func parseSection(b []byte) []storage {
	layers := make([]storage, b[1])
	b = b[3:]
	for i := range layers {
		layers[i], b = parseStorage(b)
	}
	return layers
}

// unpack writes the cells of a storage, of which table has a cell for each entry of the palette.
func (s storage) unpack(table []voxel.Cell, dst *cells) {
	mask, i := uint32(1)<<s.bits-1, 0
	for words := s.words; len(words) >= 4; words = words[4:] {
		w := binary.LittleEndian.Uint32(words)
		for range min(32/s.bits, sectionCells-i) {
			dst[i&15<<8|i>>4&15<<4|i>>8] = table[w&mask]
			w, i = w>>s.bits, i+1
		}
	}
}

// packer makes storages of cells. It belongs to one goroutine.
type packer struct {
	cells   cells
	same    bool                           // cells[0] stands for all
	at      [int(voxel.MaxCell) + 1]uint16 // index + 1 of cells that are in the palette
	palette []voxel.Cell
}

// uniform reports whether all cells are one.
func (c *cells) uniform() bool {
	return !slices.ContainsFunc(c[1:], func(v voxel.Cell) bool { return v != c[0] })
}

// indexes makes the palette of the cells, in the order in which dragonfly meets them, and appends head and words of a storage.
func (p *packer) indexes(dst []byte) []byte {
	if p.palette = p.palette[:0]; p.same {
		p.palette = append(p.palette, p.cells[0])
		return append(dst, 1)
	}
	var order [sectionCells]uint16
	for i := range order {
		cell := p.cells[i&15<<8|i>>4&15<<4|i>>8]
		if p.at[cell] == 0 {
			p.palette = append(p.palette, cell)
			p.at[cell] = uint16(len(p.palette))
		}
		order[i] = p.at[cell] - 1
	}
	for _, cell := range p.palette {
		p.at[cell] = 0
	}
	bits := bitsFor(len(p.palette))
	if dst = append(dst, byte(bits<<1|1)); bits == 0 {
		return dst
	}
	for rest := order[:]; len(rest) > 0; {
		n, w := min(32/bits, len(rest)), uint32(0)
		for i, v := range rest[:n] {
			w |= uint32(v) << (i * bits)
		}
		dst, rest = binary.LittleEndian.AppendUint32(dst, w), rest[n:]
	}
	return binary.AppendVarint(dst, int64(len(p.palette)))
}

// bitsFor returns the bits of an index into a palette.
func bitsFor(n int) int {
	for _, bits := range []int{0, 1, 2, 3, 4, 5, 6, 8} {
		if n <= 1<<bits {
			return bits
		}
	}
	return 16
}

// heal makes a chunk that was decoded from the network one that can be changed: its palettes say that they looked for the number 0
// last, and found it where it is not.
func heal(c *chunk.Chunk) {
	for i, sub := range c.Sub() {
		for _, layer := range sub.Layers() {
			layer.Palette().Replace(func(v uint32) uint32 { return v })
		}
		y := c.SubY(int16(i))
		c.SetBiome(0, y, 0, c.Biome(0, y, 0)) // the first of its palette
	}
}
