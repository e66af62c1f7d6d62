package hytale

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

const (
	prefabName    = "prefab"
	prefabVersion = 8
	// tagSome is a note of the reader in the clip's tags: not all blocks have an entry in the list of fluids.
	tagSome = clip.Note + "some fluids"
)

// Prefab is the row of the table of formats for prefabs.
func Prefab() format.Kind {
	return clip.Leaf{Name: prefabName, Ext: ".prefab.json", Versions: []int{prefabVersion}, Detect: isPrefab, Read: ReadPrefab, Write: WritePrefab, Beside: true}.Kind()
}

func isPrefab(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) && bytes.Contains(head, []byte(`"anchorX"`))
}

// ReadPrefab reads a prefab. A file that is not one, or is damaged, is a *format.CorruptError or says what it is.
func ReadPrefab(src io.ReaderAt, size int64, o clip.ReadOptions) (*clip.Clip, error) {
	r := &prefabReader{jsonReader: newJSONReader(io.NewSectionReader(src, 0, size)), limit: document.NewLimit(o.MaxBytes), out: clip.Air(geom.Point{})}
	r.names, r.fluids = format.NewNames(), format.NewNames()
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("hytale: prefab: %w", err)
	}
	return r.out, nil
}

// placedCell is a block with its support, or a fluid with its level.
type placedCell struct {
	at          geom.Point
	cell, level voxel.Cell
}

type prefabReader struct {
	jsonReader
	limit         *document.Limit
	out           *clip.Clip
	names, fluids *format.Names
	blocks, wet   []placedCell
	rest          []byte // what else the file has, a BSON document
	objects       [2]voxel.List
}

func (r *prefabReader) read() error {
	void, err := r.names.Cell(clip.Void)
	if err != nil {
		return err
	}
	r.objects = [2]voxel.List{{Name: voxel.BlockEntities}, {Name: voxel.Entities}}
	rest, at := beginDocument(nil)
	r.rest = rest
	if err := r.each('{', r.entry); err != nil {
		return err
	}
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return r.fail(errors.New("more behind the end"))
	}
	r.rest = endDocument(r.rest, at)
	if v, ok := intOf(element{value: r.rest}, "version"); !ok || v != prefabVersion {
		return corrupt(0, "version", fmt.Errorf("%d; known is %d", v, prefabVersion))
	}
	low, err := r.place()
	if err != nil {
		return err
	}
	c := r.out
	c.Format, c.FormatVersion = prefabName, prefabVersion
	c.Offset = low.Sub(anchorOf(r.rest))
	for _, l := range r.objects {
		for i, o := range l.Objects {
			l.Objects[i] = clip.Move(o, geom.Point{}.Sub(low))
		}
		if len(l.Objects) > 0 {
			c.Lists = append(c.Lists, l)
		}
	}
	if c.Tags, err = appendNBT(nil, r.rest, 0, "", nil); err != nil {
		return err
	}
	if len(r.wet) < len(r.blocks) {
		c.Tags = nbt.AppendByte(c.Tags, tagSome, 1)
	}
	c.Tags = nbt.AppendEnd(c.Tags)
	return r.draw(low, void)
}

// entry reads an entry of the file.
func (r *prefabReader) entry(key string) (err error) {
	add := map[string]func(e element) error{"blocks": r.block, "fluids": r.fluid, "entities": r.entity}[key]
	if add == nil {
		r.rest, err = r.element(r.rest, key, maxDepth)
		return err
	}
	return r.each('[', func(string) error {
		b, err := r.element(nil, "", maxDepth)
		if err == nil {
			err = r.limit.Take(int64(len(b)) + 64)
		}
		if err == nil && (b[0] != bsonDocument || isMarked(b[2:])) {
			err = r.fail(fmt.Errorf("%s: no object", key))
		}
		if err != nil {
			return err
		}
		if err := add(element{kind: bsonDocument, value: b[2:]}); err != nil {
			return r.fail(fmt.Errorf("%s: %w", key, err))
		}
		return nil
	})
}

// intOf returns a whole number of a document. What is missing is 0.
func intOf(e element, name string) (n int, ok bool) {
	m, ok := member(e, name)
	if !ok || m.kind != bsonInt32 {
		return 0, !ok
	}
	return int(int32(binary.LittleEndian.Uint32(m.value))), true
}

// anchorOf returns the point of a prefab that is pasted at a place.
func anchorOf(doc []byte) (p geom.Point) {
	for i, to := range []*int{&p.X, &p.Y, &p.Z} {
		*to, _ = intOf(element{value: doc}, "anchor"+"XYZ"[i:i+1])
	}
	return p
}

// cell reads the place, the name and the level of a block or a fluid.
func (r *prefabReader) cell(e element, level string) (p placedCell, name string, err error) {
	const far = 1 << 24
	for i, to := range []*int{&p.at.X, &p.at.Y, &p.at.Z} {
		n, ok := intOf(e, "xyz"[i:i+1])
		if _, has := member(e, "xyz"[i:i+1]); !has || !ok || n < -far || n > far {
			return p, "", errors.New("a place that is none")
		}
		*to = n
	}
	n, ok := intOf(e, level)
	if !ok || n < 0 || n > 15 {
		return p, "", fmt.Errorf("%s at %v is not from 0 to 15", level, p.at)
	}
	p.level = voxel.Cell(n)
	m, ok := member(e, "name")
	if !ok || m.kind != bsonString || len(m.value) < 6 {
		return p, "", fmt.Errorf("no name at %v", p.at)
	}
	if name = string(m.value[4 : len(m.value)-1]); name == emptyBlock {
		name = ""
	}
	return p, name, nil
}

func (r *prefabReader) block(e element) error {
	p, name, err := r.cell(e, "support")
	filler, ok := intOf(e, fillerProperty)
	rotation, ok2 := intOf(e, rotationProperty)
	switch {
	case err != nil:
		return err
	case !ok || filler != int(int16(filler)), !ok2 || rotation != int(uint8(rotation)):
		return fmt.Errorf("filler or rotation at %v", p.at)
	}
	k := blockKey{name: name}
	if filler != 0 {
		k.filler = string(binary.BigEndian.AppendUint16(nil, uint16(filler)))
	}
	if rotation != 0 {
		k.rotation = string([]byte{byte(rotation)})
	}
	if p.cell, err = r.names.Cell(k.text()); err != nil {
		return err
	}
	r.blocks = append(r.blocks, p)
	d := elementsOf(e.value, 0)
	for m, ok := d.next(); ok; m, ok = d.next() {
		switch key := string(m.name); {
		case key == "components" && m.kind == bsonDocument && !isMarked(m.value):
			payload, err := appendPayload(nil, m, "", nil)
			if err != nil {
				return err
			}
			r.objects[0].Objects = append(r.objects[0].Objects, voxel.Object{Place: voxel.Moved, At: p.at, Payload: payload})
		case key != "x" && key != "y" && key != "z" && key != "name" && key != "support" && key != fillerProperty && key != rotationProperty:
			r.out.Lost["fact "+key+" of blocks"]++
		}
	}
	return nil
}

func (r *prefabReader) fluid(e element) error {
	p, name, err := r.cell(e, "level")
	if err == nil {
		p.cell, err = r.fluids.Cell(cmp.Or(name, format.Air))
	}
	r.wet = append(r.wet, p)
	return err
}

func (r *prefabReader) entity(e element) error {
	o := voxel.Object{}
	if at, ok := positionOf(e); ok {
		o.Place, o.At = voxel.Indexed, at
	}
	var err error
	o.Payload, err = appendPayload(nil, e, "", nil)
	r.objects[1].Objects = append(r.objects[1].Objects, o)
	return err
}

// place makes the box of the blocks, and of entities if they are near, and returns its least corner. An entity that is far is
// Nowhere.
func (r *prefabReader) place() (low geom.Point, err error) {
	around := func(p geom.Point) geom.Box { return geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})} }
	const most, sparse = 1 << 24, 64 // blocks of a box, and for each that the file has
	fits := func(b geom.Box) bool {
		s := b.Size()
		return max(s.X, s.Y, s.Z) <= clip.MaxEdge && s.X*s.Y*s.Z <= max(most, sparse*(len(r.blocks)+len(r.wet)))
	}
	var box geom.Box
	said := map[geom.Point]bool{}
	for _, p := range r.blocks {
		said[p.at], box = true, box.Union(around(p.at))
	}
	for _, p := range r.wet {
		if p.cell|p.level != 0 {
			box = box.Union(around(p.at))
		} else if !said[p.at] {
			r.out.Lost["empty fluids where no block is"]++
		}
	}
	if s := box.Size(); !fits(box) {
		return low, fmt.Errorf("a box of %d x %d x %d for %d blocks", s.X, s.Y, s.Z, len(r.blocks))
	}
	all := box
	for i, o := range r.objects[1].Objects {
		if with := all.Union(around(o.At)); o.Place != voxel.Nowhere && fits(with) {
			all = with
		} else {
			r.objects[1].Objects[i].Place, r.objects[1].Objects[i].At = voxel.Nowhere, geom.Point{}
		}
	}
	low = all.Min
	if r.out.Size = all.Size(); all != box && !box.Empty() { // a paste counts from the blocks
		r.out.Inner = box.Add(geom.Point{}.Sub(low))
	}
	return low, nil
}

// draw makes the volumes of the clip.
func (r *prefabReader) draw(low geom.Point, void voxel.Cell) error {
	r.out.Beside = map[string]*clip.Contents{}
	for _, v := range []struct {
		name  string
		def   voxel.Cell
		list  []placedCell
		names *format.Names // nil of levels
	}{{voxel.Block, void, r.blocks, r.names}, {supportVolume, 0, r.blocks, nil}, {fluidVolume, 0, r.wet, r.fluids}, {levelVolume, 0, r.wet, nil}} {
		to := clip.Contents{Scale: 1}
		schema := voxel.Level
		if v.names != nil {
			to.Names, schema = v.names.List(), voxel.Palette
		}
		edit := grid.New(grid.Options{Schema: schema, Default: v.def}).Edit()
		for _, p := range v.list {
			c := p.level
			if v.names != nil {
				c = p.cell
			}
			if was, _ := edit.Cell(p.at.Sub(low)); was != v.def {
				r.out.Lost["second "+v.name+" of a place"]++
			}
			edit.Set(p.at.Sub(low), c)
		}
		if to.View, _ = edit.Publish(); edit.Err() != nil {
			return edit.Err()
		}
		if v.name == voxel.Block {
			r.out.Block = to
		} else if to.View.Len() > 0 {
			r.out.Beside[v.name] = &to
		}
	}
	return nil
}

// WritePrefab writes a clip as a prefab. It returns by name and count what a prefab cannot hold.
func WritePrefab(out io.Writer, c *clip.Clip, _ clip.WriteOptions) (lost map[string]int, err error) {
	w := &prefabWriter{c: c, out: out, lost: map[string]int{}, components: map[geom.Point][]byte{}}
	if err := w.write(); err != nil {
		return nil, fmt.Errorf("hytale: prefab: write: %w", err)
	}
	return w.lost, nil
}

// prefabWriter writes a prefab, its cells by x, z and y.
type prefabWriter struct {
	c          *clip.Clip
	out        io.Writer
	buf        []byte // JSON that is not written yet
	doc        []byte // of one cell
	lost       map[string]int
	components map[geom.Point][]byte
	origin     geom.Point // of the clip's least corner
	some       bool       // fluids are listed where there are some alone
}

func (w *prefabWriter) write() error {
	fields, err := w.c.TagsOf(prefabName, w.lost)
	if err != nil {
		return err
	}
	w.some = document.Find(fields, tagSome, nbt.Byte) != nil
	rest, at := beginDocument(nil)
	if len(fields) > 0 {
		if rest, err = appendObject(nil, document.Compound(document.Without(fields, tagSome))); err != nil {
			return err
		}
	} else {
		rest = appendInt(appendInt(rest, "version", prefabVersion), "blockIdVersion", migration)
		rest = endDocument(appendInt(appendInt(appendInt(rest, "anchorX", 0), "anchorY", 0), "anchorZ", 0), at)
	}
	w.origin = w.c.Offset.Add(anchorOf(rest))
	if w.c.Biome != nil {
		w.lost["biomes"]++
	}
	for _, o := range w.c.List(voxel.BlockEntities) {
		w.components[o.At] = o.Payload
	}
	if w.buf, err = appendJSON(nil, element{kind: bsonDocument, value: rest}, 0); err != nil {
		return err
	}
	w.buf = bytes.TrimSuffix(w.buf, []byte("\n}"))
	if err := cmp.Or(w.cells("blocks", w.block), w.cells("fluids", w.fluid), w.entities()); err != nil {
		return err
	}
	if len(w.components) > 0 {
		w.lost["components of no block"] += len(w.components)
	}
	_, err = w.out.Write(append(w.buf, "\n}"...))
	return err
}

// cells writes what f appends to w.doc for each cell as an array. A list of fluids may be missing.
func (w *prefabWriter) cells(name string, f func(p geom.Point) (bool, error)) error {
	n, size := 0, w.c.Size
	for x := range size.X {
		for z := range size.Z {
			for y := range size.Y {
				p := geom.Point{X: x, Y: y, Z: z}
				at := p.Add(w.origin)
				w.doc, _ = beginDocument(w.doc[:0])
				w.doc = appendInt(appendInt(appendInt(w.doc, "x", at.X), "y", at.Y), "z", at.Z)
				is, err := f(p)
				if err == nil && is {
					err = w.item(name, n, endDocument(w.doc, 0))
					n++
				}
				if err != nil {
					return err
				}
			}
		}
	}
	w.end(name, n, name == "blocks")
	return nil
}

// item writes an item of an array.
func (w *prefabWriter) item(name string, n int, doc []byte) (err error) {
	if n == 0 {
		w.buf = fmt.Appendf(w.buf, ",\n  %q: [", name)
	} else {
		w.buf = append(w.buf, ',')
	}
	if w.buf, err = appendJSON(appendLine(w.buf, 2), element{kind: bsonDocument, value: doc}, 2); err == nil && len(w.buf) > 1<<16 {
		_, err = w.out.Write(w.buf)
		w.buf = w.buf[:0]
	}
	return err
}

// end ends an array of n items. One without items is written if it must be there.
func (w *prefabWriter) end(name string, n int, must bool) {
	if n > 0 {
		w.buf = append(w.buf, "\n  ]"...)
	} else if must {
		w.buf = fmt.Appendf(w.buf, ",\n  %q: []", name)
	}
}

func appendInt(dst []byte, name string, n int) []byte {
	return binary.LittleEndian.AppendUint32(appendElement(dst, bsonInt32, name), uint32(n))
}

func appendName(dst []byte, name string) []byte {
	name = cmp.Or(name, emptyBlock)
	dst = binary.LittleEndian.AppendUint32(appendElement(dst, bsonString, "name"), uint32(len(name)+1))
	return append(append(dst, name...), 0)
}

// beside returns a cell of a volume beside the blocks, 0 if there is none.
func (w *prefabWriter) beside(volume string, p geom.Point) voxel.Cell {
	v := w.c.Beside[volume]
	if v == nil {
		return 0
	}
	c, _ := v.View.Cell(p.Add(v.At))
	return c
}

// at returns the name of the block at a place, Void if none is said.
func (w *prefabWriter) at(p geom.Point) string {
	c, _ := w.c.Block.View.Cell(p.Add(w.c.Block.At))
	return w.c.Block.Names[c]
}

func (w *prefabWriter) block(p geom.Point) (is bool, err error) {
	name := w.at(p)
	if name == clip.Void {
		return false, nil
	}
	k := blockOf(name)
	w.doc = appendName(w.doc, k.name)
	if c := w.beside(supportVolume, p); c != 0 {
		w.doc = appendInt(w.doc, "support", int(c))
	}
	if k.filler != "" {
		w.doc = appendInt(w.doc, fillerProperty, int(int16(binary.BigEndian.Uint16([]byte(k.filler)))))
	}
	if k.rotation != "" {
		w.doc = appendInt(w.doc, rotationProperty, int(k.rotation[0]))
	}
	if payload, has := w.components[p]; has {
		delete(w.components, p)
		w.doc, err = appendObject(appendElement(w.doc, bsonDocument, "components"), payload)
	}
	return true, err
}

func (w *prefabWriter) fluid(p geom.Point) (is bool, err error) {
	c, level := w.beside(fluidVolume, p), w.beside(levelVolume, p)
	if c == 0 && level == 0 && (w.some || w.at(p) == clip.Void) {
		return false, nil
	}
	name := ""
	if c != 0 {
		name = w.c.Beside[fluidVolume].Names[c]
	}
	w.doc = appendInt(appendName(w.doc, name), "level", int(level))
	return true, nil
}

func (w *prefabWriter) entities() error {
	list := w.c.List(voxel.Entities)
	for n, o := range list {
		doc, err := appendObject(nil, clip.Move(o, w.origin).Payload)
		if err == nil {
			err = w.item("entities", n, doc)
		}
		if err != nil {
			return err
		}
	}
	w.end("entities", len(list), false)
	return nil
}
