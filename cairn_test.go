package cairn_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

func openStore(t *testing.T) cairn.Store {
	t.Helper()
	st, err := cairn.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

func create(t *testing.T, st cairn.Store, name string, o cairn.Options) *cairn.World {
	t.Helper()
	w, err := cairn.Create(t.Context(), st, name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func edit(t *testing.T, w *cairn.World, f func(b cairn.Blocks)) *cairn.Change {
	t.Helper()
	change, err := w.Edit(t.Context(), func(b cairn.Blocks) error { f(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// A program that ended before its first Commit must be able to go on.
func TestOpenBeforeCommit(t *testing.T) {
	st := openStore(t)
	w := create(t, st, "plot", cairn.Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := cairn.OpenWorld(t.Context(), st, "plot", cairn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p := cairn.Point{Y: 1}
	edit(t, w, func(b cairn.Blocks) { b.Set(p, "stone") })
	if got := w.Block(p); got != "stone" {
		t.Errorf("%q", got)
	}
	if c, err := w.Commit(t.Context(), "first"); err != nil || c.Number != 1 {
		t.Errorf("commit %d, %v", c.Number, err)
	}
}

// An edit says which chunks a game must send, and so do Undo and Redo.
func TestEditReturnsTheChange(t *testing.T) {
	w := create(t, openStore(t), "plot", cairn.Options{})
	change := edit(t, w, func(b cairn.Blocks) {
		b.Set(cairn.Point{}, "stone")
		b.Set(cairn.Point{X: 40}, "stone")
	})
	want := []geom.ChunkPos{{}, {X: 1}}
	check := func(c *cairn.Change) {
		t.Helper()
		var got []geom.ChunkPos
		for _, v := range c.Volumes {
			for _, r := range v.Chunks {
				got = append(got, r.Pos)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("chunks %v, want %v", got, want)
		}
	}
	check(change)
	r, err := w.Undo(t.Context())
	if err != nil || r.Cells != 2 || w.Block(cairn.Point{}) != "air" {
		t.Fatalf("%+v, %v, %q", r, err, w.Block(cairn.Point{}))
	}
	check(r.Change)
	if r, err = w.Redo(t.Context()); err != nil || r.Cells != 2 || w.Block(cairn.Point{}) != "stone" {
		t.Fatalf("%+v, %v, %q", r, err, w.Block(cairn.Point{}))
	}
	check(r.Change)
	if _, err = w.Redo(t.Context()); !errors.Is(err, undo.ErrNothing) {
		t.Errorf("redone twice: %v", err)
	}
	if _, err = w.Edit(t.Context(), func(b cairn.Blocks) error { b.Set(cairn.Point{}, "sand"); return errors.ErrUnsupported }); !errors.Is(err, errors.ErrUnsupported) || w.Block(cairn.Point{}) != "stone" {
		t.Errorf("a failed edit: %v, %q", err, w.Block(cairn.Point{}))
	}
}

func TestBlocks(t *testing.T) {
	w := create(t, openStore(t), "plot", cairn.Options{})
	edit(t, w, func(b cairn.Blocks) { b.Fill(geom.Box{Max: geom.Point{X: 4, Y: 4, Z: 4}}, "stone") })
	edit(t, w, func(b cairn.Blocks) {
		stone, gold := b.Named("stone"), b.Named("gold")
		n := 0
		for x := range 8 {
			p := cairn.Point{X: x, Y: 1, Z: 1}
			if c, _ := b.Cells.Cell(p); c == stone {
				b.Cells.Set(p, gold)
				n++
			}
		}
		if n != 4 || b.Get(cairn.Point{X: 3, Y: 1, Z: 1}) != "gold" || b.Get(cairn.Point{X: 5}) != "air" || b.Cells.Names()[stone] != "stone" {
			t.Errorf("%d replaced, %q, %q, %q", n, b.Get(cairn.Point{X: 3, Y: 1, Z: 1}), b.Get(cairn.Point{X: 5}), b.Cells.Names()[stone])
		}
	})
	if got := w.Block(cairn.Point{X: 3, Y: 1, Z: 1}); got != "gold" {
		t.Errorf("%q", got)
	}
}

// An edit whose context ends changes nothing, or says that it cannot be undone.
func TestEditIsCancelled(t *testing.T) {
	w := create(t, openStore(t), "plot", cairn.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	change, err := w.Edit(ctx, func(b cairn.Blocks) error {
		b.Set(cairn.Point{}, "stone")
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || change != nil || w.Block(cairn.Point{}) != "air" {
		t.Errorf("%v, %v, %q", change, err, w.Block(cairn.Point{}))
	}
}

// made makes a world with dimensions of blocks, as an importer does.
func made(t *testing.T, st cairn.Store, name string, dimensions ...string) {
	t.Helper()
	w, err := world.Create(t.Context(), st, name, world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Update(func(tx *world.Tx) error {
		for _, d := range dimensions {
			v := tx.AddDimension(d, []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil).Volume(voxel.Block)
			v.Set(geom.Point{}, v.Named("minecraft:"+d))
		}
		tx.AddDimension("heat", []voxel.Volume{{Name: "warmth", Schema: voxel.Level, Scale: 1}}, nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), "made"); err != nil {
		t.Fatal(err)
	}
}

// Worlds that were imported open as those that were made here.
func TestOpenImported(t *testing.T) {
	for _, tt := range []struct {
		name       string
		dimensions []string
		ask, want  string // "" for an error
	}{
		{"the only one", []string{"sky"}, "", "sky"},
		{"main before others", []string{"overworld", "main"}, "", "main"},
		{"overworld of many", []string{"the_nether", "overworld", "the_end"}, "", "overworld"},
		{"asked for", []string{"the_nether", "overworld", "the_end"}, "the_end", "the_end"},
		{"none of that name", []string{"overworld"}, "the_end", ""},
		{"many, none known", []string{"sky", "sea"}, "", ""},
		{"no blocks", nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := openStore(t)
			made(t, st, "a", tt.dimensions...)
			w, err := cairn.OpenWorld(t.Context(), st, "a", cairn.Options{Dimension: tt.ask})
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), "no dimension") {
					t.Errorf("opened: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if w.Dimension() != tt.want || w.Block(cairn.Point{}) != "minecraft:"+tt.want {
				t.Errorf("%q, block %q", w.Dimension(), w.Block(cairn.Point{}))
			}
			edit(t, w, func(b cairn.Blocks) { b.Set(cairn.Point{X: 9}, "minecraft:stone") })
			if _, err := w.Commit(t.Context(), "edited"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestParts(t *testing.T) {
	st := openStore(t)
	made(t, st, "a", "overworld")
	w, err := cairn.OpenWorld(t.Context(), st, "a", cairn.Options{Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := w.Block(cairn.Point{}); got != "" {
		t.Errorf("%q without a load", got)
	}
	set := func(b cairn.Blocks) error { b.Set(cairn.Point{X: 1}, "minecraft:stone"); return nil }
	if _, err := w.Edit(t.Context(), set); !errors.Is(err, world.ErrNotLoaded) {
		t.Errorf("edited what is not loaded: %v", err)
	}
	held, err := w.Load(t.Context(), cairn.Box{Max: cairn.Point{X: 2, Y: 2, Z: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if got := w.Block(cairn.Point{}); got != "minecraft:overworld" {
		t.Errorf("%q after a load", got)
	}
	if _, err := w.Edit(t.Context(), set); err != nil {
		t.Error(err)
	}
}

// Edits, Undo and Redo tell a Fleet, which saves and closes.
func TestFromFleet(t *testing.T) {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	st := openStore(t)
	f := autosave.NewFleet(st, "game", now, autosave.Options{Create: true, Run: func(task func()) { task() }})
	k, err := f.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	w, err := cairn.FromFleet(t.Context(), k, cairn.Options{Author: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, w, func(b cairn.Blocks) { b.Fill(region.Ball{Radius: 60}, "stone") }) // 11,000 rows
	f.Step(now.Add(10 * time.Second))
	if !w.Dirty() {
		t.Error("saved at once")
	}
	f.Step(now.Add(150 * time.Second))
	if w.Dirty() {
		t.Error("many edits did not bring the save forward")
	}
	if _, err := w.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	w.Players(0)
	f.Step(now.Add(170 * time.Second))
	f.Step(now.Add(171 * time.Second))
	if w.Players(1) {
		t.Error("still open")
	}
	if _, err := w.Edit(t.Context(), func(cairn.Blocks) error { return nil }); !errors.Is(err, world.ErrClosed) {
		t.Errorf("edited a closed world: %v", err)
	}
	log, err := st.Log(t.Context(), "a", history.ID{}, 9)
	if err != nil || len(log) != 2 {
		t.Errorf("%d commits, %v", len(log), err)
	}
}

// Close of a world of a Fleet loses nothing: the Fleet saves and closes it.
func TestCloseOfAFleet(t *testing.T) {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	st := openStore(t)
	f := autosave.NewFleet(st, "game", now, autosave.Options{Create: true, Run: func(task func()) { task() }})
	k, err := f.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	w, err := cairn.FromFleet(t.Context(), k, cairn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, w, func(b cairn.Blocks) { b.Set(cairn.Point{}, "stone") })
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	events := append(f.Step(now), f.Step(now.Add(time.Second))...)
	if log, err := st.Log(t.Context(), "a", history.ID{}, 9); err != nil || len(log) != 1 || len(events) != 1 || events[0].Kind != autosave.Closed {
		t.Errorf("%d commits, events %v, %v", len(log), events, err)
	}
}

// TestCallsInAnEdit would wait for the edit that they are in, and fail instead. So do those in a Watch.
func TestCallsInAnEdit(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("goroutines cannot be told apart")
	}
	w := create(t, openStore(t), "plot", cairn.Options{})
	for name, f := range map[string]func() error{
		"Edit": func() error { _, err := w.Edit(t.Context(), func(cairn.Blocks) error { return nil }); return err },
		"Undo": func() error { _, err := w.Undo(t.Context()); return err },
		"Redo": func() error { _, err := w.Redo(t.Context()); return err },
	} {
		check := func(where string) {
			if err := f(); !errors.Is(err, world.ErrNested) {
				t.Errorf("%s in %s: %v", name, where, err)
			}
		}
		if _, err := w.Edit(t.Context(), func(cairn.Blocks) error { check("an edit"); return nil }); err != nil {
			t.Error(err)
		}
		stop := w.World().Watch(func(*world.Change) { check("a Watch") })
		if _, err := w.Edit(t.Context(), func(b cairn.Blocks) error { b.Set(cairn.Point{}, name); return nil }); err != nil {
			t.Error(err)
		}
		stop()
	}
	if r, err := w.Undo(t.Context()); err != nil || r.Cells != 1 {
		t.Errorf("Undo after the edits: %+v, %v", r, err)
	}
}

// What a name means is remembered from edit to edit: not what an edit left that failed, nor a name that means nothing.
func TestNamesFromEditToEdit(t *testing.T) {
	w := create(t, openStore(t), "plot", cairn.Options{})
	p := cairn.Point{X: 3, Y: 4, Z: 5}
	edit(t, w, func(b cairn.Blocks) { b.Set(p, "stone") })
	failed := errors.New("no")
	for range 2 {
		if _, err := w.Edit(t.Context(), func(b cairn.Blocks) error {
			b.Set(p, "stone")
			b.Set(p, "glass")
			return failed
		}); !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if _, err := w.Edit(t.Context(), func(b cairn.Blocks) error { b.Set(p, ""); b.Set(p, "clay"); return nil }); err == nil {
			t.Fatal("no error for no name")
		}
		if got := w.Block(p); got != "stone" {
			t.Fatal(got)
		}
	}
	for _, name := range []string{"brick", "glass", "air", "stone", "air", "clay", "glass"} {
		edit(t, w, func(b cairn.Blocks) { b.Set(p, name); b.Set(p.Add(cairn.Point{X: 16}), name) })
		if got, beside := w.Block(p), w.Block(p.Add(cairn.Point{X: 16})); got != name || beside != name {
			t.Fatalf("%q and %q, want %q", got, beside, name)
		}
	}
}

// Reading a block allocates nothing.
func TestBlockAllocatesNothing(t *testing.T) {
	w := create(t, openStore(t), "plot", cairn.Options{})
	p := cairn.Point{X: 3, Y: 4, Z: 5}
	edit(t, w, func(b cairn.Blocks) { b.Set(p, "stone") })
	if n := testing.AllocsPerRun(100, func() { w.Block(p) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
