package world_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// TestSnapshotPages: a second read of a page decodes nothing, also by the Snapshot of a
// fork, and a tally counts what commits above an import or a pack replaced.
func TestSnapshotPages(t *testing.T) {
	st := memory.New(memory.Options{})
	w := create(t, st, "a", world.Options{Whole: true})
	for i := range 20 {
		set(t, w, geom.Point{X: i * 7, Y: i}, "rock")
		if _, err := w.Commit(ctx, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	set(t, w, geom.Point{X: 3, Y: 99}, "rock")
	c, err := w.Commit(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Fork(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	cache := stone.NewLRU(stone.CacheBytes)
	fills := int64(0)
	for i, name := range []string{"a", "a", "b"} {
		s, err := world.OpenSnapshot(ctx, st, name, c.ID(), world.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		var cells [voxel.ChunkCells]voxel.Cell
		for range 2 {
			if err := s.ReadBox(ctx, earth, voxel.Block, 0, geom.ChunkPos{}.Box(), cells[:]); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, cell := range cells {
			if cell != voxel.Empty {
				n++
			}
		}
		if n != 5 { // x of 0, 7, ... 28
			t.Errorf("%s: %d cells in the first chunk, want 5", name, n)
		}
		tally, err := s.Tally(ctx, earth)
		if err != nil || tally.Cells[voxel.Block] != 21 {
			t.Errorf("%s: tally %+v, %v, want 21 cells", name, tally, err)
		}
		now := cache.Stats().Reads
		if i == 0 && now == 0 || i > 0 && now != fills {
			t.Errorf("open %d: %d pages decoded, %d before", i, now, fills)
		}
		fills = now
		closeWorld(t, s)
	}
	closeWorld(t, w)
}
