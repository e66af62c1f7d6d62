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
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// twin is a dimension as maps of cells, filled beside a Loader.
type twin map[string]map[geom.Point]voxel.Cell

// source is a Source of columns as they are.
type source struct {
	head    format.Head
	dims    []*format.Dimension
	columns [][]*format.Column // by dimension
	files   []format.File
	end     error // of Read
}

func (s *source) Head() format.Head { return s.head }
func (s *source) Close() error      { return nil }

func (s *source) Read(ctx context.Context, to format.Sink) error {
	for i, d := range s.dims {
		if err := to.Dimension(d); err != nil {
			return err
		}
		for _, c := range s.columns[i] {
			if err := errors.Join(to.Column(c), ctx.Err()); err != nil {
				return err
			}
		}
	}
	for _, f := range s.files {
		if err := to.File(f); err != nil {
			return err
		}
	}
	return s.end
}

// randomColumn makes a column of d with sections of random heights in random
// order, and notes its cells in w.
func randomColumn(r *rand.Rand, d *format.Dimension, pos geom.ColumnPos, w twin) *format.Column {
	c := &format.Column{Column: voxel.Column{Pos: pos, Version: int32(r.IntN(4000))}}
	c.Maps = []voxel.Map{{Name: "HeightMap"}}
	c.Maps[0].Values[r.IntN(256)] = int32(r.IntN(300))
	heights := r.Perm(24)[:r.IntN(5)]
	if r.IntN(50) == 0 {
		heights = append(heights, 127+4, -128+4)
	}
	for _, h := range heights {
		y := h - 4
		s, cells := voxel.Section{Y: int8(y), Has: voxel.Has(r.IntN(16))}, format.Cells{}
		if r.IntN(4) == 0 {
			s.Tags = []byte{byte(r.IntN(3)), 0}
		}
		if s.Has&voxel.HasBlock != 0 {
			cells.Block = randomCells(r, d, voxel.Block, 4096)
			w.box(voxel.Block, pos, y, 16, func(i int) voxel.Cell { return cells.Block[i%len(cells.Block)] })
		}
		if s.Has&voxel.HasBiome != 0 {
			cells.Biome = randomCells(r, d, voxel.Biome, 64)
			w.box(voxel.Biome, pos, y, 4, func(i int) voxel.Cell { return cells.Biome[i%len(cells.Biome)] })
		}
		for bit, name := range map[voxel.Has]string{voxel.HasSky: voxel.Sky, voxel.HasLight: voxel.Light} {
			if s.Has&bit == 0 {
				continue
			}
			b := randomNibbles(r)
			w.box(name, pos, y, 16, func(i int) voxel.Cell { return voxel.Cell(b[i/2] >> (i % 2 * 4) & 15) })
			if name == voxel.Sky {
				cells.Sky = b
			} else {
				cells.Light = b
			}
		}
		c.Sections, c.Cells = append(c.Sections, s), append(c.Cells, cells)
	}
	if r.IntN(3) == 0 {
		c.Lists = []voxel.List{{Name: "z", Objects: []voxel.Object{{Payload: []byte("z")}}}, {Name: "empty"},
			{Name: "a", Objects: []voxel.Object{{Place: voxel.Moved, At: pos.Min(7), Payload: []byte("a")}, {Payload: []byte{}}}}}
		c.Parts = []voxel.Part{{Name: "chunk", Stamp: 5, Data: []byte("data")}}
	}
	return c
}

// box notes a section's cells.
func (w twin) box(name string, pos geom.ColumnPos, y, edge int, cell func(i int) voxel.Cell) {
	if w[name] == nil {
		w[name] = map[geom.Point]voxel.Cell{}
	}
	for i := range edge * edge * edge {
		p := geom.Point{X: int(pos.X)*edge + i%edge, Y: y*edge + i/edge/edge, Z: int(pos.Z)*edge + i/edge%edge}
		w[name][p] = cell(i)
	}
}

func randomCells(r *rand.Rand, d *format.Dimension, name string, n int) []voxel.Cell {
	names := d.Volume(name).Names
	cell := func() voxel.Cell {
		c, err := names.Cell(fmt.Sprint(name, r.IntN(40)))
		if err != nil {
			panic(err)
		}
		return c * voxel.Cell(r.IntN(2))
	}
	if r.IntN(2) == 0 {
		return []voxel.Cell{cell()}
	}
	out := make([]voxel.Cell, n)
	few := []voxel.Cell{cell(), cell(), cell()}
	for i := range out {
		out[i] = few[r.IntN(3)]
	}
	return out
}

func randomNibbles(r *rand.Rand) []byte {
	b := make([]byte, 2048)
	switch r.IntN(3) {
	case 0:
		for i := range b {
			b[i] = 0xFF
		}
	case 1:
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
	}
	return b
}

// randomWorld makes a world of the columns at, and what its cells are.
func randomWorld(r *rand.Rand, at []geom.ColumnPos) (*source, twin) {
	d, w := format.BlockDimension("overworld", ""), twin{}
	s := &source{dims: []*format.Dimension{d}, columns: make([][]*format.Column, 1)}
	for _, pos := range at {
		s.columns[0] = append(s.columns[0], randomColumn(r, d, pos, w))
	}
	return s, w
}

func square(edge int32) (at []geom.ColumnPos) {
	for z := -edge; z < edge; z++ {
		for x := -edge; x < edge; x++ {
			at = append(at, geom.ColumnPos{X: x, Z: z})
		}
	}
	return at
}

// checkCells compares every cell of the dimension with the twin.
func checkCells(t *testing.T, d *convert.LoadedDimension, w twin, names func(volume string) []string) {
	t.Helper()
	for _, v := range d.Volumes {
		want, seen := w[v.Volume.Name], 0
		for pos, c := range v.Chunks {
			if cell, ok := c.Uniform(); ok && cell == v.Default {
				t.Errorf("%s: chunk %v of nothing is held", v.Volume.Name, pos)
			}
			f := new([voxel.ChunkCells]voxel.Cell)
			c.Flat(f)
			for i, got := range f {
				cell, ok := want[pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})]
				if !ok {
					cell = v.Default
				} else {
					seen++
				}
				if v.Schema == voxel.Palette && v.Names[got] != names(v.Volume.Name)[cell] || v.Schema != voxel.Palette && got != cell {
					t.Fatalf("%s: chunk %v, cell %d: got %d, want %d", v.Volume.Name, pos, i, got, cell)
				}
			}
		}
		for p, cell := range want {
			if v.Chunks[p.Chunk()] == nil {
				if seen++; cell != v.Default {
					t.Fatalf("%s: %v: nothing there, want %d", v.Volume.Name, p, cell)
				}
			}
		}
		if seen != len(want) {
			t.Errorf("%s: %d cells, want %d", v.Volume.Name, seen, len(want))
		}
	}
}

// checkColumns compares what is no cells, except for what Loader orders.
func checkColumns(t *testing.T, d *convert.LoadedDimension, columns []*format.Column) {
	t.Helper()
	want := slices.Clone(columns)
	slices.SortFunc(want, func(a, b *format.Column) int { return a.Pos.Compare(b.Pos) })
	if len(d.Columns) != len(want) {
		t.Fatalf("%d columns, want %d", len(d.Columns), len(want))
	}
	for i, c := range want {
		ordered := c.Column
		ordered.Lists = slices.Clone(c.Lists)
		slices.SortFunc(ordered.Lists, func(a, b voxel.List) int { return strings.Compare(a.Name, b.Name) })
		ordered.Lists = slices.DeleteFunc(ordered.Lists, func(l voxel.List) bool { return len(l.Objects) == 0 })
		got := d.Columns[i]
		if fmt.Sprint(got) != fmt.Sprint(ordered) {
			t.Fatalf("column %v:\n%v, want\n%v", c.Pos, got, ordered)
		}
	}
}
