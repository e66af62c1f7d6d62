package sponge

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// contentVersion is the version of block entities that version 1 writes unless they have one.
const contentVersion = 1

// plains is what blocks without a biome get, because the format has no sign for none.
const plains = "minecraft:plains"

// writer writes a schematic.
type writer struct {
	document.Output
	c       *clip.Clip
	version int
	lost    map[string]int
}

// Write writes a clip. The version is that of o, else the one that the clip was read from,
// else 3, or 2 for a clip without a data version. It returns by name and count what the
// version cannot hold. Errors wrap format.ErrHolds if the format cannot hold the clip at all.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	w := &writer{c: c, version: 3, lost: map[string]int{}}
	if c.Version == 0 {
		w.version = 2
	}
	if c.Format == formatName {
		w.version = cmp.Or(c.FormatVersion, w.version)
	}
	w.version = cmp.Or(o.Version, w.version)
	if w.version < 1 || w.version > maxVersion {
		return nil, fmt.Errorf("version %d cannot be written, only 1, 2 and 3", w.version)
	}
	if s := c.Size; max(s.X, s.Y, s.Z) > clip.MaxEdge {
		return nil, fmt.Errorf("%w: edges of %v, at most %d", format.ErrHolds, s, clip.MaxEdge)
	}
	if w.version < 3 {
		return w.lost, w.WriteGzip(to, w.flat)
	}
	return w.lost, w.WriteGzip(to, w.nested)
}

// flat writes versions 1 and 2.
func (w *writer) flat() error {
	w.Buf = nbt.AppendHeader(w.Buf, nbt.Compound, "Schematic")
	if err := w.head(); err != nil {
		return err
	}
	if err := w.volume(&w.c.Block, block.Text, tagPaletteMax, tagPalette, tagBlockData); err != nil {
		return err
	}
	tiles, entities := w.c.List(voxel.BlockEntities), w.c.List(voxel.Entities)
	if w.version == 1 {
		if w.c.Biome != nil {
			w.lost["biomes"]++
		}
		if len(entities) > 0 {
			w.lost[voxel.Entities] += len(entities)
		}
		return w.end(1, w.objects(tagTileEntities, tiles, false))
	}
	if w.c.Biome != nil {
		if err := w.volume(w.flatBiomes(), block.BiomeText, tagBiomeMax, tagBiomePalette, tagBiomeData); err != nil {
			return err
		}
	}
	if err := w.objects(tagBlockEntities, tiles, false); err != nil {
		return err
	}
	return w.end(1, w.objects(tagEntities, entities, true))
}

// nested writes version 3.
func (w *writer) nested() error {
	w.Buf = nbt.AppendHeader(w.Buf, nbt.Compound, "")
	w.Buf = nbt.AppendCompound(w.Buf, "Schematic")
	if err := w.head(); err != nil {
		return err
	}
	w.Buf = nbt.AppendCompound(w.Buf, tagBlocks)
	if err := w.volume(&w.c.Block, block.Text, "", tagPalette, tagData); err != nil {
		return err
	}
	if err := w.end(1, w.objects(tagBlockEntities, w.c.List(voxel.BlockEntities), false)); err != nil {
		return err
	}
	if w.c.Biome != nil {
		w.Buf = nbt.AppendCompound(w.Buf, tagBiomes)
		if err := w.end(1, w.volume(w.c.Biome, block.BiomeText, "", tagPalette, tagData)); err != nil {
			return err
		}
	}
	entities := w.c.List(voxel.Entities)
	if len(entities) == 0 {
		return w.end(2, nil)
	}
	return w.end(2, w.objects(tagEntities, entities, true))
}

// head appends what all versions begin with, and the tags that are not ours.
func (w *writer) head() error {
	w.Buf = nbt.AppendInt(w.Buf, tagVersion, int32(w.version))
	if w.c.Version != 0 && w.version >= 2 {
		w.Buf = nbt.AppendInt(w.Buf, tagDataVersion, w.c.Version)
	} else if w.c.Version != 0 {
		w.lost["data version"]++
	}
	tags, err := w.c.TagsOf(formatName, w.lost)
	if err != nil {
		return err
	}
	meta, err := document.Fields(document.Find(tags, tagMetadata, nbt.Compound))
	if err != nil {
		return err
	}
	had := len(document.Without(tags, tagMetadata)) < len(tags)
	meta = w.placed(meta)
	if had || len(meta) > 0 {
		w.Buf = document.Field{Type: nbt.Compound, Name: tagMetadata, Payload: document.Compound(meta)}.Append(w.Buf)
	}
	for _, f := range document.Without(tags, tagMetadata) {
		w.Buf = f.Append(w.Buf)
	}
	s := w.c.Size
	w.Buf = nbt.AppendShort(w.Buf, tagWidth, int16(uint16(s.X)))
	w.Buf = nbt.AppendShort(w.Buf, tagHeight, int16(uint16(s.Y)))
	w.Buf = nbt.AppendShort(w.Buf, tagLength, int16(uint16(s.Z)))
	offset := w.c.Min
	if w.version >= 3 {
		offset = w.c.Offset
	}
	w.Buf = nbt.AppendIntArray(w.Buf, tagOffset, []int32{int32(offset.X), int32(offset.Y), int32(offset.Z)})
	return nil
}

// placed returns the metadata with WorldEdit's tags on where the clip lies.
func (w *writer) placed(meta []document.Field) []document.Field {
	if w.version < 3 {
		// WorldEdit always writes these. A file that was read without them stays so.
		if p := w.c.Offset; p != (geom.Point{}) || w.c.Format != formatName {
			for i, v := range [...]int{p.X, p.Y, p.Z} {
				meta = append(document.Without(meta, weOffset[i]), document.Field{Type: nbt.Int, Name: weOffset[i], Payload: binary.BigEndian.AppendUint32(nil, uint32(v))})
			}
		}
		return meta
	}
	origin := w.c.Min.Sub(w.c.Offset)
	if origin == (geom.Point{}) {
		return meta
	}
	inner, err := document.Fields(document.Find(meta, tagWorldEdit, nbt.Compound))
	if err != nil {
		inner = nil
	}
	b := nbt.AppendIntArray(nil, tagOrigin, []int32{int32(origin.X), int32(origin.Y), int32(origin.Z)})
	inner = append(inner, document.Field{Type: nbt.IntArray, Name: tagOrigin, Payload: b[3+len(tagOrigin):]})
	f := document.Field{Type: nbt.Compound, Name: tagWorldEdit, Payload: document.Compound(inner)}
	if i := slices.IndexFunc(meta, func(f document.Field) bool { return f.Name == tagWorldEdit }); i >= 0 {
		meta = slices.Clone(meta)
		meta[i] = f
		return meta
	}
	return append(meta, f)
}

// palette is the names that are used, and the index of each cell.
type palette struct {
	names []string
	index []int // by cell
	bytes int64 // of all varints, if each cell is written as often as it is counted
}

// palette returns the palette of a volume. A biome cell that is none becomes plains.
func (w *writer) palette(v *clip.Contents, text func(string) (string, error)) (*palette, error) {
	p, known := &palette{index: make([]int, len(v.Names))}, map[string]int{}
	for cell, n := range w.c.Counts(v) {
		if n == 0 {
			continue
		}
		name := v.Names[cell]
		if cell == 0 && v == w.c.Biome || name == format.Air && v != &w.c.Block {
			name = plains
			w.lost["blocks without a biome, which become "+plains] += n
		}
		s, err := text(name)
		if err != nil {
			return nil, err
		}
		i, ok := known[s]
		if !ok {
			i = len(p.names)
			p.names, known[s] = append(p.names, s), i
		}
		p.index[cell] = i
		p.bytes += int64(n) * int64(varintLen(i))
	}
	return p, nil
}

// volume writes a palette and its cells, behind the number of its names if an entry has that.
func (w *writer) volume(v *clip.Contents, text func(string) (string, error), number, names, cells string) error {
	p, err := w.palette(v, text)
	if err != nil {
		return err
	}
	if number != "" {
		w.Buf = nbt.AppendInt(w.Buf, number, int32(len(p.names)))
	}
	w.Buf = nbt.AppendCompound(w.Buf, names)
	for i, name := range p.names {
		w.Buf = nbt.AppendInt(w.Buf, name, int32(i))
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return w.data(cells, v, p)
}

// data writes the cells of a volume.
func (w *writer) data(tag string, v *clip.Contents, p *palette) error {
	if p.bytes > math.MaxInt32 {
		return fmt.Errorf("%w: %d bytes of cells, at most %d", format.ErrHolds, p.bytes, math.MaxInt32)
	}
	w.Buf = nbt.AppendHeader(w.Buf, nbt.ByteArray, tag)
	w.Buf = binary.BigEndian.AppendUint32(w.Buf, uint32(p.bytes))
	if err := w.Emit(); err != nil {
		return err
	}
	return w.c.Cells(v, func(cells []voxel.Cell) error {
		for len(cells) > 0 {
			n := 1
			for n < len(cells) && cells[n] == cells[0] {
				n++
			}
			w.Buf = appendVarints(w.Buf, uint32(p.index[cells[0]]), n)
			cells = cells[n:]
		}
		return w.Emit()
	})
}

// flatBiomes returns the biomes with one for each column. It counts the columns that have
// several.
func (w *writer) flatBiomes() *clip.Contents {
	v := w.c.Biome
	if v.Flat {
		return v
	}
	first, slice := make([]voxel.Cell, w.c.Area()), make([]voxel.Cell, w.c.Area())
	w.c.Slice(v, 0, first)
	differs := make([]bool, len(first))
	for y := range w.c.Size.Y {
		w.c.Slice(v, y, slice)
		for i, cell := range slice {
			differs[i] = differs[i] || cell != first[i]
		}
	}
	several := 0
	for _, d := range differs {
		if d {
			several++
		}
	}
	if several > 0 {
		w.lost["biomes above the lowest, of columns with several"] += several
	}
	flat := *v
	flat.Flat = true
	if flat.Scale == 1 {
		return &flat
	}
	b := clip.NewBuilder(geom.Point{X: w.c.Size.X, Y: 1, Z: w.c.Size.Z}, 0, document.NewLimit(0))
	b.Cells(first)
	view, err := b.View()
	if err != nil {
		panic("sponge: a slice of a clip has all its cells: " + err.Error())
	}
	return &clip.Contents{Names: v.Names, View: view, Scale: 1, Flat: true}
}

// objects appends a list.
func (w *writer) objects(tag string, list []voxel.Object, entity bool) error {
	w.Buf = nbt.AppendList(w.Buf, tag, nbt.Compound, len(list))
	for i := range list {
		fields, err := w.object(&list[i], entity)
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", tag, i, err)
		}
		w.Buf = append(w.Buf, document.Compound(fields)...)
		if len(w.Buf) > 1<<20 {
			if err := w.Emit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// object returns the tags of an object in the form of the version.
func (w *writer) object(o *voxel.Object, entity bool) (out []document.Field, err error) {
	id, rest, err := document.ID(o)
	if err != nil {
		return nil, err
	}
	if o.Place != voxel.Nowhere {
		out = append(out, w.pos(o, entity, &rest))
	}
	if id != nil {
		out = append(out, document.Field{Type: nbt.String, Name: tagID, Payload: id})
	}
	if w.version >= 3 {
		if len(rest) > 0 {
			out = append(out, document.Field{Type: nbt.Compound, Name: tagData, Payload: document.Compound(rest)})
		}
		return out, nil
	}
	if w.version == 1 && document.Find(rest, tagContent, nbt.Int) == nil {
		out = append(out, document.Field{Type: nbt.Int, Name: tagContent, Payload: []byte{0, 0, 0, contentVersion}})
	}
	for _, f := range rest {
		if slices.ContainsFunc(out, func(g document.Field) bool { return g.Name == f.Name }) {
			w.lost["tag "+f.Name+" of "+kindOf(entity)]++
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

func kindOf(entity bool) string {
	if entity {
		return voxel.Entities
	}
	return voxel.BlockEntities
}

// pos returns the position of an object, and takes it out of rest.
func (w *writer) pos(o *voxel.Object, entity bool, rest *[]document.Field) document.Field {
	if !entity {
		b := nbt.AppendIntArray(nil, "", []int32{int32(o.At.X), int32(o.At.Y), int32(o.At.Z)})
		return document.Field{Type: nbt.IntArray, Name: tagPos, Payload: b[3:]}
	}
	abs := *o
	if w.version < 3 {
		abs = clip.Move(*o, w.c.Min)
	}
	_, fields, _ := document.ID(&abs) // it could be read before it was moved
	*rest = document.Without(fields, tagPos)
	return document.Field{Type: nbt.List, Name: tagPos, Payload: document.Find(fields, tagPos, nbt.List)}
}

// end closes compounds, unless err says that they cannot be written.
func (w *writer) end(depth int, err error) error {
	for range depth {
		w.Buf = nbt.AppendEnd(w.Buf)
	}
	return err
}
