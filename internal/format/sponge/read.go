package sponge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// reader reads a schematic in two passes at most. The first reads all but the cells; it reads
// the cells too if their size and palette come before them.
type reader struct {
	doc     *document.Document
	version int32
	data    int32
	size    [3]int32 // width, height, length; -1 if the tag is missing
	offset  geom.Point
	meta    []document.Field
	hasMeta bool
	rest    []document.Field
	blocks  cells
	biomes  cells
	inner   bool // cells lie in containers, as in version 3
	objects [2][][]byte
	lost    map[string]int
}

// cells are the palette and the indices of blocks or of biomes.
type cells struct {
	name    func(string) (string, error)
	palette map[int32]string
	found   bool  // there is an array
	bytes   int64 // its length
	flat    bool
	table   *table
	view    *grid.View
}

// Read reads a schematic. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(src io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	r := &reader{doc: document.NewDocument(src, size, o.MaxBytes), size: [3]int32{-1, -1, -1}, lost: map[string]int{}}
	r.blocks.name = func(s string) (string, error) {
		name, _, err := block.Name(block.AppendText(nil, s))
		return name, err
	}
	r.biomes.name = func(s string) (string, error) { return block.BiomeName(nbt.AppendStringPayload(nil, s)[2:]), nil }
	if err := r.doc.Walk(r.entry); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if r.blocks.found && r.blocks.view == nil || r.biomes.found && r.biomes.view == nil {
		if err := r.doc.Walk(r.again); err != nil {
			return nil, err
		}
	}
	return r.clip()
}

// entry reads an entry of the schematic in the first pass.
func (r *reader) entry(s *nbt.Stream, t nbt.Type, name string) (err error) {
	switch {
	case name == tagVersion && t == nbt.Int:
		r.version = document.Int(s)
	case name == tagDataVersion && t == nbt.Int:
		r.data = document.Int(s)
	case slices.Contains(edges, name):
		r.size[slices.Index(edges, name)], err = document.Edge(s, t, name, clip.MaxEdge)
	case name == tagOffset:
		v, ok := document.Ints(t, s.Raw(t))
		switch {
		case ok:
			r.offset = v
		case t == nbt.IntArray && s.Err() == nil:
			err = document.Corrupt(name, errors.New("not three ints"))
		default:
			r.lost["Offset that is not three ints"]++
		}
	case (name == tagPaletteMax || name == tagBiomeMax) && t == nbt.Int:
		s.Skip(t) // a hint
	case name == tagMetadata && t == nbt.Compound:
		r.hasMeta = true
		r.meta, err = r.fields(s, t)
	case name == tagPalette && t == nbt.Compound:
		err = r.readPalette(s, &r.blocks)
	case name == tagBiomePalette && t == nbt.Compound:
		r.biomes.flat = true
		err = r.readPalette(s, &r.biomes)
	case name == tagBlockData && t == nbt.ByteArray:
		err = r.cells(s, &r.blocks)
	case name == tagBiomeData && t == nbt.ByteArray:
		r.biomes.flat = true
		err = r.cells(s, &r.biomes)
	case (name == tagBlockEntities || name == tagTileEntities) && t == nbt.List:
		err = r.doc.KeepList(s, name, &r.objects[0])
	case name == tagEntities && t == nbt.List:
		err = r.doc.KeepList(s, name, &r.objects[1])
	case name == tagBlocks && t == nbt.Compound:
		r.inner = true
		err = document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
			return r.container(s, t, name, &r.blocks, tagBlocks)
		})
	case name == tagBiomes && t == nbt.Compound:
		err = document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
			return r.container(s, t, name, &r.biomes, tagBiomes)
		})
	default:
		return r.doc.KeepField(s, t, name, &r.rest)
	}
	return err
}

// container reads an entry of Blocks or Biomes of version 3.
func (r *reader) container(s *nbt.Stream, t nbt.Type, name string, c *cells, in string) error {
	switch {
	case name == tagPalette && t == nbt.Compound:
		return r.readPalette(s, c)
	case name == tagData && t == nbt.ByteArray:
		return r.cells(s, c)
	case name == tagBlockEntities && t == nbt.List && in == tagBlocks:
		return r.doc.KeepList(s, name, &r.objects[0])
	}
	s.Skip(t)
	r.lost["tag "+in+"."+name]++
	return nil
}

// again reads the cells in the second pass.
func (r *reader) again(s *nbt.Stream, t nbt.Type, name string) error {
	switch {
	case name == tagBlockData && t == nbt.ByteArray && r.blocks.view == nil:
		return r.cells(s, &r.blocks)
	case name == tagBiomeData && t == nbt.ByteArray && r.biomes.view == nil:
		return r.cells(s, &r.biomes)
	case (name == tagBlocks || name == tagBiomes) && t == nbt.Compound:
		c := &r.blocks
		if name == tagBiomes {
			c = &r.biomes
		}
		return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
			if name == tagData && t == nbt.ByteArray && c.view == nil {
				return r.cells(s, c)
			}
			s.Skip(t)
			return nil
		})
	}
	s.Skip(t)
	return nil
}

func (r *reader) fields(s *nbt.Stream, t nbt.Type) ([]document.Field, error) {
	raw, err := r.doc.Keep(s, t)
	if err != nil {
		return nil, err
	}
	return document.Fields(raw)
}

// check says what is wrong with a file after the first pass.
func (r *reader) check() error {
	switch {
	case r.version == 0:
		return document.Corrupt(tagVersion, errors.New("missing: not a Sponge schematic"))
	case r.version < 0 || r.version > maxVersion:
		return fmt.Errorf("version %d: the versions 1 to %d are known", r.version, maxVersion)
	case slices.Contains(r.size[:], -1):
		return document.Corrupt("size", fmt.Errorf("%s, %s or %s is missing", tagWidth, tagHeight, tagLength))
	case r.blocks.found && r.blocks.palette == nil:
		return errors.New("no palette: the blocks are numbers of one server's game, which only that game can name")
	case !r.blocks.found && (r.version < 3 || r.inner):
		return document.Corrupt("blocks", errors.New("no array of blocks"))
	case r.biomes.found && r.biomes.palette == nil:
		return document.Corrupt(tagBiomes, errors.New("no palette"))
	}
	return nil
}

// box returns the size of the array of c, in cells.
func (r *reader) box(c *cells) geom.Point {
	p := geom.Point{X: int(r.size[0]), Y: int(r.size[1]), Z: int(r.size[2])}
	if c.flat {
		p.Y = 1
	}
	return p
}

// cells reads an array of indices, or passes it if its size and palette are not known yet.
func (r *reader) cells(s *nbt.Stream, c *cells) error {
	n := s.Array(nbt.ByteArray)
	if s.Err() != nil {
		return s.Err()
	}
	if c.view != nil {
		return document.Corrupt("cells", errors.New("two arrays of the same"))
	}
	c.found, c.bytes = true, n
	if c.palette == nil || slices.Contains(r.size[:], -1) {
		s.Discard(n)
		return s.Err()
	}
	box := r.box(c)
	if want := int64(box.X) * int64(box.Y) * int64(box.Z); n < want || n > 5*want {
		return document.Corrupt("cells", fmt.Errorf("%d bytes for %d x %d x %d cells", n, box.X, box.Y, box.Z))
	}
	b := clip.NewBuilder(box, 0, r.doc.Limit())
	var err error
	if c.table, err = newTable(c); err == nil {
		err = c.table.decode(s, n, b)
	}
	if err != nil {
		return document.Corrupt("cells", err)
	}
	if c.view, err = b.View(); err != nil {
		return document.Corrupt("cells", err)
	}
	return nil
}

// readPalette reads a compound of ints.
func (r *reader) readPalette(s *nbt.Stream, c *cells) error {
	c.palette = map[int32]string{}
	return document.Each(s, func(s *nbt.Stream, t nbt.Type, name string) error {
		if t != nbt.Int {
			return document.Corrupt(tagPalette, fmt.Errorf("%q is of type %v", name, t))
		}
		id := document.Int(s)
		if old, ok := c.palette[id]; id < 0 || ok && old != name {
			return document.Corrupt(tagPalette, fmt.Errorf("%q has index %d", name, id))
		}
		c.palette[id] = name
		return r.doc.Limit().Take(int64(len(name)) + 64)
	})
}

// clip makes the clip of what was read.
func (r *reader) clip() (*clip.Clip, error) {
	c := clip.Air(geom.Point{X: int(r.size[0]), Y: int(r.size[1]), Z: int(r.size[2])})
	c.Format, c.FormatVersion, c.Version, c.Lost, c.Notes = formatName, int(r.version), r.data, r.lost, r.doc.Notes()
	if r.blocks.view != nil {
		c.Block.Names, c.Block.View = r.blocks.table.names.List(), r.blocks.view
	}
	if r.biomes.palette != nil && !r.biomes.found {
		r.lost["palettes of biomes without biomes"]++
	}
	if r.biomes.view != nil {
		c.Biome = &clip.Contents{Names: r.biomes.table.names.List(), View: r.biomes.view, Scale: 1, Flat: r.biomes.flat}
	}
	r.place(c)
	if r.hasMeta {
		r.rest = append(r.rest, document.Field{Type: nbt.Compound, Name: tagMetadata, Payload: document.Compound(r.meta)})
	}
	c.Tags = document.Tags(r.rest)
	for i, name := range [...]string{voxel.BlockEntities, voxel.Entities} {
		if err := c.AddObjects(name, r.objects[i], func(fields []document.Field) (voxel.Object, error) { return r.object(fields, i == 1, c.Min) }); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// place finds where the clip lies. WorldEdit's tags leave the metadata.
func (r *reader) place(c *clip.Clip) {
	if r.version >= 3 {
		c.Offset, c.Min = r.offset, r.offset
		for i, f := range r.meta {
			if f.Name != tagWorldEdit || f.Type != nbt.Compound {
				continue
			}
			inner, err := document.Fields(f.Payload)
			if err != nil {
				continue
			}
			if v, ok := document.Ints(nbt.IntArray, document.Find(inner, tagOrigin, nbt.IntArray)); ok {
				c.Min = r.offset.Add(v)
				if inner = document.Without(inner, tagOrigin); len(inner) > 0 {
					r.meta[i].Payload = document.Compound(inner)
				} else {
					r.meta = slices.Delete(r.meta, i, i+1)
				}
				r.hasMeta = len(r.meta) > 0
				break
			}
		}
		return
	}
	c.Min = r.offset
	p := document.Point(r.meta, weOffset)
	if p == nil || *p == (geom.Point{}) {
		return // the tags stay, for others are to find them
	}
	c.Offset = *p
	r.meta = document.Without(r.meta, weOffset[:]...)
	r.hasMeta = len(r.meta) > 0
}

// object makes an object of its compound. least is where the clip lay.
func (r *reader) object(fields []document.Field, entity bool, least geom.Point) (voxel.Object, error) {
	id := document.Find(fields, tagID, nbt.String)
	rest := fields
	if id != nil {
		rest = document.Without(rest, tagID)
	}
	if r.version >= 3 {
		if data := document.Find(fields, tagData, nbt.Compound); data != nil {
			inner, err := document.Fields(data)
			if err != nil {
				return voxel.Object{}, err
			}
			rest = append(inner, document.Without(rest, tagData)...) // some writers leave the tags outside
		}
	} else if v := document.Find(fields, tagContent, nbt.Int); r.version == 1 && v != nil && binary.BigEndian.Uint32(v) == contentVersion {
		rest = slices.DeleteFunc(slices.Clone(rest), func(f document.Field) bool { return f.Name == tagContent && f.Type == nbt.Int })
	}
	if inner := document.Find(rest, "id", nbt.String); id != nil && inner != nil && string(inner) != string(id) {
		r.lost["tags id that differ from Id"]++
	}
	if entity {
		return entityOf(id, fields, rest, r.version, least)
	}
	var at *geom.Point
	for _, f := range fields {
		if v, ok := document.Ints(f.Type, f.Payload); f.Name == tagPos && ok {
			at = &v
			rest = slices.DeleteFunc(slices.Clone(rest), func(g document.Field) bool { return g.Name == tagPos && string(g.Payload) == string(f.Payload) })
		}
	}
	return clip.BlockEntity(id, at, rest)
}

// entityOf makes an entity. In versions 1 and 2 positions count from where Offset does.
func entityOf(id []byte, fields, rest []document.Field, version int32, least geom.Point) (voxel.Object, error) {
	o, err := clip.Entity(id, document.Doubles(document.Find(fields, tagPos, nbt.List)), rest)
	if version < 3 {
		return clip.Move(o, geom.Point{}.Sub(least)), err
	}
	return clip.Settle(o, least), err
}

// ids returns the indices of a palette in ascending order.
func (c *cells) ids() []int32 { return slices.Sorted(maps.Keys(c.palette)) }
