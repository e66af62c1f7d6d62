package world_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/world"
)

// lateFuncs is a Late that cannot be compared.
type lateFuncs struct {
	dirty func() bool
	write func(context.Context) error
}

func (l lateFuncs) Dirty() bool                     { return l.dirty() }
func (l lateFuncs) Write(ctx context.Context) error { return l.write(ctx) }

func TestRemoveLateOfFuncs(t *testing.T) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v", p)
		}
	}()
	w := create(t, newStore(), "a", world.Options{})
	l := lateFuncs{func() bool { return false }, func(context.Context) error { return nil }}
	w.AddLate(l)
	w.RemoveLate(l)
	if w.Dirty() {
		t.Error("dirty")
	}
}

// A Late that was removed is not called any more, also if another one removed it.
func TestRemoveLateInWrite(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	removed := false
	b := &lateFuncs{func() bool { return true }, func(context.Context) error {
		if removed {
			t.Error("written after it was removed")
		}
		return nil
	}}
	a := &lateFuncs{func() bool { return true }, func(context.Context) error {
		w.RemoveLate(b)
		removed = true
		return nil
	}}
	w.AddLate(a)
	w.AddLate(b)
	commit(t, w)
}

// A Write that panics leaves no lock behind.
func TestLatePanics(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	bad := true
	w.AddLate(&lateFuncs{func() bool { return true }, func(context.Context) error {
		if bad {
			panic("no")
		}
		return nil
	}})
	func() {
		defer func() { recover() }()
		w.Commit(ctx, "")
	}()
	func() {
		defer func() { recover() }()
		w.Capture()
	}()
	bad = false
	commit(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Capture(); err == nil {
		t.Error("captured a closed world")
	}
}
