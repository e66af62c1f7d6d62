package anvil

import (
	"bytes"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// oldArrays appends the arrays of a chunk of McRegion. It is the inverse of oldSections; light that only some of the
// sections have is as in the open in the others.
func (e *encoder) oldArrays(c *format.Column) error {
	var ids [oldCells]byte
	var data, light [oldCells / 2]byte
	sky := [oldCells / 2]byte(bytes.Repeat([]byte{0xFF}, oldCells/2))
	var has voxel.Has
	for i := range c.Sections {
		s, cells := &c.Sections[i], &c.Cells[i]
		if err := checkCells(s, cells); err != nil {
			return fmt.Errorf("section %d: %w", s.Y, err)
		}
		if s.Y < 0 || s.Y >= oldSections {
			return fmt.Errorf("section %d: McRegion has 0 to %d: %w", s.Y, oldSections-1, format.ErrHolds)
		}
		has |= s.Has
		for at := range block.SectionCells {
			// index y*256+z*16+x in a section, x*2048+z*128+y in a chunk
			to := at&15<<11 | at>>4&15<<7 | int(s.Y)<<4 | at>>8
			if s.Has&voxel.HasBlock != 0 {
				id, err := e.id(cells.Block[min(at, len(cells.Block)-1)])
				if err != nil {
					return err
				}
				if id>>16 > 255 || id&0xFFFF > 15 {
					return fmt.Errorf("block %d/%d: McRegion has ids to 255: %w", id>>16, id&0xFFFF, format.ErrHolds)
				}
				ids[to] = byte(id >> 16)
				setHalf(&data, to, byte(id))
			}
			if s.Has&voxel.HasSky != 0 {
				setHalf(&sky, to, cells.Sky[at/2]>>(at&1*4))
			}
			if s.Has&voxel.HasLight != 0 {
				setHalf(&light, to, cells.Light[at/2]>>(at&1*4))
			}
		}
	}
	for _, a := range [...]struct {
		name string
		of   voxel.Has
		b    []byte
	}{{"Blocks", voxel.HasBlock, ids[:]}, {"Data", voxel.HasBlock, data[:]}, {"SkyLight", voxel.HasSky, sky[:]}, {"BlockLight", voxel.HasLight, light[:]}} {
		if has&a.of != 0 {
			e.buf = nbt.AppendByteArray(e.buf, a.name, a.b)
			e.written = append(e.written, a.name)
		}
	}
	return nil
}

// setHalf sets a half byte, the low half first.
func setHalf(b *[oldCells / 2]byte, i int, v byte) {
	shift := i & 1 * 4
	b[i/2] = b[i/2]&^(15<<shift) | v&15<<shift
}
