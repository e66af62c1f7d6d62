package undo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

const earth = "earth"

var ctx = context.Background()

// volumes has one of every schema, with another default and another scale.
var volumes = []voxel.Volume{
	{Name: "rock", Schema: voxel.Terrain, Scale: 1},
	{Name: "name", Schema: voxel.Palette, Scale: 1},
	{Name: "shine", Schema: voxel.Level, Scale: 4, Default: 15},
}

var terrainVolumes = []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}

func create(t testing.TB, o world.Options, volumes ...voxel.Volume) *world.World {
	t.Helper()
	w, err := world.Create(ctx, memory.New(memory.Options{}), "w", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	mustUpdate(t, w, func(d *world.Tx) { d.AddDimension(earth, volumes, nil) })
	return w
}

func mustUpdate(t testing.TB, w *world.World, f func(*world.Tx)) *world.Change {
	t.Helper()
	change, err := w.Update(func(tx *world.Tx) error { f(tx); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// fill is what an author does in most tests.
func fill(t testing.TB, h *undo.History, author, volume string, b geom.Box, v voxel.Cell) {
	t.Helper()
	_, err := h.Update(ctx, author, "fill", func(tx *world.Tx) error {
		in := tx.Dimension(earth).Volume(volume)
		if in.Schema == voxel.Palette {
			v = in.Named(fmt.Sprint("name", v))
		}
		in.Fill(b, v)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func mustUndo(t testing.TB, h *undo.History, author string) undo.Undone {
	t.Helper()
	r, err := h.Undo(ctx, author)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustRedo(t testing.TB, h *undo.History, author string) undo.Undone {
	t.Helper()
	r, err := h.Redo(ctx, author)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func cellAt(t testing.TB, w *world.World, volume string, p geom.Point) voxel.Cell {
	t.Helper()
	c, ok := w.View().Dimension(earth).Volume(volume).Cell(p)
	if !ok {
		t.Fatalf("%v of %s is not loaded", p, volume)
	}
	return c
}

func one(p geom.Point) geom.Box {
	return geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

func TestOthersWorkStays(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	bed := geom.Box{Min: geom.Point{X: -3}, Max: geom.Point{X: 5, Y: 2, Z: 2}}
	mine, his := geom.Point{X: 4}, geom.Point{X: -2, Y: 1, Z: 1}
	fill(t, h, "ann", "rock", bed, 0x1FF)
	fill(t, h, "bob", "rock", one(his), 0x2FF)
	r := mustUndo(t, h, "ann")
	want := undo.Conflict{Dimension: earth, Volume: "rock", Box: one(his), Cells: 1}
	if r.Name != "fill" || r.Cells != 31 || r.Skipped != 1 || !slices.Equal(r.Conflicts, []undo.Conflict{want}) || len(r.Change.Volumes) != 1 {
		t.Errorf("undo: got %+v", r)
	}
	if cellAt(t, w, "rock", mine) != 0 || cellAt(t, w, "rock", his) != 0x2FF {
		t.Error("undo took back another's cell or left its own")
	}
	if r := mustRedo(t, h, "ann"); r.Cells != 31 || r.Skipped != 0 || cellAt(t, w, "rock", mine) != 0x1FF || cellAt(t, w, "rock", his) != 0x2FF {
		t.Errorf("redo: got %+v", r)
	}
	mustUndo(t, h, "bob")
	if got := cellAt(t, w, "rock", his); got != 0x1FF {
		t.Errorf("the other's undo: got %#x", got)
	}
}

func TestNothing(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	fill(t, h, "ann", "rock", one(geom.Point{}), 0x1FF)
	fill(t, h, "ann", "rock", one(geom.Point{}), 0x1FF) // changes nothing: no step
	for _, tt := range []struct {
		name, author string
		do           func(context.Context, string) (undo.Undone, error)
		want         error
	}{
		{"another author", "bob", h.Undo, undo.ErrNothing},
		{"no redo yet", "ann", h.Redo, undo.ErrNothing},
		{"undo", "ann", h.Undo, nil},
		{"no step left", "ann", h.Undo, undo.ErrNothing},
		{"redo", "ann", h.Redo, nil},
		{"no redo left", "ann", h.Redo, undo.ErrNothing},
	} {
		if _, err := tt.do(ctx, tt.author); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	mustUndo(t, h, "ann")
	fill(t, h, "ann", "rock", one(geom.Point{}), 0x2FF)
	if _, err := h.Redo(ctx, "ann"); !errors.Is(err, undo.ErrNothing) {
		t.Errorf("redo after a new step: got %v", err)
	}
	failed := errors.New("failed")
	if _, err := h.Update(ctx, "ann", "", func(*world.Tx) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("an update that fails: got %v", err)
	}
	if undone, redone := h.Names("ann"); !slices.Equal(undone, []string{"fill"}) || redone != nil {
		t.Errorf("names: got %v, %v", undone, redone)
	}
}

func TestBound(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{Bytes: 2000})
	for i := range 100 {
		fill(t, h, []string{"ann", "bob"}[i%2], "rock", one(geom.Point{X: i * 40}), 0x1FF)
	}
	anns, _ := h.Names("ann")
	bobs, _ := h.Names("bob")
	if n := len(anns) + len(bobs); n < 4 || n > 20 || h.Bytes() > 2000 || h.Bytes() < 1000 {
		t.Errorf("%d steps of %d bytes are kept", n, h.Bytes())
	}
	mustUndo(t, h, "bob")
	if cellAt(t, w, "rock", geom.Point{X: 99 * 40}) != 0 {
		t.Error("the newest step was dropped")
	}
	_, err := h.Update(ctx, "ann", "noise", func(tx *world.Tx) error {
		r := rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			tx.Dimension(earth).Volume("rock").Set(geom.Point{X: r.IntN(32), Y: r.IntN(32), Z: r.IntN(32)}, voxel.TerrainCell(1, uint8(r.IntN(256))))
		}
		return nil
	})
	left, _ := h.Names("ann")
	if !errors.Is(err, undo.ErrTooLarge) || !slices.Equal(left, anns) {
		t.Errorf("a step too large: got %v, and %d steps instead of %d", err, len(left), len(anns))
	}
	for len(left) > 0 {
		mustUndo(t, h, "ann")
		left, _ = h.Names("ann")
	}
}

func TestJoin(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	stroke := geom.Box{Min: geom.Point{X: -40, Y: -1, Z: 3}, Max: geom.Point{X: -20, Y: 2, Z: 9}}
	p, back := geom.Point{X: -30, Y: 0, Z: 5}, geom.Point{X: 400}
	h.Begin("ann", "stroke")
	for i := range 50 {
		fill(t, h, "ann", "rock", stroke.Add(geom.Point{X: i}), voxel.TerrainCell(uint8(1+i%5), 255))
	}
	fill(t, h, "bob", "rock", one(p), 0x9FF)
	fill(t, h, "ann", "rock", one(p), 0x1FF)
	fill(t, h, "ann", "rock", one(back), 0x1FF)
	fill(t, h, "ann", "rock", one(back), 0)
	h.End("ann")
	fill(t, h, "ann", "rock", one(geom.Point{}), 0x1FF)
	if steps, _ := h.Names("ann"); !slices.Equal(steps, []string{"stroke", "fill"}) {
		t.Fatalf("got %v", steps)
	}
	mustUndo(t, h, "ann")
	r := mustUndo(t, h, "ann")
	if r.Name != "stroke" || r.Cells != 69*3*6 || r.Skipped != 0 {
		t.Errorf("got %+v", r)
	}
	if n, ok := w.View().Dimension(earth).Volume("rock").CountNonEmpty(stroke.Union(stroke.Add(geom.Point{X: 50}))); n != 1 || !ok || cellAt(t, w, "rock", p) != 0x9FF {
		t.Errorf("%d cells are left, want the other's alone", n)
	}
}

// An Undo whose way back takes more than the bound says so.
func TestForgotten(t *testing.T) {
	for _, noise := range []bool{false, true} {
		w := create(t, world.Options{}, volumes...)
		h := undo.New(w, undo.Options{Bytes: 16 << 10})
		if _, err := h.Update(ctx, "ann", "fill", func(tx *world.Tx) error { // too many runs for a list
			for i := range 32 * 4 * 32 {
				tx.Dimension(earth).Volume("rock").Set(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31}, voxel.Cell(0x100+i&1))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Update(func(tx *world.Tx) error { // by somebody whose edits have no history
			for i := range 32 * 28 * 32 {
				if p := (geom.Point{X: i & 31, Y: 4 + i>>10, Z: i >> 5 & 31}); noise {
					tx.Dimension(earth).Volume("rock").Set(p, voxel.Cell(0x100+i*7919%251))
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if r := mustUndo(t, h, "ann"); r.Forgotten != noise {
			t.Errorf("noise %v: forgotten %v", noise, r.Forgotten)
		}
		if _, redo := h.Names("ann"); len(redo) == 0 != noise {
			t.Errorf("noise %v: can be repeated: %q", noise, redo)
		}
	}
}

func TestJoinedTooLarge(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{Bytes: 1000})
	h.Begin("ann", "stroke")
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = h.Update(ctx, "ann", "dab", func(tx *world.Tx) error {
			tx.Dimension(earth).Volume("rock").Set(geom.Point{X: 40 * i}, 0x1FF)
			return nil
		})
	}
	if !errors.Is(err, undo.ErrTooLarge) {
		t.Fatalf("got %v", err)
	}
	if steps, _ := h.Names("ann"); steps != nil || h.Bytes() != 0 {
		t.Errorf("a part of a step is kept: %v, %d bytes", steps, h.Bytes())
	}
	h.End("ann")
	fill(t, h, "ann", "rock", one(geom.Point{Y: 9}), 0x1FF)
	mustUndo(t, h, "ann")
}

// A step that was begun is lost when it has become the oldest of too many.
func TestJoinedDropped(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{Bytes: 1000})
	h.Begin("ann", "stroke")
	fill(t, h, "ann", "rock", one(geom.Point{}), 0x1FF)
	for i := range 9 {
		fill(t, h, "bob", "rock", one(geom.Point{X: i}), voxel.Cell(0x200+i))
	}
	_, err := h.Update(ctx, "ann", "dab", func(tx *world.Tx) error {
		tx.Dimension(earth).Volume("rock").Set(geom.Point{Y: 1}, 0x1FF)
		return nil
	})
	if steps, _ := h.Names("ann"); !errors.Is(err, undo.ErrTooLarge) || steps != nil {
		t.Errorf("got %v, %v", err, steps)
	}
	h.End("ann")
	fill(t, h, "ann", "rock", one(geom.Point{Y: 2}), 0x1FF)
	mustUndo(t, h, "ann")
	left, _ := h.Names("bob")
	if len(left) == 0 || h.Bytes() > 1000 {
		t.Errorf("%d steps of the other are left, %d bytes", len(left), h.Bytes())
	}
	for n := range left {
		if r := mustUndo(t, h, "bob"); r.Cells != 1 {
			t.Errorf("step %d: got %+v", n, r)
		}
	}
}

// What was committed and held by nobody is not in memory: undo loads it.
func TestLoads(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	for _, v := range volumes {
		cell := map[string]voxel.Cell{"rock": 3 << 8, "name": 1, "shine": 3}[v.Name]
		fill(t, h, "ann", v.Name, geom.Box{Min: geom.Point{X: -50, Y: 10, Z: -50}, Max: geom.Point{X: 70, Y: 20, Z: 90}}, cell)
	}
	if _, err := w.Commit(ctx, "done"); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.View().Dimension(earth).Volume("rock").Cell(geom.Point{Y: 15}); ok {
		t.Fatal("the world is in memory")
	}
	for range volumes {
		if r := mustUndo(t, h, "ann"); r.Cells != 120*10*140 || r.Skipped != 0 {
			t.Errorf("got %+v", r)
		}
	}
	if _, err := w.Commit(ctx, "undone"); err != nil {
		t.Fatal(err)
	}
	for _, v := range w.View().Dimension(earth).Volumes() {
		if n := v.Len(); n != 0 {
			t.Errorf("%s has %d chunks", v.Volume.Name, n)
		}
	}
}

func TestUnknown(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	whole := geom.ChunkPos{X: -1}.Box()
	fill(t, h, "ann", "rock", whole, 0x1FF)
	if _, err := w.Commit(ctx, ""); err != nil {
		t.Fatal(err)
	}
	fill(t, h, "bob", "rock", whole, 0x2FF)
	if r := mustUndo(t, h, "bob"); r.Unknown != 1 || r.Cells != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestWorldWentBack(t *testing.T) {
	w := create(t, world.Options{}, volumes[0])
	first, err := w.Commit(ctx, "empty")
	if err != nil {
		t.Fatal(err)
	}
	mustUpdate(t, w, func(tx *world.Tx) { tx.AddDimension(earth, volumes, nil) })
	h := undo.New(w, undo.Options{})
	fill(t, h, "ann", "name", one(geom.Point{}), 3)
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
		t.Fatal(err)
	}
	if r := mustUndo(t, h, "ann"); r.Cells != 0 || r.Skipped != 1 {
		t.Errorf("got %+v", r)
	}
}

// A step takes no more than the chunks before and after the operation.
func TestFillOfTheLevel(t *testing.T) {
	long.Alone(t)
	const edge = 100
	level := terrain.Level{Seed: 1}
	for _, at := range []geom.Point{{X: 17, Y: 3, Z: 9}, {X: -517, Y: 30, Z: 209}, {X: 777, Y: 5, Z: -5000}} {
		w := create(t, world.Options{}, terrainVolumes...)
		box := geom.Box{Min: at, Max: at.Add(geom.Point{X: edge, Y: edge, Z: edge})}
		mustUpdate(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume("solid")
			for pos := range region.Chunks(box) {
				v.SetChunk(pos, level.Chunk(pos))
			}
		})
		before := read(t, w, box)
		h := undo.New(w, undo.Options{})
		most := chunkBytes(w)
		fill(t, h, "ann", "solid", box, voxel.TerrainCell(2, 255))
		most += chunkBytes(w)
		if n := h.Bytes(); n > most*11/10 || n < 1000 {
			t.Errorf("at %v: %d bytes of undo, and the chunks before and after have %d", at, n, most)
		}
		after := read(t, w, box)
		mustUndo(t, h, "ann")
		if !slices.Equal(read(t, w, box), before) {
			t.Errorf("at %v: undo gives other cells", at)
		}
		mustRedo(t, h, "ann")
		if !slices.Equal(read(t, w, box), after) {
			t.Errorf("at %v: redo gives other cells", at)
		}
		t.Logf("at %v: %d bytes", at, h.Bytes())
	}
}

// chunkBytes returns the memory of the chunks that are loaded.
func chunkBytes(w *world.World) (n int) {
	for _, c := range w.View().Dimension(earth).Volume("solid").ChunksIn(world.Everywhere) {
		n += c.Or(0).Bytes()
	}
	return n
}

func read(t *testing.T, w *world.World, b geom.Box) []voxel.Cell {
	t.Helper()
	out := make([]voxel.Cell, b.Cells())
	if !w.View().Dimension(earth).Volume("solid").ReadBox(b, 0, out) {
		t.Fatal("not loaded")
	}
	return out
}

func TestManyGoroutines(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			author := fmt.Sprint(i)
			for n := range 20 {
				fill(t, h, author, "rock", one(geom.Point{X: 50 * i, Y: n}), 0x1FF)
			}
			for range 20 {
				if r, err := h.Undo(ctx, author); err != nil || r.Cells != 1 {
					t.Errorf("author %s: got %+v, %v", author, r, err)
				}
			}
		})
	}
	wait.Wait()
	if n := w.View().Dimension(earth).Volume("rock").Len(); n != 0 {
		t.Errorf("%d chunks are left", n)
	}
}

// endless is a context that ends after some looks at it.
type endless struct {
	context.Context
	looks int
}

func (e *endless) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

// An edit whose context ends before it is seen changes nothing.
func TestUpdateCancelled(t *testing.T) {
	b := geom.Box{Max: geom.Point{X: 200, Y: 40, Z: 40}}
	p := geom.Point{X: 150, Y: 20, Z: 20}
	for _, looks := range []int{0, 3} {
		w := create(t, world.Options{}, volumes...)
		h := undo.New(w, undo.Options{})
		fill(t, h, "ann", "rock", geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, voxel.TerrainCell(2, 9))
		change, err := h.Update(&endless{ctx, looks}, "ann", "large", func(tx *world.Tx) error {
			tx.Dimension(earth).Volume("rock").Fill(b, voxel.TerrainCell(1, 9))
			return nil
		})
		if !errors.Is(err, context.Canceled) || change != nil || cellAt(t, w, "rock", p) != 0 {
			t.Errorf("%d looks: change %v, cell %d, %v", looks, change != nil, cellAt(t, w, "rock", p), err)
		}
		if names, _ := h.Names("ann"); !slices.Equal(names, []string{"fill"}) {
			t.Errorf("%d looks: steps %v", looks, names)
		}
	}
}

// A fill of many chunks that were of one cell is taken back whole.
func TestLargeFillIsTakenBack(t *testing.T) {
	long.Alone(t)
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	b := geom.Box{Min: geom.Point{X: -120, Y: -33, Z: 7}, Max: geom.Point{X: 120, Y: 70, Z: 100}}
	fill(t, h, "ann", "rock", b, voxel.TerrainCell(1, 255))
	fill(t, h, "ann", "rock", b, voxel.TerrainCell(2, 255))
	for _, want := range []voxel.Cell{voxel.TerrainCell(1, 255), 0} {
		if r := mustUndo(t, h, "ann"); r.Cells != b.Cells() {
			t.Errorf("%d cells, want %d", r.Cells, b.Cells())
		}
		for _, p := range []geom.Point{b.Min, {X: 3, Y: 40, Z: 70}, b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1})} {
			if got := cellAt(t, w, "rock", p); got != want {
				t.Errorf("cell %v is %d, want %d", p, got, want)
			}
		}
	}
}

// TestOtherNames takes back steps of a world that has gone back to before their names, and has
// other names by now for the same cells.
func TestOtherNames(t *testing.T) {
	p, q := geom.Point{X: 3}, geom.Point{X: 4}
	set := func(at geom.Point, name string) func(*world.Tx) error {
		return func(tx *world.Tx) error {
			v := tx.AddDimension(earth, volumes, nil).Volume("name")
			v.Set(at, v.Named(name))
			return nil
		}
	}
	for _, tt := range []struct {
		name    string
		steps   []string // of ann at p, one stroke; in between the world goes back
		after   []string // others' at p
		cells   int
		want    string
		skipped int
	}{
		{"another's", []string{"stone"}, []string{"dirt"}, 0, "dirt", 1},
		{"the same name", []string{"stone"}, []string{"dirt", "stone"}, 1, "air", 0},
		{"a stroke", []string{"stone", "lamp"}, []string{"dirt"}, 0, "dirt", 1},
		{"a stroke that is there", []string{"stone", "lamp"}, nil, 1, "air", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := world.Create(ctx, memory.New(memory.Options{}), "w", world.Options{Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			h := undo.New(w, undo.Options{})
			h.Begin("ann", "stroke")
			for i, name := range tt.steps {
				if _, err := h.Update(ctx, "ann", "step", set(p, name)); err != nil {
					t.Fatal(err)
				}
				if i == len(tt.steps)-1 && len(tt.after) == 0 {
					break
				}
				if _, err := w.Commit(ctx, "x"); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Restore(ctx, history.ID{}, "back"); err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{"gold", "zinc", "mud"}[i:] {
					mustUpdate(t, w, func(tx *world.Tx) { set(q, name)(tx) })
				}
			}
			for _, name := range tt.after {
				mustUpdate(t, w, func(tx *world.Tx) { set(p, name)(tx) })
			}
			r := mustUndo(t, h, "ann")
			v := w.View().Dimension(earth).Volume("name")
			got, _ := v.Cell(p)
			if r.Cells != tt.cells || r.Skipped != tt.skipped || v.CellName(got) != tt.want {
				t.Errorf("got %+v and %q, want %d cells, %d left, %q", r, v.CellName(got), tt.cells, tt.skipped, tt.want)
			}
			if got, _ := v.Cell(q); v.CellName(got) != "mud" {
				t.Errorf("elsewhere: got %q", v.CellName(got))
			}
			if tt.cells == 0 {
				return
			}
			mustRedo(t, h, "ann")
			v = w.View().Dimension(earth).Volume("name")
			if got, _ := v.Cell(p); v.CellName(got) != tt.steps[len(tt.steps)-1] {
				t.Errorf("redo: got %q", v.CellName(got))
			}
		})
	}
}

// What is many cells of a chunk is taken back with the chunk, not cell by cell.
func TestManyCellsAreOneChunk(t *testing.T) {
	w := create(t, world.Options{}, volumes...)
	h := undo.New(w, undo.Options{})
	for _, height := range []int{2, 3, 32} {
		fill(t, h, "ann", "rock", geom.Box{Max: geom.Point{X: 32, Y: height, Z: 32}}, 0x1FF)
		back, err := h.Undo(ctx, "ann")
		if err != nil {
			t.Fatal(err)
		}
		if c := back.Change.Volumes[0].Chunks[0]; back.Cells != height*1024 || c.Given != (height > 2) {
			t.Errorf("%d slices: %d cells, a whole chunk: %v", height, back.Cells, c.Given)
		}
	}
}
