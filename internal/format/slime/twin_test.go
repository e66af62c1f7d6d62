package slime_test

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// twin writes Slime files of every version in the most obvious way, table by
// table of FORMAT.md. It takes only what the version holds.
type twin struct {
	bytes.Buffer
	kindOf
	dim   *format.Dimension
	empty bool // palette entries without properties have an empty Properties
}

func appendUint64(b []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(b, v) }

func (w *twin) put(values ...any) {
	for _, v := range values {
		if err := binary.Write(w, binary.BigEndian, v); err != nil {
			panic(err)
		}
	}
}

func (w *twin) block(b []byte) { w.put(int32(len(b)), b) }

func (w *twin) blob(b []byte) {
	frame := encoder().EncodeAll(b, nil)
	w.put(int32(len(frame)), int32(len(b)), frame)
}

// sub returns what f writes.
func (w *twin) sub(f func(*twin)) []byte {
	s := &twin{kindOf: w.kindOf, dim: w.dim, empty: w.empty}
	f(s)
	return s.Bytes()
}

func (w *twin) flag(has bool) {
	if has {
		w.put(uint8(1))
	} else {
		w.put(uint8(0))
	}
}

func twinFile(world *collected, k kindOf) []byte {
	w := &twin{kindOf: k, dim: world.dim}
	for _, c := range world.columns {
		w.empty = c.Layout == voxel.LayoutProperties
	}
	order := slices.Clone(world.order)
	slices.SortFunc(order, func(a, b geom.ColumnPos) int {
		return (int(a.Z)-int(b.Z))*1000 + int(a.X) - int(b.X)
	})
	w.put(uint16(0xB10B), uint8(k.version))
	if k.version < 10 {
		w.oldFile(world, order)
	} else {
		w.newFile(world, order)
	}
	return w.Bytes()
}

func (w *twin) oldFile(world *collected, order []geom.ColumnPos) {
	switch {
	case w.version >= 6:
		w.put(uint8(w.world))
	case w.version >= 4:
		w.flag(!w.numeric())
	}
	low, high := order[0], order[0]
	for _, p := range order {
		low.X, high.X = min(low.X, p.X), max(high.X, p.X)
		low.Z, high.Z = min(low.Z, p.Z), max(high.Z, p.Z)
	}
	width, depth := int(high.X-low.X)+1, int(high.Z-low.Z)+1
	w.put(int16(low.X), int16(low.Z), uint16(width), uint16(depth))
	mask := make([]byte, (width*depth+7)/8)
	for _, p := range order {
		i := int(p.Z-low.Z)*width + int(p.X-low.X)
		mask[i/8] |= 1 << (i % 8)
	}
	w.put(mask)
	w.blob(w.sub(func(s *twin) {
		for _, p := range order {
			s.oldColumn(world.columns[p])
		}
	}))
	w.blob(w.list("tiles", world.all(order, voxel.BlockEntities)))
	if w.version >= 3 {
		w.flag(true)
		w.blob(w.list("entities", world.all(order, voxel.Entities)))
	}
	if w.version >= 2 {
		w.blob(world.files[slime.ExtraPath])
	}
	if w.version >= 7 {
		w.blob(world.files[slime.MapsPath])
	}
}

// all returns the objects of all columns, in the order in which columns are read.
func (world *collected) all(order []geom.ColumnPos, list string) (out []voxel.Object) {
	order = slices.Clone(order)
	slices.SortFunc(order, geom.ColumnPos.Compare)
	for _, p := range order {
		out = append(out, objectsOf(world.columns[p], list)...)
	}
	return out
}

func objectsOf(c *format.Column, list string) []voxel.Object {
	for _, l := range c.Lists {
		if l.Name == list {
			return l.Objects
		}
	}
	return nil
}

func (w *twin) list(tag string, objects []voxel.Object) []byte {
	elem := nbt.Compound
	if w.version >= 12 && len(objects) == 0 {
		elem = nbt.End
	}
	doc := nbt.AppendList(nbt.AppendHeader(nil, nbt.Compound, ""), tag, elem, len(objects))
	for _, o := range objects {
		if o.Place == voxel.Moved {
			doc = nbt.AppendInt(doc, "x", int32(o.At.X))
			doc = nbt.AppendInt(doc, "y", int32(o.At.Y))
			doc = nbt.AppendInt(doc, "z", int32(o.At.Z))
		}
		doc = append(doc, o.Payload...)
	}
	return nbt.AppendEnd(doc)
}

func (w *twin) heights(c *format.Column) []byte {
	doc := nbt.AppendHeader(nil, nbt.Compound, "")
	for _, m := range c.Maps {
		if m.Form == voxel.MapInts {
			continue
		}
		packed := block.AppendLongs(nil, m.Values[:], int(m.Form&0x7F), m.Form&0x80 != 0)
		longs := make([]int64, len(packed)/8)
		for i := range longs {
			longs[i] = int64(binary.BigEndian.Uint64(packed[8*i:]))
		}
		doc = nbt.Append(doc, m.Name, longs)
	}
	return nbt.AppendEnd(doc)
}

func (w *twin) oldColumn(c *format.Column) {
	if w.numeric() {
		w.put(c.Maps[0].Values)
		if w.version == 8 {
			w.put(int32(256))
		}
		for _, v := range c.Maps[1].Values {
			w.put(uint8(v))
		}
	} else {
		w.block(w.heights(c))
		w.oldBiomes(c)
	}
	if w.containers() {
		w.put(int32(-8), int32(23), int32(len(c.Sections)))
	} else {
		var mask uint16
		for _, s := range c.Sections {
			mask |= 1 << s.Y
		}
		w.put(uint8(mask), uint8(mask>>8))
	}
	for i, s := range c.Sections {
		w.oldSection(s, c.Cells[i])
	}
}

func (w *twin) oldBiomes(c *format.Column) {
	if w.containers() {
		return
	}
	var ids []int32
	for _, m := range c.Maps {
		if m.Name == "Biomes" {
			ids = append(ids, m.Values[:]...)
		}
	}
	for _, cell := range c.Biomes {
		id, err := block.ParseLegacyBiome(w.dim.Volume(voxel.Biome).Names.Name(cell))
		if err != nil {
			panic(err)
		}
		ids = append(ids, id)
	}
	if w.version >= 8 {
		w.put(int32(len(ids)))
	}
	w.put(ids)
}

func (w *twin) light(b []byte) {
	if w.version >= 5 {
		w.flag(b != nil)
	}
	w.put(b)
}

func (w *twin) oldSection(s voxel.Section, a format.Cells) {
	if w.containers() {
		w.put(int32(s.Y) + 8)
	}
	w.light(a.Light)
	names := w.dim.Volume(voxel.Block).Names
	switch {
	case w.numeric():
		ids, data := make([]byte, 4096), make([]byte, 2048)
		for i, c := range a.Block {
			id, d, err := block.ParseLegacy(names.Name(c))
			if err != nil {
				panic(err)
			}
			ids[i] = byte(id)
			data[i/2] |= d << (i % 2 * 4)
		}
		w.put(ids, data)
	case w.containers():
		w.block(w.container(a.Block, voxel.Block))
		w.block(w.container(a.Biome, voxel.Biome))
	default:
		palette, entries := w.palette(a.Block)
		w.put(int32(len(palette)))
		for _, c := range palette {
			w.block(append([]byte{10, 0, 0}, w.entry(c, voxel.Block)...))
		}
		size, straddle := block.Bits(len(palette), 4), w.world < 6
		w.put(int32(block.Longs(4096, size, straddle)), block.AppendLongs(nil, entries, size, straddle))
	}
	w.light(a.Sky)
	if w.version < 4 {
		var hypixel []byte
		if s.Tags != nil {
			r := nbt.NewPayload(s.Tags, nbt.Limits{})
			r.Next()
			hypixel = r.ByteArray()
		}
		w.put(uint16(len(hypixel)), hypixel)
	}
}

func (w *twin) palette(cells []voxel.Cell) (palette []voxel.Cell, entries []uint16) {
	places := map[voxel.Cell]int{}
	for _, c := range cells {
		i, ok := places[c]
		if !ok {
			i = len(palette)
			places[c] = i
			palette = append(palette, c)
		}
		entries = append(entries, uint16(i))
	}
	return palette, entries
}

func (w *twin) entry(c voxel.Cell, volume string) (p []byte) {
	name, err := w.dim.Volume(volume).Names.Name(c), error(nil)
	if volume == voxel.Block {
		p, err = block.AppendEntry(nil, name, w.empty)
	} else {
		p, err = block.AppendBiome(nil, name)
	}
	if err != nil {
		panic(err)
	}
	return p
}

func (w *twin) container(cells []voxel.Cell, volume string) []byte {
	elem, least := nbt.Compound, 4
	if volume == voxel.Biome {
		elem, least = nbt.String, 1
	}
	palette, entries := w.palette(cells)
	doc := nbt.AppendList(nbt.AppendHeader(nil, nbt.Compound, ""), "palette", elem, len(palette))
	for _, c := range palette {
		doc = append(doc, w.entry(c, volume)...)
	}
	if len(palette) > 1 {
		packed := block.AppendLongs(nil, entries, block.Bits(len(palette), least), false)
		doc = nbt.AppendHeader(doc, nbt.LongArray, "data")
		doc = append(binary.BigEndian.AppendUint32(doc, uint32(len(packed)/8)), packed...)
	}
	return nbt.AppendEnd(doc)
}

func (w *twin) newFile(world *collected, order []geom.ColumnPos) {
	w.put(w.data)
	if w.version >= 13 {
		w.put(uint8(7))
	}
	w.blob(w.sub(func(s *twin) {
		s.put(int32(len(order)))
		for _, p := range order {
			s.newColumn(world.columns[p])
		}
	}))
	if w.version == 10 {
		w.blob(w.list("tiles", world.all(order, voxel.BlockEntities)))
		w.blob(w.list("entities", world.all(order, voxel.Entities)))
	}
	w.blob(world.files[slime.ExtraPath])
}

func (w *twin) newColumn(c *format.Column) {
	w.put(c.Pos.X, c.Pos.Z)
	if w.version == 10 {
		w.block(w.heights(c))
	}
	w.put(int32(len(c.Sections)))
	for i := range c.Sections {
		a := c.Cells[i]
		if w.version >= 13 {
			var flags uint8
			if a.Light != nil {
				flags |= 1
			}
			if a.Sky != nil {
				flags |= 2
			}
			w.put(flags, a.Light, a.Sky)
		} else {
			w.light(a.Light)
			w.light(a.Sky)
		}
		w.block(w.container(a.Block, voxel.Block))
		w.block(w.container(a.Biome, voxel.Biome))
	}
	if w.version > 10 {
		w.block(w.heights(c))
	}
	if w.version >= 13 {
		w.block(w.poi(c))
		w.ticks("block_ticks", objectsOf(c, voxel.BlockTicks))
		w.ticks("fluid_ticks", objectsOf(c, voxel.FluidTicks))
	}
	tiles := w.list("tileEntities", objectsOf(c, voxel.BlockEntities))
	entities := w.list("entities", objectsOf(c, voxel.Entities))
	switch {
	case w.version == 11:
		w.blob(tiles)
		w.blob(entities)
	case w.version >= 12:
		w.block(tiles)
		w.block(entities)
		w.block(partOf(c, slime.PartExtra))
	}
}

func partOf(c *format.Column, name string) []byte {
	for _, p := range c.Parts {
		if p.Name == name {
			return p.Data
		}
	}
	return nil
}

func (w *twin) ticks(tag string, objects []voxel.Object) {
	w.block(w.list(tag, objects))
}

func (w *twin) poi(c *format.Column) []byte {
	doc := partOf(c, voxel.PartPOI)
	r := nbt.NewReader(doc, nbt.Limits{})
	r.Root()
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		if raw := r.Raw(t); string(name) == "Sections" {
			return append([]byte{10, 0, 0}, raw...)
		}
	}
	return []byte{10, 0, 0, 0}
}
