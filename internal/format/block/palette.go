package block

import (
	"encoding/binary"
	"math/bits"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	// maxRemembered and maxRememberedBytes bound what a Palette keeps of a file
	// that spells the same few states in many ways.
	maxRemembered      = 1 << 16
	maxRememberedBytes = 1 << 10
)

// Palette turns palette entries into cells of one volume, each entry parsed
// once. It is used by one goroutine at a time.
type Palette struct {
	names *format.Names
	known map[string]known // by the entry's bytes
}

type known struct {
	cell voxel.Cell
	has  Properties
}

// NewPalette returns a palette that adds to names.
func NewPalette(names *format.Names) *Palette {
	return &Palette{names: names, known: map[string]known{}}
}

// Cell returns the cell of a palette entry, the payload of a compound, and what
// properties it has (see Name). It keeps nothing of entry and allocates only for one
// not seen before.
func (p *Palette) Cell(entry []byte) (voxel.Cell, Properties, error) {
	if k, ok := p.known[string(entry)]; ok {
		return k.cell, k.has, nil
	}
	name, has, err := Name(entry)
	if err != nil {
		return 0, 0, err
	}
	c, err := p.add(entry, name, has)
	return c, has, err
}

// Biome returns the cell of a biome's name in raw modified UTF-8 (see
// BiomeName); it is never the empty cell.
func (p *Palette) Biome(raw []byte) (voxel.Cell, error) {
	if k, ok := p.known[string(raw)]; ok {
		return k.cell, nil
	}
	return p.add(raw, BiomeName(raw), NoProperties)
}

func (p *Palette) add(entry []byte, name string, has Properties) (voxel.Cell, error) {
	c, err := p.names.Cell(name)
	if err == nil && len(p.known) < maxRemembered && len(entry) <= maxRememberedBytes {
		p.known[string(entry)] = known{c, has}
	}
	return c, err
}

// Numeric turns numeric ids into cells of one volume. It is used by one
// goroutine at a time.
type Numeric struct {
	names *format.Names
	cells [1 << 16]voxel.Cell // by id<<4 | data, plus one; 0 is not seen yet
}

// NewNumeric returns a table that adds to names.
func NewNumeric(names *format.Names) *Numeric { return &Numeric{names: names} }

// Cell returns the cell of the block with a numeric id (0..4095) and data
// value (0..15).
func (n *Numeric) Cell(id int, data uint8) (voxel.Cell, error) {
	return n.lookup(uint16(id<<4 | int(data&15)))
}

func (n *Numeric) lookup(key uint16) (voxel.Cell, error) {
	if c := n.cells[key]; c != 0 {
		return c - 1, nil
	}
	c, err := n.names.Cell(LegacyName(int(key>>4), uint8(key&15)))
	if err == nil {
		n.cells[key] = c + 1
	}
	return c, err
}

// Unpack fills dst with the cells of a section: a byte of id for each, half a
// byte of data, and half a byte of id above these unless add is nil. The
// lengths must be len(dst), and len(dst)/2 for halves, low half first.
func (n *Numeric) Unpack(ids, add, data []byte, dst []voxel.Cell) error {
	if len(ids) != len(dst) || len(data)*2 != len(dst) || add != nil && len(add) != len(data) {
		panic("block: numeric arrays and cells differ in length")
	}
	for ; len(dst) >= 8; ids, data, dst = ids[8:], data[4:], dst[8:] {
		low, half := binary.LittleEndian.Uint64(ids), binary.LittleEndian.Uint32(data)
		if add == nil && low == bits.RotateLeft64(low, 8) && half == bits.RotateLeft32(half, 4) {
			c, err := n.lookup(uint16(ids[0])<<4 | uint16(half&15))
			if err != nil {
				return err
			}
			for i := range (*[8]voxel.Cell)(dst) {
				dst[i] = c
			}
			continue
		}
		if err := n.unpack(ids[:8], add, data, dst[:8]); err != nil {
			return err
		}
		if add != nil {
			add = add[4:]
		}
	}
	return n.unpack(ids, add, data, dst)
}

// unpack is Unpack for blocks that are mostly different.
func (n *Numeric) unpack(ids, add, data []byte, dst []voxel.Cell) error {
	for i := 0; i < len(dst); i += 2 {
		d := data[i/2]
		lo, hi := uint16(ids[i])<<4|uint16(d&15), uint16(ids[i+1])<<4|uint16(d>>4)
		if add != nil {
			lo |= uint16(add[i/2]&15) << 12
			hi |= uint16(add[i/2]>>4) << 12
		}
		a, b := n.cells[lo], n.cells[hi]
		if a == 0 || b == 0 {
			x, err := n.lookup(lo)
			if err != nil {
				return err
			}
			y, err := n.lookup(hi)
			if err != nil {
				return err
			}
			a, b = x+1, y+1
		}
		dst[i], dst[i+1] = a-1, b-1
	}
	return nil
}

// Arena is the memory of the cells of a column.
type Arena struct{ cells []voxel.Cell }

// Reset takes back all cells.
func (a *Arena) Reset() { a.cells = a.cells[:0] }

// Take returns n cells, which are not cleared, until Reset.
func (a *Arena) Take(n int) []voxel.Cell {
	if len(a.cells)+n > cap(a.cells) {
		a.cells = make([]voxel.Cell, 0, max(2*cap(a.cells), n, 1<<14))
	}
	at := len(a.cells)
	a.cells = a.cells[:at+n]
	return a.cells[at : at+n : at+n]
}

// Indexer turns the cells of a section into a palette and indexes into it. The
// zero value is ready; it is used by one goroutine at a time.
type Indexer struct {
	slot    [int(voxel.MaxCell) + 1]uint16 // place in palette plus one, 0 outside of Build
	palette []voxel.Cell
	entries []uint16
}

// Build returns the distinct cells in the order of their first appearance and,
// for each cell, its place among them. Both are valid until the next call.
func (x *Indexer) Build(cells []voxel.Cell) (palette []voxel.Cell, entries []uint16) {
	x.palette, x.entries = x.palette[:0], x.entries[:0]
	for _, c := range cells {
		s := x.slot[c]
		if s == 0 {
			x.palette = append(x.palette, c)
			s = uint16(len(x.palette))
			x.slot[c] = s
		}
		x.entries = append(x.entries, s-1)
	}
	for _, c := range x.palette {
		x.slot[c] = 0
	}
	return x.palette, x.entries
}
