package hytale

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// chunk is a chunk that is being written: its columns, and chunks of the volumes beside the blocks.
type chunk struct {
	blocks   [maxSections]*[sectionCells]voxel.Cell
	volumes  [maxSections]map[string]*voxel.Chunk
	columns  int // how many have come, as bits
	document []byte
	stored   []byte                       // the chunk as it was stored, because nobody could read it
	objects  map[string][4][]voxel.Object // by list and column
	maps     map[string]*[mapCells]int32
	mapped   map[string]int // which columns have the map, as bits
}

// encoder makes the document of a chunk, the inverse of decoder.
type encoder struct {
	dim     *format.Dimension
	keys    [int(voxel.MaxCell) + 1]*blockKey // by cell, where they are known
	tallies [3]tally
	numbers [3][sectionCells]uint16
	section section
	lights  [2]lightCells
	extras  [2][sectionCells]voxel.Cell
	tops    [mapCells]int32
	c       *chunk
	lost    map[string]int
}

func newEncoder(dim *format.Dimension, lost map[string]int) *encoder {
	return &encoder{dim: dim, lost: lost}
}

// block returns what a cell of the blocks is.
func (e *encoder) block(c voxel.Cell) blockKey {
	if e.keys[c] == nil {
		k := blockOf(e.dim.Volume(voxel.Block).Names.Name(c))
		e.keys[c] = &k
	}
	return *e.keys[c]
}

// extra returns the key of a filler or a rotation, a number of so many bytes, from its volume.
func (e *encoder) extra(volume string, c voxel.Cell, size int) string {
	n, err := strconv.Atoi(e.dim.Volume(volume).Names.Name(c))
	if err != nil || n == 0 {
		return ""
	}
	return string(binary.BigEndian.AppendUint16(nil, uint16(n))[2-size:])
}

// add takes a column of the chunk.
func (c *chunk) add(col *format.Column, lost map[string]int) error {
	i := int(col.Pos.X&1 | col.Pos.Z&1<<1)
	if c.columns>>i&1 != 0 {
		return fmt.Errorf("hytale: column %v comes twice", col.Pos)
	}
	c.columns |= 1 << i
	for n, s := range col.Sections {
		if cells := col.Cells[n].Block; len(cells) > 0 {
			c.addBlocks(i, int(s.Y), cells, lost)
		}
	}
	for _, l := range col.Lists {
		if l.Name != voxel.BlockEntities && l.Name != voxel.Entities {
			lost["objects of the list "+l.Name] += len(l.Objects)
			continue
		}
		lists := c.objects[l.Name]
		for _, o := range l.Objects {
			o.Payload = slices.Clone(o.Payload)
			lists[i] = append(lists[i], o)
		}
		c.objects[l.Name] = lists
	}
	for m := range col.Maps {
		c.addMap(i, &col.Maps[m], lost)
	}
	for _, p := range col.Parts {
		switch {
		case p.Name == PartChunk && p.Damaged && len(p.Data) >= blobHeader:
			c.stored = slices.Clone(p.Data)
		case p.Name == PartChunk && i == 0 && !p.Damaged:
			c.document = slices.Clone(p.Data)
		default:
			lost["part "+p.Name]++
		}
	}
	return nil
}

// addBlocks takes the blocks of a column in a section of 16 blocks.
func (c *chunk) addBlocks(column, y int, cells []voxel.Cell, lost map[string]int) {
	if len(cells) == 1 && cells[0] == 0 {
		return
	}
	if y < 0 || y>>1 >= maxSections {
		lost["sections beyond all heights"]++
		return
	}
	to := c.blocks[y>>1]
	if to == nil {
		to = new([sectionCells]voxel.Cell)
		c.blocks[y>>1] = to
	}
	from := y&1<<14 | column>>1<<9 | column&1<<4
	for row := range 256 {
		line := to[from|row>>4<<10|row&15<<5:][:16]
		if len(cells) > 1 {
			copy(line, cells[row*16:])
			continue
		}
		for x := range line {
			line[x] = cells[0]
		}
	}
}

func (c *chunk) addMap(column int, m *voxel.Map, lost map[string]int) {
	if m.Name != mapHeight && m.Name != mapTint {
		lost["map "+m.Name]++
		return
	}
	if c.maps[m.Name] == nil {
		c.maps[m.Name] = new([mapCells]int32)
	}
	c.mapped[m.Name] |= 1 << column
	for i, v := range m.Values {
		c.maps[m.Name][mapIndex(column, i)] = v
	}
}

// sections returns how many sections have something.
func (c *chunk) sections() int {
	for n := maxSections; n > 0; n-- {
		if c.blocks[n-1] != nil || len(c.volumes[n-1]) > 0 && n > 1 {
			return n
		}
	}
	return 0
}

// encode appends the document of a chunk.
func (e *encoder) encode(dst []byte, c *chunk) ([]byte, error) {
	e.c = c
	e.findTops()
	doc := c.document
	if doc == nil {
		doc = newDocument(c.sections())
	}
	r := nbt.NewReader(doc, nbt.Limits{Depth: maxDepth + 4})
	if t, _ := r.Root(); t != nbt.Compound && r.Err() == nil {
		return nil, fmt.Errorf("its part %q is a %v", PartChunk, t)
	}
	out, err := appendBSON(dst, &r, "", e.fill)
	if err == nil && r.Rest() != 0 {
		err = fmt.Errorf("%d bytes behind the part %q", r.Rest(), PartChunk)
	}
	return out, err
}

// newDocument returns the part of a chunk that no game has written.
func newDocument(sections int) []byte {
	components := func(e nbt.Entries) nbt.Entries { return nbt.Entries{{Name: "Components", Value: e}} }
	data := func(more ...nbt.Entry) nbt.Entries {
		return append(more, nbt.Entry{Name: "Data", Value: nbt.Entries{}})
	}
	list := nbt.Items{Elem: nbt.Compound}
	for range max(sections, 10) {
		list.Values = append(list.Values, components(nbt.Entries{
			{Name: "ChunkSection", Value: nbt.Entries{}}, {Name: "BlockPhysics", Value: data()}, {Name: "Fluid", Value: data()},
			{Name: "Block", Value: data(nbt.Entry{Name: "Version", Value: int32(blockVersion)})},
		}))
	}
	environments := binary.BigEndian.AppendUint32(nil, 1)
	environments = binary.BigEndian.AppendUint32(environments, 0)
	environments = nameKeys.append(environments, "Env_Default")
	return nbt.Append(nil, "", components(nbt.Entries{
		{Name: "BlockComponentChunk", Value: nbt.Entries{{Name: "BlockComponents", Value: nbt.Entries{}}}},
		{Name: "EnvironmentChunk", Value: nbt.Entries{{Name: "Data", Value: nbt.Entries{
			{Name: tagEnvironments, Value: environments}, {Name: tagColumns, Value: []byte{mapCells >> 8, mapCells & 0xFF, 0, 0, 0, 0, 0, 0, 0, 0}},
		}}}},
		{Name: "ChunkColumn", Value: nbt.Entries{{Name: "Sections", Value: list}}},
		{Name: "WorldChunk", Value: nbt.Entries{}},
		{Name: "BlockHealthChunk", Value: nbt.Entries{{Name: "Data", Value: []byte{2, 0, 0, 0, 0, 0, 0, 0, 0}}}},
		{Name: "BlockChunk", Value: nbt.Entries{{Name: "Version", Value: int32(3)}, {Name: "Data", Value: nbt.Entries{}}}},
		{Name: "EntityChunk", Value: nbt.Entries{{Name: "Entities", Value: nbt.Entries{}}}},
	}))
}

// findTops finds the highest block of each column of blocks.
func (e *encoder) findTops() {
	e.tops = [mapCells]int32{}
	for n, cells := range e.c.blocks {
		if cells == nil {
			continue
		}
		for i, cell := range cells {
			if cell != 0 && e.block(cell).name != "" {
				e.tops[i&(mapCells-1)] = int32(n*32 + i>>10)
			}
		}
	}
}

// nameAt returns the name of a block, "" for none.
func (e *encoder) nameAt(i int, y int32) string {
	if y < 0 || y >= maxSections*32 || e.c.blocks[y>>5] == nil {
		return ""
	}
	return e.block(e.c.blocks[y>>5][int(y&31)<<10|i]).name
}

// fill puts the fields back that visit took.
func (e *encoder) fill(dst []byte, path, name string, t nbt.Type, payload []byte) (_ []byte, taken bool, err error) {
	if t != nbt.Compound || isRaw(payload) {
		return dst, false, nil
	}
	number, below := sectionOf(path)
	var append func([]byte, *rest) ([]byte, error)
	kind := byte(bsonBinary)
	switch {
	case number >= maxSections:
		return nil, false, fmt.Errorf("more than %d sections", maxSections)
	case number >= 0 && name == "Data" && below == pathBlocks:
		append = func(dst []byte, o *rest) ([]byte, error) { return e.appendBlocks(dst, number, o) }
	case number >= 0 && name == "Data" && below == pathFluid:
		append = func(dst []byte, o *rest) ([]byte, error) { return e.appendFluid(dst, number, o) }
	case number >= 0 && name == "Data" && below == pathSupport:
		append = func(dst []byte, o *rest) ([]byte, error) { return e.appendSupport(dst, number, o) }
	case name == "Data" && path == pathMaps:
		append = e.appendMaps
	case name == "Data" && path == pathEnv:
		append = func(dst []byte, o *rest) ([]byte, error) {
			return appendEnvironmentData(dst, o.arrays[tagEnvironments], o.arrays[tagColumns])
		}
	case name == "BlockComponents" && path == pathComponents:
		append, kind = e.appendComponents, bsonDocument
	case name == "Entities" && path == pathEntities:
		append, kind = e.appendEntities, bsonArray
	default:
		return dst, false, nil
	}
	o, err := readRest(payload)
	if err != nil {
		return nil, false, fmt.Errorf("%s.%s: %w", path, name, err)
	}
	dst = appendElement(dst, kind, name)
	at := len(dst)
	if kind == bsonBinary {
		dst = appendBinary(dst, nil)
	}
	if dst, err = append(dst, &o); err != nil {
		return nil, false, fmt.Errorf("%s.%s: %w", path, name, err)
	}
	if kind == bsonBinary {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-5))
	}
	return dst, true, nil
}

// load makes the section that appendBlock reads.
func (e *encoder) load(number int) *section {
	s := &e.section
	*s = section{uniform: true}
	if cells := e.c.blocks[number]; cells != nil {
		s.uniform, s.cells = false, *cells
	}
	for i, to := range []**[sectionCells]voxel.Cell{&s.fillers, &s.rotations} {
		if c := e.c.volumes[number][[]string{fillerVolume, rotationVolume}[i]]; c != nil {
			c.Flat(&e.extras[i])
			*to = &e.extras[i]
		}
	}
	return s
}

func (e *encoder) appendBlocks(dst []byte, number int, o *rest) ([]byte, error) {
	s := e.load(number)
	if raw := o.arrays[tagRaw]; raw != nil {
		var b blockData
		if r := cursor.New(raw, "blocks"); b.read(&r) == nil && e.same(&b, s) {
			return append(dst, raw...), nil
		}
		*o = rest{numbers: map[string]int{tagVersion: b.migration}}
	}
	return e.appendBlock(dst, number, s, o)
}

// same reports whether block data has the blocks of a section.
func (e *encoder) same(b *blockData, s *section) bool {
	for k, p := range []*palette{&b.names, &b.fillers, &b.rotations} {
		if p.kind == paletteEmpty {
			e.numbers[k] = [sectionCells]uint16{}
		} else if _, err := p.unpack(&e.numbers[k]); err != nil {
			return false
		}
	}
	for i := range sectionCells {
		c := s.cell
		if !s.uniform {
			c = s.cells[i]
		}
		if (blockKey{b.names.entries[e.numbers[0][i]].key, b.fillers.entries[e.numbers[1][i]].key, b.rotations.entries[e.numbers[2][i]].key}) != e.keyAt(s, i, c) {
			return false
		}
	}
	return true
}

// keyAt returns what the block of a cell is, with the filler and rotation that its name may lack.
func (e *encoder) keyAt(s *section, i int, c voxel.Cell) blockKey {
	k := e.block(c)
	if s.fillers != nil && k.filler == "" {
		k.filler = e.extra(fillerVolume, s.fillers[i], 2)
	}
	if s.rotations != nil && k.rotation == "" {
		k.rotation = e.extra(rotationVolume, s.rotations[i], 1)
	}
	return k
}

// cells returns the cells of a volume beside the blocks, nil if all are empty.
func (e *encoder) cells(number int, volume string) *[sectionCells]voxel.Cell {
	c := e.c.volumes[number][volume]
	if c == nil {
		return nil
	}
	out := new([sectionCells]voxel.Cell)
	c.Flat(out)
	return out
}

func (e *encoder) appendFluid(dst []byte, number int, o *rest) ([]byte, error) {
	from := len(dst)
	cells, levels := e.cells(number, fluidVolume), e.cells(number, levelVolume)
	t := &e.tallies[0]
	t.reset()
	if cells == nil {
		t.all("", &e.numbers[0])
	} else {
		for i, c := range cells {
			e.numbers[0][i] = t.entryOf(uint16(c), e.fluid)
		}
	}
	t.sort(&e.numbers[0])
	dst = appendPalette(dst, t.entries, &e.numbers[0], o.arrays[tagNames], nameKeys)
	dst = e.appendLevels(dst, levels, false, o)
	if raw := o.arrays[tagRaw]; raw != nil && e.sameFluid(raw, dst[from:]) {
		return append(dst[:from], raw...), nil
	}
	return dst, nil
}

// fluid returns the key of a cell of fluids.
func (e *encoder) fluid(c uint16) string {
	if c == 0 {
		return ""
	}
	return e.dim.Volume(fluidVolume).Names.Name(voxel.Cell(c))
}

// sameFluid reports whether two fields have the same fluids.
func (e *encoder) sameFluid(a, b []byte) bool {
	var fluids [2]fluidData
	for i, field := range [][]byte{a, b} {
		f := &fluids[i]
		if r := cursor.New(field, "fluid"); f.read(&r) != nil {
			return false
		}
		if f.palette.kind == paletteEmpty {
			e.numbers[i] = [sectionCells]uint16{}
		} else if _, err := f.palette.unpack(&e.numbers[i]); err != nil {
			return false
		}
	}
	for i := range sectionCells {
		x, y := fluids[0].palette.entries[e.numbers[0][i]].key, fluids[1].palette.entries[e.numbers[1][i]].key
		if cmp.Or(x, format.Air) != cmp.Or(y, format.Air) {
			return false
		}
	}
	x, y := halves(fluids[0].levels, false), halves(fluids[1].levels, false)
	return x == y || x != nil && y != nil && *x == *y
}

// appendLevels appends half bytes behind a byte that says whether there are any.
func (e *encoder) appendLevels(dst []byte, cells *[sectionCells]voxel.Cell, highFirst bool, o *rest) []byte {
	if cells == nil && len(o.arrays[tagLevels]) == 0 {
		return append(dst, 0)
	}
	if cells == nil {
		cells = new([sectionCells]voxel.Cell)
	}
	dst, ok := appendHalves(append(dst, 1), cells, highFirst)
	if !ok {
		e.lost["levels above 15"]++
	}
	return dst
}

func (e *encoder) appendSupport(dst []byte, number int, o *rest) ([]byte, error) {
	return e.appendLevels(dst, e.cells(number, supportVolume), true, o), nil
}

func (e *encoder) appendMaps(dst []byte, o *rest) ([]byte, error) {
	m := chunkMaps{needsPhysics: byte(o.numbers[tagNeedsPhysics])}
	m.heights.list, m.tints.list = o.lists[tagHeights], o.lists[tagTints]
	m.heights.values = e.tops
	for column := range 4 {
		if e.c.mapped[mapHeight]>>column&1 != 0 {
			for i := range 256 {
				at := mapIndex(column, i)
				m.heights.values[at] = e.c.maps[mapHeight][at]
			}
		}
	}
	if e.c.mapped[mapHeight] != 0 && len(o.arrays[tagKept])+len(o.arrays[tagRaw]) == 0 {
		correct(&m.heights.values, &e.tops, e.nameAt)
	}
	if tints := e.c.maps[mapTint]; tints != nil {
		m.tints.values = *tints
	}
	if c := e.c.volumes[0][tintVolume]; c != nil {
		for i := range m.tints.values {
			m.tints.values[i] = tintOf(e.dim.Volume(tintVolume).Names.Name(c.Cell(i&31, 0, i>>5)))
		}
	}
	raw := o.arrays[tagRaw]
	r, old := cursor.New(raw, "maps"), chunkMaps{}
	if raw != nil && old.read(&r) == nil && old.heights.values == m.heights.values && old.tints.values == m.tints.values {
		return append(dst, raw...), nil
	}
	return m.append(dst)
}

func (e *encoder) appendComponents(dst []byte, o *rest) ([]byte, error) {
	if raw := o.arrays[tagRaw]; raw != nil {
		return append(dst, raw...), nil
	}
	payloads := map[int32][]byte{}
	for _, objects := range e.c.objects[voxel.BlockEntities] {
		for _, ob := range objects {
			key := int32(ob.At.Y)<<10 | int32(ob.At.Z&31)<<5 | int32(ob.At.X&31)
			if ob.Place == voxel.Nowhere || ob.At.Y < 0 || ob.At.Y >= maxSections*32 || payloads[key] != nil {
				e.lost["components of no block, or of a block that has some"]++
				continue
			}
			payloads[key] = ob.Payload
		}
	}
	var keys []int32
	for key := range payloads {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if sorted := slices.Sorted(slices.Values(o.lists[tagOrder])); slices.Equal(sorted, keys) {
		keys = o.lists[tagOrder]
	}
	dst, at := beginDocument(dst)
	for _, key := range keys {
		var err error
		if dst, err = appendObject(appendElement(dst, bsonDocument, strconv.Itoa(int(key))), payloads[key]); err != nil {
			return nil, err
		}
	}
	return endDocument(dst, at), nil
}

// appendObject appends the document of an object's payload.
func appendObject(dst, payload []byte) ([]byte, error) {
	r := nbt.NewPayload(payload, nbt.Limits{Depth: maxDepth + 4})
	dst, err := appendBSON(dst, &r, "", nil)
	if err == nil && r.Rest() != 0 {
		err = errNotOurs
	}
	return dst, err
}

func (e *encoder) appendEntities(dst []byte, o *rest) ([]byte, error) {
	if raw := o.arrays[tagRaw]; raw != nil {
		return append(dst, raw...), nil
	}
	lists := e.c.objects[voxel.Entities]
	var order, counts []byte
	for i, l := range lists {
		for range l {
			order = append(order, byte(i))
		}
	}
	if counts = slices.Sorted(slices.Values(o.arrays[tagOrder])); slices.Equal(counts, order) {
		order = o.arrays[tagOrder]
	}
	dst, at := beginDocument(dst)
	for n, column := range order {
		ob := lists[column][0]
		lists[column] = lists[column][1:]
		var err error
		if dst, err = appendObject(appendElement(dst, bsonDocument, strconv.Itoa(n)), ob.Payload); err != nil {
			return nil, err
		}
	}
	return endDocument(dst, at), nil
}
