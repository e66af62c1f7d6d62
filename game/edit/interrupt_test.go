package edit_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

var interruptions = flag.Int("interruptions", long.Of(50, 150), "how many restores TestInterrupted interrupts; a fifteenth with -short")

var errSink = errors.New("the game is full")

// faulty is a Sink that fails at some sections.
type faulty struct{ rng *rand.Rand }

func (f *faulty) Section(*edit.SectionChange) error {
	if f.rng.IntN(40) == 0 {
		return errSink
	}
	return nil
}

func (f *faulty) Column(geom.ColumnPos, *voxel.Column) error { return nil }

// same reports whether two views have the same blocks.
func same(v, u *world.View) bool {
	a, b := v.Dimension("overworld").Volume(voxel.Block), u.Dimension("overworld").Volume(voxel.Block)
	for pos, c := range a.Chunks() {
		if d, ok := b.Chunk(pos); !ok || c != d && (d == nil || !c.Equal(d)) {
			return false
		}
	}
	return true
}

// TestInterrupted interrupts restores at random: it cancels them, has the Sink fail, or ends the
// program, with some of it committed. The world can be used afterwards, and the restore can be
// resumed or undone.
func TestInterrupted(t *testing.T) {
	times := *interruptions
	if testing.Short() {
		times /= 15
	}
	ctx := context.Background()
	st, w := made(t, 2)
	defer func() { w.Close() }()
	start := w.View()
	base := w.Head()
	rng := rand.New(rand.NewPCG(5, 6))
	var resumed, undone, killed int
	for i := range times {
		scatter(t, w, 1+rng.IntN(200))
		spoiled := w.View()
		if _, err := w.Commit(ctx, "played"); err != nil {
			t.Fatal(err)
		}
		from, err := world.OpenSnapshot(ctx, st, "arena", base, world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		q := edit.New(edit.Options{Sections: 1 + rng.IntN(6)})
		a := &edit.Arena{World: w}
		f := q.Add(a, &edit.Restore{Snapshot: from}, 0)
		fails := rng.IntN(2) == 0
		if fails {
			a.Sink = &faulty{rng}
		}
		cancel := rng.IntN(20)
		for step := 0; q.Len() > 0; {
			if q.Step(time.Now(), 0).Sections > 0 {
				if step++; step == cancel && !fails {
					f.Cancel()
				}
			}
		}
		_, err = f.Wait(ctx)
		if err != nil && !errors.Is(err, edit.ErrCanceled) && !errors.Is(err, errSink) {
			t.Fatal(err)
		}
		a.Sink = nil
		switch rng.IntN(3) {
		case 0:
			resumed++
			run(t, q, q.Add(a, &edit.Restore{Snapshot: from}, 0))
			if !same(start, w.View()) {
				t.Fatalf("run %d: a resumed restore did not restore", i)
			}
		case 1:
			undone++
			run(t, q, q.Add(a, f.Undo(), 0))
			if !same(spoiled, w.View()) {
				t.Fatalf("run %d: an undone restore left changes", i)
			}
		default:
			killed++
			if rng.IntN(2) == 0 { // after a save
				if _, err := w.Commit(ctx, "half restored"); err != nil {
					t.Fatal(err)
				}
			}
			w = reopened(t, st, w)
			a.World = w
			run(t, q, q.Add(a, &edit.Restore{Snapshot: from}, 0))
			if !same(start, w.View()) {
				t.Fatalf("run %d: a restore after a kill did not restore", i)
			}
		}
		q.Close()
		if err := from.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d resumed, %d undone, %d after a kill", resumed, undone, killed)
}

// reopened opens a world as its store has it, without what was not committed.
func reopened(t *testing.T, st history.Store, w *world.World) *world.World {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(context.Background(), st, "arena", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestFailedChunk has the Sink refuse one section: its chunk is reported, and the rest goes on.
func TestFailedChunk(t *testing.T) {
	_, w := made(t, 2)
	defer w.Close()
	var failed []edit.Event
	done := 0
	q := edit.New(edit.Options{Events: func(e edit.Event) {
		switch e.Kind {
		case edit.ChunkFailed:
			failed = append(failed, e)
		case edit.ChunkDone:
			done++
		}
	}})
	defer q.Close()
	sink := &refusing{at: geom.Point{X: 0, Y: 48, Z: 0}}
	box := geom.Box{Min: geom.Point{X: -8, Y: 0, Z: -8}, Max: geom.Point{X: 8, Y: 64, Z: 8}}
	f := q.Add(&edit.Arena{World: w, Sink: sink}, &edit.Fill{Region: box, Name: "minecraft:glass"}, 0)
	for q.Len() > 0 {
		q.Step(time.Now(), 0)
		runtime.Gosched()
	}
	r, err := f.Wait(context.Background())
	if !errors.Is(err, errSink) || r.Failed != 1 || len(failed) != 1 || r.Done != r.Chunks || done != r.Chunks-1 {
		t.Fatalf("%+v, %v; %d failed, %d done", r, err, len(failed), done)
	}
	if want := (geom.ChunkPos{Y: 1}); failed[0].Chunk != want || !errors.Is(failed[0].Err, errSink) {
		t.Errorf("%+v", failed[0])
	}
	blocks := w.View().Dimension("overworld").Volume(voxel.Block)
	for p := range points(box) {
		c, _ := blocks.Cell(p)
		within := geom.Box{Min: sink.at, Max: sink.at.Add(geom.Point{X: 16, Y: 16, Z: 16})}.Contains(p)
		if glass := blocks.CellName(c) == "minecraft:glass"; glass == within {
			t.Fatalf("cell %v is %s", p, blocks.CellName(c))
		}
	}
}

// refusing is a Sink that refuses one section.
type refusing struct {
	faulty
	at geom.Point
}

func (r *refusing) Section(s *edit.SectionChange) error {
	if s.Min == r.at {
		return errSink
	}
	return nil
}

// TestNotLoaded restores a part of a world of which nothing is in memory.
func TestNotLoaded(t *testing.T) {
	long.Alone(t)
	ctx := context.Background()
	st, w := made(t, 4)
	base := w.Head()
	scatter(t, w, 50)
	if _, err := w.Commit(ctx, "played"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(ctx, st, "arena", world.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	from, err := world.OpenSnapshot(ctx, st, "arena", base, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	q := edit.New(edit.Options{Chunks: 1})
	box := geom.Box{Min: geom.Point{X: -32, Y: -64, Z: -32}, Max: geom.Point{X: 0, Y: 320, Z: 0}}
	r := run(t, q, q.Add(&edit.Arena{World: w}, &edit.Restore{Snapshot: from, Region: box}, 0))
	q.Close()
	if _, err := w.Commit(ctx, "restored"); err != nil {
		t.Fatal(err)
	}
	for pos, c := range w.View().Dimension("overworld").Volume(voxel.Block).Chunks() {
		if c != nil {
			t.Errorf("chunk %v is still in memory", pos)
		}
	}
	now, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	want, got := make([]voxel.Cell, box.Cells()), make([]voxel.Cell, box.Cells())
	if err := errors.Join(from.ReadBox(ctx, "overworld", voxel.Block, 0, box, want), now.ReadBox(ctx, "overworld", voxel.Block, 0, box, got)); err != nil {
		t.Fatal(err)
	}
	if r.Cells == 0 || !slices.Equal(want, got) {
		t.Errorf("%+v; equal: %v", r, slices.Equal(want, got))
	}
}
