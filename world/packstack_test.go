package world_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// visitor is a player who builds on an island, now here, now there.
type visitor struct {
	w      *world.World
	dim    string
	within geom.Box
	r      *rand.Rand
	spot   geom.Point
	saves  int
}

func newVisitor(w *world.World, seed uint64) *visitor {
	d := w.View().Dimensions()[0]
	v := &visitor{w: w, dim: d.Name(), r: rand.New(rand.NewPCG(seed, 1))}
	for pos := range d.Volume(voxel.Block).Chunks() {
		v.within = v.within.Union(pos.Box())
	}
	return v
}

// save sets blocks near each other and fills a chest, and commits.
func (v *visitor) save(t testing.TB) {
	t.Helper()
	if v.saves%5 == 0 {
		s := v.within.Size()
		v.spot = v.within.Min.Add(geom.Point{X: v.r.IntN(s.X), Y: v.r.IntN(s.Y), Z: v.r.IntN(s.Z)})
	}
	v.saves++
	update(t, v.w, func(tx *world.Tx) {
		d := tx.Dimension(v.dim)
		blocks := d.Volume(voxel.Block)
		for range 10 + v.r.IntN(30) {
			p := v.spot.Add(geom.Point{X: v.r.IntN(12), Y: v.r.IntN(8), Z: v.r.IntN(12)})
			blocks.Set(p, voxel.Cell(v.r.IntN(min(20, len(blocks.Names())))))
		}
		p := v.spot
		d.SetObjects("block_entities", geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)}, []voxel.Object{chest(p.X, p.Y, p.Z, fmt.Sprint(v.saves))})
	})
	commit(t, v.w)
}

// Packed worlds hold what unpacked ones hold, are never higher than was wanted, and
// packing writes little beside what was saved.
func TestPackStack(t *testing.T) {
	onlyInFull(t)
	st := &counter{Store: newStore()}
	imported(t, st, "a", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}))
	w := open(t, st, "a", world.Options{})
	for _, name := range []string{"packed", "unpacked"} {
		if err := w.Fork(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	closeWorld(t, w)
	st.saved = 0
	packed := open(t, st, "packed", world.Options{Whole: true, Manual: true})
	unpacked := open(t, st, "unpacked", world.Options{Whole: true, Manual: true})
	a, b := newVisitor(packed, 7), newVisitor(unpacked, 7)
	for i := range 60 {
		a.save(t)
		b.save(t)
		high := 8
		if i%10 == 9 {
			high = 2 + a.r.IntN(5)
			b.r.IntN(5)
		}
		if _, _, err := world.PackStack(ctx, st, "packed", world.PackStackOptions{High: high}); err != nil {
			t.Fatal(err)
		}
		if layers, err := st.Stack(ctx, "packed", packed.Head()); err != nil || len(layers) > high {
			t.Fatalf("%d stones, want at most %d: %v", len(layers), high, err)
		}
	}
	if d := difference(t, exported(t, packed), exported(t, unpacked)); !d.Same() {
		t.Errorf("packed: %+v", d)
	}
	if price := float64(st.packed) / float64(st.saved/2); price > 3 {
		t.Errorf("packs took %.2f bytes for each byte saved", price)
	}
	if _, packed, err := world.PackStack(ctx, st, "packed", world.PackStackOptions{High: 40}); packed || err != nil {
		t.Errorf("a low stack was packed: %v", err)
	}
	if _, _, err := world.PackStack(ctx, st, "none", world.PackStackOptions{}); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("no world: %v", err)
	}
	closeWorld(t, packed)
	closeWorld(t, unpacked)
}

// nowhere is a Store whose packs are lost.
type nowhere struct{ *counter }

func (n nowhere) PutPack(_ context.Context, _ string, _ history.Pack, s history.Stone) error {
	n.packed += int64(len(s.Data))
	return nil
}

// TestPackIsSmaller packs on purpose what was packed in passing.
func TestPackIsSmaller(t *testing.T) {
	onlyInFull(t)
	st := newStore()
	imported(t, st, "a", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}))
	w := open(t, st, "a", world.Options{Whole: true, Manual: true})
	v := newVisitor(w, 3)
	size := func() int64 {
		head, err := st.Head(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		layers, err := st.Stack(ctx, "a", head.Commit)
		if err != nil || len(layers) != 1 {
			t.Fatalf("%d layers, %v", len(layers), err)
		}
		return layers[0].Stone.Size
	}
	v.save(t)
	if _, packed, err := world.PackStack(ctx, st, "a", world.PackStackOptions{High: 1}); err != nil || !packed {
		t.Fatalf("packed %v, %v", packed, err)
	}
	passing := size()
	v.save(t)
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{})
	defer closeWorld(t, w)
	if err := w.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	if best := size(); best*10 > passing*9 {
		t.Errorf("%d bytes, %d in passing", best, passing)
	}
}

// BenchmarkPackStack packs what eight saves of an island left.
func BenchmarkPackStack(b *testing.B) {
	st := &counter{Store: newStore()}
	imported(b, st, "a", terrain.Island(terrain.Options{Seed: 1, Version: terrain.Modern}))
	w := open(b, st, "a", world.Options{})
	const worlds = 50
	for i := range worlds {
		name := fmt.Sprint("w", i)
		if err := w.Fork(ctx, name); err != nil {
			b.Fatal(err)
		}
		f := open(b, st, name, world.Options{Whole: true, Manual: true})
		v := newVisitor(f, uint64(i))
		for range 8 {
			v.save(b)
		}
		closeWorld(b, f)
	}
	closeWorld(b, w)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, packed, err := world.PackStack(ctx, nowhere{st}, fmt.Sprint("w", n%worlds), world.PackStackOptions{}); !packed || err != nil {
			b.Fatal(packed, err)
		}
		n++
	}
	b.ReportMetric(float64(st.packed)/float64(n), "B-packed/op")
}
