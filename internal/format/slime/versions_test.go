package slime_test

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestOlderLose: older versions lose by name what a later one holds.
func TestOlderLose(t *testing.T) {
	v3, v9, v13 := kindOf{3, 0, 0}, kindOf{9, 4, 1631}, kindOf{13, 8, 3955}
	for _, tt := range []struct {
		kind    kindOf
		version int
		want    map[string]bool
	}{
		{v3, 2, map[string]bool{"entities": true}},
		{v3, 1, map[string]bool{"entities": true, "file .slime/extra.nbt": true}},
		{v9, 6, map[string]bool{"file .slime/maps.nbt": true}},
		{v9, 4, map[string]bool{"file .slime/maps.nbt": true}},
		{v13, 12, map[string]bool{"block_ticks": true, "fluid_ticks": true, "part poi": true}},
		{v13, 11, map[string]bool{"block_ticks": true, "fluid_ticks": true, "part poi": true, "part slime_extra": true}},
	} {
		world := madeUp(tt.kind, "overworld")
		file, lost := mustWrite(t, world, slime.ContainerOptions{Version: tt.version})
		for name := range tt.want {
			if lost[name] == 0 {
				t.Errorf("version %d: %s is not among what is lost: %v", tt.version, name, lost)
			}
		}
		for name := range lost {
			if !tt.want[name] {
				t.Errorf("version %d lost %s", tt.version, name)
			}
		}
		back, w := mustRead(t, file)
		if got := w.Head().Version; got != tt.version || len(back.columns) != len(world.columns) {
			t.Errorf("version %d: read as %d with %d columns", tt.version, got, len(back.columns))
		}
	}
}

// TestFlatBiomes: versions before 8 have one biome for each block column, and get plains where a column has none of these.
func TestFlatBiomes(t *testing.T) {
	world := madeUp(kindOf{9, 5, 2230}, "overworld")
	file, lost := mustWrite(t, world, slime.ContainerOptions{Version: 7})
	if lost["biomes in three dimensions"] == 0 {
		t.Errorf("lost %v", lost)
	}
	back, _ := mustRead(t, file)
	for _, c := range back.columns {
		i := len(c.Maps) - 1
		if i < 0 || c.Maps[i].Name != "Biomes" || c.Biomes != nil {
			t.Fatalf("maps %v", c.Maps)
		}
	}
}

// TestHypixelBlocks3: the cache of blocks is made on request, and is kept when it is there.
func TestHypixelBlocks3(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	names := d.Volume(voxel.Block).Names
	cells := func(kinds int) []voxel.Cell {
		out := make([]voxel.Cell, 4096)
		for i := range out {
			n := i % kinds
			out[i] = mustCell(names, numbered(n))
		}
		return out
	}
	for _, tt := range []struct {
		kinds, size, longs int
		first              []byte
	}{
		{3, 4, 256, []byte{4, 3, 0, 0x10, 0x20, 0x80, 0x02}},
		{40, 6, 384, []byte{6, 40}},
		{300, 13, 832, []byte{13, 0, 0xC0, 0x06}},
	} {
		light := make([]byte, 2048)
		c := &format.Column{
			Column: voxel.Column{Pos: geom.ColumnPos{}, Sections: []voxel.Section{{Y: 1, Has: voxel.HasBlock | voxel.HasSky | voxel.HasLight}}},
			Cells:  []format.Cells{{Block: cells(tt.kinds), Sky: light, Light: light}},
		}
		world := &collected{dim: d, columns: map[geom.ColumnPos]*format.Column{{}: c}, order: []geom.ColumnPos{{}}, files: map[string][]byte{}}
		plain, _ := mustWrite(t, world, slime.ContainerOptions{Version: 3})
		without, _ := mustRead(t, plain)
		if tags := without.columns[geom.ColumnPos{}].Sections[0].Tags; tags != nil {
			t.Errorf("a cache that nobody asked for: % x", tags)
		}
		file, lost := mustWrite(t, world, slime.ContainerOptions{Version: 3, HypixelBlocks3: true})
		back, _ := mustRead(t, file)
		r := nbt.NewPayload(back.columns[geom.ColumnPos{}].Sections[0].Tags, nbt.Limits{})
		r.Next()
		got := r.ByteArray()
		if !bytes.HasPrefix(got, tt.first) || len(got) < 8*tt.longs || len(lost) > 0 {
			t.Errorf("%d kinds: %d bytes, % x, lost %v", tt.kinds, len(got), got[:min(len(got), 8)], lost)
		}
		if again, _ := mustWrite(t, back, slime.ContainerOptions{Version: 3}); !bytes.Equal(again, file) {
			t.Error("the cache is not kept")
		}
	}
}

// numbered returns the name of the n-th block of numbers.
func numbered(n int) string { return block.LegacyName(n%256, uint8(n/256)) }
