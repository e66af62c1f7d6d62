package slime_test

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/slime"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// kindOf is a version with a world version, and the data version that reading
// gives.
type kindOf struct {
	version, world int
	data           int32
}

func (k kindOf) numeric() bool    { return k.world < 4 }
func (k kindOf) containers() bool { return k.world >= 8 }
func (k kindOf) String() string {
	return fmt.Sprintf("version %d, world version %d", k.version, k.world)
}

// allKinds are all that can be read.
func allKinds() []kindOf {
	data := []int32{0, 0, 184, 922, 1631, 1976, 2586, 2730, 2975}
	out := []kindOf{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {4, 4, 1631}, {5, 0, 0}, {5, 4, 1631}}
	for v := 6; v <= 9; v++ {
		for world := 1; world <= 7+v/9; world++ {
			out = append(out, kindOf{v, world, data[world]})
		}
	}
	for v := 10; v <= 13; v++ {
		out = append(out, kindOf{v, 8, 3955})
	}
	return out
}

// writtenKinds are all that can be written, and the options that ask for them.
func writtenKinds() map[kindOf]slime.ContainerOptions {
	out := map[kindOf]slime.ContainerOptions{}
	for _, k := range allKinds() {
		out[k] = slime.ContainerOptions{Version: k.version, WorldVersion: k.world}
	}
	return out
}

// madeUp returns a world that k holds exactly. Each column has the arrays of
// light in another combination, where k can leave them out.
func madeUp(k kindOf, dimension string) *collected {
	w := &collected{dim: format.BlockDimension(dimension, ""), columns: map[geom.ColumnPos]*format.Column{},
		files: map[string][]byte{}}
	for i, p := range []geom.ColumnPos{{X: -2, Z: -1}, {X: 0, Z: -1}, {X: -2, Z: 0}, {X: 1, Z: 1}} {
		c := &format.Column{Column: voxel.Column{Pos: p, Version: k.data}}
		for _, y := range madeUpHeights(k, dimension) {
			addSection(w.dim, c, k, y, i+y&3)
		}
		addMaps(w.dim, c, k, i)
		addObjects(c, k, i)
		w.columns[p] = c
		w.order = append(w.order, p)
	}
	if k.version >= 2 {
		env := map[string]string{"overworld": "normal", "the_nether": "nether"}[dimension]
		doc := nbt.AppendCompound(nbt.AppendHeader(nil, nbt.Compound, ""), "properties")
		doc = nbt.AppendInt(nbt.AppendString(doc, "environment", env), "spawnY", 70)
		if k.version == 13 {
			for _, name := range []string{"savePOI", "saveBlockTicks", "saveFluidTicks"} {
				doc = nbt.AppendByte(doc, name, 1)
			}
		}
		w.files[slime.ExtraPath] = nbt.AppendEnd(nbt.AppendEnd(doc))
	}
	if k.version >= 7 && k.version <= 9 {
		w.files[slime.MapsPath] = nbt.AppendEnd(nbt.AppendList(nbt.AppendHeader(nil, nbt.Compound, ""), "maps", nbt.Compound, 0))
	}
	return w
}

func madeUpHeights(k kindOf, dimension string) (out []int) {
	low, high, step := 0, 16, 5
	switch {
	case k.version >= 10 && dimension == "overworld":
		low, high, step = -4, 20, 1
	case k.version >= 10:
		step = 1
	case k.containers():
		low, high = -8, 24
	}
	for y := low; y < high; y += step {
		out = append(out, y)
	}
	return out
}

func mustCell(n *format.Names, name string) voxel.Cell {
	c, err := n.Cell(name)
	if err != nil {
		panic(err)
	}
	return c
}

// addSection adds a section with light for bit 0 and sky for bit 1 of lit.
func addSection(d *format.Dimension, c *format.Column, k kindOf, y, lit int) {
	blocks, biomes := d.Volume(voxel.Block).Names, d.Volume(voxel.Biome).Names
	s, a := voxel.Section{Y: int8(y), Has: voxel.HasBlock}, format.Cells{Block: make([]voxel.Cell, 4096)}
	kinds := []int{2, 16, 17, 70, 300}[(y+8)%5]
	for i := range a.Block {
		n := i * i >> 3 % kinds
		if name := fmt.Sprintf("test:b%d[a=%d,b=x]", n, n/7); k.numeric() {
			a.Block[i] = mustCell(blocks, block.LegacyName(n%256, uint8(n%16)))
		} else if n > 0 {
			a.Block[i] = mustCell(blocks, name)
		}
	}
	if k.containers() {
		s.Has |= voxel.HasBiome
		a.Biome = []voxel.Cell{mustCell(biomes, "test:plain")}
		if y%2 == 0 {
			a.Biome = make([]voxel.Cell, 64)
			for i := range a.Biome {
				a.Biome[i] = mustCell(biomes, fmt.Sprintf("test:biome%d", i%(y&7+2)))
			}
		}
		if y == 7 {
			a.Block = []voxel.Cell{mustCell(blocks, "test:one")}
		}
	}
	if lit&1 != 0 || k.version < 5 {
		s.Has |= voxel.HasLight
		a.Light = pattern(2048, y)
	}
	if lit&2 != 0 || k.version < 5 {
		s.Has |= voxel.HasSky
		a.Sky = pattern(2048, y+100)
	}
	if k.version < 4 && y == 5 {
		s.Tags = nbt.AppendEnd(nbt.AppendByteArray(nil, slime.TagHypixelBlocks3, pattern(33, 1)))
	}
	c.Sections, c.Cells = append(c.Sections, s), append(c.Cells, a)
}

func pattern(n, seed int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i*(seed+3) + i/7)
	}
	return out
}

func addMaps(d *format.Dimension, c *format.Column, k kindOf, i int) {
	values := func(top int) (out [256]int32) {
		for j := range out {
			out[j] = int32((j*7 + i) % top)
		}
		return out
	}
	switch {
	case k.numeric():
		c.Maps = []voxel.Map{{Name: "HeightMap", Form: voxel.MapInts, Values: values(257)},
			{Name: "Biomes", Form: voxel.MapBytes, Values: values(256)}}
		return
	case k.world < 6:
		c.Maps = []voxel.Map{{Name: "WORLD_SURFACE", Form: 9 | voxel.MapStraddle, Values: values(257)}}
	default:
		c.Maps = []voxel.Map{{Name: "WORLD_SURFACE", Form: 9, Values: values(385)},
			{Name: "MOTION_BLOCKING", Form: 9, Values: values(3)}}
	}
	switch {
	case k.containers() || k.version >= 8 && i == 3:
	case k.version >= 8 && k.world >= 5 && i%2 == 0:
		c.Biomes = make([]voxel.Cell, 1024)
		for j := range c.Biomes {
			c.Biomes[j] = mustCell(d.Volume(voxel.Biome).Names, block.LegacyBiomeName(int32(j%5-1)))
		}
		if k.world == 5 {
			c.Version = 2230
		}
	default:
		c.Maps = append(c.Maps, voxel.Map{Name: "Biomes", Form: voxel.MapInts, Values: values(170)})
	}
}

// addObjects adds objects within the column, one of them twice.
func addObjects(c *format.Column, k kindOf, i int) {
	at := c.Pos.Min(60).Add(geom.Point{X: 3, Z: i})
	moved := func(s string) voxel.Object {
		return voxel.Object{Place: voxel.Moved, At: at, Payload: nbt.AppendEnd(nbt.AppendString(nil, "id", s))}
	}
	entity := nbt.AppendList(nbt.AppendString(nil, "id", "test:cow"), "Pos", nbt.Double, 3)
	for _, v := range []float64{float64(at.X) + .25, float64(at.Y) + .5, float64(at.Z)} {
		entity = appendUint64(entity, math.Float64bits(v))
	}
	entity = nbt.AppendEnd(entity)
	add := func(name string, objects ...voxel.Object) {
		c.Lists = append(c.Lists, voxel.List{Name: name, Objects: objects})
	}
	if i != 1 {
		add(voxel.BlockEntities, moved("test:chest"), moved("test:sign"), moved("test:chest"))
	}
	if i != 2 && k.version >= 3 {
		add(voxel.Entities, voxel.Object{Place: voxel.Indexed, At: at, Payload: entity})
	}
	if k.version < 12 {
		return
	}
	if i == 0 {
		extra := nbt.AppendEnd(nbt.AppendInt(nbt.AppendHeader(nil, nbt.Compound, ""), "pdc", 4))
		c.Parts = append(c.Parts, voxel.Part{Name: slime.PartExtra, Data: extra})
	}
	if k.version < 13 {
		return
	}
	if i == 1 {
		add(voxel.BlockTicks, moved("test:water"))
		add(voxel.FluidTicks, moved("test:lava"), moved("test:lava"))
	}
	if i == 0 {
		poi := nbt.AppendInt(nbt.AppendHeader(nil, nbt.Compound, ""), "DataVersion", c.Version)
		poi = nbt.AppendByte(nbt.AppendCompound(nbt.AppendCompound(poi, "Sections"), "3"), "Valid", 1)
		poi = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendEnd(poi)))
		c.Parts = append([]voxel.Part{{Name: voxel.PartPOI, Data: poi}}, c.Parts...)
	}
}

// TestKinds reads what the twin writes in every version, and holds the Writer
// to the twin's bytes.
func TestKinds(t *testing.T) {
	written := writtenKinds()
	for _, dimension := range []string{"overworld", "the_nether"}[:long.By(1, 2, 2)] {
		for _, k := range allKinds() {
			t.Run(dimension+" "+k.String(), func(t *testing.T) {
				world := madeUp(k, dimension)
				file := twinFile(world, k)
				got, w := mustRead(t, file)
				sameColumns(t, got, world)
				for path, doc := range world.files {
					if string(got.files[path]) != string(doc) {
						t.Errorf("%s: % x, want % x", path, got.files[path], doc)
					}
				}
				if len(got.files) != len(world.files) || len(w.Stats().Dropped) > 0 || w.Stats().Trailing != 0 {
					t.Errorf("%d files, stats %+v", len(got.files), w.Stats())
				}
				if k.version >= 2 && got.dim.Name != dimension {
					t.Errorf("dimension %q", got.dim.Name)
				}
				o, ok := written[k]
				if !ok {
					return
				}
				again, lost := mustWrite(t, world, o)
				want := map[string]int{}
				if k.version == 1 && dimension != "overworld" {
					want["property environment"] = 1 // the version has no place for it
				}
				if !maps.Equal(lost, want) {
					t.Errorf("lost %v, want %v", lost, want)
				}
				if string(again) != string(file) {
					t.Error("the writer and its twin differ")
				}
			})
		}
	}
}
