package stone_test

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// landscape is a stone of one terrain volume.
func landscape(levels ...stonetest.LevelSpec) stonetest.Spec {
	solid := voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1}
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{
		Name: "earth", Volumes: []stonetest.VolumeSpec{{Volume: solid, Names: terrain.Materials(), Levels: levels}},
	}}}
}

// hills are chunks of a made level from (from,0,from) on.
func hills(level int, from, edge int32) (l stonetest.LevelSpec) {
	l.Level = level
	for y := range int32(5) {
		for z := range edge {
			for x := range edge {
				pos := geom.ChunkPos{X: from + x, Y: y, Z: from + z}
				l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: terrain.Level{Seed: 7}.Chunk(pos)})
			}
		}
	}
	slices.SortFunc(l.Chunks, func(a, b stone.Placed) int {
		return cmp.Compare(geom.CodeOf(a.Pos, level), geom.CodeOf(b.Pos, level))
	})
	return l
}

// forms counts the pages of cells of each form.
func forms(t *testing.T, b []byte) (columns, relief int) {
	t.Helper()
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		switch codec.Form(p.Form) {
		case codec.Columns:
			columns++
		case codec.Relief:
			relief++
		}
	}
	return columns, relief
}

// TestForms has the form follow from what is written.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := new([voxel.ChunkCells]voxel.Cell)
	for i := range f {
		f[i] = voxel.TerrainCell(uint8(r.IntN(2)), uint8(r.IntN(2)*127))
	}
	noise := stonetest.LevelSpec{Chunks: []stone.Placed{{Chunk: voxel.FromFlat(f)}}}
	bands := stonetest.LevelSpec{Chunks: []stone.Placed{{Chunk: spotted(2*voxel.SliceCells, voxel.TerrainCell(1, 255))}}}
	blocks := landscape(hills(0, 0, 2))
	v := &blocks.Dimensions[0].Volumes[0]
	v.Schema, v.Names = voxel.Palette, nil
	for i := range voxel.MaxCell + 1 {
		v.Names = append(v.Names, string(binary.BigEndian.AppendUint16(nil, uint16(i))))
	}
	for _, tt := range []struct {
		name            string
		spec            stonetest.Spec
		columns, relief int
	}{
		{"hills", landscape(hills(0, -3, 4), hills(3, -2, 3)), 0, 2},
		{"noise", landscape(noise), 1, 0},
		{"bands", landscape(bands), 1, 0},
		{"blocks", blocks, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, o := range []stone.Options{{Effort: stone.Good}, {Effort: stone.Quick}, {Effort: stone.Good, PageChunks: 512}} {
				b := mustWrite(t, tt.spec, o)
				columns, relief := forms(t, b)
				if o.PageChunks == 0 && (columns != tt.columns || relief != tt.relief) {
					t.Errorf("%d pages of columns, %d of relief; want %d, %d", columns, relief, tt.columns, tt.relief)
				}
				if (columns > 0) != (tt.columns > 0) {
					t.Errorf("%d pages of columns", columns)
				}
				mustEqual(t, mustReadSpec(t, mustOpen(t, b)), tt.spec)
			}
		})
	}
}

// TestReliefElsewhere has the same hills again far away and higher: one page is
// read at both places.
func TestReliefElsewhere(t *testing.T) {
	l := hills(0, 0, 4)
	l.Chunks = slices.DeleteFunc(l.Chunks, func(p stone.Placed) bool { return p.Pos.Y != 1 })
	for _, p := range l.Chunks[:16] {
		p.Pos.X, p.Pos.Y, p.Pos.Z = p.Pos.X+4000, p.Pos.Y+8, p.Pos.Z+404
		l.Chunks = append(l.Chunks, p)
	}
	b := mustWrite(t, landscape(l), stone.Options{PageChunks: 16})
	pages, err := mustOpen(t, b).Pages()
	if err != nil || len(pages) != 1 || pages[0].Uses != 2 || codec.Form(pages[0].Form) != codec.Relief {
		t.Errorf("pages %+v, %v; want one of relief, used twice", pages, err)
	}
	mustEqual(t, mustReadSpec(t, mustOpen(t, b)), landscape(l))
}

// TestReliefPages damages the streams of a page of the form Relief, and puts
// the page into a volume of another schema.
func TestReliefPages(t *testing.T) {
	pages, dir := stone.Parts(mustWrite(t, landscape(hills(0, 0, 1)), stone.Options{}))
	form, streams, err := stone.SplitPage(pages[0])
	if err != nil || codec.Form(form) != codec.Relief || len(pages) != 1 {
		t.Fatalf("%d pages, the first of form %d: %v", len(pages), form, err)
	}
	for i, s := range streams {
		if len(s) == 0 {
			continue
		}
		for _, now := range [][]byte{s[:len(s)-1], s[:len(s)/2], append(s[:len(s):len(s)], 0)} {
			streams[i] = now
			page := stone.AppendPage(form, streams...)
			_, n := binary.Uvarint(dir)
			_, m := binary.Uvarint(dir[n:])
			sizes := plain{}.n(1).n(uint64(len(page)))
			mustRefuse(t, stone.Assemble([][]byte{page}, append(sizes, dir[n+m:]...)), "")
		}
		streams[i] = s
	}
	one := stone.AppendPage(byte(codec.Relief), []byte{0}, nil)
	entries := lev(0, en(cube0, 1, next))
	mustRefuse(t, hostile([][]byte{one}, []plain{volumes(vol(entries))}, nil), "form 2")
}

// FuzzReliefPage puts another page in the place of that of a landscape.
func FuzzReliefPage(f *testing.F) {
	pages, dir := stone.Parts(mustWrite(f, landscape(hills(0, 0, 1)), stone.Options{}))
	_, n := binary.Uvarint(dir)
	_, m := binary.Uvarint(dir[n:])
	f.Add(pages[0])
	f.Fuzz(func(t *testing.T, page []byte) {
		sizes := plain{}.n(1).n(uint64(len(page)))
		fuzzStone(t, stone.Assemble([][]byte{page}, append(sizes, dir[n+m:]...)))
	})
}
