package world_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestNoCommit: a world without a commit has the zero Commit, whose ID is the zero ID, and a restore to
// it leaves nothing but the log.
func TestNoCommit(t *testing.T) {
	st := newStore()
	w, err := world.Create(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.Commit(ctx, "nothing")
	if err != nil || c.ID() != (history.ID{}) || w.Head() != c.ID() {
		t.Errorf("a commit of nothing: %+v %v %v", c, c.ID(), err)
	}
	update(t, w, func(tx *world.Tx) { tx.AddDimension(earth, voxel.BlockVolumes(), nil) })
	set(t, w, geom.Point{}, "stone")
	first := commit(t, w)
	if first.ID() == (history.ID{}) {
		t.Error("the first commit has no ID")
	}
	if _, err := w.Restore(ctx, history.ID{}, "empty"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.View().Dimensions()); n != 0 {
		t.Errorf("%d dimensions before the first commit", n)
	}
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
		t.Fatal(err)
	}
	if log, err := w.Log(ctx, 9); err != nil || len(log) != 3 {
		t.Errorf("%d commits, %v", len(log), err)
	}
	v := w.View().Dimension(earth).Volume(voxel.Block)
	if c, _ := v.Cell(geom.Point{}); v.CellName(c) != "stone" {
		t.Error("the restore of the first commit does not bring it back")
	}
}

// TestInMemory: what an update wrote is in memory until the commit; after it, what is held, or all of a
// Whole world, also of a dimension that came later.
func TestInMemory(t *testing.T) {
	put := func(tx *world.Tx) error {
		v := tx.AddDimension("later", voxel.BlockVolumes(), nil).Volume(voxel.Block)
		v.Set(geom.Point{}, v.Named("stone"))
		v.Set(geom.Point{X: 9}, v.Named("dirt"))
		return v.Err()
	}
	for _, tt := range []struct {
		name string
		o    world.Options
		hold bool
		ok   bool // an update after the commit
	}{
		{"by default", world.Options{}, false, false},
		{"held", world.Options{}, true, true},
		{"whole", world.Options{Whole: true}, false, true},
	} {
		w := create(t, newStore(), "a", tt.o)
		first := commit(t, w)
		if _, err := w.Update(put); err != nil {
			t.Errorf("%s: before the commit: %v", tt.name, err)
		}
		if tt.hold {
			if _, err := w.Load(ctx, "later", world.Everywhere); err != nil {
				t.Fatal(err)
			}
		}
		second := commit(t, w)
		if _, err := w.Update(put); (err == nil) != tt.ok || err != nil && !errors.Is(err, world.ErrNotLoaded) {
			t.Errorf("%s: after the commit: %v", tt.name, err)
		}
		if _, err := w.UpdateContext(ctx, put); err != nil {
			t.Errorf("%s: with a context: %v", tt.name, err)
		}
		for _, c := range []history.Commit{first, second} {
			if _, err := w.Restore(ctx, c.ID(), ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := w.View().Dimension("later").Volume(voxel.Block).Cell(geom.Point{}); ok != tt.ok {
			t.Errorf("%s: in memory after it went and came back: %v", tt.name, ok)
		}
	}
}

// TestReadOnly: a world that was opened for reading writes nothing.
func TestReadOnly(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Manual: true})
	for i := range 3 {
		set(t, w, geom.Point{X: 100 * i}, "stone")
		commit(t, w)
	}
	old, err := w.At(ctx, w.Head())
	if err != nil {
		t.Fatal(err)
	}
	_, updated := old.Update(func(*world.Tx) error { return nil })
	_, committed := old.Commit(ctx, "")
	_, restored := old.Restore(ctx, w.Head(), "")
	for what, err := range map[string]error{"update": updated, "commit": committed, "restore": restored, "pack": old.Pack(ctx)} {
		if !errors.Is(err, world.ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if l, err := st.Stack(ctx, "a", w.Head()); err != nil || len(l) != 3 {
		t.Errorf("%d layers, %v", len(l), err)
	}
	if err := w.Pack(ctx); err != nil {
		t.Error(err)
	}
}

// TestUnknownArrays: a column with marks that mean nothing is refused.
func TestUnknownArrays(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{})
	for _, c := range []voxel.Column{{Whole: 64}, {Stale: 128}, {Sections: []voxel.Section{{Has: 255}}}} {
		_, err := w.Update(func(tx *world.Tx) error { tx.Dimension(earth).SetColumn(c); return nil })
		if err == nil || !strings.Contains(err.Error(), "arrays") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).SetColumn(voxel.Column{Whole: voxel.HasAll, Sections: []voxel.Section{{Has: voxel.HasAll}}})
	})
}

// TestReadChunksStops: an error of the function ends the read, also with stones below.
func TestReadChunksStops(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Manual: true})
	var at []geom.ChunkPos
	for i := range 6 {
		set(t, w, geom.Point{X: 200 * i}, "stone")
		if commit(t, w); i%2 == 0 {
			at = append(at, geom.Point{X: 200 * i}.Chunk())
		}
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range at {
		calls := 0
		err := s.ReadChunks(ctx, earth, voxel.Block, 0, at, func(geom.ChunkPos, *voxel.Chunk) error {
			if calls++; calls > n {
				return errTrouble
			}
			return nil
		})
		if !errors.Is(err, errTrouble) || calls != n+1 {
			t.Errorf("%d calls after an error at %d: %v", calls, n, err)
		}
	}
}
