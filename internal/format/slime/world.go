package slime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Container is a Slime file and a format.Source. The properties of its Head are the file's own
// "properties" of text or numbers, and "dataVersion" and "worldVersion".
type Container struct {
	r      io.ReaderAt
	size   int64
	layout layout
	parts  parts
	extra  []byte
	head   format.Head
	frames *inflater
	// Of the last Read: unknown tags and payloads, and bytes behind the last column, which some writers of versions 10 and 11 leave.
	dropped  Losses
	trailing int
	order    []geom.ColumnPos // of the file
}

// open reads the header and the framing of a Slime file of size bytes. A blob that claims more than maxRaw decoded bytes is
// damaged; 0 is no bound. Its errors and those of Read wrap a *format.CorruptError where the bytes are wrong.
func open(r io.ReaderAt, size, maxRaw int64) (*Container, error) {
	if maxRaw <= 0 {
		maxRaw = math.MaxInt32
	}
	w := &Container{r: r, size: size, dropped: Losses{}}
	var err error
	if w.frames, err = newInflater(maxRaw); err != nil {
		return nil, err
	}
	if err = w.readFraming(); err != nil {
		w.frames.close()
		return nil, err
	}
	return w, nil
}

// Head returns what the header and the extra tags say.
func (w *Container) Head() format.Head { return w.head }

// Close frees the decoders. The caller closes the file.
func (w *Container) Close() error {
	w.frames.close()
	return nil
}

// readExtra reads the extra tags and fills in Head from them.
func (w *Container) readExtra() (err error) {
	if w.extra, err = w.inflate(w.parts.extra); err != nil {
		return err
	}
	props := map[string]string{propVersion: strconv.Itoa(int(w.layout.data))}
	if !w.layout.hasCoords() {
		props["worldVersion"] = strconv.Itoa(w.layout.world)
	}
	if w.layout.env, err = readEnvironment(w.extra, props); err != nil {
		return w.corrupt(w.parts.extra, err)
	}
	w.head = format.Head{Format: formatName, Version: w.layout.version, Properties: props}
	return nil
}

// readEnvironment reads the properties in the extra tags, and which environment
// they say.
func readEnvironment(extra []byte, props map[string]string) (environment, error) {
	err := eachEntry(extra, func(r *nbt.Reader, t nbt.Type, name []byte) error {
		if t == nbt.Compound && string(name) == "properties" {
			readProperties(r, props)
		} else {
			r.Skip(t)
		}
		return nil
	})
	env := strings.ToLower(props["environment"])
	return environmentBy(func(e environment) bool { return e.property == env }), err
}

// readProperties adds the entries of a compound that are text or numbers.
func readProperties(r *nbt.Reader, props map[string]string) {
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		key, err := nbt.DecodeString(name)
		var value string
		switch t {
		case nbt.Byte:
			value = strconv.Itoa(int(r.Byte()))
		case nbt.Int:
			value = strconv.Itoa(int(r.Int()))
		case nbt.Float:
			value = strconv.FormatFloat(float64(r.Float()), 'g', -1, 32)
		case nbt.String:
			value, err = nbt.DecodeString(r.String())
		default:
			r.Skip(t)
			continue
		}
		if r.Err() == nil && err == nil {
			props[key] = value
		}
	}
}

// Read passes the world to s: its one dimension, the columns in the order of
// geom.ColumnPos.Compare, then the files. Some versions store objects apart from columns. Read
// puts such an object into the column at its position, or into column (0,0) if it has no
// position. If the file does not have that column, Read adds one without sections.
func (w *Container) Read(ctx context.Context, s format.Sink) error {
	w.dropped = Losses{}
	blob, err := w.inflate(w.parts.chunks)
	if err != nil {
		return err
	}
	d := newDecoder(w.layout, w.frames, w.dropped)
	if err := s.Dimension(d.dim); err != nil {
		return err
	}
	homes, err := w.homes(blob)
	if err != nil {
		return err
	}
	k := &chunk{}
	for _, h := range homes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if *k = (chunk{pos: h.pos, sections: k.sections[:0]}); h.start >= 0 {
			if err := w.layout.readChunk(readerAt(blob, h.start), k); err != nil {
				return w.corrupt(w.parts.chunks, err)
			}
		}
		if err := w.hand(d, h, k, s); err != nil {
			return err
		}
	}
	return w.readFiles(s)
}

func (w *Container) hand(d *decoder, h *home, k *chunk, s format.Sink) error {
	c := &format.Column{Column: voxel.Column{Pos: h.pos, Version: w.layout.data}}
	if h.start >= 0 {
		var err error
		if c, err = d.column(k); err != nil {
			return w.corrupt(w.parts.chunks, err)
		}
	}
	for i, objects := range h.objects {
		if len(objects) > 0 {
			c.Lists = append(c.Lists, voxel.List{Name: kinds[i].list, Objects: objects})
		}
	}
	return s.Column(c)
}

// home is the place of a column in the decoded blob, and the column's objects if the file
// stores them apart.
type home struct {
	pos     geom.ColumnPos
	start   int // -1: only objects
	objects [2][]voxel.Object
}

// homes are the columns of a file.
type homes map[geom.ColumnPos]*home

// homes finds all columns, and reads the objects of versions 1 to 10.
func (w *Container) homes(blob []byte) ([]*home, error) {
	h := homes{}
	if err := w.findColumns(h, blob); err != nil {
		return nil, w.corrupt(w.parts.chunks, err)
	}
	for i, p := range [...]part{w.parts.tiles, w.parts.entities} {
		if err := w.placeObjects(h, i, p); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(h), func(a, b *home) int { return a.pos.Compare(b.pos) }), nil
}

func (w *Container) findColumns(h homes, blob []byte) error {
	c, k := readerAt(blob, 0), &chunk{}
	w.order = nil
	err := w.eachPosition(c, func(pos geom.ColumnPos) error {
		start := c.Offset()
		k.pos = pos
		if err := w.layout.readChunk(c, k); err != nil {
			return err
		}
		if h[k.pos] != nil {
			return fmt.Errorf("chunk %v comes twice", k.pos)
		}
		h[k.pos] = &home{pos: k.pos, start: start}
		w.order = append(w.order, k.pos)
		return nil
	})
	w.trailing = c.Left()
	if err == nil && c.Left() > 0 && w.layout.version != 10 && w.layout.version != 11 {
		err = fmt.Errorf("%d bytes follow the last chunk", c.Left())
	}
	return err
}

// placeObjects gives the objects of the whole world, of one kind, to columns.
func (w *Container) placeObjects(h homes, i int, p part) error {
	doc, err := w.inflate(p)
	if err != nil {
		return err
	}
	err = kinds[i].readObjects(doc, kinds[i].all, w.dropped, func(o voxel.Object) {
		x := h[o.At.Column()]
		if x == nil {
			x = &home{pos: o.At.Column(), start: -1}
			h[x.pos] = x
		}
		x.objects[i] = append(x.objects[i], o)
	})
	if err != nil {
		return w.corrupt(p, err)
	}
	return nil
}

// eachPosition calls f where a chunk begins at c; its position is known before
// version 10 alone.
func (w *Container) eachPosition(c *reader, f func(geom.ColumnPos) error) error {
	if w.layout.hasCoords() {
		for n := c.count(8); n > 0; n-- {
			if err := f(geom.ColumnPos{}); err != nil {
				return err
			}
		}
		return c.Err()
	}
	for i := range w.parts.width * w.parts.depth {
		if w.parts.mask[i/8]>>(i%8)&1 == 0 {
			continue
		}
		x, z := w.parts.minX+i%w.parts.width, w.parts.minZ+i/w.parts.width
		if err := f(geom.ColumnPos{X: int32(x), Z: int32(z)}); err != nil {
			return err
		}
	}
	return nil
}

func (w *Container) readFiles(s format.Sink) error {
	maps, err := w.inflate(w.parts.maps)
	if err != nil {
		return err
	}
	for _, f := range [...]struct {
		path string
		doc  []byte
	}{{ExtraPath, w.extra}, {MapsPath, maps}, {OrderPath, appendOrder(w.order)}} {
		if len(f.doc) == 0 {
			continue
		}
		if len(f.doc) > format.MaxFile {
			w.dropped.add(f.path, 1)
			continue
		}
		if err := s.File(format.FileOf(f.path, f.doc)); err != nil {
			return err
		}
	}
	return nil
}

var errHeader = errors.New("not a Slime file")

// corrupt returns a CorruptError for a blob.
func (w *Container) corrupt(p part, err error) error {
	return fmt.Errorf("slime: %w", &format.CorruptError{Offset: p.start, Part: p.name, Err: err})
}

// inflate reads and decodes a blob. A missing blob is empty.
func (w *Container) inflate(p part) ([]byte, error) {
	if p.stored == 0 && p.size == 0 {
		return nil, nil
	}
	raw := make([]byte, p.stored)
	if n, err := w.r.ReadAt(raw, p.start); n < len(raw) {
		return nil, w.corrupt(p, err)
	}
	doc, err := w.frames.inflate(raw, p.size)
	if err != nil {
		return nil, w.corrupt(p, err)
	}
	return doc, nil
}
