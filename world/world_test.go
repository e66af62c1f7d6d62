package world_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

const earth = "earth"

var ctx = context.Background()

func newStore() *pair.Pair { return memory.New(memory.Options{}).(*pair.Pair) }

// create makes a world with the volumes of a block world.
func create(t testing.TB, st history.Store, name string, o world.Options) *world.World {
	t.Helper()
	w, err := world.Create(ctx, st, name, o)
	if err != nil {
		t.Fatal(err)
	}
	update(t, w, func(tx *world.Tx) { tx.AddDimension(earth, voxel.BlockVolumes(), nil) })
	return w
}

func update(t testing.TB, w *world.World, f func(tx *world.Tx)) *world.Change {
	t.Helper()
	c, err := w.Update(func(tx *world.Tx) error { f(tx); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func set(t testing.TB, w *world.World, p geom.Point, name string) {
	t.Helper()
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		v.Set(p, v.Named(name))
	})
}

func commit(t testing.TB, w *world.World) history.Commit {
	t.Helper()
	c, err := w.Commit(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closeWorld(t testing.TB, w io.Closer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// name returns the name of the block at p, "?" if it is not loaded.
func name(w *world.World, p geom.Point) string {
	v := w.View().Dimension(earth).Volume(voxel.Block)
	c, ok := v.Cell(p)
	if !ok {
		return "?"
	}
	return v.CellName(c)
}

// onlyInFull skips long work of one goroutine where the race detector looks.
func onlyInFull(t *testing.T) {
	t.Helper()
	long.Alone(t)
}

func open(t testing.TB, st history.Store, name string, o world.Options) *world.World {
	t.Helper()
	w, err := world.Open(ctx, st, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestLifeOfAWorld(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Author: "ann"})
	p, q := geom.Point{X: 1, Y: 2, Z: 3}, geom.Point{X: -100, Y: 70, Z: 1000}
	set(t, w, p, "rock")
	if got := name(w, p); got != "rock" {
		t.Fatalf("before a commit: got %q", got)
	}
	first := commit(t, w)
	if got := name(w, p); got != "?" {
		t.Errorf("after the commit, held by nobody: got %q, want not loaded", got)
	}
	if again := commit(t, w); again.ID() != first.ID() || again.Number != 1 || again.Author != "ann" {
		t.Errorf("nothing changed: got %+v, want the first", again)
	}
	held, err := w.Load(ctx, earth, geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})})
	if err != nil {
		t.Fatal(err)
	}
	set(t, w, p, "moss")
	set(t, w, q, "rose")
	second := commit(t, w)
	if got := name(w, p); got != "moss" {
		t.Errorf("held: got %q", got)
	}
	if err := w.Fork(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
		t.Fatal(err)
	}
	if got := name(w, p); got != "rock" {
		t.Errorf("restored and held: got %q", got)
	}
	if got := name(w, q); got != "air" {
		t.Errorf("restored: got %q where nothing was", got)
	}
	held.Release()
	closeWorld(t, w)

	fork := open(t, st, "b", world.Options{Whole: true})
	defer closeWorld(t, fork)
	if name(fork, p) != "moss" || name(fork, q) != "rose" {
		t.Errorf("fork: got %q, %q", name(fork, p), name(fork, q))
	}
	if log, err := fork.Log(ctx, 10); err != nil || len(log) != 1 || log[0].ID() != second.ID() {
		t.Errorf("fork's log: %v, %v", log, err)
	}
	back := open(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, back)
	if name(back, p) != "rock" || name(back, q) != "air" {
		t.Errorf("reopened: got %q, %q", name(back, p), name(back, q))
	}
	old, err := back.At(ctx, second.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, old)
	if got := name(old, q); got != "rose" {
		t.Errorf("an old version: got %q", got)
	}
	if _, err := old.Update(func(*world.Tx) error { return nil }); !errors.Is(err, world.ErrReadOnly) {
		t.Errorf("an old version: got %v, want ErrReadOnly", err)
	}
}

func TestNotLoaded(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	defer closeWorld(t, w)
	p := geom.Point{X: 5}
	set(t, w, p, "rock")
	commit(t, w)
	_, err := w.Update(func(tx *world.Tx) error {
		tx.Dimension(earth).Volume(voxel.Block).Set(p, 0)
		return nil
	})
	if !errors.Is(err, world.ErrNotLoaded) || !strings.Contains(err.Error(), "Options.Whole") {
		t.Errorf("a part of a chunk: got %v, want ErrNotLoaded", err)
	}
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Volume(voxel.Block).Fill(geom.ChunkPos{}.Box(), 0)
	})
	if got := name(w, p); got != "air" {
		t.Errorf("a whole chunk: got %q", got)
	}
	commit(t, w)
	if n := w.View().Dimension(earth).Volume(voxel.Block).Len(); n != 0 {
		t.Errorf("%d chunks of nothing but air", n)
	}
}

// A model is a world as a map: what is not there is air.
type model map[geom.Point]string

func (m model) clone() model {
	out := make(model, len(m))
	for p, n := range m {
		out[p] = n
	}
	return out
}

func (m model) compare(t *testing.T, w *world.World, where string, points []geom.Point) {
	t.Helper()
	for _, p := range points {
		want := m[p]
		if want == "" {
			want = "air"
		}
		if got := name(w, p); got != want {
			t.Fatalf("%s: %v is %q, want %q", where, p, got, want)
		}
	}
}

// Random edits, commits, restores, packs, forks and reopenings give the same as
// maps do.
func TestRandomHistory(t *testing.T) {
	long.Alone(t)
	for seed := range uint64(4) {
		randomHistory(t, rand.New(rand.NewPCG(seed, 7)))
	}
}

func randomHistory(t *testing.T, r *rand.Rand) {
	now := time.UnixMilli(0)
	st := memory.New(memory.Options{Now: func() time.Time { now = now.Add(time.Minute); return now }})
	w := create(t, st, "w", world.Options{Whole: true})
	var points []geom.Point
	for range 60 {
		points = append(points, geom.Point{X: r.IntN(200) - 100, Y: r.IntN(100) - 50, Z: r.IntN(200) - 100})
	}
	names := []string{"air", "rock", "moss", "rose", "sand"}
	have := model{}
	versions := map[history.ID]model{}
	commit(t, w)
	versions[w.Head()] = have.clone()
	for step := range 400 {
		switch k := r.IntN(20); {
		case k < 10:
			p, n := points[r.IntN(len(points))], names[r.IntN(len(names))]
			set(t, w, p, n)
			have[p] = n
		case k < 15:
			commit(t, w)
			versions[w.Head()] = have.clone()
		case k < 16:
			if err := w.Pack(ctx); err != nil {
				t.Fatal(err)
			}
		case k < 17:
			for id, m := range versions {
				if _, err := w.Restore(ctx, id, "back"); err != nil {
					t.Fatal(err)
				}
				have = m.clone()
				versions[w.Head()] = have.clone()
				break
			}
		case k < 18:
			closeWorld(t, w)
			w = open(t, st, "w", world.Options{Whole: true})
			have = versions[w.Head()].clone()
		case k < 19:
			for id, m := range versions {
				old, err := w.At(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				m.compare(t, old, "an old version", points)
				closeWorld(t, old)
				break
			}
		default:
			if step%4 == 0 {
				if _, err := st.Collect(ctx, history.Policy{Keep: history.Retention{All: true}, Grace: -1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		have.compare(t, w, "the world", points)
	}
	closeWorld(t, w)
}

// A chunk that is set block by block is packed once a commit holds it; what readers
// have stays.
func TestCommitPacksWhatWasSet(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	defer closeWorld(t, w)
	for i, name := range []string{"rock", "moss", "rose"} {
		for n := range 40 {
			set(t, w, geom.Point{X: n * 7 % 32, Y: i, Z: n % 32}, name)
		}
	}
	chunk := func() *voxel.Chunk {
		c, _ := w.View().Dimension(earth).Volume(voxel.Block).Chunk(geom.ChunkPos{})
		return c
	}
	before := chunk()
	if before.Compact(new(voxel.ChunkBuilder)) == before {
		t.Fatal("setting blocks one by one made a packed chunk")
	}
	commit(t, w)
	after := chunk()
	if after == before || after.Compact(new(voxel.ChunkBuilder)) != after || !after.Equal(before) {
		t.Error("the chunk is not packed after a commit, or is another")
	}
	if w.Dirty() {
		t.Error("packing made the world dirty")
	}
	set(t, w, geom.Point{X: 9, Y: 9, Z: 9}, "rose")
	if chunk().Equal(after) {
		t.Error("a block that was set is not there")
	}
}

// The stone of a commit tells nothing of how its chunks were written.
func TestPatchedChunksGiveTheSameStone(t *testing.T) {
	cells := rand.New(rand.NewPCG(1, 2))
	want := make([]voxel.Cell, voxel.ChunkCells)
	for i := range want {
		if cells.IntN(9) == 0 {
			want[i] = voxel.Cell(1 + cells.IntN(2))
		}
	}
	stoneOf := func(write func(w *world.World)) history.StoneRef {
		w := create(t, newStore(), "a", world.Options{Whole: true})
		defer closeWorld(t, w)
		set(t, w, geom.Point{X: 99}, "rock")
		set(t, w, geom.Point{X: 99}, "moss")
		write(w)
		return commit(t, w).Stones[0]
	}
	all := (geom.ChunkPos{}).Box()
	once := stoneOf(func(w *world.World) {
		update(t, w, func(tx *world.Tx) { tx.Dimension(earth).Volume(voxel.Block).WriteBox(all, want) })
	})
	by := stoneOf(func(w *world.World) {
		for from := 0; from < len(want); from += 64 {
			update(t, w, func(tx *world.Tx) {
				for i, c := range want[from : from+64] {
					at := from + i
					tx.Dimension(earth).Volume(voxel.Block).Set(geom.Point{X: at & 31, Y: at >> 10, Z: at >> 5 & 31}, c)
				}
			})
		}
	})
	if once != by {
		t.Errorf("stone %v, written in parts %v", once, by)
	}
}

// What is written while a commit is under way stays, though that packs what it
// wrote.
func TestCommitPacksNothingWrittenMeanwhile(t *testing.T) {
	st := &storing{Store: newStore()}
	w := create(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, w)
	p := geom.Point{X: 3, Y: 4, Z: 5}
	set(t, w, geom.Point{}, "rock")
	st.during = func() { set(t, w, p, "moss") }
	commit(t, w)
	v := w.View().Dimension(earth).Volume(voxel.Block)
	if c, _ := v.Cell(p); v.Names()[c] != "moss" {
		t.Errorf("%q after the commit, want moss", v.Names()[c])
	}
	if c, _ := v.Cell(geom.Point{}); v.Names()[c] != "rock" {
		t.Errorf("%q after the commit, want rock", v.Names()[c])
	}
}

// storing is a Store that has something done once while it commits.
type storing struct {
	history.Store
	during func()
}

func (s *storing) Commit(ctx context.Context, name string, head history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	if f := s.during; f != nil {
		s.during = nil
		f()
	}
	return s.Store.Commit(ctx, name, head, c, stones...)
}

// A world with changes that no commit holds is not closed by CloseSaved.
func TestCloseSaved(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	commit(t, w)
	set(t, w, geom.Point{}, "rock")
	if closed, err := w.CloseSaved(); closed || err != nil {
		t.Errorf("with changes: %v, %v", closed, err)
	}
	commit(t, w)
	if closed, err := w.CloseSaved(); !closed || err != nil {
		t.Errorf("without: %v, %v", closed, err)
	}
}
