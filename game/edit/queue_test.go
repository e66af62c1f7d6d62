package edit_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// sink is a Sink that a test gives functions.
type sink struct {
	section func(*edit.SectionChange) error
	column  func(geom.ColumnPos, *voxel.Column) error
}

func (s *sink) Section(c *edit.SectionChange) error {
	if s.section == nil {
		return nil
	}
	return s.section(c)
}

func (s *sink) Column(pos geom.ColumnPos, c *voxel.Column) error {
	if s.column == nil {
		return nil
	}
	return s.column(pos, c)
}

// still is a queue without time: its fetches are done at once.
func still(o edit.Options) *edit.Queue {
	o.Go = func(f func()) { f() }
	return edit.New(o)
}

// TestClosed checks what becomes of operations in a queue that is closed, and afterwards.
func TestClosed(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := still(edit.Options{Sections: 1})
	a := &edit.Arena{World: w}
	fill := &edit.Fill{Region: geom.Box{Max: geom.Point{X: 64, Y: 32, Z: 32}}, Name: "gold"}
	begun, waiting := q.Add(a, fill, 0), q.Add(a, fill, 0)
	for range 3 {
		q.Step(time.Now(), 0)
	}
	q.Close()
	late := q.Add(a, fill, 0)
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	for i, f := range []*edit.Operation{begun, waiting, late} {
		if _, err := f.Wait(ctx); !errors.Is(err, edit.ErrCanceled) {
			t.Errorf("operation %d ended with %v", i, err)
		}
	}
	if q.Len() != 0 {
		t.Errorf("%d operations in a closed queue", q.Len())
	}
	q.Close()
}

// TestStepLooks restores a world from another one with the same cells: what does not differ
// takes time as well, so a Step ends when its time is over.
func TestStepLooks(t *testing.T) {
	long.Alone(t)
	_, w := made(t, 4)
	defer w.Close()
	_, u := made(t, 5)
	defer u.Close()
	from, err := u.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	c := &clock{time.Unix(0, 0)}
	q := still(edit.Options{Clock: func() time.Time { c.pass(time.Millisecond); return c.t }})
	defer q.Close()
	run := q.Add(&edit.Arena{World: w}, &edit.Restore{Snapshot: from, Objects: true, Columns: true}, 0)
	for steps := 0; q.Len() > 0; steps++ {
		if steps > 100000 {
			t.Fatal("the restore does not end")
		}
		began, before := c.t, run.Status().Progress
		r := q.Step(began, 10*time.Millisecond)
		if r.Sections == 0 && c.t.Sub(began) > 20*time.Millisecond {
			t.Fatalf("a Step of 10 ms without changes took %v: from %+v to %+v", c.t.Sub(began), before, run.Status().Progress)
		}
	}
	if _, err := run.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestSpent gives steps no time at all: each does a little.
func TestSpent(t *testing.T) {
	_, w := made(t, 2)
	defer w.Close()
	capture, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer capture.Close()
	scatter(t, w, 100)
	q := still(edit.Options{})
	defer q.Close()
	f := q.Add(&edit.Arena{World: w}, &edit.Restore{Capture: capture, Objects: true, Columns: true}, 0)
	sections := 0
	for q.Len() > 0 {
		r := q.Step(time.Now().Add(-time.Hour), 1)
		if sections += r.Sections; r.Sections > 1 || sections > 100000 {
			t.Fatalf("%+v in a step without time, %d sections in all", r, sections)
		}
	}
	if _, err := f.Wait(context.Background()); err != nil || !same(capture.View(), w.View()) {
		t.Errorf("%v", err)
	}
}

// TestUndoKeepsPlayers has a player write into a chunk of which a part is done: undoing keeps it.
func TestUndoKeepsPlayers(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	h, err := w.Load(context.Background(), "d", world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	q := still(edit.Options{Sections: 1})
	defer q.Close()
	a := &edit.Arena{World: w}
	f := q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 10}}, Name: "gold"}, 0)
	for q.Step(time.Now(), 0).Sections == 0 {
	}
	outside, inside := geom.Point{X: 3, Y: 3, Z: 20}, geom.Point{X: 3, Y: 3, Z: 3}
	_, err = w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("d").Volume(voxel.Block)
		v.Set(outside, v.Named("mark"))
		v.Set(inside, v.Named("hole"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, q, f)
	for i := range 2 {
		run(t, q, q.Add(a, f.Undo(), 0))
		blocks := w.View().Dimension("d").Volume(voxel.Block)
		for p, want := range map[geom.Point]string{outside: "mark", inside: "hole", {X: 4, Y: 4, Z: 4}: "stone", {X: 31, Y: 31, Z: 9}: "stone"} {
			if c, _ := blocks.Cell(p); blocks.CellName(c) != want {
				t.Errorf("undone %d times: cell %v is %s, not %s", i+1, p, blocks.CellName(c), want)
			}
		}
	}
}

// TestUndoEarly refuses to undo what has not ended, and in another dimension.
func TestUndoEarly(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := still(edit.Options{})
	defer q.Close()
	a := &edit.Arena{World: w}
	f := q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, Name: "gold"}, 0)
	early := q.Add(a, f.Undo(), 1)
	q.Step(time.Now(), 0)
	if _, err := early.Wait(context.Background()); err == nil {
		t.Error("an operation was undone before it ended")
	}
	run(t, q, f)
	_, u := two(t)
	defer u.Close()
	elsewhere := q.Add(&edit.Arena{World: u}, f.Undo(), 1)
	q.Step(time.Now(), 0)
	if _, err := elsewhere.Wait(context.Background()); err == nil {
		t.Error("an operation was undone in another world")
	}
}

// TestFillRefused refuses a cell that the volume cannot have before the game is told anything.
func TestFillRefused(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := still(edit.Options{})
	defer q.Close()
	a := &edit.Arena{World: w, Sink: &sink{section: func(*edit.SectionChange) error { t.Error("the game was told"); return nil }}}
	f := q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, Cell: 3}, 0)
	q.Step(time.Now(), time.Hour)
	if _, err := f.Wait(context.Background()); err == nil {
		t.Error("no error")
	}
}

// TestFillCanceled closes a queue that prepares a fill of the whole range.
func TestFillCanceled(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := edit.New(edit.Options{})
	f := q.Add(&edit.Arena{World: w}, &edit.Fill{Region: world.Everywhere, Name: "stone"}, 0)
	q.Step(time.Now(), 0)
	q.Close()
	if _, err := f.Wait(context.Background()); !errors.Is(err, edit.ErrCanceled) {
		t.Error(err)
	}
}

// TestReplaceHuge replaces in a region that is far larger than the world.
func TestReplaceHuge(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := still(edit.Options{})
	defer q.Close()
	mask, err := region.ParseMask("stone")
	if err != nil {
		t.Fatal(err)
	}
	f := q.Add(&edit.Arena{World: w}, &edit.Fill{Region: world.Everywhere, Mask: mask, Name: "dirt"}, 0)
	run(t, q, f)
	if p := f.Status().Progress; p.Chunks != 2 || p.Cells != voxel.ChunkCells {
		t.Errorf("%+v", p)
	}
}

// TestPanic has the game panic within a section: what it was told before is done again.
func TestPanic(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	q := still(edit.Options{})
	defer q.Close()
	calls := 0
	a := &edit.Arena{World: w, Sink: &sink{section: func(*edit.SectionChange) error {
		if calls++; calls == 10 {
			panic("game over")
		}
		return nil
	}}}
	f := q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 32, Y: 64, Z: 32}}, Name: "gold"}, 0)
	panicked := 0
	for q.Len() > 0 {
		func() {
			defer func() {
				if recover() != nil {
					panicked++
				}
			}()
			q.Step(time.Now(), time.Hour)
		}()
	}
	if r, err := f.Wait(context.Background()); err != nil || panicked != 1 || r.Cells != 2*voxel.ChunkCells {
		t.Errorf("%+v, %v; %d panics", r, err, panicked)
	}
	c, _ := w.View().Dimension("d").Volume(voxel.Block).Chunk(geom.ChunkPos{})
	gold, _ := w.View().Dimension("d").Volume(voxel.Block).Named("gold")
	if v, ok := c.SliceUniform(0); !ok || v != gold {
		t.Errorf("chunk 0 is %d, %v", v, ok)
	}
}

// TestMaskOfVolumes restores two volumes with names in another order through one mask.
func TestMaskOfVolumes(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	h, err := w.Load(context.Background(), "d", world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = w.Update(func(tx *world.Tx) error {
		tx.Dimension("d").Volume(voxel.Block).SetChunk(geom.ChunkPos{Y: 5}, voxel.Uniform(1)) // stone
		tx.Dimension("d").Volume("other").SetChunk(geom.ChunkPos{Y: 5}, voxel.Uniform(1))     // dirt
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mask, err := region.ParseMask("stone")
	if err != nil {
		t.Fatal(err)
	}
	q := still(edit.Options{})
	defer q.Close()
	run(t, q, q.Add(&edit.Arena{World: w}, &edit.Restore{Capture: c, Mask: mask}, 0))
	p := geom.Point{Y: 5 * 32}
	block, _ := w.View().Dimension("d").Volume(voxel.Block).Cell(p)
	other, _ := w.View().Dimension("d").Volume("other").Cell(p)
	if block != 0 || other != 1 {
		t.Errorf("of stone and dirt, masked by stone, there are %d and %d", block, other)
	}
}

// lights counts the towers that it is asked for, and fails.
type lights struct{ calls atomic.Int32 }

func (l *lights) Relight(context.Context, *edit.Arena, []geom.ChunkPos) error {
	l.calls.Add(1)
	return errSink
}

// TestRelightProgress has all light fail: each tower is reported, and the error stays short.
func TestRelightProgress(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	failed := 0
	q := still(edit.Options{Events: func(e edit.Event) {
		if e.Kind == edit.ChunkFailed {
			failed++
		}
	}})
	defer q.Close()
	l := &lights{}
	f := q.Add(&edit.Arena{World: w, Light: l}, &edit.Relight{Region: world.Everywhere}, 0)
	for q.Len() > 0 {
		q.Step(time.Now(), 0)
	}
	r, err := f.Wait(context.Background())
	if !errors.Is(err, errSink) || l.calls.Load() != 2 || failed != 2 || r.Chunks != 2 || r.Done != 2 || r.Failed != 2 {
		t.Errorf("%+v, %v; %d calls, %d events", r, err, l.calls.Load(), failed)
	}
}

// TestStepBegins has a game that is slow to hear of what begins: a Step does not begin the operations
// of a thousand arenas at once.
func TestStepBegins(t *testing.T) {
	_, w := two(t)
	defer w.Close()
	c := &clock{time.Unix(0, 0)}
	q := still(edit.Options{Clock: c.now, Events: func(edit.Event) { c.pass(time.Millisecond) }})
	defer q.Close()
	for range 1000 {
		q.Add(&edit.Arena{World: w}, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, Name: "dirt"}, 0)
	}
	for q.Len() > 0 {
		began := c.t
		q.Step(began, 10*time.Millisecond)
		if took := c.t.Sub(began); took > 12*time.Millisecond {
			t.Fatalf("a Step of 10 ms took %v", took)
		}
	}
}
