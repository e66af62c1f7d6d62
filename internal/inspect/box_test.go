package inspect_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestChunk compares chunks of every level read from the store with those of the
// volume in memory, and these with the world.
func TestChunk(t *testing.T) {
	st := memory.New(memory.Options{})
	made := worldtest.Load(t, terrain.Survival(terrain.Options{Seed: 1, Size: long.By(6, 0, 0), Version: terrain.Modern}))
	c, _, err := port.CommitStone(t.Context(), st, "a", worldtest.Stone(t, made), port.Note{})
	if err != nil {
		t.Fatal(err)
	}
	v := worldtest.Snapshot(t, st, "a", c.ID())
	w, err := world.OpenAt(t.Context(), st, "a", c.ID(), world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, volume := range []string{voxel.Block, voxel.Biome, voxel.Sky} {
		all := w.View().Dimension("overworld").Volume(volume)
		want := made.Dimensions[0].Volume(volume)
		for level := range 7 {
			tried := map[geom.ChunkPos]bool{}
			for i, pos := range want.Positions() {
				pos = geom.ChunkPos{X: pos.X >> level, Y: pos.Y >> level, Z: pos.Z >> level}
				if tried[pos] || i%4 > level {
					continue
				}
				tried[pos] = true
				got, err := inspect.Chunk(t.Context(), v, "overworld", volume, level, pos, 64<<20)
				if err != nil {
					t.Fatal(err)
				}
				if !sameCells(got, all, level, pos) {
					t.Fatalf("%s level %d at %v: two ways give two chunks", volume, level, pos)
				}
				if level == 0 && !isChunk(got, want, pos) {
					t.Fatalf("%s at %v: not the world's", volume, pos)
				}
			}
		}
	}
	for _, tt := range []struct {
		dimension, volume string
		level             int
		pos               geom.ChunkPos
		want              error
	}{
		{"overworld", voxel.Block, 2, geom.ChunkPos{X: geom.MaxChunk - 1}, geom.ErrOutOfRange},
		{"overworld", voxel.Block, 4, geom.ChunkPos{X: geom.MaxChunk - 1}, geom.ErrOutOfRange},
		{"overworld", voxel.Block, 0, geom.ChunkPos{X: 1000}, nil},
	} {
		if got, err := inspect.Chunk(t.Context(), v, tt.dimension, tt.volume, tt.level, tt.pos, 0); got != nil || !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
	var dimension *inspect.DimensionError
	if _, err := inspect.Chunk(t.Context(), v, "none", voxel.Block, 0, geom.ChunkPos{}, 0); !errors.As(err, &dimension) || !slices.Equal(dimension.Have, []string{"overworld"}) {
		t.Errorf("no dimension: got %v", err)
	}
	var lacks *inspect.VolumeError
	if _, err := inspect.Chunk(t.Context(), v, "overworld", "none", 0, geom.ChunkPos{}, 0); !errors.As(err, &lacks) || !slices.Contains(lacks.Have, voxel.Block) {
		t.Errorf("no volume: got %v", err)
	}
}

// sameCells reports whether c is the chunk of a volume that is all in memory.
func sameCells(c *inspect.BoxCells, v *world.Volume, level int, pos geom.ChunkPos) bool {
	var want [voxel.ChunkCells]voxel.Cell
	if !v.ReadBox(pos.Box(), level, want[:]) {
		return false
	}
	for i, cell := range want {
		switch {
		case c == nil && cell != v.Volume.Default, c != nil && v.Schema == voxel.Palette && c.Names[c.Cells[i]] != v.CellName(cell),
			c != nil && v.Schema != voxel.Palette && c.Cells[i] != cell:
			return false
		}
	}
	return true
}

// isChunk reports whether c is the chunk of a volume at pos, by name.
func isChunk(c *inspect.BoxCells, v *convert.LoadedVolume, pos geom.ChunkPos) bool {
	var flat [voxel.ChunkCells]voxel.Cell
	v.Chunks[pos].Flat(&flat)
	for i, cell := range flat {
		if v.Schema != voxel.Palette {
			if c.Cells[i] != cell {
				return false
			}
		} else if c.Names[c.Cells[i]] != v.Names[cell] {
			return false
		}
	}
	return true
}
