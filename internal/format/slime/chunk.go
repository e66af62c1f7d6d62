package slime

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// chunk is a column as the file holds it, in slices of the decoded blob. Arrays and NBT
// documents that the file does not have are nil or empty.
type chunk struct {
	pos        geom.ColumnPos
	heights    []byte // 256 ints, or an NBT document
	biomes     []byte // 256 bytes, or ints
	sections   []section
	poi        []byte
	blockTicks []byte
	fluidTicks []byte
	unknown    int // payloads of unknown flags
	tiles      []byte
	entities   []byte
	extra      []byte
}

// section is a section as the file holds it.
type section struct {
	y          int
	light, sky []byte
	ids, data  []byte // numeric
	palette    []byte // entries, each a length and an NBT document; 1.13 to 1.17
	entries    int
	longs      []byte
	states     []byte // NBT documents; 1.18 and up
	biomes     []byte
	hypixel    []byte
}

// readChunk reads the chunk at c into k, reusing its sections. Before version
// 10 the caller knows its position.
func (l layout) readChunk(c *reader, k *chunk) error {
	*k = chunk{pos: k.pos, sections: k.sections[:0]}
	if l.hasCoords() {
		k.pos = geom.ColumnPos{X: int32(c.i32()), Z: int32(c.i32())}
		l.readNewChunk(c, k)
	} else {
		l.readOldChunk(c, k)
	}
	if c.Err() != nil {
		return fmt.Errorf("chunk %v: %w", k.pos, c.Err())
	}
	if k.pos.Check() != nil {
		return fmt.Errorf("chunk %v: %w", k.pos, geom.ErrOutOfRange)
	}
	return nil
}

// readOldChunk reads a chunk of versions 1 to 9.
func (l layout) readOldChunk(c *reader, k *chunk) {
	if l.world < worldNames {
		k.heights = c.Bytes(4 * block.MapCells)
		if l.version == 8 {
			c.Bytes(4) // the length of biomes, written for numeric worlds by mistake
		}
		k.biomes = c.Bytes(block.MapCells)
	} else {
		k.heights = c.block()
		switch {
		case l.world >= worldContainers:
		case l.version >= 8:
			k.biomes = c.Bytes(4 * c.count(4))
		default:
			k.biomes = c.Bytes(4 * block.MapCells)
		}
	}
	if l.world >= worldContainers {
		l.readRange(c, k)
		return
	}
	if mask := c.Bytes(2); mask != nil {
		for y := range 16 {
			if mask[y/8]>>(y%8)&1 != 0 {
				l.readSection(c, k, y)
			}
		}
	}
}

// readRange reads the sections of world version 8.
func (l layout) readRange(c *reader, k *chunk) {
	low, high := c.i32(), c.i32()
	for n := c.count(4); n > 0 && c.Err() == nil; n-- {
		i := c.i32()
		if i < 0 || i >= high-low {
			c.Fail(fmt.Errorf("section %d of heights %d to %d", i, low, high))
		}
		l.readSection(c, k, low+i)
	}
}

// readNewChunk reads a chunk of versions 10 to 13 behind its position.
func (l layout) readNewChunk(c *reader, k *chunk) {
	if l.version == 10 {
		k.heights = c.block()
	}
	for i, n := 0, c.count(2); i < n && c.Err() == nil; i++ {
		l.readSection(c, k, l.env.min+i)
	}
	if l.version > 10 {
		k.heights = c.block()
	}
	if l.flags&flagPOI != 0 {
		k.poi = c.block()
	}
	if l.flags&flagBlockTicks != 0 {
		k.blockTicks = c.block()
	}
	if l.flags&flagFluidTicks != 0 {
		k.fluidTicks = c.block()
	}
	for range bits.OnesCount8(l.flags &^ flagsKnown) {
		if len(c.block()) > 0 {
			k.unknown++
		}
	}
	switch {
	case l.version == 11:
		k.tiles, k.entities = c.frame(), c.frame()
	case l.version >= 12:
		k.tiles, k.entities, k.extra = c.block(), c.block(), c.block()
	}
}

// frame returns a blob with both its lengths.
func (c *reader) frame() []byte {
	start := c.Offset()
	stored := c.i32()
	c.i32()
	c.Bytes(stored)
	if c.Err() != nil {
		return nil
	}
	return c.Since(start)
}

// readSection appends the section at c to k.
func (l layout) readSection(c *reader, k *chunk, y int) {
	s := section{y: y}
	if int(int8(y)) != y || k.has(y) {
		c.Fail(fmt.Errorf("section at height %d: it comes twice or is too high", y))
	}
	l.readLight(c, &s)
	switch {
	case l.world < worldNames:
		s.ids, s.data = c.Bytes(block.SectionCells), c.Bytes(block.SectionCells/2)
	case l.world < worldContainers:
		l.readPalette(c, &s)
	default:
		s.states, s.biomes = c.block(), c.block()
	}
	if !l.hasCoords() {
		s.sky = l.lightArray(c)
	}
	if l.version < 4 {
		s.hypixel = c.Bytes(int(c.Big16()))
	}
	if c.Err() == nil {
		k.sections = append(k.sections, s)
	}
}

// readLight reads the arrays of light in front of the blocks: from version 10
// on both.
func (l layout) readLight(c *reader, s *section) {
	if l.version >= 13 {
		flags := c.Byte()
		s.light, s.sky = c.optional(flags&1 != 0, block.LightBytes), c.optional(flags&2 != 0, block.LightBytes)
		return
	}
	s.light = l.lightArray(c)
	if l.hasCoords() {
		s.sky = l.lightArray(c)
	}
}

// lightArray reads an array of light and, where it may be missing, whether it
// is there.
func (l layout) lightArray(c *reader) []byte {
	return c.optional(!l.hasLightFlags() || c.Byte() != 0, block.LightBytes)
}

// has reports whether k has a section at height y.
func (k *chunk) has(y int) bool {
	return slices.ContainsFunc(k.sections, func(s section) bool { return s.y == y })
}

func (l layout) readPalette(c *reader, s *section) {
	s.entries = c.count(4)
	start := c.Offset()
	for n := s.entries; n > 0 && c.Err() == nil; n-- {
		c.block()
	}
	if c.Err() == nil {
		s.palette = c.Since(start)
	}
	s.longs = c.Bytes(8 * c.count(8))
}
