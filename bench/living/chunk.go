package living

import (
	"math/bits"
	"slices"
	"strings"
)

// chunk is a column's chunk, in the layout of 1.16 or in that of 1.18 and later.
type chunk struct {
	name     string
	root, c  *value
	old      bool
	sections map[int]*value
	cells    map[int]*cells
	lowest   int // section
}

// cells are the blocks of a section.
type cells struct {
	palette []*value
	index   []int
	at      map[string]int // in the palette, by tags
	changed bool
}

func newChunk(doc []byte) (*chunk, error) {
	name, root, err := parse(doc)
	if err != nil {
		return nil, err
	}
	c := &chunk{name: name, root: root, c: root, sections: map[int]*value{}, cells: map[int]*cells{}}
	all := root.get("sections")
	if level := root.get("Level"); level != nil {
		c.old, c.c, all = true, level, level.get("Sections")
	}
	if all != nil {
		for _, s := range all.items {
			y := int(s.get("Y").int())
			c.sections[y] = s
			if !c.old {
				c.lowest = min(c.lowest, y)
			}
		}
	}
	return c, nil
}

// whole reports whether a chunk is complete: only such get blocks.
func (c *chunk) whole() bool {
	s := c.c.get("Status")
	return s == nil || strings.TrimPrefix(string(s.bytes), "minecraft:") == "full"
}

func (c *chunk) blockEntities() *value {
	if c.old {
		return c.c.get("TileEntities")
	}
	return c.c.get("block_entities")
}

func width(n, least int) int { return max(least, bits.Len(uint(n-1))) }

func unpack(from []uint64, n, width int) []int {
	out := make([]int, 0, n+64)
	for _, v := range from {
		for range 64 / width {
			out = append(out, int(v&(1<<width-1)))
			v >>= width
		}
	}
	return out[:n]
}

func pack(all []int, width int) (out []uint64) {
	for part := range slices.Chunk(all, 64/width) {
		var v uint64
		for i, n := range part {
			v |= uint64(n) << (width * i)
		}
		out = append(out, v)
	}
	return out
}

func keyOf(v *value) string { return string(v.append(nil, true)) }

// load returns the blocks of a section, nil if it has none.
func (c *chunk) load(y int) *cells {
	if got, ok := c.cells[y]; ok {
		return got
	}
	s := c.sections[y]
	if s == nil {
		return nil
	}
	palette, data := s.get("Palette"), s.get("BlockStates")
	if !c.old {
		states := s.get("block_states")
		palette, data = states.get("palette"), states.get("data")
	}
	if palette == nil {
		return nil
	}
	got := &cells{palette: slices.Clone(palette.items), index: make([]int, 4096), at: map[string]int{}}
	if data != nil {
		got.index = unpack(data.longs(), 4096, width(len(got.palette), 4))
	}
	for i, p := range got.palette {
		got.at[keyOf(p)] = i
	}
	c.cells[y] = got
	return got
}

func cellOf(x, y, z int) int { return y&15<<8 | z<<4 | x }

func (c *chunk) get(x, y, z int) string {
	if s := c.load(y >> 4); s != nil {
		return strings.TrimPrefix(string(s.palette[s.index[cellOf(x, y, z)]].get("Name").bytes), "minecraft:")
	}
	return "air"
}

func (c *chunk) set(x, y, z int, to *value) bool {
	s := c.load(y >> 4)
	if s == nil {
		return false
	}
	key := keyOf(to)
	i, ok := s.at[key]
	if !ok {
		i = len(s.palette)
		s.palette, s.at[key] = append(s.palette, to), i
	}
	s.index[cellOf(x, y, z)], s.changed = i, true
	return true
}

// top returns the height of the highest block of a column.
func (c *chunk) top(x, z int) (int, bool) {
	for y := 19; y >= c.lowest; y-- {
		if c.load(y) == nil {
			continue
		}
		for at := 15; at >= 0; at-- {
			if !strings.HasSuffix(c.get(x, y<<4|at, z), "air") {
				return y<<4 | at, true
			}
		}
	}
	return 0, false
}

// light sets the light of a cell, or raises it.
func (c *chunk) light(kind string, x, y, z int, level byte, raise bool) {
	s := c.sections[y>>4]
	if s == nil || s.get(kind) == nil {
		return
	}
	a := s.get(kind)
	i := cellOf(x, y, z)
	shift := i & 1 * 4
	if raise && a.bytes[i>>1]>>shift&15 >= level {
		return
	}
	a.bytes = slices.Clone(a.bytes)
	a.bytes[i>>1] = a.bytes[i>>1]&^(15<<shift) | level<<shift
}

// heights sets the height maps of columns.
func (c *chunk) heights(at map[[2]int]bool) {
	maps := c.c.get("Heightmaps")
	if maps == nil {
		return
	}
	for p := range at {
		top, some := c.top(p[0], p[1])
		height := 0
		if some {
			height = top + 1 - c.lowest*16
		}
		for _, m := range maps.tags {
			if len(m.bytes) != 37*8 || m.name == "OCEAN_FLOOR" && some && c.get(p[0], top, p[1]) == "water" {
				continue
			}
			all := unpack(m.longs(), 256, 9)
			all[p[1]<<4|p[0]] = height
			m.bytes = longs(pack(all, 9)).bytes
		}
	}
}

// done returns the chunk's document. A palette is in the order of first use, as the game writes it.
func (c *chunk) done() []byte {
	for y, s := range c.cells {
		if !s.changed {
			continue
		}
		order, palette := map[int]int{}, []*value{}
		use := func(i int) int {
			n, ok := order[i]
			if !ok {
				n = len(palette)
				order[i], palette = n, append(palette, s.palette[i])
			}
			return n
		}
		if i, ok := s.at[keyOf(block("air"))]; ok && c.old {
			use(i)
		}
		index := make([]int, len(s.index))
		for i, v := range s.index {
			index[i] = use(v)
		}
		data := longs(pack(index, width(len(palette), 4)))
		section := c.sections[y]
		if c.old {
			section.set("Palette", list(tCompound, palette...))
			section.set("BlockStates", data)
			continue
		}
		states := section.get("block_states")
		states.set("palette", list(tCompound, palette...))
		if states.remove("data"); len(palette) > 1 {
			states.set("data", data)
		}
	}
	return document(c.name, c.root)
}

// block returns the tags of a block with its properties: names and values by turns.
func block(name string, properties ...string) *value {
	v := compound(named{"Name", text("minecraft:" + name)})
	if len(properties) > 0 {
		p := compound()
		for i := 0; i < len(properties); i += 2 {
			p.set(properties[i], text(properties[i+1]))
		}
		v.set("Properties", p)
	}
	return v
}
