package mcedit

import (
	"bufio"
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
	out  *bufio.Writer
	c    *clip.Clip
	ids  []uint16 // id<<4 | data, by cell
	lost map[string]int
	buf  []byte
}

// Write writes a clip. It returns by name and count what the format cannot hold. Errors wrap
// format.ErrHolds if the blocks have names and not numbers. Blocks that are clip.Void become
// air.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	w := &writer{c: c, ids: make([]uint16, len(c.Block.Names)), lost: map[string]int{}}
	err = document.WriteGzip(to, func(out *bufio.Writer) error {
		w.out = out
		return w.write()
	})
	if err != nil {
		return nil, fmt.Errorf("mcedit: %w", err)
	}
	return w.lost, nil
}

func (w *writer) emit() error {
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
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
	w.buf = nbt.AppendHeader(w.buf, nbt.Compound, "Schematic")
	w.buf = nbt.AppendShort(w.buf, tagWidth, int16(uint16(c.Size.X)))
	w.buf = nbt.AppendShort(w.buf, tagHeight, int16(uint16(c.Size.Y)))
	w.buf = nbt.AppendShort(w.buf, tagLength, int16(uint16(c.Size.Z)))
	w.buf = nbt.AppendString(w.buf, tagMaterials, alpha)
	tags, err := c.TagsOf(formatName, w.lost)
	if err != nil {
		return err
	}
	tags = w.point(weOffset, c.Offset, tags)
	tags = w.point(weOrigin, c.Min, tags)
	for _, f := range tags {
		w.buf = f.Append(w.buf)
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
	w.buf = nbt.AppendEnd(w.buf)
	return w.emit()
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
func (w *writer) point(names []string, p geom.Point, tags []document.Field) []document.Field {
	if p == (geom.Point{}) && w.c.Format == formatName {
		return tags
	}
	for i, v := range [...]int{p.X, p.Y, p.Z} {
		w.buf = nbt.AppendInt(w.buf, names[i], int32(v))
	}
	return document.Without(tags, names...)
}

// cells writes an array of one byte for each block, or with nibbles of one for two.
func (w *writer) cells(tag string, part func(id uint16) byte, nibbles bool) error {
	n := w.c.Area() * w.c.Size.Y
	if nibbles {
		n = (n + 1) / 2
	}
	w.buf = nbt.AppendHeader(w.buf, nbt.ByteArray, tag)
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(n))
	if err := w.emit(); err != nil {
		return err
	}
	half, odd := byte(0), false
	err := w.c.Cells(&w.c.Block, func(cells []voxel.Cell) error {
		for _, cell := range cells {
			b := part(w.ids[cell])
			switch {
			case !nibbles:
				w.buf = append(w.buf, b)
			case odd:
				w.buf = append(w.buf, half|b<<4)
				odd = false
			default:
				half, odd = b, true
			}
		}
		return w.emit()
	})
	if odd {
		w.buf = append(w.buf, half)
	}
	return err
}

// objects appends a list of objects, moved by where the least corner is.
func (w *writer) objects(tag string, list []voxel.Object, least geom.Point) {
	w.buf = nbt.AppendList(w.buf, tag, nbt.Compound, len(list))
	for _, o := range list {
		o = clip.Move(o, least)
		if o.Place == voxel.Moved {
			for i, v := range [...]int{o.At.X, o.At.Y, o.At.Z} {
				w.buf = nbt.AppendInt(w.buf, string(rune('x'+i)), int32(v))
			}
		}
		w.buf = append(w.buf, o.Payload...)
	}
}
