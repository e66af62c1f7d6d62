package mcedit

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// writer writes a schematic.
type writer struct {
	document.Output
	c    *clip.Clip
	ids  []uint16 // id<<4 | data, by cell
	lost map[string]int
}

// Write writes a clip. It returns by name and count what the format cannot hold. Errors wrap
// format.ErrHolds if the blocks have names and not numbers. Blocks that are clip.Void become
// air.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	w := &writer{c: c, ids: make([]uint16, len(c.Block.Names)), lost: map[string]int{}}
	return w.lost, w.WriteGzip(to, w.write)
}

func (w *writer) write() error {
	c := w.c
	if s := c.Size; max(s.X, s.Y, s.Z) > clip.MaxEdge || s.X*s.Y*s.Z > math.MaxInt32 {
		return fmt.Errorf("%w: a box of %v", format.ErrHolds, s)
	}
	high, err := w.numbers()
	if err != nil {
		return err
	}
	if c.Version != 0 {
		w.lost["data version"]++
	}
	if c.Biome != nil {
		w.lost["biomes"]++
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.Compound, "Schematic")
	w.Buf = nbt.AppendShort(w.Buf, tagWidth, int16(uint16(c.Size.X)))
	w.Buf = nbt.AppendShort(w.Buf, tagHeight, int16(uint16(c.Size.Y)))
	w.Buf = nbt.AppendShort(w.Buf, tagLength, int16(uint16(c.Size.Z)))
	w.Buf = nbt.AppendString(w.Buf, tagMaterials, alpha)
	tags, err := c.TagsOf(formatName, w.lost)
	if err != nil {
		return err
	}
	tags = w.point(weOffset, c.Offset, tags)
	tags = w.point(weOrigin, c.Min, tags)
	for _, f := range tags {
		w.Buf = f.Append(w.Buf)
	}
	if err := w.cells(tagBlocks, func(id uint16) byte { return byte(id >> 4) }, false); err != nil {
		return err
	}
	if err := w.cells(tagData, func(id uint16) byte { return byte(id & 15) }, false); err != nil {
		return err
	}
	if high {
		if err := w.cells(tagAddBlocks, func(id uint16) byte { return byte(id >> 12) }, true); err != nil {
			return err
		}
	}
	w.objects(tagTileEntities, c.List(voxel.BlockEntities), geom.Point{})
	w.objects(tagEntities, c.List(voxel.Entities), c.Min)
	w.Buf = nbt.AppendEnd(w.Buf)
	return nil
}

// numbers finds the numbers of all names. high says that there is an id above 255.
func (w *writer) numbers() (high bool, err error) {
	for cell, n := range w.c.Counts(&w.c.Block) {
		name := w.c.Block.Names[cell]
		if n == 0 {
			continue
		}
		if name == clip.Void {
			w.lost["blocks "+clip.Void+", which become air"] += n
			continue
		}
		id, data, err := block.ParseLegacy(name)
		if err != nil {
			return false, fmt.Errorf("%w: block %q has a name and no number; .schem files hold names", format.ErrHolds, name)
		}
		w.ids[cell] = uint16(id<<4) | uint16(data)
		high = high || id > 255
	}
	return high, nil
}

// point appends three ints, as WorldEdit always does, and returns the tags without them. A file that
// was read without them, or with zeros, stays so.
func (w *writer) point(names [3]string, p geom.Point, tags []document.Field) []document.Field {
	if p == (geom.Point{}) && w.c.Format == formatName {
		return tags
	}
	w.Buf = document.AppendPoint(w.Buf, names, p)
	return document.Without(tags, names[:]...)
}

// cells writes an array of one byte for each block, or with nibbles of one for two.
func (w *writer) cells(tag string, part func(id uint16) byte, nibbles bool) error {
	n := w.c.Area() * w.c.Size.Y
	if nibbles {
		n = (n + 1) / 2
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.ByteArray, tag)
	w.Buf = binary.BigEndian.AppendUint32(w.Buf, uint32(n))
	if err := w.Emit(); err != nil {
		return err
	}
	half, odd := byte(0), false
	err := w.c.Cells(&w.c.Block, func(cells []voxel.Cell) error {
		for _, cell := range cells {
			b := part(w.ids[cell])
			switch {
			case !nibbles:
				w.Buf = append(w.Buf, b)
			case odd:
				w.Buf = append(w.Buf, half|b<<4)
				odd = false
			default:
				half, odd = b, true
			}
		}
		return w.Emit()
	})
	if odd {
		w.Buf = append(w.Buf, half)
	}
	return err
}

// objects appends a list of objects, moved by where the least corner is.
func (w *writer) objects(tag string, list []voxel.Object, least geom.Point) {
	w.Buf = nbt.AppendList(w.Buf, tag, nbt.Compound, len(list))
	for _, o := range list {
		o = clip.Move(o, least)
		w.Buf = document.AppendObject(w.Buf, &o)
	}
}
