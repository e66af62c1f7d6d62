package stone_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const formLit = 6

// someMatters are air, stone, lamps, leaves, slabs.
var someMatters = light.Matters{0, light.Opaque, light.Opaque | 15<<4, 1, 1<<(8+light.Below) | 7<<4}

// house is a dimension with a floor, boxes and lamps, and light that follows from
// them but for some cells.
func house(seed uint64, noise int, places ...geom.ChunkPos) stonetest.Spec {
	r := rand.New(rand.NewPCG(seed, 4))
	blocksOf := stonetest.LevelSpec{}
	for _, pos := range places {
		var cells [voxel.ChunkCells]voxel.Cell
		for i := range 5 * voxel.SliceCells {
			cells[i] = 1
		}
		for range 20 {
			cells[r.IntN(len(cells))] = voxel.Cell(1 + r.IntN(len(someMatters)))
			x, y, z := r.IntN(28), r.IntN(28), r.IntN(28)
			for i := range 64 {
				cells[(y+i>>4)*voxel.SliceCells+(z+i>>2&3)*32+x+i&3] = voxel.Cell(1 + i%3)
			}
		}
		blocksOf.Chunks = append(blocksOf.Chunks, stone.Placed{Pos: pos, Chunk: voxel.FromFlat(&cells)})
	}
	slices.SortFunc(blocksOf.Chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
	d := stonetest.DimensionSpec{Name: "earth", Matters: someMatters, Volumes: []stonetest.VolumeSpec{
		{Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: []string{"air", "lamp", "leaf", "rock", "slab", "unknown"}, Levels: []stonetest.LevelSpec{blocksOf}},
	}}
	for kind, v := range []voxel.Volume{
		light.Sky:   {Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15},
		light.Block: {Name: voxel.Light, Schema: voxel.Level, Scale: 1},
	} {
		l := stonetest.LevelSpec{}
		for _, c := range blocksOf.Chunks {
			l.Chunks = append(l.Chunks, stone.Placed{Pos: c.Pos, Chunk: flooded(&d, light.Channel(kind), c.Pos, r, noise)})
		}
		d.Volumes = append(d.Volumes, stonetest.VolumeSpec{Volume: v, Levels: []stonetest.LevelSpec{l}})
	}
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{d}}
}

// flooded returns the light of a chunk with so many cells that are others.
func flooded(d *stonetest.DimensionSpec, kind light.Channel, pos geom.ChunkPos, r *rand.Rand, noise int) *voxel.Chunk {
	var f light.Flood
	f.Use(d.Matters)
	to := geom.ChunkPos{X: pos.X + 1, Y: pos.Y + 1, Z: pos.Z + 1}
	if !f.Fill(kind, pos, to, func(x, z int32) light.Tower { return tower(*d, geom.ColumnPos{X: 2 * x, Z: 2 * z}) }) {
		return spotted(77, 3) // too large
	}
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range voxel.SliceCells {
		var levels [geom.ChunkEdge]uint8
		f.Row(pos, i/geom.ChunkEdge, i%geom.ChunkEdge, &levels)
		for x, l := range levels {
			cells[i*geom.ChunkEdge+x] = voxel.Cell(l)
		}
	}
	for range noise {
		cells[r.IntN(len(cells))] = voxel.Cell(r.IntN(16))
	}
	if noise > 0 { // an eighth without an array
		for i := range cells {
			if i%32 < 16 && i>>5%32 < 16 && i>>10 < 16 {
				cells[i] = voxel.Cell(kind.Full())
			}
		}
	}
	return voxel.FromFlat(&cells)
}

// litPages counts the pages of form lit.
func litPages(t *testing.T, r *stone.Reader) (n int) {
	t.Helper()
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Form == formLit && p.Holds == "cells" {
			n++
		}
	}
	return n
}

// lightOf is a dimension of some chunks of blocks and of sky light.
func lightOf(blocks, sky []stone.Placed) stonetest.Spec {
	byCode := func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) }
	slices.SortFunc(blocks, byCode)
	slices.SortFunc(sky, byCode)
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "earth", Matters: light.Matters{0, 15}, Volumes: []stonetest.VolumeSpec{
		{Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: []string{"air", "rock"}, Levels: []stonetest.LevelSpec{{Chunks: blocks}}},
		{Volume: voxel.Volume{Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15}, Levels: []stonetest.LevelSpec{{Chunks: sky}}},
	}}}}
}

// TestLightUniform has light of which no chunk is anything but uniform.
func TestLightUniform(t *testing.T) {
	s := lightOf([]stone.Placed{{Pos: at(0, 0, 0), Chunk: spotted(3, 1)}},
		[]stone.Placed{{Pos: at(0, 0, 0), Chunk: voxel.Uniform(0)}, {Pos: at(0, 1, 0), Chunk: voxel.Uniform(15)}})
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	s.Dimensions[0].Matters = nil
	mustEqual(t, mustReadSpec(t, r), s)
}

// TestLightPastTower has light far from a tower that is too high to compute light near it.
func TestLightPastTower(t *testing.T) {
	var blocks, sky []stone.Placed
	for _, x := range []int32{0, 20} {
		var cells [voxel.ChunkCells]voxel.Cell
		for i := range 300 {
			cells[(i*7919+int(x))%len(cells)] = 1
		}
		blocks = append(blocks, stone.Placed{Pos: at(x, 0, 0), Chunk: voxel.FromFlat(&cells)})
	}
	for y := range int32(stone.MaxTower + 1) {
		blocks = append(blocks, stone.Placed{Pos: at(10, y, 0), Chunk: voxel.Uniform(1)})
	}
	s := lightOf(blocks, nil)
	for _, x := range []int32{0, 20} {
		sky = append(sky, stone.Placed{Pos: at(x, 0, 0), Chunk: flooded(&s.Dimensions[0], light.Sky, at(x, 0, 0), nil, 0)})
	}
	r := mustOpen(t, mustWrite(t, lightOf(blocks, sky), stone.Options{}))
	if litPages(t, r) != 1 {
		t.Error("no light that follows from blocks")
	}
	for _, c := range sky {
		if got, _, err := r.ReadChunk(t.Context(), "earth", voxel.Sky, 0, c.Pos); err != nil || !got.Equal(c.Chunk) {
			t.Errorf("chunk %v: %v", c.Pos, err)
		}
	}
}

// TestLightFromSeveral reads light and blocks on several goroutines at once, which
// share the blocks they read.
func TestLightFromSeveral(t *testing.T) {
	s := house(3, 5, at(0, 0, 0), at(1, 0, 0), at(3, 1, 2))
	r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 1}))
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			for _, v := range s.Dimensions[0].Volumes {
				for _, c := range v.Levels[0].Chunks {
					if got, _, err := r.ReadChunk(t.Context(), "earth", v.Name, 0, c.Pos); err != nil || !got.Equal(c.Chunk) {
						t.Errorf("chunk %v of %s: %v", c.Pos, v.Name, err)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestLight(t *testing.T) {
	long.Alone(t)
	crowd := []geom.ChunkPos{at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(-1, 0, 2), at(5, 0, -7), at(0, 3, 0)}
	far := []geom.ChunkPos{at(-900, 0, 0), at(900, 2, 500), at(900, 3, 500)}
	tall := []geom.ChunkPos{at(-1, 0, 0), at(0, 60, 0)} // not in one box
	for _, noise := range []int{9, 0}[:few(2)] {
		for _, pageChunks := range []int{64, 1}[:few(2)] {
			for i, places := range [][]geom.ChunkPos{crowd, far, tall} {
				s := house(uint64(noise), noise, places...)
				o := stone.Options{PageChunks: pageChunks}
				b := mustWrite(t, s, o)
				plain := s.Dimensions[0]
				plain.Matters = nil
				without := mustWrite(t, stonetest.Spec{Dimensions: []stonetest.DimensionSpec{plain}}, o)
				r := mustOpen(t, b)
				name := fmt.Sprintf("%d chunks a page, places %d, noise %d", pageChunks, i, noise)
				if litPages(t, r) == 0 || len(b) >= len(without) {
					t.Errorf("%s: %d pages, %d bytes, %d without a rule", name, litPages(t, r), len(b), len(without))
				}
				if err := r.Check(context.Background()); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				mustEqual(t, mustReadSpec(t, r), s)
				for _, c := range s.Dimensions[0].Volumes[1].Levels[0].Chunks {
					got, _, err := r.ReadChunk(t.Context(), "earth", voxel.Sky, 0, c.Pos)
					if err != nil || !got.Equal(c.Chunk) {
						t.Errorf("%s: chunk %v alone: %v", name, c.Pos, err)
					}
				}
			}
		}
	}
}

// TestLightTooFar has light in a box that is too large to be computed: it is
// written as it is.
func TestLightTooFar(t *testing.T) {
	s := house(1, 3, at(0, 0, 0), at(0, 1, 0))
	for _, v := range s.Dimensions[0].Volumes {
		v.Levels[0].Chunks[0].Pos.Y, v.Levels[0].Chunks[1].Pos.Y = -geom.MaxChunk, geom.MaxChunk-1
	}
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	if n := litPages(t, r); n != 0 {
		t.Errorf("%d pages of light that nobody can compute", n)
	}
	s.Dimensions[0].Matters = nil
	mustEqual(t, mustReadSpec(t, r), s)
}

// TestLightApart has light at both ends of space, and over more chunks of air than
// a Reader looks through for blocks.
func TestLightApart(t *testing.T) {
	s := house(1, 3, at(0, 0, 0), at(1, 0, 0))
	for _, v := range s.Dimensions[0].Volumes {
		c := v.Levels[0].Chunks
		c[0].Pos, c[1].Pos = at(-geom.MaxChunk, 0, -geom.MaxChunk), at(geom.MaxChunk-1, 0, geom.MaxChunk-1)
	}
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	if litPages(t, r) == 0 {
		t.Error("no page of light")
	}
	mustEqual(t, mustReadSpec(t, r), s)

	s = house(1, 3, at(0, 0, 0))
	l := &s.Dimensions[0].Volumes[0].Levels[0]
	for y := range int32(600) {
		l.Chunks = append(l.Chunks, stone.Placed{Pos: at(0, y+1, 0), Chunk: voxel.Uniform(0)})
	}
	slices.SortFunc(l.Chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
	r = mustOpen(t, mustWrite(t, s, stone.Options{}))
	if n := litPages(t, r); n != 0 {
		t.Errorf("%d pages of light below 600 chunks", n)
	}
	s.Dimensions[0].Matters = nil
	mustEqual(t, mustReadSpec(t, r), s)
}

// TestLightMisuse asks for what cannot be read back.
func TestLightMisuse(t *testing.T) {
	blocks := voxel.Volume{Name: voxel.Block, Scale: 1}
	none := func(int32, int32) light.Tower { return nil }
	for name, do := range map[string]func(w *stone.Writer) error{
		"no dimension": func(w *stone.Writer) error { return w.Light(someMatters, none) },
		"no blocks":    func(w *stone.Writer) error { w.Dimension("d", ""); return w.Light(someMatters, none) },
		"a matter that is none": func(w *stone.Writer) error {
			w.Dimension("d", "")
			w.Volume(blocks, []string{"air"})
			return w.Light(light.Matters{0, 1 << 14}, none)
		},
		"after columns": func(w *stone.Writer) error {
			w.Dimension("d", "")
			w.Volume(blocks, []string{"air"})
			w.Column(&voxel.Column{})
			return w.Light(someMatters, none)
		},
	} {
		if err := do(stone.NewWriter(io.Discard, stone.Options{})); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLightDamaged puts the directory of one stone over the pages of others, and
// cuts and flips pages: light that cannot be computed is an error, never a panic.
func TestLightDamaged(t *testing.T) {
	long.Alone(t)
	b := mustWrite(t, house(2, 2, at(0, 0, 0)), stone.Options{})
	for n := range b {
		if err := faultOf(b[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for a stone", n, len(b))
		}
	}
	pages, dir := stone.Parts(b)
	for cut := 1; cut < 40; cut++ { // the matters are at the end of the directory
		err := faultOf(stone.Assemble(pages, dir[:len(dir)-cut]))
		var c *stone.CorruptError
		if !errors.As(err, &c) {
			t.Errorf("a directory without its last %d bytes: %v", cut, err)
		}
	}
	for bit := range few(long.By(3, 8, 8)) {
		for i := range dir {
			changed := append([]byte(nil), dir...)
			changed[i] ^= 1 << bit
			var c *stone.CorruptError
			if err := faultOf(stone.Assemble(pages, changed)); err != nil && !errors.As(err, &c) {
				t.Errorf("byte %d of the directory: %v", i, err)
			}
		}
	}
}

// TestMergeLight lays stones with other blocks over light that follows from
// blocks: the light stays what it was.
func TestMergeLight(t *testing.T) {
	below := house(3, 2, at(0, 0, 0), at(1, 0, 0), at(9, 0, 0))
	above := house(4, 0, at(1, 0, 0))
	above.Dimensions[0].Volumes = above.Dimensions[0].Volumes[:1]
	above.Dimensions[0].Matters = nil
	for _, pageChunks := range []int{1, 64} {
		o := stone.Options{PageChunks: pageChunks}
		r := mustOpen(t, mustMerge(t, []stonetest.Spec{below, above}, o))
		if n := litPages(t, r); n != 0 {
			t.Errorf("%d pages of light over blocks that may be others", n)
		}
		for n, v := range below.Dimensions[0].Volumes {
			for _, c := range v.Levels[0].Chunks {
				want := c.Chunk
				if n == 0 && c.Pos == at(1, 0, 0) {
					want = above.Dimensions[0].Volumes[0].Levels[0].Chunks[0].Chunk
				}
				if got, _, err := r.ReadChunk(t.Context(), "earth", v.Name, 0, c.Pos); err != nil || !got.Equal(want) {
					t.Errorf("%d chunks a page: %s %v: %v", pageChunks, v.Name, c.Pos, err)
				}
			}
		}
	}
}

// faultyOnce is a source whose nth read fails, once.
type faultyOnce struct {
	bytes.Reader
	left int
}

func (f *faultyOnce) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left == -1 {
		return 0, errBroken
	}
	return f.Reader.ReadAt(b, off)
}

// TestLightAfterFailedRead reads light while one read of the file fails, then again: it is right.
func TestLightAfterFailedRead(t *testing.T) {
	long.Alone(t)
	s := house(1, 3, at(0, 0, 0), at(1, 0, 0), at(0, 1, 0))
	noise := make([]byte, 1<<20) // a Reader does not read such a stone at once
	for i, r := 0, rand.New(rand.NewPCG(1, 1)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	s.Files = []stonetest.FileSpec{{Path: "noise", Data: noise}}
	b := mustWrite(t, s, stone.Options{PageChunks: 1, Only: formLit})
	failed := 0
	for n := range 40 {
		f := &faultyOnce{*bytes.NewReader(b), 1 << 30}
		r, err := stone.Open(f, int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		f.left = n
		for _, v := range []string{voxel.Sky, voxel.Light} {
			for _, p := range s.Dimensions[0].Volumes {
				if p.Volume.Name != v {
					continue
				}
				for _, want := range p.Levels[0].Chunks {
					got, _, err := r.ReadChunk(t.Context(), s.Dimensions[0].Name, v, 0, want.Pos)
					if err != nil {
						failed++
						got, _, err = r.ReadChunk(t.Context(), s.Dimensions[0].Name, v, 0, want.Pos)
					}
					if err != nil || !got.Equal(want.Chunk) {
						t.Fatalf("read %d failed; %s of %v after it: %v", n, v, want.Pos, err)
					}
				}
			}
		}
	}
	if failed < 4 {
		t.Errorf("%d reads failed", failed)
	}
}
