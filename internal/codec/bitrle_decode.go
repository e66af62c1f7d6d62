package codec

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// DecodeBitRLE decodes a box of edge cells an edge and of schema s from the start of
// src to dst, in the order of AppendBitRLE. It returns the number of bytes read. It
// panics if edge is not 4, 8, 16 or 32 or if dst does not have edge^3 cells. It
// fails with a *CorruptError if src ends within the box or is malformed; dst is then
// undefined. Every cell is valid in s. For a Palette the caller must check that the
// cell has a name.
func DecodeBitRLE(dst []voxel.Cell, edge int, s voxel.Schema, src []byte) (n int, err error) {
	checkBox(dst, edge)
	d := bitDecoder{bitReader: bitReader{src: src}, bitBox: bitBox{dst, edge, s == voxel.Terrain}}
	if err := d.box(s); err != nil {
		return 0, corrupt(min(d.pos>>3, len(src)), "bit rle", err)
	}
	if d.pos&7 != 0 && d.take(8-d.pos&7) != 0 {
		return 0, corrupt(d.pos>>3-1, "bit rle", errors.New("the last bits are not zero"))
	}
	return d.pos >> 3, nil
}

type bitDecoder struct {
	bitReader
	bitBox
	list  [bitMaxList]uint16 // the first n symbols
	n     int                // 0 if there is no list
	width int

	near  bool
	kind  int
	order [2]int
}

func (d *bitDecoder) box(s voxel.Schema) error {
	if edge := 4 << d.take(2); edge != d.edge && !d.short() {
		return fmt.Errorf("a box of %d cells an edge, want %d", edge, d.edge)
	}
	uniform := d.take(1) == 1
	d.width = d.take(4) + 1
	if most := bitWidth(s); d.width > most {
		return fmt.Errorf("symbols of %d bits, at most %d", d.width, most)
	}
	if uniform {
		c, err := d.cellOf(d.take(d.width))
		if err == nil && d.short() {
			err = errShort
		}
		fill(d.cells, c)
		return err
	}
	if err := d.head(); err != nil {
		return err
	}
	return d.body()
}

// bitWidth returns the most bits of a symbol.
func bitWidth(s voxel.Schema) int {
	switch s {
	case voxel.Terrain:
		return 7
	case voxel.Level:
		return 8
	}
	return 15
}

func (d *bitDecoder) head() error {
	n, ok := d.golomb(0)
	switch {
	case d.short():
		return errShort
	case !ok || n >= bitNoList:
		return errors.New("too many symbols")
	case n < bitMaxList:
		d.n = n + 1
	}
	for i := range d.n {
		d.list[i] = uint16(d.take(d.width))
	}
	d.near = d.take(1) == 1
	if d.kind = d.take(2); d.kind > guideBelow {
		return fmt.Errorf("reserved guide %d", d.kind)
	}
	d.order[0] = d.take(4)
	if d.terrain {
		d.order[1] = d.take(4)
	}
	return nil
}

func (d *bitDecoder) body() error {
	guide := d.guide(d.kind)
	last, before := noCell, noCell
	for pos := 0; pos < len(d.cells); {
		c, err := d.cell(pos, last, before)
		if err != nil {
			return err
		}
		end, ok := guide.end(d.cells, pos)
		if !ok || d.take(1) == 0 {
			_, part := bitSymbol(c, d.terrain)
			n, ok := d.golomb(d.order[orderOf(part)])
			if end = pos + n + 1; !ok {
				end = len(d.cells) + 1
			}
		}
		switch {
		case d.short():
			return errShort
		case end > len(d.cells):
			return errors.New("a run crosses the end of the box")
		}
		fill(d.cells[pos:end], c)
		last, before, pos = c, last, end
	}
	return nil
}

// cell reads the cell of a run.
func (d *bitDecoder) cell(pos int, last, before voxel.Cell) (voxel.Cell, error) {
	if d.near {
		g, n := d.guesses(pos, last, before)
		for _, c := range g[:n] {
			if d.take(1) == 1 {
				return c, nil
			}
		}
	}
	if d.n == 0 {
		return d.cellOf(d.take(d.width))
	}
	place, err := d.place(last)
	if err != nil {
		return 0, err
	}
	return d.cellOf(int(d.list[place]))
}

// place reads an index into the list. It cannot be that of the last cell if that was
// full.
func (d *bitDecoder) place(last voxel.Cell) (int, error) {
	symbol, part := bitSymbol(last, d.terrain)
	if last == noCell || part {
		return d.truncated(d.n), nil
	}
	i := 0
	for i < d.n && d.list[i] != symbol {
		i++
	}
	if d.n == 1 {
		return 0, errors.New("a second run of the only symbol")
	}
	place := d.truncated(d.n - 1)
	if place >= i {
		place++
	}
	return place, nil
}

// cellOf returns the cell of a symbol. It reads the occupancy if one follows.
func (d *bitDecoder) cellOf(symbol int) (voxel.Cell, error) {
	switch {
	case !d.terrain:
		return voxel.Cell(symbol), nil
	case symbol == 1:
		return 0, errors.New("air with an occupancy")
	case symbol&1 == 0:
		return voxel.TerrainCell(uint8(symbol>>1), 0xFF), nil
	}
	occupancy := d.take(8)
	if occupancy == 0xFF {
		return 0, errors.New("a full cell with an occupancy")
	}
	return voxel.TerrainCell(uint8(symbol>>1), uint8(occupancy)), nil
}

// fill sets every cell to c.
func fill(cells []voxel.Cell, c voxel.Cell) {
	if len(cells) > 32 {
		cells[0] = c
		for n := 1; n < len(cells); n *= 2 {
			copy(cells[n:], cells[:n])
		}
		return
	}
	for i := range cells {
		cells[i] = c
	}
}
