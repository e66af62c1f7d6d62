package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Tags of the keys of a chunk that the package decodes.
const (
	tag3D            = 0x2b
	tag2D            = 0x2d
	tagSubChunk      = 0x2f
	tagTerrain       = 0x30 // of Pocket Edition before 1.0
	tagBlockEntities = 0x31
	tagEntities      = 0x32
	tagDigest        = 0xff // ours, for the list of a chunk's entities, which has another kind of key
)

// Sizes of values.
const (
	heightBytes   = 512
	terrainHeight = 128
	terrainCells  = 16 * 16 * terrainHeight
	terrainBytes  = terrainCells * 5 / 2
)

// columns decodes the chunks of a dimension.
type columns struct {
	db     *database
	dim    int32
	blocks [2]blocks // of the two layers
	biomes [2]*format.Names
	fine   []voxel.Cell                                       // of the second by that of the first; 0 is not known yet
	extra  [2]map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell // chunks of layerVolume and fineVolume, until they are passed on
	taken  map[uint64]bool                                    // entities that a list named
	lost   map[string]int
}

func newColumns(db *database, number int32, d *format.Dimension) *columns {
	c := &columns{db: db, dim: number, biomes: [2]*format.Names{d.Volume(voxel.Biome).Names, d.Volume(fineVolume).Names}}
	for i, name := range []string{voxel.Block, layerVolume} {
		names := d.Volume(name).Names
		c.blocks[i] = blocks{names, block.NewPalette(names)}
	}
	c.forget()
	return c
}

func (cs *columns) forget() {
	for i := range cs.extra {
		cs.extra[i] = map[geom.ChunkPos]*[voxel.ChunkCells]voxel.Cell{}
	}
}

// column is a column that is decoded.
type column struct {
	*columns
	format.Column
	rest     []byte // of partRest, without its head and end
	versions []int32
}

// decode decodes a chunk's keys.
func (cs *columns) decode(pos geom.ColumnPos, keys []entry) (*format.Column, error) {
	c := &column{columns: cs}
	c.Pos = pos
	for _, e := range keys {
		k, _ := parseKey(e.key)
		kept, err := c.take(k, e.value)
		if err != nil {
			return nil, err
		}
		c.rest = appendKey(c.rest, k, kept)
	}
	if len(c.versions) > 1 {
		c.lost["which version of names each state has, in chunks with several"]++
	}
	if len(c.versions) > 0 {
		slices.Sort(c.versions)
		c.rest = nbt.AppendIntArray(c.rest, "versions", c.versions)
	}
	c.Parts = []voxel.Part{{Name: partRest, Data: document(c.rest)}}
	return &c.Column, nil
}

func document(entries []byte) []byte {
	return nbt.AppendEnd(append(nbt.AppendCompound(nil, ""), entries...))
}

// appendKey appends a value under the name of its key's tag, unless it is nil.
func appendKey(dst []byte, k chunkKey, value []byte) []byte {
	name := fmt.Sprintf("%02x", k.tag)
	switch {
	case value == nil:
		return dst
	case k.tag == tagSubChunk:
		name += fmt.Sprintf("/%d", k.y)
	case k.tag == tagDigest:
		name = digestPrefix
	}
	return nbt.AppendByteArray(dst, name, value)
}

// take decodes a value and returns what is kept of it as it is stored.
func (c *column) take(k chunkKey, value []byte) (kept []byte, err error) {
	switch k.tag {
	case tagSubChunk:
		s, err := decodeSection(value, k.y, c.blocks)
		if err != nil {
			return nil, err
		}
		if len(s.layers) <= 2 {
			value = nil
		}
		return value, c.addSection(k.y, s)
	case tagTerrain:
		return c.terrain(value)
	case tag2D:
		return c.flat(value)
	case tag3D:
		return nil, c.deep(value)
	case tagBlockEntities:
		return nil, c.objects(voxel.BlockEntities, value, moved)
	case tagEntities:
		return nil, c.objects(voxel.Entities, value, indexed)
	case tagDigest:
		return value, c.digest(value)
	default:
		return value, nil
	}
}

// section returns the section at a height.
func (c *column) section(y int8) (*voxel.Section, *format.Cells) {
	i := slices.IndexFunc(c.Sections, func(s voxel.Section) bool { return s.Y == y })
	if i < 0 {
		i = len(c.Sections)
		c.Sections, c.Cells = append(c.Sections, voxel.Section{Y: y}), append(c.Cells, format.Cells{})
	}
	return &c.Sections[i], &c.Cells[i]
}

// addSection takes the cells of a sub-chunk.
func (c *column) addSection(y int8, s section) error {
	to, cells := c.section(y)
	if len(s.layers) > 0 {
		to.Has, cells.Block = to.Has|voxel.HasBlock, s.layers[0]
	}
	if s.sky != nil {
		to.Has, cells.Sky = to.Has|voxel.HasSky, s.sky
	}
	if s.light != nil {
		to.Has, cells.Light = to.Has|voxel.HasLight, s.light
	}
	if len(s.layers) > 1 && (len(s.layers[1]) > 1 || s.layers[1][0] != 0) {
		if err := c.put(0, y, s.layers[1]); err != nil {
			return err
		}
	}
	for _, v := range s.versions {
		if !slices.Contains(c.versions, v) {
			c.versions = append(c.versions, v)
		}
	}
	for _, cells := range s.layers {
		if err := c.db.spend(int64(min(len(cells)-1, 1) * cellsCost)); err != nil {
			return err
		}
	}
	return nil
}

// put puts the cells of a section into chunks of one of the volumes that have no columns.
func (c *column) put(volume int, y int8, cells []voxel.Cell) error {
	pos := geom.ChunkPos{X: c.Pos.X >> 1, Y: int32(y) >> 1, Z: c.Pos.Z >> 1}
	chunk := c.extra[volume][pos]
	if chunk == nil {
		chunk = new([voxel.ChunkCells]voxel.Cell)
		c.extra[volume][pos] = chunk
	}
	if len(cells) == 1 {
		cells = slices.Repeat(cells, sectionCells)
	}
	x0, y0, z0 := int(c.Pos.X&1)*16, int(y&1)*16, int(c.Pos.Z&1)*16
	for i := 0; i < sectionCells; i += 16 {
		copy(chunk[((y0+i>>8)*32+z0+i>>4&15)*32+x0:], cells[i:i+16])
	}
	return c.db.spend(cellsCost)
}

// pass hands over the chunks of a footprint, of which no column is to come.
func (cs *columns) pass(to format.Sink) error {
	for i, name := range []string{layerVolume, fineVolume} {
		chunks := cs.extra[i]
		for _, pos := range slices.SortedFunc(maps.Keys(chunks), func(a, b geom.ChunkPos) int { return int(a.Y - b.Y) }) {
			if err := to.Chunk(name, pos, voxel.FromFlat(chunks[pos])); err != nil {
				return err
			}
		}
	}
	cs.forget()
	return nil
}

// terrain takes the blocks of a chunk of Pocket Edition: ids, data and lights of all heights, and then a height map and colours,
// which are kept.
func (c *column) terrain(value []byte) ([]byte, error) {
	if len(value) < terrainBytes {
		return nil, corrupt(len(value), "terrain", cursor.ErrShort)
	}
	data, sky, light := value[terrainCells:], value[terrainCells*3/2:], value[terrainCells*2:]
	for y := range terrainHeight / 16 {
		p := cursor.New(slices.Concat(slab(value, y, 16), slab(data, y, 8), slab(sky, y, 8), slab(light, y, 8)), "terrain")
		var s section
		if s.numeric(&p, c.blocks[0]); p.Err() != nil {
			return nil, p.Err()
		}
		if err := c.addSection(int8(y), s); err != nil {
			return nil, err
		}
	}
	return value[terrainBytes:], nil
}

// slab returns the bytes of a section, of which 16 cells above each other take size bytes.
func slab(b []byte, y, size int) (out []byte) {
	for i := range 16 * 16 {
		at := i*size*terrainHeight/16 + y*size
		out = append(out, b[at:at+size]...)
	}
	return out
}

// heights takes the height map before biomes.
func (c *column) heights(p *cursor.Cursor) {
	m := voxel.Map{Name: mapHeight, Form: voxel.MapInts}
	if b := p.Bytes(heightBytes); b != nil {
		for i := range m.Values {
			m.Values[i] = int32(int16(binary.LittleEndian.Uint16(b[2*i:])))
		}
	}
	c.Maps = append(c.Maps, m)
}

// flat takes a biome for each block column. What follows is kept.
func (c *column) flat(value []byte) ([]byte, error) {
	p := cursor.New(value, "2D data")
	c.heights(&p)
	m := voxel.Map{Name: mapBiomes, Form: voxel.MapBytes}
	for i, id := range p.Bytes(256) {
		m.Values[i] = int32(id)
	}
	c.Maps = append(c.Maps, m)
	if p.Left() > 0 {
		return p.Bytes(p.Left()), nil
	}
	return nil, p.Err()
}

// deep takes the biomes of each section from the lowest up.
func (c *column) deep(value []byte) error {
	p := cursor.New(value, "3D data")
	c.heights(&p)
	y := 0
	if c.dim == 0 {
		y = -4
	}
	var coarse, fine []voxel.Cell
	for ; p.Left() > 0; y++ {
		if bits := p.Byte() >> 1; bits != sameBefore {
			cells := storage(&p, bits, func() (voxel.Cell, error) { return c.biomes[0].Cell(biomeName(int32(p.Uint32()))) })
			if p.Err() != nil {
				return p.Err()
			}
			var err error
			if coarse, fine, err = c.coarse(cells); err != nil {
				p.Fail(err)
			}
		}
		if y > math.MaxInt8 || coarse == nil {
			p.Fail(errors.New("more sections than a world has, or the lowest is as the one below"))
		}
		if p.Err() != nil {
			return p.Err()
		}
		to, of := c.section(int8(y))
		to.Has, of.Biome = to.Has|voxel.HasBiome, coarse
		if fine != nil {
			if err := c.put(1, int8(y), fine); err != nil {
				return err
			}
		}
	}
	return p.Err()
}

// coarse returns one biome for 4x4x4 blocks, and also all, by their names in fineVolume, where these differ.
func (c *column) coarse(cells []voxel.Cell) (coarse, fine []voxel.Cell, err error) {
	if len(cells) == 1 {
		return cells, nil, nil
	}
	coarse = make([]voxel.Cell, 64)
	corner := func(i int) int { return i>>10<<4 | i>>6&3<<2 | i>>2&3 } // of the 4x4x4 blocks around the i-th cell
	for i, cell := range cells {
		if i&0x333 == 0 {
			coarse[corner(i)] = cell
		}
	}
	differ := false
	for i, cell := range cells {
		differ = differ || cell != coarse[corner(i)]
	}
	if !differ {
		return coarse, nil, nil
	}
	c.fine = append(c.fine, make([]voxel.Cell, max(0, int(slices.Max(cells))+1-len(c.fine)))...)
	fine = make([]voxel.Cell, len(cells))
	for i, cell := range cells {
		if c.fine[cell] == 0 {
			if c.fine[cell], err = c.biomes[1].Cell(c.biomes[0].Name(cell)); err != nil {
				return nil, nil, err
			}
		}
		fine[i] = c.fine[cell]
	}
	return coarse, fine, nil
}

// biomeName returns the name of a biome with a number. The numbers are not all those of Java.
func biomeName(id int32) string { return "bedrock:" + strconv.Itoa(int(id)) }
