package edit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// watched is a Store that counts open stones, fails or stops in commits when it is told to.
type watched struct {
	history.Store
	open   atomic.Int32
	commit func(name string) error // before a commit; nil: nothing
}

func (s *watched) Open(ctx context.Context, world string, id stone.ID) (*history.Opened, error) {
	o, err := s.Store.Open(ctx, world, id)
	if err == nil {
		s.open.Add(1)
		o.Closer = closer{o.Closer, &s.open}
	}
	return o, err
}

type closer struct {
	io.Closer
	open *atomic.Int32
}

func (c closer) Close() error {
	c.open.Add(-1)
	return c.Closer.Close()
}

func (s *watched) Commit(ctx context.Context, name string, h history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	if s.commit != nil {
		if err := s.commit(name); err != nil {
			return history.Commit{}, err
		}
	}
	return s.Store.Commit(ctx, name, h, c, stones...)
}

// equalWorlds compares the heads of two worlds of a store.
func equalWorlds(t *testing.T, st history.Store, a, b string) {
	t.Helper()
	ctx := context.Background()
	var both [2]*world.Snapshot
	for i, name := range [2]string{a, b} {
		head, err := st.Head(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if both[i], err = world.OpenSnapshot(ctx, st, name, head.Commit, world.Options{}); err != nil {
			t.Fatal(err)
		}
		defer both[i].Close()
	}
	d, err := diff.Worlds(ctx, struct{ stone.Content }{both[0]}, both[1], diff.Options{Exact: true}) // no two versions: all is compared
	if err != nil {
		t.Fatal(err)
	}
	if !d.Same() {
		t.Errorf("%s and %s differ: %+v", a, b, d)
	}
}

// TestSave saves a captured moment in worlds of all kinds, and compares it with what the world
// itself commits.
func TestSave(t *testing.T) {
	ctx := context.Background()
	for _, k := range []struct {
		name string
		make func(t *testing.T, w *world.World)
	}{
		{"empty", func(*testing.T, *world.World) {}},
		{"no commit", func(t *testing.T, w *world.World) { spoil(t, w, 1) }},
		{"nothing changed", func(t *testing.T, w *world.World) { spoil(t, w, 1); commit(t, w) }},
		{"changed", func(t *testing.T, w *world.World) { spoil(t, w, 1); commit(t, w); spoil(t, w, 2) }},
	} {
		t.Run(k.name, func(t *testing.T) {
			st := &watched{Store: memory.New(memory.Options{})}
			w, err := world.Create(ctx, st, "live", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			k.make(t, w)
			c, err := w.Capture()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			commit(t, w) // the same moment
			if err := st.Fork(ctx, "live", w.Head(), "twin"); err != nil && w.Head() != (history.ID{}) {
				t.Fatal(err)
			}
			spoil(t, w, 3) // and the world goes on
			q := still(edit.Options{})
			defer q.Close()
			a := &edit.Arena{World: w}
			made, err := c.Save(ctx, "saved", "round 1")
			if err != nil || made.Message != "round 1" {
				t.Errorf("%+v, %v", made, err)
			}
			if _, err := c.Save(ctx, "saved", "round 2"); !errors.Is(err, history.ErrExists) {
				t.Errorf("saved twice: %v", err)
			}
			if k.name == "empty" {
				return
			}
			equalWorlds(t, st, "saved", "twin")
			from, err := world.OpenSnapshot(ctx, st, "saved", made.ID(), world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()
			run(t, q, q.Add(a, &edit.Restore{Snapshot: from, Objects: true, Columns: true}, 0))
			commit(t, w)
			equalWorlds(t, st, "live", "twin")
		})
	}
}

// TestSaveFails leaves nothing behind if the store fails, and saves beside a commit under way.
func TestSaveFails(t *testing.T) {
	ctx := context.Background()
	st := &watched{Store: memory.New(memory.Options{})}
	w, err := world.Create(ctx, st, "live", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	spoil(t, w, 1)
	commit(t, w)
	spoil(t, w, 2)
	inside, goOn := make(chan bool), make(chan bool)
	st.commit = func(name string) error {
		if name == "live" {
			inside <- true
			<-goOn
			return nil
		}
		return errSink
	}
	done := make(chan error)
	go func() {
		_, err := w.Commit(ctx, "slow")
		done <- err
	}()
	<-inside
	spoil(t, w, 3)
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	goOn <- true
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := c.Save(ctx, "saved", ""); !errors.Is(err, errSink) {
		t.Errorf("saved with %v", err)
	}
	if _, err := st.Head(ctx, "saved"); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("a half saved world: %v", err)
	}
	st.commit = nil
	if _, err := c.Save(ctx, "saved", ""); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	equalWorlds(t, st, "live", "saved")
}

// spoil writes some of everything into a world, other things for each n.
func spoil(t *testing.T, w *world.World, n int) {
	t.Helper()
	_, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("d", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1, Default: 1}, {Name: "level", Schema: voxel.Level, Scale: 1}},
			map[string][]string{voxel.Block: {"air", "sea"}})
		v := d.Volume(voxel.Block)
		v.Fill(region.Ball{Center: geom.Point{X: 10 * n}, Radius: 40}, v.Named(fmt.Sprint("block", n)))
		d.Volume("level").Fill(geom.Box{Max: geom.Point{X: n, Y: 40, Z: 4}}, voxel.Cell(n))
		for i := range int32(3) {
			pos := geom.ColumnPos{X: i}
			d.SetColumn(voxel.Column{Pos: pos, Version: int32(n), Stale: voxel.HasSky, Lists: []voxel.List{
				{Name: voxel.Entities, Objects: []voxel.Object{{Place: voxel.Indexed, At: pos.Min(n), Payload: []byte{byte(n)}}}}}})
		}
		if n == 2 {
			d.RemoveColumn(geom.ColumnPos{X: 1})
			v.SetChunk(geom.ChunkPos{}, nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingHeld ends operations in every way: no chunk stays in memory and no stone open.
func TestNothingHeld(t *testing.T) {
	ctx := context.Background()
	st := &watched{Store: memory.New(memory.Options{})}
	w, err := world.Create(ctx, st, "live", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	spoil(t, w, 1)
	commit(t, w)
	spoil(t, w, 2)
	commit(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(ctx, st, "live", world.Options{}); err != nil {
		t.Fatal(err)
	}
	log, err := st.Log(ctx, "live", history.ID{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	from, err := w.SnapshotAt(ctx, log[1].ID())
	if err != nil {
		t.Fatal(err)
	}
	capture, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	bad, err := region.ParseMask("stone")
	if err != nil {
		t.Fatal(err)
	}
	full := &sink{section: func(*edit.SectionChange) error { return errSink }, column: func(geom.ColumnPos, *voxel.Column) error { return errSink }}
	for name, how := range map[string]struct {
		op    edit.Task
		sink  edit.Sink
		steps int // before it is canceled; 0: it ends by itself
		close bool
	}{
		"restored":       {op: &edit.Restore{Snapshot: from, Objects: true, Columns: true}},
		"captured":       {op: &edit.Restore{Capture: capture, Objects: true, Columns: true}},
		"refused":        {op: &edit.Restore{Snapshot: from, Objects: true}, sink: full},
		"no volume":      {op: &edit.Restore{Capture: capture, Volumes: []string{voxel.Block, "none"}, Mask: bad}},
		"canceled":       {op: &edit.Restore{Snapshot: from, Objects: true}, steps: 3},
		"canceled early": {op: &edit.Restore{Capture: capture}, steps: 1},
		"closed":         {op: &edit.Restore{Snapshot: from, Columns: true}, steps: 4, close: true},
		"relit":          {op: &edit.Relight{Region: world.Everywhere}},
	} {
		late := make(chan func(), 10000) // what runs beside the game waits until the test lets it
		q := edit.New(edit.Options{Sections: 1, Chunks: 3, Go: func(f func()) { late <- f }})
		f := q.Add(&edit.Arena{World: w, Sink: how.sink, Light: &lights{}}, how.op, 0)
		for i := 1; q.Len() > 0; i++ {
			q.Step(time.Now(), 0)
			if i == how.steps {
				break
			}
			for len(late) > 0 && (how.steps == 0 || i < how.steps-1) {
				(<-late)()
			}
		}
		closed := make(chan bool)
		go func() {
			if how.steps > 0 && !how.close {
				f.Cancel()
				f.Cancel()
				for q.Len() > 0 {
					q.Step(time.Now(), 0)
				}
			}
			q.Close()
			close(closed)
		}()
		for open := true; open; {
			select {
			case f := <-late:
				f()
			case <-closed:
				open = false
			}
		}
		f.Cancel()
		if _, err := f.Wait(ctx); how.steps > 0 && !errors.Is(err, edit.ErrCanceled) {
			t.Errorf("%s: ended with %v", name, err)
		}
		commit(t, w)
		d := w.View().Dimension("d")
		for _, v := range d.Volumes() {
			for pos, c := range v.Chunks() {
				if c != nil {
					t.Errorf("%s: chunk %v of %s is still in memory", name, pos, v.Volume.Name)
				}
			}
		}
		for pos, c := range d.Columns(world.Everywhere) {
			if c != nil {
				t.Errorf("%s: column %v is still in memory", name, pos)
			}
		}
	}
	if err := errors.Join(capture.Close(), from.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if n := st.open.Load(); n != 0 {
		t.Errorf("%d stones are still open", n)
	}
}
