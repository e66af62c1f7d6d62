package anvil

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
)

// A chunk of McRegion is 128 high and one array of each kind, index
// x*2048 + z*128 + y. Source: minecraft.wiki/w/McRegion.
const (
	oldSections = 8
	oldCells    = oldSections * block.SectionCells
	oldHeight   = oldSections * 16
)

// oldSections makes eight sections of the arrays in d.level.
func (d *decoder) oldSections() {
	blocks, data := find(d.level, "Blocks"), find(d.level, "Data")
	sky, light := find(d.level, "SkyLight"), find(d.level, "BlockLight")
	ids, half := blocks.bytes(oldCells), data.bytes(oldCells/2)
	if ids == nil || half == nil || len(d.col.Sections) > 0 {
		return
	}
	skies, lights := sky.bytes(oldCells/2), light.bytes(oldCells/2)
	for y := range oldSections {
		c := format.Cells{Block: d.oldBlocks(ids, half, y), Sky: d.oldHalves(skies, y), Light: d.oldHalves(lights, y)}
		if c.Block == nil {
			d.col.Sections, d.col.Cells = d.col.Sections[:0], d.col.Cells[:0]
			return
		}
		s := voxel.Section{Y: int8(y), Has: c.Has()}
		d.col.Sections, d.col.Cells = append(d.col.Sections, s), append(d.col.Cells, c)
	}
	blocks.taken, data.taken = true, true
	for _, g := range []*tag{sky, light} {
		if g.bytes(oldCells/2) != nil {
			g.taken = true
		}
	}
}

// oldBlocks returns the cells of section y from the arrays of a chunk. It returns nil if the
// volume has no room for their names.
func (d *decoder) oldBlocks(ids, data []byte, y int) []voxel.Cell {
	if alike(ids, y*16, 16, 8) && alike(data, y*8, 8, 4) {
		return d.oneNumeric(int(ids[y*16]), data[y*8])
	}
	var low [block.SectionCells]byte
	for column := range block.MapCells {
		to := low[column&15<<4|column>>4:]
		for i, id := range (*[16]byte)(ids[column*oldHeight+y*16:]) {
			to[i<<8] = id
		}
	}
	var half [block.LightBytes]byte
	sectionHalves(half[:], data, y)
	cells := d.cells.Take(block.SectionCells)
	if d.numeric.Unpack(low[:], nil, half[:], cells) != nil {
		return nil
	}
	return cells
}

// alike reports whether all cells of size bits in the n bytes from at on in each
// column of an array of a chunk are the same; n is a multiple of 8.
func alike(old []byte, at, n, size int) bool {
	first := binary.LittleEndian.Uint64(old[at:])
	if first != bits.RotateLeft64(first, size) {
		return false
	}
	for ; at < len(old); at += len(old) / block.MapCells {
		for i := at; i < at+n; i += 8 {
			if binary.LittleEndian.Uint64(old[i:]) != first {
				return false
			}
		}
	}
	return true
}

// oldHalves returns the half bytes of section y, or nil if the chunk has none.
func (d *decoder) oldHalves(old []byte, y int) []byte {
	if old == nil {
		return nil
	}
	start := len(d.bytes)
	d.bytes = slices.Grow(d.bytes, block.LightBytes)[:start+block.LightBytes]
	out := d.bytes[start:len(d.bytes):len(d.bytes)]
	sectionHalves(out, old, y)
	return out
}

// sectionHalves sets out to the half bytes of section y.
func sectionHalves(out, old []byte, y int) {
	var m [16]uint64
	for z := range 16 {
		for x := range m {
			m[x] = binary.LittleEndian.Uint64(old[(x<<4|z)*oldHeight/2+y*8:])
		}
		transpose(&m)
		for i, row := range m {
			binary.LittleEndian.PutUint64(out[i<<7|z<<3:], row)
		}
	}
}

// transpose swaps the rows and columns of 16x16 half bytes, low half first, by
// swapping ever smaller blocks of them.
func transpose(m *[16]uint64) {
	mask := uint64(1<<32 - 1)
	for edge := 8; edge > 0; edge >>= 1 {
		shift := 4 * edge & 63
		for i := 0; i < len(m); i = (i + edge + 1) &^ edge {
			a, b := &m[i], &m[(i+edge)&15]
			t := (*a>>shift ^ *b) & mask
			*a ^= t << shift
			*b ^= t
		}
		mask ^= mask << (shift / 2)
	}
}
