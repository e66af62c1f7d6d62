package hytale

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

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
	r := &prefabReader{out: clip.Air(geom.Point{}), names: format.NewNames(), fluids: format.NewNames()}
	doc, err := readJSON(io.NewSectionReader(src, 0, size), document.NewLimit(o.MaxBytes))
	if err == nil {
		err = r.read(doc)
	}
	if err != nil {
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
	out                *clip.Clip
	names, fluids      *format.Names
	blocks, wet        []placedCell
	entities, contents []voxel.Object // contents are the components of blocks
}

// read makes the clip of a document.
func (r *prefabReader) read(doc []byte) error {
	void, err := r.names.Cell(clip.Void)
	if err != nil {
		return err
	}
	rest, at := beginDocument(nil)
	d := elementsOf(doc, 0)
	for e, ok := d.next(); ok; e, ok = d.next() {
		add := map[string]func(e element) error{"blocks": r.block, "fluids": r.fluid, "entities": r.entity}[string(e.name)]
		if add == nil {
			rest = append(appendElement(rest, e.kind, e.name), e.value...)
		} else if err := eachObject(e, add); err != nil {
			return err
		}
	}
	rest = endDocument(rest, at)
	if v, ok := intOf(element{value: rest}, "version"); !ok || v != prefabVersion {
		return corrupt(0, "version", fmt.Errorf("%d; known is %d", v, prefabVersion))
	}
	low, err := r.place()
	if err != nil {
		return err
	}
	c := r.out
	c.Format, c.FormatVersion = prefabName, prefabVersion
	c.Offset = low.Sub(anchorOf(rest))
	for _, l := range []voxel.List{{Name: voxel.BlockEntities, Objects: r.contents}, {Name: voxel.Entities, Objects: r.entities}} {
		for i, o := range l.Objects {
			l.Objects[i] = clip.Move(o, geom.Point{}.Sub(low))
		}
		if len(l.Objects) > 0 {
			c.Lists = append(c.Lists, l)
		}
	}
	if c.Tags, err = appendNBT(nil, rest, 0, "", nil); err != nil {
		return err
	}
	if len(r.wet) < len(r.blocks) {
		c.Tags = nbt.AppendByte(c.Tags, tagSome, 1)
	}
	c.Tags = nbt.AppendEnd(c.Tags)
	return r.draw(low, void)
}

// eachObject calls f for each object of an array.
func eachObject(list element, f func(element) error) error {
	if list.kind != bsonArray {
		return corrupt(-1, string(list.name), errors.New("no array"))
	}
	d := elementsOf(list.value, list.at)
	for e, ok := d.next(); ok; e, ok = d.next() {
		err := errors.New("no object")
		if e.kind == bsonDocument {
			err = f(e)
		}
		if err != nil {
			return corrupt(-1, fmt.Sprintf("%s %s", list.name, e.name), err)
		}
	}
	return d.err
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
	if name = textOf(e, "name"); name == "" {
		return p, "", fmt.Errorf("no name at %v", p.at)
	}
	if name == emptyBlock {
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
	known := []string{"x", "y", "z", "name", "support", fillerProperty, rotationProperty}
	d := elementsOf(e.value, 0)
	for m, ok := d.next(); ok; m, ok = d.next() {
		if key := string(m.name); key == "components" && m.kind == bsonDocument {
			payload, err := appendPayload(nil, m, "", nil)
			if err != nil {
				return err
			}
			r.contents = append(r.contents, voxel.Object{Place: voxel.Moved, At: p.at, Payload: payload})
		} else if !slices.Contains(known, key) {
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
	payload, err := appendPayload(nil, e, "", nil)
	o := voxel.Object{Payload: payload}
	if at, ok := positionOf(e); ok {
		o.Place, o.At = voxel.Indexed, at
	}
	r.entities = append(r.entities, o)
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
	for i, o := range r.entities {
		if with := all.Union(around(o.At)); o.Place != voxel.Nowhere && fits(with) {
			all = with
		} else {
			r.entities[i].Place, r.entities[i].At = voxel.Nowhere, geom.Point{}
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
	w := &prefabWriter{c: c, out: bufio.NewWriterSize(out, 1<<16), lost: map[string]int{}, components: map[geom.Point][]byte{}}
	err = w.write()
	if err == nil {
		err = w.out.Flush()
	}
	if err != nil {
		return nil, fmt.Errorf("hytale: prefab: write: %w", err)
	}
	return w.lost, nil
}

// prefabWriter writes a prefab, its cells by x, z and y.
type prefabWriter struct {
	c          *clip.Clip
	out        *bufio.Writer // its first error comes with Flush
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
	rest := fmt.Appendf(nil, `{"version":%d,"blockIdVersion":%d,"anchorX":0,"anchorY":0,"anchorZ":0}`, prefabVersion, migration)
	w.origin = w.c.Offset
	if len(fields) > 0 {
		doc, err := appendObject(nil, document.Compound(document.Without(fields, tagSome)))
		if err != nil {
			return err
		}
		w.origin = w.origin.Add(anchorOf(doc))
		if rest, err = appendJSON(nil, element{kind: bsonDocument, value: doc}); err != nil {
			return err
		}
	}
	if w.c.Biome != nil {
		w.lost["biomes"]++
	}
	for _, o := range w.c.List(voxel.BlockEntities) {
		w.components[o.At] = o.Payload
	}
	var head bytes.Buffer
	if err := json.Indent(&head, rest, "", "  "); err != nil {
		return err
	}
	w.out.Write(bytes.TrimSuffix(head.Bytes(), []byte("\n}")))
	if err := cmp.Or(w.list("blocks", w.cells(w.block)), w.list("fluids", w.cells(w.fluid)), w.list("entities", w.entities)); err != nil {
		return err
	}
	if len(w.components) > 0 {
		w.lost["components of no block"] += len(w.components)
	}
	_, err = w.out.WriteString("\n}")
	return err
}

// list writes an array of the values that items gives. One without any is left out, unless it is that of blocks.
func (w *prefabWriter) list(name string, items iter.Seq2[[]byte, error]) error {
	var buf bytes.Buffer
	n := 0
	for item, err := range items {
		buf.Reset()
		if n++; n == 1 {
			fmt.Fprintf(&buf, ",\n  %q: [\n    ", name)
		} else {
			buf.WriteString(",\n    ")
		}
		if err == nil {
			err = json.Indent(&buf, item, "    ", "  ")
		}
		if err != nil {
			return err
		}
		w.out.Write(buf.Bytes())
	}
	if n > 0 {
		w.out.WriteString("\n  ]")
	} else if name == "blocks" {
		fmt.Fprintf(w.out, ",\n  %q: []", name)
	}
	return nil
}

// cells gives an object for each cell for which f appends a name and the entries behind it.
func (w *prefabWriter) cells(f func(dst []byte, p geom.Point) ([]byte, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var item, rest []byte
		for x := range w.c.Size.X {
			for z := range w.c.Size.Z {
				for y := range w.c.Size.Y {
					p := geom.Point{X: x, Y: y, Z: z}
					var err error
					if rest, err = f(rest[:0], p); err == nil && len(rest) == 0 {
						continue
					}
					at := p.Add(w.origin)
					item = fmt.Appendf(item[:0], `{"x":%d,"y":%d,"z":%d,"name":%s}`, at.X, at.Y, at.Z, rest)
					if !yield(item, err) {
						return
					}
				}
			}
		}
	}
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

func (w *prefabWriter) block(dst []byte, p geom.Point) (_ []byte, err error) {
	name := w.at(p)
	if name == clip.Void {
		return nil, nil
	}
	k := blockOf(name)
	dst = appendText(dst, cmp.Or(k.name, emptyBlock))
	if c := w.beside(supportVolume, p); c != 0 {
		dst = fmt.Appendf(dst, `,"support":%d`, c)
	}
	if k.filler != "" {
		dst = fmt.Appendf(dst, `,%q:%d`, fillerProperty, int16(binary.BigEndian.Uint16([]byte(k.filler))))
	}
	if k.rotation != "" {
		dst = fmt.Appendf(dst, `,%q:%d`, rotationProperty, k.rotation[0])
	}
	if payload, has := w.components[p]; has {
		delete(w.components, p)
		return appendPayloadJSON(append(dst, `,"components":`...), payload)
	}
	return dst, nil
}

func (w *prefabWriter) fluid(dst []byte, p geom.Point) ([]byte, error) {
	c, level := w.beside(fluidVolume, p), w.beside(levelVolume, p)
	if c == 0 && level == 0 && (w.some || w.at(p) == clip.Void) {
		return nil, nil
	}
	name := emptyBlock
	if c != 0 {
		name = w.c.Beside[fluidVolume].Names[c]
	}
	return fmt.Appendf(appendText(dst, name), `,"level":%d`, level), nil
}

func (w *prefabWriter) entities(yield func([]byte, error) bool) {
	for _, o := range w.c.List(voxel.Entities) {
		if !yield(appendPayloadJSON(nil, clip.Move(o, w.origin).Payload)) {
			return
		}
	}
}

// appendPayloadJSON appends an object's payload.
func appendPayloadJSON(dst, payload []byte) ([]byte, error) {
	doc, err := appendObject(nil, payload)
	if err != nil {
		return nil, err
	}
	return appendJSON(dst, element{kind: bsonDocument, value: doc})
}
