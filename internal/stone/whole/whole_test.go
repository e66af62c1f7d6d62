package whole_test

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// open writes a Spec and opens it.
func open(t *testing.T, s stonetest.Spec) *stone.Reader {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Write(&b, stone.Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// land is a row of n chunks of cell 2, and a column.
func land(n int32) stonetest.Spec {
	v := stonetest.VolumeSpec{Volume: voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, Names: []string{"air", "never", "rock"}, Levels: []stonetest.LevelSpec{{}}}
	for x := range n {
		v.Levels[0].Chunks = append(v.Levels[0].Chunks, stone.Placed{Pos: geom.ChunkPos{X: x}, Chunk: voxel.Uniform(2)})
	}
	slices.SortFunc(v.Levels[0].Chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
	bees := voxel.List{Name: "bees", Objects: []voxel.Object{{Payload: []byte("bee")}, {Payload: []byte("bee")}}}
	return stonetest.Spec{
		Properties: []stone.Property{{Key: "format", Value: "made up"}},
		Dimensions: []stonetest.DimensionSpec{{Name: "earth", Folder: "region", Volumes: []stonetest.VolumeSpec{v}, Columns: []voxel.Column{{Version: 7, Sections: []voxel.Section{{Y: 1, Has: voxel.KeptBlock, Tags: []byte{0}}}, Lists: []voxel.List{bees}}}}},
		Files:      []stonetest.FileSpec{{Path: "icon", Data: []byte{1, 2, 3}}},
	}
}

func TestWrite(t *testing.T) {
	for _, n := range []int32{1, 100} {
		from := open(t, land(n))
		var b bytes.Buffer
		id, size, err := whole.Write(context.Background(), &b, from, whole.Options{Far: true})
		if err != nil || size != int64(b.Len()) {
			t.Fatalf("%v: %d of %d bytes, %v", id, size, b.Len(), err)
		}
		r, err := stone.Open(bytes.NewReader(b.Bytes()), size)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(context.Background()); err != nil {
			t.Error(err)
		}
		v := r.Dimensions()[0].Volumes[0]
		if !slices.Equal(v.Names, []string{"air", "rock"}) {
			t.Errorf("names %q", v.Names)
		}
		if far := slices.Contains(v.Levels, stone.FirstFar); far != (n == 100) {
			t.Errorf("%d chunks: levels %v", n, v.Levels)
		}
		for p, err := range whole.Chunks(context.Background(), r, "earth", voxel.Block, 0) {
			if cell, ok := p.Chunk.Uniform(); err != nil || !ok || cell != 1 {
				t.Errorf("chunk %v is all cell %d, %v", p.Pos, cell, err)
			}
		}
		said := r.Tally("earth")
		counted, err := whole.Tally(context.Background(), from, from.Dimensions()[0])
		if err != nil || said == nil || !maps.Equal(said.Cells, counted.Cells) || said.Cells[voxel.Block] != int(n)*voxel.ChunkCells ||
			said.Kept != 1 || counted.Kept != 1 || said.Objects["bees"] != 2 || counted.Objects["bees"] != 2 || said.Versions[7] != 1 {
			t.Errorf("%d chunks: the stone says %+v, counted %+v, %v", n, said, counted, err)
		}
	}
}

// Space is 64 cubes of the highest level. A world may lie in more of them than a last level has
// otherwise.
func TestWriteCornersOfSpace(t *testing.T) {
	ctx := context.Background()
	const wide = 1 << geom.MaxLevel
	spec := land(1)
	chunks := &spec.Dimensions[0].Volumes[0].Levels[0].Chunks
	*chunks = nil
	for n := int32(0); n < 64; n += 7 {
		at := geom.ChunkPos{X: (n&3 - 2) * wide, Y: (n>>2&3 - 2) * wide, Z: (n>>4 - 2) * wide}
		for range 8 {
			*chunks = append(*chunks, stone.Placed{Pos: at, Chunk: voxel.Uniform(2)})
			at.X++
		}
	}
	last := geom.ChunkPos{X: geom.MaxChunk - 1, Y: geom.MaxChunk - 1, Z: geom.MaxChunk - 1}
	*chunks = append(*chunks, stone.Placed{Pos: last, Chunk: voxel.Uniform(2)})
	slices.SortFunc(*chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
	for _, memory := range []int64{0, 1} {
		var b bytes.Buffer
		if _, _, err := whole.Write(ctx, &b, open(t, spec), whole.Options{Far: true, Memory: memory}); err != nil {
			t.Fatal(err)
		}
		r, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(ctx); err != nil {
			t.Error(err)
		}
		levels := r.Dimensions()[0].Volumes[0].Levels
		if levels[len(levels)-1] != geom.MaxLevel {
			t.Errorf("levels %v", levels)
		}
		for _, level := range levels[1:] {
			n := 0
			for p, err := range whole.Chunks(ctx, r, "earth", voxel.Block, level) {
				low := p.Chunk.Cell(0, 0, 0)
				high := p.Chunk.Cell(31, 31, 31)
				if n++; err != nil || low != 1 && high != 1 {
					t.Errorf("level %d: chunk %v has cells %d and %d, %v", level, p.Pos, low, high, err)
				}
			}
			want := 11
			if level == geom.MaxLevel {
				want = 10
			}
			if n != want {
				t.Errorf("level %d: %d chunks, want %d", level, n, want)
			}
		}
	}
}

func TestUsedNames(t *testing.T) {
	names, table := whole.UsedNames([]string{"air", "zinc", "never", "ash"}, 0, []int{5, 1, 0, 2})
	if !slices.Equal(names, []string{"air", "ash", "zinc"}) || !slices.Equal(table, []voxel.Cell{0, 2, 0, 1}) {
		t.Errorf("%q, %v", names, table)
	}
	if _, table := whole.UsedNames([]string{"air", "ash"}, 1, []int{5, 0}); table != nil {
		t.Errorf("%v where nothing changes", table)
	}
}

// TestFarLevels compares the far levels of a stone with those of a grid, for chunks close together and far
// apart, of all schemas.
func TestFarLevels(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 4))
	for _, of := range []voxel.Volume{
		{Name: voxel.Block, Schema: voxel.Palette, Scale: 1},
		{Name: voxel.Block, Schema: voxel.Palette, Scale: 1, Default: 3}, // which counts as empty
		{Name: "solid", Schema: voxel.Terrain, Scale: 1},
		{Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15},
	} {
		for _, step := range []int32{1, 3, 40} {
			v := stonetest.VolumeSpec{Volume: of, Levels: []stonetest.LevelSpec{{}}}
			cells := []voxel.Cell{0, 1, 2, 14}
			switch of.Schema {
			case voxel.Palette:
				v.Names, cells = []string{"air", "clay", "rock", "void"}, []voxel.Cell{0, 1, 2, 3}
			case voxel.Terrain:
				v.Names, cells = []string{"", "rock", "sand"}, []voxel.Cell{0, voxel.TerrainCell(1, 255), voxel.TerrainCell(2, 7)}
			}
			for range 90 {
				pos := geom.ChunkPos{X: r.Int32N(12) * step, Y: r.Int32N(3) - 1, Z: -r.Int32N(12) * step}
				if slices.ContainsFunc(v.Levels[0].Chunks, func(p stone.Placed) bool { return p.Pos == pos }) {
					continue
				}
				d := voxel.Uniform(cells[r.IntN(len(cells))]).Edit()
				for range r.IntN(100) {
					d.Set(r.IntN(32), r.IntN(32), r.IntN(32), cells[r.IntN(len(cells))])
				}
				v.Levels[0].Chunks = append(v.Levels[0].Chunks, stone.Placed{Pos: pos, Chunk: d.Publish(new(voxel.ChunkBuilder))})
			}
			slices.SortFunc(v.Levels[0].Chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
			from := open(t, stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "earth", Volumes: []stonetest.VolumeSpec{v}}}})
			var b bytes.Buffer
			if _, _, err := whole.Write(ctx, &b, from, whole.Options{Far: true, Empty: []string{"void"}}); err != nil {
				t.Fatal(err)
			}
			s, err := stone.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
			if err != nil {
				t.Fatal(err)
			}
			made := s.Dimensions()[0].Volumes[0]
			o := grid.Options{Schema: of.Schema, Default: made.Volume.Default}
			if i := slices.Index(made.Names, "void"); i > 0 {
				o.Empty = []voxel.Cell{voxel.Cell(i)}
			}
			twin := grid.Build(o, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
				for p, err := range whole.Chunks(ctx, s, "earth", of.Name, 0) {
					if err != nil || !yield(p.Pos, p.Chunk) {
						break
					}
				}
			})
			n := 0
			for _, level := range made.Levels[1:] {
				var want, got [voxel.ChunkCells]voxel.Cell
				for p, err := range whole.Chunks(ctx, s, "earth", of.Name, level) {
					if err != nil {
						t.Fatal(err)
					}
					n++
					if p.Chunk.Flat(&got); !twin.ReadBox(p.Pos.Box(), level, want[:]) || got != want {
						t.Fatalf("%v, step %d, level %d: chunk %v differs", of, step, level, p.Pos)
					}
				}
			}
			if n == 0 {
				t.Errorf("%v, step %d: no chunks of levels %v", of, step, made.Levels)
			}
		}
	}
}
