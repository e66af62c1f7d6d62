package world_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// asking is a context that calls a function with the number of the question whether it has ended.
type asking struct {
	context.Context
	n int
	f func(n int)
}

func (c *asking) Err() error {
	c.n++
	c.f(c.n)
	return c.Context.Err()
}

// TestRelightBesideUpdates updates a world while its light is computed: the update does not wait, the light that
// was asked for is there, and that of the update comes with the next call.
func TestRelightBesideUpdates(t *testing.T) {
	p := geom.Point{X: 50, Y: 30, Z: 50}
	for _, tt := range []struct {
		name  string
		edit  func(w *world.World)
		stale int // after the call
	}{
		{"elsewhere", func(w *world.World) { set(t, w, geom.Point{X: 100, Y: 30, Z: 100}, "glowstone") }, 1},
		{"the same block", func(w *world.World) { set(t, w, p, "air") }, 1},
		{"with its light", func(w *world.World) {
			update(t, w, func(tx *world.Tx) {
				d := tx.Dimension(earth)
				d.Volume(voxel.Block).Set(geom.Point{X: 60, Y: 0, Z: 50}, d.Volume(voxel.Block).Named("ore")) // within stone
				d.Lit()
			})
		}, 0},
		{"other columns", func(w *world.World) {
			update(t, w, func(tx *world.Tx) {
				d := tx.Dimension(earth)
				c := *d.Column(geom.ColumnPos{X: 3, Z: 3})
				c.Version = 7
				d.SetColumn(c)
			})
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := litWorld(t, newStore(), world.Options{Whole: true, Relight: true}, true)
			defer closeWorld(t, w)
			relight := func(f func(n int)) int {
				set(t, w, p, "torch")
				c := &asking{Context: ctx, f: f}
				if err := w.Relight(c); err != nil {
					t.Fatal(err)
				}
				return c.n
			}
			middle := relight(func(int) {}) / 2
			set(t, w, p, "air")
			if err := w.Relight(ctx); err != nil {
				t.Fatal(err)
			}
			edited := false
			relight(func(n int) {
				if n == middle {
					tt.edit(w)
					edited = true
				}
			})
			if n := stale(t, w); n != tt.stale || !edited {
				t.Errorf("%d columns are stale, want %d; edited: %v", n, tt.stale, edited)
			}
			if err := w.Relight(ctx); err != nil {
				t.Fatal(err)
			}
			checkLit(t, w, "in the end")
			if c, _ := w.View().Dimension(earth).Column(geom.ColumnPos{X: 3, Z: 3}); tt.name == "other columns" && c.Version != 7 {
				t.Error("the column is as before the update")
			}
		})
	}
}

// TestRelightBesideMany commits while another goroutine updates.
func TestRelightBesideMany(t *testing.T) {
	w := litWorld(t, newStore(), world.Options{Whole: true, Relight: true}, true)
	defer closeWorld(t, w)
	r := rand.New(rand.NewPCG(3, 4))
	for range 2 {
		for range 3 {
			randomEdit(t, w, r)
		}
		done := make(chan error, 1)
		go func() {
			_, err := w.Commit(ctx, "beside")
			done <- err
		}()
		for busy := true; busy; {
			randomEdit(t, w, r)
			select {
			case err := <-done:
				if busy = false; err != nil {
					t.Fatal(err)
				}
			default:
			}
		}
	}
	commit(t, w)
	checkLit(t, w, "in the end")
}

// TestRelightAtTheEnd lights blocks beside the end of space, and elsewhere.
func TestRelightAtTheEnd(t *testing.T) {
	const far = 1<<25 - 1
	for _, p := range []geom.Point{{X: far, Y: 64}, {X: -far - 1, Y: 64, Z: far}, {}} {
		w := create(t, newStore(), "w", world.Options{Whole: true, Relight: true})
		set(t, w, p, "glowstone")
		set(t, w, geom.Point{X: 200, Y: 70}, "glowstone")
		if err := w.Relight(ctx); err != nil {
			t.Errorf("%v: %v", p, err)
		}
		in := p
		for _, c := range []*int{&in.X, &in.Y, &in.Z} {
			*c -= *c>>63 | 1 // towards the middle
		}
		for at, want := range map[geom.Point]voxel.Cell{in: 12, {X: 203, Y: 70}: 12} {
			if got := levelAt(t, w, voxel.Light, at); got != want {
				t.Errorf("%v: light %d at %v, want %d", p, got, at, want)
			}
		}
		closeWorld(t, w)
	}
}
