package polar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// most returns how many bytes a file of size bytes may unpack to: what is held in memory, and takes time for each byte.
func most(size int64) int64 { return min(64<<20+64*size, 192<<20+8*size) }

// spareColumns is how many columns a file may have besides one for two of its bytes: 256 by 256 that are all alike. Empty ones
// take next to no bytes, but memory and time.
const spareColumns = 1 << 16

// file is a Polar file, a format.Source.
type file struct {
	r      io.ReaderAt
	size   int64
	most   int64 // bytes that it may unpack to
	start  int64 // of the content
	raw    int64 // bytes of the content, as the file claims
	packed bool
	data   int32
	head   format.Head
	lost   map[string]int
}

// open reads the header.
func open(r io.ReaderAt, size, maxBytes int64) (format.Source, error) {
	head := make([]byte, min(size, 32))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("polar: %w", err)
	}
	f := &file{r: r, size: size, most: most(size), lost: map[string]int{}}
	if maxBytes > 0 {
		f.most = min(f.most, maxBytes)
	}
	c := cursor.New(head, "header")
	c.Magic(magic)
	version := 0
	if b := c.Bytes(2); b != nil {
		version = int(int16(binary.BigEndian.Uint16(b)))
	}
	if c.Err() == nil && (version < 1 || version > latest) {
		c.Fail(fmt.Errorf("version %d, known are 1 to %d", version, latest))
		version = 1
	}
	if version >= withData {
		f.data = int32(c.Within(int64(varint(&c)), 0, 1<<30))
	} else {
		f.data = dataVersions[version]
	}
	f.packed = c.Flag()
	f.raw = int64(varint(&c))
	f.start = int64(len(head) - c.Left())
	if f.raw < 0 || f.raw > f.most {
		c.Fail(fmt.Errorf("%d bytes claim to unpack to %d, at most %d", size, f.raw, f.most))
	}
	if !f.packed && f.raw != size-f.start {
		c.Fail(fmt.Errorf("%d bytes of content, the file has %d", f.raw, size-f.start))
	}
	if err := c.Err(); err != nil {
		return nil, fmt.Errorf("polar: %w", err)
	}
	f.head = format.Head{Format: formatName, Version: version, Properties: map[string]string{"dataVersion": strconv.Itoa(int(f.data))}}
	return f, nil
}

// varint reads a number of 32 bits. A negative one has five bytes.
func varint(c *cursor.Cursor) int32 {
	v := c.Uvarint()
	if v>>32 != 0 {
		c.Fail(fmt.Errorf("a number of more than 32 bits: %d", v))
	}
	return int32(v)
}

func (f *file) Head() format.Head { return f.head }

// Close does nothing: the caller closes the file.
func (f *file) Close() error { return nil }

// Remarks returns what the last Read has left out.
func (f *file) Remarks() (lost map[string]int, damaged []string) { return f.lost, nil }

// content returns the unpacked content.
func (f *file) content() ([]byte, error) {
	stored := make([]byte, f.size-f.start)
	if n, err := f.r.ReadAt(stored, f.start); n < len(stored) {
		return nil, fmt.Errorf("polar: %w", err)
	}
	if !f.packed {
		return stored, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, fmt.Errorf("polar: %w", err)
	}
	defer dec.Close()
	raw, err := dec.DecodeAll(stored, make([]byte, 0, f.raw))
	if err == nil && int64(len(raw)) != f.raw {
		err = fmt.Errorf("%d bytes, not %d", len(raw), f.raw)
	}
	if err != nil {
		return nil, f.corrupt("frame", err)
	}
	return raw, nil
}

func (f *file) corrupt(part string, err error) error {
	return fmt.Errorf("polar: %w", &format.CorruptError{Offset: f.start, Part: part, Err: err})
}

// Read passes the world to s. It decodes all columns once before it passes any on, so that a damaged file costs no more than
// that, and then again in an order in which near ones follow each other. Files have them in any order.
func (f *file) Read(ctx context.Context, s format.Sink) error {
	f.lost = map[string]int{}
	raw, err := f.content()
	if err != nil {
		return err
	}
	d := newDecoder(f, raw)
	if err := s.Dimension(d.dim); err != nil {
		return err
	}
	c := &d.c
	d.low, d.high = int(int8(c.Byte())), int(int8(c.Byte()))
	if d.high < d.low {
		c.Fail(fmt.Errorf("sections %d to %d", d.low, d.high))
	}
	var user []byte
	if f.head.Version >= worldData {
		user = c.Bytes(c.Size())
	}
	places := map[geom.ColumnPos]int{} // of columns, by the bytes from there to the end
	for n := c.Count(2+d.high-d.low+1, spareColumns+int(f.size/2)); n > 0 && c.Err() == nil; n-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := c.Left()
		pos := d.column().Pos
		if places[pos] > 0 {
			c.Fail(fmt.Errorf("chunk %v comes twice", pos))
		}
		places[pos] = left
	}
	if err := c.End(); err != nil {
		return f.corrupt("content", err)
	}
	clear(f.lost)
	for _, pos := range slices.SortedFunc(maps.Keys(places), near) {
		*c = cursor.New(raw[len(raw)-places[pos]:], "content")
		if err := cmp.Or(ctx.Err(), s.Column(d.column())); err != nil {
			return err
		}
	}
	switch {
	case len(user) > format.MaxFile:
		f.lost[UserPath]++
	case len(user) > 0:
		return s.File(format.FileOf(UserPath, user))
	}
	return nil
}

// near orders columns such that those of a square follow each other.
func near(a, b geom.ColumnPos) int {
	code := func(pos geom.ColumnPos) geom.Code { return geom.CodeOf(geom.ChunkPos{X: pos.X >> 1, Z: pos.Z >> 1}, 0) }
	return cmp.Or(code(a).Compare(code(b)), a.Compare(b))
}

// decoder makes columns of the content.
type decoder struct {
	version   int
	data      int32
	c         cursor.Cursor
	raw       []byte
	low, high int // sections
	dim       *format.Dimension
	blocks    *block.Palette
	biomes    *block.Palette
	known     [2]map[string]voxel.Cell // blocks and biomes by their text
	lost      map[string]int
	table     []voxel.Cell
	cells     block.Arena // of a column
	col       format.Column
}

func newDecoder(f *file, raw []byte) *decoder {
	dim := format.BlockDimension("overworld", "")
	return &decoder{
		version: f.head.Version, data: f.data, c: cursor.New(raw, "content"), raw: raw, dim: dim, lost: f.lost,
		blocks: block.NewPalette(dim.Volume(voxel.Block).Names), biomes: block.NewPalette(dim.Volume(voxel.Biome).Names),
		known: [2]map[string]voxel.Cell{{}, {}},
	}
}

// column reads a column, valid until the next.
func (d *decoder) column() *format.Column {
	d.cells.Reset()
	d.col = format.Column{Column: voxel.Column{Version: d.data, Sections: d.col.Sections[:0]}, Cells: d.col.Cells[:0]}
	col := &d.col
	if col.Pos = (geom.ColumnPos{X: varint(&d.c), Z: varint(&d.c)}); col.Pos.Check() != nil {
		d.c.Fail(fmt.Errorf("chunk %v: %w", col.Pos, geom.ErrOutOfRange))
	}
	for y := d.low; y <= d.high && d.c.Err() == nil; y++ {
		d.section(col, y)
	}
	d.blockEntities(col)
	d.heights(col)
	if d.version >= userData {
		if user := d.c.Bytes(d.c.Size()); len(user) > 0 {
			col.Parts = []voxel.Part{{Name: PartUser, Data: user}}
		}
	}
	return col
}

func (d *decoder) section(col *format.Column, y int) {
	s, a := voxel.Section{Y: int8(y)}, format.Cells{}
	if d.c.Flag() { // it is empty, and nothing follows
		col.Sections, col.Cells = append(col.Sections, s), append(col.Cells, a)
		return
	}
	a.Block = d.container(0, block.SectionCells)
	a.Biome = d.container(1, block.BiomeCells)
	a.Light, a.Sky = d.light()
	s.Has = a.Has()
	col.Sections, col.Cells = append(col.Sections, s), append(col.Cells, a)
}

// container reads a palette and n entries: of blocks, which are 0, or of biomes.
func (d *decoder) container(of, n int) []voxel.Cell {
	d.table = d.table[:0]
	for k := d.c.AtMost(n); k > 0 && d.c.Err() == nil; k-- {
		text := d.c.Bytes(d.c.Size())
		cell, ok := d.known[of][string(text)]
		if !ok && d.c.Err() == nil {
			var err error
			if cell, err = d.cell(of, string(text)); err != nil {
				d.c.Fail(err)
			}
			d.known[of][string(text)] = cell
		}
		d.table = append(d.table, cell)
	}
	switch {
	case d.c.Err() != nil:
		return nil
	case len(d.table) == 0:
		d.c.Fail(errors.New("a palette without entries"))
		return nil
	case len(d.table) == 1:
		cells := d.cells.Take(1)
		cells[0] = d.table[0]
		return cells
	}
	cells := d.cells.Take(n)
	longs := d.c.Bytes(8 * d.c.AtMost(n))
	if d.c.Err() == nil {
		if err := block.UnpackLongs(longs, block.Bits(len(d.table), 1), false, d.table, cells); err != nil {
			d.c.Fail(err)
		}
	}
	return cells
}

// cell returns the cell of a palette entry: a block, which is 0, or a biome.
func (d *decoder) cell(of int, text string) (cell voxel.Cell, err error) {
	switch {
	case !utf8.ValidString(text):
		err = fmt.Errorf("a name that is no UTF-8: %.40q", text)
	case of == 1:
		cell, err = d.biomes.Biome(nbt.AppendStringPayload(nil, block.Spaced(text))[2:])
	default:
		cell, _, err = d.blocks.Cell(block.AppendText(nil, text))
	}
	return cell, err
}

// Light that is all the same.
var (
	dark   = make([]byte, block.LightBytes)
	bright = bytes.Repeat([]byte{0xFF}, block.LightBytes)
)

// light reads both arrays of light.
func (d *decoder) light() (light, sky []byte) {
	if d.version < twoLights {
		if d.c.Flag() {
			return d.c.Bytes(block.LightBytes), d.c.Bytes(block.LightBytes)
		}
		return nil, nil
	}
	return d.oneLight(), d.oneLight()
}

func (d *decoder) oneLight() []byte {
	kind := lightMissing
	if d.version >= lightKinds {
		kind = int(d.c.Within(int64(d.c.Byte()), lightMissing, lightStored))
	} else if d.c.Flag() {
		kind = lightStored
	}
	switch kind {
	case lightDark:
		return dark
	case lightBright:
		return bright
	case lightStored:
		return d.c.Bytes(block.LightBytes)
	}
	return nil
}

// heights reads the height maps that the mask of a column has.
func (d *decoder) heights(col *format.Column) {
	b := d.c.Bytes(4)
	if b == nil {
		return
	}
	mask := binary.BigEndian.Uint32(b)
	for i := range 32 {
		if mask>>i&1 == 0 || d.c.Err() != nil {
			continue
		}
		n := d.c.AtMost(block.MapCells)
		longs := d.c.Bytes(8 * n)
		m := voxel.Map{Name: mapPrefix + strconv.Itoa(i), Form: uint8(n * 64 / block.MapCells)}
		if i < len(heightMaps) {
			m.Name = heightMaps[i]
		}
		if d.c.Err() != nil {
		} else if block.UnpackLongInts(longs, int(m.Form), false, m.Values[:]) == nil {
			col.Maps = append(col.Maps, m)
		} else {
			d.lost["height maps that do not have 256 entries"]++
		}
	}
}

// blockEntities reads a column's block entities.
func (d *decoder) blockEntities(col *format.Column) {
	var list []voxel.Object
	for n := d.c.Count(5, 1<<30); n > 0 && d.c.Err() == nil; n-- {
		at := d.c.Bytes(4)
		var id []byte
		if d.c.Flag() {
			id = append(id, d.c.Bytes(d.c.Size())...)
		}
		var tags []byte
		if d.version < userData || d.c.Flag() {
			tags = d.tags()
		}
		if d.c.Err() == nil {
			list = append(list, voxel.Object{Place: voxel.Moved, At: placeOf(binary.BigEndian.Uint32(at)).Add(col.Pos.Min(0)), Payload: d.payload(id, tags)})
		}
	}
	if len(list) > 0 {
		col.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: list}}
	}
}

// placeOf returns a position in its column.
func placeOf(v uint32) geom.Point {
	y := int(v >> 4 & 0x7FFFFF)
	if v>>27&1 != 0 {
		y = -y
	}
	return geom.Point{X: int(v & 15), Y: y, Z: int(v >> 28)}
}

// tags returns the payload of a compound, which has a name in older versions.
func (d *decoder) tags() []byte {
	start := len(d.raw) - d.c.Left()
	rest := d.raw[start:]
	if d.c.Err() != nil || len(rest) == 0 {
		d.c.Fail(cursor.ErrShort)
		return nil
	}
	head := 1
	if d.version < nameless {
		r := nbt.NewReader(rest, nbt.Limits{})
		r.Root()
		head = r.Offset()
	}
	if rest[0] != byte(nbt.Compound) {
		d.c.Fail(fmt.Errorf("tags of type %d", rest[0]))
		return nil
	}
	r := nbt.NewPayload(rest[min(head, len(rest)):], nbt.Limits{})
	payload := r.Raw(nbt.Compound)
	if err := r.Err(); err != nil {
		d.c.Fail(fmt.Errorf("tags: %w", err))
		return nil
	}
	d.c.Bytes(head + len(payload))
	return payload
}

// payload joins the id of a block entity with its tags. An id among the tags gives way.
func (d *decoder) payload(id, tags []byte) []byte {
	if len(tags) == 0 {
		tags = []byte{0}
	}
	if id == nil {
		return tags
	}
	out := nbt.AppendString(nil, "id", string(id))
	r := nbt.NewPayload(tags, nbt.Limits{})
	for {
		start := r.Offset()
		t, name := r.Next()
		if t == nbt.End {
			return nbt.AppendEnd(out)
		}
		if r.Skip(t); string(name) == "id" {
			d.lost["ids among the tags of block entities that have one"]++
			continue
		}
		out = append(out, tags[start:r.Offset()]...)
	}
}
