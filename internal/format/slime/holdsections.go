package slime

import (
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
)

// marks are of what is kept as tags alone. The tags are counted as lost.
const marks = voxel.KeptBlock | voxel.KeptBiome

// holdSections keeps the sections and arrays that the file holds, lowest section first. It
// keeps none if the column is dropped.
func (h *holder) holdSections(c *format.Column) {
	bySection := map[int8]int{}
	blocks := false
	for i, s := range c.Sections {
		if h.keeps(s, c.Cells[i], bySection) {
			bySection[s.Y] = i
			blocks = blocks || !isAir(c.Cells[i].Block)
		}
	}
	sections, cells := c.Sections, c.Cells
	c.Sections, c.Cells = nil, nil
	if !blocks && !h.whole && !(h.version >= 11 && hasObjects(c)) {
		return
	}
	for _, y := range h.heights(bySection) {
		s, a := voxel.Section{}, format.Cells{}
		if i, ok := bySection[y]; ok {
			s, a = sections[i], cells[i]
		}
		s.Y = y
		s.Has &^= marks
		s.Tags = h.holdTags(s)
		h.holdLight(c.Stale, &s, &a)
		h.holdArrays(&s, &a)
		c.Sections, c.Cells = append(c.Sections, s), append(c.Cells, a)
	}
}

// hasObjects reports whether c has entities or block entities.
func hasObjects(c *format.Column) bool {
	return slices.ContainsFunc(c.Lists, func(l voxel.List) bool {
		return len(l.Objects) > 0 && (l.Name == voxel.Entities || l.Name == voxel.BlockEntities)
	})
}

// keeps reports whether the file can hold a section. It counts what is lost if not.
func (h *holder) keeps(s voxel.Section, a format.Cells, seen map[int8]int) bool {
	s.Has &^= marks
	low, high := 0, 16
	switch {
	case h.whole:
		low, high = -128, 128
	case h.hasCoords():
		low, high = h.env.min, h.env.max
	case h.world >= worldContainers:
		low, high = -128, 128
	}
	_, twice := seen[s.Y]
	switch {
	case twice:
		h.lost.add("sections that are there twice", 1)
	case int(s.Y) < low || int(s.Y) >= high:
		if s.Has != 0 {
			h.lost.add("sections out of height", 1)
		}
	case h.whole, h.world >= worldContainers && s.Has&(voxel.HasBlock|voxel.HasBiome) != 0:
		return true
	case s.Has&voxel.HasBlock == 0 || isAir(a.Block):
		if s.Has&^voxel.HasBlock != 0 {
			h.lost.add("light of sections without blocks", 1)
		}
	default:
		return true
	}
	h.dropTags(s)
	return false
}

// heights returns the heights of the sections in the file, ascending.
func (h *holder) heights(have map[int8]int) []int8 {
	var out []int8
	for y := -128; y < 128; y++ {
		_, ok := have[int8(y)]
		if ok || h.hasCoords() && y >= h.env.min && y < h.env.max {
			out = append(out, int8(y))
		}
	}
	return out
}

// holdLight drops stale light if a section may go without light. The server then computes it.
func (h *holder) holdLight(stale voxel.Has, s *voxel.Section, a *format.Cells) {
	stale &= s.Has & (voxel.HasSky | voxel.HasLight)
	switch {
	case stale == 0:
		return
	case !h.hasLightFlags():
		h.lost.add("sections with stale light", 1)
		return
	}
	h.lost.add("stale light of sections", 1)
	s.Has &^= stale
	if stale&voxel.HasSky != 0 {
		a.Sky = nil
	}
	if stale&voxel.HasLight != 0 {
		a.Light = nil
	}
}

// holdArrays drops arrays that a section of the file cannot have, and adds arrays that it must
// have.
func (h *holder) holdArrays(s *voxel.Section, a *format.Cells) {
	if s.Has&voxel.HasBlock == 0 {
		a.Block = []voxel.Cell{voxel.Empty}
	}
	switch {
	case h.world < worldContainers:
		if s.Has&voxel.HasBiome != 0 {
			h.lost.add("biomes of sections", 1)
		}
		a.Biome = nil
		s.Has &^= voxel.HasBiome
	case s.Has&voxel.HasBiome == 0:
		a.Biome = []voxel.Cell{h.biome}
		s.Has |= voxel.HasBiome
	}
	s.Has |= voxel.HasBlock
	if h.hasLightFlags() {
		return
	}
	if s.Has&voxel.HasSky == 0 {
		a.Sky = h.day
	}
	if s.Has&voxel.HasLight == 0 {
		a.Light = h.dark
	}
	s.Has |= voxel.HasSky | voxel.HasLight
}

// holdMaps keeps the maps and biomes that the file holds, biomes last.
func (h *holder) holdMaps(c *format.Column) {
	maps := c.Maps
	c.Maps = nil
	if h.world < worldNames {
		c.Maps = []voxel.Map{
			pickMap(maps, mapHeight, voxel.MapInts, 0),
			pickMap(maps, mapBiomes, voxel.MapBytes, 0xFF), // the game's value for "not known yet"
		}
		h.dropBiomes(c)
	} else {
		for i := range maps {
			if m := &maps[i]; block.IsPacked(m) && !hasMap(c.Maps, m.Name) && block.CheckMap(m) == nil {
				c.Maps = append(c.Maps, *m)
			}
		}
		if h.world >= worldContainers {
			h.dropBiomes(c)
		} else if h.version < 8 {
			h.dropBiomes(c)
			c.Maps = append(c.Maps, pickMap(maps, mapBiomes, voxel.MapInts, plains))
		} else if i := findMap(maps, mapBiomes, voxel.MapInts); i >= 0 && c.Biomes == nil {
			c.Maps = append(c.Maps, maps[i])
		}
	}
	for _, m := range maps {
		if findMap(c.Maps, m.Name, m.Form) < 0 {
			h.lost.add("map "+m.Name, 1)
		}
	}
}

// plains is the number of the biome of a column without biomes, where it must have some.
const plains = 1

func (h *holder) dropBiomes(c *format.Column) {
	if c.Biomes != nil {
		h.lost.add("biomes in three dimensions", 1)
		c.Biomes = nil
	}
}

// findMap returns the index of the first valid map of that name and form, or -1.
func findMap(maps []voxel.Map, name string, form uint8) int {
	return slices.IndexFunc(maps, func(m voxel.Map) bool {
		return m.Name == name && m.Form == form && block.CheckMap(&m) == nil
	})
}

// pickMap returns the map of that name and form, or a map filled with other.
func pickMap(maps []voxel.Map, name string, form uint8, other int32) voxel.Map {
	if i := findMap(maps, name, form); i >= 0 {
		return maps[i]
	}
	m := voxel.Map{Name: name, Form: form}
	for i := range m.Values {
		m.Values[i] = other
	}
	return m
}
