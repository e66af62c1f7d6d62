package maptemplate

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// writer writes a map template.
type writer struct {
	document.Output
	c        *clip.Clip
	version  int
	lost     map[string]int
	index    block.Indexer
	entities map[geom.Point][]voxel.Object // by the least corner of the chunk
	cells    [sectionCells]voxel.Cell
}

// Write writes a clip. The version is that of o, else the one that the clip was read from, else the
// one of its data version. It returns by name and count what the format cannot hold. Errors wrap
// format.ErrHolds if blocks have numbers.
func Write(to io.Writer, c *clip.Clip, o clip.WriteOptions) (lost map[string]int, err error) {
	defer document.Name(formatName, &err)
	w := &writer{c: c, version: with, lost: map[string]int{}, entities: map[geom.Point][]voxel.Object{}}
	if c.Version != 0 && c.Version < newForm {
		w.version = beside
	}
	if c.Format == formatName {
		w.version = cmp.Or(c.FormatVersion, w.version)
	}
	w.version = cmp.Or(o.Version, w.version)
	if w.version != beside && w.version != with {
		return nil, fmt.Errorf("version %d cannot be written, only %d and %d", w.version, beside, with)
	}
	return w.lost, w.WriteGzip(to, w.write)
}

func (w *writer) write() error {
	c := w.c
	if c.Biome != nil {
		w.lost["biomes"]++
	}
	if c.Min != (geom.Point{}) {
		w.lost["place in the world"]++
	}
	tags, err := c.TagsOf(formatName, w.lost)
	if err != nil {
		return err
	}
	bounds := geom.Box{Max: c.Size}
	if !c.Inner.Empty() {
		bounds = c.Inner
	}
	bounds = bounds.Add(c.Offset)
	w.Buf = nbt.AppendCompound(nbt.AppendHeader(w.Buf, nbt.Compound, ""), tagBounds)
	w.Buf = appendPoint(w.Buf, tagMin, bounds.Min)
	w.Buf = nbt.AppendEnd(appendPoint(w.Buf, tagMax, bounds.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1})))
	if c.Version != 0 {
		w.Buf = nbt.AppendInt(w.Buf, tagVersion, c.Version)
	}
	for _, f := range document.Without(tags, tagEmpty) {
		w.Buf = f.Append(w.Buf)
	}
	tiles := c.List(voxel.BlockEntities)
	w.Buf = nbt.AppendList(w.Buf, tagTiles, nbt.Compound, len(tiles))
	for _, o := range tiles {
		o = clip.Move(o, c.Offset)
		w.Buf = document.AppendObject(w.Buf, &o)
	}
	places := w.places(document.Find(tags, tagEmpty, nbt.IntArray))
	w.Buf = nbt.AppendList(w.Buf, tagChunks, nbt.Compound, len(places))
	for _, p := range places {
		if err := w.chunk(p); err != nil {
			return err
		}
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return nil
}

func appendPoint(dst []byte, name string, p geom.Point) []byte {
	return nbt.AppendIntArray(dst, name, []int32{int32(p.X), int32(p.Y), int32(p.Z)})
}

// near is how far from an entity the block is that it hangs at.
var near = geom.Point{X: 16, Y: 16, Z: 16}

// corner returns the least corner of the chunk of a place.
func corner(p geom.Point) geom.Point { return geom.Point{X: p.X &^ 15, Y: p.Y &^ 15, Z: p.Z &^ 15} }

// places returns the least corners of all chunks that are written: those with blocks or entities, and those
// that were there without.
func (w *writer) places(empty []byte) (all []geom.Point) {
	for _, o := range w.c.List(voxel.Entities) {
		if o.Place != voxel.Indexed {
			w.lost["entities without a position"]++
			continue
		}
		if q, ok := clip.Hangs(&o); ok && !(geom.Box{Min: o.At.Sub(near), Max: o.At.Add(near)}).Contains(q) {
			w.lost["blocks far away that entities hang at"]++ // a chunk cannot say which they are
		}
		o = clip.Move(o, w.c.Offset)
		p := corner(o.At)
		if w.entities[p] = append(w.entities[p], o); len(w.entities[p]) == 1 {
			all = append(all, p)
		}
	}
	if empty != nil {
		r := nbt.NewPayload(empty, nbt.Limits{})
		for n := r.Int() / 3; n > 0; n-- {
			all = append(all, geom.Point{X: edge * int(r.Int()), Y: edge * int(r.Int()), Z: edge * int(r.Int())})
		}
	}
	box := geom.Box{Max: w.c.Size}.Add(w.c.Offset)
	for y := corner(box.Min).Y; y < box.Max.Y; y += edge {
		for z := corner(box.Min).Z; z < box.Max.Z; z += edge {
			for x := corner(box.Min).X; x < box.Max.X; x += edge {
				p := geom.Point{X: x, Y: y, Z: z}
				if w.read(p); slices.ContainsFunc(w.cells[:], func(v voxel.Cell) bool { return v != 0 }) {
					all = append(all, p)
				}
			}
		}
	}
	slices.SortFunc(all, compare)
	return slices.Compact(all)
}

// read reads the cells of the chunk at p. Those outside of the clip are air.
func (w *writer) read(p geom.Point) {
	clear(w.cells[:])
	whole := geom.Box{Min: p, Max: p.Add(geom.Point{X: edge, Y: edge, Z: edge})}
	in := whole.Intersect(geom.Box{Max: w.c.Size}.Add(w.c.Offset))
	if in.Empty() {
		return
	}
	var part [sectionCells]voxel.Cell
	w.c.Block.View.ReadBox(in.Add(w.c.Block.At.Sub(w.c.Offset)), 0, part[:in.Cells()])
	size, at := in.Size(), in.Min.Sub(p)
	for y := range size.Y {
		for z := range size.Z {
			copy(w.cells[((at.Y+y)*edge+at.Z+z)*edge+at.X:], part[(y*size.Z+z)*size.X:][:size.X])
		}
	}
}

// chunk writes the chunk at p.
func (w *writer) chunk(p geom.Point) error {
	w.read(p)
	palette, entries := w.index.Build(w.cells[:])
	w.Buf = appendPoint(w.Buf, tagPos, geom.Point{X: p.X / edge, Y: p.Y / edge, Z: p.Z / edge})
	longs := tagStates
	if w.version == with {
		w.Buf, longs = nbt.AppendCompound(w.Buf, tagStates), tagData
	}
	w.Buf = nbt.AppendList(w.Buf, tagPalette, nbt.Compound, len(palette))
	for _, cell := range palette {
		var err error
		if w.Buf, err = block.AppendNamed(w.Buf, w.c.Block.Names[cell]); err != nil {
			return err
		}
	}
	if w.version == beside || len(palette) > 1 {
		bits := block.Bits(len(palette), 4)
		w.Buf = block.AppendLongArray(nbt.AppendHeader(w.Buf, nbt.LongArray, longs), entries, bits, false)
	}
	if w.version == with {
		w.Buf = nbt.AppendEnd(w.Buf)
	}
	if list := w.entities[p]; len(list) > 0 {
		w.Buf = nbt.AppendList(w.Buf, tagEntities, nbt.Compound, len(list))
		for _, o := range list {
			w.Buf = append(w.Buf, clip.Move(o, geom.Point{}.Sub(p)).Payload...)
		}
	}
	w.Buf = nbt.AppendEnd(w.Buf)
	return w.Emit()
}
