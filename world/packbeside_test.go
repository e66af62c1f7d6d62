package world_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// slowPacks is a Store that keeps the first pack waiting.
type slowPacks struct {
	history.Store
	begun, wait chan struct{} // closed when the first begins; when it may go on
	packs       atomic.Int32
	fails       error // of the first
}

func newSlowPacks() *slowPacks {
	return &slowPacks{Store: newStore(), begun: make(chan struct{}), wait: make(chan struct{})}
}

func (s *slowPacks) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	if s.packs.Add(1) == 1 {
		close(s.begun)
		<-s.wait
		if s.fails != nil {
			return s.fails
		}
	}
	return s.Store.PutPack(ctx, name, p, st)
}

// noisy saves cells that do not compress. Packs of two such saves take long.
func noisy(t testing.TB, w *world.World, r *rand.Rand) (p geom.Point) {
	t.Helper()
	pos := geom.ChunkPos{X: 4 * r.Int32N(4), Y: r.Int32N(4)}
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		var names [64]voxel.Cell
		for i := range names {
			names[i] = v.Named(fmt.Sprint("rock", i))
		}
		for x := range int32(4) {
			var flat [voxel.ChunkCells]voxel.Cell
			for i := range flat {
				flat[i] = names[r.IntN(len(names))]
			}
			v.SetChunk(geom.ChunkPos{X: pos.X + x, Y: pos.Y}, new(voxel.ChunkBuilder).FromFlat(&flat))
		}
	})
	commit(t, w)
	return pos.Min()
}

// TestPackBeside: a pack that takes long holds up no commit. Those that come meanwhile pack what they add, and
// Close waits.
func TestPackBeside(t *testing.T) {
	st := newSlowPacks()
	w := create(t, st, "a", world.Options{Whole: true})
	r := rand.New(rand.NewPCG(1, 2))
	for range 9 {
		noisy(t, w, r) // it would hang here
	}
	<-st.begun
	for i := range 40 {
		set(t, w, geom.Point{X: i, Y: 200}, []string{"rock", "moss"}[i%2])
		commit(t, w)
	}
	f, err := history.Fetch(ctx, st, "a", w.Head(), 0)
	if err != nil || len(f.Layers) > 2*8+2 {
		t.Errorf("%d stones while the pack is made, %v", len(f.Layers), err)
	}
	if st.packs.Load() < 3 {
		t.Error("no packs of what came meanwhile")
	}
	close(st.wait)
	closeWorld(t, w)
	before := len(f.Layers)
	if f, err = history.Fetch(ctx, st, "a", w.Head(), 0); err != nil || len(f.Layers) >= before {
		t.Errorf("%d stones after it, %d before, %v", len(f.Layers), before, err)
	}
	again := open(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, again)
	was, is := w.View().Dimension(earth).Volume(voxel.Block), again.View().Dimension(earth).Volume(voxel.Block)
	for pos, c := range was.Chunks() {
		got, ok := is.Chunk(pos)
		for range 200 {
			x, y, z := r.IntN(32), r.IntN(32), r.IntN(32)
			if !ok || got == nil || was.CellName(c.Cell(x, y, z)) != is.CellName(got.Cell(x, y, z)) {
				t.Fatalf("chunk %v differs", pos)
			}
		}
	}
	if is.Len() != was.Len() {
		t.Errorf("%d chunks, want %d", is.Len(), was.Len())
	}
}

// TestPackBesideFails: Upkeep counts a pack that was made beside, when it has ended.
func TestPackBesideFails(t *testing.T) {
	st := newSlowPacks()
	st.fails = errors.New("the disk is full")
	w := create(t, st, "a", world.Options{})
	r := rand.New(rand.NewPCG(3, 4))
	for range 9 {
		noisy(t, w, r)
	}
	<-st.begun
	if n := w.Upkeep().Packs.Count; n != 0 {
		t.Errorf("%d failures before it ended", n)
	}
	close(st.wait)
	closeWorld(t, w)
	if u := w.Upkeep().Packs; u.Count != 1 || !errors.Is(u.Last, st.fails) {
		t.Errorf("%+v", u)
	}
}

// deadPacks is a Store that answers no pack.
type deadPacks struct{ history.Store }

func (s deadPacks) PutPack(ctx context.Context, _ string, _ history.Pack, _ history.Stone) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestPackBesideDead: Close does not wait for a Store that does not answer when the context of the commit ends.
func TestPackBesideDead(t *testing.T) {
	w := create(t, deadPacks{newStore()}, "a", world.Options{})
	r := rand.New(rand.NewPCG(5, 6))
	for range 8 {
		noisy(t, w, r)
	}
	set(t, w, geom.Point{Y: 200}, "rock")
	call, cancel := context.WithTimeout(ctx, time.Minute)
	if _, err := w.Commit(call, ""); err != nil {
		t.Fatal(err)
	}
	cancel()
	closeWorld(t, w)
}

// TestPackPrice: a pack of a world of few bytes and many chunks is dear, and one of what changed is not.
func TestPackPrice(t *testing.T) {
	for _, tt := range []struct {
		chunks int
		left   int // stones
	}{{4, 1}, {16384, 2}} {
		st := newStore()
		w := create(t, st, "a", world.Options{Manual: true, Whole: true})
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			c := voxel.Uniform(v.Named("rock"))
			for i := range int32(tt.chunks) {
				v.SetChunk(geom.ChunkPos{X: i & 31, Y: i >> 10, Z: i >> 5 & 31}, c)
			}
		})
		for i := range 9 {
			commit(t, w)
			set(t, w, geom.Point{X: i, Y: 1, Z: 1}, "moss")
		}
		closeWorld(t, w)
		left, packed, err := world.PackStack(ctx, st, "a", world.PackStackOptions{})
		if err != nil || !packed || left != tt.left {
			t.Errorf("%d chunks: %d stones are left, want %d, packed %v, %v", tt.chunks, left, tt.left, packed, err)
		}
	}
}
