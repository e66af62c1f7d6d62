package undo_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

func mustCommit(t *testing.T, w *world.World, message string) history.ID {
	t.Helper()
	c, err := w.Commit(ctx, message)
	if err != nil {
		t.Fatal(err)
	}
	return c.ID()
}

func mustRevert(t *testing.T, w *world.World, id history.ID) undo.Undone {
	t.Helper()
	r, err := undo.Revert(ctx, w, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustLoad(t *testing.T, w *world.World) *world.Held {
	t.Helper()
	held, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func name(t *testing.T, w *world.World, names string, p geom.Point) {
	t.Helper()
	defer mustLoad(t, w).Release()
	mustUpdate(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume("name")
		v.Set(p, v.Named(names))
	})
}

// names returns the names of cells.
func namesAt(t *testing.T, w *world.World, at ...geom.Point) (out []string) {
	t.Helper()
	defer mustLoad(t, w).Release()
	for _, p := range at {
		out = append(out, w.View().Dimension(earth).Volume("name").CellName(cellAt(t, w, "name", p)))
	}
	return out
}

func TestRevert(t *testing.T) {
	st := memory.New(memory.Options{})
	w, err := world.Create(ctx, st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustUpdate(t, w, func(tx *world.Tx) { tx.AddDimension(earth, volumes, nil) })
	p, q, far := geom.Point{X: 1}, geom.Point{X: 2}, geom.Point{X: 4000, Y: -400, Z: 7}
	name(t, w, "oak", p)
	mustCommit(t, w, "plant")
	name(t, w, "zinc", geom.Point{X: 3}) // the names of the commits have another order
	name(t, w, "ash", p)
	name(t, w, "birch", q)
	name(t, w, "birch", far)
	mustUpdate(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Volume("shine").Fill(geom.Box{Max: geom.Point{X: 70, Y: 40, Z: 10}}, 3)
		tx.Dimension(earth).Add("things", voxel.Object{Place: voxel.Indexed, At: p, Payload: []byte("nest")})
	})
	second := mustCommit(t, w, "grow")
	name(t, w, "elm", q)
	mustCommit(t, w, "graft")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(ctx, st, "w", world.Options{}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := mustRevert(t, w, second)
	want := undo.Conflict{Dimension: earth, Volume: "name", Box: one(q), Cells: 1}
	if r.Name != "grow" || r.Cells != 70*40*10+3 || r.Skipped != 1 || r.Columns != 2 || !slices.Equal(r.Conflicts, []undo.Conflict{want}) {
		t.Errorf("got %+v", r)
	}
	if got := namesAt(t, w, p, q, geom.Point{X: 3}, far); !slices.Equal(got, []string{"oak", "elm", "air", "air"}) {
		t.Errorf("got %v", got)
	}
	third := mustCommit(t, w, "back")
	mustRevert(t, w, third)
	if got := namesAt(t, w, p, q, geom.Point{X: 3}, far); !slices.Equal(got, []string{"ash", "elm", "zinc", "birch"}) {
		t.Errorf("reverted twice: got %v", got)
	}
	d := w.View().Dimension(earth)
	if c, ok := d.Column(geom.ColumnPos{}); !ok || c == nil || len(c.Lists) != 1 {
		t.Errorf("reverted twice: the column is %+v, %v", c, ok)
	}
}

// A commit that goes back changed what its parent had.
func TestRevertOfRestore(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	p := geom.Point{Z: -9}
	name(t, w, "oak", p)
	first := mustCommit(t, w, "first")
	name(t, w, "ash", p)
	mustCommit(t, w, "second")
	c, err := w.Restore(ctx, first, "back")
	if err != nil {
		t.Fatal(err)
	}
	if r := mustRevert(t, w, c.ID()); r.Cells != 1 {
		t.Errorf("got %+v", r)
	}
	if got := namesAt(t, w, p); got[0] != "ash" {
		t.Errorf("got %v", got)
	}
	r := mustRevert(t, w, first) // which the world no longer holds
	if r.Cells != 0 || r.Skipped != 1 {
		t.Errorf("the first commit: got %+v", r)
	}
}

func TestRevertOfNone(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	for range 70 {
		name(t, w, "oak", geom.Point{})
		name(t, w, "ash", geom.Point{})
		mustCommit(t, w, "")
	}
	if _, err := undo.Revert(ctx, w, history.ID{1}); !errors.Is(err, history.ErrNoCommit) {
		t.Errorf("got %v", err)
	}
}

// TestRevertWithoutParent takes back a commit whose parent the log does not have.
func TestRevertWithoutParent(t *testing.T) {
	p := geom.Point{X: 1}
	for _, tt := range []struct {
		name string
		do   func(st history.Store, w *world.World, last history.ID) error // the world is "b" after it
		want error
	}{
		{"a fork", func(st history.Store, w *world.World, last history.ID) error { return st.Fork(ctx, "a", last, "b") }, nil},
		{"collected", func(st history.Store, w *world.World, last history.ID) error {
			_, err := st.Collect(ctx, history.Policy{Keep: history.Retention{Newest: 1}, Grace: -1})
			return errors.Join(err, st.Rename(ctx, "a", "b", 0))
		}, nil},
		{"packed with those below", func(st history.Store, w *world.World, last history.ID) error {
			err := errors.Join(w.Pack(ctx), st.Fork(ctx, "a", last, "b"))
			return err
		}, world.ErrNoParent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := memory.New(memory.Options{})
			w, err := world.Create(ctx, st, "a", world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			mustUpdate(t, w, func(tx *world.Tx) { tx.AddDimension(earth, volumes, nil) })
			name(t, w, "oak", p)
			mustCommit(t, w, "first")
			name(t, w, "ash", p)
			name(t, w, "elm", geom.Point{X: 40})
			last := mustCommit(t, w, "second")
			if err := tt.do(st, w, last); err != nil {
				t.Fatal(err)
			}
			b, err := world.Open(ctx, st, "b", world.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			r, err := undo.Revert(ctx, b, last)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if got := namesAt(t, b, p, geom.Point{X: 40}); r.Cells != 2 || !slices.Equal(got, []string{"oak", "air"}) {
				t.Errorf("got %+v and %q", r, got)
			}
		})
	}
}
