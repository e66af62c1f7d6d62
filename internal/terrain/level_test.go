package terrain_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
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

// TestLevelFigures holds the level to what the article says of its own: about
// two thirds of the cells hold matter, about one row in seven is not uniform.
func TestLevelFigures(t *testing.T) {
	s := mustLevel(t, 2, 12)
	var matter, chunks, rows int
	materials := map[uint8]int{}
	cells := new([voxel.ChunkCells]voxel.Cell)
	for pos, c := range s.chunks["solid"] {
		chunks++
		matter += c.CountNonEmpty()
		c.Flat(cells)
		for _, v := range cells {
			if !voxel.Terrain.Valid(v, 0) {
				t.Fatalf("chunk %v has cell %#x", pos, v)
			}
			materials[v.Material()]++
		}
		var buf [64]voxel.Cell
		for yz := range 1024 {
			row := c.Row(yz>>5, yz&31, &buf)
			for _, v := range row[:32] {
				if v != row[0] {
					rows++
					break
				}
			}
		}
	}
	flat := 2 * float64(chunks*voxel.ChunkCells) / float64(matter)
	packed := float64(chunks*2048+rows*64) / float64(matter)
	t.Logf("%d chunks, %d cells of matter, %.3f bytes flat, %.3f row-packed, %.1f of 1024 rows mixed, materials %v",
		chunks, matter, flat, packed, float64(rows)/float64(chunks), materials)
	if flat < 2.5 || flat > 3.6 || packed < .3 || packed > .9 {
		t.Errorf("%.2f bytes a cell flat, %.2f row-packed", flat, packed)
	}
	if len(materials) < 8 || len(s.chunks["liquid"]) == 0 {
		t.Errorf("%d materials, %d chunks of sea", len(materials), len(s.chunks["liquid"]))
	}
}
