package terrain_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/zstd"
)

// stock is a Sink that keeps the chunks of a level.
type stock struct {
	dim    *format.Dimension
	chunks map[string]map[geom.ChunkPos]*voxel.Chunk
}

func (s *stock) Dimension(d *format.Dimension) error { s.dim = d; return nil }
func (s *stock) Column(*format.Column) error         { panic("a column in a world of chunks") }
func (s *stock) File(format.File) error              { return nil }
func (s *stock) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if s.chunks[volume] == nil {
		s.chunks[volume] = map[geom.ChunkPos]*voxel.Chunk{}
	}
	s.chunks[volume][pos] = c
	return nil
}

func mustLevel(t *testing.T, seed uint64, chunks int) *stock {
	t.Helper()
	n := chunks / 2 * geom.ChunkEdge
	s := &stock{chunks: map[string]map[geom.ChunkPos]*voxel.Chunk{}}
	src := terrain.Level{Seed: seed}.Source(geom.Box{Min: geom.Point{X: -n, Z: -n}, Max: geom.Point{X: n, Y: 256, Z: n}})
	if err := src.Read(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLevelIsPure(t *testing.T) {
	s := mustLevel(t, 3, 4)
	for volume, get := range map[string]func(geom.ChunkPos) *voxel.Chunk{
		"solid": terrain.Level{Seed: 3}.Chunk, "liquid": terrain.Level{Seed: 3}.Liquid,
	} {
		for pos, c := range s.chunks[volume] {
			if !c.Equal(get(pos)) {
				t.Errorf("%s %v differs when it is asked for alone", volume, pos)
			}
		}
	}
	if (terrain.Level{Seed: 4}).Chunk(geom.ChunkPos{}).Equal(terrain.Level{Seed: 3}.Chunk(geom.ChunkPos{})) {
		t.Error("two seeds make the same chunk")
	}
}

func TestLevelTower(t *testing.T) {
	l := terrain.Level{Seed: 3}
	for x := range int32(8) {
		tower := l.Tower(x, -x)
		for y := range int32(8) {
			want, got := l.Chunk(geom.ChunkPos{X: x, Y: y, Z: -x}), voxel.Uniform(voxel.Empty)
			if int(y) < len(tower) {
				got = tower[y]
			}
			if !got.Equal(want) {
				t.Errorf("chunk %d of the tower at (%d,%d) is not the one that is asked for alone", y, x, -x)
			}
		}
		if v, same := tower[len(tower)-1].Uniform(); same && v == voxel.Empty {
			t.Errorf("the tower at (%d,%d) ends with an empty chunk", x, -x)
		}
	}
}

// TestLevelFigures holds the level to what the article on voxel terrain says of
// its own, by the article's methods, as far as a twentieth of it tells.
func TestLevelFigures(t *testing.T) {
	long.Rest(t)
	const half = 16
	var chunks, matter, rows int
	var rle []byte
	materials := map[uint8]bool{}
	for i := range 4 * half * half {
		for _, c := range (terrain.Level{Seed: 1}).Tower(int32(i%(2*half)-half), int32(i/(2*half)-half)) {
			chunks++
			matter += c.CountNonEmpty()
			rows += mixedRows(t, c, materials)
			rle = codec.AppendRLE(rle, c)
		}
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name            string
		bytes           int
		want, tolerance float64
	}{
		{"flat", chunks * 2 * voxel.ChunkCells, 2.97, .15},
		{"row-packed", chunks*2048 + rows*64, .49, .05},
		{"rle", len(rle), .07, .01},
		{"rle+zstd", len(enc.EncodeAll(rle, nil)), .038, .007},
	} {
		got := float64(f.bytes) / float64(matter)
		t.Logf("%s: %.4f bytes a cell", f.name, got)
		if got < f.want-f.tolerance || got > f.want+f.tolerance {
			t.Errorf("%s: %.4f bytes a cell of matter, want %g +- %g", f.name, got, f.want, f.tolerance)
		}
	}
	if len(materials) < 10 {
		t.Errorf("%d materials, want at least 10", len(materials))
	}
}

// mixedRows counts the rows of more than one cell and notes the materials.
func mixedRows(t *testing.T, c *voxel.Chunk, materials map[uint8]bool) (n int) {
	var buf [64]voxel.Cell
	for yz := range geom.ChunkEdge * geom.ChunkEdge {
		row := c.Row(yz>>5, yz&31, &buf)
		mixed := 0
		for _, v := range row {
			if !voxel.Terrain.Valid(v, 0) {
				t.Fatalf("cell %#x", v)
			}
			materials[v.Material()] = true
			if v != row[0] {
				mixed = 1
			}
		}
		n += mixed
	}
	return n
}

func TestLevelHasSea(t *testing.T) {
	s := mustLevel(t, 2, 12)
	cells := 0
	for _, c := range s.chunks["liquid"] {
		cells += c.CountNonEmpty()
	}
	if cells == 0 {
		t.Error("a level without a cell of sea")
	}
}
