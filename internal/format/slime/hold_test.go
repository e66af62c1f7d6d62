package slime_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// chunkPart returns the part that an Anvil reader leaves of a chunk's tags.
func chunkPart(status string) voxel.Part {
	doc := nbt.AppendHeader(nil, nbt.Compound, "")
	doc = nbt.AppendEnd(nbt.AppendLong(nbt.AppendString(doc, "Status", status), "LastUpdate", 7))
	return voxel.Part{Name: voxel.PartChunk, Stamp: 9, Data: doc}
}

// TestHold reduces columns that a change makes more than the version holds.
func TestHold(t *testing.T) {
	air := []voxel.Cell{0}
	section := func(y int8, a format.Cells, has voxel.Has) func(*format.Column) {
		return func(c *format.Column) {
			c.Sections = append(c.Sections, voxel.Section{Y: y, Has: has})
			c.Cells = append(c.Cells, a)
		}
	}
	nowhere := voxel.Object{Payload: nbt.AppendEnd(nil)}
	list := func(name string, o ...voxel.Object) func(*format.Column) {
		return func(c *format.Column) { c.Lists = append(c.Lists, voxel.List{Name: name, Objects: o}) }
	}
	part := func(p voxel.Part) func(*format.Column) {
		return func(c *format.Column) { c.Parts = append(c.Parts, p) }
	}
	v3, v9, v9names, v13 := kindOf{3, 0, 0}, kindOf{9, 1, 0}, kindOf{9, 5, 1976}, kindOf{13, 8, 3955}
	for _, c := range []struct {
		name   string
		kind   kindOf
		change func(*format.Column)
		lost   string
	}{
		{"nothing", v3, func(*format.Column) {}, ""},
		{"air", v3, section(9, format.Cells{Block: air}, voxel.HasBlock), ""},
		{"lit air", v3, section(9, format.Cells{Block: air, Sky: make([]byte, 2048)}, voxel.HasBlock|voxel.HasSky), "light of sections without blocks:1"},
		{"light alone", v9, section(9, format.Cells{Sky: make([]byte, 2048)}, voxel.HasSky), "light of sections without blocks:1"},
		{"no more than a height", v9, section(9, format.Cells{}, 0), ""},
		{"no more than a height out of height", v13, section(-5, format.Cells{}, 0), ""},
		{"tags of a section that goes", v9, func(c *format.Column) {
			c.Sections = append(c.Sections, voxel.Section{Y: 9, Tags: nbt.AppendEnd(nbt.AppendByte(nbt.AppendInt(nil, "Y", 9), "odd", 1))})
			c.Cells = append(c.Cells, format.Cells{})
		}, "section tag odd:1"},
		{"too high", v9names, section(16, format.Cells{Block: []voxel.Cell{1}}, voxel.HasBlock), "sections out of height:1"},
		{"above the build limit", v13, section(20, format.Cells{Block: []voxel.Cell{1}}, voxel.HasBlock), "sections out of height:1"},
		{"twice", v9, section(0, format.Cells{Block: []voxel.Cell{1}}, voxel.HasBlock), "sections that are there twice:1"},
		{"section tags", v13, func(c *format.Column) {
			tags := nbt.AppendList(nbt.AppendByte(nil, "odd", 1), "bare", nbt.End, 0)
			c.Sections[0].Tags = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendString(nbt.AppendCompound(tags, "block_states"), "palette", "x")))
		}, "section tag odd:1"},
		{"blocks that nobody could read", v9names, func(c *format.Column) {
			c.Sections = append(c.Sections, voxel.Section{Y: 9, Tags: nbt.AppendEnd(nbt.AppendEnd(nbt.AppendString(nbt.AppendCompound(nil, "block_states"), "odd", "x")))})
			c.Cells = append(c.Cells, format.Cells{})
		}, "section tag block_states:1"},
		{"tags of other programs", v13, func(c *format.Column) {
			c.Sections[0].Tags = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendString(nbt.AppendCompound(nil, "block_states"), "odd", "x")))
		}, "section tag block_states:1"},
		{"ticks", v3, list(voxel.BlockTicks, nowhere, nowhere), "block_ticks:2"},
		{"entities of proto chunks", v13, list(voxel.ProtoEntities, nowhere), "proto_entities:1"},
		{"an empty list", v13, list(voxel.ProtoEntities), ""},
		{"an object nowhere", v9, list(voxel.BlockEntities, nowhere), "block_entities without position:1"},
		{"another map", v3, func(c *format.Column) {
			c.Maps = append(c.Maps, voxel.Map{Name: "LIGHT_BLOCKING", Form: 9})
		}, "map LIGHT_BLOCKING:1"},
		{"a map of values too great", v13, func(c *format.Column) {
			c.Maps = append(c.Maps, voxel.Map{Name: "X", Form: 4, Values: [256]int32{16}})
		}, "map X:1"},
		{"biomes in three dimensions", v9, func(c *format.Column) { c.Biomes = make([]voxel.Cell, 1024) }, "biomes in three dimensions:1"},
		{"chunk tags", v13, part(chunkPart("minecraft:full")), "tag LastUpdate:1"},
		{"chunk tags that say nothing", v13, part(voxel.Part{Name: voxel.PartChunk, Data: nbt.Append(nil, "", nbt.Entries{
			{Name: "Status", Value: "full"}, {Name: "isLightOn", Value: int8(1)}, {Name: "yPos", Value: int32(-4)}, {Name: "LastUpdate", Value: int64(0)}, {Name: "InhabitedTime", Value: int64(0)},
			{Name: "PostProcessing", Value: nbt.Items{Elem: nbt.List, Values: []nbt.Value{nbt.Items{}, nbt.Items{}}}},
			{Name: "structures", Value: nbt.Entries{{Name: "starts", Value: nbt.Entries{}}, {Name: "References", Value: nbt.Entries{}}}},
		})}), ""},
		{"chunk tags of Level", v9names, part(voxel.Part{Name: voxel.PartChunk, Data: nbt.Append(nil, "", nbt.Entries{
			{Name: "DataVersion", Value: int32(1976)}, {Name: "Level", Value: nbt.Entries{{Name: "Status", Value: "full"}, {Name: "ToBeTicked", Value: nbt.Items{}}, {Name: "odd", Value: int8(0)}}},
		})}), "tag Level.odd:1"},
		{"entities without any", v9, part(voxel.Part{Name: voxel.PartEntities, Data: nbt.Append(nil, "", nbt.Entries{
			{Name: "DataVersion", Value: int32(1976)}, {Name: "Position", Value: []int32{1, 1}}, {Name: "Entities", Value: nbt.Items{}},
		})}), ""},
		{"points of interest", v9, part(voxel.Part{Name: voxel.PartPOI, Data: nbt.Append(nil, "", nbt.Entries{{Name: "Sections", Value: nbt.Entries{{Name: "0", Value: nbt.Entries{}}}}})}), "part poi:1"},
		{"no points of interest", v9, part(voxel.Part{Name: voxel.PartPOI, Data: nbt.Append(nil, "", nbt.Entries{{Name: "Sections", Value: nbt.Entries{}}})}), ""},

		{"extra", v9, part(voxel.Part{Name: slime.PartExtra, Data: nbt.Append(nil, "", nbt.Entries{{Name: "a", Value: int8(1)}})}), "part slime_extra:1"},
		{"empty extra", v9, part(voxel.Part{Name: slime.PartExtra, Data: []byte{10, 0, 0, 0}}), ""},
		{"empty points of interest", v13, part(voxel.Part{Name: voxel.PartPOI, Data: []byte{10, 0, 0, 0}}), ""},
		{"layout", v13, func(c *format.Column) { c.Layout = 5 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := madeUp(c.kind, "overworld")
			pos := geom.ColumnPos{X: 1, Z: 1}
			want := cloneColumn(world.columns[pos])
			column := world.columns[pos]
			c.change(column)
			before := describe(world.dim, column)
			held, lost := *column, slime.Losses{}
			if !slime.Hold(writtenKinds()[c.kind], world.dim, lost)(&held) {
				t.Fatal("the column is gone")
			}
			if got, want := describe(world.dim, &held), describe(world.dim, want); !slices.Equal(got, want) {
				t.Errorf("held %.2000q\nwant %.2000q", got, want)
			}
			if after := describe(world.dim, column); !slices.Equal(before, after) {
				t.Error("the caller's slices were written to")
			}
			if got := lossText(lost); got != c.lost {
				t.Errorf("lost %q, want %q", got, c.lost)
			}
			file, _ := mustWrite(t, world, writtenKinds()[c.kind])
			back, _ := mustRead(t, file)
			if got, want := describe(back.dim, back.columns[pos]), describe(world.dim, &held); !slices.Equal(got, want) {
				t.Error("the file holds something else than Hold leaves")
			}
		})
	}
}

func lossText(lost slime.Losses) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(lost)) {
		out = append(out, fmt.Sprintf("%s:%d", name, lost[name]))
	}
	return strings.Join(out, " ")
}

// TestHoldStale: light that blocks have changed under goes where a section may
// go without, and is counted.
func TestHoldStale(t *testing.T) {
	const both = voxel.HasSky | voxel.HasLight
	for _, c := range []struct {
		name        string
		kind        kindOf
		stale, left voxel.Has
		lost        string
	}{
		{"a version that must have light", kindOf{3, 0, 0}, both, both, "sections with stale light:4"},
		{"numbers", kindOf{9, 1, 0}, both, 0, "stale light of sections:4"},
		{"names", kindOf{9, 5, 1976}, voxel.HasLight, voxel.HasSky, "stale light of sections:4"},
		{"containers", kindOf{13, 8, 3955}, voxel.HasSky, voxel.HasLight, "stale light of sections:24"},
		{"blocks are no light", kindOf{13, 8, 3955}, voxel.HasBlock, both, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := madeUp(c.kind, "overworld")
			column := world.columns[geom.ColumnPos{X: 1, Z: 1}]
			for i := range column.Sections {
				column.Sections[i].Has |= both
				column.Cells[i].Sky, column.Cells[i].Light = make([]byte, 2048), make([]byte, 2048)
			}
			column.Stale = c.stale
			held, lost := *column, slime.Losses{}
			if !slime.Hold(writtenKinds()[c.kind], world.dim, lost)(&held) {
				t.Fatal("the column is gone")
			}
			for i, s := range held.Sections {
				if a := held.Cells[i]; s.Has&both != c.left || (a.Sky == nil) != (c.left&voxel.HasSky == 0) || (a.Light == nil) != (c.left&voxel.HasLight == 0) {
					t.Errorf("section %d has %b, %d and %d bytes, want %b", s.Y, s.Has, len(a.Sky), len(a.Light), c.left)
				}
			}
			if got := lossText(lost); got != c.lost || (held.Stale == 0) != (c.kind.version > 3) || column.Stale != c.stale {
				t.Errorf("lost %q, want %q; stale %b", got, c.lost, held.Stale)
			}
			world.columns[column.Pos] = &held
			file, _ := mustWrite(t, world, writtenKinds()[c.kind])
			back, _ := mustRead(t, file)
			if got, want := describe(back.dim, back.columns[column.Pos]), describe(world.dim, &held); !slices.Equal(got, want) {
				t.Error("the file holds something else than Hold leaves")
			}
		})
	}
}

func TestHoldAdds(t *testing.T) {
	bare := func(data int32) (*collected, *format.Column) {
		w := &collected{dim: format.BlockDimension("the_nether", ""), columns: map[geom.ColumnPos]*format.Column{}}
		name := "test:stone"
		if data < 1451 {
			name = "legacy:1/0"
		}
		c := &format.Column{Column: voxel.Column{Version: data, Sections: []voxel.Section{{Y: 3, Has: voxel.HasBlock}}}}
		c.Cells = []format.Cells{{Block: []voxel.Cell{mustCell(w.dim.Volume(voxel.Block).Names, name)}}}
		w.columns[c.Pos], w.order = c, []geom.ColumnPos{c.Pos}
		return w, c
	}
	t.Run("version 3", func(t *testing.T) {
		w, c := bare(1343)
		slime.Hold(slime.ContainerOptions{}, w.dim, nil)(c)
		a := c.Cells[0]
		if c.Sections[0].Has != voxel.HasBlock|voxel.HasSky|voxel.HasLight || c.Version != 0 ||
			!bytes.Equal(a.Sky, bytes.Repeat([]byte{0xFF}, 2048)) || !bytes.Equal(a.Light, make([]byte, 2048)) {
			t.Errorf("held %+v", c.Sections)
		}
		if len(c.Maps) != 2 || c.Maps[0].Name != "HeightMap" || c.Maps[1].Values[255] != 255 {
			t.Errorf("maps %v", c.Maps)
		}
	})
	t.Run("version 13", func(t *testing.T) {
		w, c := bare(3955)
		slime.Hold(slime.ContainerOptions{}, w.dim, nil)(c)
		if len(c.Sections) != 16 || c.Sections[0].Y != 0 || c.Sections[15].Y != 15 {
			t.Fatalf("sections %v", c.Sections)
		}
		for i, s := range c.Sections {
			name := w.dim.Volume(voxel.Biome).Names.Name(c.Cells[i].Biome[0])
			if s.Has != voxel.HasBlock|voxel.HasBiome || name != "minecraft:nether_wastes" {
				t.Errorf("section %d has %b, biome %s", s.Y, s.Has, name)
			}
		}
	})
	t.Run("the game's version", func(t *testing.T) {
		for _, v := range []struct{ written, held int32 }{{0, 0}, {1343, 922}, {1519, 1631}, {2567, 2586}, {2724, 2730}} {
			w, c := bare(v.written)
			slime.Hold(slime.ContainerOptions{Version: 9}, w.dim, nil)(c)
			if c.Version != v.held {
				t.Errorf("data version %d held as %d, want %d", v.written, c.Version, v.held)
			}
		}
	})
}

func TestHoldDrops(t *testing.T) {
	chest := voxel.List{Name: voxel.BlockEntities, Objects: []voxel.Object{{Place: voxel.Moved, Payload: []byte{0}}}}
	for _, c := range []struct {
		name   string
		kind   kindOf
		change func(*format.Column)
		kept   bool
		lost   string
	}{
		{"no sections", kindOf{3, 0, 0}, func(c *format.Column) { c.Sections, c.Cells = nil, nil }, false, "columns without blocks"},
		{"air alone", kindOf{13, 8, 3955}, clearBlocks, false, "columns without blocks"},
		{"air and a chest", kindOf{9, 8, 2975}, func(c *format.Column) { clearBlocks(c); c.Lists = []voxel.List{chest} }, false, "block_entities"},
		{"air and a chest in version 13", kindOf{13, 8, 3955}, func(c *format.Column) { clearBlocks(c); c.Lists = []voxel.List{chest} }, true, ""},
		{"features", kindOf{13, 8, 3955}, func(c *format.Column) { c.Parts = []voxel.Part{chunkPart("minecraft:features")} }, false, "columns not generated"},
		{"damaged", kindOf{13, 8, 3955}, func(c *format.Column) { c.Parts = []voxel.Part{{Name: voxel.PartChunk, Damaged: true}} }, false, "columns not generated"},
		{"postprocessed", kindOf{9, 4, 1631}, func(c *format.Column) { c.Parts = []voxel.Part{chunkPart("postprocessed")} }, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			world, lost := madeUp(c.kind, "overworld"), slime.Losses{}
			column := world.columns[geom.ColumnPos{X: 0, Z: -1}]
			column.Lists = nil
			c.change(column)
			if kept := slime.Hold(writtenKinds()[c.kind], world.dim, lost)(column); kept != c.kept {
				t.Errorf("kept %v", kept)
			}
			if c.lost != "" && lost[c.lost] != 1 {
				t.Errorf("lost %v, want one of %q", lost, c.lost)
			}
		})
	}
}

func clearBlocks(c *format.Column) {
	for i := range c.Cells {
		c.Cells[i].Block = []voxel.Cell{0}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		data         int32
		slime, world int
	}{
		{0, 3, 1}, {99, 3, 1}, {100, 3, 2}, {184, 3, 2}, {512, 3, 2}, {819, 3, 3}, {1343, 3, 3}, {1451, 9, 4}, {1631, 9, 4},
		{1952, 9, 5}, {2230, 9, 5}, {2528, 9, 5}, {2529, 9, 6}, {2586, 9, 6}, {2724, 9, 7}, {2730, 9, 7}, {2834, 13, 8}, {2860, 13, 8}, {4903, 13, 8},
	} {
		if s, w := slime.Choose(c.data); s != c.slime || w != c.world {
			t.Errorf("data version %d: version %d, world version %d, want %d, %d", c.data, s, w, c.slime, c.world)
		}
	}
}

// TestRefused writes what no file of the version can hold.
func TestRefused(t *testing.T) {
	v3, v9, v13 := kindOf{3, 0, 0}, kindOf{9, 5, 1976}, kindOf{13, 8, 3955}
	first := func(w *collected) *format.Column { return w.columns[w.order[0]] }
	rename := func(name string) func(*collected) {
		return func(w *collected) {
			first(w).Cells[0].Block = []voxel.Cell{mustCell(w.dim.Volume(voxel.Block).Names, name)}
		}
	}
	for _, c := range []struct {
		name    string
		kind    kindOf
		options slime.ContainerOptions
		change  func(*collected)
		want    string
	}{
		{"a name among numbers", v3, slime.ContainerOptions{}, rename("test:stone"), `column (-2,-1): section 0: block: state "test:stone"`},
		{"a number among names", v13, slime.ContainerOptions{}, rename("legacy:1/0"), `state "legacy:1/0"`},
		{"an id above 255", v3, slime.ContainerOptions{}, rename("legacy:256/0"), "legacy:256/0: an id above 255"},
		{"two data versions", v13, slime.ContainerOptions{}, func(w *collected) { w.columns[w.order[2]].Version = 3953 },
			"1 columns are not of the file's one version (data version 3955): [(-2,0) has 3953]"},
		{"two games", v9, slime.ContainerOptions{}, func(w *collected) { first(w).Version = 2586 }, "3 columns"},
		{"another data version", v13, slime.ContainerOptions{DataVersion: 3837}, func(*collected) {}, "4 columns"},
		{"version 3 of names", v9, slime.ContainerOptions{Version: 3}, func(*collected) {}, "numeric"},
		{"version 13 of 1.14", v9, slime.ContainerOptions{Version: 13}, func(*collected) {}, "1.18"},
		{"too wide", v3, slime.ContainerOptions{}, func(w *collected) { move(w, geom.ColumnPos{X: 32767, Z: 0}) }, "16 bits"},
		{"too far", v3, slime.ContainerOptions{}, func(w *collected) { move(w, geom.ColumnPos{X: 0, Z: -32769}) }, "16 bits"},
		{"a column twice", v13, slime.ContainerOptions{}, func(w *collected) { w.order = append(w.order, w.order[0]) }, "(-2,-1) comes twice"},
		{"another environment", v13, slime.ContainerOptions{}, func(w *collected) { w.dim.Name = "the_end" }, `environment "normal", but the dimension is "the_end"`},
		{"extra is no NBT", v13, slime.ContainerOptions{}, func(w *collected) { w.files[slime.ExtraPath] = []byte{1} }, slime.ExtraPath},
		{"version 14", v9, slime.ContainerOptions{Version: 14}, func(*collected) {}, "version 14, known are 1 to 13"},
		{"version 2 of names", v9, slime.ContainerOptions{Version: 2}, func(*collected) {}, "version 2 holds numeric blocks"},
		{"version 5 of 1.15", v9, slime.ContainerOptions{Version: 5}, func(*collected) {}, "version 5 holds worlds of up to 1.13"},
		{"version 8 of 1.18", v13, slime.ContainerOptions{Version: 8}, func(*collected) {}, "version 8 holds worlds of up to 1.17"},
		{"version 10 of 1.14", v9, slime.ContainerOptions{Version: 10}, func(*collected) {}, "version 10 holds worlds of 1.18"},
		{"world version 9", v9, slime.ContainerOptions{WorldVersion: 9}, func(*collected) {}, "world version 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			world := madeUp(c.kind, "overworld")
			c.change(world)
			var out bytes.Buffer
			w, err := slime.Create(&out, c.options)
			if err == nil {
				err = world.write(w)
			}
			if err == nil {
				err = w.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if out.Len() > 0 {
				t.Error("something was written")
			}
		})
	}
}

func move(w *collected, to geom.ColumnPos) {
	c := w.columns[w.order[0]]
	delete(w.columns, c.Pos)
	c.Pos, w.order[0] = to, to
	w.columns[to] = c
}

func TestSinkRefuses(t *testing.T) {
	w, err := slime.Create(&bytes.Buffer{}, slime.ContainerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if w.Column(&format.Column{}) == nil {
		t.Error("a column before any dimension was taken")
	}
	if err := w.Dimension(format.BlockDimension("overworld", "")); err != nil {
		t.Fatal(err)
	}
	if err := w.Dimension(format.BlockDimension("the_end", "")); err == nil || !strings.Contains(err.Error(), "the_end") {
		t.Errorf("a second dimension: %v", err)
	}
	if w.Chunk("solid", geom.ChunkPos{}, nil) == nil {
		t.Error("a chunk was taken")
	}
	if err := w.File(format.File{Path: "level.dat"}); err != nil || w.Lost()["file level.dat"] != 1 {
		t.Errorf("a file: %v, lost %v", err, w.Lost())
	}
}

// TestHoldKept counts sections that are kept as tags beside arrays that are not.
func TestHoldKept(t *testing.T) {
	kind := kindOf{13, 8, 3955}
	world := madeUp(kind, "overworld")
	c := world.columns[geom.ColumnPos{X: 1, Z: 1}]
	c.Sections[0].Has = c.Sections[0].Has&^voxel.HasBlock | voxel.KeptBlock
	c.Sections[0].Tags = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendString(nbt.AppendCompound(nil, "block_states"), "odd", "x")))
	c.Cells[0].Block = nil
	lost := slime.Losses{}
	if !slime.Hold(writtenKinds()[kind], world.dim, lost)(c) || lost["section tag block_states"] != 1 || c.KeptSections() != 0 {
		t.Errorf("lost %v, %d kept sections left", lost, c.KeptSections())
	}
	c = &format.Column{Column: voxel.Column{Version: 3955, Whole: voxel.KeptBlock}}
	lost = slime.Losses{}
	if slime.Hold(writtenKinds()[kind], world.dim, lost)(c) || lost["columns whose blocks are kept as tags"] != 1 {
		t.Errorf("lost %v", lost)
	}
}

// TestHoldPlugins keeps the data of plugins of a chunk in the extra tags, where AdvancedSlimePaper
// reads it.
func TestHoldPlugins(t *testing.T) {
	data := nbt.Entries{{Name: "a:b", Value: "c"}}
	chunk := func(tags ...nbt.Entry) voxel.Part {
		return voxel.Part{Name: voxel.PartChunk, Data: nbt.Append(nil, "", append(nbt.Entries{{Name: "Status", Value: "full"}}, tags...))}
	}
	extra := func(tags ...nbt.Entry) voxel.Part {
		return voxel.Part{Name: slime.PartExtra, Data: nbt.Append(nil, "", nbt.Entries(tags))}
	}
	plugins := nbt.Entry{Name: "ChunkBukkitValues", Value: data}
	other := nbt.Entry{Name: "other", Value: int8(1)}
	for _, tt := range []struct {
		name  string
		kind  kindOf
		parts []voxel.Part
		want  *voxel.Part // nil: none
		lost  int
	}{
		{"of a chunk", kindOf{13, 8, 3955}, []voxel.Part{chunk(plugins)}, ptr(extra(plugins)), 0},
		{"beside extra tags", kindOf{13, 8, 3955}, []voxel.Part{chunk(plugins), extra(other)}, ptr(extra(other, plugins)), 0},
		{"twice", kindOf{13, 8, 3955}, []voxel.Part{chunk(plugins), extra(plugins)}, ptr(extra(plugins)), 1},
		{"of a version without extra tags", kindOf{9, 5, 1976}, []voxel.Part{chunk(plugins)}, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			world := madeUp(tt.kind, "overworld")
			c := world.columns[geom.ColumnPos{X: 1, Z: 1}]
			c.Parts = tt.parts
			lost := slime.Losses{}
			if !slime.Hold(writtenKinds()[tt.kind], world.dim, lost)(c) {
				t.Fatal("the column is gone")
			}
			if lost["tag ChunkBukkitValues"] != tt.lost {
				t.Errorf("lost %v, want %d", lost, tt.lost)
			}
			if tt.want == nil != (len(c.Parts) == 0) {
				t.Fatalf("parts %v", c.Parts)
			}
			if tt.want != nil {
				if at, ok := nbt.Equal(c.Parts[0].Data, tt.want.Data); !ok {
					t.Errorf("differs at %q: % x", at, c.Parts[0].Data)
				}
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }
