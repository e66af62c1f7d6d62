package clip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// FilePath is the file of a world that keeps what a clip has and columns do not: an NBT
// document, not compressed. Format, FormatVersion, DataVersion; Size, Offset, Min, and the corners of
// Inner, int arrays of three; Tags, the tags of the format; and for biomes Biomes {Names, Flat, Runs},
// in which Runs are pairs of a name's number and a count of blocks.
const FilePath = ".clip/clip.nbt"

// maxRuns bounds the runs of biomes in the file. Biomes of more are left to the columns.
const maxRuns = 1 << 21

// maxBiomes bounds the memory of biomes that are read from the file, and maxBiomeCells the
// blocks that have them.
const (
	maxBiomes     = 64 << 20
	maxBiomeCells = 1 << 28
)

// appendFile appends the document. It counts what it leaves out.
func (c *Clip) appendFile(dst []byte, lost map[string]int) []byte {
	dst = nbt.AppendHeader(dst, nbt.Compound, "")
	dst = nbt.AppendString(dst, "Format", c.Format)
	dst = nbt.AppendInt(dst, "FormatVersion", int32(c.FormatVersion))
	dst = nbt.AppendInt(dst, "DataVersion", c.Version)
	for _, p := range []struct {
		name string
		geom.Point
	}{{"Size", c.Size}, {"Offset", c.Offset}, {"Min", c.Min}, {"InnerMin", c.Inner.Min}, {"InnerMax", c.Inner.Max}} {
		if p.Point == (geom.Point{}) && strings.HasPrefix(p.name, "Inner") {
			continue
		}
		dst = nbt.AppendIntArray(dst, p.name, []int32{int32(p.X), int32(p.Y), int32(p.Z)})
	}
	if len(c.Tags) < format.MaxFile/2 {
		if len(c.Tags) > 0 {
			dst = append(nbt.AppendCompound(dst, "Tags"), c.Tags...)
		}
	} else {
		lost["tags of the file"]++
	}
	if c.Biome != nil {
		var ok bool
		if dst, ok = c.appendBiomes(dst); !ok {
			lost["biomes but those of columns"]++
		}
	}
	return nbt.AppendEnd(dst)
}

// appendBiomes appends the biomes unless there are too many.
func (c *Clip) appendBiomes(dst []byte) (out []byte, ok bool) {
	v, flat, n := c.Biome, int8(0), c.Area()*c.Size.Y
	if v.Flat {
		flat, n = 1, c.Area()
	}
	if n > maxBiomeCells {
		return dst, false
	}
	var runs []int32
	if c.Cells(v, func(cells []voxel.Cell) error {
		for _, cell := range cells {
			if n := len(runs); n > 0 && runs[n-2] == int32(cell) && runs[n-1] < 1<<31-1 {
				runs[n-1]++
			} else if runs = append(runs, int32(cell), 1); len(runs) > 2*maxRuns {
				return ErrTooLarge
			}
		}
		return nil
	}) != nil {
		return dst, false
	}
	dst = nbt.AppendCompound(dst, "Biomes")
	dst = nbt.AppendByte(dst, "Flat", flat)
	dst = nbt.AppendList(dst, "Names", nbt.String, len(v.Names))
	for _, name := range v.Names {
		dst = nbt.AppendStringPayload(dst, name)
	}
	return nbt.AppendEnd(nbt.AppendIntArray(dst, "Runs", runs)), true
}

// parseFile undoes appendFile: it returns a clip of air.
func parseFile(f format.File) (*Clip, error) {
	doc, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	root := nbt.NewReader(doc, nbt.Limits{})
	if t, _ := root.Root(); t != nbt.Compound {
		return nil, document.Corrupt(FilePath, errors.New("no compound"))
	}
	fields, err := document.Fields(doc[root.Offset():])
	if err != nil {
		return nil, document.Corrupt(FilePath, err)
	}
	c := Air(geom.Point{})
	number := func(name string) int {
		if b := document.Find(fields, name, nbt.Int); b != nil {
			return int(int32(binary.BigEndian.Uint32(b)))
		}
		return 0
	}
	point := func(name string) geom.Point {
		p, _ := document.Ints(nbt.IntArray, document.Find(fields, name, nbt.IntArray))
		return p
	}
	if b := document.Find(fields, "Format", nbt.String); b != nil {
		c.Format = string(b[2:])
	}
	c.FormatVersion, c.Version, c.Tags = number("FormatVersion"), int32(number("DataVersion")), document.Find(fields, "Tags", nbt.Compound)
	c.Size, c.Offset, c.Min = point("Size"), point("Offset"), point("Min")
	c.Inner = geom.Box{Min: point("InnerMin"), Max: point("InnerMax")}.Intersect(geom.Box{Max: c.Size})
	if min(c.Size.X, c.Size.Y, c.Size.Z) < 0 || max(c.Size.X, c.Size.Y, c.Size.Z) > MaxEdge {
		return nil, document.Corrupt(FilePath, fmt.Errorf("size %v", c.Size))
	}
	if b := document.Find(fields, "Biomes", nbt.Compound); b != nil {
		if err := c.parseBiomes(b); errors.Is(err, ErrTooLarge) {
			c.Biome, c.Lost["biomes of "+FilePath] = nil, 1
		} else if err != nil {
			return nil, document.Corrupt(FilePath, err)
		}
	}
	return c, nil
}

func (c *Clip) parseBiomes(b []byte) error {
	fields, err := document.Fields(b)
	if err != nil {
		return err
	}
	v := &Contents{Scale: 1, Flat: string(document.Find(fields, "Flat", nbt.Byte)) == "\x01"}
	names := nbt.NewPayload(document.Find(fields, "Names", nbt.List), nbt.Limits{})
	for _, n := names.List(); n > 0; n-- {
		v.Names = append(v.Names, string(names.String()))
	}
	runs := nbt.NewPayload(document.Find(fields, "Runs", nbt.IntArray), nbt.Limits{})
	box := c.Size
	if v.Flat {
		box.Y = 1
	}
	if !fits(box) || box.X*box.Y*box.Z > maxBiomeCells {
		return ErrTooLarge
	}
	build := NewBuilder(box, 0, document.NewLimit(maxBiomes))
	for n := runs.Int() / 2; n > 0 && runs.Err() == nil; n-- {
		cell, k := runs.Int(), runs.Int()
		if cell < 0 || int(cell) >= len(v.Names) || k <= 0 {
			return fmt.Errorf("a run of %d of biome %d", k, cell)
		}
		build.Run(voxel.Cell(cell), int(k))
	}
	if err := errors.Join(names.Err(), runs.Err()); err != nil {
		return err
	}
	v.View, err = build.View()
	c.Biome = v
	return err
}
