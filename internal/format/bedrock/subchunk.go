package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

const (
	sectionCells = 4096
	half         = sectionCells / 2 // bytes of 4 bits for each cell
)

// Bounds of a sub-chunk of versions 8 and 9.
const (
	maxLayers  = 16
	sameBefore = 0x7F // bits that say: as the storage before
)

// section is a sub-chunk in cells of the house's order: y, z, x.
type section struct {
	layers     [][]voxel.Cell // 4096 cells each, or one that all have
	sky, light []byte         // two cells a byte; nil if it has none
	versions   []int32        // of the names in its palettes, each once
}

// at returns the house's index of the i-th cell of a sub-chunk, which goes along y, then z, then x.
func at(i int) int { return i&15<<8 | i>>4&15<<4 | i>>8 }

// parser reads little-endian numbers of one value. The first error sticks.
type parser struct {
	b   []byte
	at  int
	err error
}

// fail keeps the first error that is one.
func (p *parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// take returns the next n bytes, or nil.
func (p *parser) take(n int) []byte {
	if n > len(p.b)-p.at {
		p.fail(io.ErrUnexpectedEOF)
	}
	if p.err != nil {
		return nil
	}
	p.at += n
	return p.b[p.at-n : p.at]
}

func (p *parser) byte() byte {
	if b := p.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *parser) int() int32 {
	if b := p.take(4); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// decodeSection reads a sub-chunk at a height. to are the names of the first layer and of all others.
func decodeSection(value []byte, y int8, to [2]*states) (s section, err error) {
	p := &parser{b: value}
	switch version := p.byte(); version {
	case 0, 2, 3, 4, 5, 6, 7:
		s.numeric(p, to[0])
	case 1:
		s.layer(p, to[0])
	case 8, 9:
		n := int(p.byte())
		if version == 9 {
			if own := int8(p.byte()); own != y {
				p.fail(fmt.Errorf("is that of height %d and lies at %d", own, y))
			}
		}
		if n > maxLayers {
			p.fail(fmt.Errorf("%d layers", n))
		}
		for i := 0; i < n && p.err == nil; i++ {
			s.layer(p, to[min(i, 1)])
		}
	default:
		p.fail(fmt.Errorf("unknown version %d", version))
	}
	if p.err == nil && p.at != len(value) {
		p.fail(fmt.Errorf("%d bytes left over", len(value)-p.at))
	}
	if p.err != nil {
		return section{}, corrupt(p.at, "sub-chunk", p.err)
	}
	return s, nil
}

// numeric reads ids, data, and light unless the game had not written it yet.
func (s *section) numeric(p *parser, to *states) {
	ids, data := p.take(sectionCells), p.take(half)
	if p.err != nil {
		return
	}
	cells := make([]voxel.Cell, sectionCells)
	if err := numericCells(cells, ids, data, to, at); err != nil {
		p.fail(err)
	}
	s.layers = [][]voxel.Cell{cells}
	for _, light := range []*[]byte{&s.sky, &s.light} {
		if p.at < len(p.b) {
			*light = turned(p.take(half))
		}
	}
}

// numericCells puts blocks with numbers where place says.
func numericCells(cells []voxel.Cell, ids, data []byte, to *states, place func(int) int) error {
	var known [1 << 12]int32 // cells by number, plus one
	for i, id := range ids {
		d := data[i/2] >> (i % 2 * 4) & 15
		k := &known[int(id)<<4|int(d)]
		if *k == 0 {
			c, err := to.numeric(id, d)
			if err != nil {
				return err
			}
			*k = int32(c) + 1
		}
		cells[place(i)] = voxel.Cell(*k - 1)
	}
	return nil
}

// turned returns light in the house's order.
func turned(b []byte) []byte {
	if b == nil {
		return nil
	}
	out := make([]byte, half)
	for i := range sectionCells {
		to := at(i)
		out[to/2] |= b[i/2] >> (i % 2 * 4) & 15 << (to % 2 * 4)
	}
	return out
}

// layer reads a storage of blocks.
func (s *section) layer(p *parser, to *states) {
	bits := p.byte()
	if bits&1 != 0 {
		p.fail(errors.New("a palette of the network"))
	}
	l := little{b: p.b}
	cells, ok := p.storage(bits>>1, func() (voxel.Cell, error) {
		l.at = p.at
		payload, err := l.compound()
		if err != nil {
			p.at = l.at
			return 0, err
		}
		k, err := to.entry(p.b[p.at:l.at], payload)
		if p.at = l.at; err == nil && !slices.Contains(s.versions, k.version) {
			s.versions = append(s.versions, k.version)
		}
		return k.cell, err
	})
	if !ok {
		p.fail(errors.New("a layer without bits"))
	}
	s.layers = append(s.layers, cells)
}

// storage reads the indexes and the palette of 4096 cells. ok is false for one that is as that before it. If all are one cell it
// returns that alone.
func (p *parser) storage(bits byte, entry func() (voxel.Cell, error)) (cells []voxel.Cell, ok bool) {
	if bits == sameBefore {
		return nil, false
	}
	if bits > 8 && bits != 16 || bits == 7 {
		p.fail(fmt.Errorf("%d bits for a cell", bits))
	}
	count, words := int32(1), []byte{}
	if bits > 0 {
		each := 32 / int(bits)
		words = p.take((sectionCells + each - 1) / each * 4)
		count = p.int()
	}
	if count < 1 || count > sectionCells {
		p.fail(fmt.Errorf("a palette of %d entries", count))
	}
	var palette []voxel.Cell
	for i := int32(0); i < count && p.err == nil; i++ {
		c, err := entry()
		if err != nil {
			p.fail(err)
		}
		palette = append(palette, c)
	}
	if p.err != nil {
		return nil, true
	}
	if bits == 0 {
		return palette, true
	}
	return p.unpack(words, int(bits), palette), true
}

// unpack returns the cells of indexes in words of 32 bits, which they do not cross.
func (p *parser) unpack(words []byte, bits int, palette []voxel.Cell) []voxel.Cell {
	cells, i := make([]voxel.Cell, sectionCells), 0
	for ; len(words) >= 4; words = words[4:] {
		w := binary.LittleEndian.Uint32(words)
		for range min(32/bits, sectionCells-i) {
			index := int(w & (1<<bits - 1))
			if index >= len(palette) {
				p.fail(fmt.Errorf("cell %d is entry %d of a palette of %d", i, index, len(palette)))
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
