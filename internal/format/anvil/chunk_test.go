package anvil_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// chunk returns a chunk's document: of a version below 2844 with its tags in
// Level.
func chunk(version int32, tags ...any) []byte {
	tags = append(tags, "xPos", int32(0), "zPos", int32(0))
	switch {
	case version == 0:
		return document(compound("Level", compound(tags...)))
	case version < 2844:
		return document(compound("Level", compound(tags...), "DataVersion", version))
	}
	return document(compound(append(tags, "DataVersion", version)...))
}

func sections(list ...nbt.Value) nbt.Items { return nbt.Items{Elem: nbt.Compound, Values: list} }

// fill returns n bytes of a pattern.
func fill(n, step int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * step >> 3)
	}
	return b
}

func state(name string, props ...any) entries {
	if len(props) == 0 {
		return compound("Name", name)
	}
	return compound("Name", name, "Properties", compound(props...))
}

// many returns n pairs of a name and a value.
func many(n int) []any {
	var out []any
	for i := range n {
		out = append(out, "t"+strconv.Itoa(i), int8(i))
	}
	return out
}

// pack packs indexes in the plainest way.
func pack(indexes []int, size int, straddle bool) []int64 {
	n := (len(indexes) + 64/size - 1) / (64 / size)
	if straddle {
		n = (len(indexes)*size + 63) / 64
	}
	longs := make([]uint64, n)
	for i, v := range indexes {
		for b := range size {
			long, bit := i/(64/size), i%(64/size)*size+b
			if straddle {
				long, bit = (i*size+b)/64, (i*size+b)%64
			}
			longs[long] |= uint64(v) >> b & 1 << bit
		}
	}
	out := make([]int64, n)
	for i, v := range longs {
		out[i] = int64(v)
	}
	return out
}

// counting returns n indexes below m.
func counting(n, m int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i % m // in the order of first appearance, as palettes are written
	}
	return out
}

func palette(n int) nbt.Items {
	p := nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{state("minecraft:air")}}
	for i := 1; i < n; i++ {
		p.Values = append(p.Values, state("minecraft:stone", "age", string(rune('a'+i))))
	}
	return p
}

func paletteSection(y int8, n, size int, straddle bool, more ...any) entries {
	return compound(append(more, "Y", y, "Palette", palette(n), "BlockStates", pack(counting(4096, n), size, straddle))...)
}

func states(n, size int) entries {
	if n == 1 {
		return compound("palette", palette(1))
	}
	return compound("palette", palette(n), "data", pack(counting(4096, n), size, false))
}

// TestChunk gives chunks of every form, and of many odd ones, to a Writer: each
// comes back tag for tag. layout and has say whether it was understood.
func TestChunk(t *testing.T) {
	numeric := func(more ...any) entries {
		return compound(append(more, "Y", int8(0), "Blocks", fill(4096, 1), "Data", fill(2048, 3))...)
	}
	const both = voxel.HasBlock | voxel.HasBiome
	none := []voxel.Has{}
	for _, tt := range []struct {
		name   string
		doc    []byte
		layout uint16
		has    []voxel.Has
	}{
		{"numeric", chunk(0, "Sections", sections(numeric("SkyLight", fill(2048, 5), "BlockLight", fill(2048, 7)))), 0, []voxel.Has{voxel.HasBlock | voxel.HasSky | voxel.HasLight}},
		{"with ids above 255", chunk(1343, "Sections", sections(numeric("Add", fill(2048, 11)))), 0, []voxel.Has{voxel.HasBlock}},
		{"with ids above 255, none", chunk(1343, "Sections", sections(numeric("Add", make([]byte, 2048)))), 0, []voxel.Has{voxel.HasBlock}},
		{"Add of an odd length", chunk(1343, "Sections", sections(numeric("Add", make([]byte, 2047)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"Blocks without Data", chunk(1343, "Sections", sections(compound("Y", int8(0), "Blocks", fill(4096, 1)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"Blocks of an odd length", chunk(1343, "Sections", sections(compound("Y", int8(0), "Blocks", fill(4095, 1), "Data", fill(2048, 1)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"light of an odd length", chunk(1343, "Sections", sections(numeric("SkyLight", fill(2047, 5), "BlockLight", []byte{}))), 0, []voxel.Has{voxel.HasBlock}},
		{"palette", chunk(1976, "Sections", sections(paletteSection(3, 16, 4, true), paletteSection(2, 17, 5, true, "SkyLight", fill(2048, 1)))), 0, []voxel.Has{voxel.HasBlock, voxel.HasBlock | voxel.HasSky}},
		{"palette, padded", chunk(2586, "Sections", sections(paletteSection(-1, 16, 4, false), paletteSection(0, 20, 5, false))), 0, []voxel.Has{voxel.HasBlock, voxel.HasBlock}},
		{"palette, straddling too late", chunk(2586, "Sections", sections(paletteSection(0, 20, 5, true))), 1 << 2, []voxel.Has{voxel.HasBlock}},
		{"palette, padded too early", chunk(1976, "Sections", sections(paletteSection(0, 4, 4, true), paletteSection(1, 20, 5, false))), 1 << 2, []voxel.Has{voxel.HasBlock, voxel.HasBlock}},
		{"palette, both ways of packing", chunk(1976, "Sections", sections(paletteSection(0, 20, 5, true), paletteSection(1, 20, 5, false))), 0, []voxel.Has{voxel.HasBlock, voxel.KeptBlock}},
		{"palette of one", chunk(1976, "Sections", sections(paletteSection(0, 1, 4, true))), 0, []voxel.Has{voxel.HasBlock}},
		{"palette of one without longs", chunk(1976, "Sections", sections(compound("Y", int8(1), "Palette", palette(1)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"palette before its version", chunk(1343, "Sections", sections(paletteSection(0, 5, 4, true))), 2 << 8, []voxel.Has{voxel.HasBlock}},
		{"palette without a version", chunk(0, "Sections", sections(paletteSection(0, 5, 4, true))), 2 << 8, []voxel.Has{voxel.HasBlock}},
		{"two forms", chunk(0, "Sections", sections(numeric(), paletteSection(1, 5, 4, true))), 0, []voxel.Has{voxel.HasBlock, voxel.KeptBlock}},
		{"empty palette", chunk(1976, "Sections", sections(compound("Y", int8(0), "Palette", list(nbt.Compound), "BlockStates", []int64{}))), 0, []voxel.Has{voxel.KeptBlock}},
		{"index beyond the palette", chunk(1976, "Sections", sections(compound("Y", int8(0), "Palette", palette(3), "BlockStates", pack(counting(4096, 4), 4, true)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"palette is no list", chunk(1976, "Sections", sections(compound("Y", int8(0), "Palette", "x", "BlockStates", []int64{1}))), 0, []voxel.Has{voxel.KeptBlock}},
		{"light alone", chunk(1976, "Sections", sections(compound("Y", int8(-1), "SkyLight", fill(2048, 3)), compound("Y", int8(16), "BlockLight", fill(2048, 3)), compound("Y", int8(4)))), 0, []voxel.Has{voxel.HasSky, voxel.HasLight, 0}},
		{"states", chunk(3953, "sections", sections(compound("Y", int8(-4), "block_states", states(40, 6), "biomes", compound("palette", list(nbt.String, "minecraft:plains")), "starlight.skylight_state", int32(2)))), 0, []voxel.Has{both}},
		{"states of one", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", states(1, 4), "biomes", compound("palette", list(nbt.String, "a:b", "c:d", "air"), "data", pack(counting(64, 3), 2, false))))), 0, []voxel.Has{both}},
		{"states within Level", chunk(2840, "Sections", sections(compound("Y", int8(0), "block_states", states(3, 4)))), 0, []voxel.Has{voxel.HasBlock}},
		{"states with more tags", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", append(states(3, 4), entry{Name: "more", Value: int8(1)})))), 0, []voxel.Has{voxel.HasBlock}},
		{"states without longs", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", palette(3))))), 0, []voxel.Has{voxel.KeptBlock}},
		{"biomes of the wrong number", chunk(3953, "sections", sections(compound("Y", int8(0), "biomes", compound("palette", list(nbt.String, "a", "b"), "data", []int64{1, 2})))), 0, []voxel.Has{voxel.KeptBiome}},
		{"odd palette entries", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", list(nbt.Compound,
			state("air"), state("minecraft:air", "x", "y"), compound("Name", "a", "Properties", entries{}), compound("Name", int8(1)), state("ünï"), entries{}), "data", pack(counting(4096, 6), 4, false))))), 1 << 5, []voxel.Has{voxel.HasBlock}},
		{"empty properties everywhere", chunk(3953, "sections", sections(emptyStates(0, "minecraft:air"), emptyStates(1, "minecraft:stone", "minecraft:air"))), 1 << 5, []voxel.Has{voxel.HasBlock, voxel.HasBlock}},
		{"empty properties everywhere, 1.13", chunk(1976, "Sections", sections(compound("Y", int8(0), "Palette", list(nbt.Compound, empty("minecraft:air"), empty("m:s")), "BlockStates", pack(counting(4096, 2), 4, true)))), 1 << 5, []voxel.Has{voxel.HasBlock}},
		{"empty properties here and there", chunk(3953, "sections", sections(
			compound("Y", int8(0), "block_states", compound("palette", list(nbt.Compound, empty("minecraft:air"), state("m:s"), empty("m:t")), "data", pack(counting(4096, 3), 4, false)), "more", int8(1)),
			compound("Y", int8(1), "block_states", states(3, 4)), emptyStates(2, "m:s"))), 0, []voxel.Has{voxel.HasBlock, voxel.HasBlock, voxel.HasBlock}},
		{"empty properties here and there, 1.13", chunk(1976, "Sections", sections(
			compound("Y", int8(0), "Palette", list(nbt.Compound, state("minecraft:air"), empty("m:s")), "BlockStates", pack(counting(4096, 2), 4, true)))), 0, []voxel.Has{voxel.HasBlock}},
		{"a section's own Properties", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", states(3, 4), "Properties", list(nbt.String, "m:s")))), 0, []voxel.Has{voxel.KeptBlock}},
		{"height as an int", chunk(1976, "Sections", sections(compound("Y", int32(5), "SkyLight", fill(2048, 1)))), 0, []voxel.Has{voxel.HasSky}},
		{"no height", chunk(1976, "Sections", sections(paletteSection(0, 3, 4, true), compound("SkyLight", fill(2048, 1)))), 0, none},
		{"height far away", chunk(1976, "Sections", sections(compound("Y", int32(500)))), 0, []voxel.Has{0}},
		{"height twice", chunk(1976, "Sections", sections(paletteSection(0, 3, 4, true), paletteSection(0, 5, 4, true))), 0, []voxel.Has{voxel.HasBlock, voxel.KeptBlock}},
		{"a section's tag twice", chunk(1976, "Sections", sections(paletteSection(0, 3, 4, true, "Y", int8(0)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"sections are no compounds", chunk(1976, "Sections", list(nbt.Int, int32(1))), 0, none},
		{"empty lists", chunk(1976, "Sections", list(nbt.End), "Entities", list(nbt.Byte), "TileEntities", list(nbt.Compound), "TileTicks", list(nbt.End)), 0, none},
		{"other coordinates", document(compound("Level", compound("xPos", int32(7), "zPos", int32(0)))), 1 << 1, none},
		{"one coordinate", document(compound("Level", compound("zPos", int32(0)), "DataVersion", int32(1976))), 1 << 1, none},
		{"version is no int", document(compound("xPos", int32(0), "zPos", int32(0), "DataVersion", int64(1976))), 0, none},
		{"version is negative", document(compound("xPos", int32(0), "zPos", int32(0), "DataVersion", int32(-5))), 0, none},
		{"Level is no compound", document(compound("Level", "no", "xPos", int32(0), "zPos", int32(0))), 0, none},
		{"empty Level", document(compound("Level", entries{}, "DataVersion", int32(100))), 1 << 1, none},
		{"empty root", document(entries{}), 1 << 1, none},
		{"a named root", nbt.Append(nil, "röt", compound("xPos", int32(0), "zPos", int32(0), "other", []int64{4})), 0, none},
		{"a tag twice", document(compound("Level", compound("xPos", int32(0), "zPos", int32(0), "Sections", sections(numeric()), "Sections", list(nbt.End)))), 1, none},
		{"sections twice", document(compound("Level", compound("xPos", int32(0), "zPos", int32(0), "Sections", sections(numeric())), "sections", sections(compound("Y", int8(7))))), 0, []voxel.Has{voxel.HasBlock}},
		{"sections twice, the other way round", document(compound("sections", sections(compound("Y", int8(7))), "Level", compound("xPos", int32(0), "zPos", int32(0)))), 0, none},
		{"sections of the other name", chunk(1976, "sections", sections(paletteSection(0, 3, 4, true))), 1 << 6, []voxel.Has{voxel.HasBlock}},
		{"too many tags", chunk(1976, many(600)...), 1, none},
		{"too many tags in a section", chunk(1976, "Sections", sections(paletteSection(0, 3, 4, true, many(600)...))), 0, none},
		{"too many sections", chunk(1976, "Sections", nbt.Items{Elem: nbt.Compound, Values: slices.Repeat([]nbt.Value{compound("Y", int8(1))}, 257)}), 0, none},
		{"too many objects", chunk(1976, "Entities", nbt.Items{Elem: nbt.Compound, Values: slices.Repeat([]nbt.Value{entries{}}, 10_000)}), 0, none},
		{"too many tags in an object", chunk(1976, "TileEntities", list(nbt.Compound, compound(append(many(600), "x", int32(1), "y", int32(1), "z", int32(1))...))), 0, none},
		{"too many height maps", chunk(2586, "Heightmaps", compound(many(600)...)), 0, none},
		{"a long palette entry", chunk(3953, "sections", sections(longEntry(2000))), 0, []voxel.Has{voxel.HasBlock}},
		{"a palette entry that is too long", chunk(3953, "sections", sections(longEntry(9000))), 0, []voxel.Has{voxel.KeptBlock}},
		{"height of another world", chunk(3953, "sections", sections(stateSection(0), compound("Y", int32(200), "block_states", states(3, 4)))), 0, []voxel.Has{voxel.HasBlock, voxel.KeptBlock}},
		{"states and biomes with more tags", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("a:b", int8(1), "palette", palette(2), "c", "d", "data", make([]int64, 256)), "biomes", compound("palette", list(nbt.String, "a"), "e", int32(2))))), 0, []voxel.Has{both}},
		{"a palette that is there twice", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", palette(1), "palette", palette(1))))), 0, []voxel.Has{voxel.KeptBlock}},
		{"JustEnoughIDs", chunk(1343, "Sections", sections(numeric("Palette", []int32{0, 16, 4660 << 4}))), 0, []voxel.Has{voxel.KeptBlock}},
		{"NotEnoughIDs", chunk(0, "Sections", sections(shorts(1, 2, true))), 1 << 7, []voxel.Has{voxel.HasBlock}},
		{"NotEnoughIDs, id above 4095", chunk(0, "Sections", sections(shorts(5000, 17, true))), 1 << 7, []voxel.Has{voxel.HasBlock}},
		{"NotEnoughIDs, id above 255", chunk(0, "Sections", sections(append(shorts(300, 0, true), entry{Name: "Add", Value: bytes.Repeat([]byte{0x11}, 2048)}))), 1 << 7, []voxel.Has{voxel.HasBlock}},
		{"NotEnoughIDs alone", chunk(0, "Sections", sections(shorts(5000, 0, false))), 1<<7 | 1<<10, []voxel.Has{voxel.HasBlock}},
		{"NotEnoughIDs beside other blocks", chunk(0, "Sections", sections(append(shorts(5000, 0, false), entry{Name: "Blocks", Value: fill(4096, 1)}, entry{Name: "Data", Value: fill(2048, 3)}))), 1 << 7, []voxel.Has{voxel.HasBlock}},
		{"NotEnoughIDs here and there", chunk(0, "Sections", sections(numeric(), append(shorts(1, 0, true)[1:], entry{Name: "Y", Value: int8(1)}))), 0, []voxel.Has{voxel.HasBlock, voxel.KeptBlock}},
		{"EndlessIDs", chunk(0, "Sections", sections(numeric("BlocksB2Hi", fill(2048, 1)))), 0, []voxel.Has{voxel.KeptBlock}},
		{"EndlessIDs without high bits", chunk(0, "Sections", sections(numeric("BlocksB2Hi", make([]byte, 2048), "Data2", make([]byte, 4096)))), 0, []voxel.Has{voxel.HasBlock}},
		{"a Level that was left", document(compound("xPos", int32(0), "zPos", int32(0), "DataVersion", int32(3953), "sections", sections(stateSection(0)), "Level", compound("Sections", sections(compound("Y", int8(3), "block_states", states(5, 4)))))), 0, []voxel.Has{voxel.HasBlock}},
		{"sections that were left beside Level", document(compound("DataVersion", int32(2730), "Level", compound("xPos", int32(0), "zPos", int32(0), "Sections", sections(paletteSection(0, 3, 4, false))), "sections", sections(stateSection(4)))), 0, []voxel.Has{voxel.HasBlock}},
		{"unknown tags", chunk(3953, "blending_data", compound("min_section", int32(-4)), "ForgeCaps", compound("a", list(nbt.List, list(nbt.End), list(nbt.Byte))), "xPos2", int8(1)), 0, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, got := passThrough(t, tt.doc)
			wantSame(t, got, tt.doc)
			has := []voxel.Has{}
			for _, x := range s.columns[0].Sections {
				has = append(has, x.Has)
			}
			if s.columns[0].Layout != tt.layout || !slices.Equal(has, tt.has) {
				t.Errorf("layout %#x, sections %v, want %#x, %v", s.columns[0].Layout, has, tt.layout, tt.has)
			}
		})
	}
}

func stateSection(y int8) entries { return compound("Y", y, "block_states", states(3, 4)) }

// longEntry returns a section with a palette entry whose name has n bytes.
func longEntry(n int) entries {
	return compound("Y", int8(0), "block_states", compound("palette", list(nbt.Compound, state(strings.Repeat("a", n)), state("m:s")), "data", pack(counting(4096, 2), 4, false)))
}

// shorts returns a section of one block as NotEnoughIDs stores it.
func shorts(id, data uint16, beside bool) entries {
	s := compound("Y", int8(0), "Blocks16", bytes.Repeat([]byte{byte(id >> 8), byte(id)}, 4096), "Data16", bytes.Repeat([]byte{byte(data >> 8), byte(data)}, 4096))
	if !beside {
		return s
	}
	if id > 4095 {
		id = 0
	}
	return append(s, compound("Blocks", bytes.Repeat([]byte{byte(id)}, 4096), "Data", bytes.Repeat([]byte{byte(data&15) * 0x11}, 2048))...)
}

// TestUnread reads sections that games do not write. What comes back is what the game reads.
func TestUnread(t *testing.T) {
	level := func(tags ...any) []byte { return chunk(2836, tags...) }
	narrow := func(size int) []byte {
		n := 1 << size
		return chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", states(n, size))))
	}
	beyond := func(cells int) []byte {
		at := counting(4096, 2)
		for i := range cells {
			at[i] = 5
		}
		return chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", palette(2), "data", pack(at, 4, false)))))
	}
	hollow := chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", list(nbt.End))), stateSection(1)))
	for _, tt := range []struct {
		name         string
		doc          []byte
		kept, beyond int
		whole        voxel.Has
		cells        int // of the first section that are not air
	}{
		{"indexes of 1 bit", narrow(1), 0, 0, 0, 2048},
		{"indexes of 2 bits", narrow(2), 0, 0, 0, 3072},
		{"indexes of 3 bits", narrow(3), 0, 0, 0, 3584},
		{"an empty palette", hollow, 0, 0, 0, 0},
		{"an index beyond the palette", beyond(1), 0, 1, 0, 2048},
		{"many of them", beyond(65), 1, 0, 0, 0},
		{"sections in small letters", level("sections", sections(stateSection(0))), 0, 0, 0, 2730},
		{"sections of which one has no height", level("Sections", sections(stateSection(0), entries{{Name: "block_states", Value: states(3, 4)}})), 1, 0, voxel.KeptBlock | voxel.KeptBiome, 0},
		{"a chunk that is kept whole", level("Sections", sections(stateSection(0)), "Sections", sections(stateSection(0))), 1, 0, voxel.KeptBlock | voxel.KeptBiome, 0},
		{"Level alone, which the game does not read", document(compound("DataVersion", int32(3953), "Level", compound("Sections", sections(stateSection(0))))), 1, 0, voxel.KeptBlock | voxel.KeptBiome, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, stats, err := read(t, oneChunk(tt.doc), anvil.Options{})
			if err != nil || len(s.columns) != 1 {
				t.Fatal(len(s.columns), err)
			}
			c, cells := &s.columns[0], 0
			if len(c.Cells) > 0 {
				for _, b := range c.Cells[0].Block {
					if b != voxel.Empty {
						cells++
					}
				}
			}
			if stats.KeptSections != tt.kept || c.KeptSections() != tt.kept || stats.Beyond != tt.beyond || c.Whole != tt.whole || cells != tt.cells {
				t.Errorf("%d kept, %d in the column, %d beyond, whole %v, %d cells; want %d, %d, %v, %d", stats.KeptSections, c.KeptSections(), stats.Beyond, c.Whole, cells, tt.kept, tt.beyond, tt.whole, tt.cells)
			}
			again := docsOf(t, mustWrite(t, s, anvil.FolderOptions{}), "region/r.0.0.mca")[0]
			s2, stats, err := read(t, oneChunk(again), anvil.Options{})
			if err != nil || stats.KeptSections != tt.kept || stats.Beyond != 0 || len(s2.columns[0].Cells) != len(c.Cells) {
				t.Fatalf("written again: %+v, %v", stats, err)
			}
			for i := range c.Cells {
				if !slices.Equal(s2.columns[0].Cells[i].Block, c.Cells[i].Block) {
					t.Errorf("written again section %d differs", i)
				}
			}
		})
	}
}

// TestShortsEdited writes an edit of NotEnoughIDs's sections to all of their arrays.
func TestShortsEdited(t *testing.T) {
	s := mustReadAll(t, oneChunk(chunk(0, "Sections", sections(shorts(1, 0, true)))))
	cells := slices.Clone(s.columns[0].Cells[0].Block)
	cells[0], _ = s.dims[0].Volume(voxel.Block).Names.Cell("legacy:41/3")
	s.columns[0].Cells[0].Block = cells
	doc := docsOf(t, mustWrite(t, s, anvil.FolderOptions{}), "region/r.0.0.mca")[0]
	want := shorts(1, 0, true)
	for i, e := range want {
		b, ok := e.Value.([]byte)
		if !ok {
			continue
		}
		switch e.Name {
		case "Blocks":
			b[0] = 41
		case "Data":
			b[0] = 3
		case "Blocks16":
			b[1] = 41
		case "Data16":
			b[1] = 3
		}
		want[i].Value = b
	}
	wantSame(t, doc, chunk(0, "Sections", sections(want)))
}

// empty returns a palette entry with an empty Properties.
func empty(name string) entries { return compound("Name", name, "Properties", entries{}) }

// emptyStates returns a section of such entries.
func emptyStates(y int8, names ...string) entries {
	p := nbt.Items{Elem: nbt.Compound}
	for _, name := range names {
		p.Values = append(p.Values, empty(name))
	}
	c := compound("palette", p)
	if len(names) > 1 {
		c = append(c, entry{Name: "data", Value: pack(counting(4096, len(names)), 4, false)})
	}
	return compound("Y", y, "block_states", c)
}

// TestChunkEmptyProperties: an empty Properties makes no other block, in whatever
// order its tags are, and its air is air.
func TestChunkEmptyProperties(t *testing.T) {
	turned := compound("Properties", entries{}, "Name", "minecraft:stone")
	data := pack(counting(4096, 2), 4, false)
	for _, tt := range []struct {
		name  string
		first entries
		stone entries
	}{
		{"none", state("minecraft:air"), state("minecraft:stone")},
		{"empty", empty("minecraft:air"), empty("minecraft:stone")},
		{"in another order", empty("minecraft:air"), turned},
		{"mixed", state("minecraft:air"), turned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", list(nbt.Compound, tt.first, tt.stone), "data", data))))
			s, got := passThrough(t, doc)
			wantSame(t, got, doc)
			if names := s.dims[0].Volume(voxel.Block).Names.List(); !slices.Equal(names, []string{"air", "minecraft:stone"}) {
				t.Errorf("names %q", names)
			}
			for i, c := range s.columns[0].Cells[0].Block {
				if int(c) != i%2 {
					t.Fatalf("block %d is cell %d", i, c)
				}
			}
		})
	}
}

// TestChunkRepacked: what a game reads in the same way may come back in its own form.
func TestChunkRepacked(t *testing.T) {
	zeros := compound("palette", palette(1), "data", make([]int64, 256))
	wide := compound("palette", palette(3), "data", pack(counting(4096, 3), 5, false))
	plain := compound("palette", palette(3), "data", pack(counting(4096, 3), 4, false))
	for _, tt := range []struct {
		name      string
		doc, want entries
	}{
		{"longs for one entry", zeros, states(1, 4)},
		{"entries wider than the palette needs", wide, plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := passThrough(t, chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", tt.doc))))
			wantSame(t, got, chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", tt.want))))
		})
	}
}

// TestChunkMaps: height maps and biomes of all lengths come back; maps says
// how many the column has.
func TestChunkMaps(t *testing.T) {
	heights := func(size int, straddle bool) []int64 { return pack(counting(256, 1<<min(size, 8)), size, straddle) }
	dirty := heights(9, false)
	dirty[3] |= -1 << 63
	for _, tt := range []struct {
		name         string
		doc          []byte
		maps, biomes int
	}{
		{"ints", chunk(0, "HeightMap", make([]int32, 256), "Biomes", fill(256, 9)), 2, 0},
		{"ints of another length", chunk(1976, "HeightMap", make([]int32, 255), "Biomes", []int32{}), 0, 0},
		{"biomes by block column", chunk(1976, "Biomes", slices.Repeat([]int32{-1, 7}, 128)), 1, 0},
		{"biomes of the column", chunk(2586, "Biomes", slices.Repeat([]int32{-1, 7}, 512)), 0, 1024},
		{"biomes of a higher column", chunk(2730, "Biomes", make([]int32, 1536)), 0, 0},
		{"straddling", chunk(1976, "Heightmaps", compound("A", heights(9, true), "B", heights(10, true))), 2, 0},
		{"padded", chunk(2586, "Heightmaps", compound("A", heights(9, false), "B", heights(12, false))), 2, 0},
		{"both", chunk(2586, "Heightmaps", compound("A", heights(9, true), "B", heights(9, false))), 2, 0},
		{"high bits set", chunk(2586, "Heightmaps", compound("A", dirty, "B", heights(9, false))), 1, 0},
		{"an odd number of longs", chunk(2586, "Heightmaps", compound("A", make([]int64, 35), "C", []int64{})), 0, 0},
		{"other types", chunk(2586, "Heightmaps", compound("A", make([]int32, 37), "ö", heights(9, false))), 0, 0},
		{"a name twice", chunk(2586, "Heightmaps", compound("A", heights(9, false), "A", heights(9, false))), 0, 0},
		{"empty", chunk(1976, "Heightmaps", entries{}), 0, 0},
		{"no compound", chunk(1976, "Heightmaps", "?"), 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, got := passThrough(t, tt.doc)
			wantSame(t, got, tt.doc)
			if c := s.columns[0]; len(c.Maps) != tt.maps || len(c.Biomes) != tt.biomes {
				t.Errorf("%d maps, %d biomes, want %d, %d", len(c.Maps), len(c.Biomes), tt.maps, tt.biomes)
			}
		})
	}
}

// TestChunkObjects: entities, block entities and ticks get a place and come back.
func TestChunkObjects(t *testing.T) {
	chest := compound("id", "chest", "x", int32(-3), "y", int32(300), "Items", list(nbt.End), "z", int32(9))
	pig := compound("id", "pig", "Pos", list(nbt.Double, -0.5, 64.0, 1e9+0.5))
	lost := compound("Pos", list(nbt.Double, 1.0, 1e300, 2.0))
	for _, tt := range []struct {
		name string
		doc  []byte
		list string
		want []voxel.Object // without payloads
	}{
		{"old", chunk(0, "TileEntities", list(nbt.Compound, chest, chest)), voxel.BlockEntities,
			[]voxel.Object{{Place: voxel.Moved, At: geom.Point{X: -3, Y: 300, Z: 9}}, {Place: voxel.Moved, At: geom.Point{X: -3, Y: 300, Z: 9}}}},
		{"new", chunk(3953, "block_entities", list(nbt.Compound, chest)), voxel.BlockEntities, []voxel.Object{{Place: voxel.Moved, At: geom.Point{X: -3, Y: 300, Z: 9}}}},
		{"no position", chunk(3953, "block_entities", list(nbt.Compound, compound("x", int32(1), "y", int32(1)), compound("x", int8(1), "y", int32(1), "z", int32(3)), entries{})), voxel.BlockEntities, make([]voxel.Object, 3)},
		{"a position twice", chunk(3953, "block_entities", list(nbt.Compound, append(chest, entry{Name: "x", Value: int32(1)}))), voxel.BlockEntities, make([]voxel.Object, 1)},
		{"ticks", chunk(1343, "TileTicks", list(nbt.Compound, chest)), voxel.BlockTicks, []voxel.Object{{Place: voxel.Moved, At: geom.Point{X: -3, Y: 300, Z: 9}}}},
		{"fluid ticks", chunk(2586, "LiquidTicks", list(nbt.Compound, chest)), voxel.FluidTicks, []voxel.Object{{Place: voxel.Moved, At: geom.Point{X: -3, Y: 300, Z: 9}}}},
		{"entities", chunk(2586, "Entities", list(nbt.Compound, pig, lost)), voxel.Entities, []voxel.Object{{Place: voxel.Indexed, At: geom.Point{X: -1, Y: 64, Z: 1e9}}, {}}},
		{"entities of a proto chunk", chunk(2730, "Entities", list(nbt.Compound, pig)), voxel.ProtoEntities, []voxel.Object{{Place: voxel.Indexed, At: geom.Point{X: -1, Y: 64, Z: 1e9}}}},
		{"entities of a proto chunk, new", chunk(3953, "entities", list(nbt.Compound, compound("Pos", list(nbt.Int, int32(1), int32(2), int32(3))))), voxel.ProtoEntities, make([]voxel.Object, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, got := passThrough(t, tt.doc)
			wantSame(t, got, tt.doc)
			l := s.columns[0].Lists
			if len(l) != 1 || l[0].Name != tt.list || len(l[0].Objects) != len(tt.want) {
				t.Fatalf("lists %v, want %s of %d", l, tt.list, len(tt.want))
			}
			for i, o := range l[0].Objects {
				if o.Place != tt.want[i].Place || o.At != tt.want[i].At {
					t.Errorf("object %d: %v %v, want %v %v", i, o.Place, o.At, tt.want[i].Place, tt.want[i].At)
				}
			}
		})
	}
}

// TestChunkCells reads one block of each form at its place.
func TestChunkCells(t *testing.T) {
	at := 3*256 + 5*16 + 2
	ids, data, add := make([]byte, 4096), make([]byte, 2048), make([]byte, 2048)
	ids[at], data[at/2], add[at/2] = 0x34, 0x07, 0x02
	indexes := make([]int, 4096)
	indexes[at] = 1
	entry := list(nbt.Compound, state("minecraft:air"), state("minecraft:stairs", "half", "top", "facing", "east"))
	for _, tt := range []struct {
		name string
		doc  []byte
		want string
	}{
		{"numeric", chunk(0, "Sections", sections(compound("Y", int8(0), "Blocks", ids, "Data", data, "Add", add))), "legacy:564/7"},
		{"palette", chunk(1976, "Sections", sections(compound("Y", int8(0), "Palette", entry, "BlockStates", pack(indexes, 4, true)))), "minecraft:stairs[facing=east,half=top]"},
		{"states", chunk(3953, "sections", sections(compound("Y", int8(0), "block_states", compound("palette", entry, "data", pack(indexes, 4, false))))), "minecraft:stairs[facing=east,half=top]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mustReadAll(t, oneChunk(tt.doc))
			names, cells := s.dims[0].Volume(voxel.Block).Names, s.columns[0].Cells[0].Block
			for i, c := range cells {
				want := format.Air
				if i == at {
					want = tt.want
				}
				if got := names.Name(c); got != want {
					t.Fatalf("cell %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// TestChunkOneBlock: a section of one block by numbers is one cell.
func TestChunkOneBlock(t *testing.T) {
	all := func(n int, v byte) []byte { return bytes.Repeat([]byte{v}, n) }
	but := func(b []byte, v byte) []byte {
		b[len(b)-1] ^= v
		return b
	}
	for _, tt := range []struct {
		name           string
		ids, data, add []byte
		first, last    string
		cells          int
	}{
		{"air", all(4096, 0), all(2048, 0), nil, format.Air, format.Air, 1},
		{"air with Add", all(4096, 0), all(2048, 0), all(2048, 0), format.Air, format.Air, 1},
		{"one", all(4096, 7), all(2048, 0x55), all(2048, 0xAA), "legacy:2567/5", "legacy:2567/5", 1},
		{"another id", but(all(4096, 0), 1), all(2048, 0), nil, format.Air, "legacy:1/0", 4096},
		{"another data", all(4096, 1), but(all(2048, 0), 0x10), nil, "legacy:1/0", "legacy:1/1", 4096},
		{"another Add", all(4096, 1), all(2048, 0), but(all(2048, 0), 0x10), "legacy:1/0", "legacy:257/0", 4096},
		{"two data", all(4096, 1), all(2048, 0x21), nil, "legacy:1/1", "legacy:1/2", 4096},
		{"two Add", all(4096, 1), all(2048, 0), all(2048, 0x21), "legacy:257/0", "legacy:513/0", 4096},
	} {
		t.Run(tt.name, func(t *testing.T) {
			section := compound("Y", int8(0), "Blocks", tt.ids, "Data", tt.data)
			if tt.add != nil {
				section = compound("Y", int8(0), "Blocks", tt.ids, "Data", tt.data, "Add", tt.add)
			}
			doc := chunk(0, "Sections", sections(section))
			world := oneChunk(doc)
			s := mustReadAll(t, world)
			names, cells := s.dims[0].Volume(voxel.Block).Names, s.columns[0].Cells[0].Block
			if len(cells) != tt.cells {
				t.Fatalf("%d cells, want %d", len(cells), tt.cells)
			}
			if first, last := names.Name(cells[0]), names.Name(cells[len(cells)-1]); first != tt.first || last != tt.last {
				t.Errorf("%q to %q, want %q to %q", first, last, tt.first, tt.last)
			}
			wantSame(t, docsOf(t, mustWrite(t, s, anvil.FolderOptions{}), "region/r.0.0.mca")[0], doc)
		})
	}
}
