package world_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// countIn says of the blocks of the tests below in which height maps they count: by the game's definition.
var countIn = map[string]string{
	"minecraft:stone": "surface motion leafless floor", "minecraft:grass_block[snowy=false]": "surface motion leafless floor",
	"minecraft:gold_block": "surface motion leafless floor", "minecraft:glass": "surface motion leafless floor",
	"minecraft:oak_leaves[distance=1,persistent=true,waterlogged=false]": "surface motion floor",
	"minecraft:water[level=0]":                           "surface motion leafless",
	"minecraft:rail[shape=north_south,waterlogged=true]": "surface motion leafless",
	"minecraft:torch":                                    "surface", "minecraft:snow[layers=1]": "surface",
	"minecraft:cave_air": "",
	"legacy:1/0":         "light", "legacy:2/0": "light", "legacy:41/0": "light", "legacy:18/0": "light", "legacy:9/0": "light",
	"legacy:53/0": "light", "legacy:20/0": "", "legacy:50/0": "", "legacy:78/0": "",
}

var asked = map[string]string{"WORLD_SURFACE": "surface", "WORLD_SURFACE_WG": "surface", "MOTION_BLOCKING": "motion",
	"MOTION_BLOCKING_NO_LEAVES": "leafless", "OCEAN_FLOOR": "floor", "OCEAN_FLOOR_WG": "floor", "HeightMap": "light"}

// flat is an open world of 2x2 columns with four layers of ground in its lowest section, under height maps as a game
// made them, which count from base.
type flat struct {
	*world.World
	t    *testing.T
	st   history.Store
	base int
	maps []string
}

func newFlat(t *testing.T, version int32, base, lowest int, ground string, maps ...string) *flat {
	st := newStore()
	w := create(t, st, "flat", world.Options{})
	form := uint8(9)
	switch {
	case version < 1451:
		form = voxel.MapInts
	case version < 2529:
		form |= voxel.MapStraddle
	}
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		v := d.Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{Y: lowest}, Max: geom.Point{X: 32, Y: lowest + 4, Z: 32}}, v.Named(ground))
		for i := range int32(4) {
			c := voxel.Column{Pos: geom.ColumnPos{X: i & 1, Z: i >> 1}, Version: version}
			for y := lowest / 16; y < 16; y++ {
				c.Sections = append(c.Sections, voxel.Section{Y: int8(y), Has: voxel.HasBlock})
			}
			for _, name := range maps {
				m := voxel.Map{Name: name, Form: form}
				for at := range m.Values {
					m.Values[at] = int32(lowest - base + 4)
				}
				c.Maps = append(c.Maps, m)
			}
			c.Maps = append(c.Maps, biomes, damp)
			d.SetColumn(c)
		}
	})
	commit(t, w)
	closeWorld(t, w)
	w, err := world.Open(ctx, st, "flat", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeWorld(t, w) })
	return &flat{w, t, st, base, maps}
}

// biomes and damp are maps that no block changes: with a biome of the ground's height, and a mod's.
var (
	biomes = voxel.Map{Name: "Biomes", Form: voxel.MapBytes, Values: [256]int32{4, 4, 4, 1}}
	damp   = voxel.Map{Name: "mod:damp", Form: 3}
)

func (f *flat) edit(edit func(v *world.VolumeTx)) {
	f.t.Helper()
	_, err := f.UpdateContext(ctx, func(tx *world.Tx) error {
		d := tx.Dimension(earth)
		d.AnyHeight() // the maps follow also there
		edit(d.Volume(voxel.Block))
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// check compares the height maps with what the definition says of the blocks, cell by cell.
func (f *flat) check() {
	f.t.Helper()
	h, err := f.Load(ctx, earth, world.Everywhere)
	if err != nil {
		f.t.Fatal(err)
	}
	defer h.Release()
	d := f.View().Dimension(earth)
	v := d.Volume(voxel.Block)
	for pos, c := range d.Columns(world.Everywhere) {
		for at := range 256 {
			want := make(map[string]int32)
			for y := f.base; y < 130; y++ {
				cell, _ := v.Cell(pos.Min(y).Add(geom.Point{X: at % 16, Z: at / 16}))
				for _, what := range strings.Fields(countIn[v.CellName(cell)]) {
					want[what] = int32(y + 1 - f.base)
				}
			}
			for _, name := range f.maps {
				i := slices.IndexFunc(c.Maps, func(m voxel.Map) bool { return m.Name == name })
				if i < 0 {
					f.t.Fatalf("column %v lacks %s", pos, name)
				}
				if got := c.Maps[i].Values[at]; got != want[asked[name]] {
					f.t.Fatalf("%s of column %v at %d is %d, want %d", name, pos, at, got, want[asked[name]])
				}
			}
		}
		for _, want := range []voxel.Map{biomes, damp} {
			if !slices.Contains(c.Maps, want) {
				f.t.Errorf("map %s of column %v changed", want.Name, pos)
			}
		}
	}
}

// TestHeightMaps edits flat worlds as the games of some versions leave them.
func TestHeightMaps(t *testing.T) {
	four := []string{"MOTION_BLOCKING", "MOTION_BLOCKING_NO_LEAVES", "OCEAN_FLOOR", "WORLD_SURFACE"}
	const grass, old = "minecraft:grass_block[snowy=false]", "legacy:2/0"
	for _, tt := range []struct {
		name         string
		version      int32
		base, lowest int
		ground       string
		maps         []string
	}{
		{"1.8", 0, 0, 0, old, []string{"HeightMap"}},
		{"1.12", 1343, 0, 0, old, []string{"HeightMap"}},
		{"1.13", 1519, 0, 0, grass, []string{"MOTION_BLOCKING", "OCEAN_FLOOR_WG", "WORLD_SURFACE_WG"}},
		{"1.14", 1952, 0, 0, grass, four},
		{"1.16", 2586, 0, 0, grass, four},
		{"1.17 from -64", 2730, -64, -64, grass, four},
		{"1.18", 2865, -64, -64, grass, four},
		{"1.21", 3955, -64, -64, grass, four},
		{"26.1", 4786, -64, -64, grass, four},
		{"without the lowest sections", 3955, -64, -48, grass, four},
		{"the nether", 3955, 0, 0, grass, four},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFlat(t, tt.version, tt.base, tt.lowest, tt.ground, tt.maps...)
			x := 0
			for name := range countIn {
				if strings.HasPrefix(name, "legacy:") == (tt.ground == old) {
					x++
					f.edit(func(v *world.VolumeTx) { v.Set(geom.Point{X: x, Y: 90, Z: 7}, v.Named(name)) })
					f.edit(func(v *world.VolumeTx) { // many columns at once
						v.Fill(geom.Box{Min: geom.Point{X: 3 * x, Y: 100 + x, Z: 10}, Max: geom.Point{X: 3*x + 3, Y: 101 + x, Z: 32}}, v.Named(name))
					})
				}
			}
			f.check()
			f.edit(func(v *world.VolumeTx) { v.Set(geom.Point{X: 2, Y: tt.lowest + 3, Z: 2}, voxel.Empty) })
			f.edit(func(v *world.VolumeTx) { // to the bottom
				v.Fill(geom.Box{Min: geom.Point{X: 4, Y: tt.base, Z: 4}, Max: geom.Point{X: 5, Y: 200, Z: 5}}, voxel.Empty)
			})
			f.edit(func(v *world.VolumeTx) { // all of a column
				v.Fill(geom.Box{Min: geom.Point{X: 16, Y: tt.base}, Max: geom.Point{X: 32, Y: 200, Z: 16}}, voxel.Empty)
			})
			f.edit(func(v *world.VolumeTx) {
				v.Fill(region.Ball{Center: geom.Point{X: 14, Y: tt.lowest + 4, Z: 14}, Radius: 6}, v.Named(tt.ground))
			})
			f.check()
		})
	}
}

// TestHeightMapsLeftOut leaves out what nobody can say, and what has no room.
func TestHeightMapsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		y     int
		block string
		left  string
	}{
		{"a block of a mod", 90, "mod:crate", "WORLD_SURFACE"},
		{"a block of a mod below one that counts", -63, "mod:crate", "MOTION_BLOCKING WORLD_SURFACE"},
		{"too high", 500, "minecraft:stone", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFlat(t, 3955, -64, -64, "minecraft:stone", "MOTION_BLOCKING", "WORLD_SURFACE")
			f.edit(func(v *world.VolumeTx) { v.Set(geom.Point{X: 3, Y: tt.y, Z: 3}, v.Named(tt.block)) })
			f.edit(func(v *world.VolumeTx) { v.Set(geom.Point{X: 20, Y: 90, Z: 3}, v.Named("minecraft:stone")) })
			if _, err := f.Load(ctx, earth, world.Everywhere); err != nil {
				t.Fatal(err)
			}
			c, _ := f.View().Dimension(earth).Column(geom.ColumnPos{})
			var left []string
			for _, m := range c.Maps {
				if m.Name != biomes.Name && m.Name != damp.Name {
					left = append(left, m.Name)
				}
			}
			if got := strings.Join(left, " "); got != tt.left || len(c.Maps) != len(left)+2 {
				t.Errorf("left %q, want %q", got, tt.left)
			}
			if c, _ := f.View().Dimension(earth).Column(geom.ColumnPos{X: 1}); c.Maps[0].Values[16*3+4] != 155 {
				t.Errorf("of a block that is known: %d, want 155", c.Maps[0].Values[16*3+4])
			}
		})
	}
}

// TestHeightMapsByVotes edits a world of blocks that only its own height maps say something about.
func TestHeightMapsByVotes(t *testing.T) {
	f := newFlat(t, 3955, -64, -64, "mod:crate", "MOTION_BLOCKING")
	if _, err := f.Load(ctx, earth, world.Everywhere); err != nil {
		t.Fatal(err)
	}
	set(t, f.World, geom.Point{X: 20, Y: 90, Z: 20}, "minecraft:stone")
	commit(t, f.World) // Pack takes two stones
	if err := f.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(ctx, f.st, "flat", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, w)
	set(t, w, geom.Point{X: 3, Y: 90, Z: 3}, "mod:crate")
	c, _ := w.View().Dimension(earth).Column(geom.ColumnPos{})
	if m := c.Maps[0]; m.Name != "MOTION_BLOCKING" || m.Values[16*3+3] != 155 || m.Values[0] != 4 {
		t.Errorf("%s: %d, want 155", m.Name, m.Values[16*3+3])
	}
	set(t, w, geom.Point{X: 3, Y: 91, Z: 3}, "mod:lamp")
	if c, _ := w.View().Dimension(earth).Column(geom.ColumnPos{}); c.Maps[0].Name == "MOTION_BLOCKING" {
		t.Error("of a block that no vote was for")
	}
}
