package anvil

import (
	"errors"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// A chunk of McRegion is 128 high and one array of each kind, index
// x*2048 + z*128 + y. Source: minecraft.wiki/w/McRegion.
const (
	oldSections = 8
	oldCells    = oldSections * sectionCells
	oldHeight   = oldSections * 16
)

var errNoLevel = errors.New("it has no compound Level")

// oldChunk is chunk for McRegion: the arrays of the whole chunk become those of
// eight sections.
func (d *decoder) oldChunk(doc []byte, stamp uint32) (trailing int, err error) {
	head, whole, err := d.readRoot(doc)
	if err != nil {
		return 0, err
	}
	wrap := find(d.root, "Level")
	if wrap == nil || wrap.t != nbt.Compound {
		return 0, errNoLevel
	}
	d.col.Layout |= layoutMcRegion
	part := voxel.Part{Name: voxel.PartChunk, Stamp: stamp, Data: whole}
	if unique(d.root) && unique(d.level) {
		d.fields(d.level, wrapped)
		d.oldSections()
		part.Data = d.rest(head, wrap)
	} else {
		d.col.Layout |= layoutWhole
	}
	d.col.Parts = append(d.col.Parts, part)
	return len(doc) - len(whole), nil
}

// oldSections makes eight sections from the arrays in d.level.
func (d *decoder) oldSections() {
	blocks, data := find(d.level, "Blocks"), find(d.level, "Data")
	sky, light := find(d.level, "SkyLight"), find(d.level, "BlockLight")
	ids, half := blocks.bytes(oldCells), data.bytes(oldCells/2)
	if ids == nil || half == nil || len(d.col.Sections) > 0 {
		return
	}
	skies, lights := sky.bytes(oldCells/2), light.bytes(oldCells/2)
	for y := range oldSections {
		s, c := voxel.Section{Y: int8(y), Has: voxel.HasBlock}, format.Cells{Block: d.newCells(sectionCells)}
		if d.oldBlocks(ids, half, y, c.Block) != nil {
			d.col.Sections, d.col.Cells = d.col.Sections[:0], d.col.Cells[:0]
			return
		}
		if c.Sky = d.oldHalves(skies, y); c.Sky != nil {
			s.Has |= voxel.HasSky
		}
		if c.Light = d.oldHalves(lights, y); c.Light != nil {
			s.Has |= voxel.HasLight
		}
		d.col.Sections, d.col.Cells = append(d.col.Sections, s), append(d.col.Cells, c)
	}
	blocks.taken, data.taken = true, true
	for _, g := range []*tag{sky, light} {
		if g.bytes(oldCells/2) != nil {
			g.taken = true
		}
	}
}

// oldBlocks fills cells, those of section y, from the arrays of a chunk.
func (d *decoder) oldBlocks(ids, data []byte, y int, cells []voxel.Cell) error {
	for column := range mapCells {
		at := column*oldHeight + y*16
		x, z := column>>4, column&15
		for i, id := range ids[at : at+16] {
			c, err := d.numeric.Cell(int(id), data[(at+i)/2]>>(i&1*4)&15)
			if err != nil {
				return err
			}
			cells[i<<8|z<<4|x] = c
		}
	}
	return nil
}

// oldHalves returns the half bytes of section y, or nil if the chunk has none.
func (d *decoder) oldHalves(old []byte, y int) []byte {
	if old == nil {
		return nil
	}
	start := len(d.bytes)
	d.bytes = append(d.bytes, make([]byte, nibbles)...)
	out := d.bytes[start:len(d.bytes):len(d.bytes)]
	for column := range mapCells {
		at := column*oldHeight + y*16
		x, z := column>>4, column&15
		for i := range 16 {
			v := old[(at+i)/2] >> (i & 1 * 4) & 15
			out[i<<7|z<<3|x>>1] |= v << (x & 1 * 4)
		}
	}
	return out
}
