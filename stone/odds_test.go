package stone_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// hilly is two volumes of four chunks: ground with ore in it, and how high that is.
func hilly(names ...string) stonetest.Spec {
	r := rand.New(rand.NewPCG(1, 7))
	var d stonetest.DimensionSpec
	block := stonetest.VolumeSpec{Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: names, Levels: make([]stonetest.LevelSpec, 1)}
	depth := stonetest.VolumeSpec{Volume: voxel.Volume{Name: "depth", Schema: voxel.Level, Scale: 1, Default: 15}, Levels: make([]stonetest.LevelSpec, 1)}
	for n := range int32(4) {
		var blocks, depths [voxel.ChunkCells]voxel.Cell
		for i := range blocks {
			x, z := int(n&1)*32+i%32, int(n>>1)*32+i>>5%32
			if top := 10 + (x*x/60+z*2/3+x*z/80)%17; i>>10 >= top {
				depths[i] = voxel.Cell(min(i>>10-top, 15))
			} else if blocks[i] = voxel.Cell(1); r.IntN(30) == 0 {
				blocks[i] = voxel.Cell(2 + r.IntN(len(names)-2))
			}
		}
		pos := at(n&1, 0, n>>1)
		block.Levels[0].Chunks = append(block.Levels[0].Chunks, stone.Placed{Pos: pos, Chunk: voxel.FromFlat(&blocks)})
		depth.Levels[0].Chunks = append(depth.Levels[0].Chunks, stone.Placed{Pos: pos, Chunk: voxel.FromFlat(&depths)})
	}
	d.Name, d.Volumes = "d", []stonetest.VolumeSpec{block, depth}
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{d}}
}

func pagesOf(t *testing.T, r *stone.Reader, form codec.Form) (n int) {
	t.Helper()
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Holds == "cells" && codec.Form(p.Form) == form {
			n++
		}
	}
	return n
}

// TestOdds has the best effort write palettes and levels as runs, and merges keep
// them where names are renumbered.
func TestOdds(t *testing.T) {
	below := hilly("air", "brick", "coal", "dirt", "gold")
	r := mustOpen(t, mustWrite(t, below, stone.Options{Effort: stone.Best}))
	if n := pagesOf(t, r, codec.Odds); n != 2 {
		t.Errorf("%d pages of runs", n)
	}
	mustEqual(t, mustReadSpec(t, r), below)
	for _, effort := range []stone.Effort{stone.Good, stone.Quick} {
		if pagesOf(t, mustOpen(t, mustWrite(t, below, stone.Options{Effort: effort})), codec.Odds) != 0 {
			t.Errorf("effort %d writes runs", effort)
		}
	}
	if good := mustWrite(t, below, stone.Options{Effort: stone.Good}); r.Size()*4 > int64(len(good))*3 {
		t.Errorf("%d bytes, %d without runs", r.Size(), len(good))
	}
	above := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{{
		Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: []string{"air", "cake"},
		Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Pos: at(40, 0, 0), Chunk: voxel.Uniform(1)}}}},
	}}}}}
	merged := mustOpen(t, mustMerge(t, []stonetest.Spec{below, above}, stone.Options{Effort: stone.Best}))
	if n := pagesOf(t, merged, codec.Odds); n != 2 {
		t.Errorf("merged: %d pages of runs", n)
	}
	table := []voxel.Cell{0, 1, 3, 4, 5}
	for _, c := range below.Dimensions[0].Volumes[0].Levels[0].Chunks {
		got, _, err := merged.ReadChunk(t.Context(), "d", voxel.Block, 0, geom.ChunkPos(c.Pos))
		if err != nil || !got.Equal(c.Chunk.Translate(table)) {
			t.Errorf("merged: chunk %v: %v", c.Pos, err)
		}
	}
}

// TestOddsOfEqualChunks writes what runs pack well and bytes that repeat far away pack better:
// the same random chunk in all places of a page.
func TestOddsOfEqualChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range cells {
		cells[i] = voxel.Cell(r.IntN(16))
	}
	chunk := voxel.FromFlat(&cells)
	v := stonetest.VolumeSpec{Volume: voxel.Volume{Name: "heat", Schema: voxel.Level, Scale: 1}, Levels: make([]stonetest.LevelSpec, 1)}
	for n := range int32(64) {
		v.Levels[0].Chunks = append(v.Levels[0].Chunks, stone.Placed{Pos: at(n&1|n>>2&2, n>>2&1|n>>4&2, n>>1&1|n>>3&2), Chunk: chunk})
	}
	spec := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
	best := len(mustWrite(t, spec, stone.Options{Effort: stone.Best}))
	if columns := len(mustWrite(t, spec, stone.Options{Effort: stone.Best, Only: int(codec.Columns)})); best > columns {
		t.Errorf("%d bytes: %d as columns alone", best, columns)
	}
}
