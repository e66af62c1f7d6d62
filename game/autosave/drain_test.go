package autosave_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairnvoxel/cairn/game/autosave"
)

func TestDrainOrder(t *testing.T) {
	g := newGame(t, autosave.Options{AtOnce: 1})
	var order []string
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		w, k := g.open(name)
		w.commit = func(context.Context) error { order = append(order, name); return nil }
		edit(w, k, []int{5, 0, 70, 6, 5}[i])
	}
	g.open("clean")
	if left := g.p.Drain(t.Context()); left != nil {
		t.Errorf("unsaved %v", left)
	}
	if want := []string{"c", "d", "a", "e", "b"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	g.at(time.Hour, "")
}

// What fails is tried again as long as others succeed.
func TestDrainRetries(t *testing.T) {
	g := newGame(t, autosave.Options{AtOnce: 1})
	for i, fails := range []int64{1, 2, 5, 0} {
		w, k := g.open(string(rune('a' + i)))
		w.commit = func(context.Context) error {
			if w.commits.Load() <= fails {
				return errStore
			}
			return nil
		}
		edit(w, k, i)
	}
	left := g.p.Drain(t.Context()) // saves d, a, b in three passes, and nothing in the fourth
	if want := []autosave.Unsaved{{Name: "c", Cells: 2, Err: errStore}}; !reflect.DeepEqual(left, want) {
		t.Errorf("unsaved %v, want %v", left, want)
	}
	g.p.Drain(t.Context())
	if left := g.p.Drain(t.Context()); left != nil {
		t.Errorf("unsaved %v when the store was back", left)
	}
}

// When ctx ends no save is begun, and what is left is named; it says nothing of
// worlds that need no save.
func TestDrainEnds(t *testing.T) {
	g := newGame(t, autosave.Options{AtOnce: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i, name := range []string{"a", "b", "c"} {
		w, k := g.open(name)
		w.commit = func(context.Context) error {
			if name == "b" {
				cancel()
			}
			return nil
		}
		edit(w, k, i)
	}
	g.open("clean")
	left := g.p.Drain(ctx)
	if len(left) != 1 || left[0].Name != "a" || !errors.Is(left[0].Err, context.Canceled) {
		t.Errorf("unsaved %v", left)
	}
}

// Drain waits for saves under way, but not for ever, and Step rests meanwhile.
func TestDrainBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGame(t, autosave.Options{})
		w, k := g.open("a")
		edit(w, k, 1)
		saves := g.at(5*time.Minute, "a")
		other, ok := g.open("b")
		edit(other, ok, 1)
		_, leaving := g.open("c")
		leaving.Close()
		other.commit = func(context.Context) error {
			g.at(time.Hour, "")
			return nil
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left := g.p.Drain(ctx)
		if len(left) != 1 || left[0].Name != "a" || !errors.Is(left[0].Err, context.DeadlineExceeded) {
			t.Errorf("unsaved %v", left)
		}
		if other.Dirty() {
			t.Error("one save that hangs keeps others from being saved")
		}

		time.AfterFunc(time.Second, func() {
			edit(w, k, 1)
			saves[0].Done(errStore)
		})
		if left := g.p.Drain(t.Context()); left != nil || w.Dirty() {
			t.Errorf("unsaved %v, dirty %v", left, w.Dirty())
		}
	})
}
