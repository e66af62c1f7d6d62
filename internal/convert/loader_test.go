package convert_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func TestLoaderTwin(t *testing.T) {
	const far = 1 << 21
	edge := int32(long.Of(3, 5))
	for _, tt := range []struct {
		name    string
		at      []geom.ColumnPos
		shuffle bool
	}{
		{"nothing", nil, false},
		{"a column", square(1)[:1], false},
		{"by footprint", []geom.ColumnPos{{X: 0, Z: 0}, {X: 1, Z: 0}, {X: 0, Z: 1}, {X: 1, Z: 1}, {X: 2, Z: 0}, {X: 3, Z: 0}, {X: 2, Z: 1}, {X: 3, Z: 1}}, false},
		{"row by row", square(edge), false},
		{"in any order", square(edge), true},
		{"the ends of space", []geom.ColumnPos{{X: -far, Z: -far}, {X: far - 1, Z: far - 1}, {X: -far, Z: far - 1}, {X: far - 1, Z: -far}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(tt.at))))
			if tt.shuffle {
				r.Shuffle(len(tt.at), func(i, j int) { tt.at[i], tt.at[j] = tt.at[j], tt.at[i] })
			}
			src, twin := randomWorld(r, tt.at)
			w := mustLoad(t, src)
			names := func(volume string) []string { return src.dims[0].Volume(volume).Names.List() }
			checkCells(t, w.Dimensions[0], twin, names)
			checkColumns(t, w.Dimensions[0], src.columns[0])
			back, err := convert.FromContent(context.Background(), mustStone(t, w), 0)
			if err != nil {
				t.Fatal(err)
			}
			checkCells(t, back.Dimensions[0], twin, names)
			checkColumns(t, mustLoad(t, back.Source()).Dimensions[0], src.columns[0])
		})
	}
}

// TestLoaderOwns changes what the Loader was given once it has returned.
func TestLoaderOwns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	src, _ := randomWorld(r, square(2))
	want := mustLoad(t, src)
	l := convert.NewLoader(format.Head{})
	if err := l.Dimension(src.dims[0]); err != nil {
		t.Fatal(err)
	}
	for _, c := range src.columns[0] {
		if err := l.Column(c); err != nil {
			t.Fatal(err)
		}
		for i, s := range c.Sections {
			clear(s.Tags)
			clear(c.Cells[i].Block)
			clear(c.Cells[i].Biome)
			clear(c.Cells[i].Sky)
			c.Sections[i].Y = 99
		}
		for _, list := range c.Lists {
			for i := range list.Objects {
				clear(list.Objects[i].Payload)
				list.Objects[i].At.X = -1
			}
			clear(list.Objects)
		}
		for i := range c.Parts {
			clear(c.Parts[i].Data)
			c.Parts[i].Stamp = 0
		}
		clear(c.Maps)
	}
	got := l.World()
	if d := mustDiff(t, want, got); !d.Same() {
		t.Errorf("what was given and changed later is in the world: %+v", d)
	}
}

// TestLoaderWholeBiomes has biomes in one piece, sections below and above them.
func TestLoaderWholeBiomes(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	names := d.Volume(voxel.Biome).Names
	c := &format.Column{Column: voxel.Column{Pos: geom.ColumnPos{X: -3, Z: 9}}, Biomes: make([]voxel.Cell, 1024)}
	for i := range c.Biomes {
		cell, err := names.Cell(fmt.Sprint("legacy:", i%7))
		if err != nil {
			t.Fatal(err)
		}
		c.Biomes[i] = cell
	}
	below, err := names.Cell("below")
	if err != nil {
		t.Fatal(err)
	}
	c.Sections = []voxel.Section{{Y: -1, Has: voxel.HasBiome}, {Y: 16, Has: voxel.HasBiome}}
	c.Cells = []format.Cells{{Biome: []voxel.Cell{below}}, {Biome: []voxel.Cell{0}}}
	src := &source{dims: []*format.Dimension{d}, columns: [][]*format.Column{{c}}}
	back, err := convert.FromContent(context.Background(), mustStone(t, mustLoad(t, src)), 0)
	if err != nil {
		t.Fatal(err)
	}
	biomes := back.Dimensions[0].Volume(voxel.Biome)
	got := &oneColumn{}
	if err := back.Source().Read(context.Background(), got); err != nil {
		t.Fatal(err)
	}
	if len(got.biomes) != 1024 || got.below != "below" {
		t.Fatalf("%d biomes, %q below", len(got.biomes), got.below)
	}
	for i, cell := range got.biomes {
		if biomes.Names[cell] != names.Name(c.Biomes[i]) {
			t.Fatalf("biome %d is %q, want %q", i, biomes.Names[cell], names.Name(c.Biomes[i]))
		}
	}
}

// oneColumn is a Sink of one column with whole biomes and a section below.
type oneColumn struct {
	dim    *format.Dimension
	biomes []voxel.Cell
	below  string
}

func (o *oneColumn) Dimension(d *format.Dimension) error { o.dim = d; return nil }
func (o *oneColumn) File(format.File) error              { return nil }
func (o *oneColumn) Chunk(string, geom.ChunkPos, *voxel.Chunk) error {
	return errors.New("a chunk")
}

func (o *oneColumn) Column(c *format.Column) error {
	o.biomes = slices.Clone(c.Biomes)
	o.below = o.dim.Volume(voxel.Biome).Names.Name(c.Cells[0].Biome[0])
	return nil
}

func TestLoaderRefuses(t *testing.T) {
	at := func(x, z int32) *format.Column {
		return &format.Column{Column: voxel.Column{Pos: geom.ColumnPos{X: x, Z: z}}}
	}
	with := func(cells format.Cells, sections ...voxel.Section) *format.Column {
		c := at(0, 0)
		c.Sections = sections
		for range sections {
			c.Cells = append(c.Cells, cells)
		}
		return c
	}
	one, sky := []voxel.Cell{0}, make([]byte, 2048)
	whole := with(format.Cells{Biome: one}, voxel.Section{Y: 3, Has: voxel.HasBiome})
	whole.Biomes = make([]voxel.Cell, 1024)
	short := at(0, 0)
	short.Biomes = make([]voxel.Cell, 1023)
	fewer := with(format.Cells{}, voxel.Section{Y: 1})
	fewer.Cells = nil
	scaled := format.BlockDimension("scaled", "")
	scaled.Volumes[0].Scale = 255
	dark := format.BlockDimension("dark", "")
	dark.Volumes = dark.Volumes[:2]
	block := with(format.Cells{Block: one}, voxel.Section{Has: voxel.HasBlock})
	for _, tt := range []struct {
		name    string
		dim     *format.Dimension
		columns []*format.Column
		want    string
	}{
		{"no dimension", nil, []*format.Column{at(0, 0)}, "outside a dimension"},
		{"twice", nil, []*format.Column{at(1, 2), at(1, 3), at(1, 2)}, "column (1,2) of overworld: it comes twice"},
		{"too far east", nil, []*format.Column{at(1<<21, 0)}, "out of range"},
		{"too far north", nil, []*format.Column{at(0, -1<<21-1)}, "out of range"},
		{"a section twice", nil, []*format.Column{with(format.Cells{Block: one}, voxel.Section{Y: -1, Has: voxel.HasBlock}, voxel.Section{Y: -1, Has: voxel.HasBlock})}, "section -1 comes twice"},
		{"biomes twice", nil, []*format.Column{whole}, "section 3 comes twice"},
		{"biomes of another number", nil, []*format.Column{short}, "1023 biomes"},
		{"fewer cells than sections", nil, []*format.Column{fewer}, "cells of 0 sections"},
		{"too few blocks", nil, []*format.Column{with(format.Cells{Block: make([]voxel.Cell, 4095)}, voxel.Section{Has: voxel.HasBlock})}, "block of 4095"},
		{"too many biomes", nil, []*format.Column{with(format.Cells{Biome: make([]voxel.Cell, 65)}, voxel.Section{Has: voxel.HasBiome})}, "biome of 65"},
		{"one byte of light", nil, []*format.Column{with(format.Cells{Light: sky[:1]}, voxel.Section{Has: voxel.HasLight})}, "light of 1"},
		{"cells that are not listed", nil, []*format.Column{with(format.Cells{Sky: sky}, voxel.Section{})}, "sky of 2048"},
		{"cells that are listed", nil, []*format.Column{with(format.Cells{}, voxel.Section{Has: voxel.HasSky})}, "sky of 0"},
		{"a volume of another scale", scaled, []*format.Column{block}, "block in a dimension without"},
		{"no volume", dark, []*format.Column{with(format.Cells{Sky: sky}, voxel.Section{Has: voxel.HasSky})}, "sky in a dimension without"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := convert.NewLoader(format.Head{})
			if tt.name != "no dimension" {
				d := tt.dim
				if d == nil {
					d = format.BlockDimension("overworld", "")
				}
				if err := l.Dimension(d); err != nil {
					t.Fatal(err)
				}
			}
			var err error
			for _, c := range tt.columns {
				if err != nil {
					t.Fatalf("column %v: %v", c.Pos, err)
				}
				err = l.Column(c)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestLoaderSectionsShareHeight has two sections of one height that hold
// different arrays: nothing is lost, so it is taken.
func TestLoaderSectionsShareHeight(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	c := &format.Column{Column: voxel.Column{Sections: []voxel.Section{{Y: 2, Has: voxel.HasSky}, {Y: 2, Has: voxel.HasLight}, {Y: 2}}},
		Cells: []format.Cells{{Sky: make([]byte, 2048)}, {Light: make([]byte, 2048)}, {}}}
	src := &source{dims: []*format.Dimension{d}, columns: [][]*format.Column{{c}}}
	w := mustLoad(t, src)
	if d := mustDiff(t, w, mustLoad(t, w.Source())); !d.Same() {
		t.Errorf("%+v", d)
	}
}

func TestLoaderRefusesTwice(t *testing.T) {
	d := format.BlockDimension("d", "")
	src := &source{dims: []*format.Dimension{d, format.BlockDimension("e", ""), format.BlockDimension("d", "x")}, columns: make([][]*format.Column, 3)}
	if _, err := convert.Load(context.Background(), src); err == nil || !strings.Contains(err.Error(), `"d" comes twice`) {
		t.Errorf("a dimension twice: %v", err)
	}
	l := convert.NewLoader(format.Head{})
	if err := l.Chunk("solid", geom.ChunkPos{}, voxel.Uniform(0)); err == nil {
		t.Error("a chunk outside a dimension is taken")
	}
	if err := l.Dimension(d); err != nil {
		t.Fatal(err)
	}
	if err := l.Chunk("solid", geom.ChunkPos{}, voxel.Uniform(0)); err == nil {
		t.Error("a chunk of no volume is taken")
	}
	if err := l.Chunk(voxel.Block, geom.ChunkPos{Y: geom.MaxChunk}, voxel.Uniform(0)); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("a chunk above all: %v", err)
	}
}

// TestLoaderRefusesMixed gives blocks by columns and by chunks, in either order.
func TestLoaderRefusesMixed(t *testing.T) {
	l, d := convert.NewLoader(format.Head{}), format.BlockDimension("d", "")
	d.Volumes = append(d.Volumes, &format.NamedVolume{Volume: voxel.Volume{Name: "fog", Schema: voxel.Level, Scale: 1}})
	if err := errors.Join(l.Dimension(d), l.Chunk("fog", geom.ChunkPos{}, voxel.Uniform(1)), l.Column(&format.Column{})); err != nil {
		t.Fatal(err)
	}
	if err := l.Chunk(voxel.Sky, geom.ChunkPos{}, voxel.Uniform(0)); err == nil {
		t.Error("a chunk after a column is taken")
	}
	if err := errors.Join(l.Dimension(format.BlockDimension("e", "")), l.Chunk(voxel.Sky, geom.ChunkPos{}, voxel.Uniform(0))); err != nil {
		t.Fatal(err)
	}
	if err := l.Column(&format.Column{}); err == nil {
		t.Error("a column after a chunk is taken")
	}
}

// TestLoadDamaged keeps what could be read.
func TestLoadDamaged(t *testing.T) {
	src, _ := randomWorld(rand.New(rand.NewPCG(5, 6)), square(1))
	src.end = &format.DamageError{Columns: []format.Damage{{File: "r.0.0.mca"}}}
	w, err := convert.Load(context.Background(), src)
	var damage *format.DamageError
	if !errors.As(err, &damage) || len(w.Dimensions[0].Columns) != 4 {
		t.Errorf("%d columns, %v", len(w.Dimensions[0].Columns), err)
	}
}

func TestLoadCancelled(t *testing.T) {
	src, _ := randomWorld(rand.New(rand.NewPCG(7, 8)), square(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := convert.Load(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
