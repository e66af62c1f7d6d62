package world_test

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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
	cache := stone.NewCache(stone.CacheBytes)
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

// TestSnapshotOverlaid compares what a stack covers with a map that its stones fill from the
// bottom up.
func TestSnapshotOverlaid(t *testing.T) {
	st := memory.New(memory.Options{})
	w := create(t, st, "a", world.Options{Whole: true})
	r := rand.New(rand.NewPCG(4, 4))
	var c history.Commit
	for range 7 {
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			for range 40 {
				at := geom.ChunkPos{X: int32(r.IntN(12) - 6), Y: int32(r.IntN(6) - 3), Z: int32(r.IntN(12) - 6)}
				chunk := voxel.Uniform(voxel.Empty)
				if r.IntN(3) > 0 {
					chunk = voxel.Uniform(v.Named("rock"))
				}
				v.SetChunk(at, chunk)
			}
			for range 20 {
				at := geom.ColumnPos{X: int32(r.IntN(24) - 12), Z: int32(r.IntN(24) - 12)}
				if tx.Dimension(earth).RemoveColumn(at); r.IntN(3) > 0 {
					tx.Dimension(earth).SetColumn(voxel.Column{Pos: at, Version: 1})
				}
			}
		})
		c = commit(t, w)
	}
	closeWorld(t, w)
	stack, err := st.Stack(ctx, "a", c.ID())
	if err != nil || len(stack) != 7 {
		t.Fatalf("%d stones, %v", len(stack), err)
	}
	chunks, columns := map[geom.ChunkPos]bool{}, map[geom.ColumnPos]bool{}
	for _, l := range stack {
		o, err := st.Open(ctx, "a", l.Stone.ID)
		if err != nil {
			t.Fatal(err)
		}
		maps.Insert(chunks, o.Entries(earth, voxel.Block, 0))
		maps.Insert(columns, o.ColumnEntries(earth))
		o.Close()
	}
	s, err := world.OpenSnapshot(ctx, st, "a", c.ID(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	last := geom.Code(0)
	for pos, holds := range s.Entries(earth, voxel.Block, 0) {
		if want, covered := chunks[pos]; !covered || holds != want || geom.CodeOf(pos, 0) <= last {
			t.Fatalf("chunk %v: holds %v, want %v, covered %v, after %v", pos, holds, want, covered, last)
		}
		last = geom.CodeOf(pos, 0)
		delete(chunks, pos)
	}
	if len(chunks) > 0 {
		t.Errorf("left out: %v", chunks)
	}
	n := 0
	for _, is := range columns {
		if is {
			n++
		}
	}
	var before *geom.ColumnPos
	for column, err := range s.ReadColumns(ctx, earth) {
		if err != nil || !columns[column.Pos] || before != nil && before.Compare(column.Pos) >= 0 {
			t.Fatalf("column %+v, %v, after %v", column, err, before)
		}
		before = &column.Pos
		n--
	}
	if n != 0 || s.ColumnCount(earth) == 0 {
		t.Errorf("%d columns are left out of %d", n, s.ColumnCount(earth))
	}
}
