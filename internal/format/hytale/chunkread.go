package hytale

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Paths of the elements of a chunk that are more than documents. # is the number of a section.
const (
	pathSections   = "Components.ChunkColumn.Sections"
	pathBlocks     = ".Components.Block"
	pathFluid      = ".Components.Fluid"
	pathSupport    = ".Components.BlockPhysics"
	pathMaps       = "Components.BlockChunk"
	pathEnv        = "Components.EnvironmentChunk"
	pathComponents = "Components.BlockComponentChunk"
	pathEntities   = "Components.EntityChunk"
)

// maxSections bounds the sections of a chunk: those that voxel.Section can number.
const maxSections = 64

// decoder makes columns of chunks. Its buffers live for one chunk.
type decoder struct {
	dim     *format.Dimension
	blocks  *blocks
	numbers [3][sectionCells]uint16
	block   blockData
	fluid   fluidData
	maps    chunkMaps
	section section
	lights  [2]lightCells // local and global
	builder voxel.ChunkBuilder

	pos     geom.ChunkPos // of the chunk; y is that of the section
	columns [4]format.Column
	cells   [][4096]voxel.Cell // of all sections
	used    int
	tops    [mapCells]int32 // the highest block of each column of blocks
	buf     []byte
	chunks  []placed
	seen    [maxSections]uint8 // which fields of a section have come, as bits
}

// placed is a chunk of a volume that is no part of columns.
type placed struct {
	volume string
	pos    geom.ChunkPos
	chunk  *voxel.Chunk
}

func newDecoder(dim *format.Dimension) *decoder {
	return &decoder{dim: dim, blocks: newBlocks(dim.Volume(voxel.Block).Names)}
}

func (d *decoder) volume(name string) *format.NamedVolume { return d.dim.Volume(name) }

// decode reads the chunk at x, z whose document is doc.
func (d *decoder) decode(x, z int32, doc []byte) error {
	d.pos = geom.ChunkPos{X: x, Z: z}
	d.used, d.chunks = 0, d.chunks[:0]
	d.tops, d.seen = [mapCells]int32{}, [maxSections]uint8{}
	for i := range d.columns {
		pos := geom.ColumnPos{X: x<<1 + int32(i&1), Z: z<<1 + int32(i>>1)}
		if err := pos.Check(); err != nil {
			return err
		}
		d.columns[i] = format.Column{Column: voxel.Column{Pos: pos, Sections: d.columns[i].Sections[:0]}, Cells: d.columns[i].Cells[:0]}
	}
	if err := checkDocument(doc, 0, maxDepth); err != nil {
		return err
	}
	out, err := appendNBT(nbt.AppendHeader(nil, nbt.Compound, ""), doc, 0, "", d.visit)
	if err != nil {
		return err
	}
	d.columns[0].Parts = []voxel.Part{{Name: PartChunk, Data: nbt.AppendEnd(out)}}
	return nil
}

// pass passes on what decode has read.
func (d *decoder) pass(to format.Sink) error {
	for _, c := range d.chunks {
		if err := to.Chunk(c.volume, c.pos, c.chunk); err != nil {
			return err
		}
	}
	for i := range d.columns {
		if err := to.Column(&d.columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// visit takes the fields that cells, maps and objects hold.
func (d *decoder) visit(dst []byte, path string, e element) (_ []byte, taken bool, err error) {
	number, below := sectionOf(path)
	isData := e.kind == bsonBinary && e.value[4] == 0 && string(e.name) == "Data"
	var append func([]byte, element) ([]byte, error)
	switch {
	case number >= maxSections:
		return nil, false, corrupt(e.at, "sections", fmt.Errorf("more than %d", maxSections))
	case isData && number >= 0 && below == pathBlocks:
		append, err = d.appendBlock, d.begin(number, 1, e)
	case isData && number >= 0 && below == pathFluid:
		append, err = d.appendFluid, d.begin(number, 2, e)
	case isData && number >= 0 && below == pathSupport:
		append, err = d.appendSupport, d.begin(number, 4, e)
	case isData && path == pathMaps:
		append = d.appendMaps
	case isData && path == pathEnv:
		append = func(dst []byte, e element) ([]byte, error) {
			return appendEnvironments(dst, d.field(e, "environments"))
		}
	case path == pathComponents && e.kind == bsonDocument && string(e.name) == "BlockComponents":
		append = d.appendComponents
	case path == pathEntities && e.kind == bsonArray && string(e.name) == "Entities":
		append = d.appendEntities
	case number >= 0 && below == pathBlocks && string(e.name) == "Version" && e.kind == bsonInt32:
		if v := binary.LittleEndian.Uint32(e.value); v != blockVersion {
			return nil, false, corrupt(e.at, "blocks", fmt.Errorf("version %d; known is %d", v, blockVersion))
		}
		return dst, false, nil
	case isField(path, string(e.name)) && typeOf(e) == nbt.Compound: // not what the game has there: fill must not take it for ours
		return nbt.AppendEnd(appendRaw(nbt.AppendCompound(dst, string(e.name)), e)), true, nil
	default:
		return dst, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	dst = nbt.AppendCompound(dst, string(e.name))
	if dst, err = append(dst, e); err != nil {
		return nil, false, err
	}
	return nbt.AppendEnd(dst), true, nil
}

// isField reports whether visit takes the element of that name there, if it is what the game has.
func isField(path, name string) bool {
	number, below := sectionOf(path)
	switch name {
	case "Data":
		return number >= 0 && slices.Contains([]string{pathBlocks, pathFluid, pathSupport}, below) || path == pathMaps || path == pathEnv
	case "BlockComponents":
		return path == pathComponents
	case "Entities":
		return path == pathEntities
	}
	return false
}

// begin begins a field of a section, which comes once.
func (d *decoder) begin(number int, field uint8, e element) error {
	if d.seen[number]&field != 0 {
		return corrupt(e.at, "sections", fmt.Errorf("section %d has two of a field", number))
	}
	d.seen[number] |= field
	d.pos.Y = int32(number)
	return nil
}

// sectionOf splits a path into the number of a section and what is behind it. The number is -1 for another path.
func sectionOf(path string) (number int, below string) {
	rest, ok := strings.CutPrefix(path, pathSections+"#")
	if !ok {
		return -1, ""
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil {
		return -1, ""
	}
	return n, rest[end:]
}

// field returns a cursor over a binary element.
func (d *decoder) field(e element, part string) *cursor.Cursor {
	b, _ := binaryOf(e.value)
	c := cursor.At(b, int64(e.at+5), part)
	return &c
}

// raw returns the entries for a field that cannot be made again from values.
func raw(dst []byte, e element) []byte {
	b := e.value
	if e.kind == bsonBinary {
		b, _ = binaryOf(e.value)
	}
	return nbt.AppendByteArray(dst, tagRaw, b)
}

func (d *decoder) appendBlock(dst []byte, e element) ([]byte, error) {
	r := d.field(e, "blocks")
	if err := d.block.read(r); err != nil {
		return nil, err
	}
	if err := d.unpack(&d.block, &d.section); err != nil {
		if errors.Is(err, errPalette) {
			err = corrupt(e.at, "blocks", err)
		}
		return nil, err
	}
	d.addSections()
	lights, err := d.appendLights(nil)
	if err != nil {
		return nil, corrupt(e.at, "blocks", err)
	}
	if !d.section.regular {
		return raw(dst, e), nil
	}
	return append(d.block.appendRest(dst), lights...), nil
}

// addSections adds the section's blocks to the columns. An empty one is there, too: what a column has does not depend on its blocks.
func (d *decoder) addSections() {
	s := &d.section
	for _, extra := range []struct {
		volume string
		cells  *[sectionCells]voxel.Cell
	}{{fillerVolume, s.fillers}, {rotationVolume, s.rotations}} {
		d.addChunk(extra.volume, extra.cells)
	}
	if !s.uniform || s.cell != 0 {
		d.raise(s)
	}
	for half := range 2 {
		for i := range d.columns {
			c := &d.columns[i]
			cells := format.Cells{Block: []voxel.Cell{s.cell}}
			if !s.uniform {
				cells.Block = d.cut(&s.cells, half, i)
			}
			c.Sections = append(c.Sections, voxel.Section{Y: int8(int(d.pos.Y)*2 + half), Has: voxel.HasBlock})
			c.Cells = append(c.Cells, cells)
		}
	}
}

// raise raises the tops to the blocks of a section. Fillers of the empty block do not count.
func (d *decoder) raise(s *section) {
	for i := range d.tops {
		for y := 31; y >= 0; y-- {
			c := s.cell
			if !s.uniform {
				c = s.cells[y<<10|i]
			}
			if !d.blocks.empty[c] {
				d.tops[i] = max(d.tops[i], d.pos.Y*32+int32(y))
				break
			}
		}
	}
}

// cut returns the blocks of one column in a half of a section, or one if all are the same.
func (d *decoder) cut(cells *[sectionCells]voxel.Cell, half, column int) []voxel.Cell {
	if d.used == len(d.cells) {
		d.cells = append(d.cells, [4096]voxel.Cell{})
	}
	out := &d.cells[d.used]
	from := half<<14 | column>>1<<9 | column&1<<4
	same := true
	first := cells[from]
	for row := range 256 {
		at := from | row>>4<<10 | row&15<<5
		line := (*[16]voxel.Cell)(cells[at:])
		*(*[16]voxel.Cell)(out[row*16:]) = *line
		for _, c := range line {
			same = same && c == first
		}
	}
	if same {
		return []voxel.Cell{first}
	}
	d.used++
	return out[:]
}

// addChunk notes cells of a volume that is no part of columns. nil is the empty cell everywhere.
func (d *decoder) addChunk(volume string, cells *[sectionCells]voxel.Cell) {
	if cells != nil {
		d.chunks = append(d.chunks, placed{volume, d.pos, d.builder.FromFlat(cells)})
	}
}

// Entries of the compound for a section's fluids.
const tagLevels = "levels" // a byte: whether there are levels, where the rule is otherwise

func (d *decoder) appendFluid(dst []byte, e element) ([]byte, error) {
	f := &d.fluid
	if err := f.read(d.field(e, "fluid")); err != nil {
		return nil, err
	}
	if f.palette.kind != paletteEmpty {
		regular, err := f.palette.unpack(&d.numbers[0])
		if err != nil {
			return nil, corrupt(e.at, "fluid", err)
		}
		table := make([]voxel.Cell, len(f.palette.entries))
		for i, entry := range f.palette.entries {
			if table[i], err = d.volume(fluidVolume).Names.Cell(cmp.Or(entry.key, format.Air)); err != nil {
				return nil, err
			}
			regular = regular && entry.key != format.Air
		}
		cells := new([sectionCells]voxel.Cell)
		for i, n := range d.numbers[0] {
			cells[i] = table[n]
		}
		d.addChunk(fluidVolume, cells)
		if !regular {
			d.addChunk(levelVolume, halves(f.levels, false))
			return raw(dst, e), nil
		}
	}
	levels := halves(f.levels, false)
	d.addChunk(levelVolume, levels)
	dst = appendSome(dst, tagNames, f.palette.order())
	if has := f.levels != nil; has != (levels != nil) {
		dst = nbt.AppendByteArray(dst, tagLevels, []byte{1})
	}
	return dst, nil
}

func (d *decoder) appendSupport(dst []byte, e element) ([]byte, error) {
	b, err := readSupport(d.field(e, "support"))
	if err != nil {
		return nil, err
	}
	cells := halves(b, true)
	d.addChunk(supportVolume, cells)
	if (b != nil) != (cells != nil) {
		dst = nbt.AppendByteArray(dst, tagLevels, []byte{1})
	}
	return dst, nil
}

// Entries of the compound for the data of BlockChunk.
const (
	tagNeedsPhysics = "needs_physics"
	tagHeights      = "heights" // the lists as they are stored
	tagTints        = "tints"
	tagKept         = "kept" // a byte: heights are other than correct makes them
)

func (d *decoder) appendMaps(dst []byte, e element) ([]byte, error) {
	m := &d.maps
	if err := m.read(d.field(e, "maps")); err != nil {
		return nil, err
	}
	heights, tints := slices.Clone(m.heights.list), slices.Clone(m.tints.list)
	d.addMaps(m.heights.values != d.tops)
	var err error
	if d.buf, err = m.append(d.buf[:0]); err != nil {
		return nil, corrupt(e.at, "maps", err)
	}
	if b, _ := binaryOf(e.value); !bytes.Equal(b, d.buf) {
		return raw(dst, e), nil
	}
	if same := m.heights.values; same != d.tops {
		if correct(&same, &d.tops, d.nameAt); same != m.heights.values {
			dst = nbt.AppendByteArray(dst, tagKept, []byte{1})
		}
	}
	if m.needsPhysics != 0 {
		dst = nbt.AppendByte(dst, tagNeedsPhysics, int8(m.needsPhysics))
	}
	for i, list := range [][]int32{heights, tints} {
		if values := []*columnMap{&m.heights, &m.tints}[i]; !slices.Equal(list, mapList(&values.values)) {
			dst = nbt.AppendIntArray(dst, []string{tagHeights, tagTints}[i], list)
		}
	}
	return dst, nil
}

// nameAt returns the name of a block, "" for none. Until all sections have come it may say that of another.
func (d *decoder) nameAt(i int, y int32) string {
	c := &d.columns[i>>9<<1|i>>4&1]
	if y < 0 || int(y>>4) >= len(c.Cells) {
		return ""
	}
	cells := c.Cells[y>>4].Block
	return blockOf(d.blocks.names.Name(cells[min(len(cells)-1, int(y&15)<<8|i>>5&15<<4|i&15)])).name
}

// correct makes heights those of the highest blocks where they cannot be right any more, after an edit: no block is there, or
// above it is one of a name that is at a height of this chunk, so it counts.
func correct(heights, tops *[mapCells]int32, name func(i int, y int32) string) {
	counts := map[string]bool{}
	for i, y := range heights {
		counts[name(i, y)] = true
	}
	for i, y := range heights {
		if top := tops[i]; y != top && (name(i, y) == "" || top > y && counts[name(i, top)]) {
			heights[i] = top
		}
	}
}

// addMaps adds the maps to the columns.
func (d *decoder) addMaps(heights bool) {
	tints := d.addTints()
	for i := range d.columns {
		c := &d.columns[i]
		if heights {
			c.Maps = append(c.Maps, cutMap(mapHeight, &d.maps.heights.values, i))
		}
		if !tints {
			c.Maps = append(c.Maps, cutMap(mapTint, &d.maps.tints.values, i))
		}
	}
}

// addTints adds the tints as cells of the lowest layer of their volume. It reports whether all have names there.
func (d *decoder) addTints() bool {
	names := d.volume(tintVolume).Names
	cells := &d.section.cells
	*cells = [sectionCells]voxel.Cell{}
	for i, v := range d.maps.tints.values {
		if i > 0 && v == d.maps.tints.values[i-1] {
			cells[i] = cells[i-1]
			continue
		}
		if v == 0 {
			continue
		}
		c, err := names.Cell(tintName(v))
		if err != nil {
			return false
		}
		cells[i] = c
	}
	d.pos.Y = 0
	d.addChunk(tintVolume, cells)
	return true
}

// tintName returns the name of a colour, ARGB.
func tintName(v int32) string { return fmt.Sprintf("#%08x", uint32(v)) }

// tintOf is the inverse of tintName, 0 for another name.
func tintOf(name string) int32 {
	v, err := strconv.ParseUint(strings.TrimPrefix(name, "#"), 16, 32)
	if err != nil {
		return 0
	}
	return int32(uint32(v))
}

// cutMap returns the numbers of one column of a chunk.
func cutMap(name string, values *[mapCells]int32, column int) voxel.Map {
	m := voxel.Map{Name: name, Form: voxel.MapInts}
	for i := range m.Values {
		m.Values[i] = values[mapIndex(column, i)]
	}
	return m
}

// mapIndex returns where in a chunk the i-th number of a column is.
func mapIndex(column, i int) int { return (column>>1<<4|i>>4)<<5 | column&1<<4 | i&15 }

// Entries of the compounds for block components and entities, where they are not in the order of the rule: the keys, ascending;
// the entities of one column after those of another.
const tagOrder = "order"

func (d *decoder) appendComponents(dst []byte, e element) ([]byte, error) {
	type component struct {
		key     int32
		payload []byte
	}
	var all []component
	known := map[int]bool{}
	doc := elementsOf(e.value, e.at)
	sorted := true
	for el, ok := doc.next(); ok; el, ok = doc.next() {
		key, err := strconv.Atoi(string(el.name))
		if err != nil || key < 0 || key >= maxSections*sectionCells || !isIndex(el.name, key) || el.kind != bsonDocument || isMarked(el.value) || known[key] {
			return raw(dst, e), nil
		}
		known[key] = true
		payload, err := appendPayload(nil, el, "", nil)
		if err != nil {
			return nil, err
		}
		sorted = sorted && (len(all) == 0 || all[len(all)-1].key < int32(key))
		all = append(all, component{int32(key), payload})
	}
	var keys []int32
	for _, c := range all {
		keys = append(keys, c.key)
		at := d.pos.Min()
		at.X, at.Y, at.Z = at.X+int(c.key&31), int(c.key>>10), at.Z+int(c.key>>5&31)
		d.addObject(voxel.BlockEntities, d.columnOf(at), voxel.Object{Place: voxel.Moved, At: at, Payload: c.payload})
	}
	if !sorted {
		dst = nbt.AppendIntArray(dst, tagOrder, keys)
	}
	return dst, doc.err
}

// columnOf returns which column of the chunk a point is in; one outside of it is in the first.
func (d *decoder) columnOf(at geom.Point) int {
	for i := range d.columns {
		if d.columns[i].Pos == at.Column() {
			return i
		}
	}
	return 0
}

func (d *decoder) addObject(list string, column int, o voxel.Object) {
	c := &d.columns[column]
	i := slices.IndexFunc(c.Lists, func(l voxel.List) bool { return l.Name == list })
	if i < 0 {
		i = len(c.Lists)
		c.Lists = append(c.Lists, voxel.List{Name: list})
	}
	c.Lists[i].Objects = append(c.Lists[i].Objects, o)
}

func (d *decoder) appendEntities(dst []byte, e element) ([]byte, error) {
	doc := elementsOf(e.value, e.at)
	var objects []voxel.Object
	for el, ok := doc.next(); ok; el, ok = doc.next() {
		if el.kind != bsonDocument || isMarked(el.value) || !isIndex(el.name, len(objects)) {
			return raw(dst, e), nil
		}
		payload, err := appendPayload(nil, el, "", nil)
		if err != nil {
			return nil, err
		}
		o := voxel.Object{Payload: payload}
		if at, ok := positionOf(el); ok {
			o.Place, o.At = voxel.Indexed, at
		}
		objects = append(objects, o)
	}
	var order []byte
	for _, o := range objects {
		column := 0
		if o.Place != voxel.Nowhere {
			column = d.columnOf(o.At)
		}
		order = append(order, byte(column))
		d.addObject(voxel.Entities, column, o)
	}
	if !slices.IsSorted(order) {
		dst = nbt.AppendByteArray(dst, tagOrder, order)
	}
	return dst, doc.err
}

// positionOf returns the block at Components.Transform.Position of an entity.
func positionOf(e element) (p geom.Point, ok bool) {
	for _, name := range []string{"Components", "Transform", "Position"} {
		if e, ok = member(e, name); !ok || e.kind != bsonDocument {
			return p, false
		}
	}
	var at [3]float64
	for i := range at {
		v, ok := member(e, "XYZ"[i:i+1])
		if !ok || v.kind != bsonDouble {
			return p, false
		}
		at[i] = math.Float64frombits(binary.LittleEndian.Uint64(v.value))
	}
	p, ok = document.Floor(at)
	return p, ok && p.Check() == nil
}

// member returns the element of that name of a document.
func member(e element, name string) (element, bool) {
	d := elementsOf(e.value, e.at)
	for m, ok := d.next(); ok; m, ok = d.next() {
		if string(m.name) == name {
			return m, true
		}
	}
	return element{}, false
}
