package world_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestCaptureOutlivesItsBase saves a moment after a collection has dropped the commit below it
// from the log.
func TestCaptureOutlivesItsBase(t *testing.T) {
	p, q := geom.Point{X: 1}, geom.Point{X: 2}
	for _, tt := range []struct {
		name string
		then func(t *testing.T, st history.Store, w *world.World)
	}{
		{"the base is there", func(*testing.T, history.Store, *world.World) {}},
		{"the base was dropped", func(t *testing.T, st history.Store, w *world.World) {
			for i := range 17 {
				update(t, w, func(tx *world.Tx) {
					v := tx.Dimension(earth).Volume(voxel.Block)
					v.Set(p, v.Named(fmt.Sprint("late ", i)))
				})
				commit(t, w)
			}
			if _, err := st.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 2, Hourly: -1, Daily: -1, Monthly: -1}, Grace: -1}); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := memory.New(memory.Options{})
			w := create(t, st, "a", world.Options{Whole: true, Author: "ann"})
			set := func(at geom.Point, name string) {
				update(t, w, func(tx *world.Tx) {
					v := tx.Dimension(earth).Volume(voxel.Block)
					v.Set(at, v.Named(name))
				})
			}
			set(p, "stone")
			commit(t, w)
			set(q, "dirt") // no commit has it
			c, err := w.Capture()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			tt.then(t, st, w)
			done, err := c.Save(ctx, "saved", "a moment")
			if err != nil {
				t.Fatal(err)
			}
			if done.Author != "ann" || done.Message != "a moment" {
				t.Errorf("got %+v", done)
			}
			back := open(t, st, "saved", world.Options{Whole: true})
			v := back.View().Dimension(earth).Volume(voxel.Block)
			for at, want := range map[geom.Point]string{p: "stone", q: "dirt", {X: 3}: "air"} {
				if got, _ := v.Cell(at); v.CellName(got) != want {
					t.Errorf("%v: got %q, want %q", at, v.CellName(got), want)
				}
			}
		})
	}
}

// TestAuthorTooLong is refused when the world is opened or made, not at each commit.
func TestAuthorTooLong(t *testing.T) {
	st := memory.New(memory.Options{})
	if err := st.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{history.MaxAuthor: true, history.MaxAuthor + 1: false} {
		o := world.Options{Author: strings.Repeat("x", n)}
		w, err := world.Open(ctx, st, "a", o)
		if (err == nil) != want {
			t.Errorf("open, author of %d bytes: %v", n, err)
		}
		if err == nil {
			w.Close()
		}
		if w, err = world.Create(ctx, st, fmt.Sprint("b", n), o); (err == nil) != want {
			t.Errorf("create, author of %d bytes: %v", n, err)
		}
		if err == nil {
			w.Close()
		}
	}
	if _, err := st.Head(ctx, fmt.Sprint("b", history.MaxAuthor+1)); !errors.Is(err, history.ErrNoWorld) {
		t.Errorf("a world that could not be made: %v", err)
	}
}
