package world_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Far levels read from a full pack and what changed since are those of the
// whole world in memory.
func TestReadFar(t *testing.T) {
	long.Alone(t)
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Fill(geom.Box{Min: geom.Point{X: -200, Y: -64, Z: -200}, Max: geom.Point{X: 200, Y: 10, Z: 200}}, v.Named("rock"))
		v.Fill(region.Ball{Center: geom.Point{X: 30, Y: 10, Z: -40}, Radius: 60}, v.Named("moss"))
	})
	commit(t, w)
	set(t, w, geom.Point{Y: 90}, "rose")
	commit(t, w)
	for _, packed := range []bool{false, true} {
		if packed {
			if err := w.Pack(ctx); err != nil {
				t.Fatal(err)
			}
		}
		closeWorld(t, w) // opened again, all have cells numbered alike
		w = open(t, st, "a", world.Options{Whole: true, Manual: true})
		checkFar(t, st, w, packed)
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			v.Fill(region.Ball{Center: geom.Point{X: -90, Y: 0, Z: 90}, Radius: 40}, 0)
			v.Set(geom.Point{X: 150, Y: 200, Z: 150}, v.Named("rose"))
		})
		checkFar(t, st, w, packed)
		commit(t, w)
		checkFar(t, st, w, packed)
	}
	closeWorld(t, w)
}

func checkFar(t *testing.T, st history.Store, w *world.World, packed bool) {
	t.Helper()
	thin := w
	if !w.Dirty() {
		thin = open(t, st, "a", world.Options{})
		defer closeWorld(t, thin)
	}
	r := rand.New(rand.NewPCG(5, 5))
	view := w.View().Dimension(earth).Volume(voxel.Block)
	if !w.Dirty() && packed {
		checkFarChunks(t, st, w.Head(), view)
	}
	for level := 3; level <= 7; level++ {
		for range 3 {
			at := geom.Point{X: (r.IntN(600) - 300) >> level, Y: (r.IntN(300) - 150) >> level, Z: (r.IntN(600) - 300) >> level}
			b := geom.Box{Min: at, Max: at.Add(geom.Point{X: 1 + r.IntN(9), Y: 1 + r.IntN(9), Z: 1 + r.IntN(9)})}
			got, want := make([]voxel.Cell, b.Cells()), make([]voxel.Cell, b.Cells())
			if err := thin.ReadFar(ctx, earth, voxel.Block, level, b, got); err != nil {
				t.Fatal(err)
			}
			if !view.ReadBox(b, level, want) {
				t.Fatal("not in memory")
			}
			if !slices.Equal(got, want) {
				t.Fatalf("packed %v, level %d, %v: got %v, want %v", packed, level, b, got, want)
			}
		}
	}
}

// checkFarChunks compares the chunks of far levels of a Snapshot with those of the world in
// memory.
func checkFarChunks(t *testing.T, st history.Store, at history.ID, view *world.Volume) {
	t.Helper()
	s, err := world.OpenSnapshot(ctx, st, "a", at, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, level := range []int{3, 4} {
		n := 0
		var want []geom.ChunkPos
		for x := int32(-1); x < 1; x++ {
			for z := int32(-1); z < 1; z++ {
				want = append(want, geom.ChunkPos{X: x, Z: z}, geom.ChunkPos{X: x, Y: -1, Z: z})
			}
		}
		slices.SortFunc(want, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, level).Compare(geom.CodeOf(b, level)) })
		err := s.ReadChunks(ctx, earth, voxel.Block, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			n++
			cells := new([voxel.ChunkCells]voxel.Cell)
			if !view.ReadBox(pos.Box(), level, cells[:]) {
				t.Fatal("not in memory")
			}
			if !voxel.FromFlat(cells).Equal(c) {
				t.Errorf("level %d: chunk %v is another one", level, pos)
			}
			return nil
		})
		if err != nil || (n > 0) != s.HasLevel(earth, voxel.Block, level) || level == 3 && n == 0 {
			t.Errorf("level %d: %d chunks, %v", level, n, err)
		}
	}
}

// A world in every corner of space can be packed, and its highest level be read.
func TestPackCornersOfSpace(t *testing.T) {
	long.Alone(t)
	w := create(t, newStore(), "a", world.Options{Whole: true})
	const far = geom.MaxChunk * geom.ChunkEdge
	for _, name := range []string{"rock", "moss"} {
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			for n := range 64 {
				at := geom.Point{X: (n&3 - 2) * far / 2, Y: (n>>2&3 - 2) * far / 2, Z: (n>>4 - 2) * far / 2}
				v.Fill(geom.Box{Min: at, Max: at.Add(geom.Point{X: 64, Y: 1, Z: 1})}, v.Named(name))
			}
		})
		commit(t, w)
	}
	if err := w.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dst := make([]voxel.Cell, 64)
	for _, level := range []int{3, geom.MaxLevel} {
		if !s.HasLevel(earth, voxel.Block, level) {
			t.Errorf("no level %d", level)
		}
		at := geom.Point{X: -far >> level, Y: -far >> level, Z: -far >> level}
		b := geom.Box{Min: at, Max: at.Add(geom.Point{X: 4, Y: 4, Z: 4})}
		if err := s.ReadBox(ctx, earth, voxel.Block, level, b, dst); err != nil || dst[0] == 0 {
			t.Errorf("level %d: %d, %v", level, dst[0], err)
		}
	}
	closeWorld(t, w)
}
