package world_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// herd returns 20 objects, of which one stands elsewhere.
func herd(n int) (all []voxel.Object) {
	for i := range 20 {
		o := voxel.Object{Place: voxel.Indexed, At: geom.Point{X: i % 16, Y: 5, Z: 3}, Payload: []byte(fmt.Sprintf("cow %d of the herd, which eats %d", i, i*i))}
		if i == n%20 {
			o.At.X, o.Payload = 7, []byte(fmt.Sprintf("cow %d of the herd, which moves %d", i, n))
		}
		all = append(all, o)
	}
	return all
}

// stamp returns a column that was saved at a time.
func stamp(pos geom.ColumnPos, at int) voxel.Column {
	c := voxel.Column{Pos: pos, Version: 2865, Parts: []voxel.Part{{Name: "Status", Data: []byte(strings.Repeat("full ", 40))}, {Name: "LastUpdate", Data: []byte(fmt.Sprint(100000 + at))}}}
	c.Lists = []voxel.List{{Name: "cows", Objects: herd(at)}, {Name: "rocks", Objects: herd(-1)}}
	return c
}

// mustHold compares columns of a version with those that were saved.
func mustHold(t *testing.T, st history.Store, of string, id history.ID, at int, all ...geom.ColumnPos) {
	t.Helper()
	s, err := world.OpenSnapshot(ctx, st, of, id, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, s)
	for _, pos := range all {
		got, err := s.ReadColumn(ctx, earth, pos)
		if err != nil || got == nil {
			t.Fatalf("version %d: column %v: %v, %v", at, pos, got, err)
		}
		want := stamp(pos, at)
		if a, b := fmt.Sprint(*got), fmt.Sprint(want); a != b {
			t.Fatalf("version %d: column %v: %s, want %s", at, pos, a, b)
		}
	}
}

// TestDeltaColumns saves columns of which little changes: each version takes few bytes, at most 8 lie on each other, and all
// are read, also after packs, from a fork and after going back.
func TestDeltaColumns(t *testing.T) {
	for _, manual := range []bool{true, false} {
		st := newStore()
		w := rough(t, st, "a", 32, world.Options{Whole: true, Manual: manual})
		all := []geom.ColumnPos{{}, {X: 1}, {X: 1, Z: 1}}
		save := func(w *world.World, n int, more ...geom.ColumnPos) history.Commit {
			update(t, w, func(tx *world.Tx) {
				for _, pos := range append(more, all...) {
					tx.Dimension(earth).SetColumn(stamp(pos, n))
				}
			})
			return commit(t, w)
		}
		versions := []history.Commit{save(w, 0)}
		for n := 1; n < 14; n++ {
			c := save(w, n)
			versions = append(versions, c)
			got := forms(t, st, "a", c)
			if delta := slices.Contains(got, "delta"); delta != (!manual || n < stone.MaxLinks) || delta && (len(got) != 2 || c.Stones[0].Size > 420) {
				t.Errorf("version %d: pages %q, %d bytes", n, got, c.Stones[0].Size)
			}
		}
		for n, c := range versions {
			mustHold(t, st, "a", c.ID(), n, all...)
		}

		// Gone and made again, it lies on nothing; a new one beside is whole.
		update(t, w, func(tx *world.Tx) { tx.Dimension(earth).RemoveColumn(all[1]) })
		gone := commit(t, w)
		again := save(w, 15, geom.ColumnPos{X: 7})
		mustHold(t, st, "a", again.ID(), 15, append(all, geom.ColumnPos{X: 7})...)
		mustHold(t, st, "a", gone.ID(), 13, all[0], all[2])
		after := save(w, 16)
		mustHold(t, st, "a", after.ID(), 16, all...)

		// From a fork, and from what was gone back to.
		if err := st.Fork(ctx, "a", versions[3].ID(), "b"); err != nil {
			t.Fatal(err)
		}
		fork := open(t, st, "b", world.Options{Whole: true, Manual: manual})
		mustHold(t, st, "b", save(fork, 17).ID(), 17, all...)
		closeWorld(t, fork)
		if _, err := w.Restore(ctx, versions[5].ID(), ""); err != nil {
			t.Fatal(err)
		}
		back := save(w, 18)
		mustHold(t, st, "a", back.ID(), 18, all...)
		if err := w.Pack(ctx); err != nil {
			t.Fatal(err)
		}
		mustHold(t, st, "a", back.ID(), 18, all...)
		mustHold(t, st, "a", versions[5].ID(), 5, all...)
		closeWorld(t, w)
	}
}

// TestDeltaColumnsFailure changes a column, fails to save it and changes it again: what is saved lies on what was there before both.
func TestDeltaColumnsFailure(t *testing.T) {
	st := &failing{Store: newStore()}
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	defer closeWorld(t, w)
	set := func(n int) {
		update(t, w, func(tx *world.Tx) { tx.Dimension(earth).SetColumn(stamp(geom.ColumnPos{}, n)) })
	}
	set(0)
	commit(t, w)
	set(1)
	st.err = fmt.Errorf("no space left")
	if _, err := w.Commit(ctx, ""); err == nil {
		t.Fatal("it was saved")
	}
	set(2)
	st.err = nil
	c := commit(t, w)
	if got := forms(t, st, "a", c); !slices.Contains(got, "delta") {
		t.Errorf("pages %q", got)
	}
	mustHold(t, st, "a", c.ID(), 2, geom.ColumnPos{})
}

// TestDeltaColumnsReplace makes a world that has nothing in memory what a stone is.
func TestDeltaColumnsReplace(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	pos := geom.ColumnPos{X: 1, Z: 1}
	var versions []history.Commit
	var last stone.Content
	for n := range 2 {
		update(t, w, func(tx *world.Tx) {
			tx.Dimension(earth).SetColumn(stamp(pos, n))
			tx.SetFile("f", []byte(strings.Repeat("a file that is long ", 9)+fmt.Sprint(n)))
		})
		versions = append(versions, commit(t, w))
		var err error
		if last, err = wholeStone(w); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Restore(ctx, versions[0].ID(), ""); err != nil {
		t.Fatal(err)
	}
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{})
	defer closeWorld(t, w)
	if _, err := w.Replace(ctx, last); err != nil {
		t.Fatal(err)
	}
	c := commit(t, w)
	if got := forms(t, st, "a", c); !slices.Equal(got, []string{"delta", "delta", "delta"}) {
		t.Errorf("a stone of %d bytes, pages %q", c.Stones[0].Size, got)
	}
	mustHold(t, st, "a", c.ID(), 1, pos)
	s, err := world.OpenSnapshot(ctx, st, "a", c.ID(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, s)
	r, err := s.OpenFile("f")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if want := strings.Repeat("a file that is long ", 9) + "1"; err != nil || string(data) != want {
		t.Errorf("a file of %q, %v", data, err)
	}
}
