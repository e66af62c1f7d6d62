package world_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// wholeStone returns the last commit of w as one stone.
func wholeStone(w *world.World) (*stone.Reader, error) {
	var out bytes.Buffer
	if _, err := w.WriteStone(ctx, &out, stone.Options{}); err != nil {
		return nil, err
	}
	return stone.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
}

// failing is a Store whose commits fail as long as err is set.
type failing struct {
	history.Store
	err     error
	waiting chan struct{} // if not nil, a commit tells begun and waits until it is closed
	begun   chan struct{}
}

func (f *failing) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	if f.err != nil {
		return history.Commit{}, f.err
	}
	if f.waiting != nil {
		f.begun <- struct{}{}
		<-f.waiting
	}
	return f.Store.Commit(ctx, name, base, c, stones...)
}

// What a failed commit held is in the next one.
func TestFailedCommit(t *testing.T) {
	st := &failing{Store: newStore()}
	w := create(t, st, "a", world.Options{})
	set(t, w, geom.Point{X: 1}, "rock")
	st.err = errors.New("no space left")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, st.err) {
		t.Fatalf("got %v, want the store's error", err)
	}
	set(t, w, geom.Point{X: 2}, "moss")
	st.err = nil
	commit(t, w)
	closeWorld(t, w)
	back := open(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, back)
	if a, b := name(back, geom.Point{X: 1}), name(back, geom.Point{X: 2}); a != "rock" || b != "moss" {
		t.Errorf("got %q, %q", a, b)
	}
}

// A world can be read and changed while it is saved; what was changed is in the
// next save.
func TestWritesDuringASave(t *testing.T) {
	st := &failing{Store: newStore()}
	w := create(t, st, "a", world.Options{Whole: true})
	p := geom.Point{X: 1}
	set(t, w, p, "rock")
	st.waiting, st.begun = make(chan struct{}), make(chan struct{}, 9)
	var saving sync.WaitGroup
	saving.Go(func() {
		if _, err := w.Commit(ctx, "slow"); err != nil {
			t.Error(err)
		}
	})
	<-st.begun
	set(t, w, p, "moss")
	if got := name(w, p); got != "moss" {
		t.Errorf("during the save: %q", got)
	}
	close(st.waiting)
	saving.Wait()
	if got := name(w, p); got != "moss" {
		t.Errorf("after the save: %q", got)
	}
	commit(t, w)
	closeWorld(t, w)
	back := open(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, back)
	if got := name(back, p); got != "moss" {
		t.Errorf("saved: %q", got)
	}
}

func TestConflict(t *testing.T) {
	st := newStore()
	a := create(t, st, "a", world.Options{})
	commit(t, a)
	b := open(t, st, "a", world.Options{})
	set(t, a, geom.Point{}, "rock")
	set(t, b, geom.Point{}, "moss")
	commit(t, a)
	if _, err := b.Commit(ctx, ""); !errors.Is(err, history.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	closeWorld(t, a)
	closeWorld(t, b)
}

// A failed update changes nothing.
func TestFailedUpdate(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	defer closeWorld(t, w)
	stop := errors.New("stop")
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Set(geom.Point{}, v.Named("rock"))
		tx.SetFile("f", []byte("x"))
		tx.AddDimension("mars", voxel.BlockVolumes(), nil)
		return stop
	})
	if !errors.Is(err, stop) || name(w, geom.Point{}) != "air" || len(w.View().Files()) > 0 || w.View().Dimension("mars") != nil {
		t.Errorf("%v: the world changed", err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		tx.Dimension(earth).Volume(voxel.Block).Set(geom.Point{}, 77)
		return nil
	})
	if err == nil {
		t.Error("a cell without a name was written")
	}
}

// Readers, loads, updates, saves, packs and restores beside each other: every
// view is of one moment.
func TestBesideEachOther(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	points := []geom.Point{{}, {X: 40}, {X: 400, Z: 90}}
	both := func(n string) {
		if _, err := w.Update(func(tx *world.Tx) error {
			v := tx.Dimension(earth).Volume(voxel.Block)
			for _, p := range points {
				v.Set(p, v.Named(n))
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	held, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	both("rock")
	first := commit(t, w)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			v := w.View().Dimension(earth).Volume(voxel.Block)
			a, _ := v.Cell(points[0])
			for _, p := range points {
				if b, ok := v.Cell(p); !ok || a != b {
					t.Errorf("one view has %q and %q, %v", v.CellName(a), v.CellName(b), ok)
					return
				}
			}
		}
	})
	group.Go(func() {
		for range 50 {
			h, err := w.Load(ctx, earth, geom.Box{Max: geom.Point{X: 50, Y: 1, Z: 1}}, voxel.Block)
			if err != nil {
				t.Error(err)
				return
			}
			h.Release()
		}
	})
	for i := range 60 {
		both([]string{"rock", "moss", "rose"}[i%3])
		if i%2 == 0 {
			commit(t, w)
		}
		if i%20 == 19 {
			if _, err := w.Restore(ctx, first.ID(), ""); err != nil {
				t.Error(err)
			}
		}
	}
	close(done)
	group.Wait()
	held.Release()
	closeWorld(t, w)
}
