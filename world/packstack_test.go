package world_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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

// fetches counts the calls for stacks.
type fetches struct {
	history.Store
	history.Fetcher
	n int
}

func (f *fetches) Fetch(ctx context.Context, name string, at history.ID, room int64) (history.Fetched, error) {
	f.n++
	return f.Fetcher.Fetch(ctx, name, at, room)
}

// TestPackStackAsksOnce packs small saves with what one call brings.
func TestPackStackAsksOnce(t *testing.T) {
	st := memory.New(memory.Options{})
	imported(t, st, "a", terrain.Island(terrain.Options{Seed: 1}))
	w := open(t, st, "a", world.Options{Whole: true, Manual: true})
	for i := range 8 {
		if _, err := w.Update(func(tx *world.Tx) error { tx.SetProperty("n", fmt.Sprint(i)); return nil }); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(ctx, ""); err != nil {
			t.Fatal(err)
		}
	}
	closeWorld(t, w)
	f := &fetches{Store: st, Fetcher: st.(history.Fetcher)}
	if left, packed, err := world.PackStack(ctx, f, "a", world.PackStackOptions{High: 7}); err != nil || !packed || left < 2 || f.n != 1 {
		t.Errorf("got %d stones, packed %v, %v, in %d calls, want 1", left, packed, err, f.n)
	}
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

// TestPackKeepsMatters packs down to the stone that a world began with. What that said of light, by
// the names of blocks, the packs say too, and so does what is written from them.
func TestPackKeepsMatters(t *testing.T) {
	long.Alone(t)
	for _, tt := range []struct {
		name string
		pack func(st history.Store, w *world.World) error
	}{
		{"by commits", func(_ history.Store, w *world.World) error {
			r := rand.New(rand.NewPCG(1, 1))
			for range 9 {
				_, err := w.Update(func(tx *world.Tx) error {
					v := tx.Dimension(w.View().Dimensions()[0].Name()).Volume(voxel.Block)
					c := v.Named("aardvark") // before all other names
					for range 4000 {         // so much that the pack reaches the lowest stone
						v.Set(geom.Point{X: r.IntN(32), Y: 160 + r.IntN(32), Z: r.IntN(32)}, c-voxel.Cell(r.IntN(2)))
					}
					return nil
				})
				if err == nil {
					_, err = w.Commit(ctx, "")
				}
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{"PackStack", func(st history.Store, w *world.World) error {
			for i := range 2 {
				if _, err := w.Update(func(tx *world.Tx) error { tx.SetProperty("n", fmt.Sprint(i)); return nil }); err != nil {
					return err
				}
				if _, err := w.Commit(ctx, ""); err != nil {
					return err
				}
			}
			_, _, err := world.PackStack(ctx, st, "a", world.PackStackOptions{High: 1})
			return err
		}},
		{"Pack", func(_ history.Store, w *world.World) error {
			if _, err := w.Update(func(tx *world.Tx) error { tx.SetProperty("n", "1"); return nil }); err != nil {
				return err
			}
			if _, err := w.Commit(ctx, ""); err != nil {
				return err
			}
			return w.Pack(ctx)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := memory.New(memory.Options{})
			imported(t, st, "a", terrain.Arena(terrain.Options{Seed: 1, Size: 2, Version: terrain.Modern}))
			w := open(t, st, "a", world.Options{Whole: true})
			want := mattersOf(t, st, nil)
			if len(want) == 0 {
				t.Fatal("the world says nothing of light")
			}
			if err := tt.pack(st, w); err != nil {
				t.Fatal(err)
			}
			mattersOf(t, st, want)
		})
	}
}

// mattersOf returns what the stones of world a say of light, by name. It holds them against what
// they said before.
func mattersOf(t *testing.T, st history.Store, want map[string]light.Matter) map[string]light.Matter {
	t.Helper()
	h, err := st.Head(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	s, err := world.OpenSnapshot(ctx, st, "a", h.Commit, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := s.About().Dimensions[0]
	out := make(map[string]light.Matter)
	for _, v := range d.Volumes {
		if v.Volume.Name != voxel.Block {
			continue
		}
		for c, m := range s.Matters(d.Name) {
			out[v.Names[c]] = m
		}
	}
	for name, m := range want {
		if got, ok := out[name]; !ok || got != m {
			t.Errorf("%s: got %v, %v, want %v", name, got, ok, m)
		}
	}
	return out
}

// Each day's last version, and all later ones, share the packs of days; all versions read as before.
func TestPacksOfDays(t *testing.T) {
	now := time.Date(2026, 1, 5, 16, 0, 0, 0, time.UTC)
	st := memory.New(memory.Options{Now: func() time.Time { return now }})
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	at := func(n int) geom.Point { return geom.Point{X: n % 32, Y: 25, Z: n / 32} }
	r := rand.New(rand.NewPCG(4, 4))
	var all, days []history.Commit
	for range 4 {
		for range 20 {
			now = now.Add(5 * time.Minute)
			update(t, w, func(tx *world.Tx) {
				v := tx.Dimension(earth).Volume(voxel.Block)
				for range 400 {
					v.Set(geom.Point{X: r.IntN(32), Y: r.IntN(20), Z: r.IntN(32)}, v.Named([]string{"air", "rock", "rose"}[r.IntN(3)]))
				}
				v.Set(at(len(all)), v.Named("glass"))
			})
			all = append(all, commit(t, w))
		}
		days = append(days, all[len(all)-1])
		now = now.Add(22 * time.Hour)
	}
	closeWorld(t, w)
	for n, c := range all {
		mustRead(t, st, "a", c.ID(), at(n), "glass")
		mustRead(t, st, "a", c.ID(), at(n+1), "air")
	}
	head, err := st.Stack(ctx, "a", days[3].ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range days[1:3] {
		layers, err := st.Stack(ctx, "a", c.ID())
		if err != nil {
			t.Fatal(err)
		}
		shared := 0
		for _, l := range layers {
			if slices.Contains(head, l) {
				shared++
			}
		}
		if len(layers) > 8 || shared < 2 {
			t.Errorf("version %d: %d layers, %d of them in the head's stack of %d", c.Number, len(layers), shared, len(head))
		}
	}
}
