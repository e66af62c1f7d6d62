package anvil_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestStale: a game is told to light a chunk whose blocks have changed under its
// light, in the way of its version; nothing else of the chunk changes.
func TestStale(t *testing.T) {
	const both = voxel.HasSky | voxel.HasLight
	sky, light := fill(2048, 3), fill(2048, 5)
	tail := []any{"Status", "full", "other", int64(7)}
	tags := func(first ...any) []any { return append(first, tail...) }
	numbers := func(y int8, more ...any) entries {
		return compound(append([]any{"Y", y, "Blocks", fill(4096, 1), "Data", fill(2048, 1)}, more...)...)
	}
	named := func(more ...any) entries {
		return compound(append([]any{"Y", int8(0), "block_states", states(40, 6)}, more...)...)
	}
	full := sections(numbers(0, "BlockLight", light, "SkyLight", sky))
	old := sections(paletteSection(0, 3, 4, true, "BlockLight", light, "SkyLight", sky))
	oldDark := sections(paletteSection(0, 3, 4, true))
	lone := sections(compound("Y", int8(-1), "SkyLight", sky), compound("Y", int8(3), "x", int8(1)))
	loneDark := sections(compound("Y", int8(-1)), compound("Y", int8(3), "x", int8(1)))
	for _, tt := range []struct {
		name      string
		stale     voxel.Has
		doc, want []byte
		lost      int
	}{
		{"1.8", both, chunk(0, tags("LightPopulated", int8(1), "Sections", full)...), chunk(0, tags("LightPopulated", int8(0), "Sections", full)...), 0},
		{"1.8, no tag", both, chunk(0, tags("Sections", full)...), chunk(0, tags("Sections", full, "LightPopulated", int8(0))...), 0},
		{"1.12", voxel.HasSky, chunk(1343, tags("LightPopulated", int8(1), "Sections", full)...), chunk(1343, tags("LightPopulated", int8(0), "Sections", full)...), 0},
		{"1.12, a section without light", both, chunk(1343, tags("LightPopulated", int8(0), "Sections", sections(numbers(2)))...),
			chunk(1343, tags("LightPopulated", int8(0), "Sections", sections(numbers(2, "BlockLight", make([]byte, 2048), "SkyLight", bytes.Repeat([]byte{0xFF}, 2048))))...), 0},
		{"1.13", both, chunk(1631, tags("Sections", old)...), chunk(1631, tags("Sections", old)...), 1},
		{"1.14", both, chunk(1976, tags("isLightOn", int8(1), "Sections", old)...), chunk(1976, tags("isLightOn", int8(0), "Sections", oldDark)...), 0},
		{"1.14, light alone", both, chunk(1976, tags("isLightOn", int8(1), "Sections", lone)...), chunk(1976, tags("isLightOn", int8(0), "Sections", loneDark)...), 0},
		{"1.14, block light alone is stale", voxel.HasLight, chunk(1976, tags("isLightOn", int8(1), "Sections", old)...),
			chunk(1976, tags("isLightOn", int8(0), "Sections", sections(paletteSection(0, 3, 4, true, "SkyLight", sky)))...), 0},
		{"1.17, Paper", both, chunk(2730, tags("isLightOn", int8(0), "starlight.light_version", int32(6), "Sections", old)...),
			chunk(2730, tags("isLightOn", int8(0), "Sections", oldDark)...), 0},
		{"1.21", both, chunk(3953, tags("sections", sections(named("BlockLight", light, "SkyLight", sky)), "isLightOn", int8(1))...),
			chunk(3953, tags("sections", sections(named()), "isLightOn", int8(0))...), 0},
		{"1.21, Paper", voxel.HasSky, chunk(3953, tags("starlight.light_version", int32(9), "sections", sections(named("BlockLight", light, "SkyLight", sky)))...),
			chunk(3953, tags("sections", sections(named("BlockLight", light)), "isLightOn", int8(0))...), 0},
		{"a document that is kept whole", both, chunk(3953, "a", int8(1), "a", int8(2), "isLightOn", int8(1)), chunk(3953, "a", int8(1), "a", int8(2), "isLightOn", int8(0)), 0},
		{"other arrays", voxel.HasBlock | voxel.HasBiome, chunk(1976, tags("isLightOn", int8(1), "Sections", old)...), chunk(1976, tags("isLightOn", int8(1), "Sections", old)...), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, got := passThrough(t, tt.doc)
			wantSame(t, got, tt.doc)
			if s.columns[0].Stale != 0 {
				t.Fatalf("read as stale: %d", s.columns[0].Stale)
			}
			s.columns[0].Stale = tt.stale
			part := slices.Clone(s.columns[0].Parts[0].Data)
			dir := t.TempDir()
			w, err := anvil.Create(dir, anvil.FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			if err := errors.Join(w.Dimension(s.dims[0]), w.Column(&s.columns[0]), w.Close()); err != nil {
				t.Fatal(err)
			}
			wantSame(t, docsOf(t, dir, "region/r.0.0.mca")[0], tt.want)
			if got := w.Lost()["columns with stale light"]; got != tt.lost {
				t.Errorf("%d columns counted, want %d", got, tt.lost)
			}
			if !bytes.Equal(part, s.columns[0].Parts[0].Data) {
				t.Error("the column's own part was written to")
			}
		})
	}
}

// TestOwn: a program's column, nothing but a position, a version and blocks, is
// a chunk that the game takes for finished, and not for lit.
func TestOwn(t *testing.T) {
	const (
		numbers = "Entities HeightMap InhabitedTime LastUpdate LightPopulated=0 Sections TerrainPopulated=1 TileEntities V=1 xPos=5 zPos=-7"
		old     = "InhabitedTime LastUpdate LiquidTicks Sections Status=postprocessed Structures TileEntities TileTicks xPos=5 zPos=-7"
		named   = "InhabitedTime LastUpdate LiquidTicks Sections Status=full Structures TileEntities TileTicks isLightOn=0 xPos=5 zPos=-7"
		today   = "InhabitedTime LastUpdate Status=minecraft:full block_entities block_ticks fluid_ticks isLightOn=0 sections structures xPos=5 yPos=-4 zPos=-7"
	)
	for _, tt := range []struct {
		version, option int32
		block           string
		level, section  string
	}{
		{0, 0, "legacy:1/0", "Biomes " + numbers, "BlockLight Blocks Data SkyLight Y=4"},
		{0, 1343, "legacy:1/0", "Biomes DataVersion=1343 " + numbers, "BlockLight Blocks Data SkyLight Y=4"},
		{1631, 0, "minecraft:stone", "Biomes DataVersion=1631 Entities " + old, "BlockLight BlockStates Palette SkyLight Y=4"},
		{1976, 1343, "minecraft:stone", "Biomes DataVersion=1976 Entities " + named, "BlockStates Palette Y=4"},
		{0, 2730, "minecraft:stone", "Biomes DataVersion=2730 " + named, "BlockStates Palette Y=4"},
		{2975, 0, "minecraft:stone", "DataVersion=2975 " + strings.Replace(today, "minecraft:", "", 1), "Y=4 biomes block_states"},
		{0, 3953, "minecraft:stone", "DataVersion=3953 " + today, "Y=4 biomes block_states"},
	} {
		t.Run(fmt.Sprint(tt.version, tt.option), func(t *testing.T) {
			d := format.BlockDimension("overworld", "")
			stone, err := d.Volume(voxel.Block).Names.Cell(tt.block)
			if err != nil {
				t.Fatal(err)
			}
			c := format.Column{Column: voxel.Column{Pos: geom.ColumnPos{X: 5, Z: -7}, Version: tt.version}}
			level, list := ownChunk(t, d, c, tt.option)
			if level != tt.level || list != "" {
				t.Errorf("empty: got %s, sections %s, want %s", level, list, tt.level)
			}
			c.Sections, c.Cells = []voxel.Section{{Y: 4, Has: voxel.HasBlock}}, []format.Cells{{Block: []voxel.Cell{stone}}}
			level, list = ownChunk(t, d, c, tt.option)
			if level != tt.level || list != tt.section {
				t.Errorf("got %s, sections %s, want %s, %s", level, list, tt.level, tt.section)
			}
		})
	}
}

// ownChunk writes a column and returns the tags of its level, that of the data
// version among them, and those of its section.
func ownChunk(t *testing.T, d *format.Dimension, c format.Column, option int32) (level, section string) {
	t.Helper()
	dir := mustWrite(t, &taker{dims: []*format.Dimension{d}, columns: []format.Column{c}}, anvil.FolderOptions{Version: option})
	_, v, err := nbt.Parse(docsOf(t, dir, "region/r.0.-1.mca")[25<<5|5], nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var tags entries
	for _, e := range v.(entries) {
		if inner, ok := e.Value.(entries); ok && e.Name == "Level" {
			tags = append(tags, inner...)
		} else {
			tags = append(tags, e)
		}
	}
	for _, e := range tags {
		if list, ok := e.Value.(nbt.Items); ok && strings.EqualFold(e.Name, "sections") {
			for _, s := range list.Values {
				section += names(s.(entries))
			}
		}
	}
	return names(tags), section
}

// names returns the names of tags in order, with the values of texts and of
// small numbers.
func names(tags entries) string {
	var out []string
	for _, e := range tags {
		switch v := e.Value.(type) {
		case int8, int32, string:
			out = append(out, fmt.Sprintf("%s=%v", e.Name, v))
		default:
			out = append(out, e.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestOwnHeights: a program's chunk of a game that makes no height map has one.
func TestOwnHeights(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	stone, err := d.Volume(voxel.Block).Names.Cell("legacy:1/0")
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]voxel.Cell, 4096)
	cells[0], cells[9*256+17] = stone, stone
	c := format.Column{Cells: []format.Cells{{Block: cells}, {Block: []voxel.Cell{stone}}, {}}}
	c.Sections = []voxel.Section{{Y: 5, Has: voxel.HasBlock}, {Y: 1, Has: voxel.HasBlock}, {Y: 9}}
	dir := mustWrite(t, &taker{dims: []*format.Dimension{d}, columns: []format.Column{c}}, anvil.FolderOptions{})
	world := mustReadAll(t, os.DirFS(dir))
	want := [256]int32{0: 81, 17: 90}
	for i, v := range want {
		if v == 0 {
			want[i] = 32
		}
	}
	if m := world.columns[0].Maps; len(m) != 2 || m[1] != (voxel.Map{Name: "HeightMap", Values: want}) {
		t.Errorf("got %v", m)
	}
	c.Sections[0].Y = 16
	if err := (&taker{dims: []*format.Dimension{d}, columns: []format.Column{c}}).write(t.TempDir(), anvil.FolderOptions{}); err == nil {
		t.Error("a section that the game has no room for was written")
	}
}
