package stone_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ruled returns a spec with a tower of n chunks over each of 6x6 chunks, and
// maps that are all as the rule says.
func ruled(n int32) stonetest.Spec {
	l := stonetest.LevelSpec{}
	var columns []voxel.Column
	ground := func(x, z int32) int { return int(7+3*x+z) & 31 }
	for code := range uint64(1 << 18) {
		pos := geom.Code(1<<63 | 7<<60 | code).Pos()
		if pos.X >= 6 || pos.Z >= 6 || pos.Y >= n {
			continue
		}
		l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: spotted(ground(pos.X, pos.Z)*voxel.SliceCells, 1)})
	}
	for code := range uint64(144) {
		pos := geom.ColumnPos{X: int32(code % 12), Z: int32(code / 12)}
		m := voxel.Map{Name: "top", Form: 9}
		if pos.X&1 == 0 && pos.Z&1 == 0 {
			m.Values[0] = 32*(n-1) + int32(ground(pos.X>>1, pos.Z>>1)) + 1
		}
		columns = append(columns, voxel.Column{Pos: pos, Maps: []voxel.Map{m}})
	}
	sortColumns(columns)
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{
		Name:    "d",
		Volumes: []stonetest.VolumeSpec{{Volume: blocks, Names: naming, Levels: []stonetest.LevelSpec{l}}},
		Rules:   []light.Rule{{Map: "top", Cells: []voxel.Cell{1}}},
		Columns: columns,
	}}}
}

// residuals returns the plain bytes that pages of columns hold of their maps.
func residuals(t *testing.T, r *stone.Reader) (n int) {
	t.Helper()
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Holds == "columns" {
			n += p.Streams[4].Plain
		}
	}
	return n
}

func TestMapsFollowFromBlocks(t *testing.T) {
	s := ruled(3)
	r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 1}))
	if n := residuals(t, r); n != 0 {
		t.Errorf("maps that follow from blocks take %d bytes", n)
	}
	mustEqual(t, mustReadSpec(t, r), s)
}

// TestColumnReadsItsOwnTower counts the reads for one column whose page holds
// columns over many pages of blocks.
func TestColumnReadsItsOwnTower(t *testing.T) {
	s := ruled(3)
	noise := newMaker(1)
	for i := range s.Dimensions[0].Volumes[0].Levels[0].Chunks { // more than Open reads at once
		var cells [voxel.ChunkCells]voxel.Cell
		for j := range cells[:16384] {
			cells[j] = voxel.Cell(noise.IntN(2)) * 2
		}
		s.Dimensions[0].Volumes[0].Levels[0].Chunks[i].Chunk = voxel.FromFlat(&cells)
	}
	for i := range s.Dimensions[0].Columns {
		s.Dimensions[0].Columns[i].Maps[0].Values = [256]int32{}
	}
	b := mustWrite(t, s, stone.Options{PageChunks: 1, Effort: stone.Quick})
	src := &source{Reader: *bytes.NewReader(b)}
	r, err := stone.Open(src, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	src.calls = 0
	want := s.Dimensions[0].Columns[77]
	got, err := r.ReadColumn(t.Context(), "d", want.Pos)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if src.calls != 1+3 {
		t.Errorf("%d reads, want 1 for the column and 3 for the chunks of its tower", src.calls)
	}
}

func TestHighTowers(t *testing.T) {
	for _, n := range []int32{stone.MaxTower, stone.MaxTower + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := stonetest.DimensionSpec{Name: "d", Rules: []light.Rule{{Map: "top", Cells: []voxel.Cell{1}}}}
			l := stonetest.LevelSpec{}
			for y := range n {
				l.Chunks = append(l.Chunks, stone.Placed{Pos: at(0, y, 0), Chunk: voxel.Uniform(2)})
			}
			l.Chunks[0].Chunk = spotted(5*voxel.SliceCells, 1)
			d.Volumes = []stonetest.VolumeSpec{{Volume: blocks, Names: naming, Levels: []stonetest.LevelSpec{l}}}
			m := voxel.Map{Name: "top"}
			m.Values[0] = 6
			d.Columns = []voxel.Column{{Maps: []voxel.Map{m}}}
			s := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{d}}
			r := mustOpen(t, mustWrite(t, s, stone.Options{}))
			if byRule := residuals(t, r) == 0; byRule != (n <= stone.MaxTower) {
				t.Errorf("by rule: %v", byRule)
			}
			mustEqual(t, mustReadSpec(t, r), s)
		})
	}
}
