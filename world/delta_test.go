package world_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// rough makes a world of rough ground, edge cells along x and z.
func rough(t testing.TB, st history.Store, name string, edge int, o world.Options) *world.World {
	w := create(t, st, name, o)
	r := rand.New(rand.NewPCG(2, 2))
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		rock, moss := v.Named("rock"), v.Named("moss")
		for x := range edge {
			for z := range edge {
				h := 20 + r.IntN(4)
				v.Fill(geom.Box{Min: geom.Point{X: x, Z: z}, Max: geom.Point{X: x + 1, Y: h, Z: z + 1}}, rock)
				v.Set(geom.Point{X: x, Y: h, Z: z}, moss)
			}
		}
	})
	commit(t, w)
	return w
}

// forms returns the names of the forms of the pages of cells of a commit's stone.
func forms(t testing.TB, st history.Store, name string, c history.Commit) (names []string) {
	t.Helper()
	o, err := st.Open(ctx, name, c.Stones[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, o)
	pages, err := o.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		names = append(names, p.FormName)
	}
	return names
}

// mustRead compares what versions hold at a point with what was set there.
func mustRead(t testing.TB, st history.Store, of string, at history.ID, p geom.Point, want string) {
	t.Helper()
	w, err := world.OpenAt(ctx, st, of, at, world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, w)
	if got := name(w, p); got != want {
		t.Errorf("version %v: %q at %v, want %q", at, got, p, want)
	}
}

// TestDeltaCommit holds a commit of one block to few bytes, also where its name is new.
func TestDeltaCommit(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 64, world.Options{Whole: true})
	defer closeWorld(t, w)
	for _, block := range []string{"rock", "glass"} {
		set(t, w, geom.Point{X: 5, Y: 25, Z: 9}, block)
		c := commit(t, w)
		if got := forms(t, st, "a", c); !slices.Equal(got, []string{"delta"}) || c.Stones[0].Size > 260 {
			t.Errorf("a stone of %d bytes, pages %q", c.Stones[0].Size, got)
		}
		mustRead(t, st, "a", c.ID(), geom.Point{X: 5, Y: 25, Z: 9}, block)
	}
	update(t, w, func(tx *world.Tx) { // nothing is left of what was there
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Fill(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, v.Named("rock"))
	})
	c := commit(t, w)
	if slices.Contains(forms(t, st, "a", c), "delta") {
		t.Error("a uniform chunk is a delta")
	}
}

// TestDeltaChain lets deltas lie on each other: at most 8, and each version is read.
func TestDeltaChain(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 32, world.Options{Whole: true, Manual: true})
	var all []history.Commit
	at := func(n int) geom.Point { return geom.Point{X: 1 + n, Y: 25, Z: 3} }
	for n := range 11 {
		set(t, w, at(n), []string{"glass", "sand", "moss"}[n%3])
		all = append(all, commit(t, w))
		if got := slices.Contains(forms(t, st, "a", all[n]), "delta"); got != (n < stone.MaxLinks) {
			t.Errorf("commit %d is a delta: %v", n, got)
		}
	}
	closeWorld(t, w)
	for n, c := range all {
		mustRead(t, st, "a", c.ID(), at(n), []string{"glass", "sand", "moss"}[n%3])
		mustRead(t, st, "a", c.ID(), at(n+1), "air")
	}
}

// TestDeltaRestore has deltas on what was gone back to, in the world and in a fork.
func TestDeltaRestore(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	defer closeWorld(t, w)
	p, q := geom.Point{X: 1, Y: 26, Z: 1}, geom.Point{X: 2, Y: 26, Z: 2}
	set(t, w, p, "glass")
	first := commit(t, w)
	set(t, w, p, "sand")
	commit(t, w)
	if _, err := w.Restore(ctx, first.ID(), ""); err != nil {
		t.Fatal(err)
	}
	set(t, w, q, "moss")
	after := commit(t, w)
	if got := forms(t, st, "a", after); !slices.Contains(got, "delta") {
		t.Errorf("pages %q", got)
	}
	mustRead(t, st, "a", after.ID(), p, "glass")
	mustRead(t, st, "a", after.ID(), q, "moss")
	if err := st.Fork(ctx, "a", first.ID(), "b"); err != nil {
		t.Fatal(err)
	}
	fork := open(t, st, "b", world.Options{Whole: true})
	defer closeWorld(t, fork)
	set(t, fork, q, "clay")
	c := commit(t, fork)
	if got := forms(t, st, "b", c); !slices.Contains(got, "delta") {
		t.Errorf("pages %q", got)
	}
	mustRead(t, st, "b", c.ID(), p, "glass")
	mustRead(t, st, "b", c.ID(), q, "clay")
}

// TestDeltaAfterFailure changes a chunk, fails to save it, and changes it again: the delta is of both.
func TestDeltaAfterFailure(t *testing.T) {
	st := &failing{Store: newStore()}
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	defer closeWorld(t, w)
	p, q := geom.Point{X: 1, Y: 26, Z: 1}, geom.Point{X: 2, Y: 26, Z: 2}
	set(t, w, p, "glass")
	st.err = errors.New("no space left")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, st.err) {
		t.Fatal(err)
	}
	set(t, w, q, "glass")
	st.err = nil
	c := commit(t, w)
	if got := forms(t, st, "a", c); !slices.Contains(got, "delta") {
		t.Errorf("pages %q", got)
	}
	mustRead(t, st, "a", c.ID(), p, "glass")
	mustRead(t, st, "a", c.ID(), q, "glass")
}

// TestDeltaReplace has a world made equal to a stone: the chunks that differ, though they are not in memory,
// are written as what differs.
func TestDeltaReplace(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 64, world.Options{Whole: true})
	set(t, w, geom.Point{X: 40, Y: 26, Z: 1}, "glass")
	commit(t, w)
	to, err := wholeStone(w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Restore(ctx, w.Head(), ""); err != nil {
		t.Fatal(err)
	}
	log, err := w.Log(ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Restore(ctx, log[2].ID(), ""); err != nil {
		t.Fatal(err)
	}
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{})
	defer closeWorld(t, w)
	if _, err := w.Replace(ctx, to); err != nil {
		t.Fatal(err)
	}
	c := commit(t, w)
	if got := forms(t, st, "a", c); !slices.Equal(got, []string{"delta"}) {
		t.Errorf("a stone of %d bytes, pages %q", c.Stones[0].Size, got)
	}
	mustRead(t, st, "a", c.ID(), geom.Point{X: 40, Y: 26, Z: 1}, "glass")
}

// TestDeltaOtherAir goes back to a version whose empty cell had another name, and has deltas there: what they make
// is told by names, whatever number these have.
func TestDeltaOtherAir(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 32, world.Options{Whole: true})
	p, q := geom.Point{X: 1, Y: 26, Z: 1}, geom.Point{X: 2, Y: 26, Z: 2}
	set(t, w, p, "glass")
	first := commit(t, w)
	closeWorld(t, w)

	named, err := world.Create(ctx, st, "b", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, named)
	update(t, named, func(tx *world.Tx) {
		tx.AddDimension(earth, voxel.BlockVolumes(), map[string][]string{voxel.Block: {"minecraft:air"}})
	})
	set(t, named, p, "sand")
	commit(t, named)
	var whole bytes.Buffer
	id, err := named.WriteStone(ctx, &whole, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := world.Import(ctx, st, "a", history.Stone{ID: id, Data: whole.Bytes()}, world.Options{}, ""); err != nil {
		t.Fatal(err)
	}

	w = open(t, st, "a", world.Options{Whole: true})
	defer func() { closeWorld(t, w) }()
	if _, err := w.Restore(ctx, first.ID(), ""); err != nil {
		t.Fatal(err)
	}
	if got := name(w, p); got != "glass" {
		t.Errorf("%q after going back", got)
	}
	set(t, w, q, "clay")
	c := commit(t, w)
	if got := forms(t, st, "a", c); !slices.Contains(got, "delta") {
		t.Errorf("pages %q", got)
	}
	mustRead(t, st, "a", c.ID(), p, "glass")
	mustRead(t, st, "a", c.ID(), q, "clay")
	for i := range 10 { // packs of some of them
		if i == 5 {
			closeWorld(t, w)
			w = open(t, st, "a", world.Options{Whole: true})
		}
		set(t, w, geom.Point{X: 3 + i, Y: 26, Z: 2}, []string{"clay", "air", "sand"}[i%3])
		c = commit(t, w)
	}
	for i := range 10 {
		mustRead(t, st, "a", c.ID(), geom.Point{X: 3 + i, Y: 26, Z: 2}, []string{"clay", "air", "sand"}[i%3])
	}
	mustRead(t, st, "a", c.ID(), p, "glass")
	if err := w.Pack(ctx); err != nil {
		t.Fatal(err)
	}
	mustRead(t, st, "a", c.ID(), q, "clay")
}

// TestDeltaNew writes a few cells in a chunk without cells as what differs from nothing, and the first stone of a world whole.
func TestDeltaNew(t *testing.T) {
	st := newStore()
	w := rough(t, st, "a", 32, world.Options{Whole: true, Manual: true})
	log, err := w.Log(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(forms(t, st, "a", log[0]), "delta") {
		t.Error("the first stone is not whole")
	}
	var all []history.Commit
	at := func(n int) geom.Point { return geom.Point{X: 4 + n, Y: 70, Z: 3} }
	for n := range 3 {
		set(t, w, at(n), "glass")
		all = append(all, commit(t, w))
		if got := forms(t, st, "a", all[n]); !slices.Equal(got, []string{"delta"}) {
			t.Errorf("commit %d: pages %q", n, got)
		}
	}
	closeWorld(t, w)
	for _, high := range []int{3, 1} {
		if _, _, err := world.PackStack(ctx, st, "a", world.PackStackOptions{High: high}); err != nil {
			t.Fatal(err)
		}
		for n, c := range all {
			mustRead(t, st, "a", c.ID(), at(n), "glass")
			mustRead(t, st, "a", c.ID(), at(n+1), "air")
		}
	}
}
