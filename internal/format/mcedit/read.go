package mcedit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// reader reads a schematic: first all but the arrays, then the arrays side by side, each from
// a stream of its own.
type reader struct {
	doc       *document.Document
	size      [3]int32 // width, height, length; -1 if the tag is missing
	arrays    map[string]int64
	materials string
	rest      []document.Field
	objects   [2][][]byte
}

// Read reads a schematic. A file that is not one, or is damaged, is a *format.CorruptError or
// says what it is.
func Read(src io.ReaderAt, size int64, o clip.ReadOptions) (_ *clip.Clip, err error) {
	defer document.Name(formatName, &err)
	r := &reader{doc: document.NewDocument(src, size, o.MaxBytes), size: [3]int32{-1, -1, -1}, arrays: map[string]int64{}, materials: alpha}
	if err := r.doc.Walk(r.entry); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	c := clip.Air(geom.Point{X: int(r.size[0]), Y: int(r.size[1]), Z: int(r.size[2])})
	c.Format, c.Notes = formatName, r.doc.Notes()
	c.Offset, c.Min = r.place(weOffset), r.place(weOrigin)
	if err := r.cells(c); err != nil {
		return nil, document.Corrupt(tagBlocks, err)
	}
	c.Tags = document.Tags(r.rest)
	for i, name := range [...]string{voxel.BlockEntities, voxel.Entities} {
		if err := c.AddObjects(name, r.objects[i], func(fields []document.Field) (voxel.Object, error) { return object(fields, i == 1, c) }); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// place returns the point that three tags name. If they say 0 they stay tags, for others are to find
// them.
func (r *reader) place(names [3]string) geom.Point {
	var p geom.Point
	for i, to := range [...]*int{&p.X, &p.Y, &p.Z} {
		if b := document.Find(r.rest, names[i], nbt.Int); b != nil {
			*to = int(int32(binary.BigEndian.Uint32(b)))
		}
	}
	if p != (geom.Point{}) {
		r.rest = document.Without(r.rest, names[:]...)
	}
	return p
}

// entry reads an entry of the root.
func (r *reader) entry(s *nbt.Stream, t nbt.Type, name string) error {
	switch {
	case slices.Contains(edges, name):
		var err error
		r.size[slices.Index(edges, name)], err = document.Edge(s, t, name, clip.MaxEdge)
		return err
	case name == tagMaterials && t == nbt.String:
		p := nbt.NewPayload(s.Raw(t), nbt.Limits{})
		r.materials = string(p.String())
	case t == nbt.ByteArray && slices.Contains(arrays, name):
		if _, twice := r.arrays[name]; twice {
			return document.Corrupt(name, errors.New("it is there twice"))
		}
		r.arrays[name] = s.Array(t)
		s.Discard(r.arrays[name])
	case name == tagTileEntities && t == nbt.List:
		return r.doc.KeepList(s, name, &r.objects[0])
	case name == tagEntities && t == nbt.List:
		return r.doc.KeepList(s, name, &r.objects[1])
	default:
		return r.doc.KeepField(s, t, name, &r.rest)
	}
	return s.Err()
}

func (r *reader) check() error {
	blocks, ok := r.arrays[tagBlocks]
	if r.materials != alpha {
		return fmt.Errorf("materials %q: its numbers are blocks of another game than Minecraft Java Edition", r.materials)
	}
	if !ok || slices.Contains(r.size[:], -1) {
		return document.Corrupt("root", fmt.Errorf("no MCEdit schematic: %s, %s, %s or %s is missing", tagWidth, tagHeight, tagLength, tagBlocks))
	}
	want := int64(r.size[0]) * int64(r.size[1]) * int64(r.size[2])
	if blocks != want {
		return document.Corrupt(tagBlocks, fmt.Errorf("%d bytes for %d x %d x %d blocks", blocks, r.size[0], r.size[1], r.size[2]))
	}
	if n, ok := r.arrays[tagData]; !ok || n != want {
		return document.Corrupt(tagData, fmt.Errorf("%d bytes for %d blocks", n, want))
	}
	if n, ok := r.arrays[tagAdd]; ok && n != want {
		return document.Corrupt(tagAdd, fmt.Errorf("%d bytes for %d blocks", n, want))
	}
	return nil
}

// array is a stream at the bytes of an array.
type array struct {
	s    *nbt.Stream
	left int64
	buf  []byte
}

var errFound = errors.New("found")

// open returns the array of that name, or an empty one.
func (r *reader) open(name string) (*array, error) {
	a := new(array)
	if _, ok := r.arrays[name]; !ok {
		return a, nil
	}
	err := r.doc.Walk(func(s *nbt.Stream, t nbt.Type, at string) error {
		if t == nbt.ByteArray && at == name {
			a.s, a.left = s, s.Array(t)
			return errFound
		}
		s.Skip(t)
		return nil
	})
	if err == errFound {
		err = nil
	}
	return a, err
}

// next returns the next byte, or 0 behind the end.
func (a *array) next() byte {
	if len(a.buf) == 0 {
		if a.left == 0 {
			return 0
		}
		if a.buf = a.s.Bytes(a.left); a.buf == nil {
			a.left = 0
			return 0
		}
		a.left -= int64(len(a.buf))
	}
	b := a.buf[0]
	a.buf = a.buf[1:]
	return b
}

func (a *array) err() error {
	if a.s == nil {
		return nil
	}
	return a.s.Err()
}

// cells reads the blocks.
func (r *reader) cells(c *clip.Clip) error {
	var in [4]*array
	for i, name := range arrays {
		var err error
		if in[i], err = r.open(name); err != nil {
			return err
		}
	}
	names, high := format.NewNames(), byte(0)
	numbers := block.NewNumeric(names)
	b := clip.NewBuilder(c.Size, 0, r.doc.Limit())
	wide := 0
	for i := range c.Size.X * c.Size.Y * c.Size.Z {
		id, data := int(in[0].next()), in[1].next()
		if i&1 == 0 {
			high = in[2].next()
		} else {
			high >>= 4
		}
		id |= (int(high&15) | int(in[3].next()&15)) << 8
		if data > 15 {
			wide++
		}
		cell, err := numbers.Cell(id, data)
		if err != nil {
			return err
		}
		b.Run(cell, 1)
		if i&0xFFFF == 0 && b.Err() != nil {
			return b.Err()
		}
	}
	if err := errors.Join(in[0].err(), in[1].err(), in[2].err(), in[3].err()); err != nil {
		return err
	}
	if wide > 0 {
		c.Lost["data of blocks above 15"] += wide
	}
	var err error
	c.Block.Names = names.List()
	c.Block.View, err = b.View()
	return err
}

// object makes an object of c. WorldEdit counts positions of entities in the world that the clip
// was copied from, where its least corner is the origin. FastAsyncWorldEdit for years counted those
// of block entities likewise.
func object(fields []document.Field, entity bool, c *clip.Clip) (voxel.Object, error) {
	if entity {
		o, err := clip.Entity(nil, document.Doubles(document.Find(fields, "Pos", nbt.List)), fields)
		return clip.Move(o, geom.Point{}.Sub(c.Min)), err
	}
	p, box := document.Point(fields, document.Axes), geom.Box{Max: c.Size}
	if p != nil && !box.Contains(*p) && box.Contains(p.Sub(c.Min)) {
		*p = p.Sub(c.Min)
	}
	return clip.BlockEntity(nil, p, fields)
}
